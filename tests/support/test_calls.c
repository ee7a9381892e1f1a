/* Synthetic runs: calls of MPI with all that is recorded of them. */
#include "test_calls.h"

#include <string.h>

#include "format/arguments.h"
#include "format/checks.h"
#include "format/datatypes.h"

enum { RANK = 1, RANKS = 4, CHAR = 1, INT = 8, DOUBLE = 16, DEEP = 18 };
enum { WORLD, SELF, HALF, BETWEEN }; /* communicators */
enum { SITE_IMAGE = 9, LATER_KIND = 100 };

typedef struct {
    DtTestThread *thread;
    DtProcessWriter *writer;
    guint64 address; /* of the next call site */
} Calls;

#define COUNT(...)               (sizeof((const gint64[]){__VA_ARGS__}) / sizeof(gint64))
#define ROW(...)                 (const gint64[]){__VA_ARGS__}, COUNT(__VA_ARGS__)
#define VALUE(kind, value)       dt_argument(DT_ARGUMENT_##kind, value)
#define SPECIAL(kind, special)   dt_argument_special(DT_ARGUMENT_##kind, DT_SPECIAL_##special)
#define ARRAY(kind, ...)         array_argument(calls, DT_ARGUMENT_##kind, ROW(__VA_ARGS__))
#define DATA(count, size)        dt_argument_data(DT_ARGUMENT_DATA, count, size)
#define ENTER(name, ...)         enter(calls, name, ROW(__VA_ARGS__))
#define CALL(name, ...)          (ENTER(name, __VA_ARGS__), leave(calls))
#define NOTE(kind, ...)          dt_test_thread_note(calls->thread, DT_NOTE_##kind, ROW(__VA_ARGS__), NULL)
#define LATER(kind, value)       dt_argument((enum dt_argument_kind)(kind), value)
#define DATATYPE(made, row, ...) datatype(calls, DT_CONSTRUCTOR_##made, row, ROW(__VA_ARGS__))

static gint64 array_argument(Calls *calls, enum dt_argument_kind kind, const gint64 *values, guint count)
{
    return dt_argument(kind, dt_argument_first_array(kind) + dt_process_writer_array(calls->writer, values, count));
}

/* Every other signature has a call site: in the program, by a tail call, in another image. */
static void enter(Calls *calls, const char *name, const gint64 *arguments, guint count)
{
    g_autofree char *function = g_strconcat("libcalls.so:", name, NULL);
    guint32 base = dt_test_process_id(calls->thread->process, function);
    guint32 id = dt_process_writer_signature(calls->writer, base, arguments, count);
    guint64 address = calls->address++;
    gboolean tail = address % 8 == 1;
    if (address % 2)
        dt_test_process_site(calls->thread->process, id, address % 4 == 1 ? 1 : SITE_IMAGE, tail ? 0 : address,
                             tail ? DT_SITE_TAIL_CALL : 0);
    dt_test_thread_event(calls->thread, id);
}

static void leave(Calls *calls)
{
    dt_test_thread_return(calls->thread);
}

/* ---- communicators --------------------------------------------------------------------------- */

static void add_communicator(const Calls *calls, guint32 number, guint32 parent, gint32 remote_size,
                             const gint32 *members)
{
    const struct dt_communicator communicator = {.number = number,
                                                 .parent = parent,
                                                 .creation = parent == WORLD ? number - SELF : 0,
                                                 .key = 1000 + number,
                                                 .rank = number == WORLD ? RANK : 0,
                                                 .size = number == WORLD  ? RANKS
                                                         : number == SELF ? 1
                                                                          : 2,
                                                 .remote_size = remote_size};
    dt_process_writer_communicator(calls->writer, &communicator, members);
}

static void add_communicators(const Calls *calls)
{
    add_communicator(calls, WORLD, DT_COMMUNICATOR_NONE, -1, (const gint32[]){0, 1, 2, 3});
    add_communicator(calls, SELF, DT_COMMUNICATOR_NONE, -1, (const gint32[]){RANK});
    add_communicator(calls, HALF, WORLD, -1, (const gint32[]){1, 3});
    add_communicator(calls, BETWEEN, WORLD, 3, (const gint32[]){1, 3, 0, 2, -1});
}

/* ---- datatypes ------------------------------------------------------------------------------- */

/* Of a type signature: its hash and length. */
typedef struct {
    guint64 hash, length;
} Signature;

static Signature repeated(guint32 number, guint64 times)
{
    return (Signature){dt_datatype_hash_repeat(dt_datatype_hash(number), 1, times), times};
}

static Signature joined(Signature first, Signature second)
{
    return (Signature){dt_datatype_hash_join(first.hash, second.hash, second.length), first.length + second.length};
}

/* The number of the datatype, made by a call. */
static gint64 datatype(Calls *calls, gint64 constructor, Signature signature, const gint64 *parameters, guint count)
{
    gint64 values[32] = {DT_DATATYPE_MARK - constructor, (gint64)signature.hash, (gint64)signature.length};
    memcpy(values + DT_DATATYPE_PARAMETERS, parameters, count * sizeof(*values));
    gint64 number = DT_FIRST_DERIVED + dt_process_writer_array(calls->writer, values, DT_DATATYPE_PARAMETERS + count);
    CALL("MPI_Type_create_resized", VALUE(DATATYPE, number));
    return number;
}

/* One of every constructor: the number of a vector, made of what is made of doubles. */
static gint64 make_datatypes(Calls *calls)
{
    const Signature unknown = {0, 0};
    gint64 row = DATATYPE(CONTIGUOUS, repeated(DOUBLE, 3), 3, DOUBLE), deep = row;
    gint64 vector = DATATYPE(VECTOR, repeated(DOUBLE, 60), 10, 2, 20, row);
    DATATYPE(HVECTOR, repeated(INT, 2), 2, 1, -64, INT);
    DATATYPE(INDEXED, repeated(CHAR, 3), 2, 1, 2, 0, 4, CHAR);
    DATATYPE(HINDEXED, repeated(INT, 4), 2, 2, 2, 0, 16, INT);
    DATATYPE(INDEXED_BLOCK, repeated(INT, 6), 2, 3, 0, 8, INT);
    DATATYPE(HINDEXED_BLOCK, repeated(INT, 6), 2, 3, 0, 64, INT);
    DATATYPE(STRUCT, joined(repeated(INT, 1), joined(repeated(DOUBLE, 2), repeated(DOUBLE, 3))), 3, 1, 2, 1, 0, 8, 24,
             INT, DOUBLE, row);
    DATATYPE(STRUCT, repeated(CHAR, 9), 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, CHAR, CHAR, CHAR, CHAR,
             CHAR, CHAR, CHAR, CHAR, CHAR);
    DATATYPE(SUBARRAY, repeated(DOUBLE, 6), 2, 8, 8, 2, 3, 1, 1, 1, DOUBLE);
    DATATYPE(DARRAY, unknown, 4, 1, 2, 8, 8, 0, 1, -1, 2, 2, 2, 0, INT);
    DATATYPE(RESIZED, repeated(DOUBLE, 3), row, -8, 128);
    DATATYPE(CONTIGUOUS, unknown, 2, 0); /* of one that is not known */
    for (guint i = 0; i < DEEP; i++)
        deep = DATATYPE(CONTIGUOUS, repeated(DOUBLE, 3), 1, deep);
    CALL("MPI_Type_dup", VALUE(DATATYPE, DOUBLE));
    CALL("MPI_Type_dup", SPECIAL(DATATYPE, UNKNOWN));
    return vector;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void begin(Calls *calls)
{
    ENTER("MPI_Init_thread", VALUE(THREAD_LEVEL, 3));
    NOTE(THREAD_LEVEL, 1);
    leave(calls);
    CALL("MPI_Comm_split", VALUE(COMMUNICATOR, WORLD), VALUE(COLOR, 1), VALUE(KEY, -1));
    CALL("MPI_Comm_split", VALUE(COMMUNICATOR, WORLD), SPECIAL(COLOR, UNDEFINED), VALUE(KEY, 0));
    CALL("MPI_Intercomm_create", VALUE(COMMUNICATOR, HALF), VALUE(RANK, 0), VALUE(TAG, 5));
    CALL("MPI_Comm_dup", VALUE(COMMUNICATOR, 77)); /* no record of it */
}

static void make_messages(Calls *calls, gint64 vector)
{
    const gint64 world = VALUE(COMMUNICATOR, WORLD), between = VALUE(COMMUNICATOR, BETWEEN);
    ENTER("MPI_Send", world, VALUE(TO, 1), VALUE(TAG, 7),
          VALUE(TYPED_DATA, 10 | (gint64)8 << 32 | (gint64)DOUBLE << 40));
    NOTE(DATA, DT_DATA_SENT, 0x1a2b3c4d);
    leave(calls);
    CALL("MPI_Send", between, VALUE(TO, -1), VALUE(TAG, 7), ARRAY(DATA, 2, 480, vector));
    CALL("MPI_Send", world, SPECIAL(TO, PROC_NULL), VALUE(TAG, 7), ARRAY(DATA, (gint64)1 << 40, 1 << 23));
    CALL("MPI_Ssend", world, SPECIAL(TO, UNKNOWN), VALUE(TAG, -3), ARRAY(DATA, -1, -1));
    ENTER("MPI_Send", world, VALUE(TO, 2), SPECIAL(TAG, VARIES), SPECIAL(TYPED_DATA, VARIES));
    NOTE(PARAMETER, 2, 1000, 3, 5 | (gint64)4 << 32 | (gint64)INT << 40);
    leave(calls);
    ENTER("MPI_Recv", world, SPECIAL(FROM, ANY), SPECIAL(TAG, ANY), DATA(4, 4));
    NOTE(WILDCARD, 3, 9);
    NOTE(DATA, DT_DATA_RECEIVED, 0xffffffff);
    leave(calls);
    ENTER("MPI_Recv", SPECIAL(COMMUNICATOR, VARIES), VALUE(FROM, 1), VALUE(TAG, 0), DATA(1, 8));
    NOTE(PARAMETER, 0, HALF);
    NOTE(FAILED, 15);
    leave(calls);
}

/* Requests by the positions that they have in the list of live ones. */
static void use_requests(Calls *calls)
{
    const gint64 world = VALUE(COMMUNICATOR, WORLD), data = DATA(1, 4);
    CALL("MPI_Irecv", world, VALUE(FROM, -1), VALUE(TAG, 1), data);
    ENTER("MPI_Isend", world, VALUE(TO, 1), VALUE(TAG, 1), data);
    NOTE(DATA, DT_DATA_SENT, 5);
    leave(calls);
    CALL("MPI_Recv_init", world, SPECIAL(FROM, ANY), VALUE(TAG, 2), data);
    ENTER("MPI_Isend", world, VALUE(TO, 2), VALUE(TAG, 1), data);
    NOTE(LIVE, DT_LIVE_NOT_MADE);
    leave(calls);
    CALL("MPI_Start", VALUE(LIVE, 2));
    ENTER("MPI_Waitany", VALUE(REQUESTS, 3), SPECIAL(LIVE, ALL));
    NOTE(LIVE, DT_LIVE_COMPLETED, 1);
    NOTE(DATA, DT_DATA_CHANGED, 6, 2);
    leave(calls);
    ENTER("MPI_Testsome", VALUE(REQUESTS, 4), ARRAY(LIVE, -1, 0, 1));
    NOTE(LIVE, DT_LIVE_COMPLETED);
    NOTE(WILDCARD, 2, 2, 3);
    NOTE(DATA, DT_DATA_RECEIVED, 7, 1);
    NOTE(LIVE, DT_LIVE_OTHERS, 1, 4);
    NOTE(LIVE, DT_LIVE_OTHERS_COMPLETED, 1, 4);
    NOTE(WILDCARD, 2, 2, 4, 1);
    NOTE(DATA, DT_DATA_RECEIVED, 8, 4, 1);
    leave(calls);
    CALL("MPI_Request_free", VALUE(LIVE, 0));
    CALL("MPI_Wait", SPECIAL(LIVE, NO_HANDLE));
    NOTE(LIVE, DT_LIVE_GONE, 0);
    NOTE(LIVE, DT_LIVE_ARE, 20, 18);
    NOTE(LIVE, DT_LIVE_ARE_ALSO, 19, 20);
    CALL("MPI_Waitall", VALUE(REQUESTS, 3), SPECIAL(LIVE, ALL));
}

static void make_collectives(Calls *calls, gint64 vector)
{
    const gint64 world = VALUE(COMMUNICATOR, WORLD);
    ENTER("MPI_Allreduce", world, VALUE(OPERATION, DT_OPERATION_SUM), DATA(1, 8));
    NOTE(DATA, DT_DATA_SENT, 9);
    NOTE(DATA, DT_DATA_RECEIVED, 10);
    leave(calls);
    CALL("MPI_Reduce", world, VALUE(ROOT, 3), VALUE(OPERATION, DT_OPERATION_OWN + 1), SPECIAL(DATA, IN_PLACE));
    CALL("MPI_Bcast", VALUE(COMMUNICATOR, BETWEEN), SPECIAL(ROOT, ROOT), ARRAY(DATA, 1, 480, vector));
    CALL("MPI_Allgather", world, dt_argument_data(DT_ARGUMENT_OTHER_DATA, 2, 4), DATA(1, 8));
    CALL("MPI_Alltoallv", world, ARRAY(COUNTS, 1, 2, 3, 3), VALUE(ELEMENT, 8), ARRAY(COUNTS, G_MAXINT32, -1, 0, 0),
         VALUE(ELEMENT, 4));
    CALL("MPI_Alltoallw", world, SPECIAL(COUNTS, IN_PLACE), ARRAY(COUNTS, 5, 5, 5, 5), ARRAY(ELEMENTS, 1, 2, 4, 8));
    CALL("MPI_Cart_create", world, ARRAY(DIMENSIONS, 2, 2), ARRAY(PERIODS, 0, 1));
    CALL("MPI_Cart_sub", world, ARRAY(KEPT, 1, 0));
    CALL("MPI_Cart_rank", world, ARRAY(COORDINATES, 1, 1));
    CALL("MPI_Cart_shift", world, VALUE(NUMBER, 1), VALUE(NUMBER, -1));
    CALL("MPI_Graph_create", world, ARRAY(GRAPH_INDEX, 1, 2, 3, 4), ARRAY(GRAPH_EDGES, 1, 0, 3, 2));
    CALL("MPI_Dist_graph_create", world, ARRAY(NEIGHBOURS, 1, -1), ARRAY(DEGREES, 1, 1), ARRAY(NEIGHBOURS, 2, 2));
    CALL("MPI_Comm_create", world, ARRAY(GROUP, 0, 1, -1));
    CALL("MPI_Group_incl", ARRAY(GROUP, 0, 1, 2, 3), ARRAY(RANKS, 3, 2, 1));
    CALL("MPI_Group_range_incl", ARRAY(GROUP, 0, 1, 2, 3), ARRAY(RANGES, 0, 3, 2));
}

static void use_the_rest(Calls *calls)
{
    CALL("MPI_Win_create", VALUE(COMMUNICATOR, WORLD), VALUE(SIZE, 4096), VALUE(UNIT, 8));
    CALL("MPI_Win_lock", VALUE(WINDOW, 0), VALUE(LOCK_TYPE, 1), VALUE(TARGET, 1), VALUE(ASSERTION, 3));
    CALL("MPI_Put", VALUE(WINDOW, 0), VALUE(TARGET, -1), VALUE(DISPLACEMENT, 100),
         dt_argument_data(DT_ARGUMENT_OTHER_DATA, 1, 16), DATA(2, 8));
    CALL("MPI_File_open", VALUE(COMMUNICATOR, SELF), VALUE(ACCESS_MODE, 9));
    CALL("MPI_File_seek", VALUE(FILE, 0), VALUE(OFFSET, -100), VALUE(WHENCE, 2));
    CALL("MPI_Psend_init", VALUE(COMMUNICATOR, WORLD), VALUE(PARTITIONS, 4), VALUE(TO, 1), VALUE(TAG, 1), DATA(2, 8));
    CALL("MPI_Pready_list", ARRAY(PARTITION_LIST, 0, 2, 3), VALUE(LIVE, 0));
    CALL("MPI_Pready", VALUE(PARTITION, 1), VALUE(LIVE, 0));
    ENTER("pthread_mutex_trylock", VALUE(LOCK, 1));
    NOTE(LOCK, 1, 16);
    leave(calls);
    CALL("pthread_cond_wait", VALUE(CONDITION, 1), VALUE(LOCK, 1));
    CALL("pthread_barrier_wait", VALUE(BARRIER, 1));
    CALL("MPI_Barrier", VALUE(COMMUNICATOR, WORLD), LATER(LATER_KIND, 1), LATER(LATER_KIND + 38, 2));
    NOTE(CLOCK, 5000000);
    NOTE(RECORDING, 0, 1);
    dt_test_thread_note(calls->thread, DT_NOTE_MARKER, NULL, 0, "half way");
    dt_test_thread_note(calls->thread, 99, ROW(1, 2, 3), "of a later version");
    ENTER("MPI_Abort", VALUE(COMMUNICATOR, WORLD), VALUE(CODE, 3));
}

void dt_test_thread_calls(DtTestThread *thread)
{
    Calls here = {thread, thread->process->writer, 0x1001}, *calls = &here;
    thread->process->flags |= DT_FILE_MPI_INITIALISED | DT_FILE_PAYLOAD;
    add_communicators(calls);
    begin(calls);
    gint64 vector = make_datatypes(calls);
    make_messages(calls, vector);
    use_requests(calls);
    make_collectives(calls, vector);
    use_the_rest(calls);
}
