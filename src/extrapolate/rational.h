/** Exact numbers, and equations in them. */
#ifndef DT_EXTRAPOLATE_RATIONAL_H
#define DT_EXTRAPOLATE_RATIONAL_H

#include <glib.h>

G_BEGIN_DECLS

/** In lowest terms; `below` is at least 1. */
typedef struct {
    gint64 above, below;
} DtRational;

/** FALSE: the result does not fit into 64 bits, or is none. */
gboolean dt_rational_make(gint64 above, gint64 below, DtRational *result);
gboolean dt_rational_add(DtRational a, DtRational b, DtRational *result);
gboolean dt_rational_times(DtRational a, DtRational b, DtRational *result);
gboolean dt_rational_over(DtRational a, DtRational b, DtRational *result);
static inline DtRational dt_rational_of(gint64 value)
{
    return (DtRational){value, 1};
}
/** "3/2". */
void dt_rational_append(GString *text, DtRational value);

enum { DT_UNKNOWNS = 8 };

/** Linear equations, added one after the other. */
typedef struct {
    guint unknowns;
    guint rank;  /* equations that say something new */
    guint spare; /* that are different from all before, and followed from these */
    DtRational row[DT_UNKNOWNS][DT_UNKNOWNS + 1];
    guint pivot[DT_UNKNOWNS];
} DtEquations;
static inline void dt_equations_begin(DtEquations *equations, guint unknowns)
{
    equations->unknowns = unknowns;
    equations->rank = equations->spare = 0;
}
/** `factors`: `unknowns` of them. FALSE: it contradicts the others, or numbers become too large. O(unknowns^2). */
gboolean dt_equations_add(DtEquations *equations, const DtRational *factors, gint64 value);
/** FALSE: there is not exactly one solution. */
gboolean dt_equations_solve(DtEquations *equations, DtRational *solution);

G_END_DECLS

#endif
