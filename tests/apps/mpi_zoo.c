/* MPI calls of many kinds on 4 ranks: collectives with an array of counts, topologies, one-sided communication, files,
 * groups, intercommunicators. Each process writes what it passes, as `difftrace dump --args` should show it, into
 * FOLDER/RANK; a file of the program lies in FOLDER, too. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4 };

static FILE *expected;
static int rank;
static const char *folder;

/* What the next call is. */
static void expect(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(expected, format, arguments);
    va_end(arguments);
    fputc('\n', expected);
}

/* "[1 2 2 5]" in the form of difftrace: runs of three and more that go up by one, and equal ones, are one. */
static const char *row(const int *numbers, int count)
{
    static char texts[8][200];
    static int next;
    char *text = texts[next++ % 8];
    int used = sprintf(text, "[");
    for (int i = 0; i < count;) {
        int equal = 1, up = 1;
        while (i + equal < count && numbers[i + equal] == numbers[i])
            equal++;
        while (i + up < count && numbers[i + up] == numbers[i] + up)
            up++;
        used += sprintf(text + used, "%s%d", i ? " " : "", numbers[i]);
        if (equal >= 2)
            used += sprintf(text + used, "^%d", equal);
        else if (up >= 3 && numbers[i] >= 0)
            used += sprintf(text + used, "-%d", numbers[i] + up - 1);
        i += equal >= 2 ? equal : up >= 3 && numbers[i] >= 0 ? up : 1;
    }
    sprintf(text + used, "]");
    return text;
}

static int distance(int to)
{
    int steps = ((to - rank) % RANKS + RANKS) % RANKS;
    return 2 * steps > RANKS ? steps - RANKS : steps;
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void with_counts(void)
{
    int from[64] = {0}, to[64] = {0}, sent[RANKS], received[RANKS], at[RANKS], request_number = 1;
    MPI_Request request;
    for (int i = 0; i < RANKS; i++) {
        sent[i] = (rank + i) % 3;
        received[i] = (rank + i) % 3;
        at[i] = 4 * i;
    }
    expect("MPI_Alltoallv(world, counts %s, elements of 4 B, counts %s, elements of 4 B)", row(sent, RANKS),
           row(received, RANKS));
    MPI_Alltoallv(from, sent, at, MPI_INT, to, received, at, MPI_INT, MPI_COMM_WORLD);
    expect("MPI_Alltoallv(world, counts in place, elements of 4 B, counts %s, elements of 4 B)", row(received, RANKS));
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, to, received, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Datatype types[RANKS] = {MPI_INT, MPI_CHAR, MPI_DOUBLE, MPI_INT};
    int none[RANKS] = {0};
    expect("MPI_Alltoallw(world, counts [0^4], elements of [4 1 8 4], counts [0^4], elements of [4 1 8 4])");
    MPI_Alltoallw(from, none, none, types, to, none, none, types, MPI_COMM_WORLD);
    if (rank == 1) {
        expect("MPI_Gatherv(world, counts [0-3], elements of 4 B, root 1, %d x 4 B)", rank);
        int counts[RANKS] = {0, 1, 2, 3};
        MPI_Gatherv(from, rank, MPI_INT, to, counts, at, MPI_INT, 1, MPI_COMM_WORLD);
    } else {
        expect("MPI_Gatherv(world, root 1, %d x 4 B)", rank);
        MPI_Gatherv(from, rank, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
    }
    int shares[RANKS] = {3, 1, 0, 2};
    if (rank == 2) {
        expect("MPI_Scatterv(world, counts [3 1 0 2], elements of 4 B, root 2, data in place)");
        MPI_Scatterv(from, shares, at, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, 2, MPI_COMM_WORLD);
    } else {
        expect("MPI_Scatterv(world, root 2, %d x 4 B)", shares[rank]);
        MPI_Scatterv(NULL, NULL, NULL, MPI_INT, to, shares[rank], MPI_INT, 2, MPI_COMM_WORLD);
    }
    expect("MPI_Allgatherv(world, counts [3 1 0 2], elements of 4 B, %d x 4 B)", shares[rank]);
    MPI_Allgatherv(from, shares[rank], MPI_INT, to, shares, at, MPI_INT, MPI_COMM_WORLD);
    expect("MPI_Reduce_scatter(world, counts [3 1 0 2], elements of 4 B, sum)");
    MPI_Reduce_scatter(from, to, shares, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Ialltoallv(world, counts %s, elements of 4 B, counts %s, elements of 4 B)\trequest %d",
           row(sent, RANKS), row(received, RANKS), request_number);
    MPI_Ialltoallv(from, sent, at, MPI_INT, to, received, at, MPI_INT, MPI_COMM_WORLD, &request);
    expect("MPI_Wait(live 0)\tof requests %d", request_number);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The sides of a call may pass other datatypes: shown only then. */
static void two_sides(void)
{
    int numbers[16] = {0}, all[64];
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    expect("MPI_Allgather(world, other 4 x 4 B, 2 x 8 B of contiguous(2 of int))");
    MPI_Allgather(numbers, 4, MPI_INT, all, 2, pair, MPI_COMM_WORLD);
    expect("MPI_Allgather(world, other data in place, 2 x 8 B of contiguous(2 of int))");
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, pair, MPI_COMM_WORLD);
    expect(rank == 0 ? "MPI_Gather(world, other 2 x 4 B, root 0, 1 x 8 B of contiguous(2 of int))"
                     : "MPI_Gather(world, root 0, 1 x 8 B of contiguous(2 of int))");
    MPI_Gather(numbers, 1, pair, rank == 0 ? all : NULL, rank == 0 ? 2 : 77, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0,
               MPI_COMM_WORLD);
    expect(rank == 3 ? "MPI_Scatter(world, other 2 x 4 B, root 3, 1 x 8 B of contiguous(2 of int))"
                     : "MPI_Scatter(world, root 3, 1 x 8 B of contiguous(2 of int))");
    MPI_Scatter(rank == 3 ? all : NULL, rank == 3 ? 2 : 77, rank == 3 ? MPI_INT : MPI_DATATYPE_NULL, numbers, 1, pair,
                3, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
}

/* More than fits into 32 bits, or into 4 MiB an element. */
static void large(void)
{
    static char bytes[5 << 20];
    MPI_Datatype block;
    MPI_Type_contiguous(5 << 20, MPI_CHAR, &block);
    MPI_Type_commit(&block);
    expect("MPI_Bcast(self, root 0, 1 x 5242880 B of contiguous(5242880 of char))");
    MPI_Bcast(bytes, 1, block, 0, MPI_COMM_SELF);
    MPI_Type_free(&block);
}

/* ---- topologies ------------------------------------------------------------------------------ */

static void neighbourhood(MPI_Comm of, const char *name, int in, int out)
{
    int from[16] = {0}, to[16], counts_in[4] = {1, 1, 1, 1}, counts_out[4] = {1, 1, 1, 1}, at[4] = {0, 1, 2, 3};
    expect("MPI_Neighbor_allgather(%s, 1 x 4 B)", name);
    MPI_Neighbor_allgather(from, 1, MPI_INT, to, 1, MPI_INT, of);
    expect("MPI_Neighbor_alltoallv(%s, counts %s, elements of 4 B, counts %s, elements of 4 B)", name,
           row(counts_out, out), row(counts_in, in));
    MPI_Neighbor_alltoallv(from, counts_out, at, MPI_INT, to, counts_in, at, MPI_INT, of);
}

static void topologies(void)
{
    MPI_Comm mesh, line, graph, ring;
    int dims[2] = {2, 2}, periods[2] = {1, 0}, keep[2] = {0, 1};
    expect("MPI_Cart_create(world, dimensions [2^2], periods [1 0])");
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &mesh);
    expect("MPI_Cart_sub(world/1, kept [0 1])");
    MPI_Cart_sub(mesh, keep, &line);
    expect("MPI_Barrier(world/1/1)");
    MPI_Barrier(line);
    neighbourhood(mesh, "world/1", 4, 4);
    int index[RANKS] = {1, 2, 3, 4}, edges[RANKS] = {1, 0, 3, 2};
    expect("MPI_Graph_create(world, index [1-4], edges [1 0 3 2])");
    MPI_Graph_create(MPI_COMM_WORLD, RANKS, index, edges, 0, &graph);
    neighbourhood(graph, "world/2", 1, 1);
    int left = (rank + RANKS - 1) % RANKS, right = (rank + 1) % RANKS;
    expect("MPI_Dist_graph_create_adjacent(world, neighbours [-1], neighbours [1])");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &ring);
    neighbourhood(ring, "world/3", 1, 1);
    expect("MPI_Comm_free(world/3)");
    MPI_Comm_free(&ring);
    int degree = 2, both[2] = {left, right}, distances[2] = {distance(left), distance(right)};
    expect("MPI_Dist_graph_create(world, neighbours [0], degrees [2], neighbours %s)", row(distances, 2));
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    neighbourhood(ring, "world/4", 2, 2);
}

/* ---- one-sided ------------------------------------------------------------------------------- */

static void one_sided(void)
{
    int memory[16] = {0}, got[16], right = (rank + 1) % RANKS;
    MPI_Win window;
    MPI_Group world, pair;
    expect("MPI_Win_create(world, size 64 B, unit 4 B)");
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    expect("MPI_Win_fence(window 0, assertion 2)");
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    expect("MPI_Put(window 0, at +1, displacement 3, 2 x 4 B)");
    MPI_Put(got, 2, MPI_INT, right, 3, 2, MPI_INT, window);
    expect("MPI_Win_fence(window 0, assertion 0)");
    MPI_Win_fence(0, window);
    expect("MPI_Get(window 0, at +1, displacement 5, other 4 x 1 B, 1 x 4 B)");
    MPI_Get(got, 1, MPI_INT, right, 5, 4, MPI_CHAR, window);
    expect("MPI_Win_fence(window 0, assertion 24)");
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window);
    expect("MPI_Win_lock(window 0, type exclusive, at +1, assertion 0)");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
    expect("MPI_Accumulate(window 0, at +1, displacement 0, sum, 1 x 4 B)");
    MPI_Accumulate(got, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, window);
    expect("MPI_Win_unlock(window 0, at +1)");
    MPI_Win_unlock(right, window);
    expect("MPI_Win_lock(window 0, type shared, at +1, assertion 1)");
    MPI_Win_lock(MPI_LOCK_SHARED, right, MPI_MODE_NOCHECK, window);
    expect("MPI_Win_unlock(window 0, at +1)");
    MPI_Win_unlock(right, window);
    int to[1] = {right}, from[1] = {(rank + RANKS - 1) % RANKS};
    expect("MPI_Comm_group(world)");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    expect("MPI_Group_incl(group [0-3], ranks [%d])", from[0]);
    MPI_Group_incl(world, 1, from, &pair);
    expect("MPI_Win_post(window 0, group [%d], assertion 4)", from[0]);
    MPI_Win_post(pair, MPI_MODE_NOPUT, window);
    MPI_Group_free(&pair);
    expect("MPI_Group_free");
    expect("MPI_Group_incl(group [0-3], ranks [%d])", to[0]);
    MPI_Group_incl(world, 1, to, &pair);
    expect("MPI_Win_start(window 0, group [%d], assertion 0)", to[0]);
    MPI_Win_start(pair, 0, window);
    expect("MPI_Win_complete(window 0)");
    MPI_Win_complete(window);
    expect("MPI_Win_wait(window 0)");
    MPI_Win_wait(window);
    expect("MPI_Win_free(window 0)");
    MPI_Win_free(&window);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void files(void)
{
    char path[1000];
    int numbers[8] = {rank};
    MPI_File file;
    MPI_Request request;
    snprintf(path, sizeof path, "%s/file", folder);
    expect("MPI_File_open(world, mode 9)");
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    expect("MPI_File_write_at_all(file 0, offset %d, 8 x 4 B)", 32 * rank);
    MPI_File_write_at_all(file, 32 * rank, numbers, 8, MPI_INT, MPI_STATUS_IGNORE);
    expect("MPI_File_seek(file 0, offset 32, from the start)");
    MPI_File_seek(file, 32, MPI_SEEK_SET);
    expect("MPI_File_read(file 0, 4 x 4 B)");
    MPI_File_read(file, numbers, 4, MPI_INT, MPI_STATUS_IGNORE);
    expect("MPI_File_iread_at(file 0, offset 0, 2 x 4 B)\trequest 2");
    MPI_File_iread_at(file, 0, numbers, 2, MPI_INT, &request);
    expect("MPI_Wait(live 0)\tof requests 2");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_File_close(file 0)");
    MPI_File_close(&file);
    expect("MPI_File_open(self, mode 2)");
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    expect("MPI_File_close(file 1)");
    MPI_File_close(&file);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Requests are made by none of the calls that fail. */
static void errors(void)
{
    int number = 0, other = 1;
    MPI_Request request, none = MPI_REQUEST_NULL;
    MPI_Comm copy;
    expect("MPI_Comm_dup(self)");
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    expect("MPI_Comm_set_errhandler");
    expect("MPI_Irecv(self/1, from unknown, tag 3, 1 x 4 B)\tfailed: error class %d", MPI_ERR_RANK);
    if (MPI_Irecv(&number, 1, MPI_INT, 5, 3, copy, &request) == MPI_SUCCESS)
        abort();
    expect("MPI_Isend(self/1, to +0, tag 3, -1 x 4 B)\tfailed: error class %d", MPI_ERR_COUNT);
    if (MPI_Isend(&number, -1, MPI_INT, 0, 3, copy, &request) == MPI_SUCCESS)
        abort();
    /* Calls that are looked at in no other case when they return. */
    for (int i = 0; i < 2; i++) {
        expect("MPI_Send(self/1, to unknown, tag 3, 1 x 4 B)\tfailed: error class %d", MPI_ERR_RANK);
        if (MPI_Send(&number, 1, MPI_INT, 5, 3, copy) == MPI_SUCCESS)
            abort();
    }
    expect("MPI_Bcast(self/1, root 9, 1 x 4 B)\tfailed: error class %d", MPI_ERR_ROOT);
    if (MPI_Bcast(&number, 1, MPI_INT, 9, copy) == MPI_SUCCESS)
        abort();
    expect("MPI_Recv(self/1, from +0, tag 3, -1 x 4 B)\tfailed: error class %d", MPI_ERR_COUNT);
    if (MPI_Recv(&number, -1, MPI_INT, 0, 3, copy, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        abort();
    expect("MPI_Irecv(self/1, from +0, tag 4, 1 x 4 B)\trequest 3");
    MPI_Irecv(&number, 1, MPI_INT, 0, 4, copy, &request);
    expect("MPI_Send(self/1, to +0, tag 4, 1 x 4 B)");
    MPI_Send(&other, 1, MPI_INT, 0, 4, copy);
    expect("MPI_Wait(live 0)\tof requests 3");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait(live none)");
    MPI_Wait(&none, MPI_STATUS_IGNORE);
    expect("MPI_Comm_free(self/1)");
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    char path[1000];
    int size, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2 || size != RANKS)
        return 2;
    folder = argv[1];
    snprintf(path, sizeof path, "%s/%d", folder, rank);
    expected = fopen(path, "w");
    if (!expected)
        return 2;
    expect("MPI_Init_thread(level funneled)");
    expect("MPI_Comm_rank(world)");
    expect("MPI_Comm_size(world)");
    with_counts();
    two_sides();
    large();
    topologies();
    one_sided();
    files();
    errors();
    expect("MPI_Finalize");
    fclose(expected);
    MPI_Finalize();
    return 0;
}
