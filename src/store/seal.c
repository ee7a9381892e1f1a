/* Sealing the trace files of processes that have ended: checksums that a process which may die at any instruction
 * cannot keep itself. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "format/checks.h"
#include "store/run_private.h"

/* Ids of this host may have been given out again: then the file stays unsealed. */
static gboolean has_ended(const struct dt_file_header *header)
{
    if (header->end_state == DT_PROCESS_EXEC)
        return TRUE;
    gboolean here = strncmp(header->host, g_get_host_name(), sizeof(header->host)) == 0;
    if (here)
        return header->pid > 0 && kill((pid_t)header->pid, 0) != 0 && errno == ESRCH;
    return header->end_state != DT_PROCESS_RUNNING;
}

static gboolean write_seal(int file, guint64 offset, guint32 seal)
{
    return pwrite(file, &seal, sizeof(seal), (off_t)offset) == (gssize)sizeof(seal);
}

static gboolean seal_chunks(int file, const guint8 *data, gsize bytes)
{
    guint64 offset = DT_CHUNK_ALIGN;
    while (offset < bytes && bytes - offset >= sizeof(struct dt_chunk_header)) {
        const struct dt_chunk_header *chunk = (const struct dt_chunk_header *)(const void *)(data + offset);
        gboolean good = chunk->magic == DT_CHUNK_MAGIC && chunk->check == dt_chunk_check(chunk) && chunk->bytes > 0 &&
                        chunk->bytes % DT_CHUNK_ALIGN == 0 && chunk->bytes <= bytes - offset;
        if (good && chunk->type != DT_CHUNK_DATA &&
            !write_seal(file, offset + G_STRUCT_OFFSET(struct dt_chunk_header, seal), dt_chunk_seal(chunk)))
            return FALSE;
        offset += good ? chunk->bytes : DT_CHUNK_ALIGN;
    }
    return TRUE;
}

static void seal_file(const char *path)
{
    g_autoptr(GMappedFile) mapping = g_mapped_file_new(path, FALSE, NULL);
    struct dt_file_header header;
    if (!mapping || g_mapped_file_get_length(mapping) < sizeof(header))
        return;
    const guint8 *data = (const guint8 *)g_mapped_file_get_contents(mapping);
    memcpy(&header, data, sizeof(header));
    if (memcmp(header.magic, DT_FILE_MAGIC, sizeof(header.magic)) != 0 || header.major != DT_FORMAT_MAJOR ||
        header.header_bytes != sizeof(header) || header.check != dt_file_header_check(&header) || !has_ended(&header))
        return;
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (seal_chunks(file, data, g_mapped_file_get_length(mapping)))
        write_seal(file, G_STRUCT_OFFSET(struct dt_file_header, seal), dt_file_header_seal(&header));
    close(file);
}

void dt_run_seal(const char *run)
{
    g_autoptr(GPtrArray) names = dt_list_process_files(run);
    for (guint i = 0; names && i < names->len; i++) {
        g_autofree char *path = g_build_filename(run, g_ptr_array_index(names, i), NULL);
        seal_file(path);
    }
}
