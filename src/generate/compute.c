/* Computing between calls: of each call the mean of what passed before it, so that sums stay those of the run. */
#include "generate/generating.h"
#include "skeleton/node_times.h"

enum {
    MOST_GROUPS = 8,  /* of ranks that compute differently long before a call */
    A_PART_OF = 10000 /* of the whole: less is left out */
};
#define ALIKE 0.1

/* Of ranks that take about the same. */
typedef struct {
    const DtRankSet *on;
    double first, sum; /* seconds before each call */
    guint ranks;
} Group;

/* What a rank computes before each call of the node: the mean over the calls that may come before it. */
static double seconds_of_rank(const DtSkeletonNode *node, guint rank)
{
    double visits = 0, ns = 0;
    for (guint i = 0; node->times && i < node->times->len; i++) {
        const DtNodeTime *time = &g_array_index(node->times, DtNodeTime, i);
        if (!dt_rank_set_has(time->on, rank))
            continue;
        const double own = (double)time->count / dt_rank_set_count(time->on);
        visits += own;
        ns += own * (double)time->mean;
    }
    return visits > 0 ? 1e-9 * ns / visits : 0;
}

static double seconds_of_node(const DtSkeletonNode *node)
{
    double ns = 0;
    for (guint i = 0; node->times && i < node->times->len; i++) {
        const DtNodeTime *time = &g_array_index(node->times, DtNodeTime, i);
        ns += (double)time->count * (double)time->mean;
    }
    return 1e-9 * ns;
}

double dt_compute_seconds(const GPtrArray *nodes)
{
    double seconds = 0;
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        seconds += dt_skeleton_node_is_loop(node) ? dt_compute_seconds(node->children) : seconds_of_node(node);
    }
    return seconds;
}

static void add_rank(const DtSkeleton *skeleton, GArray *groups, guint rank, double seconds, double alike)
{
    const DtRankSet *own = dt_rank_set_of(skeleton->sets, &rank, 1);
    for (guint i = 0; i < groups->len; i++) {
        Group *group = &g_array_index(groups, Group, i);
        if (ABS(seconds - group->first) > alike * MAX(seconds, group->first))
            continue;
        group->on = dt_rank_set_union(skeleton->sets, group->on, own);
        group->sum += seconds;
        group->ranks++;
        return;
    }
    const Group group = {own, seconds, seconds, 1};
    g_array_append_val(groups, group);
}

static GArray *groups_of(const DtSkeleton *skeleton, const DtSkeletonNode *node)
{
    GArray *groups = g_array_new(FALSE, FALSE, sizeof(Group));
    double alike = ALIKE;
    while (groups->len == 0 || groups->len > MOST_GROUPS) {
        g_array_set_size(groups, 0);
        for (guint rank = dt_rank_set_next(node->on, 0); rank != G_MAXUINT; rank = dt_rank_set_next(node->on, rank + 1))
            add_rank(skeleton, groups, rank, seconds_of_rank(node, rank), alike);
        alike = MIN(1.5 * alike, 1);
    }
    return groups;
}

char *dt_compute_text(DtGenerating *generating, const DtSkeletonNode *node)
{
    const double least = generating->compute_seconds / A_PART_OF;
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (!node->times || seconds_of_node(node) <= least)
        return NULL;
    g_autoptr(GArray) groups = groups_of(generating->skeleton, node);
    g_autoptr(GString) text = g_string_new("compute(");
    for (guint i = 0; i < groups->len; i++) {
        const Group *group = &g_array_index(groups, Group, i);
        if (i + 1 < groups->len) {
            g_autofree char *condition = dt_condition(generating, group->on, node->on);
            g_string_append_printf(text, "%s ? ", condition);
        }
        g_ascii_formatd(number, sizeof number, "%.3g", group->sum / group->ranks);
        g_string_append_printf(text, "%s%s", number, i + 1 < groups->len ? " : " : ");");
    }
    return g_strdup(text->str);
}
