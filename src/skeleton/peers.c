#include "skeleton/peers.h"

#include <string.h>

enum { STEP_BITS = 14, MOST_STEP = 1 << (STEP_BITS - 1), MOST_PLACES = 1 << 22 };
static const char axis_names[] = "xyzt";

/* ---- the mesh -------------------------------------------------------------------------------- */

guint64 dt_mesh_places(const DtMesh *mesh)
{
    guint64 places = mesh->axes > 0 ? 1 : 0;
    for (guint axis = 0; axis < mesh->axes && places <= MOST_PLACES; axis++)
        places *= mesh->size[axis];
    return places;
}

char *dt_mesh_text(const DtMesh *mesh)
{
    GString *text = g_string_new(NULL);
    for (guint axis = 0; axis < mesh->axes; axis++)
        g_string_append_printf(text, "%s%u", axis > 0 ? "x" : "", mesh->size[axis]);
    return g_string_free(text, FALSE);
}

static gboolean read_number(const char **at, guint64 most, guint64 *number)
{
    if (!g_ascii_isdigit(**at))
        return FALSE;
    *number = 0;
    for (; g_ascii_isdigit(**at) && *number <= most; ++*at)
        *number = *number * 10 + (guint64)(**at - '0');
    return *number <= most;
}

gboolean dt_mesh_parse(const char **at, DtMesh *mesh)
{
    guint64 size;
    mesh->axes = 0;
    do {
        if (mesh->axes == DT_MESH_AXES || !read_number(at, MOST_PLACES, &size) || size == 0)
            return FALSE;
        mesh->size[mesh->axes++] = (guint)size;
    } while (**at == 'x' && ++*at);
    return dt_mesh_places(mesh) <= MOST_PLACES;
}

/* The coordinates of a place. */
static void find_place(const DtMesh *mesh, guint rank, gint64 *place)
{
    for (guint axis = mesh->axes; axis-- > 0;) {
        place[axis] = rank % mesh->size[axis];
        rank /= mesh->size[axis];
    }
}

static gint64 rank_of_place(const DtMesh *mesh, const gint64 *place)
{
    gint64 rank = 0;
    for (guint axis = 0; axis < mesh->axes; axis++)
        rank = rank * mesh->size[axis] + place[axis];
    return rank;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static DtValue pack_steps(const gint64 *steps, guint axes)
{
    DtValue packed = 0;
    for (guint axis = 0; axis < DT_MESH_AXES; axis++)
        packed = packed << STEP_BITS | ((axis < axes ? steps[axis] : 0) + MOST_STEP);
    return DT_PEER_STEPS + packed;
}

static void unpack_steps(DtValue value, gint64 *steps)
{
    DtValue packed = value - DT_PEER_STEPS;
    for (guint axis = DT_MESH_AXES; axis-- > 0; packed >>= STEP_BITS)
        steps[axis] = (packed & (2 * MOST_STEP - 1)) - MOST_STEP;
}

guint dt_peer_axes(DtValue value)
{
    gint64 steps[DT_MESH_AXES];
    guint axes = 0;
    if (value < DT_PEER_STEPS || value >= DT_PEER_LAST)
        return 0;
    unpack_steps(value, steps);
    for (guint axis = 0; axis < DT_MESH_AXES; axis++)
        axes = steps[axis] != 0 ? axis + 1 : axes;
    return axes;
}

static gint64 rank_by_steps(DtValue value, const DtPeerView *view)
{
    gint64 steps[DT_MESH_AXES], place[DT_MESH_AXES];
    if (view->index >= dt_mesh_places(view->mesh))
        return view->index;
    unpack_steps(value, steps);
    find_place(view->mesh, view->index, place);
    for (guint axis = 0; axis < view->mesh->axes; axis++) {
        gint64 size = view->mesh->size[axis];
        place[axis] = ((place[axis] + steps[axis]) % size + size) % size;
    }
    gint64 rank = rank_of_place(view->mesh, place);
    return rank < view->size ? rank : view->index;
}

/* The shorter way along each axis, of two of one length that upwards. */
static gboolean find_steps(gint64 peer, const DtPeerView *view, DtValue *value)
{
    const DtMesh *mesh = view->mesh;
    gint64 steps[DT_MESH_AXES], from[DT_MESH_AXES], to[DT_MESH_AXES];
    if (dt_mesh_places(mesh) != view->size || peer == view->index)
        return FALSE;
    find_place(mesh, view->index, from);
    find_place(mesh, (guint)peer, to);
    for (guint axis = 0; axis < mesh->axes; axis++) {
        gint64 size = mesh->size[axis];
        steps[axis] = to[axis] - from[axis];
        steps[axis] += 2 * steps[axis] > size ? -size : 2 * steps[axis] <= -size ? size : 0;
        if (steps[axis] >= MOST_STEP || steps[axis] <= -MOST_STEP)
            return FALSE;
    }
    *value = pack_steps(steps, mesh->axes);
    return TRUE;
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* The shorter way round. */
static gint64 distance_to(gint64 rank, const DtPeerView *view)
{
    const gint64 size = view->size;
    gint64 distance = ((rank - view->index) % size + size) % size;
    return 2 * distance > size ? distance - size : distance;
}

DtValue dt_peer_distance(DtValue value, const DtPeerView *view)
{
    if (dt_value_is_atom(value) || value < DT_PEER_RANK || view->size == 0)
        return value;
    if (value >= DT_PEER_LAST)
        return view->last;
    if (value >= DT_PEER_STEPS)
        return distance_to(rank_by_steps(value, view), view);
    if (value < DT_PEER_BITS)
        return distance_to((value - DT_PEER_RANK) % view->size, view);
    gint64 peer = (gint64)view->index ^ (value - DT_PEER_BITS);
    return distance_to(peer < view->size ? peer : view->index, view);
}

gboolean dt_peer_in_form(DtValue distance, DtPeerForm form, const DtPeerView *view, DtValue *value)
{
    const gint64 size = view->size;
    *value = distance;
    if (form == DT_BY_DISTANCE)
        return TRUE;
    if (dt_value_is_atom(distance) || size == 0 || 2 * distance > size || 2 * distance <= -size)
        return FALSE;
    gint64 peer = (view->index + distance + size) % size;
    if (form == DT_BY_STEPS)
        return find_steps(peer, view, value);
    *value = form == DT_BY_RANK ? DT_PEER_RANK + peer : DT_PEER_BITS + ((gint64)view->index ^ peer);
    return TRUE;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void append_steps(GString *text, DtValue value)
{
    gint64 steps[DT_MESH_AXES];
    unpack_steps(value, steps);
    for (guint axis = 0; axis < DT_MESH_AXES; axis++)
        if (steps[axis] != 0)
            g_string_append_printf(text, "%c%+d", axis_names[axis], (gint)steps[axis]);
}

void dt_peer_append(GString *text, DtValue value, gboolean bare)
{
    if (value >= DT_PEER_LAST)
        g_string_append(text, "last");
    else if (value >= DT_PEER_STEPS)
        append_steps(text, value);
    else if (value >= DT_PEER_BITS)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, bare ? "" : "^", value - DT_PEER_BITS);
    else if (value >= DT_PEER_RANK)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, bare ? "" : "=", value - DT_PEER_RANK);
    else
        g_string_append_printf(text, "%+" G_GINT64_FORMAT, value);
}

static gboolean parse_steps(const char **at, DtValue *value, const char **problem)
{
    gint64 steps[DT_MESH_AXES] = {0};
    guint first = 0;
    gboolean moves = FALSE;
    while (**at && strchr(axis_names + first, **at)) {
        guint axis = (guint)(strchr(axis_names, **at) - axis_names);
        guint64 number;
        gboolean back = (*at)[1] == '-';
        *problem = "steps are told as x+1 or x-1";
        if (!back && (*at)[1] != '+')
            return FALSE;
        *at += 2;
        if (!read_number(at, MOST_STEP - 1, &number) || number == 0)
            return FALSE;
        steps[axis] = back ? -(gint64)number : (gint64)number;
        first = axis + 1;
        moves = TRUE;
    }
    *value = pack_steps(steps, DT_MESH_AXES);
    *problem = NULL;
    return moves;
}

gboolean dt_peer_parse(const char **at, DtValue *value, const char **problem)
{
    guint64 number;
    *problem = NULL;
    if (**at == '=' || **at == '^') {
        DtValue base = *(*at)++ == '=' ? DT_PEER_RANK : DT_PEER_BITS;
        if (!read_number(at, MOST_PLACES, &number)) {
            *problem = "here is no rank";
            return FALSE;
        }
        *value = base + (gint64)number;
        return TRUE;
    }
    if (g_str_has_prefix(*at, "last") && !g_ascii_isalnum((*at)[4]) && (*at)[4] != '_') {
        *at += 4;
        *value = DT_PEER_LAST;
        return TRUE;
    }
    return **at && strchr(axis_names, **at) && ((*at)[1] == '+' || (*at)[1] == '-') && parse_steps(at, value, problem);
}
