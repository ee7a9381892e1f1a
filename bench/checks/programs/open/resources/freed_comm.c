/* kind: use-after-free 6.4.3
 * set: open
 * ranks: 2
 * 0 none ends ends: the communicator is freed after its last use; a copy of the handle is not used any more
 * 1 error fails|crashes|ends fails proves: a copy of the handle is used after the communicator was freed
 * 2 error fails fails proves: the handle itself is used, which MPI_Comm_free has set to MPI_COMM_NULL
 */
#include <mpi.h>
#include <stdio.h>

struct solver {
    MPI_Comm comm;
    double residual;
};

static void solve(struct solver *solver)
{
    double mine = 0.5;
    MPI_Allreduce(&mine, &solver->residual, 1, MPI_DOUBLE, MPI_SUM, solver->comm); /* HERE 1 */
}

int main(int argc, char **argv)
{
    struct solver solver = {MPI_COMM_NULL, 0};
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    solver.comm = comm;
    solve(&solver);
    MPI_Comm_free(&comm);
    if (VARIANT == 1)
        solve(&solver);
    if (VARIANT == 2)
        MPI_Barrier(comm); /* HERE 2 */
    printf("%g\n", solver.residual);
    MPI_Finalize();
    return 0;
}
