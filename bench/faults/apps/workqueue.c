/*
 * Jobs in a bounded queue, without MPI: producers put them in, consumers take them out and look up what they cost in a
 * table that now and then one of them changes. A barrier ends every round. A thread keeps statistics.
 *
 * Threads: 0 main, 1 to 3 the producers, 4 the statistics, 5... the consumers.
 */
#include "fault.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(skip_call)                                                                                                       \
    X(extra_call)                                                                                                      \
    X(early_exit)                                                                                                      \
    X(endless)                                                                                                         \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(lock_order)                                                                                                      \
    X(missing_unlock)                                                                                                  \
    X(missing_lock)                                                                                                    \
    X(missing_signal)                                                                                                  \
    X(double_lock) X(livelock) X(skip_barrier) X(different_input) X(slow)
FAULT_TABLE(FAULTS)

enum { PRODUCERS = 3, STATISTICS = 4, SLOTS = 6, KINDS = 8, MAX_CONSUMERS = 40, SAMPLES = 15 };

typedef struct {
    int kind, work, last; /* the last one tells a consumer that the round is over */
    long cost;            /* as it was when the job was taken */
} Job;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    Job slot[SLOTS];
    int first, queued, passed;
} Queue;

typedef struct {
    pthread_rwlock_t lock;
    long cost[KINDS], changes;
} Table;

typedef struct {
    Fault fault;
    int consumers, rounds, jobs; /* jobs: per producer and round */
    Queue queue;
    Table table;
    pthread_barrier_t round_start, round_end;
} Shop;

typedef struct {
    Shop *shop;
    int thread, round, done;
    long sum;
} Worker;

/* The fault of this thread, in its Nth step. */
FAULT_INLINE int strikes(const Worker *worker, int id)
{
    return worker->shop->fault.id == id && worker->shop->fault.thread == worker->thread &&
           worker->shop->fault.at == worker->done;
}

static void put_job(Worker *worker, const Job *job)
{
    Queue *queue = &worker->shop->queue;
    pthread_mutex_lock(&queue->lock);
    if (strikes(worker, FAULT_double_lock))
        pthread_mutex_lock(&queue->lock);
    while (queue->queued == SLOTS)
        pthread_cond_wait(&queue->not_full, &queue->lock);
    queue->slot[(queue->first + queue->queued++) % SLOTS] = *job;
    if (!strikes(worker, FAULT_missing_signal))
        pthread_cond_signal(&queue->not_empty);
    if (!strikes(worker, FAULT_missing_unlock))
        pthread_mutex_unlock(&queue->lock);
}

static long read_cost(Worker *worker, int kind)
{
    Table *table = &worker->shop->table;
    int locked = !strikes(worker, FAULT_missing_lock);
    if (locked)
        pthread_rwlock_rdlock(&table->lock);
    long cost = table->cost[kind];
    if (locked && !strikes(worker, FAULT_missing_unlock))
        pthread_rwlock_unlock(&table->lock);
    return cost;
}

/* Queue and table together: the queue's lock first, here and everywhere. */
static void take_job(Worker *worker, Job *job)
{
    Queue *queue = &worker->shop->queue;
    pthread_mutex_lock(&queue->lock);
    while (queue->queued == 0)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    *job = queue->slot[queue->first];
    queue->first = (queue->first + 1) % SLOTS;
    queue->queued--;
    queue->passed++;
    if (!job->last) {
        worker->done++;
        job->cost = read_cost(worker, job->kind);
    }
    pthread_cond_signal(&queue->not_full);
    pthread_mutex_unlock(&queue->lock);
}

static void change_cost(Worker *worker, int kind, long by)
{
    Table *table = &worker->shop->table;
    while (fault_pace(strikes(worker, FAULT_livelock)))
        if (pthread_rwlock_tryrdlock(&table->lock) == 0) {
            pthread_rwlock_unlock(&table->lock);
            sched_yield();
        }
    pthread_rwlock_wrlock(&table->lock);
    if (strikes(worker, FAULT_abort))
        abort();
    table->cost[kind] = 1 + (table->cost[kind] + by) % 9;
    table->changes++;
    pthread_rwlock_unlock(&table->lock);
}

static void work_unit(Worker *worker, long cost)
{
    worker->sum += cost;
}

static void do_job(Worker *worker, const Job *job)
{
    if (strikes(worker, FAULT_crash))
        fault_crash();
    for (int unit = 0; unit < job->work; unit++) {
        work_unit(worker, job->cost);
        if (fault_pace(strikes(worker, FAULT_endless)))
            unit = -1;
    }
    if (strikes(worker, FAULT_extra_call))
        work_unit(worker, job->cost);
    if (!strikes(worker, FAULT_skip_call))
        change_cost(worker, job->kind, 1);
    fault_delay(1);
}

/* The first consumers to come are told by one job each that there are no more. */
static void end_round(Worker *worker)
{
    Job job = {.last = 1};
    for (int i = worker->thread - 1; i < worker->shop->consumers; i += PRODUCERS)
        put_job(worker, &job);
}

static void produce_round(Worker *worker)
{
    for (int i = 0; i < worker->shop->jobs; i++) {
        worker->done++;
        Job job = {.kind = (worker->thread + i) % KINDS, .work = 1 + (i + worker->round) % 3};
        if (strikes(worker, FAULT_stuck))
            fault_hang();
        if (strikes(worker, FAULT_skip_call))
            continue;
        put_job(worker, &job);
        if (strikes(worker, FAULT_extra_call))
            put_job(worker, &job);
    }
    end_round(worker);
}

static void consume_round(Worker *worker)
{
    Job job;
    for (take_job(worker, &job); !job.last; take_job(worker, &job)) {
        if (strikes(worker, FAULT_stuck))
            fault_hang();
        if (strikes(worker, FAULT_slow))
            fault_delay(100);
        do_job(worker, &job);
    }
}

static void *run_worker(void *data)
{
    Worker *worker = data;
    int producer = worker->thread <= PRODUCERS;
    const Fault *fault = &worker->shop->fault;
    for (worker->round = 1; worker->round <= worker->shop->rounds; worker->round++) {
        int now = fault->thread == worker->thread && fault->at == worker->round;
        if (now && fault->id == FAULT_early_exit)
            break;
        pthread_barrier_wait(&worker->shop->round_start);
        if (producer)
            produce_round(worker);
        else
            consume_round(worker);
        if (!(now && fault->id == FAULT_skip_barrier))
            pthread_barrier_wait(&worker->shop->round_end);
    }
    return NULL;
}

static long take_sample(Worker *worker)
{
    Shop *shop = worker->shop;
    pthread_mutex_lock(&shop->queue.lock);
    pthread_rwlock_rdlock(&shop->table.lock);
    long sample = shop->queue.queued + shop->queue.passed + shop->table.changes;
    if (strikes(worker, FAULT_crash))
        fault_crash();
    pthread_rwlock_unlock(&shop->table.lock);
    if (!strikes(worker, FAULT_missing_unlock))
        pthread_mutex_unlock(&shop->queue.lock);
    return sample;
}

static void reset_costs(Worker *worker)
{
    Shop *shop = worker->shop;
    int swapped = shop->fault.id == FAULT_lock_order && shop->fault.thread == worker->thread;
    if (!swapped)
        pthread_mutex_lock(&shop->queue.lock);
    pthread_rwlock_wrlock(&shop->table.lock);
    if (swapped) {
        fault_delay(4);
        pthread_mutex_lock(&shop->queue.lock);
    }
    for (int kind = 0; kind < KINDS; kind++)
        shop->table.cost[kind] = 1 + kind % 3;
    pthread_rwlock_unlock(&shop->table.lock);
    pthread_mutex_unlock(&shop->queue.lock);
}

static void *run_statistics(void *data)
{
    Worker *worker = data;
    int samples = worker->shop->fault.id == FAULT_different_input ? SAMPLES + 5 : SAMPLES;
    for (worker->done = 1; worker->done <= samples; worker->done++) {
        if (strikes(worker, FAULT_stuck))
            fault_hang();
        worker->sum += take_sample(worker);
        fault_delay(1);
        if (worker->done % 5 == 0)
            reset_costs(worker);
    }
    return NULL;
}

static void open_shop(Shop *shop)
{
    unsigned parties = (unsigned)(PRODUCERS + shop->consumers);
    pthread_mutex_init(&shop->queue.lock, NULL);
    pthread_cond_init(&shop->queue.not_empty, NULL);
    pthread_cond_init(&shop->queue.not_full, NULL);
    pthread_rwlock_init(&shop->table.lock, NULL);
    pthread_barrier_init(&shop->round_start, NULL, parties);
    pthread_barrier_init(&shop->round_end, NULL, parties);
}

int main(int argc, char **argv)
{
    static Shop shop;
    static Worker worker[STATISTICS + 1 + MAX_CONSUMERS];
    pthread_t thread[STATISTICS + 1 + MAX_CONSUMERS];
    if (!fault_read(&shop.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    shop.consumers = shop.fault.size > 0 && shop.fault.size <= MAX_CONSUMERS ? shop.fault.size : 5;
    shop.rounds = shop.fault.steps > 0 ? shop.fault.steps : 6;
    shop.jobs = 6;
    open_shop(&shop);
    int threads = STATISTICS + 1 + shop.consumers;
    for (int i = 1; i < threads; i++) {
        worker[i].shop = &shop;
        worker[i].thread = i;
        if (pthread_create(&thread[i], NULL, i == STATISTICS ? run_statistics : run_worker, &worker[i]) != 0)
            return 1;
    }
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
