/*
 * The upper part of a lattice (an iceberg: Stumme, Taouil, Bastide, Pasquier & Lakhal 2002), as much as there is room
 * for. The extents met by one more attribute include all lower neighbours and are smaller; so, larger ones first, all
 * concepts of a size are known when it is their turn.
 */
#include "base/bit_set.h"
#include "fca/concepts.h"

typedef struct {
    gsize words;
    guint64 *extents; /* all that were found */
    guint count, capacity;
    DtSetIndex *known;
    GPtrArray *by_size; /* (element-type GArray of guint) */
    guint least;        /* the smallest size that there is room for so far */
    guint large_enough; /* extents of that size or more */
    guint most;
} Search;

static guint64 *extent_of(const Search *search, guint number)
{
    return search->extents + (gsize)number * search->words;
}

static GArray *of_size(const Search *search, guint size)
{
    return g_ptr_array_index(search->by_size, size);
}

static void add_extent(Search *search, const guint64 *extent, guint size)
{
    if (search->count == search->capacity) {
        search->capacity = MAX(64, 2 * search->capacity);
        search->extents = g_renew(guint64, search->extents, search->capacity * search->words);
    }
    guint number = search->count++;
    memcpy(extent_of(search, number), extent, search->words * sizeof *extent);
    dt_set_index_add(search->known, search->extents, number);
    g_array_append_val(of_size(search, size), number);
    search->large_enough++;
    while (search->large_enough > search->most)
        search->large_enough -= of_size(search, search->least++)->len;
}

/* Finds the extents below one that are new, and large enough. */
static void go_below(Search *search, guint number, const guint64 *columns, guint attributes)
{
    g_autofree guint64 *met = g_new(guint64, search->words);
    guint size = dt_bits_count(extent_of(search, number), search->words);
    for (guint attribute = 0; attribute < attributes; attribute++) {
        dt_bits_intersect(met, extent_of(search, number), columns + attribute * search->words, search->words);
        guint below = dt_bits_count(met, search->words);
        if (below < size && below >= search->least &&
            dt_set_index_find(search->known, search->extents, met) == DT_SET_ABSENT)
            add_extent(search, met, below);
    }
}

/* What all objects of an extent have. */
static void fill_intent(const DtContext *context, const guint64 *extent, gsize words, guint64 *intent)
{
    g_autoptr(GArray) objects = dt_bits_members(extent, words);
    for (guint attribute = 0; attribute < dt_context_attributes(context); attribute++)
        dt_bits_add(intent, attribute);
    for (guint i = 0; i < objects->len; i++)
        dt_bits_intersect(intent, intent, dt_context_row(context, g_array_index(objects, guint, i)),
                          dt_context_row_words(context));
}

static void search_extents(Search *search, const DtContext *context)
{
    guint objects = dt_context_objects(context);
    g_autofree guint64 *columns = dt_context_columns(context, search->words);
    g_autofree guint64 *all = g_new0(guint64, search->words);
    for (guint size = 0; size <= objects; size++)
        g_ptr_array_add(search->by_size, g_array_new(FALSE, FALSE, sizeof(guint)));
    for (guint object = 0; object < objects; object++)
        dt_bits_add(all, object);
    add_extent(search, all, objects);
    for (guint size = objects; size > 0 && size >= search->least; size--) {
        for (guint i = 0; i < of_size(search, size)->len; i++)
            go_below(search, g_array_index(of_size(search, size), guint, i), columns, dt_context_attributes(context));
    }
}

DtConcepts *dt_iceberg_concepts(const DtContext *context, guint most, guint *least)
{
    DtConcepts *concepts = dt_concepts_new(context);
    Search search = {.words = concepts->extent_words,
                     .known = dt_set_index_new(concepts->extent_words),
                     .by_size = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref),
                     .most = MAX(1, most)};
    search_extents(&search, context);
    for (guint size = dt_context_objects(context) + 1; size-- > search.least;) {
        for (guint i = 0; i < of_size(&search, size)->len; i++) {
            const guint64 *extent = extent_of(&search, g_array_index(of_size(&search, size), guint, i));
            g_autofree guint64 *intent = g_new0(guint64, concepts->intent_words);
            fill_intent(context, extent, search.words, intent);
            guint number = dt_concepts_append(concepts, intent);
            memcpy(dt_concepts_extent(concepts, number), extent, search.words * sizeof *extent);
        }
    }
    *least = search.least;
    dt_set_index_free(search.known);
    g_ptr_array_unref(search.by_size);
    g_free(search.extents);
    return concepts;
}
