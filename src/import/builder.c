/* Runs and processes that an import builds: process files, symbol files, manifest. */
#include "import/builder_private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "calls/calls.h"
#include "format/checks.h"
#include "text/text.h"

enum { MOST_ENCODERS = 64, TABLE_CHUNK_RECORDS = 4096 };

/* ---- the run ------------------------------------------------------------------------ */

static void G_GNUC_PRINTF(2, 3) fail(DtRunBuilder *builder, const char *format, ...)
{
    if (builder->error)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = dt_text_vprintf(format, arguments);
    builder->error = g_error_new_literal(DT_IMPORT_ERROR, DT_IMPORT_ERROR_OUTPUT, message);
    va_end(arguments);
}

static void free_image(gpointer data)
{
    DtImageBuilder *image = data;
    g_free(image->name);
    g_free(image->key);
    g_byte_array_unref(image->records);
    g_byte_array_unref(image->names);
    g_free(image);
}

static void free_process(gpointer data)
{
    DtProcessBuilder *process = data;
    g_free(process->path);
    g_ptr_array_unref(process->images);
    g_hash_table_unref(process->by_name);
    g_byte_array_unref(process->functions);
    g_ptr_array_unref(process->threads);
    g_free(process);
}

static void make_folder(DtRunBuilder *builder, const char *name)
{
    g_autofree char *path = g_build_filename(builder->run, name, NULL);
    if (g_mkdir(path, 0777) != 0)
        fail(builder, "%s: cannot be made: %s", path, g_strerror(errno));
}

DtRunBuilder *dt_run_builder_new(const char *run, const char *from, const char *path)
{
    DtRunBuilder *builder = g_new0(DtRunBuilder, 1);
    builder->run = g_strdup(run);
    builder->from = g_strdup(from);
    builder->path = g_strdup(path);
    builder->processes = g_ptr_array_new_with_free_func(free_process);
    builder->warnings = g_ptr_array_new_with_free_func(g_free);
    make_folder(builder, "processes");
    make_folder(builder, "images");
    return builder;
}

void dt_run_builder_free(DtRunBuilder *builder)
{
    if (!builder)
        return;
    g_ptr_array_unref(builder->processes);
    g_ptr_array_unref(builder->warnings);
    g_clear_error(&builder->error);
    g_free(builder->run);
    g_free(builder->from);
    g_free(builder->path);
    g_free(builder);
}

void dt_run_builder_warn(DtRunBuilder *builder, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(builder->warnings, dt_text_vprintf(format, arguments));
    va_end(arguments);
}

void dt_run_builder_save_memory(DtRunBuilder *builder)
{
    if (builder->encoders < MOST_ENCODERS)
        return;
    for (guint i = 0; i < builder->processes->len; i++) {
        DtProcessBuilder *process = g_ptr_array_index(builder->processes, i);
        for (guint k = 0; k < process->threads->len; k++)
            dt_thread_builder_release(g_ptr_array_index(process->threads, k));
    }
}

/* ---- process files --------------------------------------------------------------------- */

static void fail_writing(DtProcessBuilder *process)
{
    fail(process->run, "%s: cannot be written to: %s", process->path, g_strerror(errno));
}

/* Opened for each chunk: there may be more processes than a process may have files open. */
void dt_process_builder_chunk(DtProcessBuilder *process, struct dt_chunk_header chunk, const void *payload, gsize bytes)
{
    static const guint8 zeros[DT_CHUNK_ALIGN];
    gsize used = sizeof(chunk) + bytes, rest = -used % DT_CHUNK_ALIGN;
    chunk.magic = DT_CHUNK_MAGIC;
    chunk.bytes = (guint32)(used + rest);
    chunk.check = dt_chunk_check(&chunk);
    FILE *file = g_fopen(process->path, "abe");
    gboolean written = file && fwrite(&chunk, sizeof(chunk), 1, file) == 1 &&
                       fwrite(payload, 1, bytes, file) == bytes && fwrite(zeros, 1, rest, file) == rest;
    if (file && fclose(file) != 0)
        written = FALSE;
    if (!written)
        fail_writing(process);
    process->header.file_bytes += chunk.bytes;
}

/* The space before the first chunk: the header in it comes last. */
static void write_header(DtProcessBuilder *process, const struct dt_file_header *header)
{
    guint8 page[DT_CHUNK_ALIGN] = {0};
    FILE *file = g_fopen(process->path, header ? "r+be" : "wbxe");
    if (header)
        memcpy(page, header, sizeof(*header));
    gboolean written = file && fwrite(page, sizeof(page), 1, file) == 1;
    if (file && fclose(file) != 0)
        written = FALSE;
    if (!written)
        fail_writing(process);
}

DtProcessBuilder *dt_run_builder_process(DtRunBuilder *builder, const DtProcessIdentity *identity)
{
    DtProcessBuilder *process = g_new0(DtProcessBuilder, 1);
    struct dt_file_header *header = &process->header;
    process->run = builder;
    process->images = g_ptr_array_new_with_free_func(free_image);
    process->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    process->functions = g_byte_array_new();
    process->threads = g_ptr_array_new_with_free_func(dt_thread_builder_free);
    memcpy(header->magic, DT_FILE_MAGIC, sizeof(header->magic));
    header->major = DT_FORMAT_MAJOR;
    header->minor = DT_FORMAT_MINOR;
    header->endian = DT_ENDIAN_MARK;
    header->header_bytes = sizeof(*header);
    header->rank = identity->rank;
    header->world_size = -1;
    header->pid = identity->pid;
    /* By which labels go: processes beside a rank are not it, and come in their order. */
    header->flags = identity->beside > 0 ? DT_FILE_FORKED : 0u;
    header->start_realtime_ns = ((guint64)identity->beside << 32) + builder->processes->len + 1;
    header->codec = DT_CODEC_LZR;
    g_strlcpy(header->host, identity->host, sizeof(header->host));
    g_strlcpy(header->executable, identity->executable, sizeof(header->executable));
    g_ptr_array_add(builder->processes, process);

    process->path = g_strdup_printf("%s/processes/%u.trace", builder->run, builder->processes->len - 1);
    header->file_bytes = DT_CHUNK_ALIGN;
    write_header(process, NULL);
    return process;
}

/* ---- functions and images ---------------------------------------------------------------- */

static guint find_image(DtProcessBuilder *process, const char *name)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(process->by_name, name));
    if (found)
        return found - 1;
    DtImageBuilder *image = g_new0(DtImageBuilder, 1);
    image->name = g_strdup(name);
    image->key = g_strdup_printf("%u-%u", process->run->processes->len - 1, process->images->len);
    image->records = g_byte_array_new();
    image->names = g_byte_array_new();
    g_ptr_array_add(process->images, image);
    g_hash_table_insert(process->by_name, image->name, GUINT_TO_POINTER(process->images->len));
    return process->images->len - 1;
}

void dt_process_builder_main_image(DtProcessBuilder *process, const char *image)
{
    process->main_image = find_image(process, image);
}

void dt_process_builder_cut(DtProcessBuilder *process)
{
    process->cut = TRUE;
}

gboolean dt_is_api_name(const char *name)
{
    enum dt_call_class call_class = dt_call_class(name);
    return call_class == DT_CALL_MPI || call_class == DT_CALL_OPENMP || call_class == DT_CALL_PTHREAD ||
           g_str_has_prefix(name, "mpi_") || g_str_has_prefix(name, "pmpi_");
}

guint32 dt_process_builder_functions(const DtProcessBuilder *process)
{
    return process->functions->len / (guint32)sizeof(struct dt_function);
}

guint32 dt_process_builder_function(DtProcessBuilder *process, const char *image_name, const char *name)
{
    guint index = find_image(process, image_name);
    DtImageBuilder *image = g_ptr_array_index(process->images, index);
    gboolean import = g_str_has_suffix(name, "@plt") && strlen(name) > 4;
    g_autofree char *plain = import ? g_strndup(name, strlen(name) - 4) : g_strdup(name);
    struct dt_function function = {.image = index, .id = dt_process_builder_functions(process) + 1};
    struct dt_symbol symbol = {.name = image->names->len};
    symbol.flags = (import ? DT_FUNCTION_IMPORT : 0u) | (dt_is_api_name(plain) ? DT_FUNCTION_API : 0u);
    function.symbol = image->records->len / (guint32)sizeof(symbol);
    function.flags = symbol.flags;
    function.check = dt_function_check(&function);
    g_byte_array_append(image->names, (const guint8 *)plain, (guint)strlen(plain) + 1);
    g_byte_array_append(image->records, (const guint8 *)&symbol, sizeof(symbol));
    g_byte_array_append(process->functions, (const guint8 *)&function, sizeof(function));
    if (g_str_has_prefix(plain, "MPI_Init"))
        process->header.flags |= DT_FILE_MPI_INITIALISED;
    if (g_str_equal(plain, "MPI_Finalize"))
        process->header.flags |= DT_FILE_MPI_FINALIZED;
    return function.id;
}

static void write_symbols(DtRunBuilder *builder, const DtImageBuilder *image)
{
    struct dt_symbols_header header = {.major = DT_FORMAT_MAJOR, .minor = DT_FORMAT_MINOR, .endian = DT_ENDIAN_MARK};
    memcpy(header.magic, DT_SYMBOLS_MAGIC, sizeof(header.magic));
    header.count = image->records->len / (guint32)sizeof(struct dt_symbol);
    header.text_bytes = image->names->len;
    header.crc32 =
        dt_crc32(dt_crc32(0, image->records->data, image->records->len), image->names->data, image->names->len);
    g_autoptr(GByteArray) file = g_byte_array_new();
    g_byte_array_append(file, (const guint8 *)&header, sizeof(header));
    g_byte_array_append(file, image->records->data, image->records->len);
    g_byte_array_append(file, image->names->data, image->names->len);
    g_autofree char *path = g_strdup_printf("%s/images/%s.sym", builder->run, image->key);
    g_autoptr(GError) error = NULL;
    if (!g_file_set_contents(path, (const char *)file->data, file->len, &error))
        fail(builder, "%s", error->message);
}

static void write_images(DtProcessBuilder *process)
{
    for (guint i = 0; i < process->images->len; i++) {
        const DtImageBuilder *image = g_ptr_array_index(process->images, i);
        struct dt_image record = {.index = i + 1, .flags = i == process->main_image ? DT_IMAGE_MAIN : 0u};
        gsize length = strlen(image->name), room = sizeof(record.path) - 1;
        record.hooked = image->records->len / (guint32)sizeof(struct dt_symbol);
        process->header.hooked += record.hooked;
        g_strlcpy(record.key, image->key, sizeof(record.key));
        if (length <= room)
            g_strlcpy(record.path, image->name, sizeof(record.path));
        else
            g_snprintf(record.path, sizeof(record.path), "...%s", image->name + length - (room - 3));
        record.check = dt_image_check(&record);
        struct dt_chunk_header chunk = {.type = DT_CHUNK_IMAGES, .owner = G_MAXUINT32, .records = 1};
        dt_process_builder_chunk(process, chunk, &record, sizeof(record));
        write_symbols(process->run, image);
    }
}

static void write_functions(DtProcessBuilder *process)
{
    gsize bytes = process->functions->len, step = TABLE_CHUNK_RECORDS * sizeof(struct dt_function);
    for (gsize at = 0; at < bytes; at += step) {
        gsize part = MIN(step, bytes - at);
        struct dt_chunk_header chunk = {.type = DT_CHUNK_FUNCTIONS, .owner = G_MAXUINT32};
        chunk.records = (guint32)(part / sizeof(struct dt_function));
        dt_process_builder_chunk(process, chunk, process->functions->data + at, part);
    }
}

/* How it ended is not known; that its traces are whole means that it ended by itself. */
static void end_process(DtProcessBuilder *process)
{
    struct dt_file_header *header = &process->header;
    for (guint i = 0; i < process->threads->len; i++)
        dt_thread_builder_end(g_ptr_array_index(process->threads, i));
    write_images(process);
    write_functions(process);
    header->app_threads = process->threads->len;
    header->functions = dt_process_builder_functions(process);
    header->end_state = process->cut ? DT_PROCESS_RUNNING : DT_PROCESS_EXITED;
    header->check = dt_file_header_check(header);
    write_header(process, header);
}

/* ---- the end ------------------------------------------------------------------------------- */

static void add_strings(JsonBuilder *json, const char *name, const char *const *strings, gsize count)
{
    json_builder_set_member_name(json, name);
    json_builder_begin_array(json);
    for (gsize i = 0; i < count; i++) {
        g_autofree char *valid = dt_text_json_value(strings[i]);
        json_builder_add_string_value(json, valid);
    }
    json_builder_end_array(json);
}

static void write_manifest(DtRunBuilder *builder)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    const char *const command[] = {"difftrace", "import", "--from", builder->from, builder->path};
    json_builder_begin_object(json);
    json_builder_set_member_name(json, "version");
    json_builder_add_int_value(json, 1);
    add_strings(json, "command", command, G_N_ELEMENTS(command));
    json_builder_set_member_name(json, "engine");
    json_builder_add_string_value(json, builder->from);
    json_builder_set_member_name(json, "finished");
    json_builder_add_boolean_value(json, TRUE);
    add_strings(json, "warnings", (const char *const *)builder->warnings->pdata, builder->warnings->len);
    json_builder_set_member_name(json, "checksum");
    json_builder_add_string_value(json, "00000000");
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    g_autofree char *written = json_to_string(root, TRUE), *text = dt_text_json(written);
    g_autofree char *path = g_build_filename(builder->run, "manifest.json", NULL);
    g_autoptr(GError) error = NULL;
    dt_manifest_sign(text);
    if (!g_file_set_contents(path, text, -1, &error))
        fail(builder, "%s", error->message);
}

DtImportResult *dt_run_builder_end(DtRunBuilder *builder, GError **error)
{
    for (guint i = 0; i < builder->processes->len; i++)
        end_process(g_ptr_array_index(builder->processes, i));
    write_manifest(builder);
    dt_run_seal(builder->run);
    if (builder->error) {
        g_propagate_error(error, g_steal_pointer(&builder->error));
        return NULL;
    }
    DtImportResult *result = g_new0(DtImportResult, 1);
    result->processes = builder->processes->len;
    result->threads = builder->threads;
    result->events = builder->events;
    result->warnings = g_ptr_array_ref(builder->warnings);
    return result;
}

void dt_run_builder_discard(DtRunBuilder *builder)
{
    static const char *const parts[] = {"processes", "images", ".difftrace"};
    for (guint i = 0; i < builder->processes->len; i++)
        g_remove(((const DtProcessBuilder *)g_ptr_array_index(builder->processes, i))->path);
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_autofree char *path = g_build_filename(builder->run, parts[i], NULL);
        g_remove(path);
    }
    g_remove(builder->run);
}

void dt_import_result_free(DtImportResult *result)
{
    if (!result)
        return;
    g_ptr_array_unref(result->warnings);
    g_free(result);
}
