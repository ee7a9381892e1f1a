/*
 * Odd/even transposition sort over MPI, with two faults to look for.
 *
 *     mpirun -n 16 oddeven [--bug none|swap|dl] [--rank R] [--after N] [--block B]
 *
 * Every rank holds a sorted block of B numbers. In phase p = 0, 1, ... ranks-1 the pairs (0,1) (2,3) ... or, if p is
 * odd, (1,2) (3,4) ... exchange blocks, and the left one keeps the smaller half. Even ranks send first, odd ranks
 * receive first, so that no exchange can block. After as many phases as ranks everything is in order; each rank prints
 * its block.
 *
 * The faults strike rank R (5) after its Nth (7th) exchange:
 *     swap  it sends before it receives. Messages are small enough to be buffered, so the program still ends.
 *     dl    it receives a second time where it should send: a deadlock.
 */
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { BUG_NONE, BUG_SWAP, BUG_DEADLOCK } Bug;

typedef struct {
    Bug bug;
    int bug_rank, bug_after;
    int block; /* numbers per rank */
} Options;

typedef struct {
    int rank, ranks;
    int exchanges; /* done so far */
    int *own, *other, *merged;
} Sorter;

static int compare_numbers(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

/* The same numbers in every run. */
static void fill_block(Sorter *sorter, int block)
{
    unsigned state = 12345u + 977u * (unsigned)sorter->rank;
    for (int i = 0; i < block; i++) {
        state = state * 1103515245u + 12345u;
        sorter->own[i] = (int)(state >> 16) % 1000;
    }
    qsort(sorter->own, (size_t)block, sizeof *sorter->own, compare_numbers);
}

/* The rank to exchange with in a phase, or -1. */
static int find_partner(const Sorter *sorter, int phase)
{
    int partner = sorter->rank % 2 == phase % 2 ? sorter->rank + 1 : sorter->rank - 1;
    return partner < sorter->ranks ? partner : -1;
}

static void exchange(Sorter *sorter, const Options *options, int partner)
{
    int struck = sorter->rank == options->bug_rank && sorter->exchanges >= options->bug_after;
    int send_first = sorter->rank % 2 == 0;
    if (struck && options->bug == BUG_SWAP)
        send_first = !send_first;
    if (send_first) {
        MPI_Send(sorter->own, options->block, MPI_INT, partner, 0, MPI_COMM_WORLD);
        MPI_Recv(sorter->other, options->block, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(sorter->other, options->block, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (struck && options->bug == BUG_DEADLOCK)
            MPI_Recv(sorter->other, options->block, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(sorter->own, options->block, MPI_INT, partner, 0, MPI_COMM_WORLD);
    }
    sorter->exchanges++;
}

/* Keeps the smaller or the larger half of both blocks. */
static void merge_blocks(Sorter *sorter, int block, int keep_small)
{
    if (keep_small) {
        for (int i = 0, own = 0, other = 0; i < block; i++)
            sorter->merged[i] = sorter->own[own] <= sorter->other[other] ? sorter->own[own++] : sorter->other[other++];
    } else {
        for (int i = block - 1, own = block - 1, other = block - 1; i >= 0; i--)
            sorter->merged[i] = sorter->own[own] >= sorter->other[other] ? sorter->own[own--] : sorter->other[other--];
    }
    memcpy(sorter->own, sorter->merged, (size_t)block * sizeof *sorter->own);
}

static void oddEvenSort(Sorter *sorter, const Options *options)
{
    for (int phase = 0; phase < sorter->ranks; phase++) {
        int partner = find_partner(sorter, phase);
        if (partner < 0)
            continue;
        exchange(sorter, options, partner);
        merge_blocks(sorter, options->block, sorter->rank < partner);
    }
}

static void print_block(const Sorter *sorter, int block)
{
    char line[4096];
    size_t used = (size_t)snprintf(line, sizeof line, "%2d:", sorter->rank);
    for (int i = 0; i < block && used + 16 < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %d", sorter->own[i]);
    line[used++] = '\n';
    fwrite(line, 1, used, stdout); /* at once, so that the ranks' lines do not mix */
}

/* Inlined, so that a run with one bug and a run with another make the same calls here. */
static inline int is_word(const char *text, const char *word)
{
    while (*text && *text == *word)
        text++, word++;
    return *text == *word;
}

static int parse_options(int argc, char **argv, Options *options)
{
    static const struct option known[] = {{"bug", required_argument, NULL, 'b'},
                                          {"rank", required_argument, NULL, 'r'},
                                          {"after", required_argument, NULL, 'a'},
                                          {"block", required_argument, NULL, 'n'},
                                          {0}};
    static const char *const bugs[] = {[BUG_NONE] = "none", [BUG_SWAP] = "swap", [BUG_DEADLOCK] = "dl"};
    *options = (Options){BUG_NONE, 5, 7, 8};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'b') {
            int bug = 0;
            while (bug < 3 && !is_word(optarg, bugs[bug]))
                bug++;
            if (bug == 3)
                return 0;
            options->bug = (Bug)bug;
        } else if (option == 'r')
            options->bug_rank = atoi(optarg);
        else if (option == 'a')
            options->bug_after = atoi(optarg);
        else if (option == 'n')
            options->block = atoi(optarg);
        else
            return 0;
    }
    return options->block > 0 && optind == argc;
}

int main(int argc, char **argv)
{
    Options options;
    if (!parse_options(argc, argv, &options)) {
        fputs("usage: oddeven [--bug none|swap|dl] [--rank R] [--after N] [--block B]\n", stderr);
        return 2;
    }
    Sorter sorter = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &sorter.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &sorter.ranks);
    int *numbers = calloc(3 * (size_t)options.block, sizeof *numbers);
    if (numbers == NULL)
        return 1;
    sorter.own = numbers;
    sorter.other = numbers + options.block;
    sorter.merged = numbers + 2 * (size_t)options.block;
    fill_block(&sorter, options.block);
    oddEvenSort(&sorter, &options);
    print_block(&sorter, options.block);
    free(numbers);
    MPI_Finalize();
    return 0;
}
