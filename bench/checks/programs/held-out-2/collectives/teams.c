/* kind: coll-missing-member 5.1
 * set: held-out-2
 * ranks: 4
 * 0 none ends ends: each of two teams sums up, then all do
 * 1 error hangs hangs proves: rank 3 leaves the loop one step early
 * 2 none ends ends: rank 3 is in no team, and skips its sums
 * 3 error hangs hangs proves: one of a team leaves out the team's last sum
 */
#include <mpi.h>
#include <stdio.h>

#define STEPS 4

static int steps_of(int rank)
{
    return VARIANT == 1 && rank == 3 ? STEPS - 1 : STEPS;
}

int main(int argc, char **argv)
{
    MPI_Comm team;
    int rank;
    double own, sum = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, VARIANT == 2 && rank == 3 ? MPI_UNDEFINED : rank / 2, rank, &team);
    own = rank;
    for (int step = 0; step < steps_of(rank); step++) {
        if (team != MPI_COMM_NULL && !(VARIANT == 3 && rank == 2 && step == STEPS - 1))
            MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, team);       /* HERE 3 */
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* HERE 1 */
        own = all / 2;
    }
    if (team != MPI_COMM_NULL)
        MPI_Comm_free(&team); /* HERE 3 */
    printf("%g\n", all);
    MPI_Finalize(); /* HERE 1 */
    return 0;
}
