/* Each message of a collective has its receive, in an order in which all come to their ends, and the data get to where
 * they have to. */
#include "simulate/collective_steps.h"

enum { MOST = 17 };

typedef struct {
    DtCollectivePart part;
    guint number;
    gboolean waits, is_over;
    DtCollectiveStep step;
    guint64 has; /* whose data it has heard of, a bit each */
} Member;

typedef struct {
    guint to, from, tag;
    guint64 has;
    gint64 bytes;
} Message;

static void give(GArray *messages, const Member *member)
{
    const Message message = {(guint)member->step.to, member->part.index, member->step.to_tag, member->has,
                             member->step.bytes};
    g_assert_cmpuint(message.to, <, member->part.members);
    g_assert_cmpuint(message.to, !=, message.from);
    g_array_append_val(messages, message);
}

static gboolean take(GArray *messages, Member *member)
{
    for (guint i = 0; i < messages->len; i++) {
        const Message *message = &g_array_index(messages, Message, i);
        if (message->to != member->part.index || (gint)message->from != member->step.from ||
            message->tag != member->step.from_tag)
            continue;
        member->has |= message->has;
        g_array_remove_index(messages, i);
        return TRUE;
    }
    return FALSE;
}

/* TRUE: it got on. */
static gboolean go_on(GArray *messages, Member *member, gint64 *bytes)
{
    if (member->is_over || (member->waits && !take(messages, member)))
        return FALSE;
    member->waits = FALSE;
    member->is_over = !dt_collective_step(&member->part, member->number++, &member->step);
    if (member->is_over)
        return TRUE;
    if (member->step.to >= 0) {
        give(messages, member);
        *bytes += member->step.bytes;
    }
    member->waits = member->step.from >= 0;
    return TRUE;
}

static gint64 run(Member *members, guint count, DtCollectiveKind kind, guint algorithm, guint root)
{
    g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(Message));
    gint64 bytes = 0;
    for (guint i = 0; i < count; i++)
        members[i] = (Member){.part = {kind, algorithm, count, i, root, 840}, .has = G_GUINT64_CONSTANT(1) << i};
    for (gboolean moved = TRUE; moved;) {
        moved = FALSE;
        for (guint i = 0; i < count; i++)
            moved |= go_on(messages, &members[i], &bytes);
    }
    for (guint i = 0; i < count; i++)
        g_assert_true(members[i].is_over);
    g_assert_cmpuint(messages->len, ==, 0);
    return bytes;
}

static guint64 wanted(DtCollectiveKind kind, guint count, guint root, guint index)
{
    const guint64 all = (G_GUINT64_CONSTANT(1) << count) - 1, one = G_GUINT64_CONSTANT(1);
    switch (kind) {
    case DT_COLLECTIVE_BCAST:
    case DT_COLLECTIVE_SCATTER:
        return one << root;
    case DT_COLLECTIVE_REDUCE:
    case DT_COLLECTIVE_GATHER:
        return index == root ? all : 0;
    case DT_COLLECTIVE_SCAN:
        return (one << (index + 1)) - 1;
    default:
        return all;
    }
}

static void test_all(void)
{
    Member members[MOST];
    for (guint kind = 0; kind < DT_COLLECTIVES; kind++)
        for (guint algorithm = 0; algorithm < (kind == DT_COLLECTIVE_BARRIER ? 1 : 2); algorithm++)
            for (guint count = 1; count <= MOST; count++)
                for (guint root = 0; root < count; root++) {
                    run(members, count, kind, algorithm, root);
                    for (guint i = 0; i < count; i++) {
                        const guint64 has = wanted(kind, count, root, i);
                        g_assert_cmphex(members[i].has & has, ==, has);
                    }
                }
}

/* What goes over the network, by the papers' formulas. */
static void test_bytes(void)
{
    Member members[MOST];
    g_assert_cmpint(run(members, 8, DT_COLLECTIVE_ALLREDUCE, 0, 0), ==, 8 * 3 * 840);
    g_assert_cmpint(run(members, 8, DT_COLLECTIVE_ALLREDUCE, 1, 0), ==, 8 * 14 * 105);
    g_assert_cmpint(run(members, 7, DT_COLLECTIVE_BCAST, 0, 3), ==, 6 * 840);
    g_assert_cmpint(run(members, 8, DT_COLLECTIVE_GATHER, 0, 0), ==, (4 + 2 * 2 + 4) * 840);
    g_assert_cmpint(run(members, 7, DT_COLLECTIVE_GATHER, 1, 2), ==, 6 * 840);
    for (guint count = 2; count <= MOST; count++)
        g_assert_cmpint(run(members, count, DT_COLLECTIVE_ALLGATHER, 0, 0), ==, count * (count - 1) * 840);
    g_assert_cmpint(run(members, 8, DT_COLLECTIVE_ALLTOALL, 0, 0), ==, 8 * 3 * 4 * 840);
    g_assert_cmpint(run(members, 6, DT_COLLECTIVE_ALLTOALL, 0, 0), ==, 6 * (3 + 2 + 2) * 840);
    g_assert_cmpint(run(members, 6, DT_COLLECTIVE_ALLTOALL, 1, 0), ==, 6 * 5 * 840);
}

static void test_names(void)
{
    g_assert_cmpint(dt_collective_kind("MPI_Iallreduce"), ==, DT_COLLECTIVE_ALLREDUCE);
    g_assert_cmpint(dt_collective_kind("MPI_Alltoallv"), ==, DT_COLLECTIVE_ALLTOALL);
    g_assert_cmpint(dt_collective_kind("MPI_Reduce_scatter_block"), ==, DT_COLLECTIVE_REDUCE_SCATTER);
    g_assert_cmpint(dt_collective_kind("MPI_Reduce"), ==, DT_COLLECTIVE_REDUCE);
    g_assert_cmpint(dt_collective_kind("MPI_Exscan"), ==, DT_COLLECTIVE_SCAN);
    g_assert_cmpint(dt_collective_kind("MPI_Comm_split"), ==, DT_COLLECTIVE_BARRIER);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/simulate/collective-steps/all", test_all);
    g_test_add_func("/simulate/collective-steps/bytes", test_bytes);
    g_test_add_func("/simulate/collective-steps/names", test_names);
    return g_test_run();
}
