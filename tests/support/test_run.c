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

static void free_image(gpointer data)
{
    DtTestImage *image = data;
    g_free(image->name);
    g_free(image->key);
    g_ptr_array_unref(image->symbols);
    g_hash_table_unref(image->indices);
    g_free(image);
}

static void free_thread(gpointer data)
{
    DtTestThread *thread = data;
    g_array_unref(thread->words);
    dt_coded_stream_free(thread->stream);
    g_byte_array_unref(thread->notes);
    g_free(thread);
}

static void free_process(gpointer data)
{
    DtTestProcess *process = data;
    g_ptr_array_unref(process->threads);
    g_ptr_array_unref(process->images);
    g_hash_table_unref(process->ids);
    g_array_unref(process->functions);
    g_free(process);
}

DtTestRun *dt_test_run_new(const char *path)
{
    DtTestRun *writer = g_new0(DtTestRun, 1);
    writer->path = g_strdup(path);
    writer->processes = g_ptr_array_new_with_free_func(free_process);
    writer->images = g_ptr_array_new_with_free_func(free_image);
    writer->write_manifest = TRUE;
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
    process->images = g_ptr_array_new();
    process->ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    process->functions = g_array_new(FALSE, TRUE, sizeof(struct dt_function));
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

static DtTestImage *find_image(DtTestRun *writer, const char *name, gboolean main_image)
{
    for (guint i = 0; i < writer->images->len; i++) {
        DtTestImage *image = g_ptr_array_index(writer->images, i);
        if (image->main_image == main_image && g_str_equal(image->name, name))
            return image;
    }
    DtTestImage *image = g_new0(DtTestImage, 1);
    image->name = g_strdup(name);
    image->main_image = main_image;
    image->key = g_strdup_printf("%s-%08x", main_image ? "main" : name, g_str_hash(name));
    image->symbols = g_ptr_array_new_with_free_func(g_free);
    image->indices = g_hash_table_new(g_str_hash, g_str_equal);
    g_ptr_array_add(writer->images, image);
    return image;
}

static guint image_of_process(DtTestProcess *process, DtTestImage *image)
{
    guint index;
    if (!g_ptr_array_find(process->images, image, &index)) {
        index = process->images->len;
        g_ptr_array_add(process->images, image);
    }
    return index;
}

/* `symbol` may end in #2, #3...: it is the key; dt_symbol gets the name alone. */
static guint symbol_of_image(DtTestImage *image, const char *symbol)
{
    gpointer index;
    if (!g_hash_table_lookup_extended(image->indices, symbol, NULL, &index)) {
        char *copy = g_strdup(symbol);
        index = GUINT_TO_POINTER(image->symbols->len);
        g_ptr_array_add(image->symbols, copy);
        g_hash_table_insert(image->indices, copy, index);
    }
    return GPOINTER_TO_UINT(index);
}

static guint32 add_function(DtTestProcess *process, const char *name)
{
    g_autofree char *text = g_strdup(name);
    struct dt_function function = {0};
    char *symbol = text;
    const char *library = NULL;

    if (g_str_has_suffix(symbol, "@plt")) {
        symbol[strlen(symbol) - 4] = 0;
        function.flags |= DT_FUNCTION_IMPORT;
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
        function.flags |= DT_FUNCTION_API;
    g_autofree char *main_name = g_path_get_basename(process->executable);
    DtTestImage *image = find_image(process->run, library ? library : main_name, library == NULL);
    function.image = image_of_process(process, image);
    function.symbol = symbol_of_image(image, symbol);
    function.id = process->functions->len + 1;
    function.check = dt_function_check(&function);
    g_array_append_val(process->functions, function);
    return function.id;
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

/* ---- symbol files and manifest ------------------------------------------- */

static char *name_of_symbol(const char *symbol)
{
    const char *number = strrchr(symbol, '#');
    gboolean numbered = number && number[1] && strspn(number + 1, "0123456789") == strlen(number + 1);
    return g_strndup(symbol, numbered ? (gsize)(number - symbol) : strlen(symbol));
}

static void write_symbols(const DtTestRun *writer, const DtTestImage *image)
{
    g_autoptr(GByteArray) records = g_byte_array_new();
    g_autoptr(GByteArray) names = g_byte_array_new();
    for (guint i = 0; i < image->symbols->len; i++) {
        g_autofree char *name = name_of_symbol(g_ptr_array_index(image->symbols, i));
        struct dt_symbol symbol = {.address = 0x1000 + 32 * (guint64)i, .size = 32, .name = names->len};
        symbol.flags = api_image(name) ? DT_FUNCTION_API : 0;
        g_byte_array_append(names, (const guint8 *)name, (guint)strlen(name) + 1);
        g_byte_array_append(records, (const guint8 *)&symbol, sizeof(symbol));
    }
    struct dt_symbols_header header = {.major = DT_FORMAT_MAJOR, .minor = DT_FORMAT_MINOR, .endian = DT_ENDIAN_MARK};
    memcpy(header.magic, DT_SYMBOLS_MAGIC, sizeof(header.magic));
    header.count = image->symbols->len;
    header.text_bytes = names->len;
    header.crc32 = dt_crc32(dt_crc32(0, records->data, records->len), names->data, names->len);

    g_autoptr(GByteArray) file = g_byte_array_new();
    g_byte_array_append(file, (const guint8 *)&header, sizeof(header));
    g_byte_array_append(file, records->data, records->len);
    g_byte_array_append(file, names->data, names->len);
    g_autofree char *path = g_strdup_printf("%s/images/%s.sym", writer->path, image->key);
    dt_write_bytes(path, file->data, file->len);
}

static void write_manifest(const DtTestRun *writer)
{
    const char *codec = dt_codec_name(writer->codec);
    g_autoptr(GByteArray) file = g_byte_array_new();
    g_autofree char *text = g_strdup_printf(
        "{\"version\":1,\"difftrace\":\"0.1.0\",\"command\":[\"./app\",\"-n\",\"4\"],\"images\":\"app\","
        "\"codec\":\"%s\",\"engine\":\"native\",\"launcher\":%s,\"seconds\":%.1f,\"finished\":%s,"
        "\"timed_out\":%s,\"exit_status\":%d,\"processes\":%s}\n",
        codec, writer->ranked ? "true" : "false", writer->seconds, writer->finished ? "true" : "false",
        writer->timed_out ? "true" : "false", writer->exit_status,
        writer->manifest_processes ? writer->manifest_processes : "[]");
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

static void make_directory(const char *run, const char *name)
{
    g_autofree char *path = g_strconcat(run, "/", name, NULL);
    if (g_mkdir_with_parents(path, 0777) != 0)
        g_error("%s: %s", path, g_strerror(errno));
}

char *dt_test_process_file(const DtTestProcess *process)
{
    return g_strdup_printf("processes/%s.%u.trace", process->host, process->pid);
}

void dt_test_run_flush(DtTestRun *writer)
{
    make_directory(writer->path, "processes");
    if (writer->processes->len > 0)
        writer->codec = ((DtTestProcess *)g_ptr_array_index(writer->processes, 0))->codec;
    for (guint i = 0; i < writer->processes->len; i++)
        dt_write_process(g_ptr_array_index(writer->processes, i));
    g_ptr_array_set_size(writer->processes, 0);
}

void dt_test_run_free(DtTestRun *writer)
{
    g_ptr_array_unref(writer->processes);
    g_ptr_array_unref(writer->images);
    g_free(writer->path);
    g_free(writer);
}

void dt_test_run_finish(DtTestRun *writer)
{
    dt_test_run_flush(writer);
    make_directory(writer->path, "images");
    for (guint i = 0; i < writer->images->len; i++)
        write_symbols(writer, g_ptr_array_index(writer->images, i));
    if (writer->write_manifest)
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
