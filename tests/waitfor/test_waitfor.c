/* Who is to blame in small programs that hang, told as facts. */
#include <string.h>

#include "waitfor/facts.h"

enum { RANKS = 6 };
static const guint64 WORLD = 7;

/* Six ranks in a ring that reduce after each step. */
typedef struct {
    DtProcess processes[RANKS];
    DtTrace traces[RANKS];
    char labels[RANKS][8];
    GPtrArray *facts;
    DtMembers *members;
    DtWaitFor *waits;
} Ring;

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

static void add_transfer(DtFacts *facts, gboolean send, gint peer, gint64 tag, guint64 calls)
{
    DtTransfer transfer = {WORLD, peer, tag, send, calls};
    g_array_append_val(facts->transfers, transfer);
    guint32 symbol = (guint32)(send ? 100 : 200) + (guint32)tag;
    g_array_append_val(facts->symbols, symbol);
}

static DtCollectiveCall call_of(guint32 function)
{
    return (DtCollectiveCall){function, DT_NOT_TOLD, DT_NOT_TOLD, DT_NOT_TOLD};
}

static void add_collectives(DtFacts *facts, guint count, guint32 function)
{
    DtCollectiveCall call = call_of(function);
    if (facts->collectives->len == 0) {
        DtCollectives none = dt_collectives_new(WORLD);
        g_array_append_val(facts->collectives, none);
    }
    for (guint i = 0; i < count; i++)
        dt_collectives_add(&g_array_index(facts->collectives, DtCollectives, 0), &call);
}

static Ring *ring_new(guint steps)
{
    Ring *ring = g_new0(Ring, 1);
    ring->facts = g_ptr_array_new_with_free_func((GDestroyNotify)dt_facts_free);
    ring->members = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, unref_array);
    GArray *ranks = g_array_new(FALSE, FALSE, sizeof(gint));
    for (gint r = 0; r < RANKS; r++) {
        g_snprintf(ring->labels[r], sizeof ring->labels[r], "%d.0", r);
        ring->processes[r] = (DtProcess){.index = (guint)r, .label = "", .rank = r};
        ring->traces[r] = (DtTrace){.index = (guint)r, .label = ring->labels[r], .process = &ring->processes[r]};
        DtFacts *facts = dt_facts_new(&ring->traces[r]);
        add_transfer(facts, TRUE, (r + 1) % RANKS, 5, steps);
        add_transfer(facts, FALSE, (r + RANKS - 1) % RANKS, 5, steps);
        add_collectives(facts, steps, 300);
        g_ptr_array_add(ring->facts, facts);
        g_array_append_val(ranks, r);
    }
    g_hash_table_insert(ring->members, g_memdup2(&WORLD, sizeof WORLD), ranks);
    return ring;
}

static void ring_free(Ring *ring)
{
    g_ptr_array_unref(ring->facts);
    g_hash_table_unref(ring->members);
    g_clear_pointer(&ring->waits, dt_wait_for_free);
    g_free(ring);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ring, ring_free)

static DtFacts *rank(const Ring *ring, guint r)
{
    return g_ptr_array_index(ring->facts, r);
}

static DtTransfer *transfer(DtFacts *facts, gboolean send)
{
    return &g_array_index(facts->transfers, DtTransfer, send ? 0 : 1);
}

static void wait_in_collective(DtFacts *facts, guint32 function)
{
    facts->open = (DtBlockingCall){.kind = DT_OPEN_COLLECTIVE,
                                   .call = "MPI_Allreduce",
                                   .symbol = function,
                                   .communicator = WORLD,
                                   .collective = call_of(function)};
}

static void wait_for_message(DtFacts *facts, gint peer, gint64 tag)
{
    DtTransfer asked = {WORLD, peer, tag, FALSE, 1};
    g_array_append_val(facts->transfers, asked);
    facts->open = (DtBlockingCall){.kind = DT_OPEN_TRANSFER,
                                   .call = "MPI_Recv",
                                   .symbol = 205,
                                   .transfers = {{WORLD, peer, tag, FALSE, 1}},
                                   .transfer_count = 1};
}

static void check_blame(Ring *ring, guint culprit, const char *reason)
{
    ring->waits = dt_wait_for_of_facts(ring->facts, ring->members, NULL);
    double sum = 0;
    for (guint r = 0; r < RANKS; r++) {
        const DtWaiter *waiter = g_ptr_array_index(ring->waits->waiters, r);
        sum += waiter->blame;
        if (r != culprit)
            g_assert_cmpfloat(waiter->blame, <, ((DtWaiter *)ring->waits->waiters->pdata[culprit])->blame);
    }
    g_assert_cmpfloat_with_epsilon(sum, 1, 1e-9);
    const char *told = ((DtWaiter *)ring->waits->waiters->pdata[culprit])->reason;
    g_test_message("%s", ring->waits->summary);
    if (!strstr(told, reason))
        g_error("'%s' does not say '%s'", told, reason);
}

/* Rank 2 left; the others wait for it in the next reduction. */
static void test_ended(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    for (guint r = 0; r < RANKS; r++) {
        rank(ring, r)->ended = r == 2;
        if (r != 2) {
            add_collectives(rank(ring, r), 1, 300);
            wait_in_collective(rank(ring, r), 300);
        }
    }
    check_blame(ring, 2, "it has ended");
    const DtWaiter *other = g_ptr_array_index(ring->waits->waiters, 4);
    g_assert_cmpuint(other->waits_for->len, ==, 1);
    g_assert_cmpuint(g_array_index(other->waits_for, guint, 0), ==, 2);
}

/* All came to the call. Another operation blocks nobody; another size may, and nobody knows. */
static void test_all_came(void)
{
    for (guint other = 0; other < 3; other++) {
        g_autoptr(Ring) ring = ring_new(4);
        for (guint r = 0; r < RANKS; r++) {
            add_collectives(rank(ring, r), 1, 300);
            wait_in_collective(rank(ring, r), 300);
            DtCollectiveCall *call = &rank(ring, r)->open.collective;
            call->operation = other == 1 && r == 1 ? 2 : 1;
            call->bytes = other == 2 && r == 1 ? 16 : 8;
        }
        ring->waits = dt_wait_for_of_facts(ring->facts, ring->members, NULL);
        for (guint r = 0; r < RANKS; r++) {
            const DtWaiter *waiter = g_ptr_array_index(ring->waits->waiters, r);
            g_assert_true(waiter->may_end);
            g_assert_true(other == 2 || (waiter->mode == DT_WAIT_RUNS && waiter->blame <= 0));
        }
        g_assert_cmpuint(ring->waits->cycles->len, ==, other == 2 ? 1 : 0);
    }
}

/* Rank 0 is in a collective call to which nobody else came. */
static const DtWaiter *first_in(Ring *ring, const char *call, gint root)
{
    add_collectives(rank(ring, 0), 1, 300);
    wait_in_collective(rank(ring, 0), 300);
    rank(ring, 0)->open.call = call;
    rank(ring, 0)->open.collective.root = root;
    g_clear_pointer(&ring->waits, dt_wait_for_free);
    ring->waits = dt_wait_for_of_facts(ring->facts, ring->members, NULL);
    return g_ptr_array_index(ring->waits->waiters, 0);
}

/* A barrier needs all, a broadcast its root, a reduction somebody: at the root all. */
static void test_needs(void)
{
    static const struct {
        const char *call;
        gint root;
        guint needs;
    } cases[] = {{"MPI_Barrier", DT_NOT_TOLD, RANKS - 1},
                 {"MPI_Bcast", 3, 1},
                 {"MPI_Bcast", 0, 0},
                 {"MPI_Scatterv", 2, 1},
                 {"MPI_Reduce", 3, 0},
                 {"MPI_Gather", 0, RANKS - 1},
                 {"MPI_Scan", DT_NOT_TOLD, 0},
                 {"MPI_Alltoallv", DT_NOT_TOLD, 0}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Ring) ring = ring_new(1);
        const DtWaiter *waiter = first_in(ring, cases[i].call, cases[i].root);
        g_test_message("%s with root %d", cases[i].call, cases[i].root);
        g_assert_cmpuint(waiter->waits_for->len, ==, RANKS - 1);
        g_assert_cmpuint(waiter->needs ? waiter->needs->len : 0, ==, cases[i].needs);
        g_assert_true(waiter->by_some || cases[i].needs == RANKS - 1);
        if (cases[i].needs == 1)
            g_assert_cmpint((gint)g_array_index(waiter->needs, guint, 0), ==, cases[i].root);
    }
}

/* Ranks 1 and 3 wait for three messages of rank 2 each, which left. */
static void test_several_requests(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    rank(ring, 2)->ended = TRUE;
    for (guint r = 1; r <= 3; r += 2) {
        for (gint64 tag = 6; tag < 9; tag++)
            add_transfer(rank(ring, r), FALSE, 2, tag, 1);
        rank(ring, r)->open = (DtBlockingCall){.kind = DT_OPEN_REQUESTS, .call = "MPI_Waitall", .symbol = 210};
    }
    check_blame(ring, 2, "2 wait for it, but it has ended");
}

static void test_spins(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    for (guint r = 0; r < RANKS; r++) {
        if (r == 3)
            continue;
        add_collectives(rank(ring, r), 1, 300);
        wait_in_collective(rank(ring, r), 300);
    }
    check_blame(ring, 3, "in no call that waits");
    g_assert_cmpint(ring->waits->certainty, ==, DT_CERTAINTY_POSSIBLE);
    g_assert_cmpstr(ring->waits->summary, ==, "5 wait, held up by 3.0: 5 wait for it, but it is in no call that waits");
}

/* The time limit came just before rank 3 received what rank 2 had sent, so rank 4 waits for no deadlock. */
static void test_has_all(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    transfer(rank(ring, 2), TRUE)->calls++;
    wait_for_message(rank(ring, 3), 2, 5);
    wait_for_message(rank(ring, 4), 3, 5);
    for (guint r = 0; r < RANKS; r++)
        rank(ring, r)->status = DT_STATUS_STUCK;
    check_blame(ring, 3, "all that it waits for");
    const DtWaiter *const *waiters = (const DtWaiter *const *)ring->waits->waiters->pdata;
    g_assert_cmpint(waiters[3]->status, ==, DT_STATUS_RUNNING);
    g_assert_cmpint(waiters[4]->status, ==, DT_STATUS_STUCK);
    g_assert_cmpint(ring->waits->certainty, ==, DT_CERTAINTY_POSSIBLE);
    g_assert_true(g_str_has_prefix(ring->waits->summary, "1 waits, held up by 3.0"));
}

/* Ranks 3 and 4 wait for each other. Rank 1 waits for rank 0, which computes: that proves nothing. */
static void test_runs_beside_deadlock(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    wait_for_message(rank(ring, 3), 4, 8);
    wait_for_message(rank(ring, 4), 3, 8);
    wait_for_message(rank(ring, 1), 0, 5);
    ring->waits = dt_wait_for_of_facts(ring->facts, ring->members, NULL);
    for (guint r = 0; r < RANKS; r++) {
        const DtWaiter *waiter = g_ptr_array_index(ring->waits->waiters, r);
        g_assert_cmpfloat_with_epsilon(waiter->blame, r == 3 || r == 4 ? 0.5 : 0, 1e-9);
    }
    g_assert_cmpuint(ring->waits->cycles->len, ==, 1);
    g_assert_cmpint(ring->waits->certainty, ==, DT_CERTAINTY_PROVED);
}

/* Rank 1 sends with tag 6; rank 2 waits for tag 5, the others for rank 2 in the reduction. */
static void test_wrong_tag(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    transfer(rank(ring, 1), TRUE)->calls = 3;
    add_transfer(rank(ring, 1), TRUE, 2, 6, 1);
    for (guint r = 0; r < RANKS; r++) {
        if (r == 2)
            continue;
        add_collectives(rank(ring, r), 1, 300);
        wait_in_collective(rank(ring, r), 300);
    }
    wait_for_message(rank(ring, 2), 1, 5);
    check_blame(ring, 1, "tag 6");
}

/* Rank 4 forgot to send. */
static void test_skipped_send(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    transfer(rank(ring, 4), TRUE)->calls = 3;
    for (guint r = 0; r < RANKS; r++) {
        if (r == 5)
            continue;
        add_collectives(rank(ring, r), 1, 300);
        wait_in_collective(rank(ring, r), 300);
    }
    wait_for_message(rank(ring, 5), 4, 5);
    check_blame(ring, 4, "sent 3 messages");
}

static void test_other_collective(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    for (guint r = 0; r < RANKS; r++) {
        add_collectives(rank(ring, r), 1, r == 1 ? 301 : 300);
        wait_in_collective(rank(ring, r), r == 1 ? 301 : 300);
    }
    check_blame(ring, 1, "the others' is");
}

static void test_extra_collective(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    for (guint r = 0; r < RANKS; r++) {
        add_collectives(rank(ring, r), r == 5 ? 2 : 1, 300);
        wait_in_collective(rank(ring, r), 300);
    }
    rank(ring, 0)->open.kind = DT_OPEN_NONE;
    for (guint r = 0; r < 5; r++)
        wait_for_message(rank(ring, r), 5, 5);
    check_blame(ring, 5, "made 6 collective calls");
}

/* All receive before they send: nobody is odd. */
static void test_symmetric(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    for (guint r = 0; r < RANKS; r++) {
        wait_for_message(rank(ring, r), (gint)((r + RANKS - 1) % RANKS), 5);
    }
    ring->waits = dt_wait_for_of_facts(ring->facts, ring->members, NULL);
    g_assert_cmpuint(ring->waits->cycles->len, ==, 1);
    g_assert_cmpuint(((GArray *)ring->waits->cycles->pdata[0])->len, ==, RANKS);
    for (guint r = 0; r < RANKS; r++)
        g_assert_cmpfloat_with_epsilon(((DtWaiter *)ring->waits->waiters->pdata[r])->blame, 1.0 / RANKS, 1e-9);
}

/* A receive from anybody is no cycle as long as somebody who could send goes on. */
static void test_anybody(void)
{
    g_autoptr(Ring) ring = ring_new(4);
    for (guint r = 0; r < RANKS; r++)
        wait_for_message(rank(ring, r), r == 0 ? DT_PEER_ANY : 0, 5);
    rank(ring, 3)->open.kind = DT_OPEN_NONE;
    check_blame(ring, 3, "in no call that waits");
    g_assert_cmpuint(ring->waits->cycles->len, ==, 0);
    g_assert_cmpint(((DtWaiter *)ring->waits->waiters->pdata[0])->mode, ==, DT_WAIT_FOR_ANY);
}

/* Two threads take two locks in different orders; a third waits for one of them. */
static void test_locks(void)
{
    g_autoptr(Ring) ring = ring_new(0);
    for (guint r = 0; r < RANKS; r++) {
        ring->traces[r].process = &ring->processes[0];
        rank(ring, r)->ended = r >= 3;
        rank(ring, r)->open =
            (DtBlockingCall){.kind = DT_OPEN_LOCK, .call = "pthread_mutex_lock", .lock = r == 0 ? 2 : 1};
    }
    ring->processes[0].rank = -1;
    DtLockUse first = {1, 1}, second = {2, 1}, third = {3, 1};
    g_array_append_val(rank(ring, 0)->locks, first);
    g_array_append_val(rank(ring, 1)->locks, second);
    g_array_append_val(rank(ring, 2)->locks, third);
    ring->waits = dt_wait_for_of_facts(ring->facts, ring->members, NULL);
    g_assert_cmpuint(ring->waits->cycles->len, ==, 1);
    const GArray *cycle = ring->waits->cycles->pdata[0];
    g_assert_cmpuint(cycle->len, ==, 2);
    g_assert_cmpuint(g_array_index(cycle, guint, 0), ==, 0);
    g_assert_cmpuint(g_array_index(cycle, guint, 1), ==, 1);
    g_assert_cmpfloat(((DtWaiter *)ring->waits->waiters->pdata[2])->blame, ==, 0);
}

/* In MPI_Mrecv it waits for nobody that is known, and not for itself; with a lock taken twice it does. */
static void test_itself(void)
{
    g_autoptr(Ring) ring = ring_new(0);
    for (guint r = 0; r < RANKS; r++)
        rank(ring, r)->open = (DtBlockingCall){.kind = DT_OPEN_OTHER, .call = "MPI_Mrecv"};
    DtLockUse lock = {1, 1};
    g_array_append_val(rank(ring, 2)->locks, lock);
    rank(ring, 2)->open = (DtBlockingCall){.kind = DT_OPEN_LOCK, .call = "pthread_mutex_lock", .lock = 1};
    ring->waits = dt_wait_for_of_facts(ring->facts, ring->members, NULL);
    for (guint r = 0; r < RANKS; r++)
        g_assert_cmpuint(((DtWaiter *)ring->waits->waiters->pdata[r])->waits_for->len, ==, r == 2);
}

/* A thread in MPI_Mrecv does not wait for the others of its process; one in a join does. */
static void test_mrecv_with_threads(void)
{
    g_autoptr(Ring) ring = ring_new(0);
    for (guint r = 0; r < RANKS; r++) {
        ring->traces[r].process = &ring->processes[0];
        rank(ring, r)->open = (DtBlockingCall){.kind = DT_OPEN_OTHER, .call = r < 2 ? "MPI_Mrecv" : "GOMP_barrier"};
    }
    ring->waits = dt_wait_for_of_facts(ring->facts, ring->members, NULL);
    for (guint r = 0; r < RANKS; r++) {
        const DtWaiter *waiter = ring->waits->waiters->pdata[r];
        g_assert_cmpint(waiter->mode, ==, DT_WAIT_FOR_ANY);
        g_assert_cmpuint(waiter->waits_for->len, ==, r < 2 ? 0 : RANKS - 1);
    }
}

/* Rows with repetitions answer as if they were written out. */
static void test_repeated_collectives(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed((guint32)g_test_rand_int());
    DtTrace trace = {.index = 0};
    DtFacts *facts = dt_facts_new(&trace);
    DtCollectives none = dt_collectives_new(WORLD);
    g_array_append_val(facts->collectives, none);
    DtCollectives *folded = &g_array_index(facts->collectives, DtCollectives, 0);
    g_autoptr(GArray) plain = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint step = 0; step < 40; step++) {
        guint from = folded->calls->len, length = (guint)g_rand_int_range(random, 0, 4);
        guint64 times = (guint64)g_rand_int_range(random, 1, 5);
        guint32 first = (guint32)g_rand_int_range(random, 0, 100);
        for (guint i = 0; i < length; i++) {
            DtCollectiveCall call = call_of(first + i);
            dt_collectives_add(folded, &call);
        }
        if (times > 1)
            dt_collectives_repeat(folded, from, times);
        for (guint i = 0; i < length * times; i++) {
            guint32 symbol = first + i % length;
            g_array_append_val(plain, symbol);
        }
    }
    g_assert_cmpuint(dt_collective_count(facts, WORLD), ==, plain->len);
    for (guint i = 0; i < plain->len; i++)
        g_assert_cmpuint(dt_collective_at(facts, WORLD, i).function, ==, g_array_index(plain, guint32, i));
    dt_facts_free(facts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/waits/ended", test_ended);
    g_test_add_func("/waits/all-came", test_all_came);
    g_test_add_func("/waits/needs", test_needs);
    g_test_add_func("/waits/several-requests", test_several_requests);
    g_test_add_func("/waits/spins", test_spins);
    g_test_add_func("/waits/has-all", test_has_all);
    g_test_add_func("/waits/runs-beside-deadlock", test_runs_beside_deadlock);
    g_test_add_func("/waits/wrong-tag", test_wrong_tag);
    g_test_add_func("/waits/skipped-send", test_skipped_send);
    g_test_add_func("/waits/other-collective", test_other_collective);
    g_test_add_func("/waits/extra-collective", test_extra_collective);
    g_test_add_func("/waits/symmetric", test_symmetric);
    g_test_add_func("/waits/anybody", test_anybody);
    g_test_add_func("/waits/locks", test_locks);
    g_test_add_func("/waits/itself", test_itself);
    g_test_add_func("/waits/repeated-collectives", test_repeated_collectives);
    g_test_add_func("/waits/mrecv-with-threads", test_mrecv_with_threads);
    return g_test_run();
}
