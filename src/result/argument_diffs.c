/* Single traces as they were read with their arguments. */
#include "result/argument_diffs.h"

struct DtDetailed {
    const DtReading *reading;
    GPtrArray *tables, *folded, *diffs; /* owned */
    GArray *reports;
};

void dt_detailed_free(DtDetailed *detailed)
{
    if (!detailed)
        return;
    g_array_unref(detailed->reports);
    g_ptr_array_unref(detailed->diffs);
    g_ptr_array_unref(detailed->folded);
    g_ptr_array_unref(detailed->tables);
    g_free(detailed);
}

const GArray *dt_detailed_reports(const DtDetailed *detailed)
{
    return detailed->reports;
}

/* NULL: it was not kept. */
static DtFoldedTrace *take_trace(DtDetailed *detailed, const DtDiffNlrReport *names, DtSide of, DtLoopTable *table)
{
    DtFoldedTrace *folded = dt_reading_with_arguments(detailed->reading, names->filter, of, names->trace, table);
    if (folded)
        g_ptr_array_add(detailed->folded, folded);
    return folded;
}

/* FALSE: the trace cannot be read, or is too long. */
static gboolean add_report(DtDetailed *detailed, const DtDiffNlrReport *names)
{
    DtLoopTable *table = dt_loop_table_new();
    g_ptr_array_add(detailed->tables, table);
    const DtFoldedTrace *normal = take_trace(detailed, names, DT_SIDE_NORMAL, table);
    const DtFoldedTrace *faulty = take_trace(detailed, names, DT_SIDE_FAULTY, table);
    if (!normal || !faulty)
        return FALSE;
    DtDiffNlr *diff = dt_diffnlr_new(normal, faulty);
    g_ptr_array_add(detailed->diffs, diff);
    DtDiffNlrReport report = *names;
    report.table = table;
    report.diff = diff;
    g_array_append_val(detailed->reports, report);
    return TRUE;
}

DtDetailed *dt_detailed_new(const DtReading *reading, const GArray *differences)
{
    DtDetailed *detailed = g_new0(DtDetailed, 1);
    detailed->reading = reading;
    detailed->tables = g_ptr_array_new_with_free_func((GDestroyNotify)dt_loop_table_free);
    detailed->folded = g_ptr_array_new_with_free_func((GDestroyNotify)dt_folded_trace_free);
    detailed->diffs = g_ptr_array_new_with_free_func((GDestroyNotify)dt_diffnlr_free);
    detailed->reports = g_array_new(FALSE, FALSE, sizeof(DtDiffNlrReport));
    for (guint i = 0, left = DT_DETAILED_TRACES; i < differences->len && left > 0; i++)
        left -= add_report(detailed, &g_array_index(differences, DtDiffNlrReport, i)) ? 1 : 0;
    return detailed;
}
