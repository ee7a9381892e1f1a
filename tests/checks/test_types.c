/* Which datatypes may be received as which. */
#include "checks/types.h"

enum { BYTE = 4, INT = 8, UNSIGNED = 9, LONG = 10, FLOAT = 15, DOUBLE = 16, PACKED = 18, INT32 = 21, INTEGER = 43 };

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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/checks/types/predefined", test_predefined);
    g_test_add_func("/checks/types/unknown", test_what_is_not_known);
    return g_test_run();
}
