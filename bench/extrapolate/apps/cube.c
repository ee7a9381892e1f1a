/* Three axes without joined borders, seven points: faces are sent along the axes, then the smallest step is agreed on,
 * as hydrodynamics codes do. */
#include <mpi.h>
#include <stdlib.h>

enum { STEPS = 10, EDGE = 12, AXES = 3 };

int main(int argc, char **argv)
{
    int rank, ranks, size[AXES] = {0, 0, 0}, at[AXES], stride[AXES];
    double step = 1, least;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, AXES, size);
    stride[2] = 1;
    stride[1] = size[2];
    stride[0] = size[1] * size[2];
    for (int axis = 0; axis < AXES; axis++)
        at[axis] = rank / stride[axis] % size[axis];
    const int points[AXES] = {EDGE * EDGE / size[1], EDGE * EDGE / size[2], EDGE * EDGE / size[0]};
    double *out = calloc((size_t)EDGE * EDGE, sizeof *out), *in = calloc((size_t)2 * AXES * EDGE * EDGE, sizeof *in);
    for (int i = 0; i < STEPS; i++) {
        MPI_Request requests[4 * AXES];
        int made = 0;
        for (int axis = 0; axis < AXES; axis++)
            for (int side = 0; side < 2; side++) {
                const int place = at[axis] + (side ? 1 : -1), peer = rank + (side ? stride[axis] : -stride[axis]);
                if (place >= 0 && place < size[axis])
                    MPI_Irecv(in + (size_t)(2 * axis + side) * EDGE * EDGE, points[axis], MPI_DOUBLE, peer,
                              10 * axis + 1 - side, MPI_COMM_WORLD, &requests[made++]);
            }
        for (int axis = 0; axis < AXES; axis++)
            for (int side = 0; side < 2; side++) {
                const int place = at[axis] + (side ? 1 : -1), peer = rank + (side ? stride[axis] : -stride[axis]);
                if (place >= 0 && place < size[axis])
                    MPI_Isend(out, points[axis], MPI_DOUBLE, peer, 10 * axis + side, MPI_COMM_WORLD, &requests[made++]);
            }
        MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&step, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    MPI_Reduce(&step, &least, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
