/*
 * A step of work with calls of many kinds, and in one step of rank 3 an argument that is wrong and shows in no call but
 * its own: mpi-wrong-arguments KIND FILE, KIND one of the words below or "nothing". Results are not looked at, so all
 * runs end.
 */
#include <mpi.h>
#include <stdlib.h>

enum { CULPRIT = 3, WRONG_STEP = 7, STEPS = 12, MOST = 16, BLOCK = 4 };

static int rank, size, step;
static char fault; /* the first letter of KIND: told without a call */
static int sent[MOST * BLOCK], received[MOST * BLOCK], shared[MOST * BLOCK], counts[MOST], places[MOST];

static int is_wrong(char kind)
{
    return fault == kind && rank == CULPRIT && step == WRONG_STEP;
}

/* counts: one member gets an element less than it was told; shares: two get less, and are told so. */
static void exchange_shares(void)
{
    int sizes[MOST];
    for (int i = 0; i < size; i++) {
        sizes[i] = 2;
        places[i] = i * BLOCK;
    }
    if (is_wrong('s'))
        sizes[1] = sizes[2] = 1;
    MPI_Alltoall(sizes, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    if (is_wrong('c'))
        sizes[1]--;
    MPI_Alltoallv(sent, sizes, places, MPI_INT, received, counts, places, MPI_INT, MPI_COMM_WORLD);
}

/* displacement: an edge is put beside its place. */
static void put_edge(MPI_Win window)
{
    int place = is_wrong('d') ? 5 : 3;
    MPI_Win_fence(0, window);
    MPI_Put(sent, 1, MPI_INT, (rank + 1) % size, place, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
}

/* request: the loop over the requests starts at the second. */
static void exchange_edges(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, first = is_wrong('r');
    MPI_Request requests[4];
    MPI_Irecv(received, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(received + 1, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(sent, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(sent + 1, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[3]);
    for (int i = first; i < 4; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    if (first)
        MPI_Request_free(&requests[0]);
}

/* offset: a block is written over that of the next rank. */
static void write_block(MPI_File file)
{
    MPI_Offset block = (MPI_Offset)step * size + rank + is_wrong('o');
    MPI_File_write_at(file, block * BLOCK * (int)sizeof(int), sent, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
}

/* edge: the ring's graph is made with another one; nobody talks along it. */
static void connect_ring(void)
{
    int from[2] = {(rank + size - 1) % size, (rank + 1) % size}, to[2] = {from[0], from[1]};
    MPI_Comm ring;
    if (is_wrong('e'))
        to[1] = (rank + 2) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Comm_free(&ring);
}

/* gathered: the root takes more from one member than that sends. */
static void gather_parts(void)
{
    for (int i = 0; i < size; i++)
        counts[i] = i % 2 + 1;
    if (is_wrong('g'))
        counts[1]++;
    MPI_Gatherv(sent, rank % 2 + 1, MPI_INT, received, counts, places, MPI_INT, CULPRIT, MPI_COMM_WORLD);
}

/* taken: the root takes more from each than they send. */
static void gather_blocks(void)
{
    MPI_Gather(sent, 2, MPI_INT, received, is_wrong('t') ? 3 : 2, MPI_INT, CULPRIT, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 || size > MOST || size <= CULPRIT + 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fault = argv[1][0];
    MPI_Win window;
    MPI_File file;
    MPI_Win_create(shared, sizeof shared, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (step = 1; step <= STEPS; step++) {
        exchange_shares();
        put_edge(window);
        exchange_edges();
        write_block(file);
        connect_ring();
        gather_parts();
        gather_blocks();
    }
    MPI_File_close(&file);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
