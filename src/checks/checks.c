/* All families of rules over a run. */
#include "checks/checks.h"

#include "checks/findings.h"

static const DtCheckFamily *const families[] = {
    &dt_check_life,     &dt_check_arguments, &dt_check_requests,   &dt_check_collectives,
    &dt_check_messages, &dt_check_windows,   &dt_check_threads,    &dt_check_leaks,
    &dt_check_accesses, &dt_check_files,     &dt_check_topologies, &dt_check_locks,
    &dt_check_teams,    &dt_check_groups,    &dt_check_statuses,   &dt_check_waits,
};

/* ---- what is known of processes before --------------------------------------------------------- */

/* Its world is another one than that of the processes that the launcher started. */
static gboolean is_spawned(const DtChecking *checking, const DtProcess *process)
{
    const GPtrArray *communicators = dt_run_communicators(checking->run, process);
    const DtCommunicator *first = communicators->len > 0 ? communicators->pdata[0] : NULL;
    return first && first->number == DT_COMMUNICATOR_WORLD && !first->is_sure;
}

static void find_processes(DtChecking *checking)
{
    const guint count = dt_run_process_count(checking->run);
    checking->processes = g_new0(DtCheckedProcess, (gsize)count + 1);
    for (guint t = 0; t < dt_run_trace_count(checking->run); t++) {
        const DtTrace *trace = dt_run_trace(checking->run, t);
        checking->processes[trace->process->index].threads += trace->library ? 0 : 1;
    }
    for (guint p = 0; p < count; p++)
        checking->with_mpi |= dt_run_process(checking->run, p)->called_mpi_init;
    for (guint p = 0; p < count; p++) {
        const DtProcess *process = dt_run_process(checking->run, p);
        DtCheckedProcess *checked = &checking->processes[p];
        checked->is_wanted = !checking->with_mpi || process->called_mpi_init || process->rank >= 0;
        checked->is_complete = TRUE;
        checked->has_ended = process->end != DT_END_RUNNING;
        checked->finalized = process->called_mpi_finalize;
        gpointer key = GINT_TO_POINTER(process->rank);
        const DtProcess *known = g_hash_table_lookup(checking->by_rank, key);
        if (process->called_mpi_init && process->rank >= 0 &&
            (!known || (is_spawned(checking, known) && !is_spawned(checking, process))))
            g_hash_table_insert(checking->by_rank, key, (gpointer)process);
    }
}

DtChecking *dt_checking_new(const DtRun *run, const DtCheckOptions *options)
{
    DtChecking *checking = g_new0(DtChecking, 1);
    checking->run = run;
    checking->functions = dt_run_functions(run);
    checking->by_rank = g_hash_table_new(NULL, NULL);
    checking->findings = dt_check_findings_new();
    for (guint i = 0; options && i < DT_CHECKS; i++)
        checking->without[i] = options->without[i];
    checking->waits = options ? options->waits : NULL;
    find_processes(checking);
    return checking;
}

void dt_checking_free(DtChecking *checking)
{
    if (!checking)
        return;
    g_free(checking->processes);
    g_hash_table_unref(checking->by_rank);
    dt_check_findings_free(checking->findings);
    g_free(checking);
}

/* ---- what could not be looked at ------------------------------------------------------------- */

static void add_silence(DtChecked *checked, guint processes, guint all, const char *why)
{
    if (processes > 0)
        g_ptr_array_add(checked->silent, g_strdup_printf("%u of %u processes: %s", processes, all, why));
}

/* Nothing is matched over these. */
static void find_unsure(const DtChecking *checking, DtChecked *checked)
{
    for (guint p = 0; p < dt_run_process_count(checking->run); p++) {
        const DtProcess *process = dt_run_process(checking->run, p);
        const GPtrArray *communicators = dt_run_communicators(checking->run, process);
        for (guint i = 0; checking->processes[p].is_read && i < communicators->len; i++) {
            const DtCommunicator *communicator = communicators->pdata[i];
            if (!communicator->is_sure)
                g_ptr_array_add(checked->unsure, g_strdup_printf("%s on %s", communicator->name, process->label));
        }
    }
    if (checked->unsure->len > 0)
        g_ptr_array_add(checked->silent, g_strdup_printf("%u communicators: which ones of other processes they are is "
                                                         "not known; rules on messages and collective calls are "
                                                         "silent about them",
                                                         checked->unsure->len));
}

static void find_silence(const DtChecking *checking, DtChecked *checked)
{
    guint all = 0, partial = 0, without = 0, running = 0;
    for (guint p = 0; p < dt_run_process_count(checking->run); p++) {
        const DtCheckedProcess *process = &checking->processes[p];
        if (!process->is_read)
            continue;
        all++;
        partial += process->is_complete ? 0 : 1;
        without += process->lacks_arguments ? 1 : 0;
        running += process->has_ended ? 0 : 1;
    }
    add_silence(checked, partial, all, "not all of the record is there; rules on what is missing are silent");
    add_silence(checked, without, all, "arguments of calls are not recorded; rules that need them are silent");
    add_silence(checked, running, all, "still running; rules on how processes end are silent");
    guint missing = dt_run_missing_ranks(checking->run);
    if (missing > 0)
        g_ptr_array_add(checked->silent,
                        g_strdup_printf("%u ranks are not recorded; rules that need all ranks are silent", missing));
}

/* ---- one error, told once -------------------------------------------------------------------- */

/* What MPI noticed: a rule that says why is better. */
static gboolean is_general(DtCheckRule rule)
{
    return rule == DT_CHECK_FAILED_CALL || rule == DT_CHECK_ENDED_IN_CALL || rule == DT_CHECK_INVALID_HANDLE;
}

static gboolean is_about_same(const DtCheckFinding *general, const DtCheckFinding *other)
{
    return other->level == DT_CHECK_ERROR && !is_general(other->rule) && g_strcmp0(general->call, other->call) == 0 &&
           (!other->source || !general->source || g_str_equal(general->source, other->source));
}

static void join(DtCheckFinding *finding, const DtCheckFinding *general)
{
    if (!finding->source)
        finding->source = g_strdup(general->source);
    for (guint i = 0; general->rule != DT_CHECK_ENDED_IN_CALL && i < general->evidence->len; i++)
        g_ptr_array_add(finding->evidence, g_strdup(general->evidence->pdata[i]));
}

static void drop_general(GPtrArray *findings)
{
    enum { MOST = 2000 };
    for (guint i = findings->len; i-- > 0 && findings->len < MOST;) {
        const DtCheckFinding *general = findings->pdata[i];
        for (guint k = 0; is_general(general->rule) && k < findings->len; k++)
            if (is_about_same(general, findings->pdata[k])) {
                join(findings->pdata[k], general);
                g_ptr_array_remove_index(findings, i);
                break;
            }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static DtChecked *checked_new(DtChecking *checking)
{
    DtChecked *checked = g_new0(DtChecked, 1);
    checked->silent = g_ptr_array_new_with_free_func(g_free);
    checked->findings = dt_check_findings_take(checking->findings, checking->run);
    drop_general(checked->findings);
    for (guint i = 0; i < checked->findings->len; i++)
        *(((DtCheckFinding *)checked->findings->pdata[i])->level == DT_CHECK_ERROR ? &checked->errors
                                                                                   : &checked->warnings) += 1;
    checked->unsure = g_ptr_array_new_with_free_func(g_free);
    find_silence(checking, checked);
    find_unsure(checking, checked);
    return checked;
}

DtChecked *dt_checked_new(const DtRun *run, const DtCheckOptions *options, GError **error)
{
    g_autoptr(DtChecking) checking = dt_checking_new(run, options);
    gpointer own[G_N_ELEMENTS(families)];
    for (guint i = 0; i < G_N_ELEMENTS(families); i++)
        own[i] = families[i]->start(checking);
    gboolean done = dt_checking_read(checking, families, own, G_N_ELEMENTS(families), error);
    for (guint i = 0; i < G_N_ELEMENTS(families); i++) {
        if (done && families[i]->finish)
            families[i]->finish(own[i]);
        families[i]->stop(own[i]);
    }
    return done ? checked_new(checking) : NULL;
}

void dt_checked_drop_warnings(DtChecked *checked)
{
    g_ptr_array_set_size(checked->findings, (gint)checked->errors); /* errors come first */
    checked->warnings = 0;
}

void dt_checked_free(DtChecked *checked)
{
    if (!checked)
        return;
    g_ptr_array_unref(checked->findings);
    g_ptr_array_unref(checked->silent);
    g_ptr_array_unref(checked->unsure);
    g_free(checked);
}
