/* A torus of two axes: each step exchanges four borders and four corners, and every fifth one sums up. */
#include <mpi.h>
#include <stdlib.h>

enum { STEPS = 20, WIDTH = 720, NEIGHBOURS = 8 };

static int wrapped(int place, int size)
{
    return (place + size) % size;
}

int main(int argc, char **argv)
{
    static const int way[NEIGHBOURS][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    int rank, ranks, size[2] = {0, 0};
    double sum, part = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, size);
    const int row = rank / size[1], column = rank % size[1];
    double *out = calloc(WIDTH, sizeof *out), *in = calloc((size_t)NEIGHBOURS * WIDTH, sizeof *in);
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[2 * NEIGHBOURS];
        for (int i = 0; i < NEIGHBOURS; i++) {
            const int count = way[i][0] != 0 && way[i][1] != 0 ? 1 : way[i][0] != 0 ? WIDTH / size[1] : WIDTH / size[0];
            const int to = wrapped(row + way[i][0], size[0]) * size[1] + wrapped(column + way[i][1], size[1]);
            const int from = wrapped(row - way[i][0], size[0]) * size[1] + wrapped(column - way[i][1], size[1]);
            MPI_Irecv(in + (size_t)i * WIDTH, count, MPI_DOUBLE, from, i, MPI_COMM_WORLD, &requests[2 * i]);
            MPI_Isend(out, count, MPI_DOUBLE, to, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
        }
        MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
        if (step % 5 == 4)
            MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
