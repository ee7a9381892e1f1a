/* Which datatypes may be received as which. */
#include "checks/types.h"
#include "format/datatypes.h"
#include "store/arguments/datatypes.h"

enum {
    BYTE = 4,
    INT = 8,
    UNSIGNED = 9,
    LONG = 10,
    FLOAT = 15,
    DOUBLE = 16,
    PACKED = 18,
    INT32 = 21,
    DOUBLE_INT = 36,
    TWO_INT = 38,
    INTEGER = 43
};

static DtTypeMatch match(guint sent, gint64 sent_size, guint got, gint64 got_size)
{
    const DtCheckedData one = {8 / sent_size, sent_size, sent, NULL}, other = {8 / got_size, got_size, got, NULL};
    return dt_checked_types_match(&one, &other);
}

static void test_predefined(void)
{
    g_assert_cmpint(match(INT, 4, INT, 4), ==, DT_TYPES_AGREE);
    g_assert_cmpint(match(INT, 4, INTEGER, 4), ==, DT_TYPES_AGREE);
    g_assert_cmpint(match(INT, 4, INT32, 4), ==, DT_TYPES_AGREE);
    g_assert_cmpint(match(INT, 4, UNSIGNED, 4), ==, DT_TYPES_DIFFER);
    g_assert_cmpint(match(INT, 4, BYTE, 1), ==, DT_TYPES_DIFFER);
    g_assert_cmpint(match(INT, 4, PACKED, 1), ==, DT_TYPES_AGREE);
    g_assert_cmpint(match(INT, 4, FLOAT, 4), ==, DT_TYPES_CLASH);
    g_assert_cmpint(match(INT, 4, LONG, 8), ==, DT_TYPES_CLASH);
    g_assert_cmpint(match(DOUBLE, 8, FLOAT, 4), ==, DT_TYPES_CLASH);
}

static void test_what_is_not_known(void)
{
    g_assert_cmpint(match(0, 4, FLOAT, 4), ==, DT_TYPES_AGREE);
    const DtCheckedData none = {0, 4, INT, NULL}, some = {2, 4, FLOAT, NULL}, unknown = {-1, 0, 0, NULL};
    g_assert_cmpint(dt_checked_types_match(&none, &some), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_types_match(&some, &unknown), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_bytes(&unknown), ==, -1);
}

/* A structure of one `first` and one `second`, one behind the other. */
static const DtNumbers *structure(DtFunctions *functions, guint first, guint second)
{
    const guint64 hash = dt_datatype_hash_join(dt_datatype_hash(first), dt_datatype_hash(second), 1);
    const gint64 values[] = {
        DT_DATATYPE_MARK - DT_CONSTRUCTOR_STRUCT, (gint64)hash, 2, 2, 1, 1, 0, 8, (gint64)first, (gint64)second};
    g_autoptr(GPtrArray) none = g_ptr_array_new();
    return dt_datatype_intern(functions, values, G_N_ELEMENTS(values), none);
}

/* What was sent as anything may be received packed, and the other way round (MPI 3.1, 4.2). */
static void test_packed(void)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    const DtCheckedData parts = {1, 12, 0, structure(functions, DOUBLE, INT)};
    const DtCheckedData packed = {16, 1, PACKED, NULL}, bytes = {16, 1, BYTE, NULL};
    g_assert_cmpint(dt_checked_types_match(&parts, &packed), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_types_match(&packed, &parts), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_types_match(&parts, &bytes), ==, DT_TYPES_DIFFER);
}

/* A pair is its two parts (MPI 3.1, 5.9.4), also where a structure has them, or a pair is a part of one. */
static void test_pairs(void)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    const DtCheckedData pair = {1, 12, DOUBLE_INT, NULL}, pairs = {2, 12, DOUBLE_INT, NULL};
    const DtCheckedData parts = {1, 12, 0, structure(functions, DOUBLE, INT)};
    const DtCheckedData others = {1, 12, 0, structure(functions, INT, DOUBLE)};
    const DtCheckedData nested = {2, 16, 0, structure(functions, DOUBLE_INT, INT)};
    const DtCheckedData ints = {2, 4, INT, NULL}, two_ints = {1, 8, TWO_INT, NULL}, floats = {2, 4, FLOAT, NULL};
    g_assert_cmpint(dt_checked_types_match(&parts, &pair), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_types_match(&pair, &parts), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_types_match(&parts, &pairs), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_types_match(&ints, &two_ints), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_types_match(&two_ints, &ints), ==, DT_TYPES_AGREE);
    g_assert_cmpint(dt_checked_types_match(&floats, &two_ints), ==, DT_TYPES_CLASH);
    g_assert_cmpint(dt_checked_types_match(&others, &pair), ==, DT_TYPES_CLASH);
    g_assert_cmpint(dt_checked_types_match(&nested, &pair), ==, DT_TYPES_CLASH);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/checks/types/predefined", test_predefined);
    g_test_add_func("/checks/types/unknown", test_what_is_not_known);
    g_test_add_func("/checks/types/packed", test_packed);
    g_test_add_func("/checks/types/pairs", test_pairs);
    return g_test_run();
}
