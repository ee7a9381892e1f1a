/**
 * How long a gap of each kind takes, learned from intervals between two stamps that hold several of them: by
 * expectation maximisation for sums of parts (Shepp & Vardi 1982), whose multiplicative steps keep the proportions of
 * kinds that always come together: there the weights to start with decide. Internal.
 */
#ifndef DT_TIMES_WEIGHTS_H
#define DT_TIMES_WEIGHTS_H

#include <glib.h>

G_BEGIN_DECLS

/** What is known of a kind. */
typedef struct {
    guint32 alike; /* it begins as that kind if it never was alone between two stamps; no kind's number: as none */
    guint32 class; /* of those of one class the stamps at their ends take alike; below DT_GAP_CLASSES */
} DtGapHint;
enum { DT_GAP_CLASSES = 4 };

typedef struct DtWeights DtWeights;
DtWeights *dt_weights_new(void);
void dt_weights_free(DtWeights *weights);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtWeights, dt_weights_free)

/** The interval that goes on holds a gap of that kind, too. O(1). */
void dt_weights_gap(DtWeights *weights, guint32 kind);
/** It ends: it lasted for so long. Of many million gaps in different intervals only every second, fourth ... interval
 * counts. O(kinds in it). */
void dt_weights_interval(DtWeights *weights, guint64 ns);
/** It ends, and nobody knows how long it was. O(kinds in it). */
void dt_weights_drop(DtWeights *weights);
/** No more intervals come. `hints` has one for each kind; NULL: nothing is known. At most O(100 x (kinds + sum over
 * intervals of the kinds in each)). */
void dt_weights_learn(DtWeights *weights, const DtGapHint *hints);
/** After that: ns that a gap of the kind takes, above 0; also of a kind that never came. O(1). */
gdouble dt_weights_of(const DtWeights *weights, guint32 kind);
/** After that: ns that recording takes at least in such a gap between two stamps; 0: not known, as no gap was alone
 * that is short. O(1). */
gdouble dt_weights_of_stamps(const DtWeights *weights, guint32 kind);
/** The same for any other gap. O(1). */
gdouble dt_weights_of_event(const DtWeights *weights);

G_END_DECLS

#endif
