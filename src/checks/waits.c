/* Deadlocks: those that the run ended in, and those that it only missed because sends were buffered. */
#include "checks/findings.h"
#include "decoder/open_calls.h"
#include "format/arguments.h"
#include "simulate/simulate.h"
#include "waitfor/waitfor.h"

#include <string.h>

typedef struct {
    DtChecking *checking;
    GHashTable *open;              /* trace -> DtKeptCall: the innermost open call */
    gboolean is_mixed, is_partial; /* several threads of a process communicate; something is missing */
} Waits;

static gpointer start(DtChecking *checking)
{
    Waits *own = g_new0(Waits, 1);
    own->checking = checking;
    own->open = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return own;
}

static void stop(gpointer family)
{
    Waits *own = family;
    g_hash_table_unref(own->open);
    g_free(own);
}

/* Calls after which another timing would bring the program elsewhere, and which the simulation cannot follow there. */
static gboolean is_left_to_luck(const DtCheckedCall *call)
{
    static const char *const names[] = {"Mrecv", "Imrecv", "Waitany", "Waitsome", "Testany", "Testsome"};
    const DtArgument *from = dt_check_argument(call->signature, DT_ARGUMENT_FROM);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (dt_check_is(call, names[i]))
            return TRUE;
    return from && from->special == DT_SPECIAL_ANY && (call->makes || call->persistent);
}

/* The simulation knows communicators by their names, which are the same on all members where all of the parent make
 * them. */
static gboolean is_of_unsure_name(const DtCheckedCall *call)
{
    return (call->communicator && (!call->communicator->is_sure || call->communicator->remote_size >= 0)) ||
           dt_check_has(call, DT_CALL_OF_GROUP);
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Waits *own = family;
    if (trace->trace->thread > 0 &&
        dt_check_has(call, DT_CALL_POINT_TO_POINT | DT_CALL_COLLECTIVE | DT_CALL_ONE_SIDED) && call->of == DT_CALL_MPI)
        own->is_mixed = TRUE;
    own->is_mixed |= call->of == DT_CALL_MPI && (is_left_to_luck(call) || is_of_unsure_name(call));
}

static void end(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open)
{
    Waits *own = family;
    own->is_partial |= !trace->is_complete;
    if (open->len == 0)
        return;
    DtKeptCall kept = dt_check_keep(trace, open->pdata[open->len - 1]);
    g_hash_table_insert(own->open, (gpointer)trace->trace, g_memdup2(&kept, sizeof kept));
}

/* ---- that the run ended in ------------------------------------------------------------------- */

static const DtWaiter *waiter_at(const DtWaitFor *waits, guint index)
{
    return waits->waiters->pdata[index];
}

static char *labels_of(const DtWaitFor *waits, const GArray *cycle)
{
    GString *labels = g_string_new(NULL);
    for (guint i = 0; i < cycle->len && i < 64; i++)
        g_string_append_printf(labels, "%s ", waiter_at(waits, g_array_index(cycle, guint, i))->trace->label);
    return g_string_free(labels, FALSE);
}

static void add_waiter(Waits *own, DtCheckFinding *finding, const DtWaitFor *waits, guint index)
{
    const DtWaiter *waiter = waiter_at(waits, index);
    const DtKeptCall *kept = g_hash_table_lookup(own->open, waiter->trace);
    g_autofree char *call = kept ? dt_kept_call_text(own->checking, kept) : g_strdup(waiter->call);
    dt_check_add_trace(own->checking, finding, waiter->trace);
    dt_check_add_evidence(finding, "%s waits in %s%s%s", waiter->trace->label, call ? call : "no call",
                          waiter->what ? " for " : "", waiter->what ? waiter->what : "");
}

/* MPI_Finalize and pthread_join wait for who waits elsewhere. */
static gboolean waits_by_itself(const Waits *own, const DtWaiter *waiter)
{
    const DtKeptCall *kept = g_hash_table_lookup(own->open, waiter->trace);
    const char *name = kept ? dt_check_function_name(own->checking, kept->function) : waiter->call;
    return name && !g_str_has_prefix(name, "MPI_Finalize") && !(dt_call_properties(name) & DT_CALL_JOINING);
}

static void tell_cycle(Waits *own, const DtWaitFor *waits, const GArray *cycle)
{
    const DtWaiter *first = waiter_at(waits, g_array_index(cycle, guint, 0));
    for (guint i = cycle->len; i-- > 0;) {
        const DtWaiter *waiter = waiter_at(waits, g_array_index(cycle, guint, i));
        first = waits_by_itself(own, waiter) ? waiter : first;
    }
    const DtKeptCall *kept = g_hash_table_lookup(own->open, first->trace);
    const DtKeptCall none = {.trace = first->trace};
    g_autofree char *labels = labels_of(waits, cycle);
    DtCheckFinding *finding;
    if (!kept ||
        !dt_check_report_kept(own->checking, DT_CHECK_DEADLOCK, DT_CHECK_ERROR, kept ? kept : &none, labels, &finding))
        return;
    dt_check_expect(finding, "an order of the calls in which nobody waits for who waits for them");
    for (guint i = 0; i < cycle->len; i++)
        add_waiter(own, finding, waits, g_array_index(cycle, guint, i));
}

static gboolean has_ended(const DtChecking *checking)
{
    for (guint p = 0; p < dt_run_process_count(checking->run); p++)
        if (checking->processes[p].is_read && !checking->processes[p].has_ended)
            return FALSE;
    return TRUE;
}

static gboolean did_all_finalize(const DtChecking *checking)
{
    gboolean any = FALSE;
    for (guint p = 0; p < dt_run_process_count(checking->run); p++) {
        const DtCheckedProcess *process = &checking->processes[p];
        if (!process->is_read || !dt_run_process(checking->run, p)->called_mpi_init)
            continue;
        if (!process->finalized || process->lacks_arguments)
            return FALSE;
        any = TRUE;
    }
    return any;
}

static void look_at_cycles(Waits *own)
{
    if (own->checking->without[DT_CHECK_DEADLOCK] || g_hash_table_size(own->open) == 0 || !has_ended(own->checking))
        return;
    g_autoptr(DtWaitFor) found = own->checking->waits ? NULL : dt_wait_for_new(own->checking->run, 0, NULL);
    const DtWaitFor *waits = own->checking->waits ? own->checking->waits : found;
    for (guint i = 0; waits && i < waits->cycles->len; i++)
        tell_cycle(own, waits, waits->cycles->pdata[i]);
}

/* ---- threads that all wait, and nobody is left to wake one ------------------------------------ */

/* Only another thread of the process ends such a call. */
static gboolean waits_for_a_thread(const char *name)
{
    const guint32 waiting = DT_CALL_BLOCKING | DT_CALL_JOINING;
    return (dt_call_class(name) == DT_CALL_PTHREAD || g_str_has_prefix(name, "sem_")) &&
           dt_call_properties(name) & waiting && !strstr(name, "timed") && !strstr(name, "clock");
}

static gboolean is_woken(const char *name)
{
    return g_str_has_prefix(name, "sem_") || g_str_has_prefix(name, "pthread_cond") ||
           g_str_has_prefix(name, "pthread_barrier");
}

/* Where each thread of the process waits (element-type DtKeptCall, source in `sources`); NULL: one does not. */
static GArray *find_stalled(Waits *own, const DtProcess *process, GPtrArray *sources)
{
    const DtRun *run = own->checking->run;
    GArray *stalled = g_array_new(FALSE, FALSE, sizeof(DtKeptCall));
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        if (trace->process != process || trace->library || trace->returned)
            continue;
        g_autoptr(GArray) open = dt_open_calls_at_end(run, trace, NULL);
        const DtOpenCall *last = open && open->len > 0 ? &g_array_index(open, DtOpenCall, open->len - 1) : NULL;
        if (!last || !waits_for_a_thread(dt_check_function_name(own->checking, last->function))) {
            g_array_unref(stalled);
            return NULL;
        }
        const DtKeptCall kept = {.trace = trace,
                                 .function = dt_functions_base(own->checking->functions, last->function)};
        g_array_append_val(stalled, kept);
        g_ptr_array_add(sources, last->known ? dt_check_source_of_place(own->checking, process, &last->place) : NULL);
    }
    return stalled;
}

static gboolean is_told(const DtChecking *checking, const DtProcess *process)
{
    for (guint i = 0; i < checking->findings->all->len; i++) {
        const DtCheckFinding *finding = checking->findings->all->pdata[i];
        for (guint k = 0; finding->rule == DT_CHECK_DEADLOCK && k < finding->traces->len; k++)
            if (dt_run_find_trace(checking->run, finding->traces->pdata[k])->process == process)
                return TRUE;
    }
    return FALSE;
}

static void tell_stalled(Waits *own, const GArray *stalled, const GPtrArray *sources)
{
    guint woken = G_MAXUINT;
    for (guint i = stalled->len; i-- > 0;)
        if (is_woken(dt_check_function_name(own->checking, g_array_index(stalled, DtKeptCall, i).function)))
            woken = i;
    DtCheckFinding *finding;
    if (woken == G_MAXUINT || !dt_check_report_kept(own->checking, DT_CHECK_DEADLOCK, DT_CHECK_ERROR,
                                                    &g_array_index(stalled, DtKeptCall, woken), "stalled", &finding))
        return;
    g_free(finding->source);
    finding->source = g_strdup(sources->pdata[woken]);
    dt_check_expect(finding, "a thread that posts, signals or comes to the barrier as often as others wait for it");
    for (guint i = 0; i < stalled->len; i++) {
        const DtKeptCall *call = &g_array_index(stalled, DtKeptCall, i);
        const char *source = sources->pdata[i];
        dt_check_add_trace(own->checking, finding, call->trace);
        dt_check_add_evidence(finding, "%s waits in %s%s%s", call->trace->label,
                              dt_check_function_name(own->checking, call->function), source ? " at " : "",
                              source ? source : "");
    }
}

static void look_at_stalled(Waits *own)
{
    guint read = 0;
    for (guint p = 0; p < dt_run_process_count(own->checking->run); p++)
        read += own->checking->processes[p].is_read ? 1 : 0;
    for (guint p = 0; p < dt_run_process_count(own->checking->run); p++) {
        const DtProcess *process = dt_run_process(own->checking->run, p);
        const DtCheckedProcess *checked = &own->checking->processes[p];
        if (!checked->is_read || !checked->is_complete || !checked->has_ended || process->end == DT_END_EXITED ||
            (read > 1 && !own->checking->with_mpi) || own->checking->without[DT_CHECK_DEADLOCK] ||
            is_told(own->checking, process))
            continue;
        g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GArray) stalled = find_stalled(own, process, sources);
        if (stalled && stalled->len > 0)
            tell_stalled(own, stalled, sources);
    }
}

/* ---- that it missed -------------------------------------------------------------------------- */

static guint64 words_of(const DtRun *run)
{
    guint64 words = 0;
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        words += dt_run_trace(run, t)->words;
    return words;
}

static const DtTrace *trace_of(const Waits *own, guint rank)
{
    const DtProcess *process = g_hash_table_lookup(own->checking->by_rank, GUINT_TO_POINTER(rank));
    for (guint t = 0; process && t < dt_run_trace_count(own->checking->run); t++)
        if (dt_run_trace(own->checking->run, t)->process == process)
            return dt_run_trace(own->checking->run, t);
    return NULL;
}

static gboolean sends(const DtStandingRank *standing)
{
    return strstr(standing->call, "end(") || strstr(standing->call, "Sendrecv");
}

/* The calls with these arguments, if they are made at one place only. */
static const DtCallSite *only_site(const Waits *own, const DtProcess *process, const char *call)
{
    const GArray *sites = dt_run_call_sites(own->checking->run, process);
    const DtCallSite *only = NULL;
    for (guint i = 0; i < sites->len; i++) {
        const DtCallSite *site = &g_array_index(sites, DtCallSite, i);
        if (!g_str_equal(dt_functions_get(own->checking->functions, site->signature)->name, call))
            continue;
        if (only && only->place.address != site->place.address)
            return NULL;
        only = site;
    }
    return only;
}

static void add_standing(Waits *own, DtCheckFinding *finding, const DtStandingRank *standing)
{
    const DtTrace *trace = trace_of(own, standing->rank);
    const DtCallSite *site = trace ? only_site(own, trace->process, standing->call) : NULL;
    g_autofree char *at = site ? dt_check_at(own->checking, trace->process, site, 0, 0) : g_strdup("");
    dt_check_add_rank(finding, (gint)standing->rank);
    dt_check_add_evidence(finding, "without buffers rank %u stands still in %s%s", standing->rank, standing->call, at);
}

static gboolean has_errors(const DtChecking *checking)
{
    for (guint i = 0; i < checking->findings->all->len; i++)
        if (((const DtCheckFinding *)checking->findings->all->pdata[i])->level == DT_CHECK_ERROR)
            return TRUE;
    return FALSE;
}

static void tell_standing(Waits *own, const DtSimulation *simulation)
{
    const DtStandingRank *first = simulation->standing->pdata[0];
    for (guint i = simulation->standing->len; i-- > 0;)
        first = sends(simulation->standing->pdata[i]) ? simulation->standing->pdata[i] : first;
    DtCheckFinding *finding;
    const DtTrace *trace = trace_of(own, first->rank);
    const DtCheckReport report = {DT_CHECK_POTENTIAL_DEADLOCK, DT_CHECK_WARNING, trace, NULL, first->call};
    if (!trace || !dt_check_report(own->checking, &report, &finding))
        return;
    finding->call = g_strdup(first->call);
    dt_check_expect(finding, "MPI_Sendrecv, MPI_Isend, or an order in which each send has its receive");
    const DtCallSite *site = only_site(own, trace->process, first->call);
    finding->source = site ? dt_check_source(own->checking, trace->process, site, 0, 0) : NULL;
    for (guint i = 0; i < simulation->standing->len; i++)
        add_standing(own, finding, simulation->standing->pdata[i]);
}

static void look_at_buffers(Waits *own)
{
    enum { MOST_WORDS = 1 << 22, MOST_CALLS = 2000 };
    const DtSkeletonOptions options = {.communication_only = TRUE, .no_lines = TRUE, .most_calls = MOST_CALLS};
    if (own->checking->without[DT_CHECK_POTENTIAL_DEADLOCK] || own->is_mixed || own->is_partial ||
        has_errors(own->checking) || dt_run_missing_ranks(own->checking->run) > 0 || !did_all_finalize(own->checking) ||
        words_of(own->checking->run) > MOST_WORDS)
        return;
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_of_run(own->checking->run, &options, NULL);
    if (!skeleton)
        return;
    g_autoptr(DtSimulation) buffered = dt_simulate(skeleton, DT_SENDS_BUFFERED);
    if (!buffered->ends || buffered->cut_short)
        return; /* what the simulation does not know */
    g_autoptr(DtSimulation) unbuffered = dt_simulate(skeleton, DT_SENDS_UNBUFFERED);
    if (!unbuffered->ends && !unbuffered->undecided && !unbuffered->cut_short && unbuffered->standing->len > 0)
        tell_standing(own, unbuffered);
}

static void finish(gpointer family)
{
    look_at_cycles(family);
    look_at_stalled(family);
    look_at_buffers(family);
}

const DtCheckFamily dt_check_waits = {.start = start, .enter = enter, .end = end, .finish = finish, .stop = stop};
