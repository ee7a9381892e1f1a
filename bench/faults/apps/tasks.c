/*
 * Tasks for a crew of threads, without MPI: main puts spans of numbers into a queue, the workers count their primes and
 * add them up by the last digit, in buckets with a lock each. Whoever finds a bucket taken tries again after a pause
 * that grows. The first to need it makes the table of small primes. A monitor looks in now and then.
 *
 * Threads: 0 main, 1 the monitor, 2... the workers. In the end main counts the primes in another way.
 */
#include "fault.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAULTS(X)                                                                                                      \
    X(pairs)                                                                                                           \
    X(single_adds)                                                                                                     \
    X(short_loop)                                                                                                      \
    X(no_clock)                                                                                                        \
    X(wait_for_lock)                                                                                                   \
    X(extra_lock)                                                                                                      \
    X(skip_task)                                                                                                       \
    X(task_twice)                                                                                                      \
    X(keep_bucket)                                                                                                     \
    X(keep_queue)                                                                                                      \
    X(missing_signal)                                                                                                  \
    X(early_join)                                                                                                      \
    X(early_exit)                                                                                                      \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(bad_task)                                                                                                        \
    X(table_again) X(stuck) X(missing_lock) X(wrong_bucket) X(slow) X(skip_table) X(double_lock) X(livelock)
FAULT_TABLE(FAULTS)

enum { SLOTS = 16, BUCKETS = 10, MAX_WORKERS = 16, FIRST_WORKER = 2, SPAN = 60, ROOT = 128, BATCH = 2, NAME = 32 };
enum { SHORTEST_PAUSE = 20000, LONG_PAUSE = 2000000, LONGEST_PAUSE = 10000000, TICK = 2000 };

typedef struct {
    int first, count;
} Task;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, all_done;
    Task slot[SLOTS];
    int head, queued, unfinished, closed;
} Queue;

typedef struct {
    pthread_mutex_t lock;
    long primes;
} Bucket;

typedef struct {
    Fault fault;
    int workers, rounds, round, verbose;
    const char *label;
    Queue queue;
    Bucket bucket[BUCKETS];
    pthread_mutex_t statistics;
    pthread_once_t table_once;
    long fast, timed;
} Crew;

typedef struct {
    Crew *crew;
    int thread, done;
    char name[NAME];
} Member;

static int small_prime[ROOT], small_primes;

/* The fault of this thread, in its Nth task (or in main's Nth round). */
FAULT_INLINE int has(const Member *member, int id)
{
    return member->crew->fault.id == id && fault_is_meant(member->crew->fault.thread, member->thread);
}

FAULT_INLINE int strikes(const Member *member, int id)
{
    return has(member, id) && member->crew->fault.at == member->done;
}

/* ---- the queue ---- */

static void put_task(Crew *crew, const Task *task)
{
    Queue *queue = &crew->queue;
    pthread_mutex_lock(&queue->lock);
    queue->slot[(queue->head + queue->queued++) % SLOTS] = *task;
    queue->unfinished++;
    pthread_mutex_unlock(&queue->lock);
}

/* As many tasks as are wanted, if they are there: 0 when the queue has been closed. */
static int take_tasks(Member *member, Task *task, int wanted)
{
    Queue *queue = &member->crew->queue;
    int taken = 0;
    pthread_mutex_lock(&queue->lock);
    while (queue->queued == 0 && !queue->closed)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    for (; taken < wanted && queue->queued > 0; queue->queued--) {
        task[taken++] = queue->slot[queue->head];
        queue->head = (queue->head + 1) % SLOTS;
    }
    pthread_mutex_unlock(&queue->lock);
    return taken;
}

static void finish_task(Member *member)
{
    Queue *queue = &member->crew->queue;
    pthread_mutex_lock(&queue->lock);
    if (strikes(member, FAULT_double_lock))
        pthread_mutex_lock(&queue->lock); /* FAULT(double_lock) */
    if (--queue->unfinished == 0)
        pthread_cond_signal(&queue->all_done);
    if (!strikes(member, FAULT_keep_queue))
        pthread_mutex_unlock(&queue->lock); /* FAULT(keep_queue) */
}

static void close_queue(Queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- the work ---- */

static void make_table(void)
{
    small_primes = 0;
    for (int number = 2; number < ROOT; number++) {
        int divisor = 2;
        while (divisor < number && number % divisor != 0)
            divisor++;
        if (divisor == number)
            small_prime[small_primes++] = number;
    }
}

static int is_prime(int number)
{
    for (int i = 0; i < small_primes && small_prime[i] * small_prime[i] <= number; i++)
        if (number % small_prime[i] == 0)
            return 0;
    return number > 1;
}

static void pause_for(long nanoseconds)
{
    struct timespec pause = {0, nanoseconds};
    nanosleep(&pause, NULL);
}

static void lock_bucket(Member *member, Bucket *bucket)
{
    if (has(member, FAULT_wait_for_lock)) {
        pthread_mutex_lock(&bucket->lock); /* FAULT(wait_for_lock) */
        return;
    }
    for (long pause = SHORTEST_PAUSE; pthread_mutex_trylock(&bucket->lock) == EBUSY;
         pause = pause < LONGEST_PAUSE ? 2 * pause : pause)
        pause_for(pause);
}

static void add_to_bucket(Member *member, int digit, long primes)
{
    if (strikes(member, FAULT_wrong_bucket))
        digit = (digit + 2) % BUCKETS; /* FAULT(wrong_bucket) */
    Bucket *bucket = &member->crew->bucket[digit];
    int locked = !strikes(member, FAULT_missing_lock);
    if (locked)
        lock_bucket(member, bucket); /* FAULT(missing_lock) */
    bucket->primes += primes;
    if (locked && !strikes(member, FAULT_keep_bucket))
        pthread_mutex_unlock(&bucket->lock); /* FAULT(keep_bucket) */
}

static void refuse_task(const Member *member, const Task *task)
{
    fprintf(stderr, "%s: a task of %d numbers from %d\n", member->name, task->count, task->first);
    abort();
}

static void count_primes(Member *member, const Task *task)
{
    long found[BUCKETS] = {0};
    int last = task->first + task->count - 1;
    if (has(member, FAULT_short_loop))
        last -= 2; /* FAULT(short_loop) */
    for (int number = task->first; number <= last; number++) {
        if (!is_prime(number))
            continue;
        if (has(member, FAULT_single_adds))
            add_to_bucket(member, number % BUCKETS, 1); /* FAULT(single_adds) */
        else
            found[number % BUCKETS]++;
    }
    if (strikes(member, FAULT_crash))
        fault_crash(); /* FAULT(crash) */
    for (int digit = 0; digit < BUCKETS; digit++)
        if (found[digit] > 0)
            add_to_bucket(member, digit, found[digit]);
}

static long microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void note_time(Member *member, long spent)
{
    Crew *crew = member->crew;
    pthread_mutex_lock(&crew->statistics);
    crew->timed += spent;
    pthread_mutex_unlock(&crew->statistics);
}

static void note_fast(Member *member)
{
    __atomic_add_fetch(&member->crew->fast, 1, __ATOMIC_RELAXED);
}

static void do_task(Member *member, const Task *task)
{
    int timed = !has(member, FAULT_no_clock);
    long start = timed ? microseconds() : 0; /* FAULT(no_clock) */
    if (task->count < 0)
        refuse_task(member, task);
    if (!strikes(member, FAULT_skip_table))
        pthread_once(&member->crew->table_once, make_table); /* FAULT(skip_table) */
    if (strikes(member, FAULT_table_again))
        make_table(); /* FAULT(table_again) */
    if (strikes(member, FAULT_slow))
        fault_delay(60); /* FAULT(slow) */
    fault_delay(1);
    count_primes(member, task);
    if (strikes(member, FAULT_abort))
        abort(); /* FAULT(abort) */
    long spent = timed ? (microseconds() - start) / TICK : 0;
    if (spent > 0)
        note_time(member, spent);
    else if (timed)
        note_fast(member);
}

static void introduce(Member *member)
{
    const Crew *crew = member->crew;
    snprintf(member->name, sizeof(member->name), "thread %d", member->thread);
    if (crew->label != NULL) {
        strncat(member->name, " of ", sizeof(member->name) - strlen(member->name) - 1);
        strncat(member->name, crew->label, sizeof(member->name) - strlen(member->name) - 1);
    }
    if (crew->verbose)
        fprintf(stderr, "%s starts\n", member->name);
}

static void *run_worker(void *data)
{
    Member *member = data;
    Task task[BATCH];
    int wanted = 1;
    introduce(member);
    if (has(member, FAULT_pairs))
        wanted = BATCH; /* FAULT(pairs) */
    for (int taken; (taken = take_tasks(member, task, wanted)) > 0;)
        for (int i = 0; i < taken; i++) {
            member->done++;
            if (strikes(member, FAULT_early_exit))
                return NULL; /* FAULT(early_exit) */
            if (strikes(member, FAULT_stuck))
                fault_hang(); /* FAULT(stuck) */
            if (!strikes(member, FAULT_skip_task))
                do_task(member, &task[i]); /* FAULT(skip_task) */
            if (strikes(member, FAULT_task_twice))
                do_task(member, &task[i]); /* FAULT(task_twice) */
            if (has(member, FAULT_extra_lock))
                note_time(member, 0); /* FAULT(extra_lock) */
            finish_task(member);
        }
    return NULL;
}

/* ---- monitor and main ---- */

static int is_closed(Queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    int closed = queue->closed;
    pthread_mutex_unlock(&queue->lock);
    return closed;
}

static void *run_monitor(void *data)
{
    Member *member = data;
    introduce(member);
    for (member->done = 1; !is_closed(&member->crew->queue); member->done++) {
        if (strikes(member, FAULT_stuck))
            fault_hang(); /* FAULT(stuck_monitor) */
        while (fault_pace(strikes(member, FAULT_livelock)))
            is_closed(&member->crew->queue); /* FAULT(livelock) */
        pause_for(LONG_PAUSE);
    }
    return NULL;
}

static Task make_task(Member *member, int number)
{
    Task task = {2 + number * SPAN, SPAN};
    if (strikes(member, FAULT_bad_task) && number % SLOTS == 5)
        task.count = -abs(task.first - SPAN); /* FAULT(bad_task) */
    return task;
}

static void wait_for_round(Member *member)
{
    Queue *queue = &member->crew->queue;
    pthread_mutex_lock(&queue->lock);
    if (!strikes(member, FAULT_missing_signal))
        pthread_cond_broadcast(&queue->not_empty); /* FAULT(missing_signal) */
    while (queue->unfinished > 0)
        pthread_cond_wait(&queue->all_done, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

static void run_rounds(Member *member, pthread_t *thread)
{
    for (member->done = 1; member->done <= member->crew->rounds; member->done++) {
        pause_for(LONG_PAUSE); /* as tasks come in bursts */
        for (int i = 0; i < SLOTS; i++) {
            Task task = make_task(member, (member->done - 1) * SLOTS + i);
            put_task(member->crew, &task);
        }
        wait_for_round(member);
        if (strikes(member, FAULT_early_join))
            pthread_join(thread[FIRST_WORKER], NULL); /* FAULT(early_join) */
    }
    close_queue(&member->crew->queue);
}

/* By the sieve of Eratosthenes. */
static int is_right(const Crew *crew)
{
    int last = 1 + crew->rounds * SLOTS * SPAN;
    char *composite = calloc((size_t)last + 1, 1);
    long primes[BUCKETS] = {0}, wrong = 0;
    for (int number = 2; number <= last; number++) {
        primes[number % BUCKETS] += !composite[number];
        for (int multiple = 2 * number; !composite[number] && multiple <= last; multiple += number)
            composite[multiple] = 1;
    }
    free(composite);
    for (int digit = 0; digit < BUCKETS; digit++)
        wrong += primes[digit] != crew->bucket[digit].primes;
    return wrong == 0;
}

static void read_options(Crew *crew, int count, char **words)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "--verbose") == 0)
            crew->verbose = 1;
        else if (strncmp(words[i], "--label=", 8) == 0)
            crew->label = words[i] + 8;
    if (crew->label == NULL)
        crew->label = getenv("TASKS_LABEL");
}

static void open_crew(Crew *crew)
{
    crew->workers = crew->fault.size > 0 && crew->fault.size <= MAX_WORKERS ? crew->fault.size : 4;
    crew->rounds = crew->fault.steps > 0 ? crew->fault.steps : 5;
    crew->table_once = PTHREAD_ONCE_INIT;
    pthread_mutex_init(&crew->queue.lock, NULL);
    pthread_cond_init(&crew->queue.not_empty, NULL);
    pthread_cond_init(&crew->queue.all_done, NULL);
    pthread_mutex_init(&crew->statistics, NULL);
    for (int digit = 0; digit < BUCKETS; digit++)
        pthread_mutex_init(&crew->bucket[digit].lock, NULL);
}

int main(int argc, char **argv)
{
    static Crew crew;
    static Member member[FIRST_WORKER + MAX_WORKERS];
    pthread_t thread[FIRST_WORKER + MAX_WORKERS];
    if (!fault_read(&crew.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    read_options(&crew, argc - crew.fault.rest, argv + crew.fault.rest);
    open_crew(&crew);
    int members = FIRST_WORKER + crew.workers;
    for (int i = 0; i < members; i++) {
        member[i].crew = &crew;
        member[i].thread = i;
        if (i > 0 && pthread_create(&thread[i], NULL, i < FIRST_WORKER ? run_monitor : run_worker, &member[i]) != 0)
            return 1;
    }
    run_rounds(&member[0], thread);
    for (int i = 1; i < members; i++)
        pthread_join(thread[i], NULL);
    if (crew.verbose)
        printf("%ld fast tasks, %ld ticks for others\n", crew.fast, crew.timed);
    puts(is_right(&crew) ? "right" : "wrong");
    return 0;
}
