/* kind: coll-op 5.9.2
 * set: open
 * ranks: 3
 * 0 none ends ends: MPI_MAXLOC with its pair type
 * 1 error fails fails proves: MPI_MAXLOC with a type that has no index
 * 2 error fails fails proves: a bitwise operation of doubles
 * 3 error ends ends proves: MPI_MAXLOC and MPI_MINLOC in one reduction
 */
#include <mpi.h>
#include <stdio.h>

struct place {
    double value;
    int rank;
};

static struct place largest(double mine, int rank)
{
    struct place here = {mine, rank}, there = here;
    MPI_Comm world = MPI_COMM_WORLD;
#if VARIANT == 1
    MPI_Reduce(&here.value, &there.value, 1, MPI_DOUBLE, MPI_MAXLOC, 0, world); /* HERE 1 */
#elif VARIANT == 2
    MPI_Reduce(&here.value, &there.value, 1, MPI_DOUBLE, MPI_BOR, 0, world); /* HERE 2 */
#else
    MPI_Op op = VARIANT == 3 && rank == 1 ? MPI_MINLOC : MPI_MAXLOC;
    MPI_Reduce(&here, &there, 1, MPI_DOUBLE_INT, op, 0, world); /* HERE 3 */
#endif
    return there;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct place there = largest(rank * 0.7, rank);
    if (rank == 0)
        printf("%g at %d\n", there.value, there.rank);
    MPI_Finalize();
    return 0;
}
