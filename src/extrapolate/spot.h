/** Where a value was seen, or is to be predicted: a rank in its mesh, and the visit. */
#ifndef DT_EXTRAPOLATE_SPOT_H
#define DT_EXTRAPOLATE_SPOT_H

#include "skeleton/peers.h"

G_BEGIN_DECLS

typedef struct {
    gint64 rank, ranks;
    guint axes;
    gint64 at[DT_MESH_AXES], size[DT_MESH_AXES]; /* the last axis' neighbours are neighbouring ranks */
    gint64 visit, visits;                        /* of a value that changes from visit to visit */
} DtSpot;

/** `mesh` has as many places as there are ranks. */
static inline DtSpot dt_spot(guint rank, guint ranks, const DtMesh *mesh)
{
    DtSpot spot = {.rank = rank, .ranks = ranks, .axes = mesh->axes, .visits = 1};
    for (guint axis = mesh->axes; axis-- > 0; rank /= mesh->size[axis]) {
        spot.size[axis] = mesh->size[axis];
        spot.at[axis] = rank % mesh->size[axis];
    }
    return spot;
}

static inline DtMesh dt_spot_mesh(const DtSpot *spot)
{
    DtMesh mesh = {.axes = spot->axes};
    for (guint axis = 0; axis < spot->axes; axis++)
        mesh.size[axis] = (guint)spot->size[axis];
    return mesh;
}

/** In a group without a mesh. */
static inline DtSpot dt_spot_in_row(guint rank, guint ranks)
{
    const DtMesh mesh = {1, {ranks}};
    return dt_spot(rank, ranks, &mesh);
}

static inline gint64 dt_spot_rank_at(const DtSpot *spot, const gint64 *at)
{
    gint64 rank = 0;
    for (guint axis = 0; axis < spot->axes; axis++)
        rank = rank * spot->size[axis] + at[axis];
    return rank;
}

static inline gboolean dt_spots_are_of_one_size(const DtSpot *a, const DtSpot *b)
{
    gboolean same = a->ranks == b->ranks;
    for (guint axis = 0; axis < a->axes; axis++)
        same = same && a->size[axis] == b->size[axis];
    return same;
}

/** The size along an axis; along axis `axes` the number of ranks. */
static inline gint64 dt_spot_size(const DtSpot *spot, guint axis)
{
    return axis < spot->axes ? spot->size[axis] : spot->ranks;
}

/** The letter of an axis: "x". */
static inline char dt_axis_name(guint axis)
{
    return "xyzt"[axis % DT_MESH_AXES];
}

G_END_DECLS

#endif
