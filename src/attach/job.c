#include "attach/job.h"

#include <string.h>
#include <unistd.h>

#include "base/launchers.h"
#include "base/running.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_attach_error, dt_attach_error)

/* ---- what is told of a process --------------------------------------------------------------- */

/* Of one that may belong to the job. */
typedef struct {
    DtRunning running;
    char *environment; /* NULL: it may not be read */
    gsize bytes;
} Candidate;

static void clear_candidate(gpointer data)
{
    g_free(((Candidate *)data)->environment);
}

static void free_thread(gpointer data)
{
    DtAttachedThread *thread = data;
    for (guint i = 0; i < thread->frames->len; i++)
        g_free(g_array_index(thread->frames, DtAttachedFrame, i).passed);
    g_array_unref(thread->frames);
    g_free((char *)thread->trace.label);
    g_free((char *)thread->trace.name);
    g_free(thread->problem);
    g_free(thread);
}

static void free_process(gpointer data)
{
    DtAttachedProcess *process = data;
    g_free((char *)process->process.label);
    g_free((char *)process->process.host);
    g_free((char *)process->process.executable);
    g_free(process->run);
    g_free(process->problem);
    g_ptr_array_unref(process->threads);
    g_free(process);
}

static const char *value_of(const Candidate *candidate, const char *variable)
{
    return candidate->environment ? dt_environment_find(candidate->environment, candidate->bytes, variable) : NULL;
}

/* -1: it has none. */
static gint rank_of(const Candidate *candidate, const DtLauncher *launcher)
{
    const char *text =
        candidate->environment ? dt_launcher_rank(launcher, candidate->environment, candidate->bytes) : NULL;
    guint64 number;
    return text && g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT, &number, NULL) ? (gint)number : -1;
}

static gint number_of(const Candidate *candidate, const char *variable)
{
    const char *text = value_of(candidate, variable);
    guint64 number;
    return text && g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT, &number, NULL) ? (gint)number : -1;
}

/* ---- ranks ------------------------------------------------------------------------------------- */

/* The launcher that tells most of them apart. Of launchers within each other, mpirun in a job of Slurm's, the outer one
 * gives all ranks of the inner one the same rank, and one to the inner launcher, too. */
static const DtLauncher *find_launcher(const GArray *candidates)
{
    guint count, most = 0;
    const DtLauncher *launchers = dt_launchers(&count), *found = NULL;
    for (guint l = 0; l < count; l++) {
        g_autoptr(GHashTable) ranks = g_hash_table_new(NULL, NULL);
        for (guint i = 0; i < candidates->len; i++) {
            gint rank = rank_of(&g_array_index(candidates, Candidate, i), &launchers[l]);
            if (rank >= 0)
                g_hash_table_add(ranks, GINT_TO_POINTER(rank + 1));
        }
        if (g_hash_table_size(ranks) > most) {
            most = g_hash_table_size(ranks);
            found = &launchers[l];
        }
    }
    return found;
}

static void add_candidate(GArray *candidates, const DtRunning *running)
{
    Candidate candidate = {.running = *running};
    candidate.environment = dt_running_environment(running->pid, &candidate.bytes);
    g_array_append_val(candidates, candidate);
}

static GArray *descendants_of(pid_t ancestor)
{
    GArray *candidates = g_array_new(FALSE, TRUE, sizeof(Candidate));
    g_array_set_clear_func(candidates, clear_candidate);
    g_autoptr(GArray) descendants = dt_running_descendants(ancestor);
    DtRunning self;
    if (dt_running_find(ancestor, &self))
        add_candidate(candidates, &self);
    for (guint i = 0; i < descendants->len; i++)
        if (g_array_index(descendants, DtRunning, i).pid != getpid())
            add_candidate(candidates, &g_array_index(descendants, DtRunning, i));
    return candidates;
}

static GArray *candidates_of(const GArray *pids)
{
    GArray *candidates = g_array_new(FALSE, TRUE, sizeof(Candidate));
    g_array_set_clear_func(candidates, clear_candidate);
    for (guint i = 0; i < pids->len; i++) {
        DtRunning running = {.pid = g_array_index(pids, pid_t, i)};
        (void)dt_running_find(running.pid, &running);
        add_candidate(candidates, &running);
    }
    return candidates;
}

/* ---- processes ----------------------------------------------------------------------------------- */

static char *executable_of(pid_t pid)
{
    g_autofree char *link = g_strdup_printf("/proc/%d/exe", (int)pid);
    g_autofree char *path = g_file_read_link(link, NULL);
    char *deleted = path ? strstr(path, " (deleted)") : NULL;
    if (deleted)
        *deleted = '\0';
    return path ? dt_text_spell(path) : NULL;
}

/* Whether its tracer's runtime is in it. */
static char *run_of(const Candidate *candidate)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/maps", (int)candidate->running.pid), *maps = NULL;
    const char *run = value_of(candidate, "DIFFTRACE_RUN");
    if (!run || !g_file_get_contents(path, &maps, NULL, NULL) || !strstr(maps, "libdifftrace_runtime.so"))
        return NULL;
    return g_strdup(run);
}

static DtAttachedProcess *process_new(const Candidate *candidate, const DtLauncher *launcher)
{
    DtAttachedProcess *process = g_new0(DtAttachedProcess, 1);
    process->process = (DtProcess){.rank = launcher ? rank_of(candidate, launcher) : -1,
                                   .world_size = launcher ? number_of(candidate, launcher->ranks) : -1,
                                   .pid = (guint)candidate->running.pid,
                                   .host = dt_text_spell(g_get_host_name()),
                                   .executable = executable_of(candidate->running.pid),
                                   .arguments = "",
                                   .end = DT_END_RUNNING};
    process->start = candidate->running.start;
    process->run = run_of(candidate);
    process->threads = g_ptr_array_new_with_free_func(free_thread);
    return process;
}

/* By rank; of one rank the last that was started is the program, the others (a shell around it) stand behind it. */
static gint compare_processes(gconstpointer a, gconstpointer b)
{
    const DtAttachedProcess *first = *(DtAttachedProcess *const *)a, *second = *(DtAttachedProcess *const *)b;
    gint one = first->process.rank, two = second->process.rank;
    if (one != two)
        return one < 0 || (two >= 0 && two < one) ? 1 : -1;
    if (one >= 0 && first->start != second->start)
        return first->start > second->start ? -1 : 1;
    gint by_pid = first->process.pid < second->process.pid ? -1 : first->process.pid > second->process.pid;
    return one >= 0 ? -by_pid : by_pid;
}

/* A process without a rank has its pid as its number: that is how one speaks of it. */
static void label_processes(const GPtrArray *processes)
{
    guint beside = 0;
    for (guint i = 0; i < processes->len; i++) {
        DtProcess *process = &((DtAttachedProcess *)processes->pdata[i])->process;
        const DtProcess *before = i > 0 ? &((const DtAttachedProcess *)processes->pdata[i - 1])->process : NULL;
        process->index = i;
        beside = before && process->rank >= 0 && before->rank == process->rank ? beside + 1 : 0;
        process->label = process->rank < 0 ? g_strdup_printf("%u", process->pid)
                         : beside > 0      ? g_strdup_printf("%d+%u", process->rank, beside)
                                           : g_strdup_printf("%d", process->rank);
    }
}

static GPtrArray *processes_of(const GArray *candidates, gboolean ranks_alone)
{
    const DtLauncher *launcher = find_launcher(candidates);
    GPtrArray *processes = g_ptr_array_new_with_free_func(free_process);
    for (guint i = 0; i < candidates->len; i++) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        gboolean is_ancestor = ranks_alone && i == 0;
        gboolean wanted =
            !ranks_alone || (launcher ? rank_of(candidate, launcher) >= 0 : !is_ancestor || candidates->len == 1);
        if (wanted)
            g_ptr_array_add(processes, process_new(candidate, launcher));
    }
    g_ptr_array_sort(processes, compare_processes);
    label_processes(processes);
    return processes;
}

/* One whose environment is not known may be a rank. */
static gboolean all_are_readable(const GArray *candidates)
{
    for (guint i = 0; i < candidates->len; i++) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (!candidate->environment && candidate->running.state != 'Z' && candidate->running.state != 'X')
            return FALSE;
    }
    return TRUE;
}

static gboolean is_launcher(pid_t pid)
{
    static const char *const names[] = {"srun",    "mpirun",          "mpiexec",   "orterun",
                                        "prterun", "hydra_pmi_proxy", "slurmstepd"};
    g_autofree char *path = g_strdup_printf("/proc/%d/comm", (int)pid), *name = NULL;
    if (!g_file_get_contents(path, &name, NULL, NULL))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_has_prefix(name, names[i]))
            return TRUE;
    return FALSE;
}

/* Whether each rank that the launcher started is on this host. */
static gboolean is_whole_job(const GArray *candidates)
{
    const DtLauncher *launcher = find_launcher(candidates);
    if (!all_are_readable(candidates))
        return FALSE;
    for (guint i = 0; launcher && launcher->local_ranks && i < candidates->len; i++) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (rank_of(candidate, launcher) >= 0)
            return number_of(candidate, launcher->ranks) > 0 &&
                   number_of(candidate, launcher->ranks) == number_of(candidate, launcher->local_ranks);
    }
    return FALSE;
}

GPtrArray *dt_job_processes(const GArray *pids, gboolean launcher, gboolean *is_whole, GError **error)
{
    DtRunning running;
    guint there = 0;
    for (guint i = 0; i < pids->len; i++)
        there += dt_running_find(g_array_index(pids, pid_t, i), &running) ? 1 : 0;
    if (there == 0) {
        dt_set_error(error, DT_ATTACH_ERROR, DT_ATTACH_ERROR_NOT_FOUND,
                     "process %d: there is none of that number on this host", (int)g_array_index(pids, pid_t, 0));
        return NULL;
    }
    g_autoptr(GArray) candidates = launcher ? descendants_of(g_array_index(pids, pid_t, 0)) : candidates_of(pids);
    if (launcher && !find_launcher(candidates) && all_are_readable(candidates) &&
        is_launcher(g_array_index(pids, pid_t, 0))) {
        dt_set_error(error, DT_ATTACH_ERROR, DT_ATTACH_ERROR_NOT_FOUND,
                     "process %d: it is a launcher, and no rank of its job is below it on this host: look on the hosts "
                     "of the ranks, at the process that started them there (srun: slurmstepd)",
                     (int)g_array_index(pids, pid_t, 0));
        return NULL;
    }
    *is_whole = launcher && is_whole_job(candidates);
    return processes_of(candidates, launcher);
}

/* ---- threads ----------------------------------------------------------------------------------------- */

/* The first thread has the process's number. */
static gboolean is_first(const DtAttachedThread *thread)
{
    return thread->tid == (pid_t)thread->trace.process->pid;
}

/* By age, as far as their numbers tell: those that the kernel gives begin anew at the greatest. */
static gint compare_threads(gconstpointer a, gconstpointer b)
{
    const DtAttachedThread *first = *(DtAttachedThread *const *)a, *second = *(DtAttachedThread *const *)b;
    if (first->trace.library != second->trace.library)
        return first->trace.library ? 1 : -1;
    if (is_first(first) != is_first(second))
        return is_first(first) ? -1 : 1;
    if (first->tid == second->tid)
        return 0;
    return first->tid < second->tid ? -1 : 1;
}

/* 0 is a, 25 z, 26 aa: as in recorded runs. */
static char *letters(guint number)
{
    GString *text = g_string_new(NULL);
    for (guint rest = number + 1; rest > 0; rest = (rest - 1) / 26)
        g_string_prepend_c(text, (char)('a' + (rest - 1) % 26));
    return g_string_free(text, FALSE);
}

DtAttachedThread *dt_job_add_thread(DtAttachedProcess *process)
{
    DtAttachedThread *thread = g_new0(DtAttachedThread, 1);
    thread->trace.process = &process->process;
    thread->start.counter = -1;
    thread->frames = g_array_new(FALSE, FALSE, sizeof(DtAttachedFrame));
    g_ptr_array_add(process->threads, thread);
    return thread;
}

void dt_job_label_threads(DtAttachedProcess *process)
{
    guint of_program = 0, of_libraries = 0;
    g_ptr_array_sort(process->threads, compare_threads);
    for (guint i = 0; i < process->threads->len; i++) {
        DtAttachedThread *thread = process->threads->pdata[i];
        thread->trace.thread = thread->trace.library ? of_libraries++ : of_program++;
        g_autofree char *letter = letters(thread->trace.thread);
        g_free((char *)thread->trace.label);
        thread->trace.label = thread->trace.library
                                  ? g_strdup_printf("%s.%s", process->process.label, letter)
                                  : g_strdup_printf("%s.%u", process->process.label, thread->trace.thread);
    }
}

pid_t dt_job_live_thread(pid_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)pid);
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    DtRunning running;
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        pid_t tid = (pid_t)g_ascii_strtoll(name, NULL, 10);
        if (dt_running_find(tid, &running) && running.state != 'Z' && running.state != 'X')
            return tid;
    }
    return 0;
}

DtAttachedThread *dt_job_find_thread(const DtAttachedProcess *process, pid_t tid)
{
    for (guint i = 0; i < process->threads->len; i++)
        if (((const DtAttachedThread *)process->threads->pdata[i])->tid == tid)
            return process->threads->pdata[i];
    return NULL;
}
