#include "checks/ends.h"
#include "decoder/open_calls.h"

#include <string.h>

/* A process that died by what it did itself. */
typedef struct {
    DtCheckRule rule;
    const DtTrace *trace; /* the thread that did it, or the first one */
    GArray *open;         /* DtOpenCall, outermost first */
    guint32 function;     /* that it died in; 0: not known */
    guint32 caller;       /* the program's function around a call that ended it; 0: none, or not known */
} Death;

static const DtTrace *trace_of(const DtRun *run, const DtProcess *process, gboolean (*wanted)(const DtTrace *trace))
{
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        if (dt_run_trace(run, t)->process == process && wanted(dt_run_trace(run, t)))
            return dt_run_trace(run, t);
    return NULL;
}

static gboolean was_hit(const DtTrace *trace)
{
    return trace->fatal_signal != 0;
}

static gboolean is_any(const DtTrace *trace)
{
    return !trace->library;
}

static const char *name_at(const DtChecking *checking, const Death *death, guint index)
{
    return dt_check_function_name(checking, g_array_index(death->open, DtOpenCall, index).function);
}

/* MPI_Abort was asked for. */
static gboolean is_asked_for(const DtChecking *checking, const Death *death)
{
    gboolean found = FALSE;
    for (guint i = 0; i < death->open->len; i++) {
        const char *name = name_at(checking, death, i);
        found |= dt_call_class(name) == DT_CALL_MPI && dt_call_properties(name) & DT_CALL_ENDING;
    }
    return found;
}

/* The outermost open call by which the program gives up; the number of open calls: none. */
static guint find_giving_up(const DtChecking *checking, const Death *death)
{
    guint i = 0;
    while (i < death->open->len && !(dt_call_properties(name_at(checking, death, i)) & DT_CALL_FAILING))
        i++;
    return i;
}

static gboolean is_throwing(const char *name)
{
    return g_str_has_prefix(name, "__cxa_throw") || g_str_has_prefix(name, "__cxa_rethrow") ||
           g_str_has_prefix(name, "_Unwind_Resume");
}

/* What the runtime of C++ calls when nobody catches stands inside of the throw. */
static void look_at_giving_up(const DtChecking *checking, Death *death, guint at)
{
    const gboolean throws = at > 0 && is_throwing(name_at(checking, death, at - 1));
    const guint call = throws ? at - 1 : at;
    death->rule = throws ? DT_CHECK_UNCAUGHT_EXCEPTION : DT_CHECK_ABORT;
    death->function = g_array_index(death->open, DtOpenCall, call).function;
    death->caller = call > 0 ? g_array_index(death->open, DtOpenCall, call - 1).function : 0;
}

/* The thread that was hit, or one that gives up, or else the first one, which stands for all. FALSE: there is none, or
 * the program asked for its end. */
static gboolean find_death(DtChecking *checking, const DtProcess *process, Death *death)
{
    const DtRun *run = checking->run;
    const DtTrace *hit = trace_of(run, process, was_hit);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        if (trace->process != process || trace->library || (hit && hit != trace))
            continue;
        death->open = dt_open_calls_at_end(run, trace, NULL);
        if (death->open && is_asked_for(checking, death))
            return FALSE;
        const guint at = death->open ? find_giving_up(checking, death) : 0;
        death->trace = trace;
        if (death->open && at < death->open->len) {
            look_at_giving_up(checking, death, at);
            return TRUE;
        }
        if (hit && death->open)
            break;
        g_clear_pointer(&death->open, g_array_unref);
    }
    death->rule = DT_CHECK_CRASH;
    death->trace = hit ? hit : trace_of(run, process, is_any);
    death->function = hit ? hit->fatal_function : 0;
    if (death->function == 0 && death->open && death->open->len > 0)
        death->function = g_array_index(death->open, DtOpenCall, death->open->len - 1).function;
    return death->trace != NULL;
}

static char *place_of(DtChecking *checking, const Death *death)
{
    DtPlace place;
    return death->open && dt_open_calls_innermost(checking->run, death->trace, death->open, &place)
               ? dt_check_source_of_place(checking, death->trace->process, &place)
               : NULL;
}

static const char *right_for(DtCheckRule rule)
{
    return rule == DT_CHECK_CRASH   ? "a process that comes to its end"
           : rule == DT_CHECK_ABORT ? "what was asserted or checked there holds"
                                    : "a handler that catches it, on the same rank";
}

static void report_death(DtChecking *checking, const Death *death, const DtProcessStatus *status)
{
    const DtProcess *process = death->trace->process;
    const guint32 function = death->function ? dt_functions_base(checking->functions, death->function) : 0;
    const DtKeptCall call = {.trace = death->trace, .function = function, .caller = death->caller};
    g_autofree char *source = place_of(checking, death);
    /* Who was hit by a signal that another process had sent did nothing wrong for that. */
    const gboolean was_sent = death->rule == DT_CHECK_CRASH && death->trace->fatal_sent;
    DtCheckFinding *finding;
    const DtCheckRule rule = was_sent ? DT_CHECK_KILLED : death->rule;
    const DtCheckLevel level = was_sent ? DT_CHECK_WARNING : DT_CHECK_ERROR;
    const DtCheckReport report = {rule, level, death->trace, NULL, source};
    const gboolean is_new = function ? dt_check_report_kept(checking, rule, level, &call, source, &finding)
                                     : dt_check_report(checking, &report, &finding);
    if (is_new) {
        g_free(finding->source);
        finding->source = g_steal_pointer(&source);
        g_free(finding->call);
        finding->call = function ? g_strdup(dt_functions_get(checking->functions, function)->shown) : NULL;
        if (finding->call && g_str_has_suffix(finding->call, "@plt"))
            finding->call[strlen(finding->call) - strlen("@plt")] = '\0';
        dt_check_expect(finding, "%s", was_sent ? "a process that nobody kills" : right_for(death->rule));
    }
    if (!finding)
        return;
    const guint32 around = death->caller ? dt_functions_base(checking->functions, death->caller) : 0;
    dt_check_add_evidence(finding, "process %s %s%s%s%s", process->label, status->text,
                          was_sent ? ", which another process had sent" : "", around ? ", called by " : "",
                          around ? dt_functions_get(checking->functions, around)->shown : "");
}

static void report_kill(DtChecking *checking, const DtProcess *process, const DtProcessStatus *status)
{
    const DtTrace *trace = trace_of(checking->run, process, is_any);
    const DtCheckReport report = {DT_CHECK_KILLED, DT_CHECK_WARNING, trace, NULL, process->label};
    DtCheckFinding *finding;
    if (!trace || !dt_check_report(checking, &report, &finding))
        return;
    dt_check_expect(finding, "a process that nobody kills");
    dt_check_add_evidence(finding, "process %s %s, while the others of its job went on", process->label, status->text);
}

/* Died by itself, and not because another one had. An exit by MPI, and one that was asked for, is none. */
static gboolean is_death(const DtProcess *process, const DtProcessStatus *status)
{
    if (status->cut_short || (status->status != DT_STATUS_CRASHED && status->status != DT_STATUS_ABORTED &&
                              status->status != DT_STATUS_EXITED))
        return FALSE;
    return process->end == DT_END_SIGNAL || (process->end == DT_END_EXITED && process->status != 0);
}

static void look_at_process(DtChecking *checking, const DtProcess *process, const DtProcessStatus *status)
{
    Death death = {.rule = DT_CHECK_CRASH};
    if (status->status == DT_STATUS_KILLED && process->end == DT_END_SIGNAL && status->left_others &&
        !status->cut_short && checking->with_mpi)
        report_kill(checking, process, status);
    /* Who exits is known to have failed by the call that it did it in alone. */
    if (is_death(process, status) && find_death(checking, process, &death) &&
        (process->end == DT_END_SIGNAL || death.rule != DT_CHECK_CRASH))
        report_death(checking, &death, status);
    g_clear_pointer(&death.open, g_array_unref);
}

/* ---- ranks that never came ------------------------------------------------------------------- */

static gboolean is_on_one_host(const DtRun *run)
{
    for (guint p = 1; p < dt_run_process_count(run); p++)
        if (g_strcmp0(dt_run_process(run, p)->host, dt_run_process(run, 0)->host) != 0)
            return FALSE;
    return TRUE;
}

static gboolean is_there(const DtRun *run, gint rank, gint size)
{
    for (guint p = 0; p < dt_run_process_count(run); p++)
        if (dt_run_process(run, p)->rank == rank && dt_run_process(run, p)->world_size == size)
            return TRUE;
    return FALSE;
}

/* Of a job on one host whose processes were all recorded, as far as anybody knows. */
static gboolean knows_all_processes(const DtRun *run)
{
    const GPtrArray *unrecorded = dt_run_unrecorded(run);
    return dt_run_manifest(run)->finished && !dt_run_manifest(run)->only && is_on_one_host(run) &&
           dt_run_manifest(run)->launcher && (!unrecorded || unrecorded->len == 0);
}

static void look_at_missing(DtChecking *checking)
{
    const DtRun *run = checking->run;
    const guint missing = dt_run_missing_ranks(run);
    gint size = 0;
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_RANK_MISSING, DT_CHECK_WARNING, NULL, NULL, NULL};
    for (guint p = 0; p < dt_run_process_count(run); p++)
        size = MAX(size, dt_run_process(run, p)->world_size);
    if (missing == 0 || !knows_all_processes(run) || !dt_check_report(checking, &report, &finding))
        return;
    dt_check_expect(finding, "a process for each rank that the launcher was asked for");
    dt_check_add_evidence(finding, "%u of %d ranks of MPI_COMM_WORLD left no record on the host of the others", missing,
                          size);
    for (gint rank = 0; rank < size; rank++)
        if (!is_there(run, rank, size))
            dt_check_add_rank(finding, rank);
}

void dt_check_report_deaths(DtChecking *checking, const DtProcessStatus *statuses, GHashTable *in_mpi)
{
    for (guint p = 0; p < dt_run_process_count(checking->run); p++) {
        const DtProcess *process = dt_run_process(checking->run, p);
        if (checking->processes[p].is_read && !g_hash_table_contains(in_mpi, process))
            look_at_process(checking, process, &statuses[p]);
    }
    look_at_missing(checking);
}
