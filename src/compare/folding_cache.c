/* Foldings by filter. */
#include "compare/folding_cache.h"

#include "compare/difference.h"

struct DtFoldingCache {
    const DtRuns *runs;
    DtLoops loops;
    guint jobs;
    GHashTable *by_notation; /* (element-type utf8 DtFolding) */
    DtReading *reading;      /* of dt_folding_cache_read(); NULL: none */
};

DtFoldingCache *dt_folding_cache_new(const DtRuns *runs, DtLoops loops, guint jobs)
{
    DtFoldingCache *cache = g_new0(DtFoldingCache, 1);
    cache->runs = runs;
    cache->loops = loops;
    cache->jobs = jobs;
    cache->by_notation = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dt_folding_free);
    return cache;
}

void dt_folding_cache_free(DtFoldingCache *cache)
{
    if (!cache)
        return;
    dt_reading_free(cache->reading);
    g_hash_table_unref(cache->by_notation);
    g_free(cache);
}

gboolean dt_folding_cache_read(DtFoldingCache *cache, const DtParallel *parallel, const GPtrArray *filters, guint k,
                               const DtReadingWants *wants, GError **error)
{
    cache->reading = dt_reading_new(cache->runs, parallel, filters, k, cache->loops, cache->jobs, wants, error);
    g_autoptr(GPtrArray) made = cache->reading ? dt_reading_take_foldings(cache->reading) : NULL;
    while (made && made->len > 0) {
        DtFolding *folding = g_ptr_array_steal_index(made, made->len - 1);
        g_hash_table_replace(cache->by_notation, g_strdup(folding->filter), folding);
    }
    return made != NULL;
}

DtReading *dt_folding_cache_reading(const DtFoldingCache *cache)
{
    return cache->reading;
}

const DtFolding *dt_folding_cache_get(DtFoldingCache *cache, const char *notation, GError **error)
{
    const DtFolding *known = g_hash_table_lookup(cache->by_notation, notation);
    if (known)
        return known;
    g_autoptr(DtFilter) filter = dt_filter_parse(notation, error);
    DtFolding *folding =
        filter ? dt_folding_new(cache->runs, filter, DT_NLR_DEFAULT_K, cache->loops, cache->jobs, error) : NULL;
    if (folding)
        g_hash_table_insert(cache->by_notation, g_strdup(notation), folding);
    return folding;
}

/* "11.mem.0K1000": what serves a program's own calls, and differs for the least of reasons. */
static gboolean is_auxiliary(const char *notation)
{
    g_auto(GStrv) parts = g_strsplit(notation, ".", -1);
    const guint count = g_strv_length(parts);
    for (guint i = 1; i + 1 < count; i++)
        if (!g_str_equal(parts[i], "mem") && !g_str_equal(parts[i], "str"))
            return FALSE;
    return count > 2;
}

/* Borrowed strings: filters of auxiliary calls behind all others. */
static GPtrArray *filters_that_tell(const DtComparison *comparison)
{
    g_autoptr(GPtrArray) ranked = dt_filters_by_rank(comparison);
    GPtrArray *filters = g_ptr_array_sized_new(ranked->len);
    for (guint auxiliary = 0; auxiliary < 2; auxiliary++)
        for (guint i = 0; i < ranked->len; i++)
            if (is_auxiliary(ranked->pdata[i]) == (auxiliary == 1))
                g_ptr_array_add(filters, ranked->pdata[i]);
    return filters;
}

const DtFolding *dt_folding_cache_telling(DtFoldingCache *cache, const DtComparison *comparison, const char *label,
                                          guint *shows, GError **error)
{
    g_autoptr(GPtrArray) filters = filters_that_tell(comparison);
    const DtFolding *best = NULL;
    DtShows most = DT_SHOWS_NOTHING;
    for (guint i = 0; i < filters->len && most < DT_SHOWS_END; i++) {
        const DtFolding *folding = dt_folding_cache_get(cache, filters->pdata[i], error);
        if (!folding)
            return NULL;
        DtShows here = dt_filter_shows(comparison, cache->runs, folding, label);
        if (best && here <= most)
            continue;
        most = here;
        best = folding;
    }
    if (shows)
        *shows = most;
    return best;
}
