#include "extrapolate/time_law.h"

#include <math.h>

#include "skeleton/node_times.h"

/* A form of two constants has to be so much better. */
#define MUCH_BETTER 0.5
/* Errors of what passes in less count as those of that: clocks tell no more. */
#define LEAST_NS 100.0

static gdouble variable(DtTimeForm form, guint ranks)
{
    switch (form) {
    case DT_TIME_PART:
    case DT_TIME_PART_AND_ALL:
        return 1.0 / ranks;
    case DT_TIME_LOG:
        return log2(ranks);
    case DT_TIME_LINEAR:
        return ranks;
    default:
        return 0;
    }
}

static guint constants_of(DtTimeForm form)
{
    return form == DT_TIME_CONSTANT || form == DT_TIME_PART ? 1 : 2;
}

/* Weighted sums over times; the weight of a time is its inverse square. */
typedef struct {
    gdouble w, x, y, xx, xy;
    guint count;
} Sums;

static Sums sums_of(DtTimeForm form, const guint *ranks, const gdouble *ns, guint count, guint without)
{
    Sums sums = {0};
    for (guint i = 0; i < count; i++) {
        const gdouble x = variable(form, ranks[i]), w = pow(MAX(ns[i], LEAST_NS), -2);
        if (i == without)
            continue;
        sums.w += w;
        sums.x += w * x;
        sums.y += w * ns[i];
        sums.xx += w * x * x;
        sums.xy += w * x * ns[i];
        sums.count++;
    }
    return sums;
}

/* FALSE: these are too few. */
static gboolean fit(DtTimeForm form, const guint *ranks, const gdouble *ns, guint count, guint without, DtTimeLaw *law)
{
    const Sums sums = sums_of(form, ranks, ns, count, without);
    *law = (DtTimeLaw){.form = form, .error = -1};
    if (sums.count < constants_of(form))
        return FALSE;
    if (form == DT_TIME_CONSTANT) {
        law->b = sums.y / sums.w;
    } else if (form == DT_TIME_PART) {
        law->a = sums.xy / sums.xx;
    } else {
        const gdouble spread = sums.w * sums.xx - sums.x * sums.x;
        if (spread <= 1e-12 * sums.w * sums.xx)
            return FALSE;
        law->a = (sums.w * sums.xy - sums.x * sums.y) / spread;
        law->b = (sums.y - law->a * sums.x) / sums.w;
    }
    return TRUE;
}

static gdouble value_at(const DtTimeLaw *law, guint ranks)
{
    return law->a * variable(law->form, ranks) + law->b;
}

/* Rounding aside. */
static gboolean is_below_0(const DtTimeLaw *law, guint ranks)
{
    return value_at(law, ranks) < -1e-9 * (fabs(law->a) + fabs(law->b));
}

/* FALSE: the form cannot be of these times. */
static gboolean try(DtTimeForm form, const guint *ranks, const gdouble *ns, guint count, guint to, DtTimeLaw *law)
{
    DtTimeLaw others;
    gdouble error = 0;
    if (!fit(form, ranks, ns, count, count, law) || (to > 0 && is_below_0(law, to)))
        return FALSE;
    for (guint i = 0; i < count; i++) {
        if (is_below_0(law, ranks[i]) || !fit(form, ranks, ns, count, i, &others))
            return FALSE;
        error += fabs(value_at(&others, ranks[i]) - ns[i]) / MAX(ns[i], LEAST_NS) / count;
    }
    law->error = error;
    return TRUE;
}

DtTimeLaw dt_time_law_find(const guint *ranks, const gdouble *ns, guint count, guint to)
{
    DtTimeLaw best = {.form = DT_TIME_CONSTANT, .b = count > 0 ? ns[0] : 0, .error = -1}, law;
    gdouble enough = INFINITY;
    for (DtTimeForm form = 0; count > 1 && form < DT_TIME_FORMS; form++) {
        if (!try(form, ranks, ns, count, to, &law))
            continue;
        if (law.error < (constants_of(form) == 1 || constants_of(best.form) == 2 ? enough : MUCH_BETTER * enough)) {
            best = law;
            enough = law.error;
        }
    }
    return best;
}

gdouble dt_time_law_at(const DtTimeLaw *law, guint ranks)
{
    return MAX(value_at(law, ranks), 0);
}

static void append_signed(GString *text, gdouble ns, gboolean is_first)
{
    if (!is_first || ns < 0)
        g_string_append_c(text, ns < 0 ? '-' : '+');
    dt_time_append(text, dt_time_rounded(fabs(ns)));
}

void dt_time_law_append(GString *text, const DtTimeLaw *law)
{
    static const char *const after[] = {"", "/P", "/P", "*log2(P)", "*P"};
    if (law->form != DT_TIME_CONSTANT) {
        append_signed(text, law->a, TRUE);
        g_string_append(text, after[law->form]);
    }
    if (law->form != DT_TIME_PART)
        append_signed(text, law->b, law->form == DT_TIME_CONSTANT);
    if (law->error < 0)
        g_string_append(text, " (unproved)");
    else
        g_string_append_printf(text, " (%.0f %%)", 100 * law->error);
}
