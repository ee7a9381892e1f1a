/* Images, their symbol files, and the functions that processes have of them. */
#include <string.h>

#include "format/checks.h"
#include "writer/writer_private.h"

enum { TABLE_CHUNK_RECORDS = 4096 };

static DtImageWriter *image_new(DtRunWriter *run, const char *path)
{
    DtImageWriter *image = g_new0(DtImageWriter, 1);
    image->path = g_strdup(path);
    image->key = g_strdup_printf("%u", run->image_count++);
    image->records = g_byte_array_new();
    image->names = g_byte_array_new();
    return image;
}

void dt_image_writer_free(gpointer data)
{
    DtImageWriter *image = data;
    g_free(image->path);
    g_free(image->key);
    g_free(image->lines);
    g_byte_array_unref(image->records);
    g_byte_array_unref(image->names);
    g_free(image);
}

DtImageWriter *dt_run_writer_image(DtRunWriter *run, const char *path, guint32 flags)
{
    DtImageWriter *image = g_hash_table_lookup(run->by_path, path);
    if (!image) {
        image = image_new(run, path);
        g_ptr_array_add(run->images, image);
        g_hash_table_insert(run->by_path, image->path, image);
    }
    image->flags |= flags;
    return image;
}

DtImageWriter *dt_process_writer_image(DtProcessWriter *process, const char *path, guint32 flags)
{
    DtImageWriter *image = NULL;
    for (guint i = 0; i < process->own_images->len && !image; i++) {
        DtImageWriter *own = g_ptr_array_index(process->own_images, i);
        image = g_str_equal(own->path, path) ? own : NULL;
    }
    if (!image) {
        image = image_new(process->run, path);
        g_ptr_array_add(process->own_images, image);
        g_ptr_array_add(process->images, image);
    }
    image->flags |= flags;
    return image;
}

static guint count_symbols(const DtImageWriter *image)
{
    return image->records->len / (guint)sizeof(struct dt_symbol);
}

guint32 dt_image_writer_symbol(DtImageWriter *image, const char *name, guint64 address, guint32 size, guint32 flags)
{
    struct dt_symbol symbol = {.address = address, .size = size, .name = image->names->len, .flags = flags};
    g_byte_array_append(image->names, (const guint8 *)name, (guint)strlen(name) + 1);
    g_byte_array_append(image->records, (const guint8 *)&symbol, sizeof(symbol));
    return count_symbols(image) - 1;
}

void dt_image_writer_key(DtImageWriter *image, const char *key)
{
    g_free(image->key);
    image->key = g_strdup(key);
}

void dt_image_writer_lines(DtImageWriter *image, const char *text)
{
    g_free(image->lines);
    image->lines = g_strdup(text);
}

void dt_image_writer_write(DtImageWriter *image, DtRunWriter *run)
{
    struct dt_symbols_header header = {.major = DT_FORMAT_MAJOR, .minor = DT_FORMAT_MINOR, .endian = DT_ENDIAN_MARK};
    memcpy(header.magic, DT_SYMBOLS_MAGIC, sizeof(header.magic));
    header.count = count_symbols(image);
    header.text_bytes = image->names->len;
    g_byte_array_append(image->records, image->names->data, image->names->len);
    header.crc32 = dt_crc32(0, image->records->data, image->records->len);
    g_byte_array_prepend(image->records, (const guint8 *)&header, sizeof(header));
    g_autofree char *path = g_strdup_printf("%s/images/%s.sym", run->path, image->key);
    dt_run_writer_write(run, path, 0, image->records->data, image->records->len);
    g_autofree char *lines = g_strdup_printf("%s/images/%s.lines", run->path, image->key);
    if (image->lines)
        dt_run_writer_write(run, lines, 0, image->lines, strlen(image->lines));
}

/* ---- functions -------------------------------------------------------------------------------- */

static guint index_of_image(DtProcessWriter *process, DtImageWriter *image)
{
    guint index;
    if (!g_ptr_array_find(process->images, image, &index)) {
        index = process->images->len;
        g_ptr_array_add(process->images, image);
    }
    return index;
}

static guint32 add_function(DtProcessWriter *process, struct dt_function function)
{
    function.id = process->functions->len + 1;
    function.check = dt_function_check(&function);
    g_array_append_val(process->functions, function);
    return function.id;
}

guint32 dt_process_writer_function(DtProcessWriter *process, DtImageWriter *image, guint32 symbol, guint32 flags)
{
    guint index = index_of_image(process, image);
    return add_function(process, (struct dt_function){.image = index, .symbol = symbol, .flags = flags});
}

guint32 dt_process_writer_signature(DtProcessWriter *process, guint32 function, const gint64 *arguments, guint count)
{
    struct dt_function signature = g_array_index(process->functions, struct dt_function, function - 1);
    memset(signature.args, 0, sizeof(signature.args));
    signature.arguments = MIN(count, DT_FUNCTION_ARGUMENTS);
    memcpy(signature.args, arguments, signature.arguments * sizeof(*arguments));
    return add_function(process, signature);
}

guint32 dt_process_writer_functions(const DtProcessWriter *process)
{
    return process->functions->len;
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* Of a path that is too long, the end. */
static void set_path(struct dt_image *record, const char *path)
{
    gsize length = strlen(path), room = sizeof(record->path) - 1;
    if (length <= room)
        g_strlcpy(record->path, path, sizeof(record->path));
    else
        g_snprintf(record->path, sizeof(record->path), "...%s", path + length - (room - 3));
}

/* Without an image that says so the first is the program, but not one of which only an API is recorded. */
static guint program_of(const DtProcessWriter *process)
{
    const DtImageWriter *first = process->images->len > 0 ? g_ptr_array_index(process->images, 0) : NULL;
    for (guint i = 0; i < process->images->len; i++)
        if (((const DtImageWriter *)g_ptr_array_index(process->images, i))->flags & DT_IMAGE_MAIN)
            return i;
    return first && !(first->flags & DT_IMAGE_API_ONLY) ? 0 : G_MAXUINT;
}

void dt_process_writer_write_images(DtProcessWriter *process)
{
    g_autoptr(GArray) records = g_array_new(FALSE, FALSE, sizeof(struct dt_image));
    guint program = program_of(process);
    for (guint i = 0; i < process->images->len; i++) {
        const DtImageWriter *image = g_ptr_array_index(process->images, i);
        struct dt_image record = {.index = i + 1, .flags = image->flags | (i == program ? DT_IMAGE_MAIN : 0u)};
        record.hooked = count_symbols(image);
        process->header.hooked += record.hooked;
        g_strlcpy(record.key, image->key, sizeof(record.key));
        set_path(&record, image->path);
        record.check = dt_image_check(&record);
        g_array_append_val(records, record);
    }
    struct dt_chunk_header chunk = {.type = DT_CHUNK_IMAGES, .owner = G_MAXUINT32, .records = records->len};
    if (records->len > 0)
        dt_process_writer_chunk(process, chunk, records->data, records->len * sizeof(struct dt_image));
    g_ptr_array_set_size(process->images, 0);
}

void dt_process_writer_write_functions(DtProcessWriter *process)
{
    for (guint at = 0; at < process->functions->len; at += TABLE_CHUNK_RECORDS) {
        guint count = MIN(TABLE_CHUNK_RECORDS, process->functions->len - at);
        struct dt_chunk_header chunk = {.type = DT_CHUNK_FUNCTIONS, .owner = G_MAXUINT32, .records = count};
        const struct dt_function *first = &g_array_index(process->functions, struct dt_function, at);
        dt_process_writer_chunk(process, chunk, first, count * sizeof(*first));
    }
    process->header.functions += process->functions->len;
    g_array_set_size(process->functions, 0);
}
