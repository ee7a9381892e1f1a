/*
 * Communicators and requests that are hard to tell apart: mpi-identity KIND on 4 ranks. "right" does all of it without
 * an error and checks what it receives; "wrong" makes all errors that do not hang, other kinds make one error each.
 * Each line that is wrong has the kind in a comment, by which the test finds it.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 12 };
static int rank, size;

static void expect(int value, int wanted, const char *what)
{
    if (value == wanted)
        return;
    fprintf(stderr, "%s: rank %d has %d, not %d\n", what, rank, value, wanted);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* ---- communicators --------------------------------------------------------------------------- */

/* Odd and even ranks, each with a communicator of its own. */
static MPI_Comm bridge(MPI_Comm *half, int tag)
{
    MPI_Comm between;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, half);
    MPI_Intercomm_create(*half, 0, MPI_COMM_WORLD, 1 - rank % 2, tag, &between);
    return between;
}

/* A message each way, and what a sum over all of a merged one is. */
static void use_bridge(MPI_Comm between)
{
    int own = rank, other = -1, at, sum = 0;
    MPI_Comm all;
    MPI_Comm_rank(between, &at);
    MPI_Sendrecv(&own, 1, MPI_INT, at, 7, &other, 1, MPI_INT, at, 7, between, MPI_STATUS_IGNORE);
    expect(other, rank % 2 ? rank - 1 : rank + 1, "a message between two groups");
    MPI_Intercomm_merge(between, rank % 2, &all);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, all);
    expect(sum, size * (size - 1) / 2, "a sum of merged groups");
    MPI_Comm_free(&all);
}

static void collectives_between(MPI_Comm between)
{
    int own = rank, sum = 0, root = rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, at = 40;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, between);
    expect(sum, rank % 2 ? 2 : 4, "a sum of the other group");
    MPI_Bcast(&at, 1, MPI_INT, root, between);
    MPI_Barrier(between);
}

static void bridges(void)
{
    MPI_Comm half, again, first = bridge(&half, 52), copy, later, second;
    MPI_Request request;
    use_bridge(first);
    collectives_between(first);
    MPI_Comm_dup(first, &copy);
    MPI_Comm_idup(first, &later, &request);
    second = bridge(&again, 53); /* the same groups once more */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_bridge(second);
    use_bridge(copy);
    use_bridge(later);
    MPI_Comm *const all[] = {&half, &again, &first, &copy, &later, &second};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        MPI_Comm_free(all[i]);
}

static void pass_around(MPI_Comm communicator, int value, const char *what)
{
    int at, members, got = -1;
    MPI_Comm_rank(communicator, &at);
    MPI_Comm_size(communicator, &members);
    MPI_Sendrecv(&value, 1, MPI_INT, (at + 1) % members, 3, &got, 1, MPI_INT, (at + members - 1) % members, 3,
                 communicator, MPI_STATUS_IGNORE);
    expect(got, value, what);
}

/* Used in another order than they were begun. */
static void copies(void)
{
    MPI_Comm made[3];
    MPI_Request requests[3];
    for (int i = 0; i < 3; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &made[i], &requests[i]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) {
        int which = rank % 2 ? i : 2 - i;
        MPI_Comm_set_name(made[which], "used");
    }
    for (int i = 0; i < 3; i++)
        pass_around(made[i], i, "a copy");
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&made[i]);
}

/* Only the even ranks make the first; what all make later is still the same to all. */
static void groups(void)
{
    int evens[] = {0, 2};
    MPI_Group all, group;
    MPI_Comm few, few_again, later;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, evens, &group);
    if (rank % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &few);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 6, &few_again);
        pass_around(few, 5, "a group");
        pass_around(few_again, 6, "another of the group");
        MPI_Comm_free(&few_again);
        MPI_Comm_free(&few);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &later);
    pass_around(later, 8, "a copy behind groups");
    MPI_Comm_free(&later);
    MPI_Comm_create(MPI_COMM_WORLD, group, &few);
    if (few != MPI_COMM_NULL) {
        pass_around(few, 9, "a created one");
        MPI_Comm_free(&few);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void topologies(void)
{
    int dims[] = {2, 2}, periods[] = {1, 1}, keep[] = {0, 1}, index[] = {2, 4, 6, 8},
        edges[] = {1, 3, 0, 2, 1, 3, 0, 2};
    int before = (rank + size - 1) % size, behind = (rank + 1) % size;
    MPI_Comm made[5];
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made[0]);
    MPI_Cart_sub(made[0], keep, &made[1]);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &made[2]);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &behind, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &made[3]);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[4]);
    for (int i = 0; i < 5; i++)
        pass_around(made[i], i, "a topology");
    for (int i = 0; i < 5; i++)
        MPI_Comm_free(&made[i]);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Small sends are complete at once and may share a handle; the program keeps it elsewhere than where it was made. */
static void moved(void)
{
    int data[MANY] = {0}, got[MANY], next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request kept[2 * MANY];
    for (int i = 0; i < MANY; i++) {
        MPI_Request made;
        data[i] = i;
        MPI_Isend(&data[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &made);
        kept[2 * i] = made;
        MPI_Irecv(&got[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &made);
        kept[2 * i + 1] = made;
    }
    MPI_Request first[] = {kept[0], kept[4], kept[2]};
    MPI_Waitall(3, first, MPI_STATUSES_IGNORE);
    kept[0] = kept[2] = kept[4] = MPI_REQUEST_NULL;
    MPI_Waitall(2 * MANY, kept, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++)
        expect(got[i], i, "a moved request");
}

static void *receive(void *argument)
{
    static int got;
    MPI_Irecv(&got, 1, MPI_INT, rank ^ 1, 20, MPI_COMM_WORLD, argument);
    return &got;
}

static void *complete(void *argument)
{
    MPI_Wait(argument, MPI_STATUS_IGNORE);
    return NULL;
}

/* One thread begins, another completes. */
static void across_threads(void)
{
    int value = rank, flag = 0;
    void *got;
    pthread_t thread;
    MPI_Request request, sent;
    pthread_create(&thread, NULL, receive, &request);
    pthread_join(thread, &got);
    MPI_Isend(&value, 1, MPI_INT, rank ^ 1, 20, MPI_COMM_WORLD, &sent);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    expect(*(int *)got, rank ^ 1, "a receive of another thread");
    pthread_create(&thread, NULL, complete, &sent);
    pthread_join(thread, NULL);
}

static void persistent(void)
{
    int data = rank, got = -1;
    MPI_Request requests[2], swapped[2];
    MPI_Send_init(&data, 1, MPI_INT, rank ^ 1, 30, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&got, 1, MPI_INT, rank ^ 1, 30, MPI_COMM_WORLD, &requests[1]);
    swapped[0] = requests[1];
    swapped[1] = requests[0];
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, i % 2 ? swapped : requests);
        MPI_Waitall(2, i % 2 ? requests : swapped, MPI_STATUSES_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* it is not active: that is allowed */
    }
    expect(got, rank ^ 1, "a persistent request");
    MPI_Request_free(&swapped[0]);
    MPI_Request_free(&swapped[1]);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void bridge_tag(void)
{
    int value = rank;
    MPI_Comm half, between = bridge(&half, 52);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 0, 7, between);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 8, between, MPI_STATUS_IGNORE); /* bridge_tag */
}

static void bridge_deadlock(void)
{
    int value = rank, at;
    MPI_Comm half, between = bridge(&half, 52);
    MPI_Comm_rank(between, &at);
    MPI_Recv(&value, 1, MPI_INT, at, 7, between, MPI_STATUS_IGNORE); /* bridge_deadlock */
    MPI_Send(&value, 1, MPI_INT, at, 7, between);
}

static void bridge_unreceived(void)
{
    int value = rank;
    MPI_Comm half, between = bridge(&half, 52);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 7, between); /* bridge_unreceived */
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static void merged_order(void)
{
    int value = 1, sum;
    MPI_Comm half, between = bridge(&half, 52), all;
    MPI_Request request;
    MPI_Intercomm_merge(between, rank % 2, &all);
    if (rank % 2)
        MPI_Ibarrier(all, &request); /* merged_order */
    else
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all, &request);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void moved_open(void)
{
    int value = rank, got;
    MPI_Request requests[2], made;
    for (int i = 0; i < 2; i++) {
        MPI_Isend(&value, 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD, &made); /* moved_open */
        requests[i] = made;
    }
    for (int i = 0; i < 2; i++)
        MPI_Recv(&got, 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void *begin(void *argument)
{
    static int got[2];
    MPI_Request *requests = argument;
    MPI_Irecv(&got[0], 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, rank ^ 1, 1, MPI_COMM_WORLD, &requests[1]); /* thread_open */
    return NULL;
}

/* What another thread has begun, nobody completes. */
static void thread_open(void)
{
    int value = rank;
    MPI_Request requests[2];
    pthread_t thread;
    pthread_create(&thread, NULL, begin, requests);
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        MPI_Send(&value, 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* ---- other worlds ---------------------------------------------------------------------------- */

/* As many children as there are ranks: their world looks like that of their parents. */
static void spawned(const char *program)
{
    MPI_Comm children, all;
    char *arguments[] = {"child", NULL};
    int sum, own = 1;
    MPI_Comm_spawn(program, arguments, size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(children, 0, &all);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, all);
    expect(sum, 2 * size, "a sum over two worlds");
    pass_around(MPI_COMM_WORLD, 1, "the parents");
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&children);
}

static void child(void)
{
    MPI_Comm parents, all;
    int sum, own = 1;
    MPI_Comm_get_parent(&parents);
    MPI_Intercomm_merge(parents, 1, &all);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parents);
}

static const struct kind {
    const char *of, *name;
    void (*run)(void);
} kinds[] = {
    {"right", "bridges", bridges},
    {"right", "copies", copies},
    {"right", "groups", groups},
    {"right", "topologies", topologies},
    {"right", "moved", moved},
    {"right", "across_threads", across_threads},
    {"right", "persistent", persistent},
    {"alone", "child", child},
    {"alone", "bridge_tag", bridge_tag},
    {"alone", "bridge_deadlock", bridge_deadlock},
    {"wrong", "bridge_unreceived", bridge_unreceived},
    {"wrong", "merged_order", merged_order},
    {"wrong", "moved_open", moved_open},
    {"wrong", "thread_open", thread_open},
};

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "right";
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i].name) == 0 || strcmp(kind, kinds[i].of) == 0)
            kinds[i].run();
    if (strcmp(kind, "spawned") == 0)
        spawned(argv[0]);
    MPI_Finalize();
    return 0;
}
