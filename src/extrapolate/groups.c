/* Communicators: which ranks are members together. */
#include <string.h>

#include "extrapolate/laws.h"

enum { MOST_K = 64 };

static void free_law(gpointer data)
{
    DtGroupsLaw *law = data;
    g_free(law->name);
    dt_condition_free(law->on);
    g_free(law);
}

/* The group of a rank: a number, equal for those of one; -1: of none. -2: the law says nothing there. */
static gint64 group_of(const DtGroupsLaw *law, const DtSpot *spot)
{
    gint64 group = 0;
    switch (law->kind) {
    case DT_GROUPS_ALONG:
        for (guint axis = 0; axis < spot->axes; axis++)
            if (!(law->mask >> axis & 1))
                group = group * spot->size[axis] + spot->at[axis];
        return group;
    case DT_GROUPS_BLOCKS:
        return spot->rank / law->k;
    case DT_GROUPS_STRIDES:
        return spot->rank % law->k;
    case DT_GROUPS_SHARES:
        return spot->ranks % law->k == 0 ? spot->rank / (spot->ranks / law->k) : -2;
    case DT_GROUPS_SCATTERED:
        return spot->ranks % law->k == 0 ? spot->rank % (spot->ranks / law->k) : -2;
    default:
        return dt_condition_holds(law->on, spot) ? 0 : -1;
    }
}

GPtrArray *dt_groups_at(const DtGroupsLaw *law, const DtMesh *mesh, guint ranks)
{
    g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint rank = 0; rank < ranks; rank++) {
        const DtSpot spot = dt_spot(rank, ranks, mesh);
        gint64 number = group_of(law, &spot);
        if (number == -2)
            return NULL;
        if (number < 0)
            continue;
        GArray *group = g_hash_table_lookup(known, &number);
        if (!group) {
            group = g_array_new(FALSE, FALSE, sizeof(gint));
            g_ptr_array_add(groups, group);
            g_hash_table_insert(known, g_memdup2(&number, sizeof number), group);
        }
        const gint own = (gint)rank;
        g_array_append_val(group, own);
    }
    return g_steal_pointer(&groups);
}

/* ---- finding --------------------------------------------------------------------------------- */

static const DtSkeletonCommunicator *find_communicator(const DtSkeleton *skeleton, const char *name)
{
    for (guint i = 0; i < skeleton->communicators->len; i++) {
        const DtSkeletonCommunicator *own = skeleton->communicators->pdata[i];
        if (g_str_equal(own->name, name))
            return own;
    }
    return NULL;
}

static gboolean same_groups(const GPtrArray *a, const GPtrArray *b)
{
    if (!a || a->len != b->len)
        return FALSE;
    for (guint i = 0; i < a->len; i++) {
        const GArray *one = a->pdata[i], *other = b->pdata[i];
        if (one->len != other->len || memcmp(one->data, other->data, one->len * sizeof(gint)) != 0)
            return FALSE;
    }
    return TRUE;
}

/* At all sizes but that to `skip`; G_MAXUINT: at all. */
static gboolean fits(const DtSizes *sizes, const DtGroupsLaw *law, guint skip)
{
    guint first = 0;
    for (guint s = 0; s < sizes->count; s++) {
        const DtSkeleton *skeleton = sizes->sizes[s].skeleton;
        const DtMesh mesh = dt_spot_mesh(&g_array_index(sizes->spots, DtSpot, first));
        g_autoptr(GPtrArray) groups = dt_groups_at(law, &mesh, skeleton->ranks);
        if (s != skip && !same_groups(groups, find_communicator(skeleton, law->name)->groups))
            return FALSE;
        first += skeleton->ranks;
    }
    return TRUE;
}

static gboolean find_plain(const DtSizes *sizes, DtGroupsLaw *law, guint skip)
{
    const guint axes = g_array_index(sizes->spots, DtSpot, 0).axes;
    law->kind = DT_GROUPS_ALONG;
    for (guint mask = 1u << axes; mask-- > 0;) {
        law->mask = mask;
        if (fits(sizes, law, skip))
            return TRUE;
    }
    for (law->k = 2; law->k <= MOST_K; law->k++)
        for (law->kind = DT_GROUPS_BLOCKS; law->kind <= DT_GROUPS_SCATTERED; law->kind++)
            if (fits(sizes, law, skip))
                return TRUE;
    return FALSE;
}

/* One group, of some ranks. */
static gboolean find_condition(const DtSizes *sizes, const DtTests *tests, DtGroupsLaw *law, guint skip)
{
    g_autoptr(GArray) among = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree gboolean *inside = g_new0(gboolean, sizes->spots->len + 1);
    guint first = 0;
    for (guint s = 0; s < sizes->count; s++) {
        const GPtrArray *groups = find_communicator(sizes->sizes[s].skeleton, law->name)->groups;
        if (groups->len != 1)
            return FALSE;
        const GArray *group = groups->pdata[0];
        for (guint i = 0; i < group->len && g_array_index(group, gint, i) < (gint)sizes->sizes[s].skeleton->ranks; i++)
            inside[first + (guint)g_array_index(group, gint, i)] = TRUE;
        first += sizes->sizes[s].skeleton->ranks;
    }
    for (guint place = 0, own = 0; place < first; place++)
        if (g_array_index(sizes->size_of, guint, place) != skip) {
            g_array_append_val(among, place);
            inside[own++] = inside[place];
        }
    law->kind = DT_GROUPS_CONDITION;
    dt_condition_free(law->on);
    law->on = dt_condition_find(tests, among, inside, FALSE);
    return law->on && fits(sizes, law, skip);
}

static gboolean find_groups(const DtSizes *sizes, const DtTests *tests, DtGroupsLaw *law, guint skip)
{
    return find_plain(sizes, law, skip) || find_condition(sizes, tests, law, skip);
}

/* First from the other sizes alone: then the one that is held back proves it, if the law has its groups. */
static gboolean find_law(const DtSizes *sizes, const DtTests *tests, DtGroupsLaw *law, guint held)
{
    if (find_groups(sizes, tests, law, held) && fits(sizes, law, G_MAXUINT)) {
        law->spare = 1;
        return TRUE;
    }
    return find_groups(sizes, tests, law, G_MAXUINT);
}

GPtrArray *dt_groups_fit(const DtSizes *sizes, const DtTests *tests, guint held)
{
    GPtrArray *laws = g_ptr_array_new_with_free_func(free_law);
    for (guint s = 0; s < sizes->count; s++) {
        const GPtrArray *own = sizes->sizes[s].skeleton->communicators;
        for (guint i = 0; i < own->len; i++) {
            const char *name = ((const DtSkeletonCommunicator *)own->pdata[i])->name;
            gboolean is_new = TRUE, is_everywhere = TRUE;
            for (guint k = 0; k < laws->len; k++)
                is_new = is_new && !g_str_equal(((const DtGroupsLaw *)laws->pdata[k])->name, name);
            if (!is_new)
                continue;
            for (guint k = 0; k < sizes->count; k++)
                is_everywhere = is_everywhere && find_communicator(sizes->sizes[k].skeleton, name);
            DtGroupsLaw *law = g_new0(DtGroupsLaw, 1);
            law->name = g_strdup(name);
            law->is_known = is_everywhere && find_law(sizes, tests, law, held);
            g_ptr_array_add(laws, law);
        }
    }
    return laws;
}

void dt_groups_append(const DtGroupsLaw *law, guint axes, GString *text)
{
    switch (law->kind) {
    case DT_GROUPS_ALONG:
        g_string_append(text, law->mask + 1 == 1u << axes ? "all ranks"
                              : law->mask                 ? "ranks along"
                                                          : "each rank alone");
        for (guint axis = 0; axis < axes && law->mask && law->mask + 1 != 1u << axes; axis++)
            if (law->mask >> axis & 1)
                g_string_append_printf(text, " %c", dt_axis_name(axis));
        break;
    case DT_GROUPS_BLOCKS:
        g_string_append_printf(text, "%" G_GINT64_FORMAT " ranks behind each other", law->k);
        break;
    case DT_GROUPS_STRIDES:
        g_string_append_printf(text, "ranks %" G_GINT64_FORMAT " apart", law->k);
        break;
    case DT_GROUPS_SHARES:
        g_string_append_printf(text, "P/%" G_GINT64_FORMAT " ranks behind each other", law->k);
        break;
    case DT_GROUPS_SCATTERED:
        g_string_append_printf(text, "ranks P/%" G_GINT64_FORMAT " apart", law->k);
        break;
    default:
        dt_condition_append(law->on, text);
    }
}
