/* kind: argument-handle 2.5.4
 * set: open
 * ranks: 2
 * 0 none ends ends: null handles where they are allowed: null requests, the null info, no error handler
 * 1 error fails fails proves: the null datatype in a broadcast
 * 2 error fails fails proves: the null operation in a reduction
 * 3 error fails fails proves: the null window in a put
 */
#include <mpi.h>
#include <stdio.h>

struct setup {
    MPI_Datatype type;
    MPI_Op op;
    MPI_Win win;
};

static void choose(struct setup *setup)
{
    setup->type = VARIANT == 1 ? MPI_DATATYPE_NULL : MPI_INT;
    setup->op = VARIANT == 2 ? MPI_OP_NULL : MPI_SUM;
    setup->win = MPI_WIN_NULL;
}

int main(int argc, char **argv)
{
    struct setup setup;
    int value = 3, sum = 0, done = 0;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    choose(&setup);
    MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    MPI_Bcast(&value, 1, setup.type, 0, MPI_COMM_WORLD);                  /* HERE 1 */
    MPI_Allreduce(&value, &sum, 1, setup.type, setup.op, MPI_COMM_WORLD); /* HERE 2 */
    if (VARIANT == 3)
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, setup.win); /* HERE 3 */
    printf("%d %d\n", sum, done);
    MPI_Finalize();
    return 0;
}
