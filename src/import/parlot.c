/*
 * The directories of the original ParLOT tools: per process Hdbg.N.HOST.PID.info with the routines' names, per thread
 * Hdbg.N.HOST.PID.TID with its events. Files of killed processes are cut anywhere.
 */
#include <string.h>

#include "codec/codec.h"
#include "import/reader.h"
#include "store/file.h"
#include "text/text.h"

enum { BATCH_WORDS = 4096, GROUP_WORDS = 4, LAST_ID = 65534 };
static const guint64 MOST_BYTES = G_GUINT64_CONSTANT(1) << 32; /* of compressed events */

/* ---- file names ---------------------------------------------------------------------- */

typedef struct {
    char *path, *host;
    guint64 pid, tid;
    gboolean info;
} File;

static void free_file(gpointer data)
{
    File *file = data;
    g_free(file->path);
    g_free(file->host);
    g_free(file);
}

static gint compare_numbers(guint64 one, guint64 two)
{
    return (one > two) - (one < two);
}

/* By process, its .info first, then threads by id. */
static gint compare_files(gconstpointer first, gconstpointer second)
{
    const File *one = *(File *const *)first, *two = *(File *const *)second;
    gint order = strcmp(one->host, two->host);
    if (order == 0)
        order = compare_numbers(one->pid, two->pid);
    if (order == 0)
        order = two->info - one->info;
    return order != 0 ? order : compare_numbers(one->tid, two->tid);
}

static File *match_name(GRegex *pattern, const char *folder, const char *name)
{
    g_autoptr(GMatchInfo) match = NULL;
    if (!g_regex_match(pattern, name, 0, &match))
        return NULL;
    g_autofree char *pid = g_match_info_fetch(match, 2), *last = g_match_info_fetch(match, 3);
    File *file = g_new0(File, 1);
    file->path = g_build_filename(folder, name, NULL);
    file->host = g_match_info_fetch(match, 1);
    file->pid = g_ascii_strtoull(pid, NULL, 10);
    file->info = g_str_equal(last, "info");
    file->tid = file->info ? 0 : g_ascii_strtoull(last, NULL, 10);
    return file;
}

/* (element-type File), sorted. */
static GPtrArray *list_files(const char *folder)
{
    g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
    g_autoptr(GRegex) pattern = g_regex_new("^Hdbg\\.\\d+\\.([^.]*)\\.(\\d+)\\.(info|\\d+)$", 0, 0, NULL);
    GPtrArray *files = g_ptr_array_new_with_free_func(free_file);
    const char *name;
    while (directory && (name = g_dir_read_name(directory))) {
        File *file = match_name(pattern, folder, name);
        if (file)
            g_ptr_array_add(files, file);
    }
    g_ptr_array_sort(files, compare_files);
    return files;
}

gboolean dt_is_parlot(const char *path)
{
    g_autoptr(GPtrArray) files = list_files(path);
    return files->len > 0;
}

/* ---- routines ------------------------------------------------------------------------------ */

/* A line "+" starts an image: its path follows, then routines. Ids count routines only. The image with main() is the
 * program. */
static void read_routines(const File *file, DtProcessWriter *process, DtRunWriter *run)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = dt_file_contents(file->path, MOST_BYTES, NULL, &error);
    if (!text) {
        dt_run_writer_warn(run, "%s: %s: its functions have no names", file->path, error->message);
        return;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    const char *image = "unknown";
    gboolean have_main = FALSE;
    for (guint i = 0; lines[i] && (lines[i + 1] || *lines[i]); i++) {
        if (g_str_equal(lines[i], "+")) {
            image = lines[i + 1] ? lines[++i] : image;
            continue;
        }
        if (!have_main && g_str_equal(lines[i], "main")) {
            dt_process_writer_image(process, image, DT_IMAGE_MAIN);
            have_main = TRUE;
        }
        if (dt_process_writer_functions(process) < LAST_ID)
            dt_import_function(process, image, lines[i]);
    }
}

/* ---- traces -------------------------------------------------------------------------------- */

/* Bytes of the group that starts at `at`, 0 if it is not all there or holds a byte that would have been left out. */
static gsize group_bytes(const guint8 *data, gsize bytes, gsize at)
{
    gsize needed = 1u + (gsize)__builtin_popcount(data[at]);
    if (needed > bytes - at || memchr(data + at + 1, 0, needed - 1))
        return 0;
    return needed;
}

/* Whether `words` words may be all of a group with that bitmap. */
static gboolean can_be_last(guint8 bitmap, guint words)
{
    return words >= 1 && words <= GROUP_WORDS && bitmap >> 2 * words == 0;
}

typedef struct {
    enum {
        WHOLE, /* compressed, with the byte that ends it */
        CUT,   /* compressed, its end missing */
        WORDS  /* not compressed */
    } kind;
    gsize bytes; /* of it that count: cut, whole groups; words, without the last byte */
} Stream;

/* What a file is. About 1 in 50 places where a trace may be cut leave one that looks whole. */
static Stream classify(const guint8 *data, gsize bytes)
{
    Stream trace = {WHOLE, 0};
    guint8 bitmap = 0;
    if (bytes == 0 || (bytes == 1 && data[0] == 0))
        return (Stream){bytes == 0 ? CUT : WHOLE, bytes};
    while (trace.bytes < bytes) {
        if (bytes - trace.bytes == 1 && trace.bytes > 0 && can_be_last(bitmap, data[trace.bytes]))
            return (Stream){WHOLE, bytes};
        gsize group = group_bytes(data, bytes, trace.bytes);
        if (group == 0)
            break;
        bitmap = data[trace.bytes];
        trace.bytes += group;
    }
    /* The variant without compression: words and a byte of 0. Compressed traces start with a word of 0. */
    gboolean compressed = trace.bytes > 0 && (data[0] & 3) == 0;
    if (!compressed && bytes % 2 == 1 && data[bytes - 1] == 0)
        return (Stream){WORDS, bytes - 1};
    trace.kind = CUT;
    return trace;
}

typedef struct {
    DtProcessWriter *process;
    DtThreadWriter *thread;
    guint named;     /* routines of the .info */
    guint32 *ids;    /* of routines by ParLOT's ids; 0: not named yet */
    guint64 unnamed; /* calls of routines that no .info names */
} Sink;

static guint32 *identity_of(guint named)
{
    guint32 *ids = g_new0(guint32, G_MAXUINT16 + 1);
    for (guint32 i = 0; i <= named; i++)
        ids[i] = i;
    return ids;
}

/* A process that was killed may not have written the names of its last routines. */
static guint32 find_routine(Sink *sink, guint16 word)
{
    if (word != 0 && sink->ids[word] == 0) {
        g_autofree char *name = g_strdup_printf("routine#%u", word);
        sink->ids[word] = dt_import_function(sink->process, "unknown", name);
    }
    return sink->ids[word];
}

static void take_words(Sink *sink, const guint16 *words, gsize count)
{
    for (gsize i = 0; i < count; i++) {
        if (words[i] > LAST_ID)
            continue;
        sink->unnamed += words[i] > sink->named;
        dt_thread_writer_event(sink->thread, find_routine(sink, words[i]));
    }
}

static void take_raw_words(Sink *sink, const guint8 *data, gsize bytes)
{
    for (gsize at = 0; at + 2 <= bytes; at += 2) {
        guint16 word = (guint16)(data[at] | data[at + 1] << 8);
        take_words(sink, &word, 1);
    }
}

/* Of a cut trace the decoder gets whole groups and is told that nothing is pending. */
static void decode(Sink *sink, const guint8 *data, const Stream *trace)
{
    static const guint8 nothing_pending[DT_CODEC_PENDING_BYTES];
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(DT_CODEC_PARLOT));
    g_autofree guint16 *words = g_new(guint16, BATCH_WORDS);
    gsize count;
    dt_codec_decoder_init(DT_CODEC_PARLOT, state, data, trace->bytes, G_MAXUINT64,
                          trace->kind == CUT ? nothing_pending : NULL);
    while ((count = dt_codec_decode(DT_CODEC_PARLOT, state, words, BATCH_WORDS)) > 0)
        take_words(sink, words, count);
}

static void read_trace(const File *file, guint number, Sink *sink, DtRunWriter *run)
{
    g_autoptr(GError) error = NULL;
    gsize bytes = 0;
    g_autofree char *contents = dt_file_contents(file->path, MOST_BYTES, &bytes, &error);
    if (!contents) {
        dt_run_writer_warn(run, "%s: %s", file->path, error->message);
        return;
    }
    const guint8 *data = (const guint8 *)contents;
    Stream trace = classify(data, bytes);
    sink->thread = dt_process_writer_thread(sink->process, DT_THREAD_APP, number);
    sink->unnamed = 0;
    if (trace.kind == WORDS)
        take_raw_words(sink, data, trace.bytes);
    else if (bytes > 0)
        decode(sink, data, &trace);
    dt_thread_writer_end(sink->thread);
    if (trace.kind == CUT) {
        dt_import_cut(sink->process);
        dt_run_writer_warn(run, "%s: cut short at offset %" G_GSIZE_FORMAT ": the process was killed", file->path,
                           trace.bytes);
    }
    if (sink->unnamed > 0)
        dt_run_writer_warn(run, "%s: %" G_GUINT64_FORMAT " calls of routines that no .info names", file->path,
                           sink->unnamed);
}

/* ---- processes ------------------------------------------------------------------------------ */

static gboolean same_process(const File *one, const File *two)
{
    return one->pid == two->pid && g_str_equal(one->host, two->host);
}

/* Files `first` to `end` - 1 are of one process. */
static void read_process(const GPtrArray *files, guint first, guint end, DtRunWriter *run)
{
    const File *file = g_ptr_array_index(files, first);
    DtProcessIdentity identity = {-1, 0, (guint32)file->pid, file->host, ""};
    DtProcessWriter *process = dt_import_process(run, &identity);
    guint at = first, number = 0;
    if (file->info)
        read_routines(g_ptr_array_index(files, at++), process, run);
    else
        dt_run_writer_warn(run, "%s: no .info beside it: its functions have no names", file->path);
    Sink sink = {.process = process, .named = dt_process_writer_functions(process)};
    sink.ids = identity_of(sink.named);
    if (at == end)
        dt_run_writer_warn(run, "%s: no trace beside it", file->path);
    for (; at < end; at++)
        read_trace(g_ptr_array_index(files, at), number++, &sink, run);
    dt_process_writer_end(process);
    g_free(sink.ids);
}

gboolean dt_import_parlot(const char *path, DtRunWriter *run, GError **error)
{
    g_autoptr(GPtrArray) files = list_files(path);
    for (guint first = 0, end = 0; first < files->len; first = end) {
        while (end < files->len && same_process(g_ptr_array_index(files, first), g_ptr_array_index(files, end)))
            end++;
        read_process(files, first, end, run);
    }
    if (files->len == 0)
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT,
                     "%s: no files of ParLOT there (Hdbg.N.HOST.PID.info, Hdbg.N.HOST.PID.TID)", path);
    return files->len > 0;
}
