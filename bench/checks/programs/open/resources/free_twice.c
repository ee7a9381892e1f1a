/* kind: bad-free 2.5.4
 * set: open
 * ranks: 2
 * 0 none ends ends: a duplicate and its duplicate, each freed once
 * 1 error fails|crashes|ends|hangs fails proves: two copies of one communicator's handle are freed
 * 2 error fails fails proves: the same variable of a type is freed twice
 */
#include <mpi.h>
#include <stdio.h>

static void close_all(MPI_Comm *comms, int count)
{
    for (int i = 0; i < count; i++)
        MPI_Comm_free(&comms[i]); /* HERE 1 */
}

int main(int argc, char **argv)
{
    MPI_Comm comms[2];
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    if (VARIANT == 1)
        comms[1] = comms[0];
    else
        MPI_Comm_dup(comms[0], &comms[1]);
    close_all(comms, 2);
    MPI_Type_contiguous(3, MPI_INT, &type);
    for (int i = 0; i < (VARIANT == 2 ? 2 : 1); i++)
        MPI_Type_free(&type); /* HERE 2 */
    puts("done");
    MPI_Finalize();
    return 0;
}
