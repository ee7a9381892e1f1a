/* Each call of each rank of each size is a call of the merged skeleton: two walks side by side tell which. */
#include "extrapolate/node_time_laws.h"

#include "skeleton/node_times.h"
#include "skeleton/walk.h"
#include "text/text.h"

enum { ANY = G_MAXUINT32 - 1, START = G_MAXUINT32 };

/* Calls of one line behind those of another. */
typedef struct {
    guint32 call, before; /* places among all calls of the merged skeleton; ANY, START */
    gdouble *ns, *visits; /* by size; sums */
    gdouble weight;       /* ns of all ranks of the largest size */
    gboolean is_known;    /* some of these have times; those that have none count as 0 */
    DtTimeLaw law;
} Pair;

struct DtNodeTimeLaws {
    const DtLaws *laws;
    guint to;
    GHashTable *places; /* node of the merged skeleton -> its place + 1 */
    GHashTable *pairs;  /* call << 32 | before -> Pair */
};

static void free_pair(gpointer data)
{
    Pair *pair = data;
    g_free(pair->ns);
    g_free(pair->visits);
    g_free(pair);
}

static guint32 place_of(const DtNodeTimeLaws *times, const DtSkeletonNode *node)
{
    return node ? GPOINTER_TO_UINT(g_hash_table_lookup(times->places, node)) - 1 : START;
}

static Pair *find_pair(const DtNodeTimeLaws *times, guint32 call, guint32 before)
{
    const guint64 key = (guint64)call << 32 | before;
    return g_hash_table_lookup(times->pairs, &key);
}

static void add(DtNodeTimeLaws *times, guint32 call, guint32 before, guint size, const DtNodeTime *time)
{
    Pair *pair = find_pair(times, call, before);
    if (!pair) {
        const guint64 key = (guint64)call << 32 | before;
        pair = g_new0(Pair, 1);
        pair->call = call;
        pair->before = before;
        pair->ns = g_new0(gdouble, times->laws->sizes->count);
        pair->visits = g_new0(gdouble, times->laws->sizes->count);
        g_hash_table_insert(times->pairs, g_memdup2(&key, sizeof key), pair);
    }
    pair->ns[size] += time ? (gdouble)time->mean : 0;
    pair->visits[size]++;
    pair->is_known = pair->is_known || time;
}

/* ---- what the sizes have --------------------------------------------------------------------- */

/* A thread of a size. */
typedef struct {
    const DtSkeleton *skeleton;
    guint size, thread, place; /* of the merged skeleton's rank */
    GHashTable *places;        /* node -> its place + 1 in the thread */
} OfSize;

static void walk_rank(DtNodeTimeLaws *times, const OfSize *of, guint rank)
{
    g_autoptr(DtWalk) own = dt_walk_new(of->skeleton, of->thread, rank);
    g_autoptr(DtWalk) merged = dt_walk_new(times->laws->sizes->merged, of->thread, of->place + rank);
    const DtSkeletonNode *node, *other, *before = NULL, *other_before = NULL;
    while ((node = dt_walk_next(own)) && (other = dt_walk_next(merged))) {
        gint64 after = DT_AFTER_START;
        if (before)
            after = (gint64)GPOINTER_TO_UINT(g_hash_table_lookup(of->places, before)) -
                    (gint64)GPOINTER_TO_UINT(g_hash_table_lookup(of->places, node));
        const DtNodeTime *time = dt_node_find_time(node, after, rank);
        const guint32 call = place_of(times, other);
        add(times, call, place_of(times, other_before), of->size, time);
        add(times, call, ANY, of->size, time);
        before = node;
        other_before = other;
    }
}

static void walk_size(DtNodeTimeLaws *times, guint size, guint first)
{
    const DtSkeleton *skeleton = times->laws->sizes->sizes[size].skeleton;
    for (guint t = 0; t < skeleton->threads->len; t++) {
        const DtSkeletonThread *thread = skeleton->threads->pdata[t];
        g_autoptr(GPtrArray) calls = dt_skeleton_calls(thread);
        g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL);
        const OfSize of = {skeleton, size, thread->number, first, places};
        for (guint i = 0; i < calls->len; i++)
            g_hash_table_insert(places, calls->pdata[i], GUINT_TO_POINTER(i + 1));
        for (guint rank = 0; rank < skeleton->ranks; rank++)
            walk_rank(times, &of, rank);
    }
}

static guint largest_size(const DtSizes *sizes)
{
    guint largest = 0;
    for (guint s = 1; s < sizes->count; s++)
        if (sizes->sizes[s].skeleton->ranks > sizes->sizes[largest].skeleton->ranks)
            largest = s;
    return largest;
}

/* Sizes of the same number of ranks, in other meshes, are one: their mean. */
static void fit_pair(const DtNodeTimeLaws *times, Pair *pair)
{
    const DtSizes *sizes = times->laws->sizes;
    g_autofree guint *ranks = g_new0(guint, sizes->count);
    g_autofree gdouble *ns = g_new0(gdouble, sizes->count), *visits = g_new0(gdouble, sizes->count);
    guint count = 0, k;
    for (guint s = 0; s < sizes->count; s++) {
        if (pair->visits[s] <= 0)
            continue;
        for (k = 0; k < count && ranks[k] != sizes->sizes[s].skeleton->ranks; k++)
            ;
        ranks[k] = sizes->sizes[s].skeleton->ranks;
        ns[k] += pair->ns[s];
        visits[k] += pair->visits[s];
        count = MAX(count, k + 1);
    }
    for (k = 0; k < count; k++)
        ns[k] /= visits[k];
    pair->law = dt_time_law_find(ranks, ns, count, times->to);
    pair->weight = pair->ns[largest_size(sizes)];
}

DtNodeTimeLaws *dt_node_time_laws_find(const DtLaws *laws, guint to)
{
    DtNodeTimeLaws *times = g_new0(DtNodeTimeLaws, 1);
    GHashTableIter iter;
    gpointer pair;
    guint places = 0, first = 0;
    times->laws = laws;
    times->to = to;
    times->places = g_hash_table_new(NULL, NULL);
    times->pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_pair);
    for (guint t = 0; t < laws->sizes->merged->threads->len; t++) {
        g_autoptr(GPtrArray) calls = dt_skeleton_calls(laws->sizes->merged->threads->pdata[t]);
        for (guint i = 0; i < calls->len; i++)
            g_hash_table_insert(times->places, calls->pdata[i], GUINT_TO_POINTER(places + i + 1));
        places += calls->len;
    }
    for (guint s = 0; s < laws->sizes->count; s++) {
        if (dt_skeleton_has_times(laws->sizes->sizes[s].skeleton))
            walk_size(times, s, first);
        first += laws->sizes->sizes[s].skeleton->ranks;
    }
    g_hash_table_iter_init(&iter, times->pairs);
    while (g_hash_table_iter_next(&iter, NULL, &pair))
        fit_pair(times, pair);
    return times;
}

void dt_node_time_laws_free(DtNodeTimeLaws *times)
{
    if (!times)
        return;
    g_hash_table_unref(times->places);
    g_hash_table_unref(times->pairs);
    g_free(times);
}

/* ---- what they tell -------------------------------------------------------------------------- */

const DtTimeLaw *dt_node_time_laws_get(const DtNodeTimeLaws *times, const DtSkeletonNode *node,
                                       const DtSkeletonNode *before)
{
    const guint32 call = place_of(times, node);
    const Pair *pair = find_pair(times, call, place_of(times, before));
    if (!pair)
        pair = find_pair(times, call, ANY);
    return pair && pair->is_known ? &pair->law : NULL;
}

gdouble dt_node_time_laws_error(const DtNodeTimeLaws *times)
{
    GHashTableIter iter;
    gpointer value;
    gdouble error = 0, weight = 0;
    g_hash_table_iter_init(&iter, times->pairs);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Pair *pair = value;
        if (pair->before == ANY || pair->law.error < 0)
            continue;
        error += pair->weight * pair->law.error;
        weight += pair->weight;
    }
    return weight > 0 ? error / weight : -1;
}

static gint compare(gconstpointer first, gconstpointer second)
{
    const Pair *a = *(const Pair *const *)first, *b = *(const Pair *const *)second;
    /* START first */
    return (gint32)(a->before + 1 > b->before + 1) - (gint32)(a->before + 1 < b->before + 1);
}

void dt_node_time_laws_append(const DtNodeTimeLaws *times, const DtSkeletonNode *node, guint depth, GString *text)
{
    const guint32 call = place_of(times, node);
    g_autoptr(GPtrArray) own = g_ptr_array_new();
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, times->pairs);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Pair *pair = value;
        if (pair->call == call && pair->before != ANY && pair->is_known)
            g_ptr_array_add(own, value);
    }
    g_ptr_array_sort(own, compare);
    for (guint i = 0; i < own->len; i++) {
        const Pair *pair = own->pdata[i];
        g_string_append_printf(text, "%*safter ", (int)(2 * depth), "");
        if (pair->before == START)
            g_string_append(text, "start: ");
        else
            g_string_append_printf(text, "%+" G_GINT64_FORMAT ": ", (gint64)pair->before - (gint64)call);
        dt_time_law_append(text, &pair->law);
        g_string_append_c(text, '\n');
    }
}

gboolean dt_laws_add_times(DtLaws *laws, GError **error)
{
    for (guint s = 0; s < laws->sizes->count; s++)
        if (!dt_skeleton_has_times(laws->sizes->sizes[s].skeleton)) {
            dt_set_error(error, DT_EXTRAPOLATE_ERROR, DT_EXTRAPOLATE_ERROR_TIMES,
                         "%s has no times: all sizes need them ('difftrace collect --times=api', 'difftrace skeleton "
                         "--communication-only --times')",
                         laws->sizes->sizes[s].name);
            return FALSE;
        }
    laws->has_times = TRUE;
    return TRUE;
}

gdouble dt_laws_time_error(const DtLaws *laws)
{
    g_autoptr(DtNodeTimeLaws) times = dt_node_time_laws_find(laws, 0);
    return dt_node_time_laws_error(times);
}

/* ---- of a prediction ------------------------------------------------------------------------- */

/* What passes in all. */
static guint64 predict_rank(const DtNodeTimeLaws *times, DtWalk *walk, GHashTable *origins, GArray *gaps)
{
    const DtSkeletonNode *before = NULL;
    guint64 sum = 0;
    for (const DtSkeletonNode *node = dt_walk_next(walk); node; node = dt_walk_next(walk)) {
        const DtSkeletonNode *origin = g_hash_table_lookup(origins, node);
        const DtTimeLaw *law = dt_node_time_laws_get(times, origin, before);
        const guint64 gap = law ? (guint64)dt_time_law_at(law, times->to) : DT_NO_GAP;
        sum += law ? gap : 0;
        g_array_append_val(gaps, gap);
        before = origin;
    }
    return sum;
}

gboolean dt_node_time_laws_put(const DtNodeTimeLaws *times, const DtSkeleton *by_laws, GHashTable *origins,
                               DtSkeleton *predicted, GError **error)
{
    g_autoptr(GArray) all = dt_call_gaps_new();
    guint64 span = 0, calls = 0;
    for (guint t = 0; t < by_laws->threads->len; t++) {
        const guint thread = ((const DtSkeletonThread *)by_laws->threads->pdata[t])->number;
        for (guint rank = 0; rank < by_laws->ranks; rank++) {
            g_autoptr(DtWalk) walk = dt_walk_new(by_laws, thread, rank);
            const DtCallGaps own = dt_call_gaps_of(all, thread, rank);
            const guint64 sum = predict_rank(times, walk, origins, own.gaps);
            span = MAX(span, sum);
            calls += own.gaps->len;
            if (calls <= DT_SKELETON_MOST_CALLS)
                continue;
            dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_LARGE,
                         "more than %u calls are too many to give times to: predict without --times",
                         DT_SKELETON_MOST_CALLS);
            return FALSE;
        }
    }
    dt_skeleton_put_times(predicted, all, span);
    return TRUE;
}
