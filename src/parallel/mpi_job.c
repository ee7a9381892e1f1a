/* Ranks of an MPI job: told by the launcher's environment, linked by a plugin, so that nobody else needs an MPI. */
#include "parallel/mpi_job.h"

#include "base/own_files.h"
#include "parallel/mpi/link.h"
#include "text/text.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* By what a launcher tells how many it started, and which we are; and whose MPI it most likely is. */
typedef struct {
    const char *size, *rank, *plugin;
} Launcher;

#define PLUGIN       "difftrace-mpi.so"
#define PLUGIN_MPICH "difftrace-mpi-mpich.so"

static const Launcher launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", PLUGIN},
                                     {"PMI_SIZE", "PMI_RANK", PLUGIN_MPICH},
                                     {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", PLUGIN_MPICH},
                                     {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", PLUGIN}};

/* The launcher that started more than one of us, or NULL. */
static const Launcher *find_launcher(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(launchers); i++) {
        const char *size = g_getenv(launchers[i].size);
        if (size != NULL && g_getenv(launchers[i].rank) != NULL && g_ascii_strtoull(size, NULL, 10) > 1)
            return &launchers[i];
    }
    return NULL;
}

static guint64 number_in(const char *variable)
{
    return g_ascii_strtoull(g_getenv(variable), NULL, 10);
}

static gboolean is_other_rank(void)
{
    const Launcher *launcher = find_launcher();
    return launcher != NULL && number_in(launcher->rank) > 0;
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
    if (data == NULL)
        g_error("out of memory: %" G_GSIZE_FORMAT " bytes from rank %u", size, from);
    return g_bytes_new_with_free_func(data, size, free, data);
}

/* Open MPI's own plugins need its symbols. */
static gboolean load(DtMpiJob *job, const char *path, GError **error)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (plugin == NULL) {
        dt_set_error(error, DT_PARALLEL_ERROR, DT_PARALLEL_ERROR_LAUNCHER, "%s: cannot be loaded: %s", path, dlerror());
        return FALSE;
    }
    *(void **)&job->join = dlsym(plugin, DT_MPI_JOIN);
    *(void **)&job->leave = dlsym(plugin, DT_MPI_LEAVE);
    *(void **)&job->send = dlsym(plugin, DT_MPI_SEND);
    *(void **)&job->receive = dlsym(plugin, DT_MPI_RECEIVE);
    if (job->join != NULL && job->leave != NULL && job->send != NULL && job->receive != NULL)
        return TRUE;
    dt_set_error(error, DT_PARALLEL_ERROR, DT_PARALLEL_ERROR_LAUNCHER, "%s: of another version of difftrace", path);
    return FALSE;
}

/* That of the launcher's MPI, or of the only one there is. */
static char *find_plugin(const Launcher *launcher, GError **error)
{
    const char *other = g_str_equal(launcher->plugin, PLUGIN) ? PLUGIN_MPICH : PLUGIN;
    g_autofree char *searched = NULL;
    char *path = dt_find_own_file(launcher->plugin, &searched, error);
    if (path == NULL && searched != NULL) {
        g_clear_pointer(&searched, g_free);
        path = dt_find_own_file(other, &searched, error);
    }
    if (path == NULL && searched != NULL)
        dt_set_error(error, DT_PARALLEL_ERROR, DT_PARALLEL_ERROR_LAUNCHER,
                     "%s=%s, but there is no " PLUGIN " in %s; build difftrace where mpicc is installed, or unset the "
                     "variable to compare with one process",
                     launcher->size, g_getenv(launcher->size), searched);
    return path;
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
    if (launcher == NULL)
        return TRUE;
    g_autofree char *path = find_plugin(launcher, error);
    g_autofree DtMpiJob *joined = g_new0(DtMpiJob, 1);
    if (path == NULL || !load(joined, path, error) || !enter(joined, launcher, error))
        return FALSE;
    *job = g_steal_pointer(&joined);
    return TRUE;
}

const DtParallel *dt_mpi_job_members(const DtMpiJob *job)
{
    return job != NULL ? &job->members : NULL;
}

void dt_mpi_job_leave(DtMpiJob *job)
{
    if (job == NULL)
        return;
    job->leave();
    g_free(job);
}
