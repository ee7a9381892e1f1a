/*
 * The order of a lattice: which concepts lie directly below which. The extents
 * met by one more attribute, A n m', include all lower neighbours of (A, B); one
 * of them, (C, D), is a neighbour exactly if every attribute of D \ B leads to it.
 */
#include "base/bit_set.h"
#include "fca/concepts.h"

typedef struct {
    const DtConcepts *concepts;
    guint attributes;
    guint64 *columns; /* extent of each single attribute */
    DtSetIndex *by_extent;
    guint *intent_sizes; /* per concept */
    guint *arrivals;     /* per concept: attributes that led to it; 0 between calls */
    guint64 *met;        /* a word row for A n m' */
    GArray *touched;     /* concepts with arrivals */
} CoverSearch;

guint64 *dt_context_columns(const DtContext *context, gsize words)
{
    guint attributes = dt_context_attributes(context);
    guint64 *columns = g_new0(guint64, MAX(1, attributes) * words);
    for (guint object = 0; object < dt_context_objects(context); object++) {
        const guint64 *row = dt_context_row(context, object);
        for (guint attribute = 0; attribute < attributes; attribute++) {
            if (dt_bits_has(row, attribute)) {
                dt_bits_add(columns + attribute * words, object);
            }
        }
    }
    return columns;
}

static GArray *lower_neighbours(CoverSearch *search, guint number)
{
    const DtConcepts *concepts = search->concepts;
    gsize words = concepts->extent_words;
    const guint64 *intent = dt_concepts_intent(concepts, number);
    GArray *neighbours = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint attribute = 0; attribute < search->attributes; attribute++) {
        if (dt_bits_has(intent, attribute)) {
            continue;
        }
        dt_bits_intersect(search->met, dt_concepts_extent(concepts, number), search->columns + attribute * words,
                          words);
        guint below = dt_set_index_find(search->by_extent, concepts->extents, search->met);
        if (below == DT_SET_ABSENT) { /* too small for an iceberg; then all below it are, too */
            continue;
        }
        if (search->arrivals[below]++ == 0) {
            g_array_append_val(search->touched, below);
        }
        if (search->arrivals[below] == search->intent_sizes[below] - search->intent_sizes[number]) {
            g_array_append_val(neighbours, below);
        }
    }
    for (guint i = 0; i < search->touched->len; i++) {
        search->arrivals[g_array_index(search->touched, guint, i)] = 0;
    }
    g_array_set_size(search->touched, 0);
    return neighbours;
}

GPtrArray *dt_concepts_covers(const DtConcepts *concepts, const DtContext *context)
{
    g_autofree guint64 *columns = dt_context_columns(context, concepts->extent_words);
    g_autofree guint *intent_sizes = g_new(guint, concepts->count);
    g_autofree guint *arrivals = g_new0(guint, concepts->count);
    g_autofree guint64 *met = g_new(guint64, concepts->extent_words);
    g_autoptr(DtSetIndex) by_extent = dt_set_index_new(concepts->extent_words);
    g_autoptr(GArray) touched = g_array_new(FALSE, FALSE, sizeof(guint));
    CoverSearch search = {.concepts = concepts,
                          .attributes = dt_context_attributes(context),
                          .columns = columns,
                          .by_extent = by_extent,
                          .intent_sizes = intent_sizes,
                          .arrivals = arrivals,
                          .met = met,
                          .touched = touched};

    for (guint i = 0; i < concepts->count; i++) {
        dt_set_index_add(by_extent, concepts->extents, i);
        intent_sizes[i] = dt_bits_count(dt_concepts_intent(concepts, i), concepts->intent_words);
    }
    GPtrArray *covers = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < concepts->count; i++) {
        g_ptr_array_add(covers, lower_neighbours(&search, i));
    }
    return covers;
}
