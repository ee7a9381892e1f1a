/**
 * diffNLR: the difference of one trace between two runs, as an alignment of its
 * two NLRs (Myers 1986, linear space) in blocks.
 */
#ifndef DIFFTRACE_DIFFNLR_H
#define DIFFTRACE_DIFFNLR_H

#include "nlr.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

/* ---- Myers ----------------------------------------------------------------------------- */

typedef enum { DT_DIFF_COMMON, DT_DIFF_REMOVED, DT_DIFF_ADDED } DtDiffKind;

/** A run of equal, removed or added elements. */
typedef struct {
    DtDiffKind kind;
    gsize a, b; /* where it starts in either sequence */
    gsize length;
} DtDiffRun;

/** Shortest edit script of two sequences: (element-type DtDiffRun), removals before additions. O((n+m) d) time, O(n+m)
 * space. A sequence may be NULL if it is empty. g_array_unref(). */
GArray *dt_myers(const guint64 *a, gsize a_length, const guint64 *b, gsize b_length);

/**
 * The same in O((n+m) limit) time: where more than twice `limit` edits lie between two points, the
 * script goes by what was found so far and need not be the shortest (`*minimal` FALSE). A `limit` of 0 is 1.
 */
GArray *dt_myers_bounded(const guint64 *a, gsize a_length, const guint64 *b, gsize b_length, gsize limit,
                         gboolean *minimal);

/** Removed plus added elements of a script. */
gsize dt_edit_distance(const GArray *runs);

/* ---- blocks ----------------------------------------------------------------------------- */

/**
 * One step of the picture: a common stretch, or the two sides of a change
 * (either may be empty). Borrowed from the two NLRs.
 */
typedef struct {
    gboolean common;
    DtElements normal, faulty; /* equal if common */
} DtDiffBlock;

/** The alignment of a trace of the normal run with that of the faulty one. */
typedef struct {
    GArray *blocks;   /* (element-type DtDiffBlock) */
    GArray *path;     /* (element-type guint32) call trees: the functions inside which they differ, outermost first */
    gsize distance;   /* edit distance in elements */
    gboolean minimal; /* FALSE: they are thousands of edits apart, and the distance is an upper bound */
    gboolean same;    /* no change block, the same counts kept aside, and both end alike */
    const DtNlr *normal, *faulty; /* borrowed */
    /* The innermost kept call that never returned, 0 if the trace ended outside any. */
    guint32 normal_open, faulty_open;
} DtDiffNlr;

/** Both over the same loop table and functions, and of one form. The NLRs must outlive the result. Never NULL. */
DtDiffNlr *dt_diffnlr_new(const DtFoldedTrace *normal, const DtFoldedTrace *faulty);
/** The same for call trees: as long as all that differs is one call, into it. `tree` may be empty, or NULL. */
DtDiffNlr *dt_diffnlr_new_in(const DtFoldedTrace *normal, const DtFoldedTrace *faulty, const DtCallTree *tree);
void dt_diffnlr_free(DtDiffNlr *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtDiffNlr, dt_diffnlr_free)

/** Count-blind NLRs: the first body whose counts kept aside differ; FALSE if there is none, and *body stays. */
gboolean dt_diffnlr_recounted(const DtDiffNlr *diff, guint32 *body);

/**
 * First difference in one line, or NULL if there is none; g_free(). E.g. "after 7
 * of 16 iterations of L1: L0^9 instead", "ends in MPI_Recv after 7 of 16
 * iterations of L1", "after MPI_Comm_size: MPI_Send instead of MPI_Recv".
 */
char *dt_diffnlr_first_difference(const DtDiffNlr *diff, const DtFunctions *functions);

/**
 * What the faulty trace did just before it ended, or before the call that it
 * never returned from: "after 7 of 16 iterations of L1", "after MPI_Comm_size".
 * NULL if nothing; g_free().
 */
char *dt_diffnlr_end_position(const DtDiffNlr *diff, const DtFunctions *functions);

#pragma GCC visibility pop
G_END_DECLS

#endif
