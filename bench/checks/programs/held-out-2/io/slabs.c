/* kind: io-conflict 13.6.1
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: each rank writes its slab
 * 1 error ends ends proves: the slabs have four values in common
 * 2 none ends ends: one writes nothing
 * 3 none ends ends: both write the same place, one after the other, with the file closed in between
 */
#include <mpi.h>
#include <stdio.h>

#define CELLS 32

static void write_slab(const char *name, const double *cells, int rank, MPI_Offset first, int count)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, first, cells, count, MPI_DOUBLE, MPI_STATUS_IGNORE); /* HERE 1 */
    MPI_File_close(&file);
    (void)rank;
}

int main(int argc, char **argv)
{
    double cells[CELLS] = {0};
    char name[64];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "slabs-%d.dat", VARIANT);
    if (VARIANT == 3) {
        for (int turn = 0; turn < 2; turn++)
            write_slab(name, cells, rank, 0, rank == turn ? CELLS : 0);
    } else {
        MPI_Offset first = (MPI_Offset)rank * (VARIANT == 1 ? CELLS - 4 : CELLS);
        write_slab(name, cells, rank, first, VARIANT == 2 && rank == 1 ? 0 : CELLS);
    }
    MPI_Finalize();
    return 0;
}
