/* kind: io-collective 13.4.1
 * set: held-out
 * ranks: 3
 * 0 none ends ends: ranks without data write nothing, collectively
 * 1 error hangs|ends hangs|ends proves: ranks without data do not call MPI_File_write_at_all
 * 2 error hangs hangs proves: one rank writes by itself where the others write collectively
 */
#include <mpi.h>
#include <stdio.h>

static void dump(MPI_File file, double *data, int count, int rank)
{
    MPI_Offset place = rank * 10 * (MPI_Offset)sizeof *data;
    if (VARIANT == 1 && count == 0)
        return;
    if (VARIANT == 2 && rank == 1)
        MPI_File_write_at(file, place, data, count, MPI_DOUBLE, MPI_STATUS_IGNORE); /* HERE 2 */
    else
        MPI_File_write_at_all(file, place, data, count, MPI_DOUBLE, MPI_STATUS_IGNORE); /* HERE */
}

int main(int argc, char **argv)
{
    double data[10] = {0};
    int rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "check_write_all.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    for (int step = 0; step < 3; step++)
        dump(file, data, rank == 2 ? 0 : 10, rank);
    MPI_File_close(&file);
    printf("%d\n", rank);
    MPI_Finalize();
    return 0;
}
