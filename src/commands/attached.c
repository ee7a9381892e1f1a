#include "commands/attached.h"

#include "attach/job.h"
#include "report/stacks.h"
#include "text/text.h"

void dt_attached_options_clear(DtAttachedOptions *options)
{
    g_free(options->pids);
    g_free(options->job);
}

gboolean dt_cli_is_attached(const DtAttachedOptions *options, const char *run, gboolean *is_attached, GError **error)
{
    const char *problem = NULL;
    *is_attached = options->pids || options->job;
    if (options->pids && options->job)
        problem = "--job: names all processes; it does not go with --pid";
    else if (*is_attached && run)
        problem = "RUN: --pid and --job look at what runs now; they do not go with a run";
    else if (!*is_attached && !run)
        problem = "RUN is missing, or --job, or --pid";
    if (problem)
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, problem);
    return !problem;
}

/* Numbers, separated by commas. */
static GArray *parse_pids(const char *option, const char *text, GError **error)
{
    g_autoptr(GArray) pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    for (char **word = words; *word; word++) {
        guint64 number;
        if (!g_ascii_string_to_unsigned(*word, 10, 1, G_MAXINT32, &number, NULL)) {
            dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: '%s' is not the number of a process", option,
                         *word);
            return NULL;
        }
        pid_t pid = (pid_t)number;
        gboolean again = FALSE;
        for (guint i = 0; i < pids->len; i++)
            again = again || g_array_index(pids, pid_t, i) == pid;
        if (!again)
            g_array_append_val(pids, pid);
    }
    if (pids->len == 0)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: names no process", option);
    return pids->len > 0 ? g_steal_pointer(&pids) : NULL;
}

/* ---- processes that a run records ------------------------------------------------------------------ */

static const DtProcess *find_recorded(const DtRun *run, const DtProcess *process)
{
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        const DtProcess *recorded = dt_run_process(run, i);
        if (recorded->pid == process->pid && g_strcmp0(recorded->host, process->host) == 0)
            return recorded;
    }
    return NULL;
}

static gboolean add_trace(DtAttachedProcess *process, const DtRun *run, const DtTrace *trace)
{
    g_autoptr(GArray) calls = g_array_new(FALSE, FALSE, sizeof(guint32));
    DtSnapshot snapshot = {
        .at = G_MAXUINT64, .projection = DT_NAMES_WITH_ARGUMENTS, .frames = calls, .frames_suffice = TRUE};
    if (!dt_snapshot_read(&snapshot, run, trace, NULL))
        return FALSE;
    DtAttachedThread *thread = dt_job_add_thread(process);
    thread->trace.library = trace->library;
    thread->trace.name = g_strdup(trace->name);
    thread->trace.returned = trace->returned;
    for (guint i = 0; i < calls->len; i++) {
        DtAttachedFrame frame = {.call = g_array_index(calls, guint32, i)};
        frame.function = dt_functions_base(dt_run_functions(run), frame.call);
        g_array_append_val(thread->frames, frame);
    }
    return TRUE;
}

static char *read_recorded(DtAttachedProcess *process, DtFunctions *functions)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(process->run, functions, &error);
    const DtProcess *recorded = run ? find_recorded(run, &process->process) : NULL;
    gboolean all = recorded != NULL;
    if (!recorded)
        return dt_text_printf("it is recorded in %s, which does not tell of it yet%s%s", process->run,
                              error ? ": " : "", error ? error->message : "");
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        if (trace->process == recorded && !trace->returned)
            all = add_trace(process, run, trace) && all;
    }
    dt_job_label_threads(process);
    process->is_seen = TRUE;
    return all ? NULL : dt_text_printf("not all of its threads can be read in %s", process->run);
}

static void add_recorded(DtAttachedJob *job)
{
    for (guint i = 0; i < job->processes->len; i++) {
        DtAttachedProcess *process = job->processes->pdata[i];
        if (process->run && !process->is_seen)
            process->problem = read_recorded(process, job->functions);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static void tell_problems(const DtAttachedJob *job)
{
    for (guint i = 0; i < job->processes->len; i++) {
        const DtAttachedProcess *process = job->processes->pdata[i];
        if (process->problem)
            dt_cli_warn("warning: process %u: %s", process->process.pid, process->problem);
        for (guint k = 0; k < process->threads->len; k++) {
            const DtAttachedThread *thread = process->threads->pdata[k];
            if (thread->problem && !thread->trace.library)
                dt_cli_warn("warning: %s: %s", thread->trace.label, thread->problem);
        }
    }
}

DtAttachedJob *dt_cli_look(const DtAttachedOptions *options, gboolean depths, DtFunctions *functions, GError **error)
{
    const char *option = options->job ? "--job" : "--pid";
    g_autoptr(GArray) pids = parse_pids(option, options->job ? options->job : options->pids, error);
    if (!pids)
        return NULL;
    g_autoptr(DtAttachedJob) job = dt_attached_job_new(pids, options->job != NULL, depths, functions, error);
    if (!job || !dt_attached_job_look(job, error))
        return NULL;
    add_recorded(job);
    tell_problems(job);
    return g_steal_pointer(&job);
}
