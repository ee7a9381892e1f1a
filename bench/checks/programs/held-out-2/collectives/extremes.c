/* kind: coll-op 5.9.2
 * set: held-out-2
 * ranks: 3
 * 0 none ends ends: the largest value and where it is
 * 1 error fails fails proves: bits of doubles
 * 2 error ends ends proves: rank 2 wants the sum where the others want the product
 * 3 none ends ends: an operation of the program's own, on a type of its own
 */
#include <mpi.h>
#include <stdio.h>

typedef struct {
    double value;
    int place;
} Extreme;

static void longer(void *in, void *inout, int *count, MPI_Datatype *type)
{
    double *one = in, *other = inout;
    (void)type;
    for (int i = 0; i < *count * 2; i += 2)
        if (one[i] > other[i])
            other[i] = one[i], other[i + 1] = one[i + 1];
}

static void by_own(double value)
{
    MPI_Op op;
    MPI_Datatype pair;
    double in[2] = {value, 1}, out[2];
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(longer, 1, &op);
    MPI_Allreduce(in, out, 1, pair, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    int rank;
    double value, result = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = 1.5 + rank;
    Extreme own = {value, rank}, all = {0, 0};
    if (VARIANT == 0)
        MPI_Reduce(&own, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, 1, MPI_COMM_WORLD);
    else if (VARIANT == 1)
        MPI_Reduce(&value, &result, 1, MPI_DOUBLE, MPI_BXOR, 0, MPI_COMM_WORLD); /* HERE 1 */
    else if (VARIANT == 2)
        MPI_Scan(&value, &result, 1, MPI_DOUBLE, rank == 2 ? MPI_SUM : MPI_PROD, MPI_COMM_WORLD); /* HERE 2 */
    else
        by_own(value);
    printf("%g %d\n", all.value, all.place);
    MPI_Finalize();
    return 0;
}
