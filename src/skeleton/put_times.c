/* Times of single calls, put to the nodes of a skeleton: a walk through it for a rank says to which node each call
 * belongs. */
#include <math.h>

#include "skeleton/node_times.h"
#include "skeleton/walk.h"

enum {
    MOST_GROUPS = 8, /* of ranks */
    MOST_PARTS = 16, /* of a row */
    BLOCKS = 64,     /* of visits, before they become parts */
    A_PART_OF = 200  /* of the run: less is told in one mean */
};
#define ALIKE 0.1
#define START G_MAXUINT32

static void clear_gaps(gpointer data)
{
    g_array_unref(((DtCallGaps *)data)->gaps);
}

GArray *dt_call_gaps_new(void)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(DtCallGaps));
    g_array_set_clear_func(all, clear_gaps);
    return all;
}

DtCallGaps dt_call_gaps_of(GArray *all, guint thread, guint rank)
{
    const DtCallGaps own = {thread, rank, g_array_new(FALSE, FALSE, sizeof(guint64))};
    g_array_append_val(all, own);
    return own;
}

/* ---- by pairs of calls ----------------------------------------------------------------------- */

/* Of one rank. */
typedef struct {
    guint rank, group;
    guint64 visits, known;
    gdouble sum;
    guint64 least, most;
} OfRank;

typedef struct {
    gdouble sum;
    guint64 visits;
} Block;

/* Of ranks that take about the same. */
typedef struct {
    guint64 visits; /* the most that one of them makes */
    guint64 a_block;
    Block blocks[BLOCKS];
} Group;

/* Calls of a node behind calls of another one. */
typedef struct {
    guint32 call, before; /* places in the thread; START */
    GArray *ranks;        /* OfRank, in the order in which they are walked */
    guint at;             /* the rank that is walked now */
    guint64 visit;        /* of it */
    GArray *groups;       /* Group */
} Pair;

typedef struct {
    DtSkeleton *skeleton;
    const DtSkeletonThread *thread;
    const GArray *traces; /* DtCallGaps */
    guint64 span;
    GHashTable *places; /* node -> its place */
    GHashTable *pairs;  /* call << 32 | before -> Pair */
} Attaching;

static void free_pair(gpointer data)
{
    Pair *pair = data;
    g_array_unref(pair->ranks);
    g_array_unref(pair->groups);
    g_free(pair);
}

static Pair *find_pair(Attaching *attaching, guint32 call, guint32 before)
{
    const guint64 key = (guint64)call << 32 | before;
    Pair *pair = g_hash_table_lookup(attaching->pairs, &key);
    if (pair)
        return pair;
    pair = g_new0(Pair, 1);
    pair->call = call;
    pair->before = before;
    pair->ranks = g_array_new(FALSE, TRUE, sizeof(OfRank));
    pair->groups = g_array_new(FALSE, TRUE, sizeof(Group));
    g_hash_table_insert(attaching->pairs, g_memdup2(&key, sizeof key), pair);
    return pair;
}

typedef void (*Visitor)(Pair *pair, guint rank, guint64 gap);

static void visit_trace(Attaching *attaching, const DtCallGaps *trace, Visitor visitor)
{
    g_autoptr(DtWalk) walk = dt_walk_new(attaching->skeleton, trace->thread, trace->rank);
    guint32 before = START;
    for (guint i = 0; i < trace->gaps->len; i++) {
        const DtSkeletonNode *node = dt_walk_next(walk);
        if (!node)
            return;
        const guint32 call = GPOINTER_TO_UINT(g_hash_table_lookup(attaching->places, node));
        visitor(find_pair(attaching, call, before), trace->rank, g_array_index(trace->gaps, guint64, i));
        before = call;
    }
}

static void visit_all(Attaching *attaching, Visitor visitor)
{
    for (guint i = 0; i < attaching->traces->len; i++) {
        const DtCallGaps *trace = &g_array_index(attaching->traces, DtCallGaps, i);
        if (trace->thread == attaching->thread->number)
            visit_trace(attaching, trace, visitor);
    }
}

static void sum_up(Pair *pair, guint rank, guint64 gap)
{
    OfRank *own = pair->ranks->len > 0 ? &g_array_index(pair->ranks, OfRank, pair->ranks->len - 1) : NULL;
    if (!own || own->rank != rank) {
        const OfRank none = {.rank = rank, .least = G_MAXUINT64};
        g_array_append_val(pair->ranks, none);
        own = &g_array_index(pair->ranks, OfRank, pair->ranks->len - 1);
    }
    own->visits++;
    own->known += gap != DT_NO_GAP;
    gap = gap != DT_NO_GAP ? gap : 0;
    own->sum += (gdouble)gap;
    own->least = MIN(own->least, gap);
    own->most = MAX(own->most, gap);
}

static void put_into_blocks(Pair *pair, guint rank, guint64 gap)
{
    if (g_array_index(pair->ranks, OfRank, pair->at).rank != rank)
        pair->visit = 0;
    while (g_array_index(pair->ranks, OfRank, pair->at).rank != rank)
        pair->at++;
    const guint64 visit = pair->visit++;
    const OfRank *own = &g_array_index(pair->ranks, OfRank, pair->at);
    Group *group = &g_array_index(pair->groups, Group, own->group);
    Block *block = &group->blocks[visit / group->a_block];
    block->sum += gap != DT_NO_GAP ? (gdouble)gap : 0;
    block->visits++;
}

/* ---- ranks that take about the same ---------------------------------------------------------- */

static gdouble mean_of(const OfRank *rank)
{
    return rank->sum / (gdouble)rank->visits;
}

static gint compare_means(gconstpointer first, gconstpointer second)
{
    const OfRank *a = *(const OfRank *const *)first, *b = *(const OfRank *const *)second;
    const gdouble one = mean_of(a), other = mean_of(b);
    return one != other ? (one < other ? -1 : 1) : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Numbers groups of neighbours; how many there are. */
static guint number_groups(const GPtrArray *by_mean, gdouble alike, gdouble slack)
{
    guint groups = 0;
    gdouble first = 0;
    for (guint i = 0; i < by_mean->len; i++) {
        OfRank *rank = by_mean->pdata[i];
        const gdouble mean = mean_of(rank);
        if (i == 0 || mean - first > MAX(alike * first, slack / (gdouble)rank->visits)) {
            first = mean;
            groups++;
        }
        rank->group = groups - 1;
    }
    return groups;
}

static void make_groups(Pair *pair, guint64 span)
{
    const gdouble slack = (gdouble)span / A_PART_OF;
    gdouble alike = ALIKE;
    guint count;
    g_autoptr(GPtrArray) by_mean = g_ptr_array_new();
    for (guint i = 0; i < pair->ranks->len; i++)
        g_ptr_array_add(by_mean, &g_array_index(pair->ranks, OfRank, i));
    g_ptr_array_sort(by_mean, compare_means);
    while ((count = number_groups(by_mean, alike, slack)) > MOST_GROUPS)
        alike *= 1.5;
    g_array_set_size(pair->groups, count);
    for (guint i = 0; i < pair->ranks->len; i++) {
        const OfRank *rank = &g_array_index(pair->ranks, OfRank, i);
        Group *group = &g_array_index(pair->groups, Group, rank->group);
        group->visits = MAX(group->visits, rank->visits);
        group->a_block = (group->visits + BLOCKS - 1) / BLOCKS;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Visits in a row that take about the same. */
typedef struct {
    gdouble mean;
    guint64 visits;
} Part;

static GArray *parts_of(const Group *group)
{
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(Part));
    guint64 at = 0;
    for (guint i = 0; at < group->visits; i++) {
        const Block *block = &group->blocks[i];
        const guint64 visits = MIN(group->a_block, group->visits - at);
        const Part part = {block->sum / (gdouble)block->visits, visits};
        g_array_append_val(parts, part);
        at += visits;
    }
    return parts;
}

/* Joins the neighbours that differ least. FALSE: those are to stay apart. */
static gboolean join_nearest(GArray *parts, gdouble slack)
{
    guint nearest = 0;
    gdouble least = INFINITY;
    for (guint i = 0; i + 1 < parts->len; i++) {
        const Part *part = &g_array_index(parts, Part, i);
        const gdouble apart = fabs(part[0].mean - part[1].mean);
        if (apart < least) {
            least = apart;
            nearest = i;
        }
    }
    if (parts->len < 2)
        return FALSE;
    Part *part = &g_array_index(parts, Part, nearest);
    if (parts->len <= MOST_PARTS && least > MAX(ALIKE * MIN(part[0].mean, part[1].mean), slack))
        return FALSE;
    const gdouble sum = part[0].mean * (gdouble)part[0].visits + part[1].mean * (gdouble)part[1].visits;
    part[0].visits += part[1].visits;
    part[0].mean = sum / (gdouble)part[0].visits;
    g_array_remove_index(parts, nearest + 1);
    return TRUE;
}

static DtRow *row_of(const Group *group, gint64 mean, guint64 span)
{
    g_autoptr(GArray) parts = parts_of(group);
    g_autoptr(GArray) of_row = g_array_new(FALSE, FALSE, sizeof(DtRowPart));
    const gdouble slack = (gdouble)span / A_PART_OF / (gdouble)MAX(group->visits, 1);
    while (join_nearest(parts, slack))
        ;
    for (guint i = 0; i < parts->len; i++) {
        const Part *part = &g_array_index(parts, Part, i);
        const DtRowPart own = {.first = dt_time_rounded(part->mean), .count = part->visits};
        g_array_append_val(of_row, own);
    }
    return of_row->len > 1 ? dt_row_of_parts(of_row) : dt_row_fold(&mean, 1);
}

/* ---- into the skeleton ----------------------------------------------------------------------- */

static void add_group(Attaching *attaching, const Pair *pair, guint number, DtSkeletonNode *node)
{
    gdouble sum = 0;
    guint64 least = G_MAXUINT64, most = 0;
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(guint));
    DtNodeTime time = {.after = pair->before == START ? DT_AFTER_START : (gint64)pair->before - pair->call};
    for (guint i = 0; i < pair->ranks->len; i++) {
        const OfRank *rank = &g_array_index(pair->ranks, OfRank, i);
        if (rank->group != number || rank->known == 0)
            continue;
        g_array_append_val(ranks, rank->rank);
        time.count += rank->visits;
        sum += rank->sum;
        least = MIN(least, rank->least);
        most = MAX(most, rank->most);
    }
    if (time.count == 0)
        return;
    time.on = dt_rank_set_of(attaching->skeleton->sets, (const guint *)(gconstpointer)ranks->data, ranks->len);
    time.least = dt_time_rounded((gdouble)least);
    time.mean = dt_time_rounded(sum / (gdouble)time.count);
    time.most = dt_time_rounded((gdouble)most);
    time.row = row_of(&g_array_index(pair->groups, Group, number), time.mean, attaching->span);
    dt_node_add_time(node, &time);
}

static void attach(Attaching *attaching, GPtrArray *calls)
{
    GHashTableIter iter;
    gpointer value;
    visit_all(attaching, sum_up);
    g_hash_table_iter_init(&iter, attaching->pairs);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        make_groups(value, attaching->span);
    visit_all(attaching, put_into_blocks);
    g_hash_table_iter_init(&iter, attaching->pairs);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Pair *pair = value;
        for (guint group = 0; group < pair->groups->len; group++)
            add_group(attaching, pair, group, calls->pdata[pair->call]);
    }
}

static void attach_thread(DtSkeleton *skeleton, const DtSkeletonThread *thread, const GArray *traces, guint64 span)
{
    g_autoptr(GPtrArray) calls = dt_skeleton_calls(thread);
    g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_pair);
    Attaching attaching = {skeleton, thread, traces, span, places, pairs};
    for (guint i = 0; i < calls->len; i++)
        g_hash_table_insert(places, calls->pdata[i], GUINT_TO_POINTER(i));
    attach(&attaching, calls);
}

void dt_skeleton_put_times(DtSkeleton *skeleton, const GArray *gaps, guint64 span)
{
    for (guint i = 0; i < skeleton->threads->len; i++)
        attach_thread(skeleton, skeleton->threads->pdata[i], gaps, span);
}
