/* Requests made, waited for, tested and freed at random, on any number of ranks, each with itself. Each process keeps
 * its own account of which requests are live, oldest first, and writes what each call names, as `difftrace dump --args`
 * should show it, into FOLDER/RANK; with "threads" a second thread waits for what the first has made. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 24, CALLS = 6000 };

/* A request of the program; number 0: there is none. Handles stay where they were made: MPIs have one for all short
 * sends, which are told apart by their places. */
typedef struct {
    int number, persistent, active, partner, value;
} Slot;

static Slot slots[SLOTS];
static MPI_Request handles[SLOTS];
static int live[SLOTS]; /* slots, oldest request first */
static int live_count, last_number;
static FILE *expected;
static unsigned long long state;

static int below(int limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)limit);
}

/* ---- the account ----------------------------------------------------------------------------- */

static int position_of(int slot)
{
    for (int i = 0; i < live_count; i++)
        if (live[i] == slot)
            return i;
    abort();
}

static int make(int slot)
{
    live[live_count++] = slot;
    return slots[slot].number = ++last_number;
}

static void end(int slot)
{
    int at = position_of(slot);
    memmove(&live[at], &live[at + 1], (size_t)(--live_count - at) * sizeof *live);
    slots[slot].number = slots[slot].persistent = slots[slot].active = 0;
}

/* What has completed is inactive, or no more. */
static void complete(int slot)
{
    if (slots[slot].persistent)
        slots[slot].active = 0;
    else
        end(slot);
}

/* "live all", "live none", "live [0 2-5 9]" of some slots, one of which may have no request. */
static void expect_live(const int *some, int count)
{
    int named[SLOTS] = {0}, found = 0;
    for (int i = 0; i < count; i++)
        if (slots[some[i]].number) {
            named[position_of(some[i])] = 1;
            found++;
        }
    if (found == 0 || found == live_count) {
        fprintf(expected, "live %s", found == 0 ? "none" : "all");
        return;
    }
    fprintf(expected, "live [");
    for (int i = 0, first = 1; i < live_count; i++) {
        int run = 0;
        while (i + run < live_count && named[i + run])
            run++;
        if (run >= 3) {
            fprintf(expected, "%s%d-%d", first ? "" : " ", i, i + run - 1);
            i += run - 1;
        } else if (run > 0) {
            fprintf(expected, "%s%d", first ? "" : " ", i);
        }
        first = first && run == 0;
    }
    fprintf(expected, "]");
}

/* " 3 7", oldest first. */
static void expect_numbers(const int *some, int count)
{
    for (int i = 0; i < live_count; i++)
        for (int k = 0; k < count; k++)
            if (some[k] == live[i])
                fprintf(expected, " %d", slots[live[i]].number);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int free_slot(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (!slots[i].number)
            return i;
    return -1;
}

static void make_pair(int persistent)
{
    int one = free_slot(), other;
    if (one < 0)
        return;
    int tag = last_number + 1;
    fprintf(expected, "MPI_%s(self, from +0, tag %d, 1 x 4 B)\t%srequest %d\n", persistent ? "Recv_init" : "Irecv", tag,
            persistent ? "persistent " : "", make(one));
    if (persistent)
        MPI_Recv_init(&slots[one].value, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &handles[one]);
    else
        MPI_Irecv(&slots[one].value, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &handles[one]);
    slots[one].persistent = persistent;
    slots[one].active = !persistent;
    other = free_slot();
    if (other < 0) { /* the message comes all the same */
        fprintf(expected, "MPI_Send(self, to +0, tag %d, 1 x 4 B)\n", tag);
        if (!persistent) {
            MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
            return;
        }
        abort();
    }
    fprintf(expected, "MPI_%s(self, to +0, tag %d, 1 x 4 B)\t%srequest %d\n", persistent ? "Send_init" : "Isend", tag,
            persistent ? "persistent " : "", make(other));
    if (persistent)
        MPI_Send_init(&slots[other].value, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &handles[other]);
    else
        MPI_Isend(&slots[other].value, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &handles[other]);
    slots[other].persistent = persistent;
    slots[other].active = !persistent;
    slots[one].partner = other;
    slots[other].partner = one;
}

/* Some behind each other, at random, with and without requests; which come into `some`. */
static int choose(int *some)
{
    int first = below(SLOTS), count = below(3) == 0 ? below(SLOTS - first) : below(4);
    count = count < SLOTS - first ? count : SLOTS - first;
    for (int i = 0; i < count; i++)
        some[i] = first + i;
    return count;
}

/* Of these: so many have requests; so many are active. */
static int named_count(const int *some, int count)
{
    int named = 0;
    for (int i = 0; i < count; i++)
        named += slots[some[i]].number != 0;
    return named;
}

static void start_pair(void)
{
    for (int i = 0; i < SLOTS; i++) {
        int both[2] = {i, slots[i].partner};
        if (!slots[i].persistent || slots[i].active || slots[both[1]].active || below(3) > 0)
            continue;
        for (int k = 0; k < 2; k++) {
            fprintf(expected, "MPI_Start(live %d)\tof requests %d\n", position_of(both[k]), slots[both[k]].number);
            MPI_Start(&handles[both[k]]);
            slots[both[k]].active = 1;
        }
        return;
    }
}

static void free_pair(void)
{
    for (int i = 0; i < SLOTS; i++) {
        int both[2] = {i, slots[i].partner};
        if (!slots[i].persistent || slots[i].active || slots[both[1]].active)
            continue;
        for (int k = 0; k < 2; k++) {
            fprintf(expected, "MPI_Request_free(live %d)\tfreed %d\n", position_of(both[k]), slots[both[k]].number);
            MPI_Request_free(&handles[both[k]]);
            end(both[k]);
        }
        return;
    }
}

static void wait_for_one(int test)
{
    int slot = below(SLOTS), done = 0;
    const char *name = test ? "MPI_Test" : "MPI_Wait";
    do {
        if (slots[slot].number)
            fprintf(expected, "%s(live %d)", name, position_of(slot));
        else
            fprintf(expected, "%s(live none)", name);
        if (test)
            MPI_Test(&handles[slot], &done, MPI_STATUS_IGNORE);
        else
            MPI_Wait(&handles[slot], MPI_STATUS_IGNORE);
        if (slots[slot].number && !test)
            fprintf(expected, "\tof requests %d", slots[slot].number);
        if (slots[slot].number && test && done)
            fprintf(expected, "\tcompleted");
        fputc('\n', expected);
    } while (test && !done);
    if (slots[slot].number)
        complete(slot);
}

/* "MPI_Waitall(3 requests, live all)". */
static void expect_call(const char *name, const int *some, int count)
{
    fprintf(expected, "MPI_%s(%d requests, ", name, count);
    expect_live(some, count);
    fputc(')', expected);
}

static void expect_named(const int *some, int count)
{
    if (!named_count(some, count))
        return;
    fprintf(expected, "\tof requests");
    expect_numbers(some, count);
}

static void wait_for_all(int test)
{
    int some[SLOTS], count = choose(some), done = 0;
    do {
        expect_call(test ? "Testall" : "Waitall", some, count);
        if (test)
            MPI_Testall(count, handles + some[0], &done, MPI_STATUSES_IGNORE);
        else
            MPI_Waitall(count, handles + some[0], MPI_STATUSES_IGNORE);
        if (!test)
            expect_named(some, count);
        else if (named_count(some, count) && done)
            fprintf(expected, "\tcompleted");
        fputc('\n', expected);
    } while (test && !done);
    for (int i = 0; i < count; i++)
        if (slots[some[i]].number)
            complete(some[i]);
}

static void wait_for_any(int test)
{
    int some[SLOTS], count = choose(some), index = MPI_UNDEFINED, done = 0;
    do {
        expect_call(test ? "Testany" : "Waitany", some, count);
        if (test)
            MPI_Testany(count, handles + some[0], &index, &done, MPI_STATUS_IGNORE);
        else
            MPI_Waitany(count, handles + some[0], &index, MPI_STATUS_IGNORE);
        if (!test)
            expect_named(some, count);
        if (index != MPI_UNDEFINED && (!test || done))
            fprintf(expected, "%s %d", test ? "\tcompleted" : "; completed", slots[some[index]].number);
        fputc('\n', expected);
    } while (test && !done);
    if (index != MPI_UNDEFINED)
        complete(some[index]);
}

static void wait_for_some(int test)
{
    int some[SLOTS], count = choose(some), indices[SLOTS], completed = 0;
    do {
        expect_call(test ? "Testsome" : "Waitsome", some, count);
        if (test)
            MPI_Testsome(count, handles + some[0], &completed, indices, MPI_STATUSES_IGNORE);
        else
            MPI_Waitsome(count, handles + some[0], &completed, indices, MPI_STATUSES_IGNORE);
        if (!test)
            expect_named(some, count);
        for (int i = 0; completed != MPI_UNDEFINED && i < completed; i++)
            fprintf(expected, "%s %d",
                    i > 0  ? ""
                    : test ? "\tcompleted"
                           : "; completed",
                    slots[some[indices[i]]].number);
        fputc('\n', expected);
    } while (test && completed == 0);
    for (int i = 0; completed != MPI_UNDEFINED && i < completed; i++)
        complete(some[indices[i]]);
}

static void at_random(void)
{
    for (int i = 0; i < CALLS; i++) {
        int what = below(16), test = below(2);
        if (what < 6)
            make_pair(0);
        else if (what == 6 && live_count < SLOTS / 2)
            make_pair(1);
        else if (what == 7)
            start_pair();
        else if (what == 8)
            free_pair();
        else if (what < 11)
            wait_for_one(test);
        else if (what < 13)
            wait_for_all(test);
        else if (what < 14)
            wait_for_any(test);
        else
            wait_for_some(test);
    }
}

/* ---- by another thread ----------------------------------------------------------------------- */

static MPI_Request handed[2];

static void *wait_for_handed(void *nothing)
{
    MPI_Waitall(2, handed, MPI_STATUSES_IGNORE);
    return nothing;
}

/* The second thread's account is written behind that of the first. */
static void hand_over(FILE *of_second)
{
    for (int i = 0; i < 3; i++) {
        int value = i, got[2];
        MPI_Request own;
        pthread_t second;
        fprintf(expected, "MPI_Irecv(self, from +0, tag 1, 1 x 4 B)\trequest %d\n", 3 * i + 1);
        MPI_Irecv(&got[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &handed[0]);
        fprintf(expected, "MPI_Irecv(self, from +0, tag 2, 1 x 4 B)\trequest %d\n", 3 * i + 2);
        MPI_Irecv(&got[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &own);
        fprintf(expected, "MPI_Isend(self, to +0, tag 1, 1 x 4 B)\trequest %d\n", 3 * i + 3);
        MPI_Isend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &handed[1]);
        fprintf(of_second, "MPI_Waitall(2 requests, live [-1^2])\tof requests %d of thread #0 %d of thread #0\n",
                3 * i + 1, 3 * i + 3);
        pthread_create(&second, NULL, wait_for_handed, NULL);
        pthread_join(second, NULL);
        fprintf(expected, "MPI_Send(self, to +0, tag 2, 1 x 4 B)\n");
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
        fprintf(expected, "MPI_Wait(live 0)\tof requests %d\n", 3 * i + 2);
        MPI_Wait(&own, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    char path[1000];
    int rank, provided, threads = argc > 2 && strcmp(argv[2], "threads") == 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/%d", argv[1], rank);
    expected = fopen(path, "w");
    snprintf(path, sizeof path, "%s/%d.second", argv[1], rank);
    FILE *of_second = fopen(path, "w");
    if (!expected || !of_second)
        return 2;
    for (int i = 0; i < SLOTS; i++)
        handles[i] = MPI_REQUEST_NULL;
    state = 4711 + (unsigned)rank;
    fprintf(expected, "MPI_Init_thread(level %s)\nMPI_Comm_rank(world)\n", threads ? "multiple" : "single");
    if (threads)
        hand_over(of_second);
    else
        at_random();
    fprintf(expected, "MPI_Finalize\n");
    fclose(expected);
    fclose(of_second);
    MPI_Finalize();
    return 0;
}
