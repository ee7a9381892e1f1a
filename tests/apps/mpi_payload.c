/*
 * Sends, receives and contributes data whose hashes it works out itself, from the elements one by one and by a plain
 * XXH64 of its own. Prints "RANK sent|got|changed HASH" for each, in the order in which difftrace should tell them.
 *
 *     mpi-payload             every kind of call and type
 *     mpi-payload loop FAULT  a ring of numbers; FAULT 1: rank 2 adds another one in the fourth round. The time goes
 *                             round, too.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };
static int rank, ranks;
static unsigned char bytes[MOST];
static size_t count;

static uint64_t turn(uint64_t x, int r)
{
    return (x << r) | (x >> (64 - r));
}

static uint64_t load(const unsigned char *p, int n)
{
    uint64_t value = 0;
    for (int i = n - 1; i >= 0; i--)
        value = value << 8 | p[i];
    return value;
}

static uint32_t hash(void)
{
    const uint64_t p1 = 11400714785074694791u, p2 = 14029467366897019727u, p3 = 1609587929392839161u,
                   p4 = 9650029242287828579u, p5 = 2870177450012600261u;
    size_t at = 0;
    uint64_t h = p5;
    if (count >= 32) {
        uint64_t v[4] = {p1 + p2, p2, 0, 0 - p1};
        for (; at + 32 <= count; at += 32)
            for (int i = 0; i < 4; i++)
                v[i] = turn(v[i] + load(bytes + at + 8 * i, 8) * p2, 31) * p1;
        h = turn(v[0], 1) + turn(v[1], 7) + turn(v[2], 12) + turn(v[3], 18);
        for (int i = 0; i < 4; i++)
            h = (h ^ turn(v[i] * p2, 31) * p1) * p1 + p4;
    }
    h += count;
    for (; at + 8 <= count; at += 8)
        h = turn(h ^ turn(load(bytes + at, 8) * p2, 31) * p1, 27) * p1 + p4;
    for (; at + 4 <= count; at += 4)
        h = turn(h ^ load(bytes + at, 4) * p1, 23) * p2 + p3;
    for (; at < count; at++)
        h = turn(h ^ bytes[at] * p5, 11) * p1;
    h = (h ^ h >> 33) * p2;
    h = (h ^ h >> 29) * p3;
    count = 0;
    return (uint32_t)(h ^ h >> 32);
}

static void add(const void *data, size_t size)
{
    memcpy(bytes + count, data, size);
    count += size;
}

static void say(const char *what)
{
    printf("%d %s %08x\n", rank, what, hash());
}

static void say_all(const char *what, const void *data, size_t size)
{
    add(data, size);
    say(what);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void plain(int to, int from)
{
    double out[7], in[9];
    MPI_Status status;
    for (int i = 0; i < 7; i++)
        out[i] = 10 * rank + i;
    for (int i = 0; i < 9; i++)
        in[i] = -1;
    for (int turn = 0; turn < 2; turn++) {
        if ((rank + turn) % 2 == 0) {
            say_all("sent", out, 5 * sizeof *out);
            MPI_Send(out, 5, MPI_DOUBLE, to, turn, MPI_COMM_WORLD);
        } else {
            MPI_Recv(in, 9, MPI_DOUBLE, turn ? from : MPI_ANY_SOURCE, turn, MPI_COMM_WORLD,
                     turn ? MPI_STATUS_IGNORE : &status);
            say_all("got", in, 5 * sizeof *in);
        }
    }
    MPI_Send(out, 3, MPI_DOUBLE, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
}

static void columns(int to, int from)
{
    float out[6][5], in[6][5];
    MPI_Request requests[2];
    MPI_Datatype column, freed;
    MPI_Type_vector(6, 2, 5, MPI_FLOAT, &column);
    MPI_Type_commit(&column);
    MPI_Type_dup(column, &freed);
    for (int i = 0; i < 30; i++)
        out[i / 5][i % 5] = (float)(100 * rank + i), in[i / 5][i % 5] = 0;
    MPI_Irecv(&in[0][1], 1, freed, from, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Type_free(&freed);
    for (int i = 0; i < 6; i++)
        add(&out[i][2], 2 * sizeof(float));
    say("sent");
    MPI_Isend(&out[0][2], 1, column, to, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 6; i++)
        add(&in[i][1], 2 * sizeof(float));
    say("got");
    MPI_Type_free(&column);
}

typedef struct {
    char letter;
    double number;
    int index[2];
    short half;
} Mixed;

static void add_mixed(const Mixed *mixed, int number)
{
    for (int i = 0; i < number; i++) {
        add(&mixed[i].letter, 1);
        add(&mixed[i].number, 8);
        add(mixed[i].index, 8);
        add(&mixed[i].half, 2);
    }
}

static void structures(int to, int from)
{
    enum { ITEMS = 3 };
    Mixed out[ITEMS], in[ITEMS];
    int lengths[] = {1, 1, 2, 1};
    MPI_Aint places[] = {offsetof(Mixed, letter), offsetof(Mixed, number), offsetof(Mixed, index),
                         offsetof(Mixed, half)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT}, made, mixed;
    MPI_Type_create_struct(4, lengths, places, types, &made);
    MPI_Type_create_resized(made, 0, sizeof(Mixed), &mixed);
    MPI_Type_commit(&mixed);
    memset(out, 0x5a + rank, sizeof out);
    memset(in, 0x33, sizeof in);
    for (int i = 0; i < ITEMS; i++)
        out[i].letter = (char)('a' + i), out[i].number = rank + 0.5, out[i].index[1] = i, out[i].half = -7;
    add_mixed(out, ITEMS);
    say("sent");
    MPI_Sendrecv(out, ITEMS, mixed, to, 4, in, ITEMS, mixed, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add_mixed(in, ITEMS);
    say("got");
    MPI_Type_free(&mixed);
    MPI_Type_free(&made);
}

static void persistent(int to, int from)
{
    long out[4] = {rank, 2, 3, 4}, in[4] = {0};
    MPI_Request requests[2];
    MPI_Send_init(out, 4, MPI_LONG, to, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, 4, MPI_LONG, from, 5, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        out[3] = 10 * i;
        say_all("sent", out, sizeof out);
        MPI_Startall(2, requests);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        say_all("got", in, sizeof in);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* The receiver looks at nothing: what it gets is luck. */
static void overwritten(int to, int from)
{
    static int out[4], in[4];
    MPI_Request send;
    out[0] = rank;
    say_all("sent", out, sizeof out);
    MPI_Issend(out, 4, MPI_INT, to, 6, MPI_COMM_WORLD, &send);
    out[1] = 77;
    MPI_Recv(in, 4, MPI_INT, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say_all("got", in, sizeof in);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    say_all("changed", out, sizeof out);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void reductions(void)
{
    enum { MOST_RANKS = 8 };
    double own[2 * MOST_RANKS], all[2 * MOST_RANKS];
    int counts[MOST_RANKS];
    MPI_Request request;
    for (int i = 0; i < 2 * ranks; i++)
        own[i] = rank + i, all[i] = 0;
    for (int i = 0; i < ranks; i++)
        counts[i] = i == 0 ? 2 : 1;
    say_all("sent", own, 3 * sizeof *own);
    MPI_Allreduce(own, all, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say_all("got", all, 3 * sizeof *all);
    say_all("sent", all, 2 * sizeof *all);
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    say_all("got", all, 2 * sizeof *all);
    say_all("sent", own, 2 * sizeof *own);
    MPI_Reduce(own, all, 2, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    if (rank == 1)
        say_all("got", all, 2 * sizeof *all);
    say_all("sent", own, sizeof *own);
    MPI_Scan(own, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say_all("got", all, sizeof *all);
    say_all("sent", own, (size_t)(2 * ranks) * sizeof *own);
    MPI_Reduce_scatter_block(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say_all("got", all, 2 * sizeof *all);
    say_all("sent", own, (size_t)(ranks + 1) * sizeof *own);
    MPI_Reduce_scatter(own, all, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say_all("got", all, (size_t)counts[rank] * sizeof *all);
    say_all("sent", own, sizeof *own);
    MPI_Iallreduce(own, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_all("got", all, sizeof *all);
}

static void moves(void)
{
    enum { MOST_RANKS = 8 };
    int own[2 * MOST_RANKS], all[3 * MOST_RANKS] = {0}, counts[MOST_RANKS], places[MOST_RANKS];
    for (int i = 0; i < 2 * ranks; i++)
        own[i] = 100 * rank + i;
    for (int i = 0; i < ranks; i++)
        counts[i] = 1, places[i] = 2 * (ranks - 1 - i);
    if (rank == 0)
        say_all("sent", own, 2 * sizeof *own);
    MPI_Bcast(own, 2, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank != 0)
        say_all("got", own, 2 * sizeof *own);
    say_all("sent", own, 2 * sizeof *own);
    MPI_Gather(own, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        say_all("got", all, (size_t)(2 * ranks) * sizeof *all);
    if (rank == 0)
        say_all("sent", own, (size_t)ranks * sizeof *own);
    MPI_Scatter(own, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    say_all("got", all, sizeof *all);
    all[rank] = rank + 5;
    say_all("sent", &all[rank], sizeof *all);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    say_all("got", all, (size_t)ranks * sizeof *all);
    say_all("sent", own, (size_t)(2 * ranks) * sizeof *own);
    MPI_Alltoall(own, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    say_all("got", all, (size_t)(2 * ranks) * sizeof *all);
    for (int i = 0; i < ranks; i++)
        add(&own[places[i]], sizeof *own);
    say("sent");
    MPI_Alltoallv(own, counts, places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        add(&all[places[i]], sizeof *all);
    say("got");
}

/* ---- a ring ---------------------------------------------------------------------------------- */

static void loop(int to, int from, int fault)
{
    double x = rank, got = 0, sum = 0, now = 0, then = 0;
    for (int round = 0; round < 6; round++) {
        MPI_Sendrecv(&x, 1, MPI_DOUBLE, to, 1, &got, 1, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        now = MPI_Wtime();
        MPI_Sendrecv(&now, 1, MPI_DOUBLE, to, 2, &then, 1, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        x += 0.5 * got + (fault && rank == 2 && round == 3);
    }
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    if (argc > 2) {
        loop(to, from, atoi(argv[2]));
    } else {
        plain(to, from);
        columns(to, from);
        structures(to, from);
        persistent(to, from);
        overwritten(to, from);
        reductions();
        moves();
    }
    MPI_Finalize();
    return 0;
}
