/* A matrix summed up by blocks of objects, as pictures of many objects show it. */
#include "cluster/cluster.h"

/* How many objects of a class are in a block. */
typedef struct {
    guint class_number, count;
} Share;

/* The shares of block b are those from first[b] to first[b + 1]. */
typedef struct {
    Share *shares;
    gsize *first;
    guint *sizes;
} Blocks;

static void clear_blocks(Blocks *blocks)
{
    g_free(blocks->shares);
    g_free(blocks->first);
    g_free(blocks->sizes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Blocks, clear_blocks)

/* Objects block by block, in order (n entries). */
static guint *members_by_block(const guint *block_of, guint n, const guint *sizes, guint count)
{
    guint *members = g_new0(guint, n);
    g_autofree guint *next = g_new0(guint, (gsize)count + 1);
    for (guint b = 0; b < count; b++)
        next[b + 1] = next[b] + sizes[b];
    for (guint i = 0; i < n; i++)
        members[next[block_of[i]]++] = i;
    return members;
}

static Blocks blocks_new(const DtMatrix *matrix, const guint *block_of, guint count)
{
    Blocks blocks = {g_new(Share, matrix->n), g_new0(gsize, (gsize)count + 1), g_new0(guint, count)};
    for (guint i = 0; i < matrix->n; i++)
        blocks.sizes[block_of[i]]++;
    g_autofree guint *members = members_by_block(block_of, matrix->n, blocks.sizes, count);
    g_autofree gsize *share_of = g_new0(gsize, matrix->classes); /* 1 + the last share of each class */
    gsize shares = 0;
    const guint *next = members;
    for (guint b = 0; b < count; b++) {
        for (guint i = 0; i < blocks.sizes[b]; i++) {
            guint class_number = dt_matrix_class(matrix, *next++);
            if (share_of[class_number] <= blocks.first[b]) {
                blocks.shares[shares++] = (Share){class_number, 0};
                share_of[class_number] = shares;
            }
            blocks.shares[share_of[class_number] - 1].count++;
        }
        blocks.first[b + 1] = shares;
    }
    return blocks;
}

/* Sums of the values between a block and each class. */
static void sum_rows(const DtMatrix *matrix, const Blocks *blocks, guint block, double *sums)
{
    for (guint j = 0; j < matrix->classes; j++)
        sums[j] = 0;
    for (gsize i = blocks->first[block]; i < blocks->first[block + 1]; i++) {
        const Share *share = &blocks->shares[i];
        const double *row = matrix->values + (gsize)share->class_number * matrix->classes;
        for (guint j = 0; j < matrix->classes; j++)
            sums[j] += share->count * row[j];
    }
}

double *dt_matrix_block_means(const DtMatrix *matrix, const guint *block_of, guint count)
{
    g_auto(Blocks) blocks = blocks_new(matrix, block_of, count);
    g_autofree double *sums = g_new(double, matrix->classes);
    double *means = g_new(double, (gsize)count *count);
    for (guint a = 0; a < count; a++) {
        sum_rows(matrix, &blocks, a, sums);
        for (guint b = a; b < count; b++) {
            double sum = 0;
            for (gsize i = blocks.first[b]; i < blocks.first[b + 1]; i++)
                sum += blocks.shares[i].count * sums[blocks.shares[i].class_number];
            double mean = sum / ((double)blocks.sizes[a] * blocks.sizes[b]);
            means[(gsize)a * count + b] = means[(gsize)b * count + a] = mean;
        }
    }
    return means;
}
