/* kind: bad-free 6.7.2
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: the keyval is freed while its attribute is still cached
 * 1 error fails fails proves: the keyval is freed again
 */
#include <mpi.h>
#include <stdio.h>

static int cached = 7;

static void look(int key)
{
    int *value, found = 0;
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &cached);
    MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &found);
    printf("%d\n", found ? *value : -1);
}

int main(int argc, char **argv)
{
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    look(key);
    MPI_Comm_free_keyval(&key);
#if VARIANT == 1
    MPI_Comm_free_keyval(&key); /* HERE */
#endif
    MPI_Finalize();
    return 0;
}
