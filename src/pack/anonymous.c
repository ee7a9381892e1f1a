#include "pack/anonymous.h"

#include <dlfcn.h>
#include <string.h>

#include "calls/calls.h"
#include "format/checks.h"
#include "format/note.h"
#include "format/unrecorded.h"
#include "pack/anonymous_files.h"

enum { DIGITS = 10 };

char *dt_pseudonym(char letter, const char *name)
{
    if (name[0] == '\0')
        return g_strdup("");
    g_autofree char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, name, -1);
    return g_strdup_printf("%c%.*s", letter, DIGITS, digest);
}

/* What the C library exports, everybody has. */
static gboolean is_of_the_system(const char *name)
{
    static const char *const libraries[] = {"libc.so.6", "libm.so.6"};
    gboolean found = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(libraries) && !found; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY);
        found = library && dlsym(library, name);
        if (library)
            dlclose(library);
    }
    return found;
}

gboolean dt_function_is_public(const char *name)
{
    return strcmp(name, "main") == 0 || dt_call_find(name) != NULL || is_of_the_system(name);
}

/* ---- records of trace files ------------------------------------------------------------------------ */

/* A text of a record, of `room` bytes, its NUL included if there is room for it. */
static void set_text(char *text, gsize room, const char *value)
{
    const gsize used = MIN(strlen(value), room);
    memset(text, 0, room);
    for (gsize i = 0; i < used; i++)
        text[i] = value[i];
}

static void replace_path(char *path, gsize room)
{
    g_autofree char *old = g_strndup(path, room), *base = g_path_get_basename(old);
    g_autofree char *name = dt_anonymous_image(base), *value = g_strconcat("/", name, NULL);
    set_text(path, room, old[0] ? value : "");
}

static void replace_unrecorded(GByteArray *page)
{
    for (guint i = 0; i < DT_UNRECORDED_RECORDS; i++) {
        struct dt_unrecorded record;
        gsize at = DT_UNRECORDED_OFFSET + i * sizeof(record);
        if (page->len < at + sizeof(record))
            return;
        memcpy(&record, page->data + at, sizeof(record));
        if (record.pid == 0 || record.check != dt_unrecorded_check(&record))
            memset(&record, 0, sizeof(record));
        replace_path(record.executable, sizeof(record.executable));
        record.check = record.pid != 0 ? dt_unrecorded_check(&record) : 0;
        memcpy(page->data + at, &record, sizeof(record));
    }
}

void dt_anonymous_page(GByteArray *page)
{
    const guint there = page->len;
    g_byte_array_set_size(page, DT_CHUNK_ALIGN);
    memset(page->data + there, 0, DT_CHUNK_ALIGN - there);
    struct dt_file_header *header = (struct dt_file_header *)(void *)page->data;
    g_autofree char *old = g_strndup(header->host, sizeof(header->host)), *host = dt_pseudonym('h', old);
    gboolean is_checked = header->check == dt_file_header_check(header);
    set_text(header->host, sizeof(header->host), host);
    replace_path(header->executable, sizeof(header->executable));
    memset(header->arguments, 0, sizeof(header->arguments));
    header->check = is_checked ? dt_file_header_check(header) : header->check;
    if (header->seal != 0 && header->header_bytes >= sizeof(*header) && header->header_bytes <= page->len)
        header->seal = dt_file_header_seal(header);
    replace_unrecorded(page);
}

static void replace_images(GByteArray *chunk)
{
    struct dt_image image;
    for (gsize at = sizeof(struct dt_chunk_header); at + sizeof(image) <= chunk->len; at += sizeof(image)) {
        memcpy(&image, chunk->data + at, sizeof(image));
        if (image.index == 0)
            continue;
        gboolean is_checked = image.check == dt_image_check(&image);
        g_autofree char *old = g_strndup(image.key, sizeof(image.key)), *key = dt_anonymous_key(old);
        set_text(image.key, sizeof(image.key), key);
        replace_path(image.path, sizeof(image.path));
        image.check = is_checked ? dt_image_check(&image) : image.check;
        memcpy(chunk->data + at, &image, sizeof(image));
    }
}

/* The first 272 bytes of a thread's record. */
static void replace_thread(guint8 *head)
{
    struct dt_thread thread = {0};
    memcpy(&thread, head, DT_THREAD_HEAD_BYTES);
    gboolean is_checked = thread.check != 0 && thread.check == dt_thread_check(&thread);
    memset(thread.name, 0, sizeof(thread.name));
    thread.check = is_checked ? dt_thread_check(&thread) : thread.check;
    memcpy(head, &thread, DT_THREAD_HEAD_BYTES);
}

static void replace_ended_threads(GByteArray *chunk)
{
    struct dt_ended_thread record;
    for (gsize at = sizeof(struct dt_chunk_header); at + sizeof(record) <= chunk->len; at += record.bytes) {
        memcpy(&record, chunk->data + at, sizeof(record));
        if (record.bytes < sizeof(record) || record.bytes % 8 != 0)
            return;
        replace_thread(chunk->data + at + G_STRUCT_OFFSET(struct dt_ended_thread, head));
    }
}

/* Texts keep their length, so that nothing moves. */
static void replace_text(guint8 *text, gsize bytes)
{
    g_autofree char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, text, bytes);
    for (gsize i = 0; i < bytes; i++)
        text[i] = (guint8)digest[i % strlen(digest)];
}

static void replace_notes(GByteArray *chunk)
{
    struct dt_note note;
    for (gsize at = sizeof(struct dt_chunk_header) + sizeof(struct dt_notes); at < chunk->len;) {
        gsize length = chunk->data[at] & ~(gsize)DT_NOTE_UNFINISHED;
        gboolean is_whole = length > 0 && !(chunk->data[at] & DT_NOTE_UNFINISHED) && length <= chunk->len - at - 1;
        if (is_whole && dt_note_decode(chunk->data + at + 1, length, &note))
            replace_text((guint8 *)note.text, note.text_bytes);
        else if (length > 0)
            memset(chunk->data + at + 1, 0, MIN(length, chunk->len - at - 1));
        at += length + 1;
    }
}

void dt_anonymous_chunk(GByteArray *chunk)
{
    struct dt_chunk_header *header = (struct dt_chunk_header *)(void *)chunk->data;
    switch (header->type) {
    case DT_CHUNK_THREAD:
        if (chunk->len >= sizeof(*header) + DT_THREAD_HEAD_BYTES)
            replace_thread(chunk->data + sizeof(*header));
        break;
    case DT_CHUNK_ENDED:
        replace_ended_threads(chunk);
        break;
    case DT_CHUNK_IMAGES:
    case DT_CHUNK_SITE_IMAGES:
        replace_images(chunk);
        break;
    case DT_CHUNK_NOTES:
        replace_notes(chunk);
        break;
    case DT_CHUNK_DATA:
    case DT_CHUNK_FUNCTIONS:
    case DT_CHUNK_FREE:
    case DT_CHUNK_STAMPS:
    case DT_CHUNK_TIMES:
    case DT_CHUNK_COMMUNICATORS:
    case DT_CHUNK_SITES:
    case DT_CHUNK_ARRAYS:
        break;
    default: /* nobody knows what it tells */
        memset(chunk->data + sizeof(*header), 0, chunk->len - sizeof(*header));
    }
}
