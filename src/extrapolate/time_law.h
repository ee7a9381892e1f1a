/** How a time goes with the number of ranks. Times are measured, so laws are fitted, not solved. */
#ifndef DT_EXTRAPOLATE_TIME_LAW_H
#define DT_EXTRAPOLATE_TIME_LAW_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
    DT_TIME_CONSTANT,     /* b */
    DT_TIME_PART,         /* a/P: a fixed work that all ranks share */
    DT_TIME_PART_AND_ALL, /* a/P + b */
    DT_TIME_LOG,          /* a log2 P + b */
    DT_TIME_LINEAR,       /* a P + b */
    DT_TIME_FORMS
} DtTimeForm;

typedef struct {
    DtTimeForm form;
    gdouble a, b;  /* ns */
    gdouble error; /* mean absolute error of each time, as a share of it, told by the others; below 0: not known */
} DtTimeLaw;

/**
 * The law of times `ns` at numbers of ranks, all different. Each form is fitted to all times but one, by least squares
 * of relative errors, and tells that one; the form with the least mean error is taken, but one of two constants only if
 * its error is below half of that of each form of one. A form is left out that has fewer other times than constants, or
 * is below 0 at one of the numbers or at `to`, if that is above 0. Of one time: that one. O(count^2).
 */
DtTimeLaw dt_time_law_find(const guint *ranks, const gdouble *ns, guint count, guint to);
/** At that number of ranks, in ns; at least 0. */
gdouble dt_time_law_at(const DtTimeLaw *law, guint ranks);
/** "1.2ms/P+30us (4 %)". */
void dt_time_law_append(GString *text, const DtTimeLaw *law);

G_END_DECLS

#endif
