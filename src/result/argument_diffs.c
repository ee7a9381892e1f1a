/* Folding single traces with their arguments. */
#include "result/argument_diffs.h"

struct DtDetailed {
    DtRun *normal, *faulty;
    GPtrArray *tables, *folded, *diffs; /* owned */
    GArray *reports;
};

void dt_detailed_free(DtDetailed *detailed)
{
    if (detailed == NULL)
        return;
    g_array_unref(detailed->reports);
    g_ptr_array_unref(detailed->diffs);
    g_ptr_array_unref(detailed->folded);
    g_ptr_array_unref(detailed->tables);
    dt_run_free(detailed->faulty);
    dt_run_free(detailed->normal);
    g_free(detailed);
}

const GArray *dt_detailed_reports(const DtDetailed *detailed)
{
    return detailed->reports;
}

static void push(const guint32 *symbols, gsize count, gpointer folder)
{
    dt_nlr_folder_push(folder, symbols, count);
}

static void repeat(gsize count, guint64 times, gpointer folder)
{
    dt_nlr_folder_repeat(folder, count, times);
}

/* NULL: it cannot be read. */
static DtFoldedTrace *fold_trace(DtDetailed *detailed, const DtRun *run, const char *label, const DtFilterSet *set,
                                 DtNlrFolder *folder, DtLoopTable *table)
{
    DtFoldedTrace *folded = g_new0(DtFoldedTrace, 1);
    folded->trace = dt_run_find_trace(run, label);
    folded->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    DtFilterTap tap = {set, push, folder, folded->open, repeat, FALSE};
    gboolean read = dt_filter_run_taps(&tap, 1, run, folded->trace, &folded->problem, NULL);
    folded->nlr = dt_nlr_folder_finish(folder, table);
    g_ptr_array_add(detailed->folded, folded);
    return read ? folded : NULL;
}

static gboolean is_short(const DtRun *run, const char *label)
{
    const DtTrace *trace = dt_run_find_trace(run, label);
    return trace != NULL && trace->words <= DT_DETAILED_WORDS;
}

/* FALSE: arguments show nothing that names do not, or the trace cannot be read. */
static gboolean add_report(DtDetailed *detailed, const DtDiffNlrReport *names, guint min_repeat)
{
    g_autoptr(DtFilter) filter = dt_filter_parse(names->filter, NULL);
    g_autoptr(DtFilterSet) set = filter != NULL ? dt_filter_compile(filter, names->functions, NULL) : NULL;
    if (set == NULL)
        return FALSE;
    g_autoptr(DtNlrFolder) folder = dt_nlr_folder_new(dt_filter_k(filter, DT_NLR_DEFAULT_K), min_repeat);
    DtLoopTable *table = dt_loop_table_new();
    g_ptr_array_add(detailed->tables, table);
    const DtFoldedTrace *normal = fold_trace(detailed, detailed->normal, names->trace, set, folder, table);
    const DtFoldedTrace *faulty = fold_trace(detailed, detailed->faulty, names->trace, set, folder, table);
    if (normal == NULL || faulty == NULL)
        return FALSE;
    DtDiffNlr *diff = dt_diffnlr_new(normal, faulty);
    g_ptr_array_add(detailed->diffs, diff);
    DtDiffNlrReport report = *names;
    report.table = table;
    report.diff = diff;
    g_array_append_val(detailed->reports, report);
    return TRUE;
}

DtDetailed *dt_detailed_new(const DtRuns *runs, const GArray *differences, guint min_repeat, GError **error)
{
    g_autoptr(DtDetailed) detailed = g_new0(DtDetailed, 1);
    detailed->tables = g_ptr_array_new_with_free_func((GDestroyNotify)dt_loop_table_free);
    detailed->folded = g_ptr_array_new_with_free_func((GDestroyNotify)dt_folded_trace_free);
    detailed->diffs = g_ptr_array_new_with_free_func((GDestroyNotify)dt_diffnlr_free);
    detailed->reports = g_array_new(FALSE, FALSE, sizeof(DtDiffNlrReport));
    if (differences->len == 0)
        return g_steal_pointer(&detailed);
    detailed->normal = dt_run_open_with_arguments(dt_run_path(runs->normal), runs->functions, error);
    detailed->faulty =
        detailed->normal != NULL ? dt_run_open_with_arguments(dt_run_path(runs->faulty), runs->functions, error) : NULL;
    if (detailed->faulty == NULL)
        return NULL;
    guint left = dt_functions_have_signatures(runs->functions) ? DT_DETAILED_TRACES : 0;
    for (guint i = 0; i < differences->len && left > 0; i++) {
        const DtDiffNlrReport *names = &g_array_index(differences, DtDiffNlrReport, i);
        if (is_short(detailed->normal, names->trace) && is_short(detailed->faulty, names->trace))
            left -= add_report(detailed, names, min_repeat) ? 1 : 0;
    }
    return g_steal_pointer(&detailed);
}
