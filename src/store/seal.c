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

static gboolean read_at(int file, guint64 offset, void *to, gsize bytes)
{
    return pread(file, to, bytes, (off_t)offset) == (gssize)bytes;
}

static gboolean is_good(const struct dt_chunk_header *chunk, guint64 room)
{
    return chunk->magic == DT_CHUNK_MAGIC && chunk->check == dt_chunk_check(chunk) && chunk->bytes > 0 &&
           chunk->bytes % DT_CHUNK_ALIGN == 0 && chunk->bytes <= room &&
           (chunk->type == DT_CHUNK_DATA || chunk->bytes <= DT_CHUNK_MOST_BYTES);
}

/* Not through a mapping: to look at a hole of a file in a full memory file system would be SIGBUS. */
static gboolean seal_chunk(int file, guint64 offset, gsize bytes)
{
    g_autofree struct dt_chunk_header *chunk = g_malloc(bytes);
    return read_at(file, offset, chunk, bytes) &&
           write_seal(file, offset + G_STRUCT_OFFSET(struct dt_chunk_header, seal), dt_chunk_seal(chunk));
}

static gboolean seal_chunks(int file, guint64 bytes)
{
    guint64 offset = DT_CHUNK_ALIGN;
    struct dt_chunk_header chunk;
    while (offset < bytes && bytes - offset >= sizeof(chunk)) {
        if (!read_at(file, offset, &chunk, sizeof(chunk)))
            return FALSE;
        gboolean good = is_good(&chunk, bytes - offset);
        if (good && chunk.type != DT_CHUNK_DATA && !seal_chunk(file, offset, chunk.bytes))
            return FALSE;
        offset += good ? chunk.bytes : DT_CHUNK_ALIGN;
    }
    return TRUE;
}

static gboolean is_ours(const struct dt_file_header *header)
{
    return memcmp(header->magic, DT_FILE_MAGIC, sizeof(header->magic)) == 0 && header->major == DT_FORMAT_MAJOR &&
           header->header_bytes == sizeof(*header) && header->check == dt_file_header_check(header);
}

/* A file that was made larger ahead ends with nothing, of which no chunk is. What is data stays. */
static off_t without_room_ahead(int file, const struct dt_file_header *header, off_t bytes)
{
    off_t end = (off_t)header->file_bytes;
    gboolean is_blank =
        header->file_bytes >= DT_CHUNK_ALIGN && end < bytes && dt_file_is_blank(file, header->file_bytes);
    return is_blank && ftruncate(file, end) == 0 ? end : bytes;
}

static void seal_file(const char *path)
{
    struct dt_file_header header;
    gint file = dt_file_descriptor(path, O_RDWR | O_NOFOLLOW, NULL);
    if (file < 0)
        return;
    off_t bytes = lseek(file, 0, SEEK_END);
    gboolean unsealed = bytes >= (off_t)sizeof(header) && read_at(file, 0, &header, sizeof(header)) &&
                        is_ours(&header) && header.seal != dt_file_header_seal(&header);
    if (unsealed && has_ended(&header))
        bytes = without_room_ahead(file, &header, bytes);
    else
        bytes = 0;
    if (bytes > 0 && !dt_file_is_hollow(file, (guint64)bytes) && seal_chunks(file, (guint64)bytes))
        write_seal(file, G_STRUCT_OFFSET(struct dt_file_header, seal), dt_file_header_seal(&header));
    close(file);
}

void dt_run_seal(const char *run)
{
    g_autoptr(GPtrArray) names = dt_list_process_files(run);
    for (guint i = 0; names && i < names->len; i++) {
        if (!g_str_has_prefix(names->pdata[i], "processes/"))
            continue; /* another user's: what is there may be exchanged while we look */
        g_autofree char *path = g_build_filename(run, g_ptr_array_index(names, i), NULL);
        seal_file(path);
    }
}
