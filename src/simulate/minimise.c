#include "simulate/minimise.h"

#include <string.h>

#include "simulate/written_out.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_minimise_error, dt_minimise_error)

typedef struct {
    const DtWrittenOut *written;
    DtSends sends;
    GHashTable *functions;   /* names of calls in which somebody stood, or waited in a deadlock */
    gboolean has_cycle;      /* ranks wait for each other */
    gboolean *units, *ranks; /* that are gone */
} Minimising;

/* ---- the same hang --------------------------------------------------------------------------- */

static void add_functions(GHashTable *functions, const DtWaitFor *waits, gboolean of_cycles)
{
    for (guint i = 0; of_cycles && i < waits->cycles->len; i++) {
        const GArray *cycle = waits->cycles->pdata[i];
        for (guint k = 0; k < cycle->len; k++)
            g_hash_table_add(functions,
                             g_strdup(((const DtWaiter *)waits->waiters->pdata[g_array_index(cycle, guint, k)])->call));
    }
    for (guint i = 0; !of_cycles && i < waits->waiters->len; i++) {
        const DtWaiter *waiter = waits->waiters->pdata[i];
        if (waiter->mode == DT_WAIT_FOR_ALL || waiter->mode == DT_WAIT_FOR_ANY)
            g_hash_table_add(functions, g_strdup(waiter->call ? waiter->call : ""));
    }
}

static gboolean is_same_hang(const Minimising *minimising, const DtSkeleton *skeleton)
{
    g_autoptr(DtSimulation) simulation = dt_simulate(skeleton, minimising->sends);
    g_autoptr(GHashTable) functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GHashTableIter iter;
    gpointer name;
    if (simulation->ends || simulation->undecided || (minimising->has_cycle && simulation->waits->cycles->len == 0))
        return FALSE;
    add_functions(functions, simulation->waits, minimising->has_cycle);
    g_hash_table_iter_init(&iter, functions);
    while (g_hash_table_iter_next(&iter, &name, NULL))
        if (!g_hash_table_contains(minimising->functions, name))
            return FALSE;
    return g_hash_table_size(functions) > 0;
}

static gboolean still_hangs(const Minimising *minimising)
{
    guint there = 0;
    for (guint rank = 0; rank < minimising->written->skeleton->ranks; rank++)
        there += minimising->ranks[rank] ? 0 : 1;
    if (there == 0)
        return FALSE;
    g_autoptr(DtSkeleton) skeleton =
        dt_written_out_without(minimising->written, minimising->units, minimising->ranks, NULL);
    return is_same_hang(minimising, skeleton);
}

/* ---- leaving out ----------------------------------------------------------------------------- */

/* Leaves these out; puts them back if it does not hang any more. */
static gboolean leave_out(const Minimising *minimising, gboolean *gone, const guint *what, guint count)
{
    for (guint i = 0; i < count; i++)
        gone[what[i]] = TRUE;
    if (still_hangs(minimising))
        return TRUE;
    for (guint i = 0; i < count; i++)
        gone[what[i]] = FALSE;
    return FALSE;
}

static GArray *all_that_is_there(const gboolean *gone, guint count)
{
    GArray *there = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < count; i++)
        if (!gone[i])
            g_array_append_val(there, i);
    return there;
}

/* In pieces that get smaller, down to single ones; at least one stays. TRUE if anything could be left out. */
static gboolean leave_out_in_pieces(const Minimising *minimising, gboolean *gone, guint count)
{
    gboolean any = FALSE;
    guint piece = G_MAXUINT;
    do {
        g_autoptr(GArray) there = all_that_is_there(gone, count);
        gboolean some = FALSE;
        if (there->len < 2)
            return any;
        piece = CLAMP(piece == G_MAXUINT ? there->len / 2 : piece, 1, there->len - 1);
        /* From the end of a run: what is there last is what the hang needs. */
        for (guint first = 0; first < there->len; first += piece)
            some |= leave_out(minimising, gone, &g_array_index(there, guint, first), MIN(piece, there->len - first));
        any |= some;
        if (piece == 1 && !some)
            return any;
        piece = some ? piece : piece / 2;
    } while (TRUE);
}

/* ---- a first guess --------------------------------------------------------------------------- */

/* Only what somebody stands in matters, and what is not met: tried at once. */
static void guess(const Minimising *minimising, const GArray *pairs)
{
    const DtWrittenOut *written = minimising->written;
    g_autofree gboolean *paired = g_new0(gboolean, written->units + 1);
    g_autoptr(GArray) met = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < pairs->len; i++) {
        const DtMetCalls *pair = &g_array_index(pairs, DtMetCalls, i);
        paired[dt_written_unit(written, pair->ranks[0], pair->calls[0])] = TRUE;
    }
    for (guint rank = 0; rank < written->skeleton->ranks; rank++)
        if (written->ranks[rank]->len > 0)
            paired[g_array_index(written->ranks[rank], DtWrittenCall, written->ranks[rank]->len - 1).unit] = FALSE;
    for (guint unit = 0; unit < written->units; unit++)
        if (paired[unit])
            g_array_append_val(met, unit);
    if (met->len > 0)
        (void)leave_out(minimising, minimising->units, (const guint *)(gconstpointer)met->data, met->len);
}

/* ---- all ------------------------------------------------------------------------------------- */

static GArray *find_pairs(const DtSkeleton *skeleton, DtSends sends)
{
    g_autoptr(DtSimulating) simulating = dt_simulating_new(skeleton, sends, FALSE);
    simulating->pairs = g_array_new(FALSE, FALSE, sizeof(DtMetCalls));
    dt_simulating_run(simulating);
    return g_steal_pointer(&simulating->pairs);
}

static gboolean note_hang(Minimising *minimising, const DtSkeleton *skeleton, GError **error)
{
    g_autoptr(DtSimulation) simulation = dt_simulate(skeleton, minimising->sends);
    if (simulation->ends || simulation->undecided) {
        dt_set_error(error, DT_MINIMISE_ERROR, DT_MINIMISE_ERROR_ENDS,
                     simulation->ends
                         ? "all ranks come to their ends: there is no hang to keep"
                         : "whether somebody stands still depends on what receives from anybody get: there "
                           "is no hang that is sure");
        return FALSE;
    }
    if (simulation->cut_short) {
        dt_set_error(error, DT_MINIMISE_ERROR, DT_MINIMISE_ERROR_LARGE, "a rank has more than %u calls",
                     DT_SKELETON_MOST_CALLS);
        return FALSE;
    }
    minimising->has_cycle = simulation->waits->cycles->len > 0;
    add_functions(minimising->functions, simulation->waits, minimising->has_cycle);
    return TRUE;
}

static void minimise(const Minimising *minimising, const GArray *pairs)
{
    const DtWrittenOut *written = minimising->written;
    guint ranks = written->skeleton->ranks;
    guess(minimising, pairs);
    while (leave_out_in_pieces(minimising, minimising->ranks, ranks) |
           leave_out_in_pieces(minimising, minimising->units, written->units))
        ;
}

static DtSkeleton *minimise_once(const DtSkeleton *skeleton, DtSends sends, DtMinimiseSize *before,
                                 DtMinimiseSize *after, GError **error)
{
    g_autoptr(GHashTable) functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Minimising minimising = {.sends = sends, .functions = functions};
    if (!note_hang(&minimising, skeleton, error))
        return NULL;
    /* With buffers, sends meet their receives even where it hangs without. */
    g_autoptr(GArray) pairs = find_pairs(skeleton, DT_SENDS_BUFFERED);
    g_autoptr(DtWrittenOut) written = dt_written_out_new(skeleton, pairs);
    if (!written) {
        dt_set_error(error, DT_MINIMISE_ERROR, DT_MINIMISE_ERROR_LARGE, "there are more than %u calls: too many",
                     DT_WRITTEN_MOST);
        return NULL;
    }
    g_autofree gboolean *units = g_new0(gboolean, written->units + 1);
    g_autofree gboolean *ranks = g_new0(gboolean, skeleton->ranks + 1);
    minimising.written = written;
    minimising.units = units;
    minimising.ranks = ranks;
    *before = (DtMinimiseSize){skeleton->ranks, written->total};
    minimise(&minimising, pairs);
    DtSkeleton *smallest = dt_written_out_without(written, units, ranks, &after->calls);
    after->ranks = smallest->ranks;
    return smallest;
}

/* What belongs together may be less in what is left: again, until nothing changes. */
DtSkeleton *dt_minimise(const DtSkeleton *skeleton, DtSends sends, DtMinimiseSize *before, DtMinimiseSize *after,
                        GError **error)
{
    DtMinimiseSize last;
    DtSkeleton *smallest = minimise_once(skeleton, sends, before, after, error);
    for (gboolean shrinks = smallest != NULL; shrinks;) {
        DtSkeleton *smaller = minimise_once(smallest, sends, &last, after, NULL);
        shrinks = smaller && (after->calls < last.calls || after->ranks < last.ranks);
        *after = shrinks ? *after : last;
        dt_skeleton_free(shrinks ? smallest : smaller);
        smallest = shrinks ? smaller : smallest;
    }
    return smallest;
}
