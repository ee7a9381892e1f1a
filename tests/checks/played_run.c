#include "played_run.h"

#include <string.h>

#include "format/arguments.h"
#include "writer/writer.h"

enum { RANKS = 4, THREADS = 4 };

typedef struct {
    DtProcessWriter *process;
    DtImageWriter *library, *program;
    GHashTable *functions; /* name -> id */
    DtThreadWriter *threads[THREADS];
    gboolean used, ends_early, starts_late;
    gboolean is_open[THREADS];
} Rank;

struct DtPlayedRun {
    char *path;
    DtRunWriter *writer;
    Rank ranks[RANKS];
    guint count;
    DtFunctions *functions;
    DtRun *run;
};

/* ---- ranks ----------------------------------------------------------------------------------- */

static guint32 function_of(Rank *rank, const char *name)
{
    gpointer known = g_hash_table_lookup(rank->functions, name);
    if (known)
        return GPOINTER_TO_UINT(known);
    gboolean api =
        g_str_has_prefix(name, "MPI_") || g_str_has_prefix(name, "pthread_") || g_str_has_prefix(name, "GOMP_");
    DtImageWriter *image = api ? rank->library : rank->program;
    guint32 flags = api ? DT_FUNCTION_API : 0, symbol = dt_image_writer_symbol(image, name, 0, 8, flags);
    guint32 id = dt_process_writer_function(rank->process, image, symbol, flags);
    g_hash_table_insert(rank->functions, g_strdup(name), GUINT_TO_POINTER(id));
    return id;
}

static void open_rank(DtPlayedRun *played, guint number)
{
    Rank *rank = &played->ranks[number];
    rank->process = dt_run_writer_process(played->writer);
    struct dt_file_header *header = dt_process_writer_header(rank->process);
    header->rank = (gint32)number;
    header->world_size = (gint32)played->count;
    header->pid = 100 + number;
    header->flags |= (rank->starts_late ? 0 : DT_FILE_MPI_INITIALISED) |
                     (rank->ends_early || rank->starts_late ? 0 : DT_FILE_MPI_FINALIZED);
    g_strlcpy(header->host, "node", sizeof header->host);
    rank->library = dt_process_writer_image(rank->process, "/usr/lib/libmpi.so.40", DT_IMAGE_API_ONLY);
    rank->program = dt_process_writer_image(rank->process, "/home/me/app", DT_IMAGE_MAIN);
    rank->functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint self = 0; self < 2; self++) {
        gint32 members[RANKS] = {(gint32)number};
        for (guint i = 0; self == 0 && i < played->count; i++)
            members[i] = (gint32)i;
        struct dt_communicator communicator = {.number = self,
                                               .parent = DT_COMMUNICATOR_NONE,
                                               .key = self ? 2000 + number : 1000,
                                               .rank = self ? 0 : (gint32)number,
                                               .size = self ? 1 : (gint32)played->count,
                                               .remote_size = -1};
        dt_process_writer_communicator(rank->process, &communicator, members);
    }
}

static DtThreadWriter *thread_of(Rank *rank, guint number)
{
    if (!rank->threads[number]) {
        rank->threads[number] = dt_process_writer_thread(rank->process, DT_THREAD_APP, number);
        if (number > 0)
            dt_thread_writer_record(rank->threads[number])->end_state = DT_THREAD_RETURNED;
    }
    return rank->threads[number];
}

static void call_alone(Rank *rank, const char *name)
{
    dt_thread_writer_event(thread_of(rank, 0), function_of(rank, name));
    dt_thread_writer_event(thread_of(rank, 0), DT_WORD_RETURN);
}

/* ---- a line ---------------------------------------------------------------------------------- */

typedef struct {
    gint64 arguments[DT_FUNCTION_ARGUMENTS];
    guint count;
    gint64 failed, got[2], completed[2]; /* the last: enum dt_live_event, and a position */
    guint64 times[2];
    gboolean has_got, opens;
} Call;

static gint64 peer(const DtPlayedRun *played, guint own, enum dt_argument_kind kind, const char *value)
{
    if (g_str_equal(value, "any"))
        return dt_argument_special(kind, DT_SPECIAL_ANY);
    if (g_str_equal(value, "null"))
        return dt_argument_special(kind, DT_SPECIAL_PROC_NULL);
    if (g_str_equal(value, "bad"))
        return dt_argument_special(kind, DT_SPECIAL_UNKNOWN);
    gint64 size = played->count, distance = (g_ascii_strtoll(value, NULL, 10) - own + size) % size;
    return dt_argument(kind, distance * 2 > size ? distance - size : distance);
}

static gint64 data(Rank *rank, gboolean other, const char *value)
{
    char *end;
    gint64 count = g_ascii_strtoll(value, &end, 10), size = g_ascii_strtoll(end + 1, &end, 10);
    gint64 datatype = *end == ':' ? g_ascii_strtoll(end + 1, NULL, 10) : 0;
    enum dt_argument_kind kind = other ? DT_ARGUMENT_OTHER_DATA : DT_ARGUMENT_DATA;
    if (count < 0 || (other && datatype > 0)) {
        const gint64 values[] = {count, size, datatype};
        const guint known = datatype > 0 ? 3 : 2;
        return dt_argument(kind, dt_argument_first_array(kind) + dt_process_writer_array(rank->process, values, known));
    }
    if (datatype > 0)
        return dt_argument(DT_ARGUMENT_TYPED_DATA, count | size << 32 | datatype << 40);
    return dt_argument_data(kind, count, size);
}

/* 0: it is none. */
static enum dt_argument_kind array_kind(const char *name)
{
    return g_str_equal(name, "counts")       ? DT_ARGUMENT_COUNTS
           : g_str_equal(name, "neighbours") ? DT_ARGUMENT_NEIGHBOURS
           : g_str_equal(name, "dimensions") ? DT_ARGUMENT_DIMENSIONS
           : g_str_equal(name, "group")      ? DT_ARGUMENT_GROUP
           : g_str_equal(name, "ranks")      ? DT_ARGUMENT_RANKS
                                             : 0;
}

static gint64 array(Rank *rank, enum dt_argument_kind kind, const char *value)
{
    gint64 values[8] = {0};
    g_auto(GStrv) words = g_str_equal(value, "none") ? g_new0(char *, 1) : g_strsplit(value, ";", G_N_ELEMENTS(values));
    const guint count = g_strv_length(words);
    for (guint i = 0; i < count; i++)
        values[i] = g_ascii_strtoll(words[i], NULL, 10);
    return dt_argument(kind, dt_argument_first_array(kind) + dt_process_writer_array(rank->process, values, count));
}

static void add(DtPlayedRun *played, guint own, Call *call, const char *name, const char *value)
{
    static const struct {
        const char *name;
        enum dt_argument_kind kind;
    } numbers[] = {{"comm", DT_ARGUMENT_COMMUNICATOR}, {"window", DT_ARGUMENT_WINDOW},
                   {"file", DT_ARGUMENT_FILE},         {"tag", DT_ARGUMENT_TAG},
                   {"root", DT_ARGUMENT_ROOT},         {"op", DT_ARGUMENT_OPERATION},
                   {"live", DT_ARGUMENT_LIVE},         {"level", DT_ARGUMENT_THREAD_LEVEL},
                   {"assert", DT_ARGUMENT_ASSERTION},  {"lock", DT_ARGUMENT_LOCK},
                   {"size", DT_ARGUMENT_SIZE},         {"unit", DT_ARGUMENT_UNIT},
                   {"mode", DT_ARGUMENT_ACCESS_MODE},  {"displacement", DT_ARGUMENT_DISPLACEMENT},
                   {"offset", DT_ARGUMENT_OFFSET},     {"whence", DT_ARGUMENT_WHENCE},
                   {"kind", DT_ARGUMENT_LOCK_TYPE},    {"rank", DT_ARGUMENT_RANK},
                   {"element", DT_ARGUMENT_ELEMENT},   {"condition", DT_ARGUMENT_CONDITION}};
    gint64 number = g_ascii_strtoll(value, NULL, 10), argument = 0;
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (g_str_equal(name, numbers[i].name))
            argument = g_str_equal(value, "any")    ? dt_argument_special(numbers[i].kind, DT_SPECIAL_ANY)
                       : g_str_equal(value, "bad")  ? dt_argument_special(numbers[i].kind, DT_SPECIAL_UNKNOWN)
                       : g_str_equal(value, "none") ? dt_argument_special(numbers[i].kind, DT_SPECIAL_NO_HANDLE)
                                                    : dt_argument(numbers[i].kind, number);
    if (g_str_equal(name, "live") && strchr(value, ',')) {
        const gint64 positions[] = {number, g_ascii_strtoll(strchr(value, ',') + 1, NULL, 10)};
        argument = dt_argument(DT_ARGUMENT_LIVE, dt_argument_first_array(DT_ARGUMENT_LIVE) +
                                                     dt_process_writer_array(played->ranks[own].process, positions, 2));
    }
    if (array_kind(name))
        argument = array(&played->ranks[own], array_kind(name), value);
    if (g_str_equal(name, "to"))
        argument = peer(played, own, DT_ARGUMENT_TO, value);
    else if (g_str_equal(name, "from"))
        argument = peer(played, own, DT_ARGUMENT_FROM, value);
    else if (g_str_equal(name, "at"))
        argument = peer(played, own, DT_ARGUMENT_TARGET, value);
    else if (g_str_equal(name, "data") || g_str_equal(name, "other"))
        argument = data(&played->ranks[own], *name == 'o', value);
    else if (g_str_equal(name, "completed")) {
        call->completed[0] = DT_LIVE_COMPLETED;
        call->completed[1] = number;
    } else if (g_str_equal(name, "time")) {
        call->times[0] = (guint64)number;
        call->times[1] = g_ascii_strtoull(strchr(value, ',') + 1, NULL, 10);
    } else if (g_str_equal(name, "failed"))
        call->failed = number;
    else if (g_str_equal(name, "got")) {
        call->has_got = TRUE;
        call->got[0] = number;
        call->got[1] = g_ascii_strtoll(strchr(value, ',') + 1, NULL, 10);
    }
    if (argument)
        call->arguments[call->count++] = argument;
}

static void play_call(DtPlayedRun *played, guint own, guint thread, char **words)
{
    Rank *rank = &played->ranks[own];
    Call call = {.count = 0};
    for (guint i = 1; words[i]; i++) {
        char *value = strchr(words[i], '=');
        call.opens |= g_str_equal(words[i], "opens");
        if (value) {
            *value = '\0';
            add(played, own, &call, words[i], value + 1);
        }
    }
    guint32 function = function_of(rank, words[0]);
    guint32 id =
        call.count > 0 ? dt_process_writer_signature(rank->process, function, call.arguments, call.count) : function;
    DtThreadWriter *writer = thread_of(rank, thread);
    if (call.times[0])
        dt_thread_writer_time(writer, call.times[0]);
    dt_thread_writer_event(writer, id);
    if (call.failed)
        dt_thread_writer_note(writer, DT_NOTE_FAILED, &call.failed, 1, NULL);
    if (call.has_got)
        dt_thread_writer_note(writer, DT_NOTE_WILDCARD, call.got, 2, NULL);
    if (call.completed[0])
        dt_thread_writer_note(writer, DT_NOTE_LIVE, call.completed, 2, NULL);
    if (call.times[1])
        dt_thread_writer_time(writer, call.times[1]);
    if (!call.opens)
        dt_thread_writer_event(writer, DT_WORD_RETURN);
    rank->is_open[thread] = call.opens;
}

static void play_line(DtPlayedRun *played, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    char *end;
    guint own = (guint)g_ascii_strtoull(words[0], &end, 10);
    guint thread = *end == '.' ? (guint)g_ascii_strtoull(end + 1, NULL, 10) : 0;
    Rank *rank = &played->ranks[own];
    if (g_str_equal(words[1], "ends") || g_str_equal(words[1], "starts"))
        return;
    if (g_str_equal(words[1], ">"))
        dt_thread_writer_event(thread_of(rank, thread), DT_WORD_RETURN);
    else if (g_str_equal(words[1], "<"))
        dt_thread_writer_event(thread_of(rank, thread), function_of(rank, words[2]));
    else
        play_call(played, own, thread, words + 1);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void look_at_ranks(DtPlayedRun *played, char **lines)
{
    for (guint i = 0; lines[i] && *lines[i]; i++) {
        guint own = (guint)g_ascii_strtoull(lines[i], NULL, 10);
        played->count = MAX(played->count, own + 1);
        played->ranks[own].used = TRUE;
        played->ranks[own].ends_early |= g_str_has_suffix(lines[i], " ends") || g_str_has_suffix(lines[i], " opens");
        played->ranks[own].starts_late |= g_str_has_suffix(lines[i], " starts");
    }
}

DtPlayedRun *dt_played_run_new(const char *text)
{
    const char *const command[] = {"app", NULL};
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    DtPlayedRun *played = g_new0(DtPlayedRun, 1);
    played->path = g_dir_make_tmp("difftrace-played-XXXXXX", NULL);
    played->writer = dt_run_writer_new(played->path);
    look_at_ranks(played, lines);
    for (guint i = 0; i < played->count; i++) {
        open_rank(played, i);
        if (!played->ranks[i].starts_late)
            call_alone(&played->ranks[i], "MPI_Init");
    }
    for (guint i = 0; lines[i] && *lines[i]; i++)
        play_line(played, lines[i]);
    for (guint i = 0; i < played->count; i++)
        if (!played->ranks[i].ends_early && !played->ranks[i].starts_late)
            call_alone(&played->ranks[i], "MPI_Finalize");
    dt_run_writer_end(played->writer, "by hand", command, &error);
    g_assert_no_error(error);
    played->functions = dt_functions_new();
    played->run = dt_run_open(played->path, played->functions, &error);
    g_assert_no_error(error);
    return played;
}

DtRun *dt_played_run_get(DtPlayedRun *played)
{
    return played->run;
}

void dt_played_run_free(DtPlayedRun *played)
{
    g_autofree char *remove = g_strdup_printf("rm -rf '%s'", played->path);
    dt_run_free(played->run);
    dt_functions_unref(played->functions);
    dt_run_writer_free(played->writer);
    g_assert_true(g_spawn_command_line_sync(remove, NULL, NULL, NULL, NULL));
    for (guint i = 0; i < played->count; i++)
        g_hash_table_unref(played->ranks[i].functions);
    g_free(played->path);
    g_free(played);
}
