/*
 * Programs that hang, die or are cut off, by name: mpi-waits KIND
 *     finalize     rank 0 is in MPI_Finalize, rank 1 waits for a message from it
 *     tags         rank 0 sends with tag 1 and leaves, rank 1 waits for tag 2
 *     fence        rank 1 does not come to MPI_Win_fence
 *     window       rank 1 does not come to MPI_Win_create
 *     groups       rank 1 does not come to MPI_Barrier between two groups, whose members give unequal amounts before
 *     dead         rank 1 kills itself, rank 0 waits for its message
 *     varying      rank 1 waits for a message with a tag that is another one each time
 *     rank         rank 1 sends to a rank that there is not
 *     collectives  rank 0 is in MPI_Barrier, rank 1 in MPI_Bcast
 *     roots        both are in MPI_Bcast, each with its own root
 *     bytes        both are in MPI_Allreduce, with other counts
 *     posted       rank 0 sends to rank 1, which has asked for it and then never comes back
 *     wait         rank 0 waits in MPI_Wait for a message with tag 5 that rank 1 does not send
 *     busy         both exchange messages for ever
 *     poll         rank 0 asks for ever for a message that does not come
 *     test         rank 0 asks for ever whether a message has come that rank 1 does not send
 *     lock         rank 1 keeps the lock of a window that rank 0 waits for, and waits for a message from it
 *     persistent   ranks 0 and 1 wait for each other's message by persistent requests; the others run on
 *     nothing      no message at all, and one never comes to MPI_Finalize
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, numbers[64];
static volatile int stays = 1;

static void receive(int tag)
{
    MPI_Recv(numbers, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int tag)
{
    MPI_Send(numbers, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD);
}

static void stay(void)
{
    while (stays)
        pause();
}

static void finalize(void)
{
    if (rank == 1)
        receive(1);
}

static void tags(void)
{
    if (rank == 0)
        send(1);
    else
        receive(2);
}

static void fence(void)
{
    MPI_Win first, second;
    MPI_Win_create(numbers, sizeof numbers, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    MPI_Win_create(numbers, sizeof numbers, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &second);
    MPI_Win_fence(0, second);
    if (rank == 1)
        receive(1);
    MPI_Win_fence(0, second);
}

static void groups(void)
{
    MPI_Comm between;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &between);
    MPI_Allgather(numbers, 1 + rank, MPI_INT, numbers + 8, 2 - rank, MPI_INT, between);
    MPI_Bcast(numbers, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, between);
    if (rank == 1)
        receive(1);
    MPI_Barrier(between);
}

static void window(void)
{
    MPI_Win made;
    if (rank == 1)
        receive(1);
    MPI_Win_create(numbers, sizeof numbers, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
}

/* Nobody tells the launcher, which would end the others: the process only stops to be of use, as on a lost node. */
static void dead(void)
{
    if (rank == 1) {
        receive(2);
        usleep(500000); /* the launcher may be quick to end the other one, which is to wait by then */
        raise(SIGKILL);
    }
    send(2);
    receive(1);
}

static void varying(void)
{
    for (int i = 0; i < 3000; i++) {
        if (rank == 0)
            send(100 + i);
        else
            receive(100 + i);
    }
    if (rank == 1)
        receive(31007);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

/* When rank 0 waits already, also on a busy machine. */
static void no_rank(void)
{
    if (rank == 1)
        sleep(1);
    if (rank == 1)
        MPI_Send(numbers, 1, MPI_INT, 7, 3, MPI_COMM_WORLD);
    else
        receive(3);
}

static void collectives(void)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Bcast(numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
    receive(9);
}

static void roots(void)
{
    MPI_Bcast(numbers, 1, MPI_INT, 1 - rank, MPI_COMM_WORLD);
    receive(9);
}

static void bytes(void)
{
    static int many[1 << 16];
    MPI_Bcast(many, rank == 0 ? 1 << 16 : 1 << 4, MPI_INT, 1, MPI_COMM_WORLD);
    receive(9);
}

static void posted(void)
{
    static int large[1 << 22];
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(large, 1 << 22, MPI_INT, 0, 6, MPI_COMM_WORLD, &request);
        send(1);
        stay();
    } else {
        receive(1);
        MPI_Send(large, 1 << 22, MPI_INT, 1, 6, MPI_COMM_WORLD);
    }
}

static void wait_for_one(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(numbers, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void busy(void)
{
    while (stays) {
        MPI_Sendrecv(numbers, 1, MPI_INT, 1 - rank, 1, numbers + 1, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        usleep(1000);
    }
}

static void poll(void)
{
    int there = 0;
    while (rank == 0 && !there) {
        MPI_Iprobe(1, 4, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void test(void)
{
    int there = 0;
    MPI_Request request;
    if (rank == 0)
        MPI_Irecv(numbers, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    while (rank == 0 && !there) {
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void lock(void)
{
    MPI_Win window;
    MPI_Win_create(numbers, sizeof numbers, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(numbers + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Send(numbers, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        receive(2);
    } else {
        receive(1);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(numbers + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        send(2);
    }
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}

/* Rank 0 and rank 1 wait for each other's message, which neither has started; the others run on. */
static void persistent(void)
{
    MPI_Request requests[2];
    MPI_Send_init(numbers, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(numbers + 1, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &requests[1]);
    for (int i = 1; i >= 0; i--) {
        MPI_Start(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
}

static void persistent_of_two(void)
{
    if (rank < 2)
        persistent();
    else
        stay();
}

static void nothing(void)
{
    if (rank == 1)
        stay();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } kinds[] = {{"finalize", finalize},
                 {"tags", tags},
                 {"fence", fence},
                 {"window", window},
                 {"groups", groups},
                 {"dead", dead},
                 {"varying", varying},
                 {"rank", no_rank},
                 {"collectives", collectives},
                 {"roots", roots},
                 {"bytes", bytes},
                 {"posted", posted},
                 {"wait", wait_for_one},
                 {"busy", busy},
                 {"poll", poll},
                 {"test", test},
                 {"lock", lock},
                 {"nothing", nothing},
                 {"persistent", persistent_of_two}};
    MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "nothing") == 0)
        rank = getenv("OMPI_COMM_WORLD_RANK") ? atoi(getenv("OMPI_COMM_WORLD_RANK")) : atoi(getenv("PMI_RANK"));
    else
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            kinds[i].function();
    MPI_Finalize();
    return 0;
}
