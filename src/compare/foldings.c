/* Foldings by filter. */
#include "compare/foldings.h"

#include "compare/difference.h"

struct DtFoldings {
    const DtRuns *runs;
    DtLoops loops;
    guint jobs;
    GHashTable *by_notation; /* (element-type utf8 DtFolding) */
    DtReading *reading;      /* of dt_foldings_read(); NULL: none */
};

DtFoldings *dt_foldings_new(const DtRuns *runs, DtLoops loops, guint jobs)
{
    DtFoldings *foldings = g_new0(DtFoldings, 1);
    foldings->runs = runs;
    foldings->loops = loops;
    foldings->jobs = jobs;
    foldings->by_notation = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dt_folding_free);
    return foldings;
}

void dt_foldings_free(DtFoldings *foldings)
{
    if (foldings == NULL)
        return;
    dt_reading_free(foldings->reading);
    g_hash_table_unref(foldings->by_notation);
    g_free(foldings);
}

gboolean dt_foldings_read(DtFoldings *foldings, const DtParallel *parallel, const GPtrArray *filters, guint k,
                          const DtReadingWants *wants, GError **error)
{
    foldings->reading =
        dt_reading_new(foldings->runs, parallel, filters, k, foldings->loops, foldings->jobs, wants, error);
    g_autoptr(GPtrArray) made = foldings->reading != NULL ? dt_reading_take_foldings(foldings->reading) : NULL;
    while (made != NULL && made->len > 0) {
        DtFolding *folding = g_ptr_array_steal_index(made, made->len - 1);
        g_hash_table_replace(foldings->by_notation, g_strdup(folding->filter), folding);
    }
    return made != NULL;
}

DtReading *dt_foldings_reading(const DtFoldings *foldings)
{
    return foldings->reading;
}

const DtFolding *dt_foldings_get(DtFoldings *foldings, const char *notation, GError **error)
{
    const DtFolding *known = g_hash_table_lookup(foldings->by_notation, notation);
    if (known != NULL)
        return known;
    g_autoptr(DtFilter) filter = dt_filter_parse(notation, error);
    DtFolding *folding = filter != NULL ? dt_folding_new(foldings->runs, filter, DT_NLR_DEFAULT_K, foldings->loops,
                                                         foldings->jobs, error)
                                        : NULL;
    if (folding != NULL)
        g_hash_table_insert(foldings->by_notation, g_strdup(notation), folding);
    return folding;
}

const DtFolding *dt_foldings_telling(DtFoldings *foldings, const DtComparison *comparison, const char *label,
                                     guint *shows, GError **error)
{
    g_autoptr(GPtrArray) filters = dt_filters_by_rank(comparison);
    const DtFolding *best = NULL;
    DtShows most = DT_SHOWS_NOTHING;
    for (guint i = 0; i < filters->len && most < DT_SHOWS_END; i++) {
        const DtFolding *folding = dt_foldings_get(foldings, filters->pdata[i], error);
        if (folding == NULL)
            return NULL;
        DtShows here = dt_filter_shows(comparison, foldings->runs, folding, label);
        if (best != NULL && here <= most)
            continue;
        most = here;
        best = folding;
    }
    if (shows != NULL)
        *shows = most;
    return best;
}
