/* kind: object-leak 6.3.3
 * set: held-out-2
 * ranks: 4
 * 0 none ends ends: groups are freed as soon as the communicator is made
 * 1 warning ends ends proves: those of MPI_Comm_group are not freed
 * 2 none ends ends: they are freed after the communicator
 * 3 warning ends ends proves: an info object is not freed
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Group world, half;
    MPI_Comm comm;
    MPI_Info info;
    int rank, range[1][3] = {{0, 1, 1}}, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);       /* HERE 1 */
    MPI_Group_range_incl(world, 1, range, &half); /* HERE 1 */
    MPI_Comm_create(MPI_COMM_WORLD, half, &comm);
    if (VARIANT != 1 && VARIANT != 2) {
        MPI_Group_free(&half);
        MPI_Group_free(&world);
    }
    MPI_Info_create(&info); /* HERE 3 */
    MPI_Info_set(info, "no_locks", "true");
    if (comm != MPI_COMM_NULL) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Comm_free(&comm);
    }
    if (VARIANT == 2) {
        MPI_Group_free(&half);
        MPI_Group_free(&world);
    }
    if (VARIANT != 3)
        MPI_Info_free(&info);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
