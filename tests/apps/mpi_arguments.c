/* MPI calls of many kinds on 4 ranks. Each process writes what it passes, as `difftrace dump --args` should show it,
 * into FOLDER/RANK, and what it gets to stdout, which must be the same traced and untraced. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAGS = 100000, MANY = 3 };

static FILE *expected;
static int rank, size;
static long result;

/* What the next call is. */
static void expect(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(expected, format, arguments);
    va_end(arguments);
    fputc('\n', expected);
}

static void take(long value)
{
    result = (result * 31 + value) % 1000000007;
}

static void take_status(const MPI_Status *status)
{
    take(status->MPI_SOURCE);
    take(status->MPI_TAG);
}

/* As the tracer tells distances: around the ring, the shorter way. */
static int distance(int to, int of)
{
    int steps = ((to - rank) % of + of) % of;
    return 2 * steps > of ? steps - of : steps;
}

static void point_to_point(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, numbers[10] = {rank};
    double reals[7] = {0};
    MPI_Status status;
    if (rank % 2 == 0) {
        expect("MPI_Send(world, to %+d, tag 5, 10 x 4 B)", distance(right, size));
        MPI_Send(numbers, 10, MPI_INT, right, 5, MPI_COMM_WORLD);
        expect("MPI_Recv(world, from %+d, tag 6, 7 x 8 B)", distance(left, size));
        MPI_Recv(reals, 7, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, &status);
    } else {
        expect("MPI_Recv(world, from any, tag 5, 10 x 4 B)\tgot source %d, tag 5", left);
        MPI_Recv(numbers, 10, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        expect("MPI_Ssend(world, to %+d, tag 6, 7 x 8 B)", distance(right, size));
        MPI_Ssend(reals, 7, MPI_DOUBLE, right, 6, MPI_COMM_WORLD);
    }
    take_status(&status);
    take(numbers[0]);
    expect("MPI_Sendrecv(world, to %+d, tag 7, 3 x 4 B, from any, tag any, 4 x 4 B)\tgot source %d, tag 7",
           distance(right, size), left);
    MPI_Sendrecv(numbers, 3, MPI_INT, right, 7, numbers + 4, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect("MPI_Send(world, to null, tag 1, 1 x 1 B)");
    MPI_Send(numbers, 1, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    expect("MPI_Recv(world, from null, tag 1, 1 x 1 B)");
    MPI_Recv(numbers, 1, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    take(status.MPI_SOURCE == MPI_PROC_NULL);
    take(numbers[4]);
}

static void largest_magnitude(void *in, void *out, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        if (abs(((int *)in)[i]) > abs(((int *)out)[i]))
            ((int *)out)[i] = ((int *)in)[i];
}

static void collectives(void)
{
    int own[4] = {rank, -rank, 2 * rank, 1}, all[16] = {0};
    MPI_Op operation;
    expect("MPI_Barrier(world)");
    MPI_Barrier(MPI_COMM_WORLD);
    expect("MPI_Bcast(world, root 2, 4 x 4 B)");
    MPI_Bcast(own, 4, MPI_INT, 2, MPI_COMM_WORLD);
    expect("MPI_Allreduce(world, sum, 4 x 4 B)");
    MPI_Allreduce(own, all, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    take(all[0]);
    expect("MPI_Allreduce(world, max, 2 x 4 B)");
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    expect("MPI_Op_create");
    MPI_Op_create(largest_magnitude, 1, &operation);
    expect("MPI_Reduce(world, own operation 0, root 1, 3 x 4 B)");
    MPI_Reduce(own, all, 3, MPI_INT, operation, 1, MPI_COMM_WORLD);
    expect("MPI_Op_free");
    MPI_Op_free(&operation);
    take(all[0]);
    if (rank == 3) {
        expect("MPI_Gather(world, other 4 x 4 B, root 3, data in place)");
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, 3, MPI_COMM_WORLD);
    } else {
        expect("MPI_Gather(world, root 3, 4 x 4 B)");
        MPI_Gather(own, 4, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 3, MPI_COMM_WORLD);
    }
    take(all[5]);
    expect("MPI_Alltoall(world, 2 x 4 B)");
    int from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    MPI_Alltoall(from, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    take(all[3]);
}

static void communicators(void)
{
    MPI_Comm half, copy, pair, none;
    MPI_Group group, everybody;
    int value = rank, sum = 0, members[2] = {1, 3};
    expect("MPI_Comm_split(world, color %d, key +0)", rank / 2);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    expect("MPI_Allreduce(world/1, sum, 1 x 4 B)");
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    take(sum);
    expect("MPI_Sendrecv(world/1, to +1, tag 1, 1 x 4 B, from +1, tag 1, 1 x 4 B)");
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank % 2, 1, &sum, 1, MPI_INT, 1 - rank % 2, 1, half, MPI_STATUS_IGNORE);
    take(sum);
    expect("MPI_Comm_dup(world/1)");
    MPI_Comm_dup(half, &copy);
    expect("MPI_Barrier(world/1/1)");
    MPI_Barrier(copy);
    expect("MPI_Comm_free(world/1/1)");
    MPI_Comm_free(&copy);
    /* Most likely the handle that was just freed. */
    expect("MPI_Comm_dup(world)");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    expect("MPI_Bcast(world/2, root 3, 1 x 4 B)");
    MPI_Bcast(&value, 1, MPI_INT, 3, copy);
    take(value);
    expect("MPI_Comm_group(world)");
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    expect("MPI_Group_incl(group [0-3], ranks [1 3])");
    MPI_Group_incl(everybody, 2, members, &group);
    expect("MPI_Comm_create(world, group [1 3])");
    MPI_Comm_create(MPI_COMM_WORLD, group, &pair);
    if (pair != MPI_COMM_NULL) {
        expect("MPI_Bcast(world/3, root 0, 2 x 8 B)");
        double reals[2] = {rank, 1};
        MPI_Bcast(reals, 2, MPI_DOUBLE, 0, pair);
        take((long)reals[0]);
        expect("MPI_Comm_free(world/3)");
        MPI_Comm_free(&pair);
    }
    expect("MPI_Comm_split(world, color %s, key %+d)", rank == 0 ? "undefined" : "0", -rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &none);
    expect("MPI_Barrier(self)");
    MPI_Barrier(MPI_COMM_SELF);
    expect("MPI_Comm_free(world/1)");
    MPI_Comm_free(&half);
}

static void datatypes(void)
{
    MPI_Datatype three, pairs;
    double reals[12] = {rank};
    MPI_Type_contiguous(3, MPI_DOUBLE, &three);
    MPI_Type_commit(&three);
    expect("MPI_Bcast(world, root 1, 4 x 24 B of contiguous(3 of double))");
    MPI_Bcast(reals, 4, three, 1, MPI_COMM_WORLD);
    MPI_Type_free(&three);
    /* Most likely the handle that was just freed, of another size. */
    MPI_Type_contiguous(2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    expect("MPI_Bcast(world, root 1, 5 x 8 B of contiguous(2 of int))");
    MPI_Bcast(reals, 5, pairs, 1, MPI_COMM_WORLD);
    MPI_Type_free(&pairs);
    take((long)reals[0]);
}

static void requests(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int out[MANY] = {rank, rank + 10, rank + 20}, in[MANY] = {0}, index;
    MPI_Request made[2 * MANY], one;
    MPI_Status statuses[2 * MANY], status;
    for (int i = 0; i < MANY; i++) {
        expect("MPI_Irecv(world, from any, tag %d, 1 x 4 B)\trequest %d", 20 + i, 2 * i + 1);
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 20 + i, MPI_COMM_WORLD, &made[2 * i]);
        expect("MPI_Isend(world, to %+d, tag %d, 1 x 4 B)\trequest %d", distance(right, size), 20 + i, 2 * i + 2);
        MPI_Isend(&out[i], 1, MPI_INT, right, 20 + i, MPI_COMM_WORLD, &made[2 * i + 1]);
    }
    expect("MPI_Waitall(6 requests, live all)\tof requests 1 2 3 4 5 6; got source %d, tag 20 by request 1; "
           "got source %d, tag 21 by request 3; got source %d, tag 22 by request 5",
           left, left, left);
    MPI_Waitall(2 * MANY, made, statuses);
    for (int i = 0; i < MANY; i++) {
        take_status(&statuses[2 * i]);
        take(in[i]);
    }
    expect("MPI_Send_init(world, to %+d, tag 30, 1 x 4 B)\tpersistent request 7", distance(right, size));
    MPI_Send_init(out, 1, MPI_INT, right, 30, MPI_COMM_WORLD, &one);
    for (int i = 0; i < 2; i++) {
        expect("MPI_Start(live 0)\tof requests 7");
        MPI_Start(&one);
        expect("MPI_Recv(world, from any, tag 30, 1 x 4 B)\tgot source %d, tag 30", left);
        MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect("MPI_Wait(live 0)\tof requests 7");
        MPI_Wait(&one, MPI_STATUS_IGNORE);
        take(in[0]);
    }
    expect("MPI_Request_free(live 0)\tfreed 7");
    MPI_Request_free(&one);
    expect("MPI_Irecv(world, from %+d, tag 31, 1 x 4 B)\trequest 8", distance(left, size));
    MPI_Irecv(in, 1, MPI_INT, left, 31, MPI_COMM_WORLD, &made[0]);
    made[1] = MPI_REQUEST_NULL;
    expect("MPI_Send(world, to %+d, tag 31, 1 x 4 B)", distance(right, size));
    MPI_Send(out, 1, MPI_INT, right, 31, MPI_COMM_WORLD);
    expect("MPI_Waitany(2 requests, live all)\tof requests 8; completed 8");
    MPI_Waitany(2, made, &index, &status);
    take(index);
    take_status(&status);
    expect("MPI_Irecv(world, from any, tag 32, 1 x 4 B)\trequest 9");
    MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 32, MPI_COMM_WORLD, &one);
    expect("MPI_Send(world, to %+d, tag 32, 1 x 4 B)", distance(right, size));
    MPI_Send(out, 1, MPI_INT, right, 32, MPI_COMM_WORLD);
    expect("MPI_Wait(live 0)\tof requests 9; got source %d, tag 32 by request 9", left);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    take(one == MPI_REQUEST_NULL);
}

/* From anybody, until there is something. */
static void probe(int from, int tag)
{
    int found = 0;
    MPI_Status status;
    while (!found) {
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
        expect(found ? "MPI_Iprobe(world, from any, tag %d)\tgot source %d, tag %d"
                     : "MPI_Iprobe(world, from any, tag %d)",
               tag, from, tag);
    }
    take_status(&status);
}

/* True if one of two requests was complete, which is said; both are the live ones, but for those that are null. */
static int test_any(MPI_Request *two, int *index, int first)
{
    int done, live = two[0] != MPI_REQUEST_NULL || two[1] != MPI_REQUEST_NULL;
    MPI_Testany(2, two, index, &done, MPI_STATUS_IGNORE);
    if (done && *index != MPI_UNDEFINED)
        expect("MPI_Testany(2 requests, live all)\tcompleted %d", first + *index);
    else
        expect("MPI_Testany(2 requests, live %s)", live ? "all" : "none");
    return done;
}

/* The same calls from the same places, again and again, and now and then they find something. */
static void polling(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, out = rank, in[3], index, done;
    MPI_Request made[2];
    for (int first = 10; first < 16; first += 2) {
        expect("MPI_Irecv(world, from any, tag 40, 1 x 4 B)\trequest %d", first);
        MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &made[0]);
        expect("MPI_Irecv(world, from %+d, tag 41, 1 x 4 B)\trequest %d", distance(left, size), first + 1);
        MPI_Irecv(&in[1], 1, MPI_INT, left, 41, MPI_COMM_WORLD, &made[1]);
        for (int i = 0; i < 50; i++)
            take(test_any(made, &index, first));
        expect("MPI_Barrier(world)");
        MPI_Barrier(MPI_COMM_WORLD);
        expect("MPI_Send(world, to %+d, tag 41, 1 x 4 B)", distance(right, size));
        MPI_Send(&out, 1, MPI_INT, right, 41, MPI_COMM_WORLD);
        while (!test_any(made, &index, first))
            ;
        for (int i = 0; i < 20; i++)
            take(test_any(made, &index, first));
        expect("MPI_Barrier(world)");
        MPI_Barrier(MPI_COMM_WORLD);
        expect("MPI_Send(world, to %+d, tag 40, 1 x 4 B)", distance(right, size));
        MPI_Send(&out, 1, MPI_INT, right, 40, MPI_COMM_WORLD);
        for (done = 0; !done;) {
            MPI_Test(&made[0], &done, MPI_STATUS_IGNORE);
            expect(done ? "MPI_Test(live 0)\tgot source %d, tag 40 by request %d; completed" : "MPI_Test(live 0)", left,
                   first);
        }
        expect("MPI_Send(world, to %+d, tag 42, 1 x 4 B)", distance(right, size));
        MPI_Send(&out, 1, MPI_INT, right, 42, MPI_COMM_WORLD);
        probe(left, 42);
        expect("MPI_Recv(world, from any, tag 42, 1 x 4 B)\tgot source %d, tag 42", left);
        MPI_Recv(&in[2], 1, MPI_INT, MPI_ANY_SOURCE, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        take(in[0] + in[1] + in[2]);
    }
}

/* The same handles, but other communicators, types and requests, from the same places. */
static void recycled_communicators(void)
{
    MPI_Comm copy;
    for (int i = 0; i < 4; i++) {
        expect("MPI_Comm_dup(world)");
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        for (int times = 0; times < 3; times++) {
            expect("MPI_Barrier(world/%d)", 5 + i);
            MPI_Barrier(copy);
        }
        expect("MPI_Comm_free(world/%d)", 5 + i);
        MPI_Comm_free(&copy);
    }
}

static void recycled_datatypes(void)
{
    MPI_Datatype some;
    int numbers[8] = {rank};
    for (int i = 0; i < 4; i++) {
        MPI_Type_contiguous(2 + i, MPI_INT, &some);
        MPI_Type_commit(&some);
        for (int times = 0; times < 3; times++) {
            expect("MPI_Bcast(world, root 1, 1 x %d B of contiguous(%d of int))", 4 * (2 + i), 2 + i);
            MPI_Bcast(numbers, 1, some, 1, MPI_COMM_WORLD);
        }
        MPI_Type_free(&some);
    }
    take(numbers[0]);
}

static void recycled_requests(void)
{
    int out = rank, in = 0, done;
    MPI_Request one;
    for (int number = 16; number < 20; number++) {
        expect("MPI_Irecv(self, from +0, tag 50, 1 x 4 B)\trequest %d", number);
        MPI_Irecv(&in, 1, MPI_INT, 0, 50, MPI_COMM_SELF, &one);
        for (int i = done = 0; !done; i++) {
            if (i == 3) {
                expect("MPI_Send(self, to +0, tag 50, 1 x 4 B)");
                MPI_Send(&out, 1, MPI_INT, 0, 50, MPI_COMM_SELF);
            }
            MPI_Test(&one, &done, MPI_STATUS_IGNORE);
            expect(done ? "MPI_Test(live 0)\tcompleted" : "MPI_Test(live 0)");
        }
        take(in);
    }
}

/* More tags than event ids should be spent on, then a few of them again and again. */
static void counting(void)
{
    int value = rank, got;
    for (int i = 0; i < TAGS; i++) {
        int tag = i < TAGS / 2 ? i : i / 5 % 7;
        expect("MPI_Sendrecv(self, to +0, tag %d, 1 x 4 B, from +0, tag %d, 1 x 4 B)", tag, tag);
        MPI_Sendrecv(&value, 1, MPI_INT, 0, tag, &got, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    char path[1000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2 || size != 4)
        return 2;
    snprintf(path, sizeof path, "%s/%d", argv[1], rank);
    expected = fopen(path, "w");
    if (!expected)
        return 2;
    expect("MPI_Init");
    expect("MPI_Comm_rank(world)");
    expect("MPI_Comm_size(world)");
    point_to_point();
    collectives();
    communicators();
    datatypes();
    requests();
    polling();
    recycled_communicators();
    recycled_datatypes();
    recycled_requests();
    counting();
    expect("MPI_Finalize");
    fclose(expected);
    printf("%d: %ld\n", rank, result);
    MPI_Finalize();
    return 0;
}
