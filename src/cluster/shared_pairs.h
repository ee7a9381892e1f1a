/** Pairs of leaves that two clusterings put together: what B is made from. */
#ifndef DT_CLUSTER_SHARED_PAIRS_H
#define DT_CLUSTER_SHARED_PAIRS_H

#include "cluster/cluster.h"

/** Ordered pairs of distinct leaves that share a cluster: in both clusterings (T), in a (P), in b (Q). Whole numbers.
 */
typedef struct {
    double t, p, q;
} DtSharedPairs;

static inline double dt_pairs_within(guint size)
{
    return (double)size * ((double)size - 1.0);
}

/** B, and its expectation for n leaves if one clustering is shuffled. */
double dt_agreement(DtSharedPairs pairs);
double dt_expected_agreement(DtSharedPairs pairs, guint n);

#endif
