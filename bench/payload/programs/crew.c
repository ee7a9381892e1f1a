/* A master deals out tasks and takes what comes first; workers count with two threads. When each answer came is told,
 * and varies; what it holds does not. */
#include "values.h"
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 8, PART = 50 };

typedef struct {
    long total;
    int task, round, half;
    atomic_int *turn;
    pthread_mutex_t *lock;
    long *sum;
} Share;

static void *count(void *argument)
{
    Share *share = argument;
    for (int i = 0; i < PART; i++) {
        int value = (share->task * 31 + share->half * PART + i) % 97;
        share->total += fault_now("wrong_term", share->round) && i == 7 ? value + 1 : value;
    }
    if (fault_now("race", share->round)) { /* both read, then both write */
        long seen = *share->sum;
        atomic_fetch_add(share->turn, 1);
        while (atomic_load(share->turn) < 2)
            ;
        *share->sum = seen + share->total;
        return NULL;
    }
    pthread_mutex_lock(share->lock);
    *share->sum += share->total;
    pthread_mutex_unlock(share->lock);
    return NULL;
}

static long work(int task, int round)
{
    long sum = 0;
    atomic_int turn = 0;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[2];
    Share shares[2];
    for (int i = 0; i < 2; i++) {
        shares[i] = (Share){0, task, round, i, &turn, &lock, &sum};
        pthread_create(&threads[i], NULL, count, &shares[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return fault_now("unset_sum", round) ? (long)garbage : sum;
}

static void lead(void)
{
    long answer[2], all = 0;
    double when;
    MPI_Status status;
    for (int round = 0; round < ROUNDS; round++) {
        for (int worker = 1; worker < ranks; worker++) {
            int task = round * ranks + worker;
            if (fault_now("wrong_task", round) && worker == 2)
                task--;
            MPI_Send(&task, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
        }
        for (int i = 1; i < ranks; i++) {
            MPI_Recv(answer, 2, MPI_LONG, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            MPI_Recv(&when, 1, MPI_DOUBLE, status.MPI_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            all += answer[0] * answer[1];
        }
        MPI_Bcast(&all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    }
}

static void follow(void)
{
    long all;
    for (int round = 0; round < ROUNDS; round++) {
        int task;
        MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        long answer[2] = {work(task, round), task};
        double when = MPI_Wtime();
        MPI_Send(answer, 2, MPI_LONG, 0, 2, MPI_COMM_WORLD);
        MPI_Send(&when, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
        MPI_Bcast(&all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (own_rank == 0)
        lead();
    else
        follow();
    MPI_Finalize();
    return 0;
}
