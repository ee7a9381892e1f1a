/* Synthetic runs: the events as given, the tables and the manifest. */
#include "test_run.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "format/checks.h"
#include "format/note.h"
#include "test_run_private.h"

static void free_thread(gpointer data)
{
    DtTestThread *thread = data;
    g_array_unref(thread->words);
    if (thread->stream)
        dt_stream_writer_clear(thread->stream);
    g_free(thread->stream);
    g_byte_array_unref(thread->notes);
    g_free(thread);
}

static void free_process(gpointer data)
{
    DtTestProcess *process = data;
    g_ptr_array_unref(process->threads);
    g_hash_table_unref(process->ids);
    g_array_unref(process->sites);
    g_free(process);
}

DtTestRun *dt_test_run_new(const char *path)
{
    DtTestRun *writer = g_new0(DtTestRun, 1);
    g_autofree char *processes = g_build_filename(path, "processes", NULL);
    g_autofree char *images = g_build_filename(path, "images", NULL);
    dt_remove_tree(processes);
    dt_remove_tree(images);
    writer->path = g_strdup(path);
    writer->writer = dt_run_writer_new(path);
    writer->processes = g_ptr_array_new_with_free_func(free_process);
    writer->symbols = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    writer->finished = TRUE;
    writer->seconds = 1.5;
    writer->codec = DT_CODEC_PARLOT;
    return writer;
}

DtTestProcess *dt_test_run_process(DtTestRun *writer, gint rank)
{
    guint index = writer->process_count++;
    if (index == 0)
        writer->ranked = rank >= 0;
    DtTestProcess *process = g_new0(DtTestProcess, 1);
    process->run = writer;
    process->writer = dt_run_writer_process(writer->writer);
    process->rank = rank;
    process->pid = 1000 + index;
    process->codec = DT_CODEC_PARLOT;
    process->start_ns = 1000000 * (guint64)(index + 1);
    process->end_ns = process->start_ns + 5000000;
    process->end_state = DT_PROCESS_EXITED;
    process->host = "node1";
    process->executable = "/home/user/app";
    process->arguments = "app -n 4";
    process->major = DT_FORMAT_MAJOR;
    process->minor = DT_FORMAT_MINOR;
    process->sealed = TRUE;
    process->threads = g_ptr_array_new_with_free_func(free_thread);
    process->ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    process->sites = g_array_new(FALSE, TRUE, sizeof(struct dt_call_site));
    g_ptr_array_add(writer->processes, process);
    return process;
}

DtTestThread *dt_test_process_thread(DtTestProcess *process, guint32 kind, guint32 number)
{
    DtTestThread *thread = g_new0(DtTestThread, 1);
    thread->process = process;
    thread->kind = kind;
    thread->number = number;
    thread->name = "app";
    thread->finish = TRUE;
    thread->chunk_bytes = DT_CHUNK_ALIGN;
    thread->words = g_array_new(FALSE, FALSE, sizeof(guint16));
    thread->notes = g_byte_array_new();
    g_ptr_array_add(process->threads, thread);
    return thread;
}

/* ---- functions ---------------------------------------------------------- */

static const char *api_image(const char *symbol)
{
    static const struct {
        const char *prefix, *image;
    } interfaces[] = {
        {"MPI_", "libmpi.so.40"},  {"PMPI_", "libmpi.so.40"}, {"mpi_", "libmpi.so.40"},  {"pmpi_", "libmpi.so.40"},
        {"GOMP_", "libgomp.so.1"}, {"omp_", "libgomp.so.1"},  {"pthread_", "libc.so.6"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(interfaces); i++) {
        if (g_str_has_prefix(symbol, interfaces[i].prefix))
            return interfaces[i].image;
    }
    return NULL;
}

/* `symbol` may end in #2, #3...: the writer gets the name alone. */
static char *name_of_symbol(const char *symbol)
{
    const char *number = strrchr(symbol, '#');
    gboolean numbered = number && number[1] && strspn(number + 1, "0123456789") == strlen(number + 1);
    return g_strndup(symbol, numbered ? (gsize)(number - symbol) : strlen(symbol));
}

static guint32 find_symbol(DtTestRun *run, DtImageWriter *image, const char *path, const char *symbol)
{
    g_autofree char *key = g_strconcat(path, "\n", symbol, NULL), *name = name_of_symbol(symbol);
    guint32 index = GPOINTER_TO_UINT(g_hash_table_lookup(run->symbols, key));
    if (index == 0) {
        index = dt_image_writer_symbol(image, name, 0x1000, 32, api_image(name) ? DT_FUNCTION_API : 0) + 1;
        g_hash_table_insert(run->symbols, g_steal_pointer(&key), GUINT_TO_POINTER(index));
    }
    return index - 1;
}

static guint32 add_function(DtTestProcess *process, const char *name)
{
    g_autofree char *text = g_strdup(name);
    char *symbol = text;
    const char *library = NULL;
    guint32 flags = 0;

    if (g_str_has_suffix(symbol, "@plt")) {
        symbol[strlen(symbol) - 4] = 0;
        flags |= DT_FUNCTION_IMPORT;
    }
    char *colon = strchr(symbol, ':');
    if (colon) {
        *colon = 0;
        library = symbol;
        symbol = colon + 1;
    } else {
        library = api_image(symbol);
    }
    if (api_image(symbol))
        flags |= DT_FUNCTION_API;
    g_autofree char *path = library ? g_strconcat("/usr/lib/", library, NULL) : g_strdup(process->executable);
    DtImageWriter *image = dt_run_writer_image(process->run->writer, path, library ? DT_IMAGE_API_ONLY : DT_IMAGE_MAIN);
    guint32 index = find_symbol(process->run, image, path, symbol);
    return dt_process_writer_function(process->writer, image, index, flags);
}

guint32 dt_test_process_id(DtTestProcess *process, const char *function)
{
    guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(process->ids, function));
    if (id == 0) {
        id = add_function(process, function);
        g_hash_table_insert(process->ids, g_strdup(function), GUINT_TO_POINTER(id));
    }
    return id;
}

void dt_test_process_site(DtTestProcess *process, guint32 id, guint32 image, guint64 address, guint32 flags)
{
    struct dt_call_site site = {.id = id, .image = image, .address = address, .flags = flags};
    site.check = dt_call_site_check(&site);
    g_array_append_val(process->sites, site);
}

/* ---- events ------------------------------------------------------------- */

static void append_word(DtTestThread *thread, guint32 word)
{
    guint16 narrow = (guint16)word;
    g_array_append_val(thread->words, narrow);
}

void dt_test_thread_event(DtTestThread *thread, guint32 id)
{
    if (id <= DT_WORD_LAST_ID) {
        append_word(thread, id);
    } else {
        append_word(thread, DT_WORD_ESCAPE);
        append_word(thread, id & 0x7fff);
        append_word(thread, id >> 15);
    }
}

void dt_test_thread_return(DtTestThread *thread)
{
    dt_test_thread_event(thread, DT_WORD_RETURN);
}

void dt_test_thread_call(DtTestThread *thread, const char *function)
{
    if (g_str_has_prefix(function, "MPI_Init") || g_str_has_prefix(function, "mpi_init"))
        thread->process->flags |= DT_FILE_MPI_INITIALISED;
    if (g_str_has_prefix(function, "MPI_Finalize") || g_str_has_prefix(function, "mpi_finalize"))
        thread->process->flags |= DT_FILE_MPI_FINALIZED;
    dt_test_thread_event(thread, dt_test_process_id(thread->process, function));
}

void dt_test_thread_events(DtTestThread *thread, const char *events)
{
    g_auto(GStrv) tokens = g_strsplit(events, " ", -1);
    for (guint i = 0; tokens[i]; i++) {
        if (g_str_equal(tokens[i], "<"))
            dt_test_thread_return(thread);
        else if (*tokens[i])
            dt_test_thread_call(thread, tokens[i]);
    }
}

void dt_test_thread_note(DtTestThread *thread, guint32 kind, const gint64 *values, guint count, const char *text)
{
    struct dt_notes head = {.position = 0};
    struct dt_note note = {.offset = thread->words->len, .kind = kind, .count = count};
    guint8 body[DT_NOTE_BODY];
    if (count > 0)
        memcpy(note.values, values, count * sizeof(*values));
    note.text = (const guint8 *)text;
    note.text_bytes = text ? strlen(text) : 0;
    guint8 length = (guint8)dt_note_encode(&note, body);
    if (thread->notes->len == 0)
        g_byte_array_append(thread->notes, (const guint8 *)&head, sizeof(head));
    g_byte_array_append(thread->notes, &length, 1);
    g_byte_array_append(thread->notes, body, length);
}

/* ---- the run -------------------------------------------------------------- */

static void write_manifest(const DtTestRun *writer)
{
    const char *codec = dt_codec_name(writer->codec);
    g_autoptr(GByteArray) file = g_byte_array_new();
    g_autofree char *text = g_strdup_printf(
        "{\"version\":1,\"difftrace\":\"0.1.0\",\"command\":[\"./app\",\"-n\",\"4\"],\"images\":\"app\","
        "\"codec\":\"%s\",\"engine\":\"native\",\"launcher\":%s,\"seconds\":%.1f,\"finished\":%s,"
        "\"timed_out\":%s,\"exit_status\":%d,\"processes\":%s,\"ending\":%s}\n",
        codec, writer->ranked ? "true" : "false", writer->seconds, writer->finished ? "true" : "false",
        writer->timed_out ? "true" : "false", writer->exit_status,
        writer->manifest_processes ? writer->manifest_processes : "[]", writer->ending ? writer->ending : "null");
    g_byte_array_append(file, (const guint8 *)text, (guint)strlen(text));
    g_autofree char *path = g_strconcat(writer->path, "/manifest.json", NULL);
    dt_write_bytes(path, file->data, file->len);
}

/* Not truncated first: some file systems then wait for the disk. */
void dt_write_bytes(const char *path, const void *data, gsize bytes)
{
    int file = g_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    gboolean written = file >= 0 && write(file, data, bytes) == (gssize)bytes && ftruncate(file, (goffset)bytes) == 0;
    if (!written || close(file) != 0)
        g_error("%s: %s", path, g_strerror(errno));
}

char *dt_test_process_file(const DtTestProcess *process)
{
    return g_strdup_printf("processes/%s.%u.trace", process->host, process->pid);
}

void dt_test_run_flush(DtTestRun *writer)
{
    if (writer->processes->len > 0)
        writer->codec = ((DtTestProcess *)g_ptr_array_index(writer->processes, 0))->codec;
    for (guint i = 0; i < writer->processes->len; i++)
        dt_write_process(g_ptr_array_index(writer->processes, i));
    g_ptr_array_set_size(writer->processes, 0);
}

void dt_test_run_free(DtTestRun *writer)
{
    g_ptr_array_unref(writer->processes);
    dt_run_writer_free(writer->writer);
    g_hash_table_unref(writer->symbols);
    g_free(writer->path);
    g_free(writer);
}

void dt_test_run_finish(DtTestRun *writer)
{
    const char *const command[] = {NULL};
    g_autoptr(GError) error = NULL;
    dt_test_run_flush(writer);
    if (!dt_run_writer_end(writer->writer, "native", command, &error))
        g_error("%s", error->message);
    write_manifest(writer);
    dt_test_run_free(writer);
}

void dt_test_run_single(const char *path, const char *events)
{
    DtTestRun *writer = dt_test_run_new(path);
    DtTestProcess *process = dt_test_run_process(writer, -1);
    dt_test_thread_events(dt_test_process_thread(process, DT_THREAD_APP, 0), events);
    dt_test_run_finish(writer);
}

/* ---- temporary directories ------------------------------------------------ */

void dt_remove_tree(const char *path)
{
    if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
        g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
        const char *name;
        while (directory && (name = g_dir_read_name(directory))) {
            g_autofree char *child = g_build_filename(path, name, NULL);
            dt_remove_tree(child);
        }
    }
    g_remove(path);
}

char *dt_temporary_directory(void)
{
    g_autoptr(GError) error = NULL;
    char *path = g_dir_make_tmp("difftrace-test-XXXXXX", &error);
    if (!path)
        g_error("%s", error->message);
    return path;
}
