/** Many durations in little memory: sums and extremes exactly, quantiles nearly. Internal. */
#ifndef DT_TIMES_DURATIONS_H
#define DT_TIMES_DURATIONS_H

#include <glib.h>

G_BEGIN_DECLS

/** {0} has none. In ns. */
typedef struct {
    guint64 count, sum;
    guint64 smallest, largest; /* 0: there is none */
    /*< private >*/
    GArray *each;  /* guint64, as long as they are few; then NULL */
    guint64 *bins; /* how many by size; NULL as long as they are few */
} DtDurations;
void dt_durations_clear(DtDurations *durations);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtDurations, dt_durations_clear)

/** O(1), amortised. */
void dt_durations_add(DtDurations *durations, guint64 ns);
/** All of `more`, which stays as it is. O(1), amortised. */
void dt_durations_merge(DtDurations *durations, const DtDurations *more);
/**
 * That which a share of 0..1 of them do not exceed, 0.5 the median (of an even number the upper one). Exact for up to
 * 128 durations, of more it errs by at most 3.2 % of itself. 0 if there are none. O(1).
 */
guint64 dt_durations_quantile(const DtDurations *durations, gdouble share);
/** The mean of those up to that quantile, to the same error; 0 if there are none. O(1). */
gdouble dt_durations_trimmed_mean(const DtDurations *durations, gdouble share);

G_END_DECLS

#endif
