#include "timed_run.h"

#include "writer/writer.h"

enum {
    RANKS = 4,
    STEPS = 10,
    SLOW_RANK = 2,
    SLOW_FROM = 6,
    MAIN = 0,
    FORCE,
    HELPER,
    INIT,
    EXCHANGE,
    SUM,
    FINALIZE,
    FUNCTIONS
};

#define MS G_GUINT64_CONSTANT(1000000)

typedef struct {
    DtThreadWriter *thread;
    guint32 ids[FUNCTIONS];
    guint64 now;
} Rank;

static void timed_event(Rank *rank, guint32 event)
{
    dt_thread_writer_time(rank->thread, rank->now);
    dt_thread_writer_event(rank->thread, event);
}

static void timed_call(Rank *rank, guint function, guint64 ns)
{
    timed_event(rank, rank->ids[function]);
    rank->now += ns;
    timed_event(rank, DT_WORD_RETURN);
}

static void compute(Rank *rank, guint64 ns)
{
    timed_event(rank, rank->ids[FORCE]);
    for (int i = 0; i < 4; i++) {
        dt_thread_writer_event(rank->thread, rank->ids[HELPER]);
        dt_thread_writer_event(rank->thread, DT_WORD_RETURN);
    }
    rank->now += ns;
    timed_event(rank, DT_WORD_RETURN);
}

static void step(Rank *rank, guint64 until, guint64 force)
{
    compute(rank, force);
    timed_call(rank, EXCHANGE, MS);
    timed_call(rank, SUM, until - rank->now);
}

static void define(DtProcessWriter *process, Rank *rank)
{
    static const char *const names[FUNCTIONS] = {"main",         "force",         "helper",      "MPI_Init",
                                                 "MPI_Sendrecv", "MPI_Allreduce", "MPI_Finalize"};
    static const gint64 counts[FUNCTIONS] = {[EXCHANGE] = 100, [SUM] = 2};
    DtImageWriter *program = dt_process_writer_image(process, "/home/me/heat", DT_IMAGE_MAIN);
    DtImageWriter *mpi = dt_process_writer_image(process, "/usr/lib/libmpi.so.40", DT_IMAGE_API_ONLY);
    for (guint i = 0; i < FUNCTIONS; i++) {
        DtImageWriter *image = i < INIT ? program : mpi;
        guint32 flags = i < INIT ? 0 : DT_FUNCTION_API;
        guint32 symbol = dt_image_writer_symbol(image, names[i], 0x1000 + 64 * i, 64, flags);
        rank->ids[i] = dt_process_writer_function(process, image, symbol, flags);
        const gint64 data = dt_argument_data(DT_ARGUMENT_DATA, counts[i], 8);
        if (counts[i] > 0)
            rank->ids[i] = dt_process_writer_signature(process, rank->ids[i], &data, 1);
    }
}

static void write_rank(DtRunWriter *run, gint number, const DtTimedFault *fault)
{
    DtProcessWriter *process = dt_run_writer_process(run);
    struct dt_file_header *header = dt_process_writer_header(process);
    Rank rank = {.now = 1000 * MS};
    header->rank = number;
    header->world_size = RANKS;
    header->start_monotonic_ns = rank.now;
    header->flags |= DT_FILE_MPI_INITIALISED | DT_FILE_MPI_FINALIZED;
    define(process, &rank);
    rank.thread = dt_process_writer_thread(process, DT_THREAD_APP, 0);
    timed_event(&rank, rank.ids[MAIN]);
    timed_call(&rank, INIT, 2 * MS);
    for (int i = 0; i < STEPS; i++)
        step(&rank, rank.now + (fault->longer && i >= SLOW_FROM ? 12 * MS : 10 * MS),
             fault->slow && number == SLOW_RANK && i >= SLOW_FROM ? 5 * MS : 3 * MS);
    timed_call(&rank, FINALIZE, MS);
    timed_event(&rank, DT_WORD_RETURN);
    header->end_monotonic_ns = rank.now;
}

void dt_write_timed_run(const char *path, const DtTimedFault *fault)
{
    static const char *const command[] = {"./heat", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRunWriter) run = dt_run_writer_new(path);
    for (gint rank = 0; rank < RANKS; rank++)
        write_rank(run, rank, fault);
    if (!dt_run_writer_end(run, "by hand", command, &error))
        g_error("%s", error->message);
}
