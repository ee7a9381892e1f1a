/*
 * Repeated transposition of a matrix that is cut into bands of rows: rows are filtered, blocks transposed locally and
 * exchanged by MPI_Alltoall; now and then a checksum is gathered at rank 0, which broadcasts how to go on.
 */
#include "fault.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS(X)                                                                                                      \
    X(skip_alltoall)                                                                                                   \
    X(long_count)                                                                                                      \
    X(wrong_collective)                                                                                                \
    X(extra_alltoall)                                                                                                  \
    X(wrong_root)                                                                                                      \
    X(skip_local)                                                                                                      \
    X(wrong_order) X(crash) X(abort) X(stuck) X(endless) X(early_exit) X(skip_gather) X(extra_call) X(slow) X(exit)
FAULT_TABLE(FAULTS)

typedef struct {
    Fault fault;
    int rank, ranks, n; /* rows per rank */
    int round;
    double *memory, *band, *blocks, *received;
    long *sums;
} Matrix;

static size_t band_cells(const Matrix *matrix)
{
    return (size_t)matrix->n * (size_t)matrix->n * (size_t)matrix->ranks;
}

static int allocate_matrix(Matrix *matrix)
{
    size_t cells = band_cells(matrix);
    matrix->memory = calloc(6 * cells, sizeof(double));
    matrix->sums = calloc((size_t)matrix->ranks, sizeof(long));
    matrix->band = matrix->memory;
    matrix->blocks = matrix->memory + 2 * cells;
    matrix->received = matrix->memory + 4 * cells;
    return matrix->memory != NULL && matrix->sums != NULL;
}

static void fill_matrix(Matrix *matrix)
{
    int width = matrix->n * matrix->ranks;
    for (int i = 0; i < matrix->n * width; i++)
        matrix->band[i] = (double)((matrix->rank * 13 + i * 7) % 23);
}

static void filter_row(Matrix *matrix, int row)
{
    int width = matrix->n * matrix->ranks;
    double *cells = &matrix->band[row * width];
    for (int j = 1; j < width; j++)
        cells[j] = 0.5 * (cells[j] + cells[j - 1]);
}

static void filter_rows(Matrix *matrix)
{
    for (int row = 0; row < matrix->n; row++) {
        filter_row(matrix, row);
        if (fault_pace(fault_hits(&matrix->fault, FAULT_endless, matrix->round)))
            row = 0;
    }
}

static void transpose_block(Matrix *matrix, int block)
{
    int n = matrix->n, width = n * matrix->ranks;
    double *to = &matrix->blocks[block * n * n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[j * n + i] = matrix->band[i * width + block * n + j];
}

static void transpose_locally(Matrix *matrix)
{
    for (int block = 0; block < matrix->ranks; block++) {
        if (fault_hits(&matrix->fault, FAULT_crash, matrix->round) && block == matrix->ranks / 2)
            fault_crash();
        if (!(fault_hits(&matrix->fault, FAULT_skip_local, matrix->round) && block == matrix->rank))
            transpose_block(matrix, block);
    }
}

static void exchange_blocks(Matrix *matrix)
{
    int count = matrix->n * matrix->n;
    if (fault_hits(&matrix->fault, FAULT_skip_alltoall, matrix->round))
        return;
    if (fault_hits(&matrix->fault, FAULT_long_count, matrix->round))
        count++;
    if (fault_hits(&matrix->fault, FAULT_wrong_collective, matrix->round))
        MPI_Allgather(matrix->blocks, count, MPI_DOUBLE, matrix->received, count, MPI_DOUBLE, MPI_COMM_WORLD);
    else
        MPI_Alltoall(matrix->blocks, count, MPI_DOUBLE, matrix->received, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void assemble_band(Matrix *matrix)
{
    int n = matrix->n, width = n * matrix->ranks;
    for (int block = 0; block < matrix->ranks; block++)
        for (int i = 0; i < n; i++)
            memcpy(&matrix->band[i * width + block * n], &matrix->received[(block * n + i) * n],
                   (size_t)n * sizeof(double));
}

static void transpose_matrix(Matrix *matrix)
{
    transpose_locally(matrix);
    exchange_blocks(matrix);
    if (fault_hits(&matrix->fault, FAULT_extra_alltoall, matrix->round))
        exchange_blocks(matrix);
    assemble_band(matrix);
}

static long sum_band(const Matrix *matrix)
{
    double sum = 0;
    for (size_t i = 0; i < band_cells(matrix); i++)
        sum += matrix->band[i];
    return (long)sum;
}

static int may_go_on(Matrix *matrix)
{
    long sum = sum_band(matrix);
    int go_on = 1, root = fault_hits(&matrix->fault, FAULT_wrong_root, matrix->round) ? 1 : 0;
    if (fault_hits(&matrix->fault, FAULT_abort, matrix->round))
        MPI_Abort(MPI_COMM_WORLD, 8);
    if (fault_hits(&matrix->fault, FAULT_exit, matrix->round))
        exit(9);
    if (!fault_hits(&matrix->fault, FAULT_skip_gather, matrix->round))
        MPI_Gather(&sum, 1, MPI_LONG, matrix->sums, 1, MPI_LONG, root, MPI_COMM_WORLD);
    for (int rank = 0; rank < matrix->ranks; rank++)
        go_on = go_on && matrix->sums[rank] >= 0;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return go_on;
}

static void do_round(Matrix *matrix)
{
    if (fault_hits(&matrix->fault, FAULT_stuck, matrix->round))
        fault_hang();
    if (fault_hits(&matrix->fault, FAULT_slow, matrix->round))
        fault_delay(300);
    if (fault_hits(&matrix->fault, FAULT_wrong_order, matrix->round)) {
        transpose_matrix(matrix);
        filter_rows(matrix);
    } else {
        filter_rows(matrix);
        transpose_matrix(matrix);
    }
    if (fault_hits(&matrix->fault, FAULT_extra_call, matrix->round))
        filter_rows(matrix);
}

int main(int argc, char **argv)
{
    Matrix matrix = {0};
    if (!fault_read(&matrix.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &matrix.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &matrix.ranks);
    matrix.fault.own = matrix.rank;
    matrix.n = matrix.fault.size > 0 ? matrix.fault.size : 4;
    if (!allocate_matrix(&matrix))
        MPI_Abort(MPI_COMM_WORLD, 1);
    fill_matrix(&matrix);
    int rounds = matrix.fault.steps > 0 ? matrix.fault.steps : 16;
    for (matrix.round = 1; matrix.round <= rounds; matrix.round++) {
        if (fault_hits(&matrix.fault, FAULT_early_exit, matrix.round))
            break;
        do_round(&matrix);
        if (matrix.round % 3 == 0 && !may_go_on(&matrix))
            break;
    }
    free(matrix.memory);
    free(matrix.sums);
    MPI_Finalize();
    return 0;
}
