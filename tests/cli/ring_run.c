#include "ring_run.h"

#include <string.h>

#include "writer/writer.h"

enum { RANKS = 4, STEPS = 10, TAG = 7, STAR_TAG = 9, NEW = 2, COUNT = 100 };
enum { MAIN, EXCHANGE, INIT, IRECV, ISEND, WAITALL, BCAST, DUP, SEND, RECV, RECV_NEXT, FINALIZE, FUNCTIONS };

#define US G_GUINT64_CONSTANT(1000)

typedef struct {
    DtThreadWriter *thread;
    guint32 ids[FUNCTIONS];
    guint64 now;
    gint rank;
    gboolean timed;
} Rank;

static void tell_time(const Rank *rank)
{
    if (rank->timed)
        dt_thread_writer_time(rank->thread, rank->now);
}

static void enter(Rank *rank, guint call)
{
    rank->now += 5 * US;
    tell_time(rank);
    dt_thread_writer_event(rank->thread, rank->ids[call]);
}

static void leave(Rank *rank, guint64 ns)
{
    rank->now += ns;
    tell_time(rank);
    dt_thread_writer_event(rank->thread, DT_WORD_RETURN);
}

static void call(Rank *rank, guint which, guint64 ns)
{
    enter(rank, which);
    leave(rank, ns);
}

static void exchange(Rank *rank)
{
    enter(rank, EXCHANGE);
    call(rank, IRECV, US);
    call(rank, ISEND, 2 * US);
    call(rank, WAITALL, 100 * US);
    call(rank, BCAST, 40 * US);
    leave(rank, US);
}

/* Rank 0 gets what the others send, in the order of their ranks. */
static void gather(Rank *rank)
{
    if (rank->rank > 0) {
        call(rank, SEND, 10 * US);
        return;
    }
    for (gint64 source = 1; source < RANKS; source++) {
        const gint64 got[] = {source, STAR_TAG};
        enter(rank, RECV);
        dt_thread_writer_note(rank->thread, DT_NOTE_WILDCARD, got, 2, NULL);
        leave(rank, 50 * US);
    }
}

static void define_functions(DtProcessWriter *process, guint32 *functions)
{
    static const char *const names[FUNCTIONS] = {"main",      "exchange",    "MPI_Init",  "MPI_Irecv",
                                                 "MPI_Isend", "MPI_Waitall", "MPI_Bcast", "MPI_Comm_dup",
                                                 "MPI_Send",  "MPI_Recv",    NULL,        "MPI_Finalize"};
    DtImageWriter *program = dt_process_writer_image(process, "/home/me/ring", DT_IMAGE_MAIN);
    DtImageWriter *mpi = dt_process_writer_image(process, "/usr/lib/libmpi.so.40", DT_IMAGE_API_ONLY);
    for (guint i = 0; i < FUNCTIONS; i++) {
        guint32 flags = i < INIT ? 0 : DT_FUNCTION_API;
        if (!names[i]) {
            functions[i] = functions[RECV];
            continue;
        }
        guint32 symbol = dt_image_writer_symbol(i < INIT ? program : mpi, names[i], 0x1000 + 64 * i, 64, flags);
        functions[i] = dt_process_writer_function(process, i < INIT ? program : mpi, symbol, flags);
    }
}

static void define_calls(DtProcessWriter *process, Rank *rank)
{
    const gint64 world = dt_argument(DT_ARGUMENT_COMMUNICATOR, DT_COMMUNICATOR_WORLD);
    const gint64 made = dt_argument(DT_ARGUMENT_COMMUNICATOR, NEW);
    const gint64 data = dt_argument_data(DT_ARGUMENT_DATA, COUNT, 8);
    const gint64 tag = dt_argument(DT_ARGUMENT_TAG, TAG), star_tag = dt_argument(DT_ARGUMENT_TAG, STAR_TAG);
    const gint64 centred = rank->rank == 3 ? 1 : -rank->rank;
    const struct {
        guint call, count;
        gint64 arguments[4];
    } calls[] = {
        {IRECV, 4, {world, dt_argument(DT_ARGUMENT_FROM, -1), tag, data}},
        {ISEND, 4, {world, dt_argument(DT_ARGUMENT_TO, 1), tag, data}},
        {WAITALL, 2, {dt_argument(DT_ARGUMENT_REQUESTS, 2), dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_ALL)}},
        {BCAST, 3, {made, data, dt_argument(DT_ARGUMENT_ROOT, 1)}},
        {DUP, 1, {world}},
        {SEND, 4, {world, dt_argument(DT_ARGUMENT_TO, centred), star_tag, data}},
        {RECV, 4, {world, dt_argument_special(DT_ARGUMENT_FROM, DT_SPECIAL_ANY), star_tag, data}},
        {RECV_NEXT, 4, {world, dt_argument(DT_ARGUMENT_FROM, 1), tag, data}}};
    guint32 functions[FUNCTIONS];
    define_functions(process, functions);
    memcpy(rank->ids, functions, sizeof(functions));
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        rank->ids[calls[i].call] =
            dt_process_writer_signature(process, functions[calls[i].call], calls[i].arguments, calls[i].count);
}

static void define_communicators(DtProcessWriter *process, gint rank)
{
    static const gint32 members[RANKS] = {0, 1, 2, 3};
    const struct dt_communicator world = {.number = DT_COMMUNICATOR_WORLD,
                                          .parent = DT_COMMUNICATOR_NONE,
                                          .key = 11,
                                          .rank = rank,
                                          .size = RANKS,
                                          .remote_size = -1};
    const struct dt_communicator made = {.number = NEW,
                                         .parent = DT_COMMUNICATOR_WORLD,
                                         .creation = 1,
                                         .key = 12,
                                         .rank = rank,
                                         .size = RANKS,
                                         .remote_size = -1};
    dt_process_writer_communicator(process, &world, members);
    dt_process_writer_communicator(process, &made, members);
}

static void write_rank(DtRunWriter *run, gint number, gboolean hangs, gboolean timed)
{
    DtProcessWriter *process = dt_run_writer_process(run);
    struct dt_file_header *header = dt_process_writer_header(process);
    Rank rank = {.now = 1000000 * US + (guint64)number * 3 * US, .rank = number, .timed = timed};
    gboolean stands = hangs && number == 2;
    header->rank = number;
    header->world_size = RANKS;
    header->start_monotonic_ns = rank.now;
    header->start_realtime_ns = rank.now + 5000000 * US;
    header->flags |= DT_FILE_MPI_INITIALISED | (stands ? 0 : DT_FILE_MPI_FINALIZED);
    define_communicators(process, number);
    define_calls(process, &rank);
    rank.thread = dt_process_writer_thread(process, DT_THREAD_APP, 0);
    enter(&rank, MAIN);
    call(&rank, INIT, 20 * US);
    call(&rank, DUP, 20 * US);
    for (int i = 0; i < number && !timed; i++)
        call(&rank, EXCHANGE, US);
    for (int i = 0; i < STEPS; i++)
        exchange(&rank);
    gather(&rank);
    if (stands) {
        enter(&rank, RECV_NEXT);
        header->end_state = DT_PROCESS_RUNNING;
        return;
    }
    call(&rank, FINALIZE, US);
    leave(&rank, US);
    header->end_monotonic_ns = rank.now;
}

void dt_write_ring_run(const char *path, gboolean hangs, gboolean timed)
{
    static const char *const command[] = {"./ring", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRunWriter) run = dt_run_writer_new(path);
    for (gint rank = 0; rank < RANKS; rank++)
        write_rank(run, rank, hangs, timed);
    if (hangs)
        dt_run_writer_hung(run);
    if (!dt_run_writer_end(run, "by hand", command, &error))
        g_error("%s", error->message);
}
