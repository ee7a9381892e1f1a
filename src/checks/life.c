/* The life of a process with MPI: its beginning, its end, and calls that fail. */
#include "checks/ends.h"
#include "decoder/mpi_errors.h"
#include "decoder/open_calls.h"
#include "decoder/status.h"
#include "format/arguments.h"

#include <string.h>

typedef struct {
    DtKeptCall call;
    gboolean is_clock;
} Early;

/* Of a process, over its traces. */
typedef struct {
    GArray *early;    /* Early: calls before any MPI_Init of their thread */
    gboolean is_open; /* sessions were used: no MPI_Init is needed */
    const DtTrace *init;
} Process;

typedef struct {
    DtChecking *checking;
    Process *processes;              /* by index */
    gboolean initialised, finalized; /* in this thread */
    GArray **open;                   /* by trace: ids of the open calls (element-type guint32) */
    GArray *ended;                   /* DtKeptCall: the innermost open call of MPI of traces */
} Life;

static gpointer start(DtChecking *checking)
{
    Life *life = g_new0(Life, 1);
    life->checking = checking;
    life->processes = g_new0(Process, (gsize)dt_run_process_count(checking->run) + 1);
    life->open = g_new0(GArray *, (gsize)dt_run_trace_count(checking->run) + 1);
    life->ended = g_array_new(FALSE, FALSE, sizeof(DtKeptCall));
    return life;
}

static void stop(gpointer family)
{
    Life *life = family;
    for (guint p = 0; p < dt_run_process_count(life->checking->run); p++)
        g_clear_pointer(&life->processes[p].early, g_array_unref);
    for (guint t = 0; t < dt_run_trace_count(life->checking->run); t++)
        g_clear_pointer(&life->open[t], g_array_unref);
    g_free(life->open);
    g_free(life->processes);
    g_array_unref(life->ended);
    g_free(life);
}

static void begin(gpointer family, const DtCheckedTrace *trace)
{
    Life *life = family;
    (void)trace;
    life->initialised = life->finalized = FALSE;
}

/* ---- before and after ------------------------------------------------------------------------ */

/* What may be called at any time. */
static gboolean is_free(const DtCheckedCall *call)
{
    static const char *const names[] = {"Initialized", "Finalized",   "Get_version", "Get_library_version",
                                        "Init",        "Init_thread", "Pcontrol"};
    static const char *const prefixes[] = {"T_", "Session_", "Info_", "Add_error", "Remove_error", "Errhandler"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(call->row->name, names[i]))
            return TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_str_has_prefix(call->row->name, prefixes[i]))
            return TRUE;
    return FALSE;
}

static gboolean is_init(const DtCheckedCall *call)
{
    return dt_check_is(call, "Init") || dt_check_is(call, "Init_thread");
}

static void keep_early(Process *process, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    enum { MOST = 32 };
    Early early = {dt_check_keep(trace, call), g_str_has_prefix(call->row->name, "Wti")};
    if (!process->early)
        process->early = g_array_new(FALSE, FALSE, sizeof(Early));
    if (process->early->len < MOST)
        g_array_append_val(process->early, early);
}

static void report_early(Life *life, Process *process)
{
    for (guint i = 0; process->early && i < process->early->len; i++) {
        const Early *early = &g_array_index(process->early, Early, i);
        DtCheckFinding *finding;
        if (dt_check_report_kept(life->checking, DT_CHECK_BEFORE_INIT,
                                 early->is_clock ? DT_CHECK_WARNING : DT_CHECK_ERROR, &early->call, NULL, &finding)) {
            dt_check_expect(finding, "call MPI_Init first: only MPI_Initialized, MPI_Finalized and MPI_Get_version "
                                     "may be called before");
            dt_check_add_evidence(finding, "process %s made this call before MPI_Init, or without one",
                                  early->call.trace->process->label);
        }
    }
    g_clear_pointer(&process->early, g_array_unref);
}

static void report_twice(Life *life, const DtCheckedTrace *trace, const DtCheckedCall *call, const char *what)
{
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_INIT_TWICE, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (dt_check_report(life->checking, &report, &finding)) {
        dt_check_expect(finding, "call it once; MPI_Initialized and MPI_Finalized tell whether it was called");
        dt_check_add_evidence(finding, "the process had %s MPI before", what);
    }
}

static void report_late(Life *life, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    DtCheckFinding *finding;
    const gboolean is_clock = g_str_has_prefix(call->row->name, "Wti");
    const DtCheckReport report = {DT_CHECK_AFTER_FINALIZE, is_clock ? DT_CHECK_WARNING : DT_CHECK_ERROR, trace->trace,
                                  call, NULL};
    if (dt_check_report(life->checking, &report, &finding)) {
        dt_check_expect(finding, "call it before MPI_Finalize");
        dt_check_add_evidence(finding, "MPI_Finalize had returned in this thread");
    }
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Life *life = family;
    Process *process = &life->processes[trace->process->index];
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    if (dt_check_has(call, DT_CALL_POINT_TO_POINT | DT_CALL_EXCHANGE) && !call->signature)
        life->checking->processes[trace->process->index].lacks_arguments = TRUE;
    if (life->initialised && !life->finalized && call->row->properties & (DT_CALL_POINT_TO_POINT | DT_CALL_EXCHANGE))
        return;
    process->is_open |= g_str_has_prefix(call->row->name, "Session_");
    if (dt_check_is(call, "Finalize"))
        life->checking->processes[trace->process->index].finalized = TRUE;
    if (is_init(call)) {
        if (life->initialised)
            report_twice(life, trace, call, "initialised");
        return;
    }
    if (dt_check_is(call, "Finalize") && life->finalized)
        report_twice(life, trace, call, "finalized");
    else if (is_free(call))
        return;
    else if (life->finalized)
        report_late(life, trace, call);
    else if (!life->initialised && trace->is_complete)
        keep_early(process, trace, call);
}

static void report_other_thread(Life *life, const DtCheckedTrace *trace, const DtCheckedCall *call, const DtTrace *init)
{
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_FINALIZE_THREAD, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (dt_check_report(life->checking, &report, &finding)) {
        dt_check_expect(finding, "call MPI_Finalize in the thread that called MPI_Init");
        dt_check_add_evidence(finding, "thread %s called MPI_Init, thread %s calls MPI_Finalize", init->label,
                              trace->trace->label);
    }
}

/* ---- calls that fail ------------------------------------------------------------------------- */

/* What an error class says is wrong with a call; DT_CHECKS: not what. */
static DtCheckRule rule_of_class(const char *name, const struct dt_call *row)
{
    const gboolean collective = row && row->properties & DT_CALL_COLLECTIVE;
    static const struct {
        const char *name;
        DtCheckRule rule;
    } rules[] = {
        {"MPI_ERR_RANK", DT_CHECK_INVALID_RANK},          {"MPI_ERR_ROOT", DT_CHECK_INVALID_ROOT},
        {"MPI_ERR_COUNT", DT_CHECK_INVALID_COUNT},        {"MPI_ERR_TAG", DT_CHECK_INVALID_TAG},
        {"MPI_ERR_COMM", DT_CHECK_INVALID_HANDLE},        {"MPI_ERR_TYPE", DT_CHECK_INVALID_HANDLE},
        {"MPI_ERR_OP", DT_CHECK_INVALID_HANDLE},          {"MPI_ERR_WIN", DT_CHECK_INVALID_HANDLE},
        {"MPI_ERR_REQUEST", DT_CHECK_INVALID_HANDLE},     {"MPI_ERR_GROUP", DT_CHECK_INVALID_HANDLE},
        {"MPI_ERR_TRUNCATE", DT_CHECK_MESSAGE_TRUNCATED}, {"MPI_ERR_RMA_RANGE", DT_CHECK_RMA_RANGE},
    };
    for (guint i = 0; name && i < G_N_ELEMENTS(rules); i++)
        if (g_str_equal(name, rules[i].name) && (!row || dt_call_may_fail_with(row, name)) &&
            !(collective && rules[i].rule == DT_CHECK_MESSAGE_TRUNCATED))
            return rules[i].rule;
    return DT_CHECKS;
}

/* Errors of the world around, not of the program. */
static gboolean is_circumstance(const char *name)
{
    static const char *const names[] = {"MPI_ERR_ACCESS",
                                        "MPI_ERR_BAD_FILE",
                                        "MPI_ERR_FILE_EXISTS",
                                        "MPI_ERR_FILE_IN_USE",
                                        "MPI_ERR_IO",
                                        "MPI_ERR_NO_SPACE",
                                        "MPI_ERR_NO_SUCH_FILE",
                                        "MPI_ERR_READ_ONLY",
                                        "MPI_ERR_QUOTA",
                                        "MPI_ERR_NAME",
                                        "MPI_ERR_PORT",
                                        "MPI_ERR_SERVICE",
                                        "MPI_ERR_SPAWN",
                                        "MPI_ERR_NO_MEM",
                                        "MPI_ERR_OTHER",
                                        "MPI_ERR_INTERN",
                                        "MPI_ERR_UNKNOWN",
                                        "MPI_ERR_FILE",
                                        "MPI_ERR_UNSUPPORTED_OPERATION",
                                        "MPI_ERR_UNSUPPORTED_DATAREP",
                                        "MPI_ERR_NOT_SAME"};
    for (guint i = 0; name && i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(name, names[i]))
            return TRUE;
    return !name;
}

static const char *right_for(DtCheckRule rule)
{
    switch (rule) {
    case DT_CHECK_INVALID_RANK:
        return "a rank of the communicator, from 0 to its size - 1, or MPI_PROC_NULL";
    case DT_CHECK_INVALID_ROOT:
        return "a root in the communicator, from 0 to its size - 1";
    case DT_CHECK_INVALID_COUNT:
        return "a count of 0 or more";
    case DT_CHECK_INVALID_TAG:
        return "a tag from 0 to MPI_TAG_UB";
    case DT_CHECK_INVALID_HANDLE:
        return "a handle that was made and not freed yet; a datatype is committed first";
    case DT_CHECK_RMA_RANGE:
        return "displacements inside of the target's window, in its units";
    case DT_CHECK_MESSAGE_TRUNCATED:
        return "a receive buffer as large as the message";
    default:
        return "MPI_SUCCESS; a program that goes on after an error does not know what has happened";
    }
}

static void report_failed(Life *life, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const char *name = dt_mpi_error_name(life->checking->run, trace->process, call->failed);
    DtCheckRule rule = rule_of_class(name, call->row);
    /* A class of arguments that the call does not have: MPI could not do it. */
    const gboolean is_refused = is_circumstance(name) || !dt_call_may_fail_with(call->row, name);
    DtCheckLevel level = is_refused ? DT_CHECK_WARNING : DT_CHECK_ERROR;
    DtCheckFinding *finding;
    if (g_str_has_prefix(call->row->name, "T_"))
        return;
    const DtCheckReport report = {rule == DT_CHECKS ? DT_CHECK_FAILED_CALL : rule, level, trace->trace, call, NULL};
    if (!dt_check_report(life->checking, &report, &finding))
        return;
    dt_check_expect(finding, "%s", right_for(rule));
    if (name)
        dt_check_add_evidence(finding, "the call returned an error of the class %s", name);
    else
        dt_check_add_evidence(finding, "the call returned an error of the class %d", call->failed);
}

static void note_level(Life *life, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    enum { SERIALIZED = 2 };
    const DtArgument *level = dt_check_argument(call->signature, DT_ARGUMENT_THREAD_LEVEL);
    if (level && (level->special != DT_SPECIAL_NONE || level->value >= SERIALIZED))
        life->checking->processes[trace->process->index].is_shared = trace->process->traces > 1;
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Life *life = family;
    Process *process = &life->processes[trace->process->index];
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    if (call->failed) {
        report_failed(life, trace, call);
        return;
    }
    if (call->row->properties & (DT_CALL_POINT_TO_POINT | DT_CALL_EXCHANGE))
        return;
    if (is_init(call)) {
        note_level(life, trace, call);
        life->initialised = TRUE;
        process->init = trace->trace;
        report_early(life, process);
    } else if (dt_check_is(call, "Finalize")) {
        life->finalized = TRUE;
        if (process->init && process->init != trace->trace)
            report_other_thread(life, trace, call, process->init);
    }
}

static void end(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open)
{
    Life *life = family;
    GArray *ids = g_array_new(FALSE, FALSE, sizeof(guint32));
    const DtCheckedCall *innermost = NULL;
    for (guint i = 0; i < open->len; i++) {
        const DtCheckedCall *call = open->pdata[i];
        g_array_append_val(ids, call->function);
        innermost = call->of == DT_CALL_MPI && call->row ? call : innermost;
    }
    life->open[trace->trace->index] = ids;
    if (innermost) {
        DtKeptCall kept = dt_check_keep(trace, innermost);
        g_array_append_val(life->ended, kept);
    }
}

/* ---- how processes ended --------------------------------------------------------------------- */

/* Where the call was made that was open when the process ended. */
static char *source_at_end(Life *life, const DtKeptCall *call)
{
    char *source = NULL;
    g_autoptr(GArray) open = dt_open_calls_at_end(life->checking->run, call->trace, NULL);
    for (guint i = 0; open && i < open->len; i++) {
        const DtOpenCall *one = &g_array_index(open, DtOpenCall, i);
        if (one->function != call->function || !one->known)
            continue;
        g_free(source);
        source = dt_check_source_of_place(life->checking, call->trace->process, &one->place);
    }
    return source;
}

static gboolean is_new_ended(Life *life, DtCheckRule rule, DtCheckLevel level, const DtKeptCall *call,
                             DtCheckFinding **finding)
{
    const gboolean is_new = dt_check_report_kept(life->checking, rule == DT_CHECKS ? DT_CHECK_ENDED_IN_CALL : rule,
                                                 level, call, NULL, finding);
    if (!is_new)
        return FALSE;
    if (!(*finding)->source)
        (*finding)->source = source_at_end(life, call);
    const char *function = dt_check_function_name(life->checking, call->function);
    dt_check_expect(*finding, "%s",
                    g_str_has_prefix(function, "MPI_Init") ? "MPI can start; its message on stderr says why it cannot"
                    : rule == DT_CHECKS                    ? "arguments that MPI accepts: the call must return"
                                                           : right_for(rule));
    return TRUE;
}

static void report_ended(Life *life, const DtKeptCall *call, const DtProcessStatus *status)
{
    const DtProcess *process = call->trace->process;
    const gboolean aborted = status->status == DT_STATUS_ABORTED;
    const char *name = aborted ? dt_mpi_error_name(life->checking->run, process, process->status) : NULL;
    DtCheckRule rule = rule_of_class(name, dt_call_find(dt_check_function_name(life->checking, call->function)));
    DtCheckFinding *finding;
    is_new_ended(life, rule, DT_CHECK_ERROR, call, &finding);
    if (finding)
        dt_check_add_evidence(finding, "process %s %s", process->label, status->text);
}

static gboolean ends_a_process(const Life *life, const DtKeptCall *call)
{
    const char *name = dt_check_function_name(life->checking, call->function);
    return dt_call_properties(name) & DT_CALL_ENDING;
}

/* Adds the processes that died in a call of MPI to `in_mpi`. */
static void look_at_ended(Life *life, const DtProcessStatus *statuses, GHashTable *in_mpi)
{
    for (guint i = 0; i < life->ended->len; i++) {
        const DtKeptCall *call = &g_array_index(life->ended, DtKeptCall, i);
        const DtProcessStatus *status = &statuses[call->trace->process->index];
        gboolean hit = status->status != DT_STATUS_CRASHED || (call->trace->fatal_signal && !call->trace->fatal_sent) ||
                       call->trace->process->traces == 1;
        if ((status->status == DT_STATUS_ABORTED || status->status == DT_STATUS_CRASHED) && !status->cut_short && hit &&
            !ends_a_process(life, call)) {
            report_ended(life, call, status);
            g_hash_table_add(in_mpi, (gpointer)call->trace->process);
        }
    }
}

/* ---- processes that failed, and nobody saw how ------------------------------------------------- */

/* An argument that names nothing the process has: a null handle, one that was freed, or a rank that there is not. */
static gboolean names_nothing(const DtKeptCall *call)
{
    for (guint i = 0; call->form && i < call->form->argument_count; i++)
        if (call->form->arguments[i].special == DT_SPECIAL_UNKNOWN)
            return TRUE;
    return FALSE;
}

static gboolean is_same_place(const DtKeptCall *one, const DtKeptCall *other)
{
    return one->function == other->function && one->caller == other->caller &&
           (one->site == other->site ||
            (one->site && other->site && one->site->place.address == other->site->place.address));
}

/* The open calls that may have failed with the error. */
static GPtrArray *find_suspects(Life *life, const DtProcessStatus *statuses, const char *name)
{
    GPtrArray *suspects = g_ptr_array_new(), *striking = g_ptr_array_new();
    for (guint i = 0; i < life->ended->len; i++) {
        DtKeptCall *call = &g_array_index(life->ended, DtKeptCall, i);
        const DtProcessStatus *status = &statuses[call->trace->process->index];
        const struct dt_call *row = dt_call_find(dt_check_function_name(life->checking, call->function));
        if (status->status != DT_STATUS_KILLED || !status->cut_short || !row || !dt_call_may_fail_with(row, name) ||
            g_str_has_prefix(row->name, "Init"))
            continue;
        g_ptr_array_add(suspects, call);
        if (names_nothing(call))
            g_ptr_array_add(striking, call);
    }
    if (striking->len == 0) {
        g_ptr_array_unref(striking);
        return suspects;
    }
    g_ptr_array_unref(suspects);
    return striking;
}

static void report_suspects(Life *life, const GPtrArray *suspects, const char *name, gint status, gboolean is_sure)
{
    for (guint i = 1; i < suspects->len; i++)
        is_sure &= is_same_place(suspects->pdata[0], suspects->pdata[i]);
    for (guint i = 0; i < suspects->len; i++) {
        const DtKeptCall *call = suspects->pdata[i];
        DtCheckRule rule = rule_of_class(name, dt_call_find(dt_check_function_name(life->checking, call->function)));
        DtCheckFinding *finding;
        if (!is_new_ended(life, rule, is_sure ? DT_CHECK_ERROR : DT_CHECK_WARNING, call, &finding))
            continue;
        dt_check_add_evidence(finding, "the job ended with status %d (%s), and no rank was seen to end by itself",
                              status, name);
        dt_check_add_evidence(finding, is_sure ? "no other call that was open can have failed so"
                                               : "this is one of the open calls that can have failed so");
    }
}

/* With MPICH the launcher kills all ranks, that of the call that failed, too, and tells the class of the error. */
static void look_at_unseen(Life *life, const DtProcessStatus *statuses)
{
    enum { OF_SIGTERM = 15, OF_SIGKILL = 9 }; /* the status is that, too, where something else killed a rank */
    const DtRun *run = life->checking->run;
    const gint status = dt_status_of_unseen(run);
    if (status == 0 || status == OF_SIGTERM || life->ended->len == 0)
        return;
    for (guint p = 0; p < dt_run_process_count(run); p++)
        if (life->checking->processes[p].is_read && statuses[p].left_others)
            return;
    const char *name = dt_mpi_error_name(run, g_array_index(life->ended, DtKeptCall, 0).trace->process, status);
    if (!name)
        return;
    g_autoptr(GPtrArray) suspects = find_suspects(life, statuses, name);
    report_suspects(life, suspects, name, status, status != OF_SIGKILL);
}

static const DtTrace *first_trace(const DtRun *run, const DtProcess *process)
{
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        if (dt_run_trace(run, t)->process == process)
            return dt_run_trace(run, t);
    return NULL;
}

/* Where exit() or one of its kin was called; NULL: the process ended by itself. */
static char *source_of_exit(Life *life, const DtTrace *trace)
{
    g_autoptr(GArray) open = dt_open_calls_at_end(life->checking->run, trace, NULL);
    for (guint i = 0; open && i < open->len; i++) {
        const DtOpenCall *call = &g_array_index(open, DtOpenCall, i);
        const char *name = dt_check_function_name(life->checking, call->function);
        if (call->known && dt_call_properties(name) & DT_CALL_ENDING)
            return dt_check_source_of_place(life->checking, trace->process, &call->place);
    }
    return NULL;
}

static void report_no_finalize(Life *life, const DtProcess *process, const char *text)
{
    const DtTrace *trace = first_trace(life->checking->run, process);
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_NO_FINALIZE, process->status ? DT_CHECK_WARNING : DT_CHECK_ERROR, trace,
                                  NULL, NULL};
    if (!trace || !dt_check_report(life->checking, &report, &finding))
        return;
    finding->source = source_of_exit(life, trace);
    dt_check_expect(finding, "call MPI_Finalize before the process ends, or MPI_Abort if it cannot go on");
    dt_check_add_evidence(finding, "process %s %s", process->label, text);
}

/* Findings about a call that never returned: where it was made is known by then. */
static void find_sources(Life *life)
{
    const GPtrArray *findings = life->checking->findings->all;
    for (guint i = 0; i < findings->len; i++) {
        DtCheckFinding *finding = findings->pdata[i];
        for (guint k = 0; k < life->ended->len && !finding->source && finding->call && finding->traces->len > 0; k++) {
            const DtKeptCall *call = &g_array_index(life->ended, DtKeptCall, k);
            const char *name = dt_check_function_name(life->checking, call->function);
            if (finding->traces->pdata[0] == call->trace->label && g_str_has_prefix(finding->call, name) &&
                strchr("(", finding->call[strlen(name)]))
                finding->source = source_at_end(life, call);
        }
    }
}

static void finish(gpointer family)
{
    Life *life = family;
    const DtRun *run = life->checking->run;
    g_autofree gboolean *moved = dt_moved_traces(run);
    DtProcessStatus *statuses = dt_process_statuses(run, (const GArray *const *)life->open, moved);
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        const DtProcess *process = dt_run_process(run, p);
        DtCheckedProcess *checked = &life->checking->processes[p];
        checked->status = statuses[p].status;
        if (!checked->is_read || !checked->is_complete)
            continue;
        if (!process->called_mpi_init && !life->processes[p].init && !life->processes[p].is_open)
            report_early(life, &life->processes[p]);
        if (process->called_mpi_init && !process->called_mpi_finalize && process->end == DT_END_EXITED &&
            !process->executed && statuses[p].status == DT_STATUS_EXITED)
            report_no_finalize(life, process, statuses[p].text);
    }
    g_autoptr(GHashTable) in_mpi = g_hash_table_new(NULL, NULL);
    look_at_ended(life, statuses, in_mpi);
    look_at_unseen(life, statuses);
    dt_check_report_deaths(life->checking, statuses, in_mpi);
    find_sources(life);
    dt_process_statuses_free(statuses, run);
}

const DtCheckFamily dt_check_life = {
    .start = start, .begin = begin, .enter = enter, .leave = leave, .end = end, .finish = finish, .stop = stop};
