/**
 * The difference of two skeletons, of any numbers of ranks: their lines aligned as classes of ranks are merged, by
 * structure first, and what differs in aligned ones by value.
 */
#ifndef DT_SKELETON_DIFFERENCE_H
#define DT_SKELETON_DIFFERENCE_H

#include "skeleton/skeleton.h"

G_BEGIN_DECLS

typedef enum { DT_LINE_SAME, DT_LINE_ONLY_FIRST, DT_LINE_ONLY_SECOND, DT_LINE_CHANGED } DtLineKind;

typedef struct {
    DtLineKind kind;
    char *text; /* indented; of a changed line with "old => new" where values differ */
} DtDifferenceLine;

typedef struct {
    GPtrArray *lines; /* DtDifferenceLine */
    guint count[4];   /* of lines, by kind */
} DtSkeletonDifference;

/** Of two texts as dt_skeleton_text() gives them. Comments are left out. O(lines of one times lines of the other). */
DtSkeletonDifference *dt_skeleton_difference_new(const char *first, const char *second);
void dt_skeleton_difference_free(DtSkeletonDifference *difference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSkeletonDifference, dt_skeleton_difference_free)
gboolean dt_skeletons_are_equal(const DtSkeletonDifference *difference);

G_END_DECLS

#endif
