/* diffNLR of a trace under a filter, and the search for a filter that shows a difference. */
#include "compare/difference.h"

#include <string.h>

DtDiffNlr *dt_difference(const DtRuns *runs, const DtFolding *folding, const char *label)
{
    const DtFoldedTrace *normal = dt_folding_normal(folding, runs, label);
    const DtFoldedTrace *faulty = dt_folding_faulty(folding, runs, label);
    return normal && faulty ? dt_diffnlr_new_in(normal, faulty, folding->tree) : NULL;
}

static gboolean finished(const DtComparison *comparison, const char *label)
{
    for (guint i = 0; i < comparison->suspects->len; i++) {
        const DtSuspectRow *suspect = comparison->suspects->pdata[i];
        if (strcmp(suspect->trace, label) == 0)
            return g_strcmp0(suspect->status, dt_status_name(DT_STATUS_FINISHED)) == 0;
    }
    return TRUE;
}

DtShows dt_filter_shows(const DtComparison *comparison, const DtRuns *runs, const DtFolding *folding, const char *label)
{
    g_autoptr(DtDiffNlr) diff = dt_difference(runs, folding, label);
    if (!diff || diff->same)
        return DT_SHOWS_NOTHING;
    return diff->normal_open != diff->faulty_open || finished(comparison, label) ? DT_SHOWS_END : DT_SHOWS_DIFFERENCE;
}

GPtrArray *dt_filters_by_rank(const DtComparison *comparison)
{
    GPtrArray *filters = g_ptr_array_new();
    for (guint i = 0; i < comparison->rows->len; i++) {
        const DtRankingRow *row = comparison->rows->pdata[i];
        if (row->filter && !g_ptr_array_find_with_equal_func(filters, row->filter, g_str_equal, NULL))
            g_ptr_array_add(filters, row->filter);
    }
    return filters;
}
