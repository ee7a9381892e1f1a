/* The header of a process file. Even without it the chunks can be read: it is not to cost them. */
#include "store/file_header.h"

#include <string.h>

#include "codec/codec.h"
#include "format/checks.h"
#include "store/problems.h"
#include "store/store.h"
#include "text/text.h"

enum { FIRST_MINOR_WITH_CHILDLESS = 4, FIRST_MINOR_WITH_LONG_TAILS = 5, MOST_HEADER_BYTES = 1 << 20 };

/* What every file of this version has there. */
static struct dt_file_header with_constants(const struct dt_file_header *header)
{
    struct dt_file_header fixed = *header;
    memcpy(fixed.magic, DT_FILE_MAGIC, sizeof(fixed.magic));
    fixed.major = DT_FORMAT_MAJOR;
    fixed.endian = DT_ENDIAN_MARK;
    fixed.header_bytes = sizeof(fixed);
    return fixed;
}

static gboolean has_constants(const struct dt_file_header *header)
{
    return memcmp(header->magic, DT_FILE_MAGIC, sizeof(header->magic)) == 0 && header->endian == DT_ENDIAN_MARK &&
           header->major >= 1 && header->header_bytes >= sizeof(*header);
}

/* Whether any chunk is there whose header has the right checksum: then this is a trace file of version 1.1 or later,
 * whatever its own header looks like. */
static gboolean has_checked_chunk(DtWindow *window)
{
    struct dt_chunk_header chunk;
    for (guint64 at = DT_CHUNK_ALIGN; at + sizeof(chunk) <= window->file->bytes; at += DT_CHUNK_ALIGN) {
        memcpy(&chunk, dt_window_view(window, at, sizeof(chunk)), sizeof(chunk));
        if (chunk.magic == DT_CHUNK_MAGIC && chunk.check == dt_chunk_check(&chunk))
            return TRUE;
    }
    return FALSE;
}

static gboolean fail(const char *name, const char *why, GError **error)
{
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED, "%s: unreadable at offset 0: %s", name, why);
    return FALSE;
}

static void terminate_texts(struct dt_file_header *header)
{
    header->host[sizeof(header->host) - 1] = 0;
    header->executable[sizeof(header->executable) - 1] = 0;
    header->arguments[sizeof(header->arguments) - 1] = 0;
}

/* A header that is damaged may name any codec. */
static gboolean codec_is_read(const char *name, const DtHeader *read, GError **error)
{
    const struct dt_file_header *header = &read->header;
    const char *dropped = dt_codec_dropped(header->codec);
    if (!dropped || (read->checked && header->check != dt_file_header_check(header)))
        return TRUE;
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_CODEC, "%s: %s", name, dropped);
    return FALSE;
}

/* What the tails are like. */
static void set_version(DtHeader *read, guint minor)
{
    read->childless = minor >= FIRST_MINOR_WITH_CHILDLESS;
    read->tail_capacity = minor >= FIRST_MINOR_WITH_LONG_TAILS ? DT_TAIL_WORDS + DT_TAIL_SLACK : DT_TAIL_CAPACITY_1_4;
}

/* Which of the two checksums hold. Fields that version 1.0 left 0 tell damage of the version itself, too. */
static void check(const char *name, DtWindow *window, DtHeader *read, GPtrArray *problems)
{
    const struct dt_file_header *header = &read->header;
    read->checked = header->minor >= 1 || header->check != 0 || header->seal != 0 || has_checked_chunk(window);
    set_version(read, header->minor);
    read->first_chunk = DT_CHUNK_ALIGN;
    if (read->checked && header->check != dt_file_header_check(header)) {
        dt_problem(problems, name, "the header at offset 0 is damaged: rank, host and program may be wrong");
        set_version(read, DT_FORMAT_MINOR); /* the version may be what is damaged */
        return;
    }
    read->first_chunk = (header->header_bytes + (guint64)DT_CHUNK_ALIGN - 1) & ~(guint64)(DT_CHUNK_ALIGN - 1);
    if (header->seal == 0 || header->header_bytes > MIN(window->file->bytes, (guint64)MOST_HEADER_BYTES))
        return;
    const struct dt_file_header *written = (const void *)dt_window_view(window, 0, header->header_bytes);
    if (written->header_bytes == header->header_bytes && header->seal != dt_file_header_seal(written))
        dt_problem(problems, name, "the header at offset 0 is damaged: how the process ended may be wrong");
}

gboolean dt_header_read(const char *name, DtWindow *window, DtHeader *read, GPtrArray *problems, GError **error)
{
    struct dt_file_header *header = &read->header;
    if (window->file->bytes == 0)
        return fail(name, "it is empty", error);
    if (window->file->bytes < sizeof(*header))
        return fail(name, "it is shorter than a header", error);
    memcpy(header, dt_window_view(window, 0, sizeof(*header)), sizeof(*header));
    struct dt_file_header fixed = with_constants(header);
    gboolean fixable = header->check != 0 && dt_file_header_check(&fixed) == header->check;
    if (!fixable && has_constants(header) && header->major > DT_FORMAT_MAJOR) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_VERSION,
                     "%s: written in version %u.%u of the trace format, newer than this difftrace reads (%u): "
                     "use a newer difftrace",
                     name, header->major, header->minor, DT_FORMAT_MAJOR);
        return FALSE;
    }
    if (!has_constants(header) || header->major > DT_FORMAT_MAJOR) {
        if (!fixable && !has_checked_chunk(window))
            return fail(name, "it does not begin like a trace file", error);
        *header = fixed;
        dt_problem(problems, name, "the header at offset 0 is damaged: it does not begin like a trace file");
    }
    check(name, window, read, problems);
    terminate_texts(header);
    return codec_is_read(name, read, error);
}
