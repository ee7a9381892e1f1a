/* kind: argument-handle 2.5.4
 * set: held-out
 * ranks: 2
 * flags: -Wno-maybe-uninitialized -Wno-uninitialized
 * 0 none ends ends: an error handler that returns codes, and a probe of the null communicator whose code is looked at
 * 1 error fails|crashes fails|crashes proves: the communicator of a struct was never set, it is zero
 * 2 error fails fails proves: MPI_COMM_NULL in a receive
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

struct plan {
    MPI_Comm comm;
    int root;
};

static int run(const struct plan *plan, int value)
{
    MPI_Bcast(&value, 1, MPI_INT, plan->root, plan->comm); /* HERE 1 */
    return value;
}

int main(int argc, char **argv)
{
    struct plan plan;
    int value = 1;
    MPI_Init(&argc, &argv);
    memset(&plan, 0, sizeof plan);
    if (VARIANT != 1)
        plan.comm = MPI_COMM_WORLD;
    value = run(&plan, value);
    if (VARIANT == 2)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_NULL, MPI_STATUS_IGNORE); /* HERE 2 */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    printf("%d\n", value);
    MPI_Finalize();
    return 0;
}
