/* kind: io-mode 13.2.1
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: each rank writes its lines, in the order of ranks
 * 1 error fails|ends fails|ends proves: a file that was opened for reading is written
 * 2 error fails|ends fails|ends proves: a file that was opened for writing is read
 * 3 none ends ends: the file is deleted when it is closed, and opened for both
 * 4 warning/file-leak ends ends proves: the file is never closed
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int mode(void)
{
    if (VARIANT == 1)
        return MPI_MODE_RDONLY;
    if (VARIANT == 3)
        return MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    return MPI_MODE_WRONLY | MPI_MODE_CREATE;
}

static void make_empty(const char *name, int rank)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    MPI_File_close(&file);
    (void)rank;
}

int main(int argc, char **argv)
{
    char line[16], name[64];
    MPI_File file;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "journal-%d.txt", VARIANT);
    make_empty(name, rank);
    MPI_File_open(MPI_COMM_WORLD, name, mode(), MPI_INFO_NULL, &file); /* HERE 4 */
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    snprintf(line, sizeof line, "rank %d\n", rank);
    for (int i = 0; i < 2; i++)
        MPI_File_write_ordered(file, line, (int)strlen(line), MPI_CHAR, MPI_STATUS_IGNORE); /* HERE 1 */
    if (VARIANT == 2 || VARIANT == 3)
        MPI_File_read_at(file, 0, line, 4, MPI_CHAR, MPI_STATUS_IGNORE); /* HERE 2 */
    if (VARIANT != 4)
        MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
