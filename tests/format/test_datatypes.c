/* Hashes of type signatures: equal for equal rows of predefined datatypes, however they were put together. */
#include "format/datatypes.h"

#include <glib.h>

enum { CHAR = 1, INT = 8, DOUBLE = 16 };

static guint64 hash_of_row(const guint32 *numbers, guint count)
{
    guint64 hash = 0;
    for (guint i = 0; i < count; i++)
        hash = dt_datatype_hash_join(hash, dt_datatype_hash(numbers[i]), 1);
    return hash;
}

static void test_names(void)
{
    g_assert_cmpstr(dt_datatype_names[CHAR], ==, "CHAR");
    g_assert_cmpstr(dt_datatype_names[INT], ==, "INT");
    g_assert_cmpstr(dt_datatype_names[DOUBLE], ==, "DOUBLE");
    g_assert_cmpuint(dt_datatype_name_count, <, DT_FIRST_DERIVED);
    for (guint i = 1; i < dt_datatype_name_count; i++)
        for (guint k = 1; k < i; k++)
            g_assert_cmpstr(dt_datatype_names[i], !=, dt_datatype_names[k]);
}

static void test_repetition_is_writing_it_out(void)
{
    const guint32 pair[] = {INT, DOUBLE};
    guint32 row[200];
    for (guint i = 0; i < G_N_ELEMENTS(row); i++)
        row[i] = pair[i % 2];
    for (guint times = 0; times <= 100; times++)
        g_assert_cmpuint(dt_datatype_hash_repeat(hash_of_row(pair, 2), 2, times), ==, hash_of_row(row, 2 * times));
}

static void test_parts_may_be_cut_anywhere(void)
{
    const guint32 row[] = {INT, INT, DOUBLE, CHAR, INT, CHAR, CHAR};
    for (guint cut = 0; cut <= G_N_ELEMENTS(row); cut++)
        g_assert_cmpuint(dt_datatype_hash_join(hash_of_row(row, cut), hash_of_row(row + cut, G_N_ELEMENTS(row) - cut),
                                               G_N_ELEMENTS(row) - cut),
                         ==, hash_of_row(row, G_N_ELEMENTS(row)));
}

static void test_others_differ(void)
{
    const guint32 rows[][3] = {
        {INT, DOUBLE, INT}, {DOUBLE, INT, INT}, {INT, INT, DOUBLE}, {INT, INT, INT}, {CHAR, INT, INT}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint k = 0; k < i; k++)
            g_assert_cmpuint(hash_of_row(rows[i], 3), !=, hash_of_row(rows[k], 3));
    g_assert_cmpuint(dt_datatype_hash_repeat(dt_datatype_hash(INT), 1, 3), !=,
                     dt_datatype_hash_repeat(dt_datatype_hash(INT), 1, 4));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/datatypes/names", test_names);
    g_test_add_func("/datatypes/repetition", test_repetition_is_writing_it_out);
    g_test_add_func("/datatypes/parts", test_parts_may_be_cut_anywhere);
    g_test_add_func("/datatypes/others", test_others_differ);
    return g_test_run();
}
