#include "skeleton/skeleton.h"

#include "skeleton/class_tree.h"
#include "skeleton/merge.h"
#include "skeleton/peer_forms.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_skeleton_error, dt_skeleton_error)

static void free_communicator(gpointer data)
{
    DtSkeletonCommunicator *communicator = data;
    g_free(communicator->name);
    g_ptr_array_unref(communicator->groups);
    g_free(communicator);
}

static void free_thread(gpointer data)
{
    DtSkeletonThread *thread = data;
    g_ptr_array_unref(thread->nodes);
    g_free(thread);
}

DtSkeleton *dt_skeleton_new(void)
{
    DtSkeleton *skeleton = g_new0(DtSkeleton, 1);
    skeleton->atoms = dt_atoms_new();
    skeleton->nobody = dt_atoms_intern(skeleton->atoms, "null");
    skeleton->functions = g_ptr_array_new_with_free_func(g_free);
    skeleton->communicators = g_ptr_array_new_with_free_func(free_communicator);
    skeleton->threads = g_ptr_array_new_with_free_func(free_thread);
    return skeleton;
}

void dt_skeleton_free(DtSkeleton *skeleton)
{
    if (!skeleton)
        return;
    g_ptr_array_unref(skeleton->threads);
    g_ptr_array_unref(skeleton->communicators);
    g_ptr_array_unref(skeleton->functions);
    dt_atoms_free(skeleton->atoms);
    dt_rank_sets_free(skeleton->sets);
    g_free(skeleton);
}

static guint size_of(const GPtrArray *nodes)
{
    guint size = 0;
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        size += 1 + (node->children ? size_of(node->children) : 0);
    }
    return size;
}

guint dt_skeleton_size(const DtSkeleton *skeleton)
{
    guint size = 0;
    for (guint i = 0; i < skeleton->threads->len; i++)
        size += size_of(((const DtSkeletonThread *)skeleton->threads->pdata[i])->nodes);
    return size;
}

/* Equal places have one number, by their first call. */
static void number_places(const GPtrArray *nodes, GHashTable *numbers)
{
    for (guint i = 0; i < nodes->len; i++) {
        DtSkeletonNode *node = nodes->pdata[i];
        if (node->children)
            number_places(node->children, numbers);
        if (!node->comment)
            continue;
        if (!g_hash_table_contains(numbers, node->comment))
            g_hash_table_insert(numbers, g_strdup(node->comment), GUINT_TO_POINTER(g_hash_table_size(numbers) + 1));
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, node->comment));
        g_free(node->comment);
        node->comment = g_strdup_printf("place %u", number);
    }
}

void dt_skeleton_anonymise(DtSkeleton *skeleton)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < skeleton->threads->len; i++)
        number_places(((DtSkeletonThread *)skeleton->threads->pdata[i])->nodes, numbers);
}

/* ---- members of communicators ---------------------------------------------------------------- */

/* Where the rank would be if all were as far apart as the first two; G_MAXUINT: it is not there. */
static guint guess_index(const GArray *group, gint rank)
{
    gint first = group->len > 0 ? g_array_index(group, gint, 0) : -1;
    gint step = group->len > 1 ? g_array_index(group, gint, 1) - first : 1;
    gint64 index = step != 0 ? ((gint64)rank - first) / step : -1;
    return index >= 0 && index < group->len && g_array_index(group, gint, index) == rank ? (guint)index : G_MAXUINT;
}

static guint find_index(const GArray *group, gint rank)
{
    for (guint i = 0; i < group->len; i++)
        if (g_array_index(group, gint, i) == rank)
            return i;
    return G_MAXUINT;
}

static gboolean find_member(const DtSkeletonCommunicator *communicator, guint rank, guint *index, guint *size)
{
    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < communicator->groups->len; i++) {
            const GArray *group = communicator->groups->pdata[i];
            *index = pass == 0 ? guess_index(group, (gint)rank) : find_index(group, (gint)rank);
            *size = group->len;
            if (*index != G_MAXUINT)
                return TRUE;
        }
    return FALSE;
}

void dt_skeleton_find_member(const DtSkeleton *skeleton, const char *name, guint rank, guint *index, guint *size)
{
    for (guint i = 0; !g_str_equal(name, "world") && i < skeleton->communicators->len; i++) {
        const DtSkeletonCommunicator *communicator = skeleton->communicators->pdata[i];
        if (g_str_equal(communicator->name, name) && find_member(communicator, rank, index, size))
            return;
    }
    *index = g_str_equal(name, "self") ? 0 : rank;
    *size = g_str_equal(name, "self") ? 1 : skeleton->ranks;
}

/* ---- of a run -------------------------------------------------------------------------------- */

static gboolean is_same(const GArray *a, const GArray *b)
{
    if (a->len != b->len)
        return FALSE;
    for (guint i = 0; i < a->len; i++)
        if (g_array_index(a, guint32, i) != g_array_index(b, guint32, i))
            return FALSE;
    return TRUE;
}

static void free_tree(gpointer tree)
{
    dt_class_tree_free(tree);
}

/* Sequences from `first` on that are of one thread number; gives where the next one's begin. */
static guint find_thread(const DtRecordedCalls *calls, guint first)
{
    const DtCallSequence *own = calls->sequences->pdata[first];
    guint end = first;
    while (end < calls->sequences->len && ((const DtCallSequence *)calls->sequences->pdata[end])->thread == own->thread)
        end++;
    return end;
}

/* Ranks with the same calls are a class: `class_of` by sequence. Gives the sequences of the classes. */
static GPtrArray *find_classes(const DtRecordedCalls *calls, guint first, guint end, guint *class_of)
{
    GPtrArray *classes = g_ptr_array_new();
    for (guint i = first; i < end; i++) {
        const DtCallSequence *own = calls->sequences->pdata[i];
        guint class = 0;
        while (class < classes->len && !is_same(((const DtCallSequence *)classes->pdata[class])->calls, own->calls))
            class ++;
        if (class == classes->len)
            g_ptr_array_add(classes, (gpointer)own);
        class_of[i - first] = class;
    }
    return classes;
}

static const DtRankSet *ranks_of_class(DtSkeleton *skeleton, const DtRecordedCalls *calls, guint first, guint end,
                                       const guint *class_of, guint class)
{
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = first; i < end; i++)
        if (class_of[i - first] == class)
            g_array_append_val(ranks, ((const DtCallSequence *)calls->sequences->pdata[i])->rank);
    return dt_rank_set_of(skeleton->sets, (const guint *)(gconstpointer)ranks->data, ranks->len);
}

static DtSkeletonThread *make_thread(DtSkeleton *skeleton, const DtRecordedCalls *calls, guint first, guint end)
{
    g_autofree guint *class_of = g_new0(guint, end - first + 1);
    g_autoptr(GPtrArray) classes = find_classes(calls, first, end, class_of);
    g_autoptr(GPtrArray) trees = g_ptr_array_new_with_free_func(free_tree);
    g_autofree const DtRankSet **on = g_new0(const DtRankSet *, classes->len + 1);
    for (guint class = 0; class < classes->len; class ++) {
        g_ptr_array_add(trees, dt_class_tree_new(calls, classes->pdata[class]));
        on[class] = ranks_of_class(skeleton, calls, first, end, class_of, class);
    }
    DtSkeletonThread *thread = g_new0(DtSkeletonThread, 1);
    thread->number = ((const DtCallSequence *)calls->sequences->pdata[first])->thread;
    thread->nodes = dt_merge_classes(skeleton, calls, trees, on);
    return thread;
}

void dt_skeleton_merge(DtSkeleton *skeleton, DtRecordedCalls *calls, const DtSkeletonOptions *options)
{
    skeleton->sets = dt_rank_sets_new(skeleton->ranks);
    dt_peers_choose_forms(skeleton, calls, options);
    for (guint first = 0, end; first < calls->sequences->len; first = end) {
        end = find_thread(calls, first);
        g_ptr_array_add(skeleton->threads, make_thread(skeleton, calls, first, end));
    }
}

gboolean dt_mesh_fits(const DtMesh *mesh, guint ranks, GError **error)
{
    if (dt_mesh_places(mesh) <= ranks)
        return TRUE;
    g_autofree char *text = dt_mesh_text(mesh);
    dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_MESH,
                 "a mesh of %s has more places than there are ranks: %u", text, ranks);
    return FALSE;
}

DtSkeleton *dt_skeleton_of_run(const DtRun *run, const DtSkeletonOptions *options, GError **error)
{
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_new();
    g_autoptr(DtRecordedCalls) calls = dt_recorded_calls_read(run, options, skeleton, error);
    if (!calls)
        return NULL;
    if (!dt_mesh_fits(&options->mesh, skeleton->ranks, error))
        return NULL;
    if (options->most_calls > 0 && calls->calls->len > options->most_calls) {
        dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE, "more than %u different calls",
                     options->most_calls);
        return NULL;
    }
    dt_skeleton_merge(skeleton, calls, options);
    return g_steal_pointer(&skeleton);
}
