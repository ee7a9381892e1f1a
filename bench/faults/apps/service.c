/*
 * A service: clients ask rank 0, which hands their requests to the stores that have the keys; a store answers the
 * client and tells rank 0 that it is done. A store has few requests at a time: a client that comes too early is told
 * that the store is busy and tries again after a pause that grows. Nobody knows who comes next.
 *
 * Ranks: 0 the front, then the stores (a third of the others), then the clients.
 *
 *     service FAULT -- [--label=NAME] [--limit=N] [--trace] [--clock=FORMAT]
 *
 * In the end what the clients had acknowledged must be what the stores hold.
 */
#include "fault.h"
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAULTS(X)                                                                                                      \
    X(long_message)                                                                                                    \
    X(synchronous)                                                                                                     \
    X(extra_collective)                                                                                                \
    X(more_requests)                                                                                                   \
    X(no_pause)                                                                                                        \
    X(bad_amount)                                                                                                      \
    X(extra_draw)                                                                                                      \
    X(skip_request)                                                                                                    \
    X(early_bye)                                                                                                       \
    X(wrong_tag)                                                                                                       \
    X(twice)                                                                                                           \
    X(wrong_store)                                                                                                     \
    X(wrong_client)                                                                                                    \
    X(skip_done)                                                                                                       \
    X(skip_answer)                                                                                                     \
    X(skip_change) X(crash) X(kill) X(stuck) X(abort) X(too_long) X(early_stop) X(open_again) X(slow) X(double_answer)
FAULT_TABLE(FAULTS)

enum { REQUEST = 1, BUSY, WORK, ANSWER, DONE, BYE, STOP };
enum { NUMBER, CLIENT, KEY, AMOUNT, SPARE, FIELDS };
enum { POSTED = 3, KEYS_OF_STORE = 8, AT_A_TIME = 2, MAX_RANKS = 64, LARGEST = 9, SHORTEST_PAUSE = 20000, WORD = 96 };

typedef struct {
    const char *label, *clock;
    int trace;
} Options;

typedef struct {
    Fault fault;
    Options options;
    int ranks, stores, clients, requests, step;
    long acknowledged, held, fast, slow;
} Service;

typedef struct {
    int message[FIELDS + 1];
    MPI_Request request;
} Slot;

typedef struct {
    int at_work[MAX_RANKS], left;
    Slot slot[POSTED];
} Front;

typedef struct {
    int open[KEYS_OF_STORE];
    long value[KEYS_OF_STORE];
} Store;

FAULT_INLINE int strikes(const Service *service, int id)
{
    return fault_hits(&service->fault, id, service->step);
}

/* ---- options ---- */

static const char *value_of(const char *word, const char *key)
{
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 ? word + length : NULL;
}

static void read_options(Service *service, int count, char **words)
{
    Options *options = &service->options;
    for (int i = 0; i < count; i++) {
        const char *value;
        if (strcmp(words[i], "--trace") == 0)
            options->trace = 1;
        else if ((value = value_of(words[i], "--label=")) != NULL)
            options->label = value;
        else if ((value = value_of(words[i], "--clock=")) != NULL)
            options->clock = value;
        else if ((value = value_of(words[i], "--limit=")) != NULL)
            service->requests = atoi(value);
    }
    if (getenv("SERVICE_TRACE") != NULL)
        options->trace = strcmp(getenv("SERVICE_TRACE"), "on") == 0;
}

static void introduce(const Service *service, const char *role)
{
    const Options *options = &service->options;
    char text[WORD], moment[WORD] = "";
    time_t now = time(NULL);
    if (options->clock != NULL)
        strftime(moment, sizeof(moment), options->clock, localtime(&now));
    if (!options->trace)
        return;
    snprintf(text, sizeof(text), "%s %d", role, service->fault.own);
    fprintf(stderr, "%s %s%s%s starts\n", moment, text, options->label == NULL ? "" : " of ",
            options->label == NULL ? "" : options->label);
}

/* ---- messages ---- */

static void send_message(Service *service, const int *message, int to, int tag)
{
    int count = FIELDS;
    if (fault_mine(&service->fault, FAULT_long_message))
        count--; /* FAULT(long_message) */
    if (fault_mine(&service->fault, FAULT_synchronous))
        MPI_Ssend(message, count, MPI_INT, to, tag, MPI_COMM_WORLD); /* FAULT(synchronous) */
    else
        MPI_Send(message, count, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void refuse(const Service *service, const char *what, const int *message)
{
    fprintf(stderr, "rank %d: %s: request %d of %d, key %d, amount %d\n", service->fault.own, what, message[NUMBER],
            message[CLIENT], message[KEY], message[AMOUNT]);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

/* ---- the front ---- */

static void post_receive(Slot *slot)
{
    MPI_Irecv(slot->message, FIELDS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &slot->request);
}

static int store_of(const Service *service, int key)
{
    return 1 + key % service->stores;
}

static void hand_on(Service *service, Front *front, const int *message)
{
    int store = store_of(service, message[KEY]);
    if (front->at_work[store] == AT_A_TIME) {
        send_message(service, message, message[CLIENT], BUSY);
        return;
    }
    front->at_work[store]++;
    service->step++;
    if (strikes(service, FAULT_wrong_store))
        store = store % service->stores + 1; /* FAULT(wrong_store) */
    if (strikes(service, FAULT_stuck))
        fault_hang(); /* FAULT(stuck_front) */
    if (!strikes(service, FAULT_skip_request))
        send_message(service, message, store, WORK); /* FAULT(skip_work) */
}

static void serve_message(Service *service, Front *front, const int *message, const MPI_Status *status)
{
    if (status->MPI_TAG == REQUEST)
        hand_on(service, front, message);
    else if (status->MPI_TAG == DONE)
        front->at_work[status->MPI_SOURCE]--;
    else if (status->MPI_TAG == BYE)
        front->left--;
    else
        refuse(service, "unknown message", message);
}

static void stop_stores(Service *service, Front *front)
{
    int nothing[FIELDS] = {0};
    for (int store = 1; store <= service->stores; store++)
        send_message(service, nothing, store, STOP);
    for (int i = 0; i < POSTED; i++) {
        MPI_Cancel(&front->slot[i].request);
        MPI_Wait(&front->slot[i].request, MPI_STATUS_IGNORE);
    }
}

static int is_at_work(const Service *service, const Front *front)
{
    int sum = front->left;
    for (int store = 1; store <= service->stores; store++)
        sum += front->at_work[store];
    return sum > 0;
}

static void run_front(Service *service)
{
    static Front front;
    front.left = service->clients;
    for (int i = 0; i < POSTED; i++)
        post_receive(&front.slot[i]);
    while (is_at_work(service, &front)) {
        MPI_Request request[POSTED];
        MPI_Status status;
        int i;
        for (i = 0; i < POSTED; i++)
            request[i] = front.slot[i].request;
        MPI_Waitany(POSTED, request, &i, &status);
        serve_message(service, &front, front.slot[i].message, &status);
        post_receive(&front.slot[i]);
        if (strikes(service, FAULT_early_stop))
            break; /* FAULT(early_stop) */
    }
    stop_stores(service, &front);
}

/* ---- stores ---- */

/* A key is set up by the first who asks for it. */
static void open_key(Store *store, int slot)
{
    store->open[slot] = 1;
    store->value[slot] = 0;
}

static void change_value(Service *service, Store *store, const int *message)
{
    int slot = message[KEY] / service->stores;
    if (store_of(service, message[KEY]) != service->fault.own)
        refuse(service, "not my key", message);
    if (message[AMOUNT] < 0 || message[AMOUNT] > LARGEST)
        refuse(service, "not an amount", message);
    if (!store->open[slot] || strikes(service, FAULT_open_again))
        open_key(store, slot); /* FAULT(open_again) */
    store->value[slot] += message[AMOUNT];
}

static void answer_client(Service *service, const int *message)
{
    int client = message[CLIENT], last = service->ranks - 1;
    if (strikes(service, FAULT_wrong_client))
        client = client == last ? last - 1 : last; /* FAULT(wrong_client) */
    if (strikes(service, FAULT_too_long)) {
        int twice[2 * FIELDS] = {message[NUMBER]};
        MPI_Send(twice, 2 * FIELDS, MPI_INT, client, ANSWER, MPI_COMM_WORLD); /* FAULT(too_long) */
    } else if (!strikes(service, FAULT_skip_answer))
        send_message(service, message, client, ANSWER); /* FAULT(skip_answer) */
    if (strikes(service, FAULT_double_answer))
        send_message(service, message, client, ANSWER); /* FAULT(double_answer) */
}

static void do_work(Service *service, Store *store, const int *message)
{
    service->step++;
    if (strikes(service, FAULT_crash))
        fault_crash(); /* FAULT(crash) */
    if (strikes(service, FAULT_kill))
        fault_kill(); /* FAULT(kill) */
    if (strikes(service, FAULT_slow))
        fault_delay(200); /* FAULT(slow) */
    if (!strikes(service, FAULT_skip_change))
        change_value(service, store, message); /* FAULT(skip_change) */
    answer_client(service, message);
    if (!strikes(service, FAULT_skip_done))
        send_message(service, message, 0, DONE); /* FAULT(skip_done) */
}

static void run_store(Service *service)
{
    static Store store;
    int message[FIELDS];
    MPI_Status status;
    for (;;) {
        MPI_Recv(message, FIELDS, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            break;
        do_work(service, &store, message);
    }
    for (int slot = 0; slot < KEYS_OF_STORE; slot++)
        service->held += store.value[slot];
}

/* ---- clients ---- */

static int draw(unsigned *seed, int limit)
{
    *seed = *seed * 1103515245u + 12345u;
    return (int)(*seed >> 16) % limit;
}

static void pause_for(long nanoseconds)
{
    struct timespec pause = {0, nanoseconds};
    nanosleep(&pause, NULL);
}

static void note_fast(Service *service)
{
    service->fast++;
}

static void note_slow(Service *service)
{
    service->slow++;
}

/* 0 front says busy, 1 a store answers. */
static int wait_for_answer(int (*reply)[FIELDS], MPI_Request *request)
{
    int which, there = 0;
    while (!there) {
        MPI_Testany(2, request, &which, &there, MPI_STATUS_IGNORE);
        if (!there)
            sched_yield();
    }
    MPI_Irecv(reply[which], FIELDS, MPI_INT, which == 0 ? 0 : MPI_ANY_SOURCE, which == 0 ? BUSY : ANSWER,
              MPI_COMM_WORLD, &request[which]);
    return which;
}

static void send_request(Service *service, const int *message)
{
    int tag = REQUEST;
    if (strikes(service, FAULT_wrong_tag))
        tag = ANSWER; /* FAULT(wrong_tag) */
    if (!strikes(service, FAULT_skip_request))
        send_message(service, message, 0, tag); /* FAULT(skip_request) */
    if (strikes(service, FAULT_twice))
        send_message(service, message, 0, tag); /* FAULT(twice) */
}

static void ask(Service *service, const int *message, int (*reply)[FIELDS], MPI_Request *request)
{
    long pause = SHORTEST_PAUSE, start = (long)(MPI_Wtime() * 1e3);
    send_request(service, message);
    while (wait_for_answer(reply, request) == 0) {
        if (!fault_mine(&service->fault, FAULT_no_pause))
            pause_for(pause); /* FAULT(no_pause) */
        pause = 2 * pause;
        send_message(service, message, 0, REQUEST);
    }
    service->acknowledged += message[AMOUNT];
    if ((long)(MPI_Wtime() * 1e3) > start)
        note_slow(service);
    else
        note_fast(service);
}

static void make_request(Service *service, unsigned *seed, int *message)
{
    message[NUMBER] = service->step;
    message[CLIENT] = service->fault.own;
    message[KEY] = draw(seed, service->stores * KEYS_OF_STORE);
    if (strikes(service, FAULT_extra_draw))
        message[KEY] = draw(seed, service->stores * KEYS_OF_STORE); /* FAULT(extra_draw) */
    message[AMOUNT] = 1 + draw(seed, LARGEST);
    if (strikes(service, FAULT_bad_amount))
        message[AMOUNT] -= 20 + draw(seed, LARGEST); /* FAULT(bad_amount) */
}

static void run_client(Service *service)
{
    int message[FIELDS] = {0}, reply[2][FIELDS], last = service->requests;
    unsigned seed = 17u * (unsigned)service->fault.own;
    MPI_Request request[2];
    MPI_Irecv(reply[0], FIELDS, MPI_INT, 0, BUSY, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(reply[1], FIELDS, MPI_INT, MPI_ANY_SOURCE, ANSWER, MPI_COMM_WORLD, &request[1]);
    if (fault_mine(&service->fault, FAULT_more_requests))
        last += 3; /* FAULT(more_requests) */
    for (service->step = 1; service->step <= last; service->step++) {
        make_request(service, &seed, message);
        if (strikes(service, FAULT_crash))
            fault_crash(); /* FAULT(crash_client) */
        if (strikes(service, FAULT_abort))
            MPI_Abort(MPI_COMM_WORLD, 3); /* FAULT(abort) */
        if (strikes(service, FAULT_stuck))
            fault_hang(); /* FAULT(stuck_client) */
        if (strikes(service, FAULT_early_bye))
            break; /* FAULT(early_bye) */
        ask(service, message, reply, request);
    }
    send_message(service, message, 0, BYE);
    for (int i = 0; i < 2; i++) {
        MPI_Cancel(&request[i]);
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    }
}

/* ---- the whole ---- */

static void run_role(Service *service)
{
    int own = service->fault.own;
    introduce(service, own == 0 ? "front" : own <= service->stores ? "store" : "client");
    if (own == 0)
        run_front(service);
    else if (own <= service->stores)
        run_store(service);
    else
        run_client(service);
}

static void check(Service *service)
{
    long own[2] = {service->acknowledged, service->held}, all[2] = {0, 0};
    if (fault_mine(&service->fault, FAULT_extra_collective))
        MPI_Barrier(MPI_COMM_WORLD); /* FAULT(extra_collective) */
    MPI_Reduce(own, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (service->fault.own == 0)
        puts(all[0] == all[1] ? "right" : "wrong");
}

int main(int argc, char **argv)
{
    static Service service;
    if (!fault_read(&service.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &service.fault.own);
    MPI_Comm_size(MPI_COMM_WORLD, &service.ranks);
    service.stores = (service.ranks - 1) / 3;
    service.clients = service.ranks - 1 - service.stores;
    service.requests = 12;
    read_options(&service, argc - service.fault.rest, argv + service.fault.rest);
    if (service.stores < 1 || service.ranks > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    run_role(&service);
    check(&service);
    MPI_Finalize();
    return 0;
}
