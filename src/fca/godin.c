/*
 * Godin's incremental algorithm (Godin, Missaoui & Alaoui, Incremental concept
 * formation algorithms based on Galois lattices, 1995): the concepts, one object
 * at a time. Which concepts cover which is found afterwards (covers.c).
 */
#include "base/bit_set.h"
#include "fca/concepts.h"
#include "text/text.h"

/* The concepts so far, and their numbers by the size of the intent, as the algorithm visits them. */
typedef struct {
    DtConcepts *concepts;
    GPtrArray *by_size;    /* (element-type GArray of guint) */
    guint64 *intersection; /* of an intent and the new object's row */
} Insertion;

void dt_concepts_free(DtConcepts *concepts)
{
    if (concepts) {
        dt_set_index_free(concepts->by_intent);
        g_free(concepts->intents);
        g_free(concepts->extents);
        g_free(concepts);
    }
}

DtConcepts *dt_concepts_new(const DtContext *context)
{
    DtConcepts *concepts = g_new0(DtConcepts, 1);
    /* At least a word each, so that sets of an empty context have an address. */
    concepts->intent_words = MAX(1, dt_bits_words(dt_context_attributes(context)));
    concepts->extent_words = MAX(1, dt_bits_words(dt_context_objects(context)));
    concepts->by_intent = dt_set_index_new(concepts->intent_words);
    return concepts;
}

guint dt_concepts_append(DtConcepts *concepts, const guint64 *intent)
{
    if (concepts->count == concepts->capacity) {
        concepts->capacity = MAX(64, 2 * concepts->capacity);
        concepts->intents = g_renew(guint64, concepts->intents, concepts->capacity * concepts->intent_words);
        concepts->extents = g_renew(guint64, concepts->extents, concepts->capacity * concepts->extent_words);
    }
    guint number = concepts->count++;
    memcpy(dt_concepts_intent(concepts, number), intent, concepts->intent_words * sizeof *intent);
    memset(dt_concepts_extent(concepts, number), 0, concepts->extent_words * sizeof *intent);
    dt_set_index_add(concepts->by_intent, concepts->intents, number);
    return number;
}

static guint append_to_size(Insertion *insertion, const guint64 *intent)
{
    guint number = dt_concepts_append(insertion->concepts, intent);
    GArray *same_size = g_ptr_array_index(insertion->by_size, dt_bits_count(intent, insertion->concepts->intent_words));
    g_array_append_val(same_size, number);
    return number;
}

/* The only concept of a context without objects: nobody has all attributes. */
static void append_bottom(Insertion *insertion, guint attributes)
{
    memset(insertion->intersection, 0, insertion->concepts->intent_words * sizeof *insertion->intersection);
    for (guint i = 0; i < attributes; i++) {
        dt_bits_add(insertion->intersection, i);
    }
    append_to_size(insertion, insertion->intersection);
}

/*
 * Meets one concept with the new object: its intent either belongs to the object
 * (the concept gains it), or their intersection is a known intent, or it is a new
 * one, of which this concept, the first in order of size, is the generator.
 * Returns TRUE if the intersection is the object's whole row: any larger intent
 * then meets the row in an intent that is known already.
 */
static gboolean meet(Insertion *insertion, guint number, guint object, const guint64 *row)
{
    DtConcepts *concepts = insertion->concepts;
    gsize words = concepts->intent_words;
    guint64 *intersection = insertion->intersection;
    const guint64 *intent = dt_concepts_intent(concepts, number);

    dt_bits_intersect(intersection, intent, row, words);
    if (dt_bits_equal(intersection, intent, words)) {
        dt_bits_add(dt_concepts_extent(concepts, number), object);
    } else if (dt_set_index_find(concepts->by_intent, concepts->intents, intersection) == DT_SET_ABSENT) {
        guint created = append_to_size(insertion, intersection);
        guint64 *extent = dt_concepts_extent(concepts, created);
        memcpy(extent, dt_concepts_extent(concepts, number), concepts->extent_words * sizeof *extent);
        dt_bits_add(extent, object);
    }
    return dt_bits_equal(intersection, row, words);
}

/* A new intent is smaller than its generator's, so no list grows while it is walked. */
static gboolean insert_object(Insertion *insertion, guint object, const guint64 *row, guint limit)
{
    for (guint size = 0; size < insertion->by_size->len; size++) {
        const GArray *same_size = g_ptr_array_index(insertion->by_size, size);
        for (guint i = 0; i < same_size->len; i++) {
            if (meet(insertion, g_array_index(same_size, guint, i), object, row)) {
                return insertion->concepts->count <= limit;
            }
            if (insertion->concepts->count > limit) {
                return FALSE;
            }
        }
    }
    return TRUE;
}

static gboolean insert_all(Insertion *insertion, const DtContext *context, guint limit, GError **error)
{
    guint objects = dt_context_objects(context);
    gsize row_words = dt_context_row_words(context);
    g_autofree guint64 *row = g_new0(guint64, insertion->concepts->intent_words);

    for (guint i = 0; i < objects; i++) {
        memcpy(row, dt_context_row(context, i), row_words * sizeof *row);
        if (!insert_object(insertion, i, row, limit)) {
            dt_set_error(error, DT_FCA_ERROR, DT_FCA_ERROR_LIMIT,
                         "concept lattice: more than %u concepts after %u of %u traces; "
                         "choose a narrower filter or attributes without frequencies",
                         limit, i + 1, objects);
            return FALSE;
        }
    }
    return TRUE;
}

DtConcepts *dt_godin_concepts(const DtContext *context, guint limit, GError **error)
{
    guint attributes = dt_context_attributes(context);
    g_autoptr(DtConcepts) concepts = dt_concepts_new(context);
    g_autoptr(GPtrArray) by_size = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autofree guint64 *intersection = g_new(guint64, concepts->intent_words);
    Insertion insertion = {concepts, by_size, intersection};

    for (guint size = 0; size <= attributes; size++) {
        g_ptr_array_add(by_size, g_array_new(FALSE, FALSE, sizeof(guint)));
    }
    append_bottom(&insertion, attributes);
    if (!insert_all(&insertion, context, limit, error)) {
        return NULL;
    }
    return g_steal_pointer(&concepts);
}
