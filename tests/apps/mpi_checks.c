/*
 * Small errors in the use of MPI, one a run: mpi-checks KIND, KIND one of the words of the table at the end. "right"
 * does the same without errors. Each line that is wrong has the kind in a comment, by which the test finds it.
 */
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, right;
static int data[64], more[64];

static void root(void)
{
    MPI_Bcast(data, 4, MPI_INT, right ? 0 : rank, MPI_COMM_WORLD); /* root */
}

static void order(void)
{
    if (rank == 0 || right) {
        MPI_Ibarrier(MPI_COMM_WORLD, &(MPI_Request){MPI_REQUEST_NULL}); /* order */
    }
    if (rank != 0 && !right)
        MPI_Reduce(data, more, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void operation(void)
{
    MPI_Allreduce(data, more, 1, MPI_INT, rank == 1 && !right ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD); /* operation */
}

static void bytes(void)
{
    MPI_Bcast(data, rank == 1 && !right ? 3 : 4, MPI_INT, 0, MPI_COMM_WORLD); /* bytes */
}

static void gather(void)
{
    MPI_Gather(data, 1, MPI_INT, more, rank == 0 && !right ? 2 : 1, MPI_INT, 0, MPI_COMM_WORLD); /* gather */
}

static void type(void)
{
    if (rank == 0)
        MPI_Send(data, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(more, 4, right ? MPI_INT : MPI_FLOAT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* type */
}

static void truncated(void)
{
    if (rank == 0)
        MPI_Send(data, 8, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(more, right ? 8 : 4, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* truncated */
}

static void unreceived(void)
{
    if (rank == 0 && !right)
        MPI_Send(data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD); /* unreceived */
}

static void tag(void)
{
    if (rank == 0)
        MPI_Send(data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(more, 1, MPI_INT, 0, right ? 5 : 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* tag */
}

/* Both wait: the order is wrong, and nothing proves that a tag is. */
static void swapped(void)
{
    if (rank == 0) {
        MPI_Ssend(data, 1, MPI_INT, 1, right ? 1 : 2, MPI_COMM_WORLD); /* swapped */
        MPI_Ssend(data, 1, MPI_INT, 1, right ? 2 : 1, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Recv(more, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(more, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Accumulates of one origin to one place are ordered, whatever their operations. */
static void ordered(void)
{
    MPI_Win window;
    int *counts = data;
    MPI_Win_create(more, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 1) {
        MPI_Accumulate(counts, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window);
        MPI_Accumulate(counts + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, window);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Statuses of null and of inactive requests, of MPI_PROC_NULL, and of requests that stay are no errors. */
static void statuses(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int count, done = 0;
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Irecv(more, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
    MPI_Send(data, 1, MPI_INT, rank, 9, MPI_COMM_WORLD);
    while (!done)
        MPI_Request_get_status(request, &done, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(more, 1, MPI_DOUBLE, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_2INT, &count);
}

static void crash(void)
{
    volatile int *nowhere = right ? data : NULL;
    if (rank == 1)
        *nowhere = 1; /* crash */
    MPI_Barrier(MPI_COMM_WORLD);
}

static void assertion(void)
{
    if (rank == 1)
        assert(right); /* assertion */
    MPI_Barrier(MPI_COMM_WORLD);
}

static void killed(void)
{
    if (rank == 1 && !right)
        (void)kill(getpid(), SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void peer(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(data, 1, MPI_INT, right ? MPI_PROC_NULL : size, 5, MPI_COMM_WORLD); /* peer */
}

static void fatal(void)
{
    if (rank == 0)
        MPI_Send(data, right ? 0 : -1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD); /* fatal */
}

static void request(void)
{
    MPI_Request left, other;
    MPI_Irecv(more, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &left);
    MPI_Isend(data, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, &other); /* request */
    MPI_Wait(&left, MPI_STATUS_IGNORE);
    if (right)
        MPI_Wait(&other, MPI_STATUS_IGNORE);
}

static void twice(void)
{
    MPI_Request persistent;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send_init(data, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &persistent);
    MPI_Start(&persistent);
    if (!right)
        MPI_Start(&persistent); /* twice */
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);
}

static void epoch(void)
{
    MPI_Win window;
    MPI_Win_create(more, sizeof more, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    if (right)
        MPI_Win_fence(0, window);
    MPI_Put(data, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window); /* epoch */
    if (right)
        MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void unlock(void)
{
    MPI_Win window;
    MPI_Win_create(more, sizeof more, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    if (right)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Win_unlock(0, window); /* unlock */
    MPI_Win_free(&window);
}

static void leak(void)
{
    MPI_Comm copy;
    MPI_Datatype pair;
    MPI_Group group;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);    /* leak */
    MPI_Type_contiguous(2, MPI_INT, &pair); /* leak type */
    MPI_Comm_group(MPI_COMM_WORLD, &group); /* leak group */
    if (right) {
        MPI_Comm_free(&copy);
        MPI_Type_free(&pair);
        MPI_Group_free(&group);
    }
}

/* Ends by luck alone: both send first. */
static void buffers(void)
{
    int other = 1 - rank;
    if (rank > 1)
        return;
    if (rank == 0 || !right)
        MPI_Send(data, 1, MPI_INT, other, 1, MPI_COMM_WORLD); /* buffers */
    MPI_Recv(more, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 && right)
        MPI_Send(data, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
}

static void deadlock(void)
{
    int other = 1 - rank;
    if (rank > 1)
        return;
    if (rank == 0 && right)
        MPI_Send(data, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Recv(more, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* deadlock */
    if (rank == 1 || !right)
        MPI_Send(data, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
}

static void late(void)
{
    if (!right) {
        MPI_Finalize();
        MPI_Comm_size(MPI_COMM_WORLD, &size); /* late */
        exit(0);
    }
}

static void unfinished(void)
{
    if (!right)
        exit(0); /* unfinished */
}

/* With MPICH the launcher kills all ranks, and its status alone says why. */
static void handle(void)
{
    if (rank == 1 && !right)
        MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD); /* handle */
    MPI_Barrier(MPI_COMM_WORLD);
}

static void operands(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Allreduce(data, more, 1, right ? MPI_INT : MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD); /* operands */
}

static void counts(void)
{
    int send[8] = {0}, receive[8] = {0}, places[8] = {0};
    send[0] = 1;
    for (int i = 0; rank == 0 && i < size; i++)
        receive[i] = places[i] = 1;
    if (rank == 1 && !right)
        send[0] = 2;
    MPI_Alltoallv(data, send, places, MPI_INT, more, receive, places, MPI_INT, MPI_COMM_WORLD); /* counts */
}

static MPI_File open_file(int mode)
{
    MPI_File file = MPI_FILE_NULL;
    mode |= MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_WORLD, "mpi-checks.file", mode, MPI_INFO_NULL, &file); /* mode */
    return file;
}

static void mode(void)
{
    MPI_File file = open_file(rank == 1 && !right ? MPI_MODE_WRONLY : MPI_MODE_RDWR);
    MPI_File_close(&file);
}

static void split(void)
{
    MPI_File file = open_file(MPI_MODE_RDWR);
    MPI_File_write_at_all_begin(file, rank * (MPI_Offset)sizeof(int), data, 1, MPI_INT);
    if (!right)
        MPI_File_write_all(file, data, 0, MPI_INT, MPI_STATUS_IGNORE); /* split */
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void overlap(void)
{
    MPI_File file = open_file(MPI_MODE_RDWR);
    MPI_File_write_at(file, right ? rank * 8 : rank * 4, data, 2, MPI_INT, MPI_STATUS_IGNORE); /* overlap */
    MPI_File_close(&file);
}

/* Always right: MPICH asks what the view is made of, and frees the parts, which are the program's datatypes. */
static void view(void)
{
    MPI_Datatype pair, part;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, size * 2 * (MPI_Aint)sizeof(int), &part);
    MPI_Type_commit(&part);
    MPI_Type_free(&pair);
    MPI_File file = open_file(MPI_MODE_RDWR);
    MPI_File_set_view(file, rank * 2 * (MPI_Offset)sizeof(int), MPI_INT, part, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, 1, part, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&part);
}

/* A window of four integers, which all but rank 0 put something into. */
static void put(int place, int count)
{
    MPI_Win window;
    MPI_Win_create(more, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    if (rank > 0)
        MPI_Put(data, count, MPI_INT, 0, place, count, MPI_INT, window); /* reach touch */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void reach(void)
{
    put(rank, right || rank == 1 ? 1 : 3);
}

static void touch(void)
{
    put(right ? rank : 0, 1);
}

static void ignore(MPI_Comm *communicator, int *code, ...)
{
    (void)communicator;
    (void)code;
}

static void handler(void)
{
    MPI_Errhandler own;
    MPI_Comm_create_errhandler(ignore, &own); /* handler */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    if (right)
        MPI_Errhandler_free(&own);
}

static const struct {
    const char *name;
    void (*act)(void);
} kinds[] = {{"root", root},       {"order", order},         {"operation", operation}, {"bytes", bytes},
             {"gather", gather},   {"type", type},           {"truncated", truncated}, {"unreceived", unreceived},
             {"tag", tag},         {"peer", peer},           {"fatal", fatal},         {"request", request},
             {"twice", twice},     {"epoch", epoch},         {"unlock", unlock},       {"leak", leak},
             {"buffers", buffers}, {"deadlock", deadlock},   {"late", late},           {"unfinished", unfinished},
             {"handle", handle},   {"operands", operands},   {"counts", counts},       {"mode", mode},
             {"split", split},     {"overlap", overlap},     {"reach", reach},         {"touch", touch},
             {"handler", handler}, {"swapped", swapped},     {"ordered", ordered},     {"statuses", statuses},
             {"crash", crash},     {"assertion", assertion}, {"killed", killed},       {"view", view}};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "early") == 0)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* early */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = argc < 2 || strcmp(argv[1], "right") == 0;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((right && kinds[i].act != order) || (!right && strcmp(argv[1], kinds[i].name) == 0))
            kinds[i].act();
    MPI_Finalize();
    return 0;
}
