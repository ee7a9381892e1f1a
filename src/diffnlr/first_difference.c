/*
 * Where two traces part and where the faulty one ends, said in one line.
 */
#include "diffnlr/diffnlr.h"

enum { ELEMENTS_SHOWN = 4 };

static const DtDiffBlock *block_at(const DtDiffNlr *diff, guint index)
{
    return &g_array_index(diff->blocks, DtDiffBlock, index);
}

/* The first few elements by name and count. */
static char *elements_text(DtElements elements, const DtFunctions *functions)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (gsize i = 0; i < MIN(elements.length, (gsize)ELEMENTS_SHOWN); i++) {
        g_autofree char *element = dt_element_shown(elements.elements[i], functions);
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", element);
    }
    if (elements.length > ELEMENTS_SHOWN)
        g_string_append_printf(text, " ... (%" G_GSIZE_FORMAT " elements)", elements.length);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static DtElements skip_first(DtElements elements, gsize count)
{
    return (DtElements){elements.elements + count, elements.length - count};
}

/* Both sides begin with the same loop, run a different number of times. */
static gboolean counts_differ(const DtDiffBlock *block)
{
    return !block->common && block->normal.length > 0 && block->faulty.length > 0 &&
           dt_element_is_loop(block->normal.elements[0]) && dt_element_is_loop(block->faulty.elements[0]) &&
           dt_element_body(block->normal.elements[0]) == dt_element_body(block->faulty.elements[0]);
}

static char *iterations_text(const DtDiffBlock *block, const DtFunctions *functions)
{
    guint32 normal = dt_element_count(block->normal.elements[0]);
    guint32 faulty = dt_element_count(block->faulty.elements[0]);
    g_autofree char *loop = dt_element_name(block->faulty.elements[0], functions);
    if (faulty < normal)
        return g_strdup_printf("%u of %u iterations of %s", faulty, normal, loop);
    return g_strdup_printf("%u iterations of %s instead of %u", faulty, loop, normal);
}

/* "after X", X the element before a block; NULL at the start of the trace. */
static char *after_previous(const DtDiffNlr *diff, guint index, const DtFunctions *functions)
{
    if (index == 0)
        return NULL;
    DtElements before = block_at(diff, index - 1)->faulty;
    if (before.length == 0)
        return after_previous(diff, index - 1, functions);
    g_autofree char *element = dt_element_shown(before.elements[before.length - 1], functions);
    return g_strdup_printf("after %s", element);
}

static const char *function_name(const DtFunctions *functions, guint32 function)
{
    return dt_functions_get(functions, function)->shown;
}

/*
 * Without the open call itself: a last element of that name, or a pair folded
 * from it and its like (whatever the pair's body, what comes before is true).
 */
static DtElements without_open_call(const DtDiffNlr *diff, DtElements elements)
{
    if (diff->faulty_open == 0 || elements.length == 0)
        return elements;
    DtElement last = elements.elements[elements.length - 1];
    gboolean drop = dt_element_is_loop(last) ? dt_element_count(last) == 2 : last == diff->faulty_open;
    elements.length -= drop ? 1 : 0;
    return elements;
}

static char *end_position_in_loop(const DtDiffNlr *diff, guint index, const DtFunctions *functions)
{
    const DtDiffBlock *block = block_at(diff, index);
    g_autofree char *iterations = iterations_text(block, functions);
    DtElements rest = without_open_call(diff, skip_first(block->faulty, 1));
    if (rest.length == 0)
        return g_strdup_printf("after %s", iterations);
    g_autofree char *text = elements_text(rest, functions);
    return g_strdup_printf("after %s and %s", iterations, text);
}

char *dt_diffnlr_end_position(const DtDiffNlr *diff, const DtFunctions *functions)
{
    guint index = diff->blocks->len;
    while (index > 0 && block_at(diff, index - 1)->faulty.length == 0)
        --index;
    if (index == 0)
        return NULL;
    --index;
    if (counts_differ(block_at(diff, index)))
        return end_position_in_loop(diff, index, functions);
    DtElements elements = without_open_call(diff, block_at(diff, index)->faulty);
    if (elements.length == 0)
        return after_previous(diff, index, functions);
    g_autofree char *element = dt_element_shown(elements.elements[elements.length - 1], functions);
    return g_strdup_printf("after %s", element);
}

static char *append_position(char *text, const char *position)
{
    g_autofree char *start = text;
    return g_strdup_printf("%s%s%s", start, position ? " " : "", position ? position : "");
}

static char *difference_of_ends(const DtDiffNlr *diff, const DtFunctions *functions)
{
    if (diff->faulty_open == diff->normal_open)
        return g_strdup_printf("ends in %s, called from elsewhere", function_name(functions, diff->faulty_open));
    g_autofree char *position = dt_diffnlr_end_position(diff, functions);
    if (diff->faulty_open == 0)
        return g_strdup_printf("returns from %s, which never returned in the normal run",
                               function_name(functions, diff->normal_open));
    char *text = g_strdup_printf("ends in %s, which never returned", function_name(functions, diff->faulty_open));
    return append_position(text, position);
}

static char *difference_in_loop(const DtDiffNlr *diff, guint index, const DtFunctions *functions)
{
    const DtDiffBlock *block = block_at(diff, index);
    DtElements rest = skip_first(block->faulty, 1);
    g_autofree char *iterations = iterations_text(block, functions);
    if (rest.length > 0) {
        g_autofree char *rest_text = elements_text(rest, functions);
        return g_strdup_printf("after %s: %s instead", iterations, rest_text);
    }
    if (index + 1 == diff->blocks->len)
        return g_strdup_printf("ends after %s", iterations);
    gboolean fewer = dt_element_count(block->faulty.elements[0]) < dt_element_count(block->normal.elements[0]);
    return g_strdup_printf("%s%s", fewer ? "only " : "", iterations);
}

static char *difference_of_elements(const DtDiffNlr *diff, guint index, const DtFunctions *functions)
{
    const DtDiffBlock *block = block_at(diff, index);
    g_autofree char *position = after_previous(diff, index, functions);
    const char *where = position ? position : "at the start";
    if (block->faulty.length == 0) {
        g_autofree char *missing = elements_text(block->normal, functions);
        gboolean last = index + 1 == diff->blocks->len;
        return g_strdup_printf(last ? "ends %s: %s missing" : "%s: %s missing", where, missing);
    }
    g_autofree char *added = elements_text(block->faulty, functions);
    if (block->normal.length == 0)
        return g_strdup_printf("%s: %s in addition", where, added);
    g_autofree char *replaced = elements_text(block->normal, functions);
    return g_strdup_printf("%s: %s instead of %s", where, added, replaced);
}

char *dt_diffnlr_first_difference(const DtDiffNlr *diff, const DtFunctions *functions)
{
    if (diff->same)
        return NULL;
    guint index = 0;
    guint32 body;
    while (index < diff->blocks->len && block_at(diff, index)->common)
        ++index;
    if (index == diff->blocks->len && dt_diffnlr_recounted(diff, &body))
        return g_strdup_printf("L%u inside other loops: other counts", body);
    if (index == diff->blocks->len)
        return difference_of_ends(diff, functions);
    if (diff->faulty_open != 0 && index + 1 == diff->blocks->len) {
        g_autofree char *position = dt_diffnlr_end_position(diff, functions);
        char *text = g_strdup_printf("ends in %s", function_name(functions, diff->faulty_open));
        return append_position(text, position);
    }
    return counts_differ(block_at(diff, index)) ? difference_in_loop(diff, index, functions)
                                                : difference_of_elements(diff, index, functions);
}
