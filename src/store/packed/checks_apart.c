#include "store/packed/checks_apart.h"

#include <string.h>

#include "format/checks.h"
#include "format/unrecorded.h"

enum { MOST_CHUNK_BYTES = 1 << 24 };

/* Whether checksums are made, or become 0. */
typedef enum { MAKE, CLEAR } How;

/* Copies a record out, sets its checksum, and copies it back: it may lie anywhere. */
#define EACH(how, type, at, function)                                                                                  \
    do {                                                                                                               \
        struct type each_one;                                                                                          \
        memcpy(&each_one, at, sizeof(each_one));                                                                       \
        each_one.check = (how) == MAKE ? function(&each_one) : 0;                                                      \
        memcpy(at, &each_one, sizeof(each_one));                                                                       \
    } while (0)

/* ---- records ------------------------------------------------------------------------------------- */

/* The first 272 bytes of a thread's record, or all of it. */
static void of_thread(How how, guint8 *at, gsize bytes)
{
    struct dt_thread thread = {0};
    memcpy(&thread, at, MIN(bytes, sizeof(thread)));
    for (gsize i = 0; i < G_N_ELEMENTS(thread.commit); i++)
        thread.commit[i].check = how == MAKE ? dt_commit_check(&thread.commit[i]) : 0;
    if (thread.last_signal.number != 0)
        thread.last_signal.check = how == MAKE ? dt_last_signal_check(&thread.last_signal) : 0;
    if (thread.open_frames.cause != 0)
        thread.open_frames.check = how == MAKE ? dt_open_frames_check(&thread.open_frames) : 0;
    thread.check = how == MAKE ? dt_thread_check(&thread) : 0;
    memcpy(at, &thread, MIN(bytes, sizeof(thread)));
}

static void of_ended_threads(How how, guint8 *at, gsize bytes)
{
    struct dt_ended_thread record;
    for (; bytes >= sizeof(record); at += record.bytes, bytes -= record.bytes) {
        memcpy(&record, at, sizeof(record));
        gsize words = record.words * sizeof(guint16);
        if (record.bytes < sizeof(record) || record.bytes > bytes || words > record.bytes - sizeof(record))
            return;
        of_thread(how, at + G_STRUCT_OFFSET(struct dt_ended_thread, head), DT_THREAD_HEAD_BYTES);
        g_autofree struct dt_ended_thread *copy = g_memdup2(at, record.bytes);
        copy->check = how == MAKE ? dt_ended_thread_check(copy) : 0;
        memcpy(at, copy, sizeof(*copy));
    }
}

static void of_communicators(How how, guint8 *at, gsize bytes)
{
    struct dt_communicator record;
    for (; bytes >= sizeof(record); at += record.bytes, bytes -= record.bytes) {
        memcpy(&record, at, sizeof(record));
        if (record.bytes < sizeof(record) || record.bytes > bytes)
            return;
        g_autofree struct dt_communicator *copy = g_memdup2(at, record.bytes);
        copy->check = how == MAKE ? dt_communicator_check(copy) : 0;
        memcpy(at, copy, sizeof(*copy));
    }
}

/* Tables of records of one size; those that are all 0 are none. */
static void of_table(How how, guint32 type, guint8 *at, gsize bytes)
{
    const gsize size = type == DT_CHUNK_FUNCTIONS ? sizeof(struct dt_function)
                       : type == DT_CHUNK_SITES   ? sizeof(struct dt_call_site)
                                                  : sizeof(struct dt_image);
    for (; bytes >= size; at += size, bytes -= size) {
        struct dt_function function;
        struct dt_call_site site;
        struct dt_image image;
        memcpy(&function, at, MIN(size, sizeof(function)));
        memcpy(&site, at, sizeof(site));
        memcpy(&image, at, MIN(size, sizeof(image)));
        if (type == DT_CHUNK_FUNCTIONS && function.id != 0)
            EACH(how, dt_function, at, dt_function_check);
        else if (type == DT_CHUNK_SITES && site.id != 0)
            EACH(how, dt_call_site, at, dt_call_site_check);
        else if ((type == DT_CHUNK_IMAGES || type == DT_CHUNK_SITE_IMAGES) && image.index != 0)
            EACH(how, dt_image, at, dt_image_check);
    }
}

static void of_payload(How how, guint32 type, guint8 *at, gsize bytes)
{
    if (type == DT_CHUNK_THREAD && bytes >= sizeof(struct dt_thread))
        of_thread(how, at, bytes);
    else if (type == DT_CHUNK_ENDED)
        of_ended_threads(how, at, bytes);
    else if (type == DT_CHUNK_COMMUNICATORS)
        of_communicators(how, at, bytes);
    else if (type == DT_CHUNK_FUNCTIONS || type == DT_CHUNK_SITES || type == DT_CHUNK_IMAGES ||
             type == DT_CHUNK_SITE_IMAGES)
        of_table(how, type, at, bytes);
}

/* ---- pieces ---------------------------------------------------------------------------------------- */

static void of_page(How how, guint8 *page)
{
    struct dt_file_header *header = (struct dt_file_header *)(void *)page;
    struct dt_unrecorded record;
    header->check = how == MAKE ? dt_file_header_check(header) : 0;
    header->seal = 0;
    if (how == MAKE && header->header_bytes >= sizeof(*header) && header->header_bytes <= DT_CHUNK_ALIGN)
        header->seal = dt_file_header_seal(header);
    for (guint i = 0; i < DT_UNRECORDED_RECORDS; i++) {
        guint8 *at = page + DT_UNRECORDED_OFFSET + i * sizeof(record);
        memcpy(&record, at, sizeof(record));
        if (record.pid != 0)
            EACH(how, dt_unrecorded, at, dt_unrecorded_check);
    }
}

static void of_chunk(How how, guint8 *data, gsize bytes)
{
    struct dt_chunk_header *chunk = (struct dt_chunk_header *)(void *)data;
    const gboolean has_seal = chunk->type != DT_CHUNK_DATA && chunk->type != DT_CHUNK_FREE;
    chunk->check = how == MAKE ? dt_chunk_check(chunk) : 0;
    if (bytes < chunk->bytes)
        return; /* the header of one of code */
    of_payload(how, chunk->type, data + sizeof(*chunk), chunk->bytes - sizeof(*chunk));
    if (has_seal)
        chunk->seal = how == MAKE ? dt_chunk_seal(chunk) : 0;
}

/* Bytes of what a piece is a part of, with zeros at its end; 0: it is nothing that has checksums. */
static gsize whole_of(const guint8 *piece, gsize bytes, guint64 offset)
{
    struct dt_chunk_header chunk = {0};
    memcpy(&chunk, piece, MIN(bytes, sizeof(chunk)));
    if (offset == 0)
        return bytes <= DT_CHUNK_ALIGN ? DT_CHUNK_ALIGN : 0;
    if (chunk.magic != DT_CHUNK_MAGIC || chunk.bytes < MAX(bytes, sizeof(chunk)) || chunk.bytes > MOST_CHUNK_BYTES)
        return 0;
    return chunk.type == DT_CHUNK_DATA ? MAX(bytes, sizeof(chunk)) : chunk.bytes;
}

static void of_piece(How how, guint8 *piece, gsize bytes, guint64 offset, gsize whole)
{
    g_autofree guint8 *copy = g_malloc0(whole);
    memcpy(copy, piece, bytes);
    if (offset == 0)
        of_page(how, copy);
    else
        of_chunk(how, copy, whole);
    memcpy(piece, copy, bytes);
}

void dt_checks_leave_out(guint8 *piece, gsize bytes, guint64 offset)
{
    gsize whole = whole_of(piece, bytes, offset);
    if (whole > 0)
        of_piece(CLEAR, piece, bytes, offset, whole);
}

gboolean dt_checks_put_back(guint8 *piece, gsize bytes, guint64 offset, guint64 *room)
{
    gsize whole = whole_of(piece, bytes, offset);
    if (whole > *room)
        return FALSE;
    *room -= whole;
    if (whole > 0)
        of_piece(MAKE, piece, bytes, offset, whole);
    return TRUE;
}
