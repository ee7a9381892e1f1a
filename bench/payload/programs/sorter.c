/* Sorting by samples: each rank's samples are gathered, splitters go to all, keys to whom they belong. */
#include "values.h"

enum { KEYS = 64, SAMPLES = 4, MOST_RANKS = 16, ROUNDS = 4 };

static int keys[KEYS * MOST_RANKS], held = KEYS, sorted[KEYS * MOST_RANKS];

static int compare(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static void split(int round, int *splitters)
{
    int own[SAMPLES], all[SAMPLES * MOST_RANKS];
    for (int i = 0; i < SAMPLES; i++)
        own[i] = keys[(fault_now("wrong_sample", round) && i == 1 ? i + 1 : i) * held / SAMPLES];
    MPI_Gather(own, SAMPLES, MPI_INT, all, SAMPLES, MPI_INT, 0, MPI_COMM_WORLD);
    if (own_rank == 0) {
        qsort(all, (size_t)(SAMPLES * ranks), sizeof(int), compare);
        for (int i = 0; i + 1 < ranks; i++)
            splitters[i] = all[(i + 1) * SAMPLES];
    }
    MPI_Bcast(splitters, ranks - 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void deal(int round, const int *splitters)
{
    int counts[MOST_RANKS] = {0}, places[MOST_RANKS], got[MOST_RANKS], behind[MOST_RANKS];
    for (int i = 0, to = 0; i < held; i++) {
        while (to + 1 < ranks && keys[i] >= splitters[to])
            to++;
        counts[to]++;
    }
    if (fault_now("lost_bit", round))
        keys[held / 2] ^= 1;
    MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        places[i] = i ? places[i - 1] + counts[i - 1] : 0;
        behind[i] = i ? behind[i - 1] + got[i - 1] : 0;
    }
    MPI_Alltoallv(keys, counts, places, MPI_INT, sorted, got, behind, MPI_INT, MPI_COMM_WORLD);
    held = behind[ranks - 1] + got[ranks - 1];
    qsort(sorted, (size_t)held, sizeof(int), compare);
    if (fault_now("unset_key", round))
        sorted[held - 1] = (int)garbage;
    memcpy(keys, sorted, (size_t)held * sizeof(int));
}

int main(int argc, char **argv)
{
    int splitters[MOST_RANKS];
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        if (round > 0)
            for (int i = 0; i < held; i++)
                keys[i] = keys[i] * 17 % 1009;
        else
            for (int i = 0; i < held; i++)
                keys[i] = (own_rank * KEYS + i) * 37 % 1009;
        qsort(keys, (size_t)held, sizeof(int), compare);
        split(round, splitters);
        deal(round, splitters);
    }
    MPI_Finalize();
    return 0;
}
