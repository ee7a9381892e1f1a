#include "extrapolate/rational.h"

__extension__ typedef __int128 Wide;

static gboolean reduce(Wide above, Wide below, DtRational *result)
{
    Wide a = above < 0 ? -above : above, b = below < 0 ? -below : below;
    if (below == 0)
        return FALSE;
    while (b != 0) {
        Wide rest = a % b;
        a = b;
        b = rest;
    }
    above /= below < 0 ? -a : a;
    below = (below < 0 ? -below : below) / a;
    if (above > G_MAXINT64 || above < -G_MAXINT64 || below > G_MAXINT64)
        return FALSE;
    *result = (DtRational){(gint64)above, (gint64)below};
    return TRUE;
}

gboolean dt_rational_make(gint64 above, gint64 below, DtRational *result)
{
    return reduce(above, below, result);
}

/* Two products of numbers below 2^63 may be added. */
gboolean dt_rational_add(DtRational a, DtRational b, DtRational *result)
{
    return reduce((Wide)a.above * b.below + (Wide)b.above * a.below, (Wide)a.below * b.below, result);
}

gboolean dt_rational_times(DtRational a, DtRational b, DtRational *result)
{
    return reduce((Wide)a.above * b.above, (Wide)a.below * b.below, result);
}

gboolean dt_rational_over(DtRational a, DtRational b, DtRational *result)
{
    return reduce((Wide)a.above * b.below, (Wide)a.below * b.above, result);
}

void dt_rational_append(GString *text, DtRational value)
{
    g_string_append_printf(text, "%" G_GINT64_FORMAT, value.above);
    if (value.below != 1)
        g_string_append_printf(text, "/%" G_GINT64_FORMAT, value.below);
}

/* Takes `times` the other row from the row. */
static gboolean subtract(DtRational *row, const DtRational *other, DtRational times, guint count)
{
    for (guint i = 0; i < count; i++) {
        DtRational product;
        if (!dt_rational_times(other[i], (DtRational){-times.above, times.below}, &product) ||
            !dt_rational_add(row[i], product, &row[i]))
            return FALSE;
    }
    return TRUE;
}

gboolean dt_equations_add(DtEquations *equations, const DtRational *factors, gint64 value)
{
    const guint count = equations->unknowns;
    DtRational row[DT_UNKNOWNS + 1];
    for (guint i = 0; i < count; i++)
        row[i] = factors[i];
    row[count] = dt_rational_of(value);
    for (guint r = 0; r < equations->rank; r++)
        if (row[equations->pivot[r]].above != 0 &&
            !subtract(row, equations->row[r], row[equations->pivot[r]], count + 1))
            return FALSE;
    guint pivot = 0;
    while (pivot < count && row[pivot].above == 0)
        pivot++;
    if (pivot == count) {
        equations->spare += row[count].above == 0;
        return row[count].above == 0;
    }
    const DtRational first = row[pivot];
    for (guint i = 0; i <= count; i++)
        if (!dt_rational_over(row[i], first, &row[i]))
            return FALSE;
    equations->pivot[equations->rank] = pivot;
    for (guint i = 0; i <= count; i++)
        equations->row[equations->rank][i] = row[i];
    equations->rank++;
    return TRUE;
}

gboolean dt_equations_solve(DtEquations *equations, DtRational *solution)
{
    const guint count = equations->unknowns;
    if (equations->rank < count)
        return FALSE;
    for (guint r = count; r-- > 0;) {
        for (guint above = 0; above < r; above++)
            if (equations->row[above][equations->pivot[r]].above != 0 &&
                !subtract(equations->row[above], equations->row[r], equations->row[above][equations->pivot[r]],
                          count + 1))
                return FALSE;
        solution[equations->pivot[r]] = equations->row[r][count];
    }
    return TRUE;
}
