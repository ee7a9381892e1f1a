/* A process and its file: chunks as they come, the header in front of them last. */
#include <string.h>

#include "format/checks.h"
#include "format/varint.h"
#include "writer/writer_private.h"

enum { COMMUNICATORS_CHUNK = 1 << 20 };

void dt_process_writer_chunk(DtProcessWriter *process, struct dt_chunk_header chunk, const void *payload, gsize bytes)
{
    gsize used = MAX(sizeof(chunk) + bytes, chunk.bytes), whole = used + -used % DT_CHUNK_ALIGN;
    g_autofree struct dt_chunk_header *copy = g_malloc0(whole);
    chunk.magic = DT_CHUNK_MAGIC;
    chunk.bytes = (guint32)whole;
    chunk.check = dt_chunk_check(&chunk);
    *copy = chunk;
    memcpy(copy + 1, payload, bytes);
    if (chunk.type != DT_CHUNK_DATA)
        copy->seal = dt_chunk_seal(copy);
    dt_run_writer_write(process->run, process->path, process->header.file_bytes, copy, whole);
    process->header.file_bytes += whole;
}

DtProcessWriter *dt_run_writer_process(DtRunWriter *run)
{
    DtProcessWriter *process = g_new0(DtProcessWriter, 1);
    struct dt_file_header *header = &process->header;
    guint index = run->written.processes++;
    process->run = run;
    process->path = g_strdup_printf("%s/%u.trace", run->processes_path, index);
    process->images = g_ptr_array_new();
    process->own_images = g_ptr_array_new_with_free_func(dt_image_writer_free);
    process->functions = g_array_new(FALSE, FALSE, sizeof(struct dt_function));
    process->communicators = g_byte_array_new();
    process->arrays = g_byte_array_new();
    process->threads = g_ptr_array_new_with_free_func(dt_thread_writer_free);
    memcpy(header->magic, DT_FILE_MAGIC, sizeof(header->magic));
    header->major = DT_FORMAT_MAJOR;
    header->minor = DT_FORMAT_MINOR;
    header->endian = DT_ENDIAN_MARK;
    header->header_bytes = sizeof(*header);
    header->file_bytes = DT_CHUNK_ALIGN;
    header->rank = header->world_size = -1;
    header->start_realtime_ns = index + 1;
    header->end_state = DT_PROCESS_EXITED;
    header->codec = DT_CODEC_LZR;
    g_ptr_array_add(run->processes, process);
    return process;
}

struct dt_file_header *dt_process_writer_header(DtProcessWriter *process)
{
    return &process->header;
}

static void write_communicators(DtProcessWriter *process)
{
    struct dt_chunk_header chunk = {.type = DT_CHUNK_COMMUNICATORS, .owner = G_MAXUINT32};
    if (process->communicators->len > 0)
        dt_process_writer_chunk(process, chunk, process->communicators->data, process->communicators->len);
    g_byte_array_set_size(process->communicators, 0);
}

void dt_process_writer_communicator(DtProcessWriter *process, const struct dt_communicator *communicator,
                                    const gint32 *members)
{
    gsize used =
        sizeof(*communicator) + sizeof(*members) * (gsize)(communicator->size + MAX(communicator->remote_size, 0));
    gsize whole = used + -used % 8;
    g_autofree struct dt_communicator *copy = g_malloc0(whole);
    *copy = *communicator;
    memcpy(copy + 1, members, used - sizeof(*communicator));
    copy->bytes = (guint32)whole;
    copy->check = dt_communicator_check(copy);
    if (process->communicators->len + whole > COMMUNICATORS_CHUNK)
        write_communicators(process);
    g_byte_array_append(process->communicators, (const guint8 *)copy, (guint)whole);
}

static void write_arrays(DtProcessWriter *process)
{
    struct dt_chunk_header chunk = {.type = DT_CHUNK_ARRAYS, .owner = G_MAXUINT32};
    if (process->arrays->len > 0)
        dt_process_writer_chunk(process, chunk, process->arrays->data, process->arrays->len);
    g_byte_array_set_size(process->arrays, 0);
}

guint32 dt_process_writer_array(DtProcessWriter *process, const gint64 *values, guint count)
{
    gsize most = sizeof(struct dt_array) + (gsize)count * DT_VARINT_BYTES + 8;
    g_autofree guint8 *bytes = g_malloc0(most);
    struct dt_array *array = (struct dt_array *)(gpointer)bytes;
    gsize used = sizeof(*array);
    for (guint i = 0; i < count; i++)
        used += dt_varint_put(bytes + used, dt_zigzag(values[i]));
    array->bytes = (guint32)(used + -used % 8);
    array->number = process->array_count;
    array->count = count;
    array->check = dt_array_check(array);
    if (process->arrays->len + array->bytes > COMMUNICATORS_CHUNK)
        write_arrays(process);
    g_byte_array_append(process->arrays, bytes, array->bytes);
    return process->array_count++;
}

static void write_header(DtProcessWriter *process)
{
    guint8 page[DT_CHUNK_ALIGN] = {0};
    struct dt_file_header *header = &process->header;
    header->check = dt_file_header_check(header);
    header->seal = dt_file_header_seal(header);
    memcpy(page, header, sizeof(*header));
    dt_run_writer_write(process->run, process->path, 0, page, sizeof(page));
}

void dt_process_writer_end(DtProcessWriter *process)
{
    while (process->threads->len > 0)
        dt_thread_writer_end(g_ptr_array_index(process->threads, 0));
    write_communicators(process);
    write_arrays(process);
    dt_process_writer_write_images(process);
    dt_process_writer_write_functions(process);
    write_header(process);
    for (guint i = 0; i < process->own_images->len; i++)
        dt_image_writer_write(g_ptr_array_index(process->own_images, i), process->run);
    g_ptr_array_remove(process->run->processes, process);
}

void dt_process_writer_free(gpointer data)
{
    DtProcessWriter *process = data;
    g_free(process->path);
    g_ptr_array_unref(process->threads);
    g_ptr_array_unref(process->images);
    g_ptr_array_unref(process->own_images);
    g_array_unref(process->functions);
    g_byte_array_unref(process->communicators);
    g_byte_array_unref(process->arrays);
    g_free(process);
}
