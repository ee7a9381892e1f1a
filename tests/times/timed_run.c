#include "timed_run.h"

#include <glib/gstdio.h>
#include <string.h>

#include "format/arguments.h"

typedef struct {
    DtProcessWriter *process;
    DtImageWriter *mpi, *program;
    DtThreadWriter *thread;
    GHashTable *functions;  /* name -> id */
    GHashTable *signatures; /* text -> id */
    GArray *live;           /* guint: numbers of requests */
    GHashTable *persistent; /* numbers */
    guint last;
    gint64 ahead, from;
    gdouble drift;
} Rank;

struct TimedRun {
    char *path;
    gboolean stays;
    DtRunWriter *writer;
    guint count, communicators;
    Rank *ranks;
    DtFunctions *functions;
    DtRun *opened;
};

TimedRun *timed_run_new(guint ranks, const char *const *hosts)
{
    g_autofree char *folder = g_dir_make_tmp("difftrace-timed-XXXXXX", NULL);
    TimedRun *run = timed_run_new_at(folder, ranks, hosts);
    run->stays = FALSE;
    return run;
}

TimedRun *timed_run_new_at(const char *path, guint ranks, const char *const *hosts)
{
    TimedRun *run = g_new0(TimedRun, 1);
    run->path = g_strdup(path);
    run->stays = TRUE;
    run->writer = dt_run_writer_new(run->path);
    run->count = ranks;
    run->ranks = g_new0(Rank, ranks);
    g_autofree gint32 *members = g_new(gint32, ranks);
    for (guint i = 0; i < ranks; i++) {
        Rank *rank = &run->ranks[i];
        members[i] = (gint32)i;
        rank->process = dt_run_writer_process(run->writer);
        struct dt_file_header *header = dt_process_writer_header(rank->process);
        header->rank = (gint32)i;
        header->world_size = (gint32)ranks;
        header->pid = 100 + i;
        header->flags |= DT_FILE_MPI_INITIALISED | DT_FILE_MPI_FINALIZED;
        header->end_monotonic_ns = header->start_realtime_ns = header->start_monotonic_ns =
            G_GINT64_CONSTANT(1000000000000);
        g_strlcpy(header->host, hosts ? hosts[i] : "node", sizeof header->host);
        rank->mpi = dt_process_writer_image(rank->process, "/usr/lib/libmpi.so.40", DT_IMAGE_API_ONLY);
        rank->program = dt_process_writer_image(rank->process, "/home/me/app", DT_IMAGE_MAIN);
        rank->thread = dt_process_writer_thread(rank->process, DT_THREAD_APP, 0);
        rank->functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        rank->signatures = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        rank->live = g_array_new(FALSE, FALSE, sizeof(guint));
        rank->persistent = g_hash_table_new(NULL, NULL);
    }
    timed_run_communicator(run, members, ranks, 0);
    return run;
}

guint timed_run_communicator(TimedRun *run, const gint32 *members, guint size, guint remote)
{
    guint number = run->communicators++, own = size - remote;
    for (guint i = 0; i < size; i++) {
        gboolean second = i >= own;
        g_autofree gint32 *row = g_memdup2(members, size * sizeof *members);
        struct dt_communicator communicator = {.number = number,
                                               .parent = number == 0 ? DT_COMMUNICATOR_NONE : 0,
                                               .creation = number,
                                               .key = 1000 + number,
                                               .rank = (gint32)(second ? i - own : i),
                                               .size = (gint32)(second ? remote : own),
                                               .remote_size = -1};
        if (remote > 0) {
            communicator.remote_size = (gint32)(second ? own : remote);
            if (second) {
                memcpy(row, members + own, remote * sizeof *members);
                memcpy(row + remote, members, own * sizeof *members);
            }
        }
        dt_process_writer_communicator(run->ranks[members[i]].process, &communicator, row);
    }
    return number;
}

static guint32 function_of(Rank *rank, const char *name)
{
    gpointer known = g_hash_table_lookup(rank->functions, name);
    if (known)
        return GPOINTER_TO_UINT(known);
    gboolean mpi = g_str_has_prefix(name, "MPI_");
    guint32 symbol = dt_image_writer_symbol(mpi ? rank->mpi : rank->program, name, 0, 8, mpi ? DT_FUNCTION_API : 0);
    guint32 id =
        dt_process_writer_function(rank->process, mpi ? rank->mpi : rank->program, symbol, mpi ? DT_FUNCTION_API : 0);
    g_hash_table_insert(rank->functions, g_strdup(name), GUINT_TO_POINTER(id));
    return id;
}

static guint32 signature_of(Rank *rank, const char *name, const gint64 *arguments, guint count)
{
    guint32 function = function_of(rank, name);
    g_autoptr(GString) text = g_string_new(name);
    for (guint i = 0; i < count; i++)
        g_string_append_printf(text, " %" G_GINT64_FORMAT, arguments[i]);
    gpointer known = g_hash_table_lookup(rank->signatures, text->str);
    if (known)
        return GPOINTER_TO_UINT(known);
    guint32 id = count > 0 ? dt_process_writer_signature(rank->process, function, arguments, count) : function;
    g_hash_table_insert(rank->signatures, g_strdup(text->str), GUINT_TO_POINTER(id));
    return id;
}

void timed_run_clock(TimedRun *run, guint rank, gint64 ahead, gdouble drift, gint64 from)
{
    run->ranks[rank].ahead = ahead;
    run->ranks[rank].drift = drift;
    run->ranks[rank].from = from;
}

static guint64 by_clock(const Rank *rank, gint64 ns)
{
    return (guint64)(ns + rank->ahead + (gint64)(rank->drift * (gdouble)(ns - rank->from)));
}

static void begin(Rank *rank, const char *function, const gint64 *arguments, guint count, gint64 ns)
{
    guint32 id = signature_of(rank, function, arguments, count);
    dt_thread_writer_time(rank->thread, by_clock(rank, ns));
    dt_thread_writer_event(rank->thread, id);
}

static void end(Rank *rank, gint64 ns)
{
    dt_thread_writer_time(rank->thread, by_clock(rank, ns));
    dt_thread_writer_event(rank->thread, DT_WORD_RETURN);
}

void timed_processor(TimedRun *run, guint rank, gint64 at, gint64 used)
{
    dt_thread_writer_processor_time(run->ranks[rank].thread, by_clock(&run->ranks[rank], at), (guint64)used);
}

void timed_call(TimedRun *run, guint rank, const char *function, const gint64 *arguments, guint count, gint64 b,
                gint64 e)
{
    begin(&run->ranks[rank], function, arguments, count, b);
    end(&run->ranks[rank], e);
}

void timed_open_call(TimedRun *run, guint rank, const char *function, gint64 ns)
{
    begin(&run->ranks[rank], function, NULL, 0, ns);
}

static gint64 distance(const TimedRun *run, guint own, guint peer)
{
    gint64 size = run->count, distance = ((gint64)peer - own + size) % size;
    return distance * 2 > size ? distance - size : distance;
}

void timed_send(TimedRun *run, guint rank, const char *function, guint to, gint64 tag, gint64 bytes, gint64 b, gint64 e)
{
    const gint64 arguments[] = {dt_argument(DT_ARGUMENT_COMMUNICATOR, 0),
                                dt_argument(DT_ARGUMENT_TO, distance(run, rank, to)), dt_argument(DT_ARGUMENT_TAG, tag),
                                dt_argument_data(DT_ARGUMENT_DATA, bytes, 1)};
    timed_call(run, rank, function, arguments, G_N_ELEMENTS(arguments), b, e);
}

void timed_receive(TimedRun *run, guint rank, const char *function, guint from, gint64 tag, gint64 b, gint64 e)
{
    const gint64 arguments[] = {dt_argument(DT_ARGUMENT_COMMUNICATOR, 0),
                                dt_argument(DT_ARGUMENT_FROM, distance(run, rank, from)),
                                dt_argument(DT_ARGUMENT_TAG, tag), dt_argument_data(DT_ARGUMENT_DATA, 1000000, 1)};
    timed_call(run, rank, function, arguments, G_N_ELEMENTS(arguments), b, e);
}

static const gint64 *any_arguments(guint *count)
{
    static gint64 arguments[4];
    arguments[0] = dt_argument(DT_ARGUMENT_COMMUNICATOR, 0);
    arguments[1] = dt_argument_special(DT_ARGUMENT_FROM, DT_SPECIAL_ANY);
    arguments[2] = dt_argument_special(DT_ARGUMENT_TAG, DT_SPECIAL_ANY);
    arguments[3] = dt_argument_data(DT_ARGUMENT_DATA, 1000000, 1);
    *count = G_N_ELEMENTS(arguments);
    return arguments;
}

void timed_receive_any(TimedRun *run, guint rank, guint from, gint64 tag, gint64 b, gint64 e)
{
    guint count;
    const gint64 *arguments = any_arguments(&count), got[] = {from, tag};
    begin(&run->ranks[rank], "MPI_Recv", arguments, count, b);
    dt_thread_writer_note(run->ranks[rank].thread, DT_NOTE_WILDCARD, got, 2, NULL);
    end(&run->ranks[rank], e);
}

guint timed_post_any(TimedRun *run, guint rank, gint64 b, gint64 e)
{
    guint count;
    const gint64 *arguments = any_arguments(&count);
    timed_call(run, rank, "MPI_Irecv", arguments, count, b, e);
    return timed_request(run, rank, FALSE);
}

static guint position_of(const Rank *rank, guint request)
{
    for (guint i = 0; i < rank->live->len; i++)
        if (g_array_index(rank->live, guint, i) == request)
            return i;
    g_error("request %u is not live", request);
}

static void complete(Rank *rank, guint request)
{
    g_array_remove_index(rank->live, position_of(rank, request));
}

void timed_wait_any(TimedRun *run, guint number, guint request, guint from, gint64 tag, gint64 b, gint64 e)
{
    Rank *rank = &run->ranks[number];
    const gint64 arguments[] = {dt_argument(DT_ARGUMENT_LIVE, position_of(rank, request))},
                 got[] = {from, tag, request};
    begin(rank, "MPI_Wait", arguments, 1, b);
    dt_thread_writer_note(rank->thread, DT_NOTE_WILDCARD, got, 3, NULL);
    end(rank, e);
    complete(rank, request);
}

void timed_collective(TimedRun *run, guint rank, const char *function, guint communicator, gint root, gint64 b,
                      gint64 e)
{
    const gint64 arguments[] = {dt_argument(DT_ARGUMENT_COMMUNICATOR, communicator),
                                dt_argument(DT_ARGUMENT_ROOT, root)};
    timed_call(run, rank, function, arguments, root < 0 ? 1 : 2, b, e);
}

guint timed_request(TimedRun *run, guint number, gboolean persistent)
{
    Rank *rank = &run->ranks[number];
    guint request = ++rank->last;
    g_array_append_val(rank->live, request);
    if (persistent)
        g_hash_table_add(rank->persistent, GUINT_TO_POINTER(request));
    return request;
}

void timed_requests(TimedRun *run, guint number, const char *function, const guint *requests, guint count, gint64 b,
                    gint64 e)
{
    Rank *rank = &run->ranks[number];
    g_autofree gint64 *positions = g_new(gint64, count);
    gboolean waits = g_str_has_prefix(function, "MPI_Wait"), frees = g_str_equal(function, "MPI_Request_free");
    for (guint i = 0; i < count; i++)
        positions[i] = position_of(rank, requests[i]);
    gint64 argument = positions[0];
    if (count > 1)
        argument = dt_argument_first_array(DT_ARGUMENT_LIVE) + dt_process_writer_array(rank->process, positions, count);
    argument = dt_argument(DT_ARGUMENT_LIVE, argument);
    timed_call(run, number, function, &argument, 1, b, e);
    for (guint i = 0; i < count; i++)
        if (frees || (waits && !g_hash_table_contains(rank->persistent, GUINT_TO_POINTER(requests[i]))))
            complete(rank, requests[i]);
}

void timed_enter(TimedRun *run, guint rank, const char *function)
{
    dt_thread_writer_event(run->ranks[rank].thread, function_of(&run->ranks[rank], function));
}

void timed_leave(TimedRun *run, guint rank)
{
    dt_thread_writer_event(run->ranks[rank].thread, DT_WORD_RETURN);
}

DtRun *timed_run_open(TimedRun *run)
{
    const char *const command[] = {"app", NULL};
    g_autoptr(GError) error = NULL;
    gboolean written = dt_run_writer_end(run->writer, "by hand", command, &error);
    g_assert_no_error(error);
    g_assert_true(written);
    run->functions = dt_functions_new();
    run->opened = dt_run_open(run->path, run->functions, &error);
    g_assert_no_error(error);
    return run->opened;
}

void timed_run_free(TimedRun *run)
{
    g_autofree char *remove = g_strdup_printf("rm -rf '%s'", run->path);
    dt_run_free(run->opened);
    if (run->functions)
        dt_functions_unref(run->functions);
    dt_run_writer_free(run->writer);
    if (!run->stays)
        g_assert_true(g_spawn_command_line_sync(remove, NULL, NULL, NULL, NULL));
    for (guint i = 0; i < run->count; i++) {
        Rank *rank = &run->ranks[i];
        g_hash_table_unref(rank->functions);
        g_hash_table_unref(rank->signatures);
        g_array_unref(rank->live);
        g_hash_table_unref(rank->persistent);
    }
    g_free(run->ranks);
    g_free(run->path);
    g_free(run);
}
