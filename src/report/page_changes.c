/* Calls on either side of a difference, counted without unfolding its loops. */
#include "report/page_changes.h"

typedef struct {
    guint64 normal, faulty;
} Times;

typedef struct {
    GHashTable *calls; /* function id -> index in `changed` + 1 */
    GArray *changed;   /* DtChangedCalls */
    Times *bodies;     /* how often each body runs */
} Counter;

static void count_element(Counter *counter, DtElement element, Times times)
{
    if (dt_element_is_loop(element)) {
        Times *body = &counter->bodies[dt_element_body(element)];
        body->normal += times.normal * dt_element_count(element);
        body->faulty += times.faulty * dt_element_count(element);
        return;
    }
    guint32 function = dt_element_symbol(element);
    if ((function & DT_SYMBOL_RETURN) != 0)
        return;
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(counter->calls, GUINT_TO_POINTER(function)));
    if (place == 0) {
        DtChangedCalls calls = {function, 0, 0};
        g_array_append_val(counter->changed, calls);
        place = counter->changed->len;
        g_hash_table_insert(counter->calls, GUINT_TO_POINTER(function), GUINT_TO_POINTER(place));
    }
    DtChangedCalls *calls = &g_array_index(counter->changed, DtChangedCalls, place - 1);
    calls->normal += times.normal;
    calls->faulty += times.faulty;
}

static void count_elements(Counter *counter, DtElements elements, Times times)
{
    for (gsize i = 0; i < elements.length; i++)
        count_element(counter, elements.elements[i], times);
}

static guint64 distance(const DtChangedCalls *calls)
{
    return calls->normal > calls->faulty ? calls->normal - calls->faulty : calls->faulty - calls->normal;
}

static gint by_distance(gconstpointer a, gconstpointer b)
{
    const DtChangedCalls *one = a, *two = b;
    if (distance(one) != distance(two))
        return distance(one) < distance(two) ? 1 : -1;
    return (one->function > two->function) - (one->function < two->function);
}

/* A body holds only such that were there before it: from the last one down, each is counted when all who run it are. */
GArray *dt_page_changes(const DtDiffNlrReport *what)
{
    g_autoptr(GHashTable) calls = g_hash_table_new(NULL, NULL);
    guint32 body_count = dt_loop_table_count(what->table);
    g_autofree Times *bodies = g_new0(Times, (gsize)body_count + 1);
    Counter counter = {calls, g_array_new(FALSE, FALSE, sizeof(DtChangedCalls)), bodies};
    for (guint i = 0; i < what->diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(what->diff->blocks, DtDiffBlock, i);
        if (block->common)
            continue;
        count_elements(&counter, block->normal, (Times){1, 0});
        count_elements(&counter, block->faulty, (Times){0, 1});
    }
    for (guint32 body = body_count; body-- > 0;)
        if (bodies[body].normal + bodies[body].faulty > 0)
            count_elements(&counter, dt_loop_table_body(what->table, body), bodies[body]);
    g_array_sort(counter.changed, by_distance);
    while (counter.changed->len > 0 &&
           distance(&g_array_index(counter.changed, DtChangedCalls, counter.changed->len - 1)) == 0)
        g_array_set_size(counter.changed, counter.changed->len - 1);
    return counter.changed;
}
