/* Files are compared in blocks with what was sent of them, by hashes: they are written through mappings, of which no
 * time of a file tells. */
#include "agent/sending.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"

enum {
    BLOCK = 4096,
    MOST_PART_BYTES = 4 << 20,          /* of one part */
    SLACK_NS = 2 * 1000 * 1000 * 1000LL /* a process' file may come before the agents' folder */
};

/* A file that is sent. */
typedef struct {
    char *name; /* relative to the run */
    gint descriptor;
    GArray *sent;      /* (element-type guint64): hashes of the blocks that were sent */
    guint64 log_bytes; /* of a log: that were sent */
} SentFile;

struct DtSending {
    const char *run, *host;
    GHashTable *files; /* name -> SentFile; NULL: it is of an earlier run */
    guint64 nothing;   /* the hash of a block of zeros, which need not be sent */
};

static guint64 hash_of(const guint64 *block)
{
    return dt_hash_words(block, BLOCK / sizeof(guint64));
}

static void sent_file_free(gpointer data)
{
    SentFile *file = data;
    if (!file)
        return;
    close(file->descriptor);
    g_array_unref(file->sent);
    g_free(file->name);
    g_free(file);
}

DtSending *dt_sending_new(const char *run, const char *host)
{
    static const guint64 zeros[BLOCK / sizeof(guint64)];
    DtSending *sending = g_new0(DtSending, 1);
    sending->run = run;
    sending->host = host;
    sending->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, sent_file_free);
    sending->nothing = hash_of(zeros);
    return sending;
}

void dt_sending_free(DtSending *sending)
{
    if (!sending)
        return;
    g_hash_table_unref(sending->files);
    g_free(sending);
}

/* ---- which files ----------------------------------------------------------------------------------- */

static gint64 nanoseconds(const struct timespec *time)
{
    return (gint64)time->tv_sec * 1000 * 1000 * 1000 + time->tv_nsec;
}

/* The run's directory on this disk may be there since an earlier run of the same name, whose files nobody removes: the
 * way to the agents' folder was made by this one. */
static gboolean is_of_this_run(const DtSending *sending, const struct stat *file)
{
    g_autofree char *way = g_build_filename(sending->run, "agents", NULL);
    struct stat made;
    return lstat(way, &made) != 0 || nanoseconds(&file->st_mtim) >= nanoseconds(&made.st_ctim) - SLACK_NS;
}

/* NULL: it is not there, or not to be sent. */
static SentFile *find_file(DtSending *sending, const char *name)
{
    gpointer known;
    if (g_hash_table_lookup_extended(sending->files, name, NULL, &known))
        return known;
    g_autofree char *path = g_build_filename(sending->run, name, NULL);
    const gint descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    if (descriptor < 0)
        return NULL;
    const gboolean is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    SentFile *file = NULL;
    if (is_file && (g_str_has_prefix(name, "images/") || is_of_this_run(sending, &status))) {
        file = g_new0(SentFile, 1);
        *file = (SentFile){g_strdup(name), descriptor, g_array_new(FALSE, FALSE, sizeof(guint64)), 0};
    } else {
        close(descriptor);
    }
    g_hash_table_insert(sending->files, g_strdup(name), file);
    return file;
}

static gint compare_names(gconstpointer one, gconstpointer other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* Images first: processes name functions by them. */
static GPtrArray *names_of(const DtSending *sending)
{
    static const char *const folders[] = {"images", "processes"};
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(sending->run, folders[i], NULL);
        g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
        const char *name;
        while (directory && (name = g_dir_read_name(directory)))
            g_ptr_array_add(names, g_build_filename(folders[i], name, NULL));
    }
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, g_strdup("ends.log"));
    g_ptr_array_add(names, g_strdup("unrecorded.log"));
    return names;
}

/* ---- what has changed ------------------------------------------------------------------------------- */

/* Pieces are gathered in two heaps: of blocks that were sent before, and of those that were not. */
typedef struct {
    GPtrArray *again, *new; /* (element-type DtAgentMessage) */
    gsize bytes;
    gboolean has_more;
} Part;

static void message_free(gpointer message)
{
    dt_message_clear(message);
    g_free(message);
}

static void add_piece(GPtrArray *to, const SentFile *file, guint64 file_bytes, guint64 offset, const void *bytes,
                      gsize count)
{
    DtAgentMessage *last = to->len > 0 ? to->pdata[to->len - 1] : NULL;
    if (last && last->offset + last->piece->len == offset && last->piece->len + count <= DT_MOST_PIECE_BYTES &&
        g_str_equal(last->file, file->name)) {
        last->file_bytes = file_bytes;
        g_byte_array_append(last->piece, bytes, (guint)count);
        return;
    }
    DtAgentMessage *piece = g_new0(DtAgentMessage, 1);
    piece->kind = DT_MESSAGE_PIECE;
    g_strlcpy(piece->file, file->name, sizeof(piece->file));
    piece->file_bytes = file_bytes;
    piece->offset = offset;
    piece->piece = g_byte_array_new();
    g_byte_array_append(piece->piece, bytes, (guint)count);
    g_ptr_array_add(to, piece);
}

/* What is behind the end of the file is 0. The bytes that are there. */
static gsize read_block(const SentFile *file, guint64 offset, guint64 *block)
{
    const gssize got = pread(file->descriptor, block, BLOCK, (off_t)offset);
    const gsize there = got > 0 ? (gsize)got : 0;
    memset((guint8 *)block + there, 0, BLOCK - there);
    return there;
}

static void look_at_block(const DtSending *sending, const SentFile *file, guint64 file_bytes, guint index, Part *part)
{
    guint64 block[BLOCK / sizeof(guint64)];
    const guint64 offset = (guint64)index * BLOCK;
    guint64 *sent = &g_array_index(file->sent, guint64, index);
    const gsize there = read_block(file, offset, block);
    const guint64 hash = hash_of(block);
    if (hash == *sent || there == 0)
        return;
    if (part->bytes >= MOST_PART_BYTES) {
        part->has_more = TRUE;
        return;
    }
    add_piece(*sent == sending->nothing ? part->new : part->again, file, MAX(file_bytes, offset + there), offset, block,
              there);
    part->bytes += there;
    *sent = hash;
}

/* Blocks that were sent before are read first: they say how much there is, so that all of it is there by the time that
 * the others are read. */
static void look_at_file(const DtSending *sending, SentFile *file, Part *part)
{
    struct stat status;
    if (fstat(file->descriptor, &status) != 0 || status.st_size <= 0)
        return;
    const guint64 bytes = (guint64)status.st_size;
    const guint blocks = (guint)((bytes + BLOCK - 1) / BLOCK), before = file->sent->len;
    for (guint i = before; i < blocks; i++)
        g_array_append_val(file->sent, sending->nothing);
    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < blocks && !part->has_more; i++)
            if ((g_array_index(file->sent, guint64, i) == sending->nothing) == (pass == 1))
                look_at_block(sending, file, bytes, i, part);
}

/* Whole lines; those that are complete. */
static void look_at_log(SentFile *file, Part *part)
{
    char text[DT_MOST_PIECE_BYTES];
    const gssize got = pread(file->descriptor, text, sizeof(text), (off_t)file->log_bytes);
    const char *end = got > 0 ? g_strrstr_len(text, got, "\n") : NULL;
    if (!end)
        return;
    const gsize bytes = (gsize)(end - text) + 1;
    add_piece(part->new, file, file->log_bytes + bytes, file->log_bytes, text, bytes);
    part->bytes += bytes;
    file->log_bytes += bytes;
    part->has_more = part->has_more || got == (gssize)sizeof(text);
}

/* Blocks that were not sent before come first; of the others the last ones of a file before its head. */
GPtrArray *dt_sending_next(DtSending *sending, gboolean *has_more)
{
    g_autoptr(GPtrArray) names = names_of(sending);
    Part part = {g_ptr_array_new(), g_ptr_array_new_with_free_func(message_free), 0, FALSE};
    for (guint i = 0; i < names->len && !part.has_more; i++) {
        const char *name = names->pdata[i];
        SentFile *file = dt_message_is_file_name(name, sending->host) ? find_file(sending, name) : NULL;
        if (file && dt_message_is_log(name))
            look_at_log(file, &part);
        else if (file)
            look_at_file(sending, file, &part);
    }
    for (guint i = part.again->len; i > 0; i--)
        g_ptr_array_add(part.new, part.again->pdata[i - 1]);
    g_ptr_array_unref(part.again);
    *has_more = part.has_more;
    return part.new;
}
