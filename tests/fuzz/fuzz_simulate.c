/* Fuzzes what is made of skeletons from strangers: simulating, minimising and comparing them. */
#include "fuzz_target.h"
#include "simulate/minimise.h"
#include "skeleton/difference.h"
#include "skeleton/walk.h"

/* Small enough to be gone through often. */
static gboolean is_small(const DtSkeleton *skeleton)
{
    enum { MOST_RANKS = 8, MOST_CALLS = 200 };
    if (skeleton->ranks > MOST_RANKS)
        return FALSE;
    for (guint rank = 0; rank < skeleton->ranks; rank++) {
        g_autoptr(DtWalk) walk = dt_walk_new(skeleton, 0, rank);
        while (dt_walk_next(walk))
            if (dt_walk_steps(walk) > MOST_CALLS)
                return FALSE;
        if (dt_walk_steps(walk) > MOST_CALLS)
            return FALSE;
    }
    return TRUE;
}

static void minimise(const DtSkeleton *skeleton, DtSends sends)
{
    DtMinimiseSize before, after;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtSkeleton) smallest = dt_minimise(skeleton, sends, &before, &after, &error);
    if (!smallest && !error)
        g_error("no skeleton, and no reason");
    if (smallest && (after.calls > before.calls || !dt_skeleton_stands_still(smallest, sends)))
        g_error("what was kept does not hang");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(DtSkeletonDifference) difference = dt_skeleton_difference_new(text, "difftrace skeleton 1\nranks 2\n");
    if (difference->lines->len > size + 2)
        g_error("more lines than were there:\n%s", text);
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_parse(text, "input", NULL);
    if (!skeleton || !is_small(skeleton))
        return 0;
    g_autofree char *written = dt_skeleton_text(skeleton);
    g_autoptr(DtSkeletonDifference) none = dt_skeleton_difference_new(written, written);
    if (!dt_skeletons_are_equal(none))
        g_error("a skeleton differs from itself:\n%s", written);
    for (guint sends = 0; sends < 2; sends++) {
        g_autoptr(DtSimulation) recorded = dt_simulate(skeleton, (DtSends)sends);
        g_autoptr(DtSimulation) any = dt_simulate_any(skeleton, (DtSends)sends, 20);
        if (recorded->ends != (recorded->standing->len == 0) || any->orders->tried < any->orders->standing)
            g_error("who stands still is not told:\n%s", written);
        minimise(skeleton, (DtSends)sends);
    }
    return 0;
}
