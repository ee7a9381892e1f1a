/* kind: request-active 3.9
 * set: held-out-2
 * ranks: 2
 * 0 none ends ends: started and waited for in each step, freed at the end
 * 1 error fails|ends|crashes|hangs fails|ends|crashes|hangs proves: started again before it was waited for
 * 2 none ends ends: inactive ones are waited for and tested
 * 3 warning/request-leaked ends ends proves: never freed
 */
#include <mpi.h>
#include <stdio.h>

#define STEPS 5

int main(int argc, char **argv)
{
    double out = 0, in = 0;
    MPI_Request requests[2];
    int rank, done;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(&out, 1, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, &requests[0]); /* HERE 3 */
    MPI_Recv_init(&in, 1, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, &requests[1]);  /* HERE 3 */
    for (int step = 0; step < STEPS; step++) {
        out = rank + in;
        MPI_Startall(2, requests); /* HERE 1 */
        if (VARIANT == 1 && step == 2)
            MPI_Start(&requests[1]); /* HERE 1 */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (VARIANT == 2) {
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; VARIANT != 3 && i < 2; i++)
        MPI_Request_free(&requests[i]);
    printf("%g\n", in);
    MPI_Finalize();
    return 0;
}
