/* Which communicators calls make: they have the names of their parents, and how many the parent's rank had made. */
#include <string.h>

#include "format/arguments.h"
#include "generate/generating.h"
#include "skeleton/walk.h"

static gboolean makes_communicator(const char *name)
{
    static const char *const names[] = {"MPI_Cart_create",
                                        "MPI_Cart_sub",
                                        "MPI_Comm_create",
                                        "MPI_Comm_create_group",
                                        "MPI_Comm_dup",
                                        "MPI_Comm_dup_with_info",
                                        "MPI_Comm_idup",
                                        "MPI_Comm_split",
                                        "MPI_Comm_split_type",
                                        "MPI_Dist_graph_create",
                                        "MPI_Dist_graph_create_adjacent",
                                        "MPI_Graph_create",
                                        "MPI_Intercomm_create",
                                        "MPI_Intercomm_merge"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(name, names[i]))
            return TRUE;
    return FALSE;
}

/* Those between two groups are not. */
static gboolean is_made_again(const char *name)
{
    return !g_str_has_prefix(name, "MPI_Intercomm");
}

guint dt_communicator_number(const DtGenerating *generating, const char *name)
{
    for (guint i = 0; i < generating->communicators->len; i++)
        if (g_str_equal(generating->communicators->pdata[i], name))
            return i;
    return G_MAXUINT;
}

static gboolean any_makes(const DtSkeleton *skeleton)
{
    for (guint i = 0; i < skeleton->functions->len; i++)
        if (makes_communicator(skeleton->functions->pdata[i]))
            return TRUE;
    return FALSE;
}

static void free_rows(gpointer data)
{
    GPtrArray *rows = data;
    for (guint i = 0; i < rows->len; i++)
        if (rows->pdata[i])
            g_array_unref(rows->pdata[i]);
    g_ptr_array_unref(rows);
}

/* A call of that node by the rank makes the communicator with that number. */
static void add_child(DtGenerating *generating, const DtSkeletonNode *node, guint rank, guint number)
{
    GPtrArray *rows = g_hash_table_lookup(generating->children, node);
    if (!rows) {
        rows = g_ptr_array_new();
        g_ptr_array_set_size(rows, (gint)generating->skeleton->ranks);
        g_hash_table_insert(generating->children, (gpointer)node, rows);
    }
    if (!rows->pdata[rank])
        rows->pdata[rank] = g_array_new(FALSE, FALSE, sizeof(DtValue));
    DtValue value = number;
    g_array_append_val((GArray *)rows->pdata[rank], value);
}

static void walk_rank(DtGenerating *generating, guint rank)
{
    const DtSkeleton *skeleton = generating->skeleton;
    g_autoptr(DtWalk) walk = dt_walk_new(skeleton, 0, rank);
    g_autoptr(GHashTable) made = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (const DtSkeletonNode *node = dt_walk_next(walk); node; node = dt_walk_next(walk)) {
        DtValue parent;
        if (!makes_communicator(skeleton->functions->pdata[node->function]) ||
            !dt_walk_value(walk, DT_ARGUMENT_COMMUNICATOR, 0, &parent) || !dt_value_is_atom(parent))
            continue;
        const char *name = dt_atoms_text(skeleton->atoms, parent);
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(made, name)) + 1;
        g_hash_table_insert(made, g_strdup(name), GUINT_TO_POINTER(count));
        g_autofree char *child = g_strdup_printf("%s/%u", name, count);
        if (!is_made_again(skeleton->functions->pdata[node->function]) ||
            dt_communicator_number(generating, name) == G_MAXUINT)
            continue;
        guint number = dt_communicator_number(generating, child);
        if (number == G_MAXUINT) {
            number = generating->communicators->len;
            g_ptr_array_add(generating->communicators, g_strdup(child));
        }
        add_child(generating, node, rank, number);
    }
}

void dt_find_children(DtGenerating *generating)
{
    generating->children = g_hash_table_new_full(NULL, NULL, NULL, free_rows);
    g_ptr_array_add(generating->communicators, g_strdup("world"));
    g_ptr_array_add(generating->communicators, g_strdup("self"));
    for (guint rank = 0; any_makes(generating->skeleton) && rank < generating->skeleton->ranks; rank++)
        walk_rank(generating, rank);
}
