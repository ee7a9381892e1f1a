/* Filters compiled to a bit set over functions: every name is matched once. */
#include "filters/filter_set.h"

#include "filters/categories.h"
#include "filters/filter.h"

enum { WORD_BITS = 64 };

struct DtFilterSet {
    guint64 *bits; /* by function id */
    guint32 last;  /* largest id with a bit */
    guint count;
    gboolean drops_returns;
};

/* Imports are matched without and with their "@plt". */
static gboolean matches_regex(const DtRegex *regex, DtRegexMatcher *matcher, const char *name, gboolean *matches,
                              GError **error)
{
    g_autofree char *plain = dt_name_without_import(name);
    if (!dt_regex_match(regex, matcher, plain, matches, error))
        return FALSE;
    if (*matches || g_str_equal(plain, name))
        return TRUE;
    return dt_regex_match(regex, matcher, name, matches, error);
}

static gboolean matches_filter(const DtFilter *filter, DtRegexMatcher *matcher, const DtFunction *function,
                               gboolean *matches, GError **error)
{
    *matches = FALSE;
    if (filter->drop_anonymous_plt && dt_name_is_anonymous_plt(function->name))
        return TRUE;
    for (guint i = 0; i < filter->parts->len && !*matches; i++) {
        const DtFilterPart *part = &g_array_index(filter->parts, DtFilterPart, i);
        if (part->category != DT_CATEGORY_NONE)
            *matches = dt_category_matches(part->category, function->name, function->image, function->flags);
        else if (!matches_regex(part->regex, matcher, function->name, matches, error))
            return FALSE;
    }
    return TRUE;
}

DtFilterSet *dt_filter_compile(const DtFilter *filter, const DtFunctions *functions, GError **error)
{
    g_autoptr(DtRegexMatcher) matcher = dt_regex_matcher_new();
    g_autoptr(DtFilterSet) set = g_new0(DtFilterSet, 1);
    set->drops_returns = filter->drop_returns;
    set->last = dt_functions_count(functions);
    set->bits = g_new0(guint64, (gsize)set->last / WORD_BITS + 1);
    for (guint32 id = 1; id <= set->last; id++) {
        gboolean matches = FALSE;
        if (!matches_filter(filter, matcher, dt_functions_get(functions, id), &matches, error))
            return NULL;
        if (matches) {
            set->bits[id / WORD_BITS] |= (guint64)1 << (id % WORD_BITS);
            set->count++;
        }
    }
    return g_steal_pointer(&set);
}

void dt_filter_set_free(DtFilterSet *set)
{
    if (set == NULL)
        return;
    g_free(set->bits);
    g_free(set);
}

gboolean dt_filter_set_keeps(const DtFilterSet *set, guint32 function)
{
    return function <= set->last && (set->bits[function / WORD_BITS] >> (function % WORD_BITS) & 1) != 0;
}

guint dt_filter_set_count(const DtFilterSet *set)
{
    return set->count;
}

gboolean dt_filter_set_drops_returns(const DtFilterSet *set)
{
    return set->drops_returns;
}
