/* kind: datatype-leak 4.1.9
 * set: held-out
 * ranks: 2
 * 0 none ends ends: a struct type, resized, both freed
 * 1 warning ends ends proves: the type before resizing is never freed
 * 2 none ends ends: predefined types and a duplicate that is freed
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct pair {
    double weight;
    char label;
};

static MPI_Datatype make_pair_type(void)
{
    MPI_Datatype raw, type, parts[2] = {MPI_DOUBLE, MPI_CHAR};
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {offsetof(struct pair, weight), offsetof(struct pair, label)};
#if VARIANT == 2
    (void)raw, (void)parts, (void)lengths, (void)places;
    MPI_Type_dup(MPI_DOUBLE_INT, &type);
#else
    MPI_Type_create_struct(2, lengths, places, parts, &raw); /* HERE */
    MPI_Type_create_resized(raw, 0, sizeof(struct pair), &type);
    if (VARIANT == 0)
        MPI_Type_free(&raw);
    MPI_Type_commit(&type);
#endif
    return type;
}

int main(int argc, char **argv)
{
    struct pair pairs[3] = {{1, 'a'}, {2, 'b'}, {3, 'c'}};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype type = make_pair_type();
    MPI_Bcast(pairs, 3, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    printf("%g\n", pairs[2].weight);
    MPI_Finalize();
    return 0;
}
