/* kind: argument-buffer 3.2.2
 * set: open
 * ranks: 2
 * 0 none ends ends: MPI_BOTTOM with a type of absolute addresses; null with count 0
 * 1 error fails|crashes fails|crashes proves: a null buffer with a count
 * 2 error fails|crashes fails|crashes proves: a null buffer to receive something into
 */
#include <mpi.h>
#include <stdio.h>

static double left, right;

static MPI_Datatype both_type(void)
{
    MPI_Datatype type, parts[2] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Aint places[2];
    int lengths[2] = {1, 1};
    MPI_Get_address(&left, &places[0]);
    MPI_Get_address(&right, &places[1]);
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(int argc, char **argv)
{
    int rank;
    double *none = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype both = both_type();
    left = right = rank;
    MPI_Bcast(MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(VARIANT == 1 ? none : &left, VARIANT == 0 ? 0 : 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* HERE 1 */
    else
        MPI_Recv(VARIANT == 1 ? &right : none, VARIANT == 0 ? 0 : 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, /* HERE 2 */
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&both);
    printf("%g\n", right);
    MPI_Finalize();
    return 0;
}
