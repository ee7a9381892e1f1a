/* POSIX threads: a pool with a mutex and a condition, a thread that exits from deep down, one that is cancelled. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORKERS = 4, JOBS = 400 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int next, closed;
    long sum;
} Pool;

static Pool pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};

long work(int job)
{
    return job % 7 == 0 ? job : work(job - 1) + 1;
}

int take_job(void)
{
    pthread_mutex_lock(&pool.lock);
    while (pool.next == JOBS && !pool.closed)
        pthread_cond_wait(&pool.filled, &pool.lock);
    int job = pool.next < JOBS ? pool.next++ : -1;
    pthread_mutex_unlock(&pool.lock);
    return job;
}

void add_result(long result)
{
    pthread_mutex_lock(&pool.lock);
    pool.sum += result;
    pthread_mutex_unlock(&pool.lock);
}

void *run_worker(void *unused)
{
    pthread_setname_np(pthread_self(), "worker");
    for (int job; (job = take_job()) >= 0;)
        add_result(work(job));
    return unused;
}

void leave(int depth)
{
    if (depth == 0)
        pthread_exit((void *)42L);
    leave(depth - 1);
    __asm__ volatile("");
}

void *run_leaver(void *unused)
{
    leave(10);
    return unused;
}

void *run_sleeper(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    pthread_t workers[WORKERS], leaver, sleeper;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, run_worker, NULL);
    pthread_create(&leaver, NULL, run_leaver, NULL);
    pthread_create(&sleeper, NULL, run_sleeper, NULL);
    pthread_mutex_lock(&pool.lock);
    pool.closed = 1;
    pthread_cond_broadcast(&pool.filled);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    void *left, *cancelled;
    pthread_join(leaver, &left);
    pthread_cancel(sleeper);
    pthread_join(sleeper, &cancelled);
    printf("%ld %ld %s\n", pool.sum, (long)left, cancelled == PTHREAD_CANCELED ? "cancelled" : "ended");
    return 0;
}
