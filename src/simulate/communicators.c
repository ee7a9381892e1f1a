#include "simulate/communicators.h"

#include <string.h>

enum { WORLD = 0 };

/* Members by rank, and ranks by member; of the world and of self none are kept. */
typedef struct {
    const GArray *members; /* gint; NULL: all, or `self` alone */
    GHashTable *indices;   /* rank in the world + 1 -> rank in the group */
    gboolean is_self;
    guint self;
} Group;

struct DtGroups {
    const DtSkeleton *skeleton;
    GArray *groups;      /* Group */
    GHashTable *first;   /* name -> number of its first group + 1 */
    GHashTable *selves;  /* rank + 1 -> number of MPI_COMM_SELF's group */
    GHashTable *objects; /* "rank kind number" -> group + 1 */
    GHashTable *counts;  /* "rank kind", "rank kind group" -> how many */
    GHashTable *copies;  /* "kind number group" -> number + 1 */
};

static void clear_group(gpointer data)
{
    g_clear_pointer(&((Group *)data)->indices, g_hash_table_unref);
}

static guint add_group(DtGroups *groups, const GArray *members)
{
    Group group = {.members = members};
    if (members) {
        group.indices = g_hash_table_new(NULL, NULL);
        for (guint i = 0; i < members->len; i++)
            g_hash_table_insert(group.indices, GINT_TO_POINTER(g_array_index(members, gint, i) + 1),
                                GUINT_TO_POINTER(i));
    }
    g_array_append_val(groups->groups, group);
    return groups->groups->len - 1;
}

DtGroups *dt_groups_new(const DtSkeleton *skeleton)
{
    DtGroups *groups = g_new0(DtGroups, 1);
    groups->skeleton = skeleton;
    groups->groups = g_array_new(FALSE, FALSE, sizeof(Group));
    g_array_set_clear_func(groups->groups, clear_group);
    groups->first = g_hash_table_new(g_str_hash, g_str_equal);
    groups->selves = g_hash_table_new(NULL, NULL);
    groups->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    groups->counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    groups->copies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    add_group(groups, NULL);
    for (guint i = 0; i < skeleton->communicators->len; i++) {
        const DtSkeletonCommunicator *communicator = skeleton->communicators->pdata[i];
        g_hash_table_insert(groups->first, communicator->name, GUINT_TO_POINTER(groups->groups->len + 1));
        for (guint k = 0; k < communicator->groups->len; k++)
            add_group(groups, communicator->groups->pdata[k]);
    }
    return groups;
}

void dt_groups_free(DtGroups *groups)
{
    if (!groups)
        return;
    g_hash_table_unref(groups->first);
    g_hash_table_unref(groups->selves);
    g_hash_table_unref(groups->objects);
    g_hash_table_unref(groups->counts);
    g_hash_table_unref(groups->copies);
    g_array_unref(groups->groups);
    g_free(groups);
}

static const Group *group_at(const DtGroups *groups, guint64 group)
{
    return &g_array_index(groups->groups, Group, group);
}

static guint64 self_of(DtGroups *groups, guint rank)
{
    gpointer key = GUINT_TO_POINTER(rank + 1);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(groups->selves, key));
    if (known)
        return known;
    Group group = {.is_self = TRUE, .self = rank};
    g_array_append_val(groups->groups, group);
    known = groups->groups->len - 1;
    g_hash_table_insert(groups->selves, key, GUINT_TO_POINTER(known));
    return known;
}

static gint index_of(const DtGroups *groups, guint64 number, guint rank)
{
    const Group *group = group_at(groups, number);
    gpointer index;
    if (group->is_self)
        return group->self == rank ? 0 : -1;
    if (!group->members)
        return (gint)rank;
    return g_hash_table_lookup_extended(group->indices, GUINT_TO_POINTER(rank + 1), NULL, &index)
               ? GPOINTER_TO_INT(index)
               : -1;
}

guint64 dt_groups_find(DtGroups *groups, const char *name, guint rank)
{
    guint first = GPOINTER_TO_UINT(g_hash_table_lookup(groups->first, name));
    if (g_str_equal(name, "self"))
        return self_of(groups, rank);
    for (guint i = 0; first && i < groups->skeleton->communicators->len; i++) {
        const DtSkeletonCommunicator *communicator = groups->skeleton->communicators->pdata[i];
        for (guint k = 0; g_str_equal(communicator->name, name) && k < communicator->groups->len; k++)
            if (index_of(groups, first - 1 + k, rank) >= 0)
                return first - 1 + k;
    }
    return WORLD;
}

/* Ranks that make communicators apart from each other name several alike: a rank may be in two groups of a name. */
gboolean dt_groups_knows(const DtGroups *groups, const char *name, guint rank)
{
    guint found = 0;
    if (g_str_equal(name, "world") || g_str_equal(name, "self"))
        return TRUE;
    for (guint i = 0; i < groups->skeleton->communicators->len; i++) {
        const DtSkeletonCommunicator *communicator = groups->skeleton->communicators->pdata[i];
        const guint first = GPOINTER_TO_UINT(g_hash_table_lookup(groups->first, communicator->name));
        for (guint k = 0; g_str_equal(communicator->name, name) && k < communicator->groups->len; k++)
            found += index_of(groups, first - 1 + k, rank) >= 0;
    }
    return found == 1;
}

guint dt_groups_size(const DtGroups *groups, guint64 number)
{
    const Group *group = group_at(groups, number);
    return group->is_self ? 1 : group->members ? group->members->len : groups->skeleton->ranks;
}

gint dt_groups_member(const DtGroups *groups, guint64 number, guint index)
{
    const Group *group = group_at(groups, number);
    if (index >= dt_groups_size(groups, number))
        return -1;
    return group->is_self   ? (gint)group->self
           : group->members ? g_array_index(group->members, gint, index)
                            : (gint)index;
}

gint dt_groups_index(const DtGroups *groups, guint64 group, guint rank)
{
    return index_of(groups, group, rank);
}

gint dt_groups_peer(const DtGroups *groups, guint64 group, guint rank, gint64 distance)
{
    gint own = index_of(groups, group, rank);
    gint64 size = dt_groups_size(groups, group);
    if (own < 0)
        return -1;
    gint64 peer = (own + distance % size) % size;
    return dt_groups_member(groups, group, (guint)(peer < 0 ? peer + size : peer));
}

gboolean dt_groups_distance(const DtGroups *groups, guint64 group, guint rank, guint peer, gint64 *distance)
{
    gint own = index_of(groups, group, rank), other = index_of(groups, group, peer);
    gint64 size = dt_groups_size(groups, group);
    *distance = ((gint64)other - own + size) % size;
    *distance -= 2 * *distance > size ? size : 0;
    return own >= 0 && other >= 0;
}

/* ---- windows and files ----------------------------------------------------------------------- */

/* Another group of the same members, the same for all of them. */
static guint copy_of(DtGroups *groups, DtObject kind, guint number, guint64 group)
{
    g_autofree char *key = g_strdup_printf("%d %u %" G_GUINT64_FORMAT, kind, number, group);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(groups->copies, key));
    if (known)
        return known - 1;
    Group copy = *group_at(groups, group);
    if (copy.indices)
        g_hash_table_ref(copy.indices);
    g_array_append_val(groups->groups, copy);
    g_hash_table_insert(groups->copies, g_steal_pointer(&key), GUINT_TO_POINTER(groups->groups->len));
    return groups->groups->len - 1;
}

/* How often it was asked so before; takes the key. */
static guint count_on(DtGroups *groups, char *key)
{
    const guint number = GPOINTER_TO_UINT(g_hash_table_lookup(groups->counts, key));
    g_hash_table_insert(groups->counts, key, GUINT_TO_POINTER(number + 1));
    return number;
}

/* A rank numbers all its own; which belong together is known by their order on the group. */
void dt_groups_add_object(DtGroups *groups, guint rank, DtObject kind, guint64 group)
{
    const guint number = count_on(groups, g_strdup_printf("%u %d", rank, kind));
    const guint common = count_on(groups, g_strdup_printf("%u %d %" G_GUINT64_FORMAT, rank, kind, group));
    const guint copy = copy_of(groups, kind, common, group);
    g_hash_table_insert(groups->objects, g_strdup_printf("%u %d %u", rank, kind, number), GUINT_TO_POINTER(copy + 1));
}

guint64 dt_groups_object(DtGroups *groups, guint rank, DtObject kind, gint64 number)
{
    g_autofree char *key = g_strdup_printf("%u %d %" G_GINT64_FORMAT, rank, kind, number);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(groups->objects, key));
    return known ? known - 1 : WORLD;
}

gboolean dt_groups_knows_object(const DtGroups *groups, guint rank, DtObject kind, gint64 number)
{
    g_autofree char *key = g_strdup_printf("%u %d %" G_GINT64_FORMAT, rank, kind, number);
    return g_hash_table_contains(groups->objects, key);
}

/* ---- what calls mean ------------------------------------------------------------------------- */

static gboolean is_one_of(const char *function, const char *const *names, gsize count)
{
    const char *name = function + (g_str_has_prefix(function, "MPI_I") ? 5 : 4);
    for (gsize i = 0; i < count; i++)
        if (g_ascii_strcasecmp(name, names[i]) == 0)
            return TRUE;
    return FALSE;
}

DtDirection dt_direction_of(const char *function)
{
    static const char *const from[] = {"bcast", "scatter", "scatterv"}, *const to[] = {"reduce", "gather", "gatherv"},
                             *const below[] = {"scan", "exscan"};
    if (!g_str_has_prefix(function, "MPI_"))
        return DT_FROM_ALL;
    return is_one_of(function, from, G_N_ELEMENTS(from))     ? DT_FROM_ROOT
           : is_one_of(function, to, G_N_ELEMENTS(to))       ? DT_TO_ROOT
           : is_one_of(function, below, G_N_ELEMENTS(below)) ? DT_FROM_BELOW
                                                             : DT_FROM_ALL;
}

gboolean dt_is_met(const struct dt_call *call)
{
    return !dt_call_has(call, DT_PARAMETER_COMM_FREED) && !dt_call_has(call, DT_PARAMETER_PERSISTENT_REQUEST_MADE) &&
           !(call->properties & (DT_CALL_OF_GROUP | DT_CALL_BETWEEN_GROUPS | DT_CALL_NEIGHBOURHOOD)) &&
           !g_str_has_prefix(call->name, "Init");
}

/* ---- positions ------------------------------------------------------------------------------- */

GArray *dt_value_positions(const DtAtoms *atoms, DtValue value)
{
    enum { MOST = 1 << 20 };
    GArray *positions = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (!dt_value_is_atom(value)) {
        g_array_append_val(positions, value);
        return positions;
    }
    const char *at = dt_atoms_text(atoms, value);
    while (*at && positions->len < MOST) {
        char *end;
        gint64 first = g_ascii_strtoll(at, &end, 10), last = first, times = 1;
        if (end == at) {
            at++;
            continue;
        }
        if (*end == '-')
            last = g_ascii_strtoll(end + 1, &end, 10);
        if (*end == '^')
            times = g_ascii_strtoll(end + 1, &end, 10);
        for (gint64 time = 0; time < times && positions->len < MOST; time++)
            for (gint64 position = first; position <= last && positions->len < MOST; position++)
                g_array_append_val(positions, position);
        at = end;
    }
    return positions;
}
