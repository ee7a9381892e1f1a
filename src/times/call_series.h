/**
 * Durations in the order in which they came, in bounded memory: each one as long as they are few, then in blocks of
 * equally many. What tells "slower in every call", "once", and "since the k-th".
 */
#ifndef DT_TIMES_CALL_SERIES_H
#define DT_TIMES_CALL_SERIES_H

#include <glib.h>

G_BEGIN_DECLS

/** Some in a row. In ns. */
typedef struct {
    guint64 begin_ns; /* when the first of them began, by the monotonic clock of the host */
    guint64 count, sum;
    guint64 smallest, second, largest; /* second: the second smallest; of a single one the same as smallest */
} DtSeriesBlock;

/** {0} has none. */
typedef struct {
    guint64 count;
    guint64 a_block; /* so many durations make a block, a power of two; the last one may have less */
    GArray *blocks;  /* DtSeriesBlock, at most DT_SERIES_BLOCKS; NULL: there are none */
} DtCallSeries;
enum { DT_SERIES_BLOCKS = 256 };
void dt_call_series_clear(DtCallSeries *series);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtCallSeries, dt_call_series_clear)

/** The next one. O(1), amortised. */
void dt_call_series_add(DtCallSeries *series, guint64 begin_ns, guint64 ns);
/** Of `count` blocks from `first` on all in one; of none all is 0. O(count). */
DtSeriesBlock dt_call_series_part(const DtCallSeries *series, guint first, guint count);
/**
 * What undisturbed ones take: the second smallest if there are six or more, else the smallest. Disturbances only add,
 * and the very smallest may be no call like the others.
 */
guint64 dt_series_block_floor(const DtSeriesBlock *block);

G_END_DECLS

#endif
