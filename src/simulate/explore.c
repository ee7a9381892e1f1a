/*
 * Other matches of receives from anybody, by running again and again (Godefroid 1997): all that is no choice is done
 * first, then one of the choices; a state is what each rank's receives got so far, whatever the order among ranks.
 */
#include "simulate/simulating.h"

/* One choice of an order that is being tried. */
typedef struct {
    guint options, taken;
    DtChosen chosen;
} Step;

typedef struct {
    const DtSkeleton *skeleton;
    DtSends sends;
    gboolean answers;     /* there are messages to `last`: who gets them depends on what is chosen */
    GArray *steps;        /* Step */
    GHashTable *known;    /* states that were entered */
    GHashTable *sends_of; /* "from to" -> messages of the whole skeleton */
} Exploring;

static guint64 state_of(const DtSimulating *simulating)
{
    guint64 state = 0;
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++) {
        guint64 own = simulating->ranks[rank].choices + (guint64)rank * G_GUINT64_CONSTANT(0xd6e8feb86659fd93);
        own = (own ^ own >> 32) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        state += simulating->ranks[rank].choices ? own ^ own >> 29 : 0;
    }
    return state;
}

/* ---- which choices to take apart ------------------------------------------------------------- */

static gboolean has_message(const DtSimulatedRank *own, guint from)
{
    for (GList *link = own->messages.head; link; link = link->next)
        if (((const DtOperation *)link->data)->rank == from)
            return TRUE;
    return FALSE;
}

/* Nobody else will send to the rank: what may be chosen there is the same whatever is chosen elsewhere before. */
static gboolean is_settled(const Exploring *exploring, const DtSimulating *simulating, guint rank)
{
    for (guint from = 0; from < simulating->skeleton->ranks; from++) {
        if (exploring->answers && from != rank && !simulating->ranks[from].ended)
            return FALSE;
        gint64 key = (gint64)from << 32 | rank;
        gsize all = GPOINTER_TO_SIZE(g_hash_table_lookup(exploring->sends_of, &key));
        if (GPOINTER_TO_SIZE(g_hash_table_lookup(simulating->sent, &key)) < all && !simulating->ranks[from].ended &&
            !has_message(&simulating->ranks[rank], from))
            return FALSE;
    }
    return TRUE;
}

/* Those of one rank, if they are all that there will be; else those of all ranks. */
static void find_choices(const Exploring *exploring, const DtSimulating *simulating, GArray *matches)
{
    guint ranks = 0;
    for (guint rank = 0; rank < simulating->skeleton->ranks; rank++) {
        guint first = matches->len;
        dt_find_matches(simulating, rank, matches);
        if (matches->len == first)
            continue;
        ranks++;
        if (is_settled(exploring, simulating, rank)) {
            g_array_remove_range(matches, 0, first);
            return;
        }
    }
}

/* ---- one order ------------------------------------------------------------------------------- */

/* FALSE: what follows was tried before. */
static gboolean follow(Exploring *exploring, DtSimulating *simulating)
{
    g_autoptr(GArray) matches = g_array_new(FALSE, FALSE, sizeof(DtMatch));
    for (guint depth = 0;; depth++) {
        dt_simulating_run(simulating);
        g_array_set_size(matches, 0);
        find_choices(exploring, simulating, matches);
        if (matches->len == 0)
            return TRUE;
        if (depth == exploring->steps->len) {
            gint64 state = (gint64)state_of(simulating);
            if (!g_hash_table_add(exploring->known, g_memdup2(&state, sizeof state)))
                return FALSE;
            const Step step = {matches->len, 0, {0, 0}};
            g_array_append_val(exploring->steps, step);
        }
        Step *step = &g_array_index(exploring->steps, Step, depth);
        const DtMatch match = g_array_index(matches, DtMatch, MIN(step->taken, matches->len - 1));
        step->chosen = (DtChosen){match.receive->rank, match.send->rank};
        dt_choose_match(simulating, &match);
    }
}

/* The next order; FALSE: there is none. */
static gboolean advance(Exploring *exploring)
{
    while (exploring->steps->len > 0) {
        Step *last = &g_array_index(exploring->steps, Step, exploring->steps->len - 1);
        if (++last->taken < last->options)
            return TRUE;
        g_array_set_size(exploring->steps, exploring->steps->len - 1);
    }
    return FALSE;
}

/* ---- all orders ------------------------------------------------------------------------------ */

static void keep_choices(const Exploring *exploring, DtOrders *orders)
{
    g_array_set_size(orders->chosen, 0);
    for (guint i = 0; i < exploring->steps->len; i++)
        g_array_append_val(orders->chosen, g_array_index(exploring->steps, Step, i).chosen);
}

/* Tries the order that comes next; keeps the first, and the first that stands still. */
static void try_order(Exploring *exploring, DtOrders *orders, DtSimulation **kept)
{
    g_autoptr(DtSimulating) simulating = dt_simulating_new(exploring->skeleton, exploring->sends, TRUE);
    if (!follow(exploring, simulating))
        return;
    g_autoptr(DtSimulation) result = dt_simulating_result(simulating, FALSE);
    orders->tried++;
    orders->standing += result->ends ? 0 : 1;
    gboolean is_wanted = !*kept || (!result->ends && orders->standing == 1);
    if (!is_wanted)
        return;
    if (!result->ends)
        keep_choices(exploring, orders);
    dt_simulation_free(*kept);
    *kept = dt_simulating_result(simulating, TRUE);
}

/* Messages from each rank to each other, of all calls that are there. */
static GHashTable *count_sends(const DtSkeleton *skeleton)
{
    g_autoptr(DtSimulating) simulating = dt_simulating_new(skeleton, DT_SENDS_BUFFERED, TRUE);
    dt_simulating_count_sends(simulating);
    return g_steal_pointer(&simulating->sent);
}

static gboolean row_has_answers(const DtRow *row)
{
    for (guint i = 0; i < row->parts; i++)
        if (row->part[i].inner ? row_has_answers(row->part[i].inner) : row->part[i].first == DT_PEER_LAST)
            return TRUE;
    return FALSE;
}

static gboolean has_answers(const GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        if (node->children && has_answers(node->children))
            return TRUE;
        for (guint f = 0; f < node->fields->len; f++) {
            const GArray *pieces = g_array_index(node->fields, DtField, f).pieces;
            for (guint k = 0; k < pieces->len; k++)
                if (row_has_answers(g_array_index(pieces, DtPiece, k).row))
                    return TRUE;
        }
    }
    return FALSE;
}

DtSimulation *dt_simulate_any(const DtSkeleton *skeleton, DtSends sends, guint64 limit)
{
    g_autoptr(GArray) steps = g_array_new(FALSE, TRUE, sizeof(Step));
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GHashTable) sends_of = count_sends(skeleton);
    Exploring exploring = {skeleton, sends, FALSE, steps, known, sends_of};
    for (guint i = 0; i < skeleton->threads->len; i++)
        exploring.answers |= has_answers(((const DtSkeletonThread *)skeleton->threads->pdata[i])->nodes);
    DtOrders *orders = g_new0(DtOrders, 1);
    DtSimulation *kept = NULL;
    guint64 runs = 0;
    orders->chosen = g_array_new(FALSE, FALSE, sizeof(DtChosen));
    do
        try_order(&exploring, orders, &kept);
    while (!(orders->complete = !advance(&exploring)) && ++runs < limit);
    g_assert(kept != NULL); /* by the first order */
    kept->orders = orders;
    return kept;
}
