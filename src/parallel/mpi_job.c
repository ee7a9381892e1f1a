/* Ranks of an MPI job: told by the launcher's environment, linked by a plugin, so that nobody else needs an MPI. */
#include "parallel/mpi_job.h"

#include "base/modules.h"
#include "parallel/mpi/link.h"
#include "text/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* By what a launcher tells how many it started, and which we are; and the module of the MPI that it most likely is of.
 */
typedef struct {
    const char *size, *rank;
    DtModule module;
} Launcher;

static const Launcher launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", DT_MODULE_OPENMPI},
                                     {"PMI_SIZE", "PMI_RANK", DT_MODULE_MPICH},
                                     {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", DT_MODULE_MPICH},
                                     {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", DT_MODULE_OPENMPI}};
/* srun without an MPI (--mpi=none): nothing links what it starts. */
static const Launcher bare_srun = {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", DT_MODULE_OPENMPI};

static gboolean has_started_several(const Launcher *launcher)
{
    const char *size = g_getenv(launcher->size);
    return size && g_getenv(launcher->rank) && g_ascii_strtoull(size, NULL, 10) > 1;
}

/* The launcher that started more than one of us, or NULL. */
static const Launcher *find_launcher(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(launchers); i++)
        if (has_started_several(&launchers[i]))
            return &launchers[i];
    return has_started_several(&bare_srun) ? &bare_srun : NULL;
}

static guint64 number_in(const char *variable)
{
    return g_ascii_strtoull(g_getenv(variable), NULL, 10);
}

static gboolean is_other_rank(void)
{
    const Launcher *launcher = find_launcher();
    return launcher && number_in(launcher->rank) > 0;
}

int dt_mpi_status(int status)
{
    if (status != 0 && is_other_rank())
        g_usleep(2 * G_USEC_PER_SEC);
    return status;
}

void dt_mpi_only_root_prints(void)
{
    if (!is_other_rank())
        return;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

/* ---- the link ------------------------------------------------------------------------ */

struct DtMpiJob {
    DtParallel members;
    DtMpiJoin join;
    DtMpiLeave leave;
    DtMpiSend send;
    DtMpiReceive receive;
};

static void send_bytes(gpointer link, guint to, GBytes *bytes)
{
    gsize size;
    gconstpointer data = g_bytes_get_data(bytes, &size);
    ((const DtMpiJob *)link)->send((int)to, data, size);
}

static GBytes *receive_bytes(gpointer link, guint from)
{
    size_t size = 0;
    void *data = ((const DtMpiJob *)link)->receive((int)from, &size);
    if (!data)
        g_error("out of memory: %" G_GSIZE_FORMAT " bytes from rank %u", size, from);
    return g_bytes_new_with_free_func(data, size, free, data);
}

/* That of the launcher's MPI, or of the only one there is. */
static DtModule module_of(const Launcher *launcher)
{
    DtModule other = launcher->module == DT_MODULE_OPENMPI ? DT_MODULE_MPICH : DT_MODULE_OPENMPI;
    return !dt_module_is_there(launcher->module) && dt_module_is_there(other) ? other : launcher->module;
}

static gboolean load(DtMpiJob *job, const Launcher *launcher, GError **error)
{
    const struct {
        const char *name;
        gpointer *function;
    } link[] = {{DT_MPI_JOIN, (gpointer *)&job->join},
                {DT_MPI_LEAVE, (gpointer *)&job->leave},
                {DT_MPI_SEND, (gpointer *)&job->send},
                {DT_MPI_RECEIVE, (gpointer *)&job->receive}};
    DtModule module = module_of(launcher);
    void *opened = dt_module_open(module, error);
    if (!opened)
        g_prefix_error(error, "%s=%s (unset it to compare with one process), but ", launcher->size,
                       g_getenv(launcher->size));
    for (guint i = 0; opened && i < G_N_ELEMENTS(link); i++) {
        *link[i].function = dt_module_function(module, opened, link[i].name, error);
        if (!*link[i].function)
            return FALSE;
    }
    return opened != NULL;
}

static gboolean enter(DtMpiJob *job, const Launcher *launcher, GError **error)
{
    int rank = 0, size = 0;
    guint64 expected = number_in(launcher->size);
    if (job->join(&rank, &size) == 0 && (guint64)size == expected) {
        job->members = (DtParallel){(guint)rank, (guint)size, job, send_bytes, receive_bytes};
        return TRUE;
    }
    dt_set_error(error, DT_PARALLEL_ERROR, DT_PARALLEL_ERROR_LAUNCHER,
                 "the launcher started %" G_GUINT64_FORMAT
                 " processes, but MPI knows %d of them: take the mpirun of the "
                 "MPI that difftrace was built with",
                 expected, size);
    return FALSE;
}

gboolean dt_mpi_job_join(DtMpiJob **job, GError **error)
{
    *job = NULL;
    const Launcher *launcher = find_launcher();
    if (!launcher)
        return TRUE;
    if (launcher == &bare_srun) {
        dt_set_error(error, DT_PARALLEL_ERROR, DT_PARALLEL_ERROR_LAUNCHER,
                     "srun started %" G_GUINT64_FORMAT
                     " processes without an MPI between them: give srun --mpi=pmix or "
                     "--mpi=pmi2, or start one process",
                     number_in(launcher->size));
        return FALSE;
    }
    g_autofree DtMpiJob *joined = g_new0(DtMpiJob, 1);
    if (!load(joined, launcher, error) || !enter(joined, launcher, error))
        return FALSE;
    *job = g_steal_pointer(&joined);
    return TRUE;
}

const DtParallel *dt_mpi_job_members(const DtMpiJob *job)
{
    return job ? &job->members : NULL;
}

void dt_mpi_job_leave(DtMpiJob *job)
{
    if (!job)
        return;
    job->leave();
    g_free(job);
}
