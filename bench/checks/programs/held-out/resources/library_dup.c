/* kind: comm-leak 6.4.3
 * set: held-out
 * ranks: 2
 * 0 none ends ends: a library's duplicate of the communicator, freed at its end
 * 1 warning ends ends proves: the library never frees its duplicate
 * 2 none ends ends: kept in an attribute of MPI_COMM_SELF, whose deletion at MPI_Finalize frees it
 */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm own = MPI_COMM_NULL;

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    return MPI_Comm_free(value);
}

static void library_begin(MPI_Comm comm)
{
    MPI_Comm_dup(comm, &own); /* HERE */
#if VARIANT == 2
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &own);
    MPI_Comm_free_keyval(&key);
#endif
    (void)at_end;
}

static int library_sum(int value)
{
    int sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, own);
    return sum;
}

static void library_end(void)
{
    if (VARIANT == 0)
        MPI_Comm_free(&own);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    library_begin(MPI_COMM_WORLD);
    printf("%d\n", library_sum(rank));
    library_end();
    MPI_Finalize();
    return 0;
}
