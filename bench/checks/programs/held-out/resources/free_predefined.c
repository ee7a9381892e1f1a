/* kind: bad-free 2.5.4
 * set: held-out
 * ranks: 1
 * 0 none ends ends: the group of the world is freed, the empty group is not
 * 1 error fails fails proves: MPI_COMM_WORLD is freed
 * 2 error fails fails proves: MPI_DOUBLE is freed
 */
#include <mpi.h>
#include <stdio.h>

struct context {
    MPI_Comm comm;
    MPI_Datatype real;
    MPI_Group group;
};

static void release(struct context *context)
{
    if (context->comm != MPI_COMM_WORLD || VARIANT == 1)
        MPI_Comm_free(&context->comm); /* HERE 1 */
    if (context->real != MPI_DOUBLE || VARIANT == 2)
        MPI_Type_free(&context->real); /* HERE 2 */
    if (context->group != MPI_GROUP_EMPTY)
        MPI_Group_free(&context->group);
}

int main(int argc, char **argv)
{
    struct context context = {MPI_COMM_WORLD, MPI_DOUBLE, MPI_GROUP_EMPTY};
    MPI_Init(&argc, &argv);
    release(&context);
    MPI_Comm_group(MPI_COMM_WORLD, &context.group);
    context.comm = MPI_COMM_WORLD;
    context.real = MPI_DOUBLE;
    release(&context);
    puts("done");
    MPI_Finalize();
    return 0;
}
