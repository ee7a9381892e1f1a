/* Filters compiled to a bit set over functions: every name is matched once. */
#include "filters/filter_set.h"

#include "base/bit_set.h"
#include "filters/categories.h"
#include "filters/filter.h"

/* Functions by id. */
typedef guint64 *Bits;

struct DtFilterSet {
    Bits kept;           /* by their names */
    Bits callers, above; /* whose calls, or what happens below whom; NULL: of anybody */
    guint32 last;        /* largest id with a bit */
    guint count;
    gboolean drops_returns;
};

static gboolean has_bit(const DtFilterSet *set, const guint64 *bits, guint32 id)
{
    return id <= set->last && dt_bits_has(bits, id);
}

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

static gboolean has_parts(const DtFilter *filter, DtPartKind kind)
{
    for (guint i = 0; i < filter->parts->len; i++) {
        if (g_array_index(filter->parts, DtFilterPart, i).kind == kind)
            return TRUE;
    }
    return FALSE;
}

/* Whether a part of that kind holds the function. */
static gboolean matches_parts(const DtFilter *filter, DtPartKind kind, DtRegexMatcher *matcher,
                              const DtFunction *function, gboolean *matches, GError **error)
{
    *matches = FALSE;
    for (guint i = 0; i < filter->parts->len && !*matches; i++) {
        const DtFilterPart *part = &g_array_index(filter->parts, DtFilterPart, i);
        if (part->kind != kind)
            continue;
        if (part->category != DT_CATEGORY_NONE)
            *matches = dt_category_matches(part->category, function->name, function->image, function->flags);
        else if (!matches_regex(part->regex, matcher, function->name, matches, error))
            return FALSE;
    }
    return TRUE;
}

/* The functions that parts of that kind hold. */
static gboolean match_all(const DtFilterSet *set, const DtFilter *filter, DtPartKind kind, const DtFunctions *functions,
                          Bits bits, GError **error)
{
    g_autoptr(DtRegexMatcher) matcher = dt_regex_matcher_new();
    for (guint32 id = 1; id <= set->last; id++) {
        gboolean matches = FALSE;
        guint32 base = dt_functions_base(functions, id);
        if (base < id)
            matches = has_bit(set, bits, base); /* a call signature: by the function's name */
        else if (!matches_parts(filter, kind, matcher, dt_functions_get(functions, id), &matches, error))
            return FALSE;
        if (matches)
            dt_bits_add(bits, id);
    }
    return TRUE;
}

/* With caller: and under: alone, every function is kept where they hold. */
static gboolean match_kept(DtFilterSet *set, const DtFilter *filter, const DtFunctions *functions, GError **error)
{
    gboolean every = !has_parts(filter, DT_PART_FUNCTION);
    if (!every && !match_all(set, filter, DT_PART_FUNCTION, functions, set->kept, error))
        return FALSE;
    for (guint32 id = 1; id <= set->last; id++) {
        if (every)
            dt_bits_add(set->kept, id);
        if (filter->drop_anonymous_plt && dt_name_is_anonymous_plt(dt_functions_get(functions, id)->name))
            dt_bits_remove(set->kept, id);
        set->count += has_bit(set, set->kept, id) ? 1 : 0;
    }
    return TRUE;
}

DtFilterSet *dt_filter_compile(const DtFilter *filter, const DtFunctions *functions, GError **error)
{
    g_autoptr(DtFilterSet) set = g_new0(DtFilterSet, 1);
    set->drops_returns = filter->drop_returns;
    set->last = dt_functions_count(functions);
    gsize words = dt_bits_words(set->last + 1);
    set->kept = g_new0(guint64, words);
    if (has_parts(filter, DT_PART_CALLER) || has_parts(filter, DT_PART_UNDER)) {
        set->callers = g_new0(guint64, words);
        set->above = g_new0(guint64, words);
        if (!match_all(set, filter, DT_PART_CALLER, functions, set->callers, error) ||
            !match_all(set, filter, DT_PART_UNDER, functions, set->above, error))
            return NULL;
    }
    return match_kept(set, filter, functions, error) ? g_steal_pointer(&set) : NULL;
}

void dt_filter_set_free(DtFilterSet *set)
{
    if (!set)
        return;
    g_free(set->kept);
    g_free(set->callers);
    g_free(set->above);
    g_free(set);
}

gboolean dt_filter_set_keeps(const DtFilterSet *set, guint32 function)
{
    return has_bit(set, set->kept, function);
}

gboolean dt_filter_set_is_scoped(const DtFilterSet *set)
{
    return set->callers != NULL;
}

/* ---- scopes -------------------------------------------------------------------- */

/* `depth` frames are open outside the call; function 0, of no caller, is in no set. */
static gboolean holds(const DtFilterScope *scope, const guint32 *frames, guint depth, guint32 function)
{
    const DtFilterSet *set = scope->set;
    if (!has_bit(set, set->kept, function))
        return FALSE;
    return !set->callers || scope->within > 0 || (depth > 0 && has_bit(set, set->callers, frames[depth - 1]));
}

gboolean dt_filter_scope_keeps(DtFilterScope *scope, const DtCallStack *stack, guint32 event, guint32 function)
{
    const guint32 *frames = dt_call_stack_frames(stack);
    guint depth = dt_call_stack_depth(stack);
    gboolean above = scope->set->above && has_bit(scope->set, scope->set->above, function);
    if (event == DT_EVENT_RETURN) {
        scope->within -= above ? 1 : 0;
        return holds(scope, frames, depth, function);
    }
    gboolean kept = holds(scope, frames, depth - 1, function);
    scope->within += above ? 1 : 0;
    return kept;
}

void dt_filter_set_open_calls(const DtFilterSet *set, const guint32 *frames, guint depth, GArray *open)
{
    DtFilterScope scope = {set, 0};
    for (guint i = 0; i < depth; i++) {
        if (holds(&scope, frames, i, frames[i]))
            g_array_append_val(open, frames[i]);
        scope.within += set->above && has_bit(set, set->above, frames[i]) ? 1 : 0;
    }
}

const guint64 *dt_filter_set_bits(const DtFilterSet *set, guint32 *last)
{
    *last = set->last;
    return set->kept;
}

guint dt_filter_set_count(const DtFilterSet *set)
{
    return set->count;
}

gboolean dt_filter_set_drops_returns(const DtFilterSet *set)
{
    return set->drops_returns;
}
