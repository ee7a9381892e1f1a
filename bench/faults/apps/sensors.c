/*
 * Stations with sensors: in each rank, two threads read sensors and put what they read into an outbox; a thread that
 * polls MPI posts it to the station that keeps its key, and posts it again if nothing is heard of it for a while or the
 * other's inbox is full; the main thread takes readings from the inbox and adds them to a table. Now and then a sensor
 * is calibrated by the table. When a station's readings have all been acknowledged, it tells everybody.
 *
 *     sensors FAULT -- [station=NAME] [log=LEVEL] [stamp=FORMAT]
 *
 * Threads of a rank: 0 main, 1 the post, 2 and 3 the sensors. SENSORS_LOG=LEVEL is as log=LEVEL. In the end the tables'
 * sums are compared with what the sensors read.
 */
#include "fault.h"
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAULTS(X)                                                                                                      \
    X(keep_outbox)                                                                                                     \
    X(keep_table)                                                                                                      \
    X(lock_order)                                                                                                      \
    X(double_lock)                                                                                                     \
    X(missing_lock)                                                                                                    \
    X(skip_wake)                                                                                                       \
    X(skip_post)                                                                                                       \
    X(skip_finished)                                                                                                   \
    X(skip_sum)                                                                                                        \
    X(no_more_acks)                                                                                                    \
    X(wrong_owner)                                                                                                     \
    X(wrong_tag)                                                                                                       \
    X(wrong_root)                                                                                                      \
    X(wrong_lock)                                                                                                      \
    X(long_count)                                                                                                      \
    X(bad_value)                                                                                                       \
    X(double_post)                                                                                                     \
    X(early_exit)                                                                                                      \
    X(early_join)                                                                                                      \
    X(extra_barrier)                                                                                                   \
    X(crash)                                                                                                           \
    X(stuck)                                                                                                           \
    X(abort)                                                                                                           \
    X(kill)                                                                                                            \
    X(one_at_a_time) X(synchronous) X(more_readings) X(skip_calibration) X(extra_statistics) X(hasty)
FAULT_TABLE(FAULTS)

enum { MAIN, POST, FIRST_SENSOR, SENSORS = 2, MEMBERS = FIRST_SENSOR + SENSORS };
enum { READING = 1, ACKNOWLEDGED, BUSY, FINISHED, UNKNOWN };
enum { NUMBER, SOURCE, KEY, VALUE, FIELDS };
enum {
    MAX_RANKS = 32,
    MAX_READINGS = 256,
    OUTBOX = 4,
    INBOX = 6,
    WINDOW = 3,
    KEYS = 40,
    CALIBRATE_EVERY = 5,
    WORD = 64
};
enum { SHORT_PAUSE = 100000, LONG_PAUSE = 1600000, TICK = 20000000, LOG_EVERY = 16 };
static const double patience = 0.4, back_off = 0.001;

typedef struct {
    int field[FIELDS];
} Parcel;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Parcel *slot;
    int capacity, head, filled, closed;
} Box;

/* A reading that has been posted and not yet acknowledged. */
typedef struct {
    Parcel parcel;
    int busy, tries, letter[2 * FIELDS];
    double again;
    MPI_Request request;
} Flight;

typedef struct {
    Fault fault;
    int ranks, readings, log, sensors_left;
    const char *name, *stamp;
    Box outbox, inbox;
    pthread_mutex_t table_lock, statistics_lock;
    long table[KEYS], seen_values, read_values, pauses, calibrations;
    Flight flight[WINDOW];
    char arrived[MAX_RANKS][MAX_READINGS];
} Station;

typedef struct {
    Station *station;
    int thread, done;
    pthread_t id;
} Member;

/* The fault of this thread, in what it does for the Nth time. */
FAULT_INLINE int has(const Member *member, int id)
{
    const Fault *fault = &member->station->fault;
    return fault_mine(fault, id) && fault_is_meant(fault->thread, member->thread);
}

FAULT_INLINE int strikes(const Member *member, int id)
{
    return has(member, id) && member->station->fault.at == member->done;
}

static void pause_for(long nanoseconds)
{
    struct timespec pause = {0, nanoseconds};
    nanosleep(&pause, NULL);
}

/* ---- settings and log ---- */

static void read_settings(Station *station, int count, char **words)
{
    const char *level = getenv("SENSORS_LOG");
    for (int i = 0; i < count; i++) {
        char *value = strchr(words[i], '=');
        if (value == NULL)
            MPI_Abort(MPI_COMM_WORLD, 2);
        else if (strncmp(words[i], "station", 7) == 0)
            station->name = value + 1;
        else if (strncmp(words[i], "stamp", 5) == 0)
            station->stamp = value + 1;
        else if (strncmp(words[i], "log", 3) == 0)
            level = value + 1;
    }
    station->log = level == NULL ? 0 : atoi(level);
}

static void log_line(const Station *station, const char *what, int number)
{
    char moment[WORD] = "";
    if (station->stamp != NULL) {
        time_t now = time(NULL);
        struct tm parts;
        strftime(moment, sizeof(moment), station->stamp, localtime_r(&now, &parts));
    }
    fprintf(stderr, "%s %s %d: %s %d\n", moment, station->name == NULL ? "station" : station->name, station->fault.own,
            what, number);
}

static void refuse(const Station *station, const char *what, int number)
{
    log_line(station, what, number);
    MPI_Abort(MPI_COMM_WORLD, 6);
}

/* ---- boxes ---- */

static void open_box(Box *box, int capacity)
{
    pthread_mutex_init(&box->lock, NULL);
    pthread_cond_init(&box->changed, NULL);
    box->slot = calloc((size_t)capacity, sizeof(Parcel));
    box->capacity = capacity;
}

static void close_box(Box *box)
{
    pthread_mutex_lock(&box->lock);
    box->closed = 1;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

static void store_parcel(Box *box, const Parcel *parcel)
{
    box->slot[(box->head + box->filled++) % box->capacity] = *parcel;
}

static Parcel remove_parcel(Box *box)
{
    Parcel parcel = box->slot[box->head];
    box->head = (box->head + 1) % box->capacity;
    box->filled--;
    return parcel;
}

/* ---- sensors ---- */

static int draw(unsigned *seed, int limit)
{
    *seed = *seed * 1103515245u + 12345u;
    return (int)(*seed >> 16) % limit;
}

static int owner_of(const Station *station, int key)
{
    return (key * 7 + 3) % station->ranks;
}

static void put_outbox(Member *member, const Parcel *parcel)
{
    Station *station = member->station;
    Box *box = &station->outbox;
    pthread_mutex_t *lock = &box->lock;
    if (strikes(member, FAULT_wrong_lock))
        lock = &station->statistics_lock; /* FAULT(wrong_lock) */
    pthread_mutex_lock(lock);
    while (box->filled == box->capacity && lock == &box->lock)
        pthread_cond_wait(&box->changed, &box->lock);
    store_parcel(box, parcel);
    if (!strikes(member, FAULT_keep_outbox))
        pthread_mutex_unlock(lock); /* FAULT(keep_outbox) */
}

/* The mean of the table says how far off a sensor is. */
static void calibrate(Member *member, int *offset)
{
    Station *station = member->station;
    long sum = 0;
    if (strikes(member, FAULT_lock_order)) {
        pthread_mutex_lock(&station->statistics_lock); /* FAULT(lock_order) */
        fault_delay(150);
        pthread_mutex_lock(&station->table_lock);
        pthread_mutex_unlock(&station->statistics_lock);
    } else if (!strikes(member, FAULT_missing_lock))
        pthread_mutex_lock(&station->table_lock); /* FAULT(missing_lock) */
    if (strikes(member, FAULT_double_lock))
        pthread_mutex_lock(&station->table_lock); /* FAULT(double_lock) */
    for (int key = 0; key < KEYS; key++)
        sum += station->table[key];
    *offset = (int)(sum % 2);
    if (!strikes(member, FAULT_missing_lock))
        pthread_mutex_unlock(&station->table_lock);
}

static void note_calibration(Station *station)
{
    pthread_mutex_lock(&station->statistics_lock);
    station->calibrations++;
    pthread_mutex_unlock(&station->statistics_lock);
}

static int read_sensor(Member *member, unsigned *seed, int offset)
{
    int value = 1 + offset + draw(seed, 50);
    if (strikes(member, FAULT_bad_value))
        value -= 1000; /* FAULT(bad_value) */
    if (strikes(member, FAULT_crash))
        fault_crash(); /* FAULT(crash) */
    return value;
}

static void end_sensor(Member *member, long sum)
{
    Station *station = member->station;
    pthread_mutex_lock(&station->outbox.lock);
    station->read_values += sum;
    station->sensors_left--;
    pthread_mutex_unlock(&station->outbox.lock);
}

static void *run_sensor(void *data)
{
    Member *member = data;
    Station *station = member->station;
    unsigned seed = (unsigned)(31 * station->fault.own + member->thread);
    int last = station->readings, offset = 0;
    long sum = 0;
    if (has(member, FAULT_more_readings))
        last += 4; /* FAULT(more_readings) */
    for (member->done = 1; member->done <= last; member->done++) {
        int number = SENSORS * (member->done - 1) + member->thread - FIRST_SENSOR;
        if (strikes(member, FAULT_early_exit))
            return NULL; /* FAULT(early_exit) */
        if (strikes(member, FAULT_stuck))
            fault_hang(); /* FAULT(stuck_sensor) */
        Parcel parcel = {{number, station->fault.own, draw(&seed, KEYS), read_sensor(member, &seed, offset)}};
        sum += parcel.field[VALUE];
        put_outbox(member, &parcel);
        if (has(member, FAULT_extra_statistics))
            note_calibration(station); /* FAULT(extra_statistics) */
        if (member->done % CALIBRATE_EVERY == 0 && !has(member, FAULT_skip_calibration))
            calibrate(member, &offset); /* FAULT(skip_calibration) */
        pause_for(SHORT_PAUSE);
    }
    end_sensor(member, sum);
    return NULL;
}

/* ---- the post: what leaves ---- */

static int take_outbox(Member *member, Parcel *parcel)
{
    Box *box = &member->station->outbox;
    pthread_mutex_lock(&box->lock);
    int taken = box->filled > 0;
    if (taken) {
        *parcel = remove_parcel(box);
        if (!has(member, FAULT_skip_wake))
            pthread_cond_broadcast(&box->changed); /* FAULT(skip_wake) */
    }
    pthread_mutex_unlock(&box->lock);
    return taken;
}

static void post_parcel(Member *member, Flight *flight)
{
    Station *station = member->station;
    int to = owner_of(station, flight->parcel.field[KEY]), tag = READING, count = FIELDS;
    if (strikes(member, FAULT_wrong_owner))
        to = (to + 1) % station->ranks; /* FAULT(wrong_owner) */
    if (strikes(member, FAULT_wrong_tag))
        tag = UNKNOWN; /* FAULT(wrong_tag) */
    int *letter = flight->letter;
    memcpy(letter, flight->parcel.field, sizeof(flight->parcel));
    if (strikes(member, FAULT_long_count))
        count = 2 * FIELDS; /* FAULT(long_count) */
    if (has(member, FAULT_synchronous))
        MPI_Issend(letter, count, MPI_INT, to, tag, MPI_COMM_WORLD, &flight->request); /* FAULT(synchronous) */
    else if (!strikes(member, FAULT_skip_post))
        MPI_Isend(letter, count, MPI_INT, to, tag, MPI_COMM_WORLD, &flight->request); /* FAULT(skip_post) */
    if (strikes(member, FAULT_double_post))
        MPI_Send(letter, count, MPI_INT, to, tag, MPI_COMM_WORLD); /* FAULT(double_post) */
}

static int post_new(Member *member)
{
    Station *station = member->station;
    int window = WINDOW, posted = 0;
    double limit = patience;
    if (has(member, FAULT_hasty))
        limit = 0; /* FAULT(hasty) */
    if (has(member, FAULT_one_at_a_time))
        window = 1; /* FAULT(one_at_a_time) */
    for (int i = 0; i < window; i++) {
        Flight *flight = &station->flight[i];
        if (flight->busy || !take_outbox(member, &flight->parcel))
            continue;
        member->done++;
        if (strikes(member, FAULT_stuck))
            fault_hang(); /* FAULT(stuck_post) */
        flight->busy = 1;
        flight->tries = 1;
        flight->again = MPI_Wtime() + limit;
        flight->request = MPI_REQUEST_NULL;
        post_parcel(member, flight);
        posted++;
    }
    return posted;
}

static void post_again(Member *member)
{
    for (int i = 0; i < WINDOW; i++) {
        Flight *flight = &member->station->flight[i];
        if (!flight->busy || MPI_Wtime() < flight->again)
            continue;
        flight->again = MPI_Wtime() + patience;
        flight->tries++;
        MPI_Send(flight->parcel.field, FIELDS, MPI_INT, owner_of(member->station, flight->parcel.field[KEY]), READING,
                 MPI_COMM_WORLD);
    }
}

static Flight *find_flight(Station *station, int number)
{
    for (int i = 0; i < WINDOW; i++)
        if (station->flight[i].busy && station->flight[i].parcel.field[NUMBER] == number)
            return &station->flight[i];
    return NULL;
}

/* ---- the post: what comes ---- */

static int put_inbox(Station *station, const Parcel *parcel)
{
    Box *box = &station->inbox;
    pthread_mutex_lock(&box->lock);
    int room = box->filled < box->capacity;
    if (room) {
        store_parcel(box, parcel);
        pthread_cond_signal(&box->changed);
    }
    pthread_mutex_unlock(&box->lock);
    return room;
}

static void accept_reading(Member *member, Parcel *parcel)
{
    Station *station = member->station;
    int *field = parcel->field, answer = ACKNOWLEDGED;
    if (owner_of(station, field[KEY]) != station->fault.own)
        refuse(station, "not my key:", field[KEY]);
    char *arrived = &station->arrived[field[SOURCE]][field[NUMBER]];
    if (!*arrived && put_inbox(station, parcel))
        *arrived = 1;
    else if (!*arrived)
        answer = BUSY;
    if (!(has(member, FAULT_no_more_acks) && member->done >= station->fault.at))
        MPI_Send(field, FIELDS, MPI_INT, field[SOURCE], answer, MPI_COMM_WORLD); /* FAULT(no_more_acks) */
}

static void close_flight(Station *station, const Parcel *parcel)
{
    Flight *flight = find_flight(station, parcel->field[NUMBER]);
    if (flight == NULL)
        return;
    flight->busy = 0;
    MPI_Wait(&flight->request, MPI_STATUS_IGNORE);
}

static void delay_flight(Station *station, const Parcel *parcel)
{
    Flight *flight = find_flight(station, parcel->field[NUMBER]);
    if (flight != NULL)
        flight->again = MPI_Wtime() + back_off * flight->tries;
}

/* 1: there was a message. */
static int receive(Member *member, int *finished)
{
    Parcel parcel;
    MPI_Status status;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return 0;
    MPI_Recv(parcel.field, FIELDS, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    switch (status.MPI_TAG) {
    case READING:
        accept_reading(member, &parcel);
        break;
    case ACKNOWLEDGED:
        close_flight(member->station, &parcel);
        break;
    case BUSY:
        delay_flight(member->station, &parcel);
        break;
    case FINISHED:
        ++*finished;
        break;
    default:
        refuse(member->station, "a message of a kind unknown:", status.MPI_TAG);
    }
    return 1;
}

static int is_finished(Station *station)
{
    for (int i = 0; i < WINDOW; i++)
        if (station->flight[i].busy)
            return 0;
    pthread_mutex_lock(&station->outbox.lock);
    int finished = station->sensors_left == 0 && station->outbox.filled == 0;
    pthread_mutex_unlock(&station->outbox.lock);
    return finished;
}

static void tell_finished(Member *member)
{
    Station *station = member->station;
    int nothing[FIELDS] = {0};
    for (int i = 0; i < station->ranks; i++) {
        int to = (station->fault.own + i) % station->ranks;
        if (!(has(member, FAULT_skip_finished) && i == 1))
            MPI_Send(nothing, FIELDS, MPI_INT, to, FINISHED, MPI_COMM_WORLD); /* FAULT(skip_finished) */
    }
}

static void *run_post(void *data)
{
    Member *member = data;
    Station *station = member->station;
    long pause = SHORT_PAUSE;
    for (int finished = 0, told = 0; finished < station->ranks;) {
        int moved = post_new(member);
        post_again(member);
        moved += receive(member, &finished);
        if (!told && is_finished(station)) {
            tell_finished(member);
            told = 1;
        }
        if (strikes(member, FAULT_kill))
            fault_kill(); /* FAULT(kill) */
        if (moved > 0) {
            pause = SHORT_PAUSE;
            continue;
        }
        pause_for(pause);
        pause = pause < LONG_PAUSE ? 2 * pause : pause;
    }
    close_box(&station->inbox);
    return NULL;
}

/* ---- the main thread ---- */

static void note_idle(Station *station)
{
    pthread_mutex_lock(&station->statistics_lock);
    station->pauses++;
    pthread_mutex_unlock(&station->statistics_lock);
}

/* 0 when the box has been closed and is empty. */
static int take_inbox(Station *station, Parcel *parcel)
{
    Box *box = &station->inbox;
    pthread_mutex_lock(&box->lock);
    while (box->filled == 0 && !box->closed) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&box->changed, &box->lock, &until) == ETIMEDOUT)
            note_idle(station);
    }
    int taken = box->filled > 0;
    if (taken)
        *parcel = remove_parcel(box);
    pthread_mutex_unlock(&box->lock);
    return taken;
}

static void add_reading(Member *member, const Parcel *parcel)
{
    Station *station = member->station;
    const int *field = parcel->field;
    if (field[VALUE] <= 0)
        refuse(station, "not a value:", field[VALUE]);
    pthread_mutex_lock(&station->table_lock);
    station->table[field[KEY]] += field[VALUE];
    pthread_mutex_lock(&station->statistics_lock);
    station->seen_values++;
    pthread_mutex_unlock(&station->statistics_lock);
    if (!strikes(member, FAULT_keep_table))
        pthread_mutex_unlock(&station->table_lock); /* FAULT(keep_table) */
}

static void keep_table(Member *members)
{
    Member *member = &members[MAIN];
    Station *station = member->station;
    Parcel parcel;
    while (take_inbox(station, &parcel)) {
        member->done++;
        if (strikes(member, FAULT_abort))
            MPI_Abort(MPI_COMM_WORLD, 4); /* FAULT(abort) */
        if (strikes(member, FAULT_early_join))
            pthread_join(members[POST].id, NULL); /* FAULT(early_join) */
        add_reading(member, &parcel);
        if (station->log > 0 && member->done % LOG_EVERY == 0)
            log_line(station, "readings:", member->done);
    }
}

static void start_threads(Station *station, Member *members)
{
    for (int i = 0; i < MEMBERS; i++) {
        members[i].station = station;
        members[i].thread = i;
        if (i != MAIN && pthread_create(&members[i].id, NULL, i == POST ? run_post : run_sensor, &members[i]) != 0)
            refuse(station, "no thread", i);
    }
}

/* Rank 0 compares what all have read with what all keep. */
static void compare_sums(Member *member)
{
    Station *station = member->station;
    long own[2] = {station->read_values, 0}, all[2] = {0, 0}, most[MAX_RANKS];
    int root = 0;
    for (int key = 0; key < KEYS; key++)
        own[1] += station->table[key];
    if (has(member, FAULT_extra_barrier))
        MPI_Barrier(MPI_COMM_WORLD); /* FAULT(extra_barrier) */
    if (!has(member, FAULT_skip_sum))
        MPI_Allreduce(own, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); /* FAULT(skip_sum) */
    if (has(member, FAULT_wrong_root))
        root = 1; /* FAULT(wrong_root) */
    MPI_Gather(&station->seen_values, 1, MPI_LONG, most, 1, MPI_LONG, root, MPI_COMM_WORLD);
    if (station->fault.own == 0) {
        for (int rank = 0; rank < station->ranks && station->log > 1; rank++)
            printf("%d: %ld readings\n", rank, most[rank]);
        puts(all[0] == all[1] ? "right" : "wrong");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void open_station(Station *station)
{
    station->readings = station->fault.steps > 0 ? station->fault.steps : 20;
    station->sensors_left = SENSORS;
    open_box(&station->outbox, OUTBOX);
    open_box(&station->inbox, INBOX);
    pthread_mutex_init(&station->table_lock, NULL);
    pthread_mutex_init(&station->statistics_lock, NULL);
}

int main(int argc, char **argv)
{
    static Station station;
    static Member members[MEMBERS];
    int provided;
    if (!fault_read(&station.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &station.fault.own);
    MPI_Comm_size(MPI_COMM_WORLD, &station.ranks);
    read_settings(&station, argc - station.fault.rest, argv + station.fault.rest);
    open_station(&station);
    if (provided < MPI_THREAD_MULTIPLE || station.ranks > MAX_RANKS || station.readings * SENSORS > MAX_READINGS)
        refuse(&station, "too much for this program:", station.ranks);
    if (station.log > 0)
        log_line(&station, "sensors:", SENSORS);
    start_threads(&station, members);
    keep_table(members);
    for (int i = POST; i < MEMBERS; i++)
        pthread_join(members[i].id, NULL);
    compare_sums(&members[MAIN]);
    free(station.outbox.slot);
    free(station.inbox.slot);
    MPI_Finalize();
    return 0;
}
