/* kind: object-leak 5.9.5
 * set: open
 * ranks: 2
 * 0 none ends ends: an operation of its own and an error handler, both freed
 * 1 warning ends ends proves: the operation is never freed
 * 2 warning ends ends proves: the error handler is never freed
 * 3 none ends ends: the error handler is freed while the communicator has it
 */
#include <mpi.h>
#include <stdio.h>

static void multiply(void *in, void *out, int *count, MPI_Datatype *type)
{
    const float *a = in;
    float *b = out;
    for (int i = 0; i < 2 * *count; i += 2) {
        float real = a[i] * b[i] - a[i + 1] * b[i + 1];
        b[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
        b[i] = real;
    }
    (void)type;
}

static void complain(MPI_Comm *comm, int *code, ...)
{
    fprintf(stderr, "error %d\n", *code);
    MPI_Abort(*comm, 1);
}

int main(int argc, char **argv)
{
    float z[2] = {0, 1};
    MPI_Op op;
    MPI_Errhandler handler;
    MPI_Datatype complex;
    MPI_Init(&argc, &argv);
    MPI_Op_create(multiply, 1, &op);                /* HERE 1 */
    MPI_Comm_create_errhandler(complain, &handler); /* HERE 2 */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (VARIANT == 3)
        MPI_Errhandler_free(&handler);
    MPI_Type_contiguous(2, MPI_FLOAT, &complex);
    MPI_Type_commit(&complex);
    MPI_Allreduce(MPI_IN_PLACE, z, 1, complex, op, MPI_COMM_WORLD);
    MPI_Type_free(&complex);
    if (VARIANT != 1)
        MPI_Op_free(&op);
    if (VARIANT == 0 || VARIANT == 1)
        MPI_Errhandler_free(&handler);
    printf("%g\n", z[0]);
    MPI_Finalize();
    return 0;
}
