/** Skeletons of several sizes as one: merging over sizes is merging over ranks. */
#ifndef DT_EXTRAPOLATE_SIZES_H
#define DT_EXTRAPOLATE_SIZES_H

#include "extrapolate/extrapolate.h"
#include "extrapolate/spot.h"

G_BEGIN_DECLS

/** How the trees of ranks are made. */
typedef struct {
    gboolean by_ladder; /* rungs as of a skeleton, for each class; else exact calls, but for those of stages */
    gboolean whole;     /* short loops of one call stay loops */
    gboolean no_steps;  /* peers are no steps in the mesh, so that calls to two directions may be one */
    gboolean any_line;  /* words are the same whatever lines they come from, as runs may not tell these well */
    gboolean words;     /* what each rank does at each stage is told by conditions (stage_words.h) */
} DtSizesOptions;

typedef struct {
    const DtSize *sizes; /* borrowed */
    guint count;
    GArray *spots;      /* DtSpot of each rank of each size, one size behind the other */
    GArray *size_of;    /* its number of size (element-type guint) */
    guint64 *effort;    /* what was tried so far, of the field and of all: fitting sees that it ends */
    GPtrArray *stages;  /* DtStages, of threads that have any with `words` */
    DtSkeleton *merged; /* whose ranks are places in `spots`; peers in forms, communicators none */
} DtSizes;

/** `meshes` by size, each with as many places as that has ranks. Threads of all sizes have the same numbers. NULL: they
 * have not, or there are too many calls. O(calls + classes * nodes^2). */
DtSizes *dt_sizes_merge(const DtSize *sizes, const DtMesh *meshes, guint count, const DtSizesOptions *options,
                        GError **error);
void dt_sizes_free(DtSizes *sizes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSizes, dt_sizes_free)

/** The rank's place in a communicator, with the size's mesh where that is as large. */
DtSpot dt_sizes_spot(const DtSizes *sizes, guint place, const char *communicator);
/** A peer of the rank at that place as a distance; numbers, atoms and `last` stay. */
DtValue dt_sizes_distance(const DtSizes *sizes, guint place, const char *communicator, DtValue value);

G_END_DECLS

#endif
