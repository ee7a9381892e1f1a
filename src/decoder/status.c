/* How processes ended: by what they and those who waited for them tell, and by the calls that were open then. */
#include "decoder/status.h"

#include <signal.h>
#include <string.h>

#include "calls/calls.h"
#include "decoder/mpi_errors.h"

const char *dt_status_name(DtStatus status)
{
    static const char *const names[] = {"finished", "exited", "aborted", "crashed",
                                        "killed",   "stuck",  "running", "missing"};
    return names[status];
}

gboolean dt_is_own_signal(gint signal_number)
{
    switch (signal_number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGSYS:
    case SIGTRAP:
    case SIGXFSZ:
        return TRUE;
    default:
        return FALSE;
    }
}

gint dt_status_of_unseen(const DtRun *run)
{
    enum { OF_TIMEOUT = 124 }; /* timeout(1) has ended it */
    const DtManifest *manifest = dt_run_manifest(run);
    const gboolean failed = manifest->finished && manifest->launcher && !manifest->timed_out &&
                            manifest->ending_realtime_ns == 0 && manifest->exit_status > 0 &&
                            manifest->exit_status < OF_TIMEOUT;
    return failed ? manifest->exit_status : 0;
}

/* ---- moving ------------------------------------------------------------------------------ */

/* What a thread did between two looks. */
typedef struct {
    gboolean any, asks, communicates;
} Acts;

static void add_act(Acts *acts, const char *function)
{
    const guint32 communication =
        DT_CALL_POINT_TO_POINT | DT_CALL_COLLECTIVE | DT_CALL_ONE_SIDED | DT_CALL_IO | DT_CALL_WAKING;
    const guint32 properties = dt_call_properties(function);
    acts->any = TRUE;
    if (properties & DT_CALL_POLLING)
        acts->asks = TRUE;
    else if (properties & communication && !(properties & DT_CALL_PROBING))
        acts->communicates = TRUE;
}

static Acts find_acts(const DtRun *run, const DtTrace *trace)
{
    enum { BATCH = 4096, MOST_EVENTS = 1 << 18 }; /* what comes again and again shows in so many */
    guint32 events[BATCH];
    guint64 positions[BATCH];
    Acts acts = {FALSE, FALSE, FALSE};
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, NULL);
    if (!reader)
        return acts;
    dt_reader_seek(reader, trace->words_looked_first);
    const DtFunctions *functions = dt_run_functions(run);
    g_autofree gboolean *seen = g_new0(gboolean, (gsize)dt_functions_count(functions) + 1);
    gsize count, all = 0;
    while (all < MOST_EVENTS && (count = dt_reader_next_at(reader, events, positions, BATCH)) > 0) {
        all += count;
        for (gsize i = 0; i < count && positions[i] <= trace->words_looked_last && !acts.communicates; i++) {
            if (events[i] == DT_EVENT_RETURN || seen[events[i]])
                continue;
            seen[events[i]] = TRUE;
            add_act(&acts, dt_functions_get(functions, events[i])->name);
        }
        if (acts.communicates || positions[count - 1] > trace->words_looked_last)
            break;
    }
    return acts;
}

/* Who only asks for ever whether something has happened does not get on. */
static gboolean has_moved(const DtRun *run, const DtTrace *trace)
{
    if (trace->library || trace->words_looked_last <= trace->words_looked_first)
        return FALSE;
    Acts acts = find_acts(run, trace);
    return acts.communicates || (acts.any && !acts.asks);
}

gboolean *dt_moved_traces(const DtRun *run)
{
    gboolean *moved = g_new0(gboolean, (gsize)dt_run_trace_count(run) + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        moved[t] = has_moved(run, dt_run_trace(run, t));
    return moved;
}

gboolean dt_run_was_cut_off(const DtRun *run)
{
    guint moving = 0, processes = 0;
    if (!dt_run_manifest(run)->timed_out)
        return FALSE;
    g_autofree gboolean *moved = dt_moved_traces(run);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        processes += !trace->library && trace->thread == 0 ? 1 : 0;
        moving += !trace->library && trace->thread == 0 && moved[t] ? 1 : 0;
    }
    return 2 * moving > processes;
}

/* ---- the calls that were open ---------------------------------------------------------------- */

/* What a process was in when it ended, by function ids; 0: nothing. */
typedef struct {
    guint32 mpi;    /* innermost call of MPI */
    guint32 ending; /* outermost call that ends a process */
    gboolean fails; /* that one does because of an error */
    gboolean moved; /* one of its threads was getting on */
} OpenCalls;

static void add_open_calls(const DtFunctions *functions, const GArray *open, OpenCalls *calls)
{
    for (guint i = 0; open && i < open->len; i++) {
        const guint32 id = g_array_index(open, guint32, i);
        const char *name = dt_functions_get(functions, dt_functions_base(functions, id))->name;
        const guint32 properties = dt_call_properties(name);
        if (dt_call_class(name) == DT_CALL_MPI)
            calls->mpi = id;
        if (properties & DT_CALL_ENDING && !calls->ending) {
            calls->ending = id;
            calls->fails = (properties & DT_CALL_FAILING) != 0;
        }
    }
}

static OpenCalls *find_open_calls(const DtRun *run, const GArray *const *open, const gboolean *moved)
{
    OpenCalls *calls = g_new0(OpenCalls, (gsize)dt_run_process_count(run) + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        if (trace->library)
            continue;
        add_open_calls(dt_run_functions(run), open[t], &calls[trace->process->index]);
        calls[trace->process->index].moved |= moved[t];
    }
    return calls;
}

/* ---- one process ------------------------------------------------------------------------------ */

typedef struct {
    const DtRun *run;
    const DtProcess *process;
    const OpenCalls *calls;
} Case;

static const char *name_of(const Case *own, guint32 id)
{
    const DtFunctions *functions = dt_run_functions(own->run);
    return dt_functions_get(functions, dt_functions_base(functions, id))->name;
}

/* TRUE if the process was there until the collector, or something that stopped it, ended the job. Where nobody knows
 * when that was: a handler of the signal that ends a job exits with 0, wherever the program is. */
static gboolean ended_with_job(const Case *own)
{
    const DtManifest *manifest = dt_run_manifest(own->run);
    const DtProcess *process = own->process;
    if (manifest->ending_realtime_ns > 0 && process->end_ns > 0)
        return process->last_realtime_ns >= manifest->ending_realtime_ns;
    gboolean by_itself = (process->end == DT_END_EXITED && !(own->calls->mpi && process->status == 0)) ||
                         (process->end == DT_END_SIGNAL && dt_is_own_signal(process->status));
    return (manifest->timed_out || manifest->ending_realtime_ns > 0) && !by_itself;
}

static gboolean is_no_rank(const DtSignature *signature)
{
    for (guint i = 0; signature && signature->communicator && i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if ((argument->kind == DT_ARGUMENT_TO || argument->kind == DT_ARGUMENT_FROM) &&
            argument->special == DT_SPECIAL_UNKNOWN)
            return TRUE;
    }
    return FALSE;
}

/* TRUE if the process was in a call that names a rank which there is not. Whoever asks may know calls by their names
 * alone: the end of the traces is read. */
static gboolean named_no_rank(const Case *own)
{
    const DtFunctions *functions = dt_run_functions(own->run);
    gboolean found = FALSE;
    for (guint t = 0; own->calls->mpi && t < dt_run_trace_count(own->run) && !found; t++) {
        const DtTrace *trace = dt_run_trace(own->run, t);
        if (trace->process != own->process || trace->library)
            continue;
        g_autoptr(DtReader) reader = dt_reader_open(own->run, trace, DT_NAMES_WITH_ARGUMENTS, NULL);
        guint depth = 0;
        if (reader)
            dt_reader_seek(reader, G_MAXUINT64);
        const guint32 *open = reader ? dt_reader_open_calls(reader, &depth) : NULL;
        for (guint i = 0; i < depth; i++)
            found = found || is_no_rank(dt_functions_get(functions, open[i])->signature);
    }
    return found;
}

/* The error that the status stands for, where the call can fail with it: libraries exit with 1 for any reason. */
static const char *error_of(const Case *own, const char *function, gint status)
{
    const char *name = dt_mpi_error_name(own->run, own->process, status);
    const struct dt_call *row = dt_call_find(function);
    return name && row && dt_call_may_fail_with(row, name) ? name : NULL;
}

static DtProcessStatus aborted(const Case *own, guint32 id, gint status)
{
    const char *call = name_of(own, id);
    const gboolean asked_for = (dt_call_properties(call) & DT_CALL_ENDING) != 0;
    const char *error = asked_for ? NULL : named_no_rank(own) ? "MPI_ERR_RANK" : error_of(own, call, status);
    GString *text = g_string_new(NULL);
    g_string_printf(text, "aborted in %s", call);
    if (status > 0)
        g_string_append_printf(text, " with status %d", status);
    if (error)
        g_string_append_printf(text, " (%s)", error);
    return (DtProcessStatus){.status = DT_STATUS_ABORTED, .left_others = TRUE, .text = g_string_free(text, FALSE)};
}

static DtProcessStatus of_exited(const Case *own)
{
    const DtProcess *process = own->process;
    const gboolean is_complete = !process->called_mpi_init || process->called_mpi_finalize;
    if (own->calls->mpi && !(is_complete && process->status == 0))
        return aborted(own, own->calls->mpi, process->status);
    if (process->executed || (is_complete && process->status == 0))
        return (DtProcessStatus){.status = DT_STATUS_FINISHED, .left_others = FALSE, .text = g_strdup("finished")};
    return (DtProcessStatus){.status = DT_STATUS_EXITED,
                             .left_others = !process->called_mpi_finalize,
                             .text = g_strdup_printf("exited with status %d%s", process->status,
                                                     is_complete ? "" : " without MPI_Finalize")};
}

static char *signal_text(const char *before, gint signal_number)
{
    return g_strdup_printf("%s signal %d (%s)", before, signal_number, g_strsignal(signal_number));
}

/* TRUE if the command says by its status that one of its processes failed, which nobody saw. */
static gboolean failed_unseen(const DtRun *run)
{
    return dt_status_of_unseen(run) > 0;
}

/* Killed from outside: by whom, or because of what, the call that it was in may tell. `how` is owned. */
static DtProcessStatus of_killed(const Case *own, char *how)
{
    const gint status = failed_unseen(own->run) ? dt_run_manifest(own->run)->exit_status : 0;
    const guint32 call = own->calls->mpi;
    gboolean ends = call && dt_call_properties(name_of(own, call)) & DT_CALL_ENDING;
    if (ends || (call && status && status != own->process->status && named_no_rank(own))) {
        g_free(how);
        return aborted(own, call, status);
    }
    return (DtProcessStatus){.status = DT_STATUS_KILLED, .left_others = TRUE, .text = how};
}

static DtProcessStatus of_signal(const Case *own)
{
    const gint signal_number = own->process->status;
    if (own->calls->ending && own->calls->fails) {
        g_autofree char *before = g_strdup_printf("aborted in %s by", name_of(own, own->calls->ending));
        return (DtProcessStatus){
            .status = DT_STATUS_ABORTED, .left_others = TRUE, .text = signal_text(before, signal_number)};
    }
    if (dt_is_own_signal(signal_number))
        return (DtProcessStatus){
            .status = DT_STATUS_CRASHED, .left_others = TRUE, .text = signal_text("died of", signal_number)};
    return of_killed(own, signal_text("was killed by", signal_number));
}

static DtProcessStatus of_vanished(const Case *own)
{
    const gint status = failed_unseen(own->run) ? dt_run_manifest(own->run)->exit_status : 0;
    const guint32 call = own->calls->mpi;
    const char *error = status && call ? error_of(own, name_of(own, call), status) : NULL;
    return of_killed(own, error ? g_strdup_printf("was killed, or aborted in %s: the job ended with status %d (%s)",
                                                  name_of(own, call), status, error)
                                : g_strdup("was killed, nobody saw how"));
}

static DtProcessStatus of_cut_off(const Case *own)
{
    return own->calls->moved
               ? (DtProcessStatus){.status = DT_STATUS_RUNNING,
                                   .left_others = FALSE,
                                   .text = g_strdup("was still running when the time limit ended it")}
               : (DtProcessStatus){.status = DT_STATUS_STUCK, .left_others = FALSE, .text = g_strdup("did not end")};
}

static DtProcessStatus find_status(const Case *own)
{
    if (own->process->end != DT_END_RUNNING && ended_with_job(own))
        return of_cut_off(own);
    switch (own->process->end) {
    case DT_END_EXITED:
        return of_exited(own);
    case DT_END_SIGNAL:
        return of_signal(own);
    case DT_END_KILLED:
        return of_vanished(own);
    case DT_END_RUNNING:
        break;
    }
    return (DtProcessStatus){.status = DT_STATUS_RUNNING, .left_others = FALSE, .text = g_strdup("is still running")};
}

/* ---- all of them -------------------------------------------------------------------------------- */

static const DtProcess *earlier(const DtProcess *a, const DtProcess *b)
{
    return !a || (b && b->end_order < a->end_order) ? b : a;
}

/* TRUE if it was seen to be killed, and the command ended as launchers do then: by the same signal. */
static gboolean brought_the_end(const DtRun *run, const DtProcess *killed)
{
    const DtManifest *manifest = dt_run_manifest(run);
    return killed->end_ns > 0 &&
           (!manifest->finished || manifest->timed_out || manifest->stuck || manifest->exit_status == killed->status ||
            manifest->exit_status == 128 + killed->status);
}

/* TRUE if the launcher (of MPICH) may have killed it as its call had failed: 9 is the class MPI_ERR_OP and SIGKILL. */
static gboolean may_have_failed(const Case *own)
{
    return own->process->status == SIGKILL && own->calls->mpi && failed_unseen(own->run) &&
           dt_run_manifest(own->run)->exit_status == SIGKILL && error_of(own, name_of(own, own->calls->mpi), SIGKILL);
}

/* The one whose end brought the job's about: the first that ended by itself, or one that was killed before. */
static const DtProcess *find_first_dead(const DtRun *run, const DtProcessStatus *statuses, const OpenCalls *calls)
{
    const DtProcess *by_itself = NULL, *killed = NULL;
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        const DtProcess *process = dt_run_process(run, p);
        if (!statuses[p].left_others)
            continue;
        if (statuses[p].status == DT_STATUS_KILLED)
            killed = earlier(killed, process);
        else
            by_itself = earlier(by_itself, process);
    }
    const Case own = {run, killed, killed ? &calls[killed->index] : NULL};
    if (killed &&
        (!brought_the_end(run, killed) || dt_run_maybe_ended_before(run, killed) > 0 || may_have_failed(&own)))
        killed = NULL;
    return by_itself && !(killed && killed->end_order < by_itself->end_order) ? by_itself : killed;
}

/* When one ends, launchers kill the others. */
static void find_killed_along(const DtRun *run, DtProcessStatus *statuses, const OpenCalls *calls)
{
    const DtProcess *first = find_first_dead(run, statuses, calls);
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        if (statuses[p].status != DT_STATUS_KILLED || dt_run_process(run, p) == first)
            continue;
        statuses[p].left_others = FALSE;
        statuses[p].cut_short = first || failed_unseen(run);
    }
}

DtProcessStatus *dt_process_statuses(const DtRun *run, const GArray *const *open, const gboolean *moved)
{
    g_autofree OpenCalls *calls = find_open_calls(run, open, moved);
    DtProcessStatus *statuses = g_new0(DtProcessStatus, (gsize)dt_run_process_count(run) + 1);
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        const Case own = {run, dt_run_process(run, p), &calls[p]};
        statuses[p] = find_status(&own);
    }
    find_killed_along(run, statuses, calls);
    return statuses;
}

void dt_process_statuses_free(DtProcessStatus *statuses, const DtRun *run)
{
    for (guint p = 0; statuses && p < dt_run_process_count(run); p++)
        g_free(statuses[p].text);
    g_free(statuses);
}
