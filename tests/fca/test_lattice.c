/*
 * The lattice against NextClosure (Ganter 1984) and, on small contexts, against all
 * intersections of rows; covers against the transitive reduction of the order.
 */
#include "fca/fca.h"

enum { SEED = 97, MAX_OBJECTS = 24, MAX_ATTRIBUTES = 14 };

/* Rows and sets of attributes as the bits of a number. */
typedef struct {
    guint objects, attributes;
    guint32 rows[MAX_OBJECTS];
} Table;

static guint32 all_attributes(const Table *table)
{
    return ((guint32)1 << table->attributes) - 1;
}

/* Attributes common to all objects that have those of `set`. */
static guint32 closure(const Table *table, guint32 set)
{
    guint32 closed = all_attributes(table);
    for (guint i = 0; i < table->objects; i++) {
        if ((table->rows[i] & set) == set) {
            closed &= table->rows[i];
        }
    }
    return closed;
}

/* All intents in lectic order (element-type guint32). */
static GArray *next_closure_intents(const Table *table)
{
    GArray *intents = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint32 set = closure(table, 0);
    g_array_append_val(intents, set);
    while (set != all_attributes(table)) {
        for (guint attribute = table->attributes; attribute-- > 0;) {
            guint32 bit = (guint32)1 << attribute;
            guint32 smaller = bit - 1; /* attributes before this one */
            if ((set & bit) != 0) {
                continue;
            }
            guint32 next = closure(table, (set & smaller) | bit);
            if ((next & smaller) == (set & smaller)) {
                set = next;
                break;
            }
        }
        g_array_append_val(intents, set);
    }
    return intents;
}

static gboolean array_has(const GArray *array, guint32 value)
{
    for (guint i = 0; i < array->len; i++) {
        if (g_array_index(array, guint32, i) == value) {
            return TRUE;
        }
    }
    return FALSE;
}

/* All intersections of sets of rows, the empty one included (element-type guint32). */
static GArray *row_intersections(const Table *table)
{
    GArray *intents = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 subset = 0; subset < (guint32)1 << table->objects; subset++) {
        guint32 common = all_attributes(table);
        for (guint i = 0; i < table->objects; i++) {
            common &= (subset >> i & 1) != 0 ? table->rows[i] : G_MAXUINT32;
        }
        if (!array_has(intents, common)) {
            g_array_append_val(intents, common);
        }
    }
    return intents;
}

/* Named by their bits, as their ids follow first use. */
static DtContext *context_of(const Table *table)
{
    DtContext *context = dt_context_new();
    for (guint i = 0; i < table->objects; i++) {
        g_autofree char *label = g_strdup_printf("o%u", i);
        dt_context_add_object(context, label);
        for (guint j = 0; j < table->attributes; j++) {
            if ((table->rows[i] >> j & 1) != 0) {
                g_autofree char *name = g_strdup_printf("%u", j);
                dt_context_add_attribute(context, i, name);
            }
        }
    }
    return context;
}

/* The test's bit of a context's attribute. */
static guint32 attribute_bit(const DtContext *context, guint attribute)
{
    return (guint32)1 << g_ascii_strtoull(dt_context_attribute_name(context, attribute), NULL, 10);
}

/* Attributes that no object has are unknown to a context: the table must do without them too. */
static void drop_unused_attributes(Table *table)
{
    guint32 used = 0;
    for (guint i = 0; i < table->objects; i++) {
        used |= table->rows[i];
    }
    guint kept = 0;
    for (guint j = 0; j < table->attributes; j++) {
        if ((used >> j & 1) == 0) {
            continue;
        }
        for (guint i = 0; i < table->objects; i++) {
            guint32 cross = table->rows[i] >> j & 1;
            table->rows[i] = (table->rows[i] & ~((guint32)1 << kept)) | cross << kept;
        }
        kept++;
    }
    table->attributes = kept;
    for (guint i = 0; i < table->objects; i++) {
        table->rows[i] &= all_attributes(table);
    }
}

/* Rows of any density; some empty, some full, some repeated. */
static Table random_table(GRand *random)
{
    Table table = {.objects = (guint)g_rand_int_range(random, 0, MAX_OBJECTS / 2 + 1),
                   .attributes = (guint)g_rand_int_range(random, 0, MAX_ATTRIBUTES / 2 + 1)};
    if (g_rand_int_range(random, 0, 8) == 0) {
        table.objects = (guint)g_rand_int_range(random, 0, MAX_OBJECTS + 1);
        table.attributes = (guint)g_rand_int_range(random, 0, MAX_ATTRIBUTES + 1);
    }
    double density = g_rand_double(random);
    for (guint i = 0; i < table.objects; i++) {
        for (guint j = 0; j < table.attributes; j++) {
            table.rows[i] |= g_rand_double(random) < density ? (guint32)1 << j : 0;
        }
        switch (g_rand_int_range(random, 0, 12)) {
        case 0:
            table.rows[i] = 0;
            break;
        case 1:
            table.rows[i] = all_attributes(&table);
            break;
        case 2:
        case 3:
            table.rows[i] = table.rows[g_rand_int_range(random, 0, (gint32)i + 1)];
            break;
        default:
            break;
        }
    }
    drop_unused_attributes(&table);
    return table;
}

static guint32 intent_bits(const DtLattice *lattice, const DtContext *context, guint concept_index)
{
    const GArray *intent = dt_lattice_intent(lattice, concept_index);
    guint32 bits = 0;
    for (guint i = 0; i < intent->len; i++) {
        g_assert_true(i == 0 || g_array_index(intent, guint, i - 1) < g_array_index(intent, guint, i));
        bits |= attribute_bit(context, g_array_index(intent, guint, i));
    }
    return bits;
}

static guint32 extent_bits(const DtLattice *lattice, guint concept_index)
{
    const GArray *extent = dt_lattice_extent(lattice, concept_index);
    guint32 bits = 0;
    for (guint i = 0; i < extent->len; i++) {
        g_assert_true(i == 0 || g_array_index(extent, guint, i - 1) < g_array_index(extent, guint, i));
        bits |= (guint32)1 << g_array_index(extent, guint, i);
    }
    return bits;
}

static void assert_intents(const DtLattice *lattice, const DtContext *context, const GArray *expected)
{
    g_assert_cmpuint(dt_lattice_count(lattice), ==, expected->len);
    g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < dt_lattice_count(lattice); i++) {
        guint32 intent = intent_bits(lattice, context, i);
        g_assert_true(array_has(expected, intent));
        g_assert_false(array_has(seen, intent));
        g_array_append_val(seen, intent);
    }
}

static void assert_extents(const DtLattice *lattice, const DtContext *context, const Table *table)
{
    for (guint i = 0; i < dt_lattice_count(lattice); i++) {
        guint32 intent = intent_bits(lattice, context, i);
        guint32 expected = 0;
        for (guint j = 0; j < table->objects; j++) {
            expected |= (table->rows[j] & intent) == intent ? (guint32)1 << j : 0;
        }
        g_assert_cmphex(extent_bits(lattice, i), ==, expected);
    }
    g_assert_cmpuint(dt_lattice_extent(lattice, 0)->len, ==, table->objects);
}

static void assert_order(const DtLattice *lattice)
{
    for (guint i = 1; i < dt_lattice_count(lattice); i++) {
        const GArray *before = dt_lattice_extent(lattice, i - 1);
        const GArray *here = dt_lattice_extent(lattice, i);
        g_assert_cmpuint(before->len, >=, here->len);
        if (before->len == here->len) {
            guint j = 0;
            while (g_array_index(before, guint, j) == g_array_index(here, guint, j)) {
                j++;
                g_assert_cmpuint(j, <, here->len);
            }
            g_assert_cmpuint(g_array_index(before, guint, j), <, g_array_index(here, guint, j));
        }
    }
}

static gboolean has_index(const GArray *indices, guint value)
{
    for (guint i = 0; i < indices->len; i++) {
        if (g_array_index(indices, guint, i) == value) {
            return TRUE;
        }
    }
    return FALSE;
}

/* b is directly below a exactly if it is below a and nothing lies between. */
static void assert_covers(const DtLattice *lattice)
{
    guint count = dt_lattice_count(lattice);
    g_autofree guint32 *extents = g_new(guint32, count);
    for (guint i = 0; i < count; i++) {
        extents[i] = extent_bits(lattice, i);
    }
    for (guint a = 0; a < count; a++) {
        guint covered = 0;
        for (guint b = 0; b < count; b++) {
            gboolean below = a != b && (extents[a] & extents[b]) == extents[b];
            for (guint c = 0; c < count && below; c++) {
                if (c != a && c != b && (extents[a] & extents[c]) == extents[c] &&
                    (extents[c] & extents[b]) == extents[b]) {
                    below = FALSE;
                }
            }
            g_assert_cmpint(has_index(dt_lattice_children(lattice, a), b), ==, below);
            g_assert_cmpint(has_index(dt_lattice_parents(lattice, b), a), ==, below);
            covered += below ? 1 : 0;
        }
        g_assert_cmpuint(dt_lattice_children(lattice, a)->len, ==, covered);
    }
}

/* Every object and attribute is new at one concept, and there its row or column is the concept's. */
static void assert_labels(const DtLattice *lattice, const DtContext *context, const Table *table)
{
    guint32 objects = 0;
    guint32 attributes = 0;
    for (guint i = 0; i < dt_lattice_count(lattice); i++) {
        g_autoptr(GArray) own_objects = dt_lattice_own_objects(lattice, i);
        g_autoptr(GArray) own_attributes = dt_lattice_own_attributes(lattice, i);
        for (guint j = 0; j < own_objects->len; j++) {
            guint object = g_array_index(own_objects, guint, j);
            g_assert_cmphex(objects >> object & 1, ==, 0);
            objects |= (guint32)1 << object;
            g_assert_cmphex(table->rows[object], ==, intent_bits(lattice, context, i));
        }
        for (guint j = 0; j < own_attributes->len; j++) {
            guint32 bit = attribute_bit(context, g_array_index(own_attributes, guint, j));
            g_assert_cmphex(attributes & bit, ==, 0);
            attributes |= bit;
            g_assert_cmphex(closure(table, bit), ==, intent_bits(lattice, context, i));
        }
    }
    g_assert_cmphex(objects, ==, ((guint32)1 << table->objects) - 1);
    g_assert_cmphex(attributes, ==, all_attributes(table));
}

static void assert_equal_indices(const GArray *a, const GArray *b, guint below)
{
    guint next = 0;
    for (guint i = 0; i < b->len; i++) {
        if (g_array_index(b, guint, i) < below) {
            g_assert_cmpuint(next, <, a->len);
            g_assert_cmpuint(g_array_index(a, guint, next++), ==, g_array_index(b, guint, i));
        }
    }
    g_assert_cmpuint(next, ==, a->len);
}

/* The upper part is the first concepts of the whole lattice, up to a size of the extent, and as many as there is room
 * for. */
static void assert_upper(const DtContext *context, const DtLattice *whole, guint most)
{
    g_autoptr(DtLattice) upper = dt_lattice_new_upper(context, most);
    guint count = dt_lattice_count(upper), least = dt_lattice_least_extent(upper), all = dt_lattice_count(whole);
    g_assert_cmpuint(count, >=, 1);
    g_assert_cmpuint(count, <=, most);
    g_assert_cmpint(count == all, ==, least == 0);
    for (guint i = 0; i < count; i++) {
        g_autoptr(GArray) objects = dt_lattice_own_objects(upper, i), attributes = dt_lattice_own_attributes(upper, i);
        g_autoptr(GArray) all_objects = dt_lattice_own_objects(whole, i),
                          all_attributes = dt_lattice_own_attributes(whole, i);
        g_assert_cmpuint(dt_lattice_extent(upper, i)->len, >=, least);
        assert_equal_indices(dt_lattice_extent(upper, i), dt_lattice_extent(whole, i), G_MAXUINT);
        assert_equal_indices(dt_lattice_intent(upper, i), dt_lattice_intent(whole, i), G_MAXUINT);
        assert_equal_indices(dt_lattice_children(upper, i), dt_lattice_children(whole, i), count);
        assert_equal_indices(dt_lattice_parents(upper, i), dt_lattice_parents(whole, i), count);
        assert_equal_indices(objects, all_objects, G_MAXUINT);
        assert_equal_indices(attributes, all_attributes, G_MAXUINT);
    }
    if (least > 0) {
        guint more = count;
        g_assert_cmpuint(dt_lattice_extent(whole, count)->len, <, least);
        while (more < all && dt_lattice_extent(whole, more)->len + 1 >= least) {
            more++;
        }
        g_assert_cmpuint(more, >, most);
    }
}

static void test_random(void)
{
    enum { ROUNDS = 4000 };
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_test_message("seed %d", SEED);
    guint greatest = 0;
    for (guint round = 0; round < ROUNDS; round++) {
        Table table = random_table(random);
        g_autoptr(DtContext) context = context_of(&table);
        g_assert_cmpuint(dt_context_attributes(context), ==, table.attributes);
        g_autoptr(GError) error = NULL;
        g_autoptr(DtLattice) lattice = dt_lattice_new(context, 0, &error);
        g_assert_no_error(error);
        g_autoptr(GArray) expected = next_closure_intents(&table);
        assert_intents(lattice, context, expected);
        if (table.objects <= 8) {
            g_autoptr(GArray) intersections = row_intersections(&table);
            assert_intents(lattice, context, intersections);
        }
        assert_extents(lattice, context, &table);
        assert_order(lattice);
        assert_labels(lattice, context, &table);
        if (dt_lattice_count(lattice) <= 100) {
            assert_covers(lattice);
        }
        assert_upper(context, lattice, (guint)g_rand_int_range(random, 1, (gint)dt_lattice_count(lattice) + 2));
        greatest = MAX(greatest, dt_lattice_count(lattice));
    }
    g_test_message("largest lattice: %u concepts", greatest);
    g_assert_cmpuint(greatest, >, 100);
}

static DtContext *odd_even_context(void)
{
    DtContext *context = dt_context_new();
    for (guint i = 0; i < 4; i++) {
        g_autofree char *label = g_strdup_printf("%u.0", i);
        dt_context_add_object(context, label);
        dt_context_add_attribute(context, i, "MPI_Init");
        dt_context_add_attribute(context, i, "MPI_Comm_rank");
        dt_context_add_attribute(context, i, "MPI_Comm_size");
        dt_context_add_attribute(context, i, i % 2 == 0 ? "L0" : "L1");
        dt_context_add_attribute(context, i, "MPI_Finalize");
    }
    return context;
}

static void test_odd_even(void)
{
    g_autoptr(DtContext) context = odd_even_context();
    g_autoptr(DtLattice) lattice = dt_lattice_new(context, 0, NULL);
    g_autofree char *text = dt_lattice_to_text(lattice, context);
    g_assert_cmpuint(dt_lattice_count(lattice), ==, 4);
    g_assert_cmpstr(text, ==,
                    "concept 0: 4 traces, 4 attributes\n"
                    "  new traces: none\n"
                    "  new attributes: MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize\n"
                    "  traces: 0.0, 1.0, 2.0, 3.0\n"
                    "  attributes: MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize\n"
                    "  directly below: 1 2\n"
                    "\n"
                    "concept 1: 2 traces, 5 attributes\n"
                    "  new traces: 0.0, 2.0\n"
                    "  new attributes: L0\n"
                    "  traces: 0.0, 2.0\n"
                    "  attributes: MPI_Init, MPI_Comm_rank, MPI_Comm_size, L0, MPI_Finalize\n"
                    "  directly below: 3\n"
                    "\n"
                    "concept 2: 2 traces, 5 attributes\n"
                    "  new traces: 1.0, 3.0\n"
                    "  new attributes: L1\n"
                    "  traces: 1.0, 3.0\n"
                    "  attributes: MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize, L1\n"
                    "  directly below: 3\n"
                    "\n"
                    "concept 3: 0 traces, 6 attributes\n"
                    "  new traces: none\n"
                    "  new attributes: none\n"
                    "  traces: none\n"
                    "  attributes: MPI_Init, MPI_Comm_rank, MPI_Comm_size, L0, MPI_Finalize, L1\n"
                    "  directly below: none\n");
}

/* n objects, each with all but one of n attributes: 2^n concepts. */
static DtContext *contranominal(guint n)
{
    DtContext *context = dt_context_new();
    for (guint i = 0; i < n; i++) {
        dt_context_add_object(context, "trace");
        for (guint j = 0; j < n; j++) {
            g_autofree char *name = g_strdup_printf("%u", j);
            if (i != j) {
                dt_context_add_attribute(context, i, name);
            }
        }
    }
    return context;
}

static void test_limit(void)
{
    g_autoptr(DtContext) context = contranominal(10);
    g_autoptr(GError) error = NULL;
    g_autoptr(DtLattice) exact = dt_lattice_new(context, 1024, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dt_lattice_count(exact), ==, 1024);
    g_assert_null(dt_lattice_new(context, 1023, &error));
    g_assert_error(error, DT_FCA_ERROR, DT_FCA_ERROR_LIMIT);
    g_assert_nonnull(strstr(error->message, "1023"));
    g_assert_null(strchr(error->message, '\n'));
}

static void test_default_limit(void)
{
    g_autoptr(DtContext) context = contranominal(30);
    g_autoptr(GError) error = NULL;
    g_assert_null(dt_lattice_new(context, 0, &error));
    g_assert_error(error, DT_FCA_ERROR, DT_FCA_ERROR_LIMIT);
    g_assert_nonnull(strstr(error->message, "100000"));
}

/* More than one word of attributes and of objects: chains and antichains of known size. */
static void test_wide(void)
{
    enum { N = 150 };
    g_autoptr(DtContext) chain = dt_context_new();
    g_autoptr(DtContext) antichain = dt_context_new();
    for (guint i = 0; i < N; i++) {
        dt_context_add_object(chain, "trace");
        dt_context_add_object(antichain, "trace");
        for (guint j = 0; j <= i; j++) {
            g_autofree char *name = g_strdup_printf("%u", j);
            dt_context_add_attribute(chain, i, name);
        }
        g_autofree char *own = g_strdup_printf("%u", i);
        dt_context_add_attribute(antichain, i, own);
    }
    g_autoptr(DtLattice) deep = dt_lattice_new(chain, 0, NULL);
    g_autoptr(DtLattice) flat = dt_lattice_new(antichain, 0, NULL);
    assert_upper(chain, deep, N / 2);
    assert_upper(antichain, flat, N);
    g_assert_cmpuint(dt_lattice_count(deep), ==, N);
    for (guint i = 0; i < N; i++) {
        g_assert_cmpuint(dt_lattice_extent(deep, i)->len, ==, N - i);
        g_assert_cmpuint(dt_lattice_intent(deep, i)->len, ==, i + 1);
        g_assert_cmpuint(dt_lattice_children(deep, i)->len, ==, i + 1 < N ? 1 : 0);
    }
    g_assert_cmpuint(dt_lattice_count(flat), ==, N + 2);
    g_assert_cmpuint(dt_lattice_children(flat, 0)->len, ==, N);
    g_assert_cmpuint(dt_lattice_parents(flat, N + 1)->len, ==, N);
    for (guint i = 0; i < N; i++) {
        g_assert_cmpuint(g_array_index(dt_lattice_extent(flat, i + 1), guint, 0), ==, i);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fca/lattice/random", test_random);
    g_test_add_func("/fca/lattice/odd-even", test_odd_even);
    g_test_add_func("/fca/lattice/limit", test_limit);
    g_test_add_func("/fca/lattice/default-limit", test_default_limit);
    g_test_add_func("/fca/lattice/wide", test_wide);
    return g_test_run();
}
