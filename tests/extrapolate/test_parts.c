/* Exact numbers, equations, formulas of numbers, conditions: each against values made here. */
#include <string.h>

#include "extrapolate/condition.h"
#include "extrapolate/number_law.h"

static void test_rational(void)
{
    DtRational half, third, sum;
    g_assert_true(dt_rational_make(-2, -4, &half));
    g_assert_true(half.above == 1 && half.below == 2);
    g_assert_true(dt_rational_make(1, 3, &third));
    g_assert_true(dt_rational_add(half, third, &sum));
    g_assert_true(sum.above == 5 && sum.below == 6);
    g_assert_false(dt_rational_make(1, 0, &sum));
    g_assert_false(dt_rational_times(dt_rational_of(G_MAXINT64), dt_rational_of(2), &sum));
}

static void test_equations(void)
{
    /* 2a + b = 7, a - b = 2, of which the third follows and the fourth does not. */
    const DtRational first[] = {{2, 1}, {1, 1}}, second[] = {{1, 1}, {-1, 1}}, third[] = {{3, 1}, {0, 1}};
    DtEquations equations;
    DtRational solution[2];
    dt_equations_begin(&equations, 2);
    g_assert_true(dt_equations_add(&equations, first, 7));
    g_assert_true(dt_equations_add(&equations, second, 2));
    g_assert_true(dt_equations_add(&equations, third, 9));
    g_assert_cmpuint(equations.spare, ==, 1);
    g_assert_false(dt_equations_add(&equations, third, 8));
    g_assert_true(dt_equations_solve(&equations, solution));
    g_assert_true(solution[0].above == 3 && solution[1].above == 1);
}

static void add_mesh(GArray *spots, guint rows, guint columns)
{
    const DtMesh mesh = {2, {rows, columns}};
    for (guint rank = 0; rank < rows * columns; rank++) {
        const DtSpot spot = dt_spot(rank, rows * columns, &mesh);
        g_array_append_val(spots, spot);
    }
}

static GArray *meshes(void)
{
    GArray *spots = g_array_new(FALSE, FALSE, sizeof(DtSpot));
    add_mesh(spots, 3, 3);
    add_mesh(spots, 4, 3);
    add_mesh(spots, 5, 5);
    return spots;
}

typedef gint64 (*Value)(const DtSpot *spot);

static gint64 strong(const DtSpot *spot)
{
    return 60 / spot->size[0] + 4;
}
static gint64 corners(const DtSpot *spot)
{
    return 300 / spot->size[1] - 5 * (spot->at[1] == 0) - 5 * (spot->at[1] == spot->size[1] - 1);
}
static gint64 blocks(const DtSpot *spot)
{
    return 3 * (17 / spot->size[0] + (spot->at[0] < 17 % spot->size[0]));
}
static gint64 row_number(const DtSpot *spot)
{
    return spot->rank / 4;
}
static gint64 chance(const DtSpot *spot)
{
    return (spot->rank * spot->rank * 37 + spot->ranks * 11) % 101;
}

static gboolean law_of(Value value, DtNumberLaw *law)
{
    g_autoptr(GArray) spots = meshes(), samples = g_array_new(FALSE, FALSE, sizeof(DtNumberSample));
    for (guint i = 0; i < spots->len; i++) {
        const DtNumberSample sample = {g_array_index(spots, DtSpot, i), value(&g_array_index(spots, DtSpot, i))};
        g_array_append_val(samples, sample);
    }
    return dt_number_law_find(samples, DT_TRY_MANY, law);
}

static void test_numbers(void)
{
    static const Value values[] = {strong, corners, blocks, row_number};
    g_autoptr(GArray) unseen = g_array_new(FALSE, FALSE, sizeof(DtSpot));
    DtNumberLaw law;
    add_mesh(unseen, 6, 10);
    for (guint v = 0; v < G_N_ELEMENTS(values); v++) {
        g_assert_true(law_of(values[v], &law));
        g_assert_cmpuint(law.spare, >, 0);
        for (guint i = 0; i < unseen->len; i++) {
            gint64 number;
            g_assert_true(dt_number_law_at(&law, &g_array_index(unseen, DtSpot, i), &number));
            g_assert_cmpint(number, ==, values[v](&g_array_index(unseen, DtSpot, i)));
        }
    }
    g_assert_false(law_of(chance, &law));
}

typedef gboolean (*Member)(const DtSpot *spot);

static gboolean has_left(const DtSpot *spot)
{
    return spot->at[1] > 0;
}
static gboolean is_inside(const DtSpot *spot)
{
    return spot->at[0] > 0 && spot->at[0] < spot->size[0] - 1 && spot->at[1] > 0 && spot->at[1] < spot->size[1] - 1;
}
static gboolean is_border(const DtSpot *spot)
{
    return !is_inside(spot);
}
static gboolean is_corner(const DtSpot *spot)
{
    return (spot->at[0] == 0 && spot->at[1] == 0) || spot->rank == spot->ranks - 1;
}
static gboolean is_odd(const DtSpot *spot)
{
    return spot->rank % 2 == 1;
}
static gboolean by_chance(const DtSpot *spot)
{
    return (spot->rank * spot->rank * 37 + spot->ranks * 11) % 3 == 0;
}

static DtCondition *condition_of(const GArray *spots, const DtTests *tests, Member member)
{
    g_autoptr(GArray) among = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree gboolean *inside = g_new(gboolean, spots->len);
    for (guint i = 0; i < spots->len; i++) {
        inside[i] = member(&g_array_index(spots, DtSpot, i));
        g_array_append_val(among, i);
    }
    return dt_condition_find(tests, among, inside, FALSE);
}

static void test_conditions(void)
{
    static const Member members[] = {has_left, is_inside, is_border, is_corner, is_odd};
    g_autoptr(GArray) spots = meshes(), unseen = g_array_new(FALSE, FALSE, sizeof(DtSpot));
    g_autoptr(DtTests) tests = dt_tests_new(spots);
    add_mesh(unseen, 7, 6);
    for (guint m = 0; m < G_N_ELEMENTS(members); m++) {
        g_autoptr(DtCondition) condition = condition_of(spots, tests, members[m]);
        g_assert_nonnull(condition);
        for (guint i = 0; i < unseen->len; i++) {
            const DtSpot *spot = &g_array_index(unseen, DtSpot, i);
            g_assert_cmpint(dt_condition_holds(condition, spot), ==, members[m](spot));
        }
    }
    g_autoptr(DtCondition) condition = condition_of(spots, tests, has_left);
    g_autoptr(GString) text = g_string_new(NULL);
    dt_condition_append(condition, text);
    g_assert_cmpstr(text->str, ==, "y>=1");
    g_assert_null(condition_of(spots, tests, by_chance));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/parts/rational", test_rational);
    g_test_add_func("/parts/equations", test_equations);
    g_test_add_func("/parts/numbers", test_numbers);
    g_test_add_func("/parts/conditions", test_conditions);
    return g_test_run();
}
