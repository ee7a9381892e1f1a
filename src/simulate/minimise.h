/**
 * The smallest skeleton that stands still as a given one does, by delta debugging (Zeller, Hildebrandt, IEEE TSE 2002).
 * What is left out at once belongs together, so that nothing is made to wait by leaving out its other half: a message
 * with its receive, a collective of all its members, a rank with all that it has to do with others.
 */
#ifndef DT_SIMULATE_MINIMISE_H
#define DT_SIMULATE_MINIMISE_H

#include "simulate/simulate.h"

G_BEGIN_DECLS

#define DT_MINIMISE_ERROR dt_minimise_error_quark()
GQuark dt_minimise_error_quark(void);
typedef enum {
    DT_MINIMISE_ERROR_ENDS, /* nobody stands still */
    DT_MINIMISE_ERROR_LARGE /* more calls than can be left out one by one */
} DtMinimiseError;

typedef struct {
    guint ranks;
    guint64 calls;
} DtMinimiseSize;

/**
 * Of threads the first of each rank. Ranks that wait for each other stay a deadlock, in calls of the same functions;
 * else whoever stands still does so in calls in which somebody stood. No single message, collective or rank can be left
 * out of the result: it is 1-minimal. O(calls * log calls) where few stay, O(calls^2) at worst.
 */
DtSkeleton *dt_minimise(const DtSkeleton *skeleton, DtSends sends, DtMinimiseSize *before, DtMinimiseSize *after,
                        GError **error);

G_END_DECLS

#endif
