/* Unpacking: a row of entries, each of which is checked before anything of it is believed. */
#define _GNU_SOURCE /* O_DIRECTORY */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "format/crc32.h"
#include "format/sealed.h"
#include "store/file.h"
#include "store/packed/checks_apart.h"
#include "store/packed/dictionary.h"
#include "store/packed/names.h"
#include "store/packed/note_rows.h"
#include "store/packed/packed_format.h"
#include "store/packed/symbol_columns.h"
#include "store/packed/tree.h"
#include "store/packed/unpack.h"
#include "store/sealed/sealed_writer.h"
#include "text/text.h"

enum { SMALL = 64 << 20, STEP = 1 << 16, DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

typedef struct {
    const char *path; /* of the packed run */
    gint packed;
    ZSTD_DCtx *context;
    guint8 *in;
    ZSTD_inBuffer input;
    guint64 left;    /* of the content */
    gboolean at_end; /* of the frame */
    guint32 crc32;   /* of the entry so far */
    gint folder;     /* where it goes */
    gboolean seal;
    GHashTable *traces; /* name -> bytes of the trace file */
    guint64 bytes_made, most_bytes;
    GError **error;
} Unpacking;

static gboolean damaged(Unpacking *unpacking, const char *why)
{
    if (!*unpacking->error)
        dt_set_error(unpacking->error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED, "%s: a damaged packed run: %s",
                     unpacking->path, why);
    return FALSE;
}

static gboolean failed(Unpacking *unpacking, const char *name)
{
    dt_set_error(unpacking->error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: cannot be written: %s", name,
                 g_strerror(errno));
    return FALSE;
}

static gboolean too_large(Unpacking *unpacking)
{
    dt_set_error(unpacking->error, DT_STORE_ERROR, DT_STORE_ERROR_IO,
                 "%s: more than the %" G_GUINT64_FORMAT " MB that are allowed: unpack it with \"difftrace unpack\"",
                 unpacking->path, unpacking->most_bytes >> 20);
    return FALSE;
}

/* ---- the content ---------------------------------------------------------------------------------- */

static gboolean fill(Unpacking *unpacking)
{
    gssize bytes = read(unpacking->packed, unpacking->in, STEP);
    if (bytes <= 0)
        return damaged(unpacking, "its end is missing");
    unpacking->input = (ZSTD_inBuffer){unpacking->in, (gsize)bytes, 0};
    return TRUE;
}

/* The next bytes of the content, all or none of them. */
static gboolean take(Unpacking *unpacking, void *to, gsize bytes)
{
    ZSTD_outBuffer out = {to, bytes, 0};
    if (bytes > unpacking->left)
        return damaged(unpacking, "an entry is longer than all of them");
    while (out.pos < out.size) {
        if (unpacking->at_end)
            return damaged(unpacking, "its end is missing");
        gsize before = out.pos;
        gsize result = ZSTD_decompressStream(unpacking->context, &out, &unpacking->input);
        if (ZSTD_isError(result))
            return damaged(unpacking, "what is packed in it is wrong");
        unpacking->at_end = result == 0;
        gboolean stuck = out.pos == before && unpacking->input.pos == unpacking->input.size;
        if (out.pos < out.size && !unpacking->at_end && stuck && !fill(unpacking))
            return FALSE;
    }
    unpacking->left -= bytes;
    unpacking->crc32 = dt_crc32(unpacking->crc32, to, bytes);
    return TRUE;
}

/* Nothing follows, neither in the frame nor in the file; the frame's own checksum is asked, too. */
static gboolean ends_here(Unpacking *unpacking)
{
    guint8 more;
    while (!unpacking->at_end) {
        ZSTD_outBuffer out = {&more, 0, 0};
        gsize before = unpacking->input.pos;
        gsize result = ZSTD_decompressStream(unpacking->context, &out, &unpacking->input);
        if (ZSTD_isError(result))
            return damaged(unpacking, "what is packed in it is wrong");
        unpacking->at_end = result == 0;
        gboolean all = unpacking->input.pos == unpacking->input.size;
        if (!unpacking->at_end && !all && unpacking->input.pos == before)
            return damaged(unpacking, "something follows its end");
        if (!unpacking->at_end && all && !fill(unpacking))
            return FALSE;
    }
    gboolean is_last =
        unpacking->left == 0 && unpacking->input.pos == unpacking->input.size && read(unpacking->packed, &more, 1) == 0;
    return is_last || damaged(unpacking, "something follows its end");
}

static gboolean check_end(Unpacking *unpacking)
{
    guint32 told = 0, found = unpacking->crc32;
    return take(unpacking, &told, sizeof(told)) &&
           (told == found || damaged(unpacking, "an entry has a wrong checksum"));
}

/* ---- files ------------------------------------------------------------------------------------------ */

/* The folder of a name below ours, made if it is not there; no link is followed. -1 with an error. */
static gint open_folder(Unpacking *unpacking, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "/", -1);
    gint folder = openat(unpacking->folder, ".", DIRECTORY);
    for (guint i = 0; folder >= 0 && parts[i + 1]; i++) {
        (void)mkdirat(folder, parts[i], 0700);
        gint next = openat(folder, parts[i], DIRECTORY);
        close(folder);
        folder = next;
    }
    if (folder < 0)
        failed(unpacking, name);
    return folder;
}

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static gint open_file(Unpacking *unpacking, const char *name, gint flags)
{
    gint folder = open_folder(unpacking, name);
    if (folder < 0)
        return -1;
    gint file = openat(folder, base_of(name), flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    gint reason = errno;
    close(folder);
    errno = reason;
    if (file < 0)
        failed(unpacking, name);
    return file;
}

static gboolean write_bytes(Unpacking *unpacking, gint file, const char *name, guint64 offset, const guint8 *data,
                            gsize bytes)
{
    for (gsize done = 0; done < bytes;) {
        gssize written = pwrite(file, data + done, bytes - done, (off_t)(offset + done));
        if (written <= 0 && errno != EINTR)
            return failed(unpacking, name);
        done += written > 0 ? (gsize)written : 0;
    }
    return TRUE;
}

static gboolean write_piece(Unpacking *unpacking, gint file, const char *name, guint64 offset, guint64 bytes)
{
    guint8 block[STEP];
    while (bytes > 0) {
        gsize part = (gsize)MIN(bytes, sizeof(block));
        if (!take(unpacking, block, part))
            return FALSE;
        if (!write_bytes(unpacking, file, name, offset, block, part))
            return FALSE;
        offset += part;
        bytes -= part;
    }
    return TRUE;
}

/* All together may be as large as was asked for, holes included: who reads them walks over these, too. */
static gboolean make_room(Unpacking *unpacking, guint64 bytes)
{
    if (bytes > unpacking->most_bytes - unpacking->bytes_made)
        return too_large(unpacking);
    unpacking->bytes_made += bytes;
    return TRUE;
}

static gboolean unpack_plain(Unpacking *unpacking, const struct dt_packed_entry *entry, const char *name)
{
    if (!make_room(unpacking, entry->bytes))
        return FALSE;
    gint file = open_file(unpacking, name, O_CREAT | O_EXCL);
    if (file < 0)
        return FALSE;
    gboolean done = write_piece(unpacking, file, name, 0, entry->bytes);
    close(file);
    return done;
}

/* The rows of the pieces of a trace file of `whole` bytes; `bytes` becomes what all of them have together. */
static struct dt_sealed_piece *take_rows(Unpacking *unpacking, guint32 count, guint64 whole, guint64 *bytes)
{
    g_autofree struct dt_sealed_piece *rows = g_new0(struct dt_sealed_piece, (gsize)count + 1);
    *bytes = 0;
    if (!take(unpacking, rows, count * sizeof(*rows)))
        return NULL;
    for (guint i = 0; i < count; i++) {
        if (rows[i].offset > whole || rows[i].bytes > whole - rows[i].offset || rows[i].bytes > G_MAXINT64 - *bytes) {
            damaged(unpacking, "a piece lies outside of its file");
            return NULL;
        }
        *bytes += rows[i].bytes;
    }
    return g_steal_pointer(&rows);
}

static gboolean has_rows(Unpacking *unpacking, guint32 count, guint64 bytes)
{
    return (count <= DT_SEALED_MOST_ROWS && count <= bytes / sizeof(struct dt_sealed_piece)) ||
           damaged(unpacking, "an entry has more pieces than bytes");
}

static gboolean write_pieces(Unpacking *unpacking, gint file, const char *name, guint32 count, guint64 whole,
                             guint64 bytes)
{
    guint64 of_pieces;
    if (!has_rows(unpacking, count, bytes))
        return FALSE;
    g_autofree struct dt_sealed_piece *rows = take_rows(unpacking, count, whole, &of_pieces);
    if (!rows)
        return FALSE;
    if (of_pieces != bytes - count * sizeof(*rows))
        return damaged(unpacking, "an entry is not as long as its pieces");
    for (guint i = 0; i < count; i++)
        if (!write_piece(unpacking, file, name, rows[i].offset, rows[i].bytes))
            return FALSE;
    return TRUE;
}

/* Records without checksums. */
static gboolean write_apart(Unpacking *unpacking, gint file, const char *name, guint32 count, guint64 whole,
                            guint64 bytes)
{
    guint64 of_pieces, room = whole;
    if (!has_rows(unpacking, count, bytes))
        return FALSE;
    g_autofree struct dt_sealed_piece *rows = take_rows(unpacking, count, whole, &of_pieces);
    if (!rows)
        return FALSE;
    if (of_pieces != bytes - count * sizeof(*rows) || of_pieces > DT_PACKED_APART_BYTES)
        return damaged(unpacking, "an entry is not as long as its pieces");
    for (guint i = 0; i < count; i++) {
        g_autofree guint8 *piece = g_malloc(rows[i].bytes + 1);
        if (!take(unpacking, piece, (gsize)rows[i].bytes))
            return FALSE;
        if (!dt_checks_put_back(piece, (gsize)rows[i].bytes, rows[i].offset, &room))
            return damaged(unpacking, "its chunks are larger than their file");
        if (!write_bytes(unpacking, file, name, rows[i].offset, piece, (gsize)rows[i].bytes))
            return FALSE;
    }
    return TRUE;
}

static gboolean write_notes(Unpacking *unpacking, gint file, const char *name, const struct dt_packed_entry *entry,
                            guint64 whole)
{
    guint64 of_pieces;
    if (!has_rows(unpacking, entry->pieces, entry->bytes))
        return FALSE;
    g_autofree struct dt_sealed_piece *rows = take_rows(unpacking, entry->pieces, whole, &of_pieces);
    if (!rows)
        return FALSE;
    gsize bytes = (gsize)(entry->bytes - entry->pieces * sizeof(*rows));
    if (bytes > DT_PACKED_NOTES_BYTES || of_pieces > DT_PACKED_NOTES_BYTES)
        return damaged(unpacking, "an entry of notes is too large");
    g_autofree guint8 *body = g_malloc(bytes + 1);
    if (!take(unpacking, body, bytes))
        return FALSE;
    g_autoptr(DtNoteRows) state = dt_note_rows_new();
    const guint8 *at = body;
    for (guint i = 0; i < entry->pieces; i++) {
        g_autoptr(GByteArray) chunk = g_byte_array_new();
        if (!dt_note_rows_unpack(state, &at, body + bytes, (gsize)rows[i].bytes, chunk))
            return damaged(unpacking, "its notes are wrong");
        if (!write_bytes(unpacking, file, name, rows[i].offset, chunk->data, chunk->len))
            return FALSE;
    }
    return at == body + bytes || damaged(unpacking, "an entry is longer than its notes");
}

static gboolean unpack_symbols(Unpacking *unpacking, const struct dt_packed_entry *entry, const char *name)
{
    if (entry->bytes > DT_PACKED_SYMBOLS_BYTES)
        return damaged(unpacking, "an entry of symbols is too large");
    g_autofree guint8 *columns = g_malloc(entry->bytes + 1);
    if (!take(unpacking, columns, (gsize)entry->bytes))
        return FALSE;
    g_autoptr(GByteArray) symbols = dt_symbol_columns_unpack(columns, (gsize)entry->bytes);
    if (!symbols)
        return damaged(unpacking, "its symbols are wrong");
    gint file = make_room(unpacking, symbols->len) ? open_file(unpacking, name, O_CREAT | O_EXCL) : -1;
    if (file < 0)
        return FALSE;
    gboolean done = write_bytes(unpacking, file, name, 0, symbols->data, symbols->len);
    close(file);
    return done;
}

static gboolean unpack_trace(Unpacking *unpacking, const struct dt_packed_entry *entry, const char *name)
{
    guint64 whole;
    if (!dt_packed_name_is_trace(name) || entry->bytes < sizeof(whole))
        return damaged(unpacking, "a trace file is none");
    if (!take(unpacking, &whole, sizeof(whole)) || !make_room(unpacking, whole))
        return FALSE;
    gint file = open_file(unpacking, name, O_CREAT | O_EXCL);
    if (file < 0)
        return FALSE;
    gboolean done = ftruncate(file, (off_t)whole) == 0 || failed(unpacking, name);
    done = done && (entry->kind == DT_PACKED_APART ? write_apart : write_pieces)(unpacking, file, name, entry->pieces,
                                                                                 whole, entry->bytes - sizeof(whole));
    close(file);
    if (done)
        g_hash_table_insert(unpacking->traces, g_strdup(name), g_memdup2(&whole, sizeof(whole)));
    return done;
}

/* What a trace file has beside its records. */
static gboolean unpack_rest(Unpacking *unpacking, const struct dt_packed_entry *entry, const char *name)
{
    const guint64 *whole = g_hash_table_lookup(unpacking->traces, name);
    if (!whole)
        return damaged(unpacking, "notes or event code of no trace file");
    gint file = open_file(unpacking, name, 0);
    if (file < 0)
        return FALSE;
    gboolean done = entry->kind == DT_PACKED_NOTES
                        ? write_notes(unpacking, file, name, entry, *whole)
                        : write_pieces(unpacking, file, name, entry->pieces, *whole, entry->bytes);
    close(file);
    return done;
}

/* ---- entries ----------------------------------------------------------------------------------------- */

static gboolean unpack_entry(Unpacking *unpacking, const struct dt_packed_entry *entry)
{
    char name[DT_PACKED_NAME_BYTES + 1] = "";
    if (entry->name_bytes > DT_PACKED_NAME_BYTES)
        return damaged(unpacking, "a name is too long");
    if (!take(unpacking, name, entry->name_bytes))
        return FALSE;
    if (strlen(name) != entry->name_bytes || !dt_packed_name_is_good(name))
        return damaged(unpacking, "it has a file whose name is none of a run's files");
    if (entry->kind == DT_PACKED_FILE)
        return unpack_plain(unpacking, entry, name);
    if (entry->kind == DT_PACKED_SYMBOLS)
        return unpack_symbols(unpacking, entry, name);
    if (entry->kind == DT_PACKED_TRACE || entry->kind == DT_PACKED_APART)
        return unpack_trace(unpacking, entry, name);
    if (entry->kind == DT_PACKED_CODE || entry->kind == DT_PACKED_NOTES)
        return unpack_rest(unpacking, entry, name);
    return damaged(unpacking, "an entry of an unknown kind");
}

static gboolean unpack_entries(Unpacking *unpacking)
{
    struct dt_packed_entry entry;
    for (guint i = 0; i < DT_PACKED_MOST_ENTRIES; i++) {
        unpacking->crc32 = 0;
        if (!take(unpacking, &entry, sizeof(entry)))
            return FALSE;
        if (entry.kind == DT_PACKED_END)
            return check_end(unpacking) && ends_here(unpacking);
        if (!unpack_entry(unpacking, &entry) || !check_end(unpacking))
            return FALSE;
    }
    return damaged(unpacking, "it has more files than a run may have");
}

static gboolean wants(const struct dt_file_header *header, gboolean is_sealed, gpointer data)
{
    (void)header, (void)is_sealed, (void)data;
    return TRUE;
}

static void seal_traces(Unpacking *unpacking)
{
    GHashTableIter each;
    gpointer name;
    g_hash_table_iter_init(&each, unpacking->traces);
    while (g_hash_table_iter_next(&each, &name, NULL)) {
        gint folder = open_folder(unpacking, name);
        const DtSealing sealing = {.folder = folder, .name = base_of(name), .wants = wants};
        if (folder < 0)
            continue;
        (void)dt_sealing_run(&sealing);
        close(folder);
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static gboolean is_packed(const struct dt_packed_header *header)
{
    return memcmp(header->magic, DT_PACKED_MAGIC, sizeof(header->magic)) == 0;
}

gboolean dt_pack_is(const char *path)
{
    struct dt_packed_header header;
    g_autoptr(DtFile) file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? dt_file_open(path, NULL) : NULL;
    return file && dt_file_read(file, 0, &header, sizeof(header)) == sizeof(header) && is_packed(&header);
}

static gboolean check_header(Unpacking *unpacking, const struct dt_packed_header *header, guint64 file_bytes)
{
    if (!is_packed(header)) {
        dt_set_error(unpacking->error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED,
                     "%s: not a packed run: \"difftrace pack\" makes them", unpacking->path);
        return FALSE;
    }
    if (header->check != dt_crc32(0, header, G_STRUCT_OFFSET(struct dt_packed_header, check)) ||
        header->endian != DT_ENDIAN_MARK)
        return damaged(unpacking, "its header has a wrong checksum");
    if (header->major > DT_PACKED_MAJOR) {
        dt_set_error(unpacking->error, DT_STORE_ERROR, DT_STORE_ERROR_VERSION,
                     "%s: packed in version %u.%u, newer than this difftrace reads (%u): use a newer difftrace",
                     unpacking->path, header->major, header->minor, DT_PACKED_MAJOR);
        return FALSE;
    }
    if (header->content_bytes > DT_PACKED_MOST_BYTES ||
        (header->content_bytes > SMALL && header->content_bytes / DT_PACKED_MOST_RATIO > file_bytes))
        return damaged(unpacking, "it claims to hold more than any does");
    return header->content_bytes <= unpacking->most_bytes || too_large(unpacking);
}

static gboolean unpack_into(Unpacking *unpacking, const char *run, guint64 file_bytes)
{
    struct dt_packed_header header;
    if (read(unpacking->packed, &header, sizeof(header)) != sizeof(header))
        header.magic[0] = '\0';
    if (!check_header(unpacking, &header, file_bytes) || !dt_tree_make(run, unpacking->error))
        return FALSE;
    unpacking->left = header.content_bytes;
    unpacking->folder = open(run, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    gboolean done = unpacking->folder >= 0 ? unpack_entries(unpacking) : failed(unpacking, run);
    if (done && unpacking->seal)
        seal_traces(unpacking);
    if (unpacking->folder >= 0)
        close(unpacking->folder);
    if (!done)
        dt_tree_remove(run);
    return done;
}

gboolean dt_unpack(const char *path, const char *run, guint64 most_bytes, gboolean seal, GError **error)
{
    g_autoptr(GError) cause = NULL, problem = NULL;
    gint packed = dt_file_descriptor(path, O_RDONLY, &cause);
    if (packed < 0) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s", path, cause->message);
        return FALSE;
    }
    Unpacking unpacking = {.path = path,
                           .packed = packed,
                           .in = g_malloc(STEP),
                           .seal = seal,
                           .most_bytes = MIN(most_bytes, DT_PACKED_MOST_BYTES),
                           .error = &problem};
    unpacking.traces = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    unpacking.context = ZSTD_createDCtx();
    ZSTD_DCtx_setParameter(unpacking.context, ZSTD_d_windowLogMax, DT_PACKED_WINDOW_LOG);
    ZSTD_DCtx_refPrefix(unpacking.context, dt_packed_dictionary, dt_packed_dictionary_bytes);
    struct stat status;
    gboolean done = unpack_into(&unpacking, run, fstat(packed, &status) == 0 ? (guint64)status.st_size : 0);
    ZSTD_freeDCtx(unpacking.context);
    g_hash_table_unref(unpacking.traces);
    g_free(unpacking.in);
    close(packed);
    if (!done)
        g_propagate_error(error, g_steal_pointer(&problem));
    return done;
}
