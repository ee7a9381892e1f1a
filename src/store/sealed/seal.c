/* Sealing the trace files of processes that have ended: checksums that a process which may die at any instruction
 * cannot keep itself. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "format/checks.h"
#include "store/run_headers.h"
#include "store/run_private.h"
#include "store/sealed/seal.h"

gboolean dt_header_has_ended(const struct dt_file_header *header)
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

gboolean dt_chunk_is_good(const struct dt_chunk_header *chunk, guint64 room)
{
    return chunk->magic == DT_CHUNK_MAGIC && chunk->check == dt_chunk_check(chunk) && chunk->bytes > 0 &&
           chunk->bytes % DT_CHUNK_ALIGN == 0 && chunk->bytes <= room &&
           (chunk->type == DT_CHUNK_DATA || chunk->bytes <= DT_CHUNK_MOST_BYTES);
}

/* Not through a mapping: to look at a hole of a file in a full memory file system would be SIGBUS. */
static gboolean find_chunk_seal(int file, guint64 offset, gsize bytes, guint32 *seal)
{
    g_autofree struct dt_chunk_header *chunk = g_malloc(bytes);
    if (!read_at(file, offset, chunk, bytes))
        return FALSE;
    *seal = dt_chunk_seal(chunk);
    return TRUE;
}

/* Of the chunks that are no data; what takes them gets their seals. */
typedef gboolean TakeSeal(int file, guint64 offset, guint32 seal, gpointer data);

static gboolean find_seals(int file, guint64 bytes, TakeSeal *take, gpointer data)
{
    guint64 offset = DT_CHUNK_ALIGN;
    struct dt_chunk_header chunk;
    while (offset < bytes && bytes - offset >= sizeof(chunk)) {
        if (!read_at(file, offset, &chunk, sizeof(chunk)))
            return FALSE;
        gboolean good = dt_chunk_is_good(&chunk, bytes - offset);
        guint32 seal;
        if (good && chunk.type != DT_CHUNK_DATA &&
            (!find_chunk_seal(file, offset, chunk.bytes, &seal) || !take(file, offset, seal, data)))
            return FALSE;
        offset += good ? chunk.bytes : DT_CHUNK_ALIGN;
    }
    return TRUE;
}

static gboolean write_chunk_seal(int file, guint64 offset, guint32 seal, gpointer data)
{
    (void)data;
    return write_seal(file, offset + G_STRUCT_OFFSET(struct dt_chunk_header, seal), seal);
}

gboolean dt_header_is_ours(const struct dt_file_header *header)
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

/* Opens a file that has no seal yet; -1: there is none, or it cannot be sealed. */
static gint open_unsealed(const char *path, struct dt_file_header *header, off_t *bytes)
{
    gint file = dt_file_descriptor(path, O_RDWR | O_NOFOLLOW, NULL);
    if (file < 0)
        return -1;
    *bytes = lseek(file, 0, SEEK_END);
    if (*bytes >= (off_t)sizeof(*header) && read_at(file, 0, header, sizeof(*header)) && dt_header_is_ours(header) &&
        header->seal != dt_file_header_seal(header))
        return file;
    close(file);
    return -1;
}

static void write_seals(gint file, const struct dt_file_header *header, off_t bytes)
{
    bytes = without_room_ahead(file, header, bytes);
    if (!dt_file_is_hollow(file, (guint64)bytes) && find_seals(file, (guint64)bytes, write_chunk_seal, NULL))
        write_seal(file, G_STRUCT_OFFSET(struct dt_file_header, seal), dt_file_header_seal(header));
}

/* Calls `seal` for each of the run's own files that is not sealed. */
typedef void SealFile(gint file, const char *name, const struct dt_file_header *header, off_t bytes, gpointer data);

static void for_each_unsealed(const char *run, SealFile *seal, gpointer data)
{
    g_autoptr(GPtrArray) names = dt_list_process_files(run);
    for (guint i = 0; names && i < names->len; i++) {
        if (!g_str_has_prefix(names->pdata[i], "processes/"))
            continue; /* another user's: what is there may be exchanged while we look */
        g_autofree char *path = g_build_filename(run, names->pdata[i], NULL);
        struct dt_file_header header;
        off_t bytes;
        gint file = open_unsealed(path, &header, &bytes);
        if (file < 0)
            continue;
        seal(file, names->pdata[i], &header, bytes, data);
        close(file);
    }
}

static void seal_ended(gint file, const char *name, const struct dt_file_header *header, off_t bytes, gpointer data)
{
    (void)name, (void)data;
    if (dt_header_has_ended(header))
        write_seals(file, header, bytes);
}

void dt_run_seal(const char *run)
{
    for_each_unsealed(run, seal_ended, NULL);
}

/* ---- processes of other hosts ---------------------------------------------------------------- */

static gboolean add_seal(int file, guint64 offset, guint32 seal, gpointer data)
{
    guint *sum = data;
    (void)file, (void)offset;
    *sum = *sum * 31 + seal;
    return TRUE;
}

/* Records of threads hold their newest words: who records changes them. */
static gpointer state_of(gint file, const struct dt_file_header *header, off_t bytes)
{
    guint sum = dt_file_header_seal(header);
    find_seals(file, (guint64)bytes, add_seal, &sum);
    return GUINT_TO_POINTER(sum);
}

static gboolean is_elsewhere(const struct dt_file_header *header)
{
    return strncmp(header->host, g_get_host_name(), sizeof(header->host)) != 0;
}

static void note_state(gint file, const char *name, const struct dt_file_header *header, off_t bytes, gpointer data)
{
    if (is_elsewhere(header))
        g_hash_table_insert(data, g_strdup(name), state_of(file, header, bytes));
}

static void seal_still(gint file, const char *name, const struct dt_file_header *header, off_t bytes, gpointer data)
{
    gpointer before;
    if (is_elsewhere(header) && g_hash_table_lookup_extended(data, name, NULL, &before) &&
        before == state_of(file, header, bytes))
        write_seals(file, header, bytes);
}

void dt_run_seal_elsewhere(const char *run)
{
    g_autoptr(GHashTable) states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for_each_unsealed(run, note_state, states);
    if (g_hash_table_size(states) == 0)
        return;
    g_usleep(G_USEC_PER_SEC);
    for_each_unsealed(run, seal_still, states);
}
