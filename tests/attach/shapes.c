/*
 * Calls of MPI in many shapes. The program starts a process for each, which calls and never comes back;
 * mpi_that_tells.c says what was passed. FLAVOUR_OF_GLOBALS: shapes in which memory changes after the call are among
 * them.
 */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define APART __attribute__((noinline))

typedef struct {
    int rank, ranks, tag;
    double *data;
    MPI_Comm comm;
    struct {
        int peers[4];
        int counts[4];
    } near;
} World;

static World world;
static int global_peer = 11, global_tag = 12, global_count = 13;
int shared_peer = 21, shared_tag = 22;
static volatile int seed = 7; /* nobody knows it before the program runs */
static int numbers[64];
static MPI_Status status;
static MPI_Comm own_comm;

/* ---- plain ---------------------------------------------------------------------------------------- */

APART static void constants(void)
{
    MPI_Recv(numbers, 5, MPI_INT, 3, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

APART static void of_parameters(int peer, int tag, int count)
{
    MPI_Recv(numbers, count, MPI_INT, peer, tag, MPI_COMM_WORLD, &status);
}

APART static void of_parameters_turned_round(int count, int tag, int peer)
{
    MPI_Send(numbers, count, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD);
}

APART static void computed(int rank, int ranks)
{
    MPI_Send(numbers, 2 * rank + 1, MPI_INT, (rank + 1) % ranks, rank << 4, MPI_COMM_WORLD);
}

APART static void computed_back(int rank, int ranks)
{
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Sendrecv(numbers, 4, MPI_INT, right, 100 + rank, numbers + 8, 6, MPI_DOUBLE, left, 200 + left, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

APART static void of_globals(void)
{
    MPI_Recv(numbers, global_count, MPI_CHAR, global_peer, global_tag, MPI_COMM_WORLD, &status);
}

APART static void of_other_globals(void)
{
    MPI_Send(numbers, 1, MPI_CHAR, shared_peer, shared_tag, MPI_COMM_SELF);
}

APART static void of_struct(const World *of)
{
    MPI_Send(of->data, of->near.counts[1], MPI_DOUBLE, of->near.peers[2], of->tag, of->comm);
}

APART static void of_array(const int *peers, int which)
{
    MPI_Recv(numbers, 1, MPI_INT, peers[which], which, MPI_COMM_WORLD, &status);
}

APART static void of_locals(int rank)
{
    int peers[3] = {rank + 1, rank + 2, rank + 3}, local[8];
    volatile int which = 1;
    memset(local, rank, sizeof local);
    MPI_Recv(local, 8, MPI_INT, peers[which], local[3] & 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

APART static void own_communicator(int peer)
{
    MPI_Recv(numbers, 1, MPI_INT, peer, 1, own_comm, &status);
}

/* ---- control flow -------------------------------------------------------------------------------------- */

APART static void one_of_two(int rank)
{
    MPI_Recv(numbers, rank > 3 ? 10 : 20, MPI_INT, rank & 1 ? rank - 1 : rank + 1, rank > 5 ? 1 : 2, MPI_COMM_WORLD,
             &status);
}

APART static void branches(int rank)
{
    int peer = 1, tag = 2;
    if (rank > 4)
        peer = rank * 3;
    else
        tag = 77;
    if (rank & 1)
        tag += 5;
    MPI_Recv(numbers, 3, MPI_INT, peer, tag, MPI_COMM_WORLD, &status);
}

APART static void in_loop(int rank)
{
    for (int i = 0; i < 100; i++)
        if (i == rank * 3)
            MPI_Recv(numbers + i, i, MPI_INT, i + 1, i + 2, MPI_COMM_WORLD, &status);
}

APART static void in_switch(int kind, int rank)
{
    int tag = 0;
    switch (kind) {
    case 0:
        tag = 3;
        break;
    case 1:
        tag = rank;
        /* fall through */
    case 2:
        MPI_Send(numbers, tag + 1, MPI_INT, rank + kind, tag, MPI_COMM_WORLD);
        break;
    case 3:
        MPI_Ssend(numbers, 31, MPI_INT, 32, 33, MPI_COMM_WORLD);
        break;
    case 4:
        tag = 8;
        /* fall through */
    case 5:
        MPI_Send(numbers, 51, MPI_INT, 52, tag, MPI_COMM_WORLD);
        break;
    default:
        MPI_Recv(numbers, 61, MPI_INT, 62, 63, MPI_COMM_WORLD, &status);
    }
}

APART static void first_switch(void)
{
    in_switch(seed - 6, seed);
}

APART static void second_switch(void)
{
    in_switch(seed - 2, seed);
}

APART static void jumped_to(int rank)
{
    int peer = 5;
    if (rank == 7)
        goto there;
    peer = 6;
    numbers[2] = peer;
there:
    MPI_Recv(numbers, 2, MPI_INT, peer, 4, MPI_COMM_WORLD, &status);
}

static jmp_buf again;

APART static void after_longjmp(void)
{
    volatile int peer = 3;
    if (setjmp(again) == 0) {
        peer = 4;
        longjmp(again, 1);
    }
    MPI_Recv(numbers, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, &status);
}

APART static void error_path(int rank)
{
    int tag = rank * 2;
    if (__builtin_expect(rank < 0, 0)) {
        tag = 1000;
        numbers[0] = abs(rank);
        abort();
    }
    if (__builtin_expect(rank == 7, 0)) {
        write(2, "", 0);
        tag += 1;
    }
    MPI_Recv(numbers, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, &status);
}

/* ---- functions around it ----------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void inlined(int peer, int tag)
{
    MPI_Recv(numbers, 4, MPI_INT, peer, tag, MPI_COMM_WORLD, &status);
}

APART static void calls_inlined(int rank)
{
    inlined(rank + 4, 2 * rank);
}

/* A jump, where calls at the end are jumps: whose arguments are at the call is this function's. */
APART static int tail(int tag, int peer, void *buffer)
{
    return MPI_Recv(buffer, 9, MPI_INT, peer, tag, MPI_COMM_WORLD, &status);
}

APART static void calls_tail(int rank)
{
    numbers[0] = tail(rank + 40, rank + 41, numbers);
}

APART static int turned_tail(MPI_Comm comm, int tag, int peer, MPI_Datatype type, int count, void *buffer)
{
    return MPI_Send(buffer, count, type, peer, tag, comm);
}

APART static void calls_turned_tail(int rank)
{
    numbers[0] = turned_tail(MPI_COMM_WORLD, rank + 50, rank + 51, MPI_INT, rank + 52, numbers);
}

static int (*volatile pointed)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) = MPI_Recv;

APART static void by_pointer(int rank)
{
    pointed(numbers, 3, MPI_INT, rank + 1, rank + 2, MPI_COMM_WORLD, &status);
}

static int (*volatile pointed_elsewhere)(int, int, void *) = tail;

APART static void by_pointer_to_tail(int rank)
{
    pointed_elsewhere(rank + 3, rank + 4, numbers);
}

APART static int changed(int value)
{
    return value * 3 + seed;
}

APART static void of_calls(int rank)
{
    MPI_Recv(numbers, changed(rank), MPI_INT, changed(rank + 1), changed(rank + 2), MPI_COMM_WORLD, &status);
}

APART static void of_many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    int keep[6] = {a * b, b * c, c * d, d * e, e * f, f * g};
    for (int i = 0; i < 6; i++)
        numbers[i] = changed(keep[i]);
    MPI_Sendrecv(numbers, a + 1, MPI_INT, b, c, numbers + 20, d + 2, MPI_INT, e, f, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    numbers[7] = g + h + keep[a & 3];
}

APART static void of_variable_size(int rank)
{
    int many[rank * 3 + 1];
    memset(many, 1, sizeof many);
    MPI_Recv(many, rank * 3 + 1, MPI_INT, rank, many[2] & 63, MPI_COMM_WORLD, &status);
}

/* ---- operands that the call writes to, and others ------------------------------------------------------------- */

APART static void into_its_own_peer(int rank)
{
    int peer = rank + 1;
    MPI_Recv(&peer, 1, MPI_INT, peer, peer + 1, MPI_COMM_WORLD, &status);
    numbers[0] = peer;
}

APART static void into_its_own_list(const int *from)
{
    int list[4];
    memcpy(list, from, sizeof list);
    MPI_Recv(list, 4, MPI_INT, list[1], list[2], MPI_COMM_WORLD, &status);
    numbers[0] = list[0];
}

APART static void of_its_own_status(void)
{
    status.MPI_SOURCE = seed;
    MPI_Recv(numbers, 1, MPI_INT, status.MPI_SOURCE, status.MPI_SOURCE + 1, MPI_COMM_WORLD, &status);
}

static volatile int ticking = 1;
int ticked = 5;

static void *tick(void *unused)
{
    (void)unused;
    for (;;) {
        ticking++;
        ticked++;
        usleep(20000);
    }
    return NULL;
}

APART static void others_write(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, tick, NULL);
    usleep(1000);
    MPI_Recv(numbers, ticking, MPI_INT, ticked, 4, MPI_COMM_WORLD, &status);
}

APART static void handler(int signal_number)
{
    MPI_Recv(numbers, signal_number, MPI_INT, 14, 15, MPI_COMM_WORLD, &status);
}

APART static void in_handler(void)
{
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
}

/* ---- other calls --------------------------------------------------------------------------------------------------
 */

APART static void probe(int rank)
{
    MPI_Probe(rank + 1, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
}

APART static void anybody(void)
{
    MPI_Recv(numbers, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
}

APART static void nobody(void)
{
    MPI_Recv(numbers, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
}

APART static void broadcast(int root)
{
    MPI_Bcast(numbers, root + 2, MPI_INT, root, MPI_COMM_WORLD);
}

APART static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

APART static void reduce(int root)
{
    int mine = root, all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    numbers[0] = all;
}

APART static void reduce_all(int count)
{
    MPI_Allreduce(numbers, numbers + 32, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

APART static void gather(int root)
{
    MPI_Gather(numbers, 3, MPI_INT, numbers + 32, 4, MPI_INT, root, MPI_COMM_WORLD);
}

APART static void replace(int rank)
{
    MPI_Sendrecv_replace(numbers, 3, MPI_INT, rank + 1, 5, rank + 2, 6, MPI_COMM_WORLD, &status);
}

APART static void wait_for_all(int count)
{
    MPI_Request requests[8];
    memset(requests, 0, sizeof requests);
    MPI_Waitall(count & 7, requests, MPI_STATUSES_IGNORE);
}

#ifdef MORE_SHAPES
#include MORE_SHAPES
#else
#define MORE
#endif

static void shape(int number)
{
    int rank = seed, list[4] = {rank, rank + 5, rank + 6, rank + 7};
    world = (World){rank, 16, rank + 1, (double *)numbers, MPI_COMM_WORLD, {{1, 2, rank, 4}, {5, rank, 7, 8}}};
    memset(&own_comm, 0x22, sizeof own_comm);
    global_peer += rank;
    shared_tag += rank;
    switch (number) {
#define SHAPE(call)                                                                                                    \
    case __COUNTER__:                                                                                                  \
        call;                                                                                                          \
        break;
        SHAPE(constants())
        SHAPE(of_parameters(rank + 3, rank * 2, 17))
        SHAPE(of_parameters_turned_round(rank + 3, rank * 2, 17))
        SHAPE(computed(rank, 16))
        SHAPE(computed_back(rank, 16))
        SHAPE(of_globals())
        SHAPE(of_other_globals())
        SHAPE(of_struct(&world))
        SHAPE(of_array(list, seed - 4))
        SHAPE(of_locals(rank))
        SHAPE(own_communicator(rank))
        SHAPE(one_of_two(rank))
        SHAPE(branches(rank))
        SHAPE(in_loop(rank))
        SHAPE(first_switch())
        SHAPE(second_switch())
        SHAPE(in_switch(rank, rank))
        SHAPE(jumped_to(rank))
        SHAPE(after_longjmp())
        SHAPE(error_path(rank))
        SHAPE(calls_inlined(rank))
        SHAPE(calls_tail(rank))
        SHAPE(calls_turned_tail(rank))
        SHAPE(by_pointer(rank))
        SHAPE(by_pointer_to_tail(rank))
        SHAPE(of_calls(rank))
        SHAPE(of_many(rank, rank + 1, rank + 2, rank + 3, rank + 4, rank + 5, rank + 6, rank + 7))
        SHAPE(of_variable_size(rank))
        SHAPE(into_its_own_peer(rank))
        SHAPE(into_its_own_list(list))
        SHAPE(of_its_own_status())
        SHAPE(others_write())
        SHAPE(in_handler())
        SHAPE(probe(rank))
        SHAPE(anybody())
        SHAPE(nobody())
        SHAPE(broadcast(rank))
        SHAPE(barrier())
        SHAPE(reduce(rank))
        SHAPE(reduce_all(rank))
        SHAPE(gather(rank))
        SHAPE(replace(rank))
        SHAPE(wait_for_all(rank))
        MORE default : break;
    }
    _exit(0);
}

enum { SHAPES = __COUNTER__ };

int main(void)
{
    for (int i = 0; i < SHAPES; i++) {
        if (fork() != 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        shape(i);
    }
    if (write(1, "ready\n", 6) != 6)
        return 1;
    for (;;)
        pause();
}
