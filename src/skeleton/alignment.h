/** Two sequences aligned: which elements of the one are those of the other. */
#ifndef DT_SKELETON_ALIGNMENT_H
#define DT_SKELETON_ALIGNMENT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    guint a, b; /* places in the sequences */
} DtAlignedPair;

/** What it is worth that the elements at these places are a pair; 0: they are none. */
typedef guint (*DtPairScore)(gpointer data, guint a, guint b);

/**
 * The heaviest common subsequence of sequences of `a` and `b` elements: what its pairs are worth together. They go to
 * `pairs` (element-type DtAlignedPair), ascending, unless it is NULL. O(a b) in time and space, one score for each two.
 */
guint dt_alignment(guint a, guint b, DtPairScore score, gpointer data, GArray *pairs);

G_END_DECLS

#endif
