/*
 * A bank without MPI: one thread puts orders into a queue, tellers take them and move money between accounts that have
 * a lock each, an auditor adds everything up now and then. Which teller takes which order differs from run to run.
 *
 * Threads: 0 main, 1 the source of orders, 2 the auditor, 3... the tellers.
 */
#include "fault.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(missing_unlock)                                                                                                  \
    X(missing_lock)                                                                                                    \
    X(missing_signal)                                                                                                  \
    X(lock_order)                                                                                                      \
    X(crash)                                                                                                           \
    X(early_exit)                                                                                                      \
    X(endless) X(stuck) X(extra_call) X(skip_call) X(livelock) X(double_lock) X(abort) X(different_input) X(slow)
FAULT_TABLE(FAULTS)

enum { ACCOUNTS = 6, SLOTS = 8, MAX_TELLERS = 60, AUDITS = 12 };

typedef struct {
    int from, to, amount;
} Order;

typedef struct {
    Fault fault;
    int tellers, orders;
    pthread_mutex_t account_lock[ACCOUNTS], queue_lock;
    pthread_cond_t not_empty, not_full;
    long balance[ACCOUNTS];
    Order queue[SLOTS];
    int first, queued, closed;
} Bank;

typedef struct {
    Bank *bank;
    int thread, done;
} Worker;

/* The fault of this thread, in its Nth step. */
FAULT_INLINE int strikes(const Worker *worker, int id)
{
    return worker->bank->fault.id == id && worker->bank->fault.thread == worker->thread &&
           worker->bank->fault.at == worker->done;
}

static void put_order(Worker *worker, const Order *order)
{
    Bank *bank = worker->bank;
    pthread_mutex_lock(&bank->queue_lock);
    while (bank->queued == SLOTS)
        pthread_cond_wait(&bank->not_full, &bank->queue_lock);
    bank->queue[(bank->first + bank->queued++) % SLOTS] = *order;
    if (!strikes(worker, FAULT_missing_signal))
        pthread_cond_signal(&bank->not_empty);
    pthread_mutex_unlock(&bank->queue_lock);
}

static void close_queue(Worker *worker)
{
    Bank *bank = worker->bank;
    pthread_mutex_lock(&bank->queue_lock);
    bank->closed = 1;
    worker->done++;
    if (!strikes(worker, FAULT_missing_signal))
        pthread_cond_broadcast(&bank->not_empty);
    pthread_mutex_unlock(&bank->queue_lock);
}

static int take_order(Worker *worker, Order *order)
{
    Bank *bank = worker->bank;
    pthread_mutex_lock(&bank->queue_lock);
    while (bank->queued == 0 && !bank->closed)
        pthread_cond_wait(&bank->not_empty, &bank->queue_lock);
    int taken = bank->queued > 0;
    if (taken) {
        *order = bank->queue[bank->first];
        bank->first = (bank->first + 1) % SLOTS;
        bank->queued--;
        if (!strikes(worker, FAULT_missing_signal))
            pthread_cond_signal(&bank->not_full);
    }
    pthread_mutex_unlock(&bank->queue_lock);
    return taken;
}

static void make_order(int number, Order *order)
{
    order->from = number * 5 % ACCOUNTS;
    order->to = (order->from + 1 + number % (ACCOUNTS - 1)) % ACCOUNTS;
    order->amount = 1 + number % 9;
}

static void *run_source(void *data)
{
    Worker *worker = data;
    for (int number = 0; number < worker->bank->orders; number++) {
        Order order;
        worker->done = number + 1;
        make_order(number, &order);
        if (strikes(worker, FAULT_early_exit))
            return NULL;
        if (strikes(worker, FAULT_stuck))
            fault_hang();
        if (strikes(worker, FAULT_skip_call))
            continue;
        put_order(worker, &order);
    }
    close_queue(worker);
    return NULL;
}

/* Both locks, the lower account first. */
static void lock_accounts(Worker *worker, const Order *order)
{
    Bank *bank = worker->bank;
    int low = order->from < order->to ? order->from : order->to, high = order->from + order->to - low;
    if (bank->fault.id == FAULT_lock_order && bank->fault.thread == worker->thread && worker->done >= bank->fault.at) {
        pthread_mutex_lock(&bank->account_lock[high]);
        fault_delay(2);
        pthread_mutex_lock(&bank->account_lock[low]);
        return;
    }
    if (!strikes(worker, FAULT_missing_lock))
        pthread_mutex_lock(&bank->account_lock[low]);
    if (strikes(worker, FAULT_double_lock))
        pthread_mutex_lock(&bank->account_lock[low]);
    while (fault_pace(strikes(worker, FAULT_livelock)))
        if (pthread_mutex_trylock(&bank->account_lock[low]) != 0)
            sched_yield();
    pthread_mutex_lock(&bank->account_lock[high]);
}

static void unlock_accounts(Worker *worker, const Order *order)
{
    Bank *bank = worker->bank;
    int low = order->from < order->to ? order->from : order->to, high = order->from + order->to - low;
    pthread_mutex_unlock(&bank->account_lock[high]);
    if (!strikes(worker, FAULT_missing_lock) && !strikes(worker, FAULT_missing_unlock))
        pthread_mutex_unlock(&bank->account_lock[low]);
}

static void post_entry(Bank *bank, int account, int amount)
{
    bank->balance[account] += amount;
}

static void move_money(Worker *worker, const Order *order)
{
    Bank *bank = worker->bank;
    lock_accounts(worker, order);
    if (strikes(worker, FAULT_crash))
        fault_crash();
    if (strikes(worker, FAULT_abort))
        abort();
    do
        post_entry(bank, order->from, -order->amount);
    while (fault_pace(strikes(worker, FAULT_endless)));
    if (!strikes(worker, FAULT_skip_call))
        post_entry(bank, order->to, order->amount);
    if (strikes(worker, FAULT_extra_call))
        post_entry(bank, order->to, order->amount);
    unlock_accounts(worker, order);
}

static void note_fee(int *fees, int amount)
{
    *fees += amount / 8;
}

static void *run_teller(void *data)
{
    Worker *worker = data;
    Order order;
    int fees = 0;
    for (worker->done = 1; take_order(worker, &order); worker->done++) {
        if (strikes(worker, FAULT_early_exit))
            break;
        if (strikes(worker, FAULT_stuck))
            fault_hang();
        if (strikes(worker, FAULT_slow))
            fault_delay(100);
        move_money(worker, &order);
        for (int part = order.amount; part > 0; part -= 3)
            note_fee(&fees, part);
        fault_delay(1);
    }
    return NULL;
}

static long read_balance(Worker *worker, int account)
{
    Bank *bank = worker->bank;
    if (!strikes(worker, FAULT_missing_lock))
        pthread_mutex_lock(&bank->account_lock[account]);
    long balance = bank->balance[account];
    if (!strikes(worker, FAULT_missing_unlock) && !strikes(worker, FAULT_missing_lock))
        pthread_mutex_unlock(&bank->account_lock[account]);
    return balance;
}

static void *run_auditor(void *data)
{
    Worker *worker = data;
    long total = 0;
    int audits =
        worker->bank->fault.id == FAULT_different_input && worker->bank->fault.thread == 2 ? AUDITS + 3 : AUDITS;
    for (worker->done = 1; worker->done <= audits; worker->done++) {
        for (int account = 0; account < ACCOUNTS; account++)
            total += read_balance(worker, account);
        if (strikes(worker, FAULT_crash))
            fault_crash();
        fault_delay(1);
    }
    return total == 0 ? NULL : data;
}

static void open_bank(Bank *bank)
{
    pthread_mutex_init(&bank->queue_lock, NULL);
    pthread_cond_init(&bank->not_empty, NULL);
    pthread_cond_init(&bank->not_full, NULL);
    for (int account = 0; account < ACCOUNTS; account++)
        pthread_mutex_init(&bank->account_lock[account], NULL);
}

int main(int argc, char **argv)
{
    static Bank bank;
    static Worker worker[MAX_TELLERS + 3];
    pthread_t thread[MAX_TELLERS + 3];
    if (!fault_read(&bank.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    bank.tellers = bank.fault.size > 0 && bank.fault.size <= MAX_TELLERS ? bank.fault.size : 6;
    bank.orders = (bank.fault.steps > 0 ? bank.fault.steps : 20) * bank.tellers;
    open_bank(&bank);
    for (int i = 1; i < bank.tellers + 3; i++) {
        worker[i].bank = &bank;
        worker[i].thread = i;
        if (pthread_create(&thread[i], NULL, i == 1 ? run_source : i == 2 ? run_auditor : run_teller, &worker[i]) != 0)
            return 1;
    }
    for (int i = 1; i < bank.tellers + 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
