/* The finished concept lattice: concepts in their order, covers, reduced labels. */
#include "base/bit_set.h"
#include "fca/concepts.h"

/* All members are (element-type guint). */
typedef struct {
    GArray *extent, *intent;
    GArray *children, *parents;
} Node;

struct DtLattice {
    guint count;
    guint least; /* smaller extents are left out */
    Node *nodes;
    GArray *object_concepts;    /* per object: the concept where it is new */
    GArray *attribute_concepts; /* per attribute */
};

/* What orders concepts: descending extent, then the extent's members. */
typedef struct {
    guint number, extent_size;
} Position;

static int compare_positions(gconstpointer a, gconstpointer b, gpointer data)
{
    const Position *left = a;
    const Position *right = b;
    const DtConcepts *concepts = data;
    if (left->extent_size != right->extent_size) {
        return left->extent_size > right->extent_size ? -1 : 1;
    }
    return dt_bits_compare(dt_concepts_extent(concepts, left->number), dt_concepts_extent(concepts, right->number),
                           concepts->extent_words);
}

static GArray *sorted_positions(DtConcepts *concepts)
{
    GArray *positions = g_array_sized_new(FALSE, FALSE, sizeof(Position), concepts->count);
    for (guint i = 0; i < concepts->count; i++) {
        Position position = {i, dt_bits_count(dt_concepts_extent(concepts, i), concepts->extent_words)};
        g_array_append_val(positions, position);
    }
    g_array_sort_with_data(positions, compare_positions, concepts);
    return positions;
}

static int compare_numbers(gconstpointer a, gconstpointer b)
{
    guint left = *(const guint *)a;
    guint right = *(const guint *)b;
    return (left > right) - (left < right);
}

static void fill_nodes(DtLattice *lattice, const DtConcepts *concepts, const GArray *positions, const GPtrArray *covers)
{
    g_autofree guint *rank = g_new(guint, lattice->count);
    for (guint i = 0; i < lattice->count; i++) {
        guint number = g_array_index(positions, Position, i).number;
        rank[number] = i;
        lattice->nodes[i].extent = dt_bits_members(dt_concepts_extent(concepts, number), concepts->extent_words);
        lattice->nodes[i].intent = dt_bits_members(dt_concepts_intent(concepts, number), concepts->intent_words);
        lattice->nodes[i].children = g_array_new(FALSE, FALSE, sizeof(guint));
        lattice->nodes[i].parents = g_array_new(FALSE, FALSE, sizeof(guint));
    }
    for (guint i = 0; i < lattice->count; i++) {
        const GArray *below = g_ptr_array_index(covers, g_array_index(positions, Position, i).number);
        for (guint j = 0; j < below->len; j++) {
            guint child = rank[g_array_index(below, guint, j)];
            g_array_append_val(lattice->nodes[i].children, child);
            g_array_append_val(lattice->nodes[child].parents, i);
        }
        g_array_sort(lattice->nodes[i].children, compare_numbers);
    }
}

static GArray *unlabelled(guint count)
{
    GArray *concepts = g_array_sized_new(FALSE, FALSE, sizeof(guint), count);
    for (guint i = 0; i < count; i++) {
        const guint nowhere = G_MAXUINT;
        g_array_append_val(concepts, nowhere);
    }
    return concepts;
}

/*
 * In the order of the concepts the last one whose extent holds an object is the
 * object's own, since it lies below the others, unless that is left out; for attributes it is the first.
 */
static void find_labels(DtLattice *lattice, const DtContext *context)
{
    lattice->object_concepts = unlabelled(dt_context_objects(context));
    lattice->attribute_concepts = unlabelled(dt_context_attributes(context));
    for (guint i = 0; i < lattice->count; i++) {
        const GArray *extent = lattice->nodes[i].extent;
        for (guint j = 0; j < extent->len; j++) {
            guint object = g_array_index(extent, guint, j);
            guint attributes = dt_bits_count(dt_context_row(context, object), dt_context_row_words(context));
            if (attributes == lattice->nodes[i].intent->len) {
                g_array_index(lattice->object_concepts, guint, object) = i;
            }
        }
    }
    for (guint i = lattice->count; i-- > 0;) {
        const GArray *intent = lattice->nodes[i].intent;
        for (guint j = 0; j < intent->len; j++) {
            g_array_index(lattice->attribute_concepts, guint, g_array_index(intent, guint, j)) = i;
        }
    }
}

static DtLattice *lattice_of(DtConcepts *concepts, const DtContext *context, guint least)
{
    g_autoptr(GPtrArray) covers = dt_concepts_covers(concepts, context);
    g_autoptr(GArray) positions = sorted_positions(concepts);

    DtLattice *lattice = g_new0(DtLattice, 1);
    lattice->count = concepts->count;
    lattice->least = least;
    lattice->nodes = g_new0(Node, lattice->count);
    fill_nodes(lattice, concepts, positions, covers);
    find_labels(lattice, context);
    return lattice;
}

DtLattice *dt_lattice_new(const DtContext *context, guint limit, GError **error)
{
    g_autoptr(DtConcepts) concepts = dt_godin_concepts(context, limit != 0 ? limit : DT_LATTICE_DEFAULT_LIMIT, error);
    return concepts ? lattice_of(concepts, context, 0) : NULL;
}

DtLattice *dt_lattice_new_upper(const DtContext *context, guint most)
{
    guint least;
    g_autoptr(DtConcepts) concepts = dt_iceberg_concepts(context, most, &least);
    return lattice_of(concepts, context, least);
}

guint dt_lattice_least_extent(const DtLattice *lattice)
{
    return lattice->least;
}

void dt_lattice_free(DtLattice *lattice)
{
    if (!lattice) {
        return;
    }
    for (guint i = 0; i < lattice->count; i++) {
        g_array_unref(lattice->nodes[i].extent);
        g_array_unref(lattice->nodes[i].intent);
        g_array_unref(lattice->nodes[i].children);
        g_array_unref(lattice->nodes[i].parents);
    }
    g_array_unref(lattice->object_concepts);
    g_array_unref(lattice->attribute_concepts);
    g_free(lattice->nodes);
    g_free(lattice);
}

guint dt_lattice_count(const DtLattice *lattice)
{
    return lattice->count;
}

const GArray *dt_lattice_extent(const DtLattice *lattice, guint concept_index)
{
    g_return_val_if_fail(concept_index < lattice->count, NULL);
    return lattice->nodes[concept_index].extent;
}

const GArray *dt_lattice_intent(const DtLattice *lattice, guint concept_index)
{
    g_return_val_if_fail(concept_index < lattice->count, NULL);
    return lattice->nodes[concept_index].intent;
}

const GArray *dt_lattice_children(const DtLattice *lattice, guint concept_index)
{
    g_return_val_if_fail(concept_index < lattice->count, NULL);
    return lattice->nodes[concept_index].children;
}

const GArray *dt_lattice_parents(const DtLattice *lattice, guint concept_index)
{
    g_return_val_if_fail(concept_index < lattice->count, NULL);
    return lattice->nodes[concept_index].parents;
}

/* Those members whose own concept is this one. */
static GArray *own_members(const GArray *members, const GArray *own_concepts, guint concept_index)
{
    GArray *own = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < members->len; i++) {
        guint member = g_array_index(members, guint, i);
        if (g_array_index(own_concepts, guint, member) == concept_index) {
            g_array_append_val(own, member);
        }
    }
    return own;
}

GArray *dt_lattice_own_objects(const DtLattice *lattice, guint concept_index)
{
    g_return_val_if_fail(concept_index < lattice->count, NULL);
    return own_members(lattice->nodes[concept_index].extent, lattice->object_concepts, concept_index);
}

GArray *dt_lattice_own_attributes(const DtLattice *lattice, guint concept_index)
{
    g_return_val_if_fail(concept_index < lattice->count, NULL);
    return own_members(lattice->nodes[concept_index].intent, lattice->attribute_concepts, concept_index);
}
