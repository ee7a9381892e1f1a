/* Contexts as a table, as .cxt and as text; the names of the attribute settings. */
#include "fca/fca.h"

enum { SEED = 71 };

static void test_setting_names(void)
{
    static const char *const names[] = {"sing.actual", "sing.log10", "sing.noFreq",
                                        "doub.actual", "doub.log10", "doub.noFreq"};
    g_assert_cmpuint(DT_ATTRIBUTE_SETTINGS, ==, G_N_ELEMENTS(names));
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        DtAttributeSetting setting = {DT_ATTRIBUTE_SINGLE, DT_FREQUENCY_ACTUAL};
        g_assert_cmpstr(dt_attribute_setting_name(dt_attribute_settings()[i]), ==, names[i]);
        g_assert_true(dt_attribute_setting_parse(names[i], &setting, NULL));
        g_assert_cmpint(setting.unit, ==, dt_attribute_settings()[i].unit);
        g_assert_cmpint(setting.frequency, ==, dt_attribute_settings()[i].frequency);
    }
}

static void test_setting_unknown(void)
{
    static const char *const wrong[] = {"", "sing", "sing.", "triple.actual", "sing.noFreq "};
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        DtAttributeSetting setting;
        g_assert_false(dt_attribute_setting_parse(wrong[i], &setting, &error));
        g_assert_error(error, DT_FCA_ERROR, DT_FCA_ERROR_UNKNOWN_ATTRIBUTES);
        g_assert_null(strchr(error->message, '\n'));
        g_autofree char *quoted = g_strdup_printf("'%s'", wrong[i]);
        g_assert_nonnull(strstr(error->message, quoted));
    }
}

/* A context and the same table as plain characters. */
typedef struct {
    DtContext *context;
    guint objects, attributes;
    gboolean *cells;
} Table;

static gboolean *table_cell(const Table *table, guint object, guint attribute)
{
    return &table->cells[object * table->attributes + attribute];
}

/* Objects and attributes come in any order, so that the table grows both ways. */
static Table random_table(GRand *random)
{
    Table table = {dt_context_new(), (guint)g_rand_int_range(random, 1, 60), (guint)g_rand_int_range(random, 1, 300),
                   NULL};
    table.cells = g_new0(gboolean, table.objects * table.attributes);
    for (guint i = 0; i < table.objects; i++) {
        g_autofree char *label = g_strdup_printf("%u.%u", i / 2, i % 2);
        g_assert_cmpuint(dt_context_add_object(table.context, label), ==, i);
        for (guint crosses = (guint)g_rand_int_range(random, 0, 50); crosses > 0; crosses--) {
            guint attribute = (guint)g_rand_int_range(random, 0, (gint32)table.attributes);
            g_autofree char *name = g_strdup_printf("%u", attribute);
            dt_context_add_attribute(table.context, (guint)g_rand_int_range(random, 0, (gint32)i + 1), name);
        }
    }
    for (guint i = 0; i < table.objects; i++) {
        for (guint j = 0; j < dt_context_attributes(table.context); j++) {
            guint attribute = (guint)g_ascii_strtoull(dt_context_attribute_name(table.context, j), NULL, 10);
            *table_cell(&table, i, attribute) = dt_context_has(table.context, i, j);
        }
    }
    return table;
}

static void table_clear(Table *table)
{
    dt_context_free(table->context);
    g_free(table->cells);
}

static void test_growth(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
    g_test_message("seed %d", SEED);
    for (guint round = 0; round < 50; round++) {
        g_autoptr(DtContext) context = dt_context_new();
        g_autoptr(GHashTable) crosses = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        guint objects = 0;
        for (guint step = 0; step < 600; step++) {
            if (objects == 0 || g_rand_int_range(random, 0, 8) == 0) {
                g_autofree char *label = g_strdup_printf("t%u", objects);
                g_assert_cmpuint(dt_context_add_object(context, label), ==, objects);
                objects++;
                continue;
            }
            guint object = (guint)g_rand_int_range(random, 0, (gint32)objects);
            g_autofree char *name = g_strdup_printf("a%d", g_rand_int_range(random, 0, 1 + (gint32)round * 8));
            dt_context_add_attribute(context, object, name);
            g_hash_table_add(crosses, g_strdup_printf("%u %s", object, name));
        }
        g_assert_cmpuint(dt_context_objects(context), ==, objects);
        guint found = 0;
        for (guint i = 0; i < objects; i++) {
            g_autofree char *label = g_strdup_printf("t%u", i);
            g_assert_cmpstr(dt_context_object_label(context, i), ==, label);
            const guint64 *row = dt_context_row(context, i);
            for (guint j = 0; j < dt_context_attributes(context); j++) {
                g_autofree char *cross = g_strdup_printf("%u %s", i, dt_context_attribute_name(context, j));
                gboolean has = g_hash_table_contains(crosses, cross);
                g_assert_cmpint(dt_context_has(context, i, j), ==, has);
                g_assert_cmpuint(row[j / 64] >> (j % 64) & 1, ==, has ? 1 : 0);
                found += has ? 1 : 0;
            }
            for (gsize j = dt_context_attributes(context); j < dt_context_row_words(context) * 64; j++) {
                g_assert_cmpuint(row[j / 64] >> (j % 64) & 1, ==, 0);
            }
        }
        g_assert_cmpuint(found, ==, g_hash_table_size(crosses));
    }
}

/* Reads the format as its definition says, without looking at the context. */
static void assert_cxt_is(const char *text, const Table *table)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint attributes = dt_context_attributes(table->context);
    g_assert_cmpuint(g_strv_length(lines), ==, 5 + 2 * table->objects + attributes + 1);
    g_assert_cmpstr(lines[0], ==, "B");
    g_assert_cmpstr(lines[1], ==, "");
    g_assert_cmpuint(g_ascii_strtoull(lines[2], NULL, 10), ==, table->objects);
    g_assert_cmpuint(g_ascii_strtoull(lines[3], NULL, 10), ==, attributes);
    g_assert_cmpstr(lines[4], ==, "");
    char **labels = lines + 5;
    char **names = labels + table->objects;
    char **rows = names + attributes;
    for (guint i = 0; i < table->objects; i++) {
        g_autofree char *label = g_strdup_printf("%u.%u", i / 2, i % 2);
        g_assert_cmpstr(labels[i], ==, label);
        g_assert_cmpuint(strlen(rows[i]), ==, attributes);
        for (guint j = 0; j < attributes; j++) {
            guint attribute = (guint)g_ascii_strtoull(names[j], NULL, 10);
            g_assert_cmpint(rows[i][j], ==, *table_cell(table, i, attribute) ? 'X' : '.');
        }
    }
    g_assert_cmpstr(rows[table->objects], ==, "");
}

static void test_cxt_random(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(SEED + 1);
    g_test_message("seed %d", SEED + 1);
    for (guint round = 0; round < 50; round++) {
        Table table = random_table(random);
        g_autofree char *text = dt_context_to_cxt(table.context);
        assert_cxt_is(text, &table);
        table_clear(&table);
    }
}

static DtContext *small_context(void)
{
    DtContext *context = dt_context_new();
    dt_context_add_object(context, "0.0");
    dt_context_add_object(context, "10.0");
    dt_context_add_attribute(context, 0, "MPI_Send:16");
    dt_context_add_attribute(context, 1, "L0");
    dt_context_add_attribute(context, 0, "L0");
    return context;
}

static void test_formats(void)
{
    g_autoptr(DtContext) context = small_context();
    g_autofree char *cxt = dt_context_to_cxt(context);
    g_autofree char *text = dt_context_to_text(context);
    g_assert_cmpstr(cxt, ==, "B\n\n2\n2\n\n0.0\n10.0\nMPI_Send:16\nL0\nXX\n.X\n");
    g_assert_cmpstr(text, ==,
                    "            0.0 10.0\n"
                    "MPI_Send:16 x   .\n"
                    "L0          x   x\n");
}

static void test_formats_empty(void)
{
    g_autoptr(DtContext) context = dt_context_new();
    g_autofree char *cxt = dt_context_to_cxt(context);
    g_autofree char *text = dt_context_to_text(context);
    g_assert_cmpstr(cxt, ==, "B\n\n0\n0\n\n");
    g_assert_cmpstr(text, ==, "\n");
}

/* One name a line, whatever the name. */
static void test_cxt_line_breaks(void)
{
    g_autoptr(DtContext) context = dt_context_new();
    dt_context_add_object(context, "a\nb");
    dt_context_add_attribute(context, 0, "c\rd");
    g_autofree char *cxt = dt_context_to_cxt(context);
    g_assert_cmpstr(cxt, ==, "B\n\n1\n1\n\na\\x0ab\nc\\x0dd\nX\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fca/setting/names", test_setting_names);
    g_test_add_func("/fca/setting/unknown", test_setting_unknown);
    g_test_add_func("/fca/context/growth", test_growth);
    g_test_add_func("/fca/context/cxt-random", test_cxt_random);
    g_test_add_func("/fca/context/formats", test_formats);
    g_test_add_func("/fca/context/formats-empty", test_formats_empty);
    g_test_add_func("/fca/context/cxt-line-breaks", test_cxt_line_breaks);
    return g_test_run();
}
