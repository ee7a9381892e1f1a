/**
 * Skeletons at sizes that were never run: from those of a few sizes each part - which ranks, which values, which peers,
 * how many rounds - becomes a formula in the number of ranks, the sizes of their mesh and the places in it. Formulas
 * are exact: each has all values of all sizes, or there is none. The idea is ScalaExtrap's (Wu, Mueller, PPoPP 2011);
 * docs/extrapolation.md has the method.
 */
#ifndef DT_EXTRAPOLATE_EXTRAPOLATE_H
#define DT_EXTRAPOLATE_EXTRAPOLATE_H

#include "skeleton/calls_as_run.h"

G_BEGIN_DECLS

#define DT_EXTRAPOLATE_ERROR dt_extrapolate_error_quark()
GQuark dt_extrapolate_error_quark(void);
typedef enum {
    DT_EXTRAPOLATE_ERROR_SIZES,    /* fewer than two, or two the same */
    DT_EXTRAPOLATE_ERROR_MESH,     /* a mesh is not one of the ranks, or not known */
    DT_EXTRAPOLATE_ERROR_MERGE,    /* skeletons have too little in common, or too many calls */
    DT_EXTRAPOLATE_ERROR_NO_LAW,   /* some part has no formula */
    DT_EXTRAPOLATE_ERROR_TIMES,    /* a size has no times */
    DT_EXTRAPOLATE_ERROR_NOT_WHOLE /* a formula is no number, or no rank, at that size */
} DtExtrapolateError;

/** A skeleton and what it is called in messages; both borrowed. `mesh`: that of its ranks, or without axes. */
typedef struct {
    const DtSkeleton *skeleton;
    const char *name;
    DtMesh mesh;
} DtSize;

/** The formulas of all parts. */
typedef struct DtLaws DtLaws;

/** How many lines and communicators have formulas that further sizes prove, that none proves, and have none. */
typedef struct {
    guint proved, unproved, without;
} DtLawCounts;

/**
 * Finds them. The meshes of sizes without one are found, as those of MPI_Dims_create or the other way round, of one to
 * three axes, with those that leave the fewest lines without a formula. `to`: the mesh to come, whose number of axes
 * the meshes have; without axes any. Skeletons are borrowed as long as the laws are used. O(lines * values * formulas).
 */
DtLaws *dt_laws_find(const DtSize *sizes, guint count, const DtMesh *to, GError **error);
void dt_laws_free(DtLaws *laws);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLaws, dt_laws_free)
DtLawCounts dt_laws_count(const DtLaws *laws);
/** From now on predictions have times, by laws that go with the number of ranks (docs/extrapolation.md), and the text
 * of the formulas has these laws. FALSE: a skeleton has none. */
gboolean dt_laws_add_times(DtLaws *laws, GError **error);
/** The mean error of the times that one size was told by the others, as a share; below 0: not known. O(calls). */
gdouble dt_laws_time_error(const DtLaws *laws);

/** The formulas as text, a line of the skeleton each; g_free(). */
char *dt_laws_text(const DtLaws *laws);

enum { DT_MOST_PREDICTED = 1 << 20 /* ranks */ };
/**
 * The skeleton of that many ranks. `to`: their mesh; without axes one like those of the sizes. Where it has at most
 * DT_SKELETON_MOST_CALLS calls, and was asked for `as_recorded`, it has the form of a recorded run's; else each line is
 * that of the formulas. Values of calls without a formula are unknown; ranks, rounds and communicators without one are
 * an error. O(lines * ranks), or O(calls).
 */
DtSkeleton *dt_laws_predict(const DtLaws *laws, guint ranks, const DtMesh *to, gboolean as_recorded, GError **error);
/** The lines and communicators whose formulas nothing proves: "MPI_Send at sort.c:90 in exchange", "a loop"
 * (element-type utf8), owned. O(lines). */
GPtrArray *dt_laws_unproved(const DtLaws *laws);
/** Those whose formulas a size proves that had no part in them. O(lines). */
GPtrArray *dt_laws_proved(const DtLaws *laws);
/** The values that a prediction leaves open: "counts of MPI_Alltoallv at sort.c:90 in exchange" (element-type utf8),
 * owned; their fields are added to `untold`. O(lines). */
GPtrArray *dt_laws_untold(const DtLaws *laws, DtUntoldFields *untold);

G_END_DECLS

#endif
