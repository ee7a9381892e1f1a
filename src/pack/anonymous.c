#include "pack/anonymous.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "calls/calls.h"
#include "format/checks.h"
#include "format/note.h"
#include "format/unrecorded.h"
#include "pack/anonymous_files.h"
#include "store/file.h"
#include "store/store.h"
#include "text/text.h"

enum { DIGITS = 10, ID_DIGITS = 16, KEY_BYTES = 32, LEAST_KEY_BYTES = 16, MOST_KEY_BYTES = 1 << 16 };

struct DtPseudonyms {
    guint8 *key;
    gsize key_bytes;
    char *id;
};

/* ---- pseudonyms ------------------------------------------------------------------------------------- */

static gboolean read_key(DtPseudonyms *names, const char *file, GError **error)
{
    g_autoptr(GError) problem = NULL;
    names->key = (guint8 *)dt_file_contents(file, MOST_KEY_BYTES, &names->key_bytes, &problem);
    if (names->key && names->key_bytes >= LEAST_KEY_BYTES)
        return TRUE;
    if (problem)
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "--key %s: %s", file, problem->message);
    else
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO,
                     "--key %s: a key of %" G_GSIZE_FORMAT " bytes could be guessed; make one by: head -c 32 "
                     "/dev/urandom >FILE",
                     file, names->key_bytes);
    return FALSE;
}

static gboolean make_key(DtPseudonyms *names, GError **error)
{
    names->key = g_malloc0(KEY_BYTES);
    names->key_bytes = KEY_BYTES;
    if (getentropy(names->key, KEY_BYTES) == 0)
        return TRUE;
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "no random key can be had: %s; give --key FILE",
                 g_strerror(errno));
    return FALSE;
}

DtPseudonyms *dt_pseudonyms_new(const char *key_file, GError **error)
{
    static const char WHAT[] = "difftrace key id";
    g_autoptr(DtPseudonyms) names = g_new0(DtPseudonyms, 1);
    if (!(key_file ? read_key(names, key_file, error) : make_key(names, error)))
        return NULL;
    g_autofree char *digits = dt_pseudonym_digits(names, WHAT, strlen(WHAT));
    names->id = g_strndup(digits, ID_DIGITS);
    return g_steal_pointer(&names);
}

void dt_pseudonyms_free(DtPseudonyms *names)
{
    if (names->key)
        explicit_bzero(names->key, names->key_bytes);
    g_free(names->key);
    g_free(names->id);
    g_free(names);
}

const char *dt_pseudonyms_id(const DtPseudonyms *names)
{
    return names->id;
}

char *dt_pseudonym_digits(const DtPseudonyms *names, const void *data, gsize bytes)
{
    return g_compute_hmac_for_data(G_CHECKSUM_SHA256, names->key, names->key_bytes, data, bytes);
}

char *dt_pseudonym(const DtPseudonyms *names, char letter, const char *name)
{
    if (name[0] == '\0')
        return g_strdup("");
    g_autofree char *digits = dt_pseudonym_digits(names, name, strlen(name));
    return g_strdup_printf("%c%.*s", letter, DIGITS, digits);
}

/* ---- functions that keep their names ---------------------------------------------------------------- */

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
    return strcmp(name, "main") == 0 || dt_call_find(name) || is_of_the_system(name);
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

static void replace_path(const DtPseudonyms *names, char *path, gsize room)
{
    g_autofree char *old = g_strndup(path, room), *base = g_path_get_basename(old);
    g_autofree char *name = dt_anonymous_image(names, base), *value = g_strconcat("/", name, NULL);
    set_text(path, room, old[0] ? value : "");
}

static void replace_unrecorded(const DtPseudonyms *names, GByteArray *page)
{
    for (guint i = 0; i < DT_UNRECORDED_RECORDS; i++) {
        struct dt_unrecorded record;
        gsize at = DT_UNRECORDED_OFFSET + i * sizeof(record);
        if (page->len < at + sizeof(record))
            return;
        memcpy(&record, page->data + at, sizeof(record));
        if (record.pid == 0 || record.check != dt_unrecorded_check(&record))
            memset(&record, 0, sizeof(record));
        replace_path(names, record.executable, sizeof(record.executable));
        record.check = record.pid != 0 ? dt_unrecorded_check(&record) : 0;
        memcpy(page->data + at, &record, sizeof(record));
    }
}

void dt_anonymous_page(const DtPseudonyms *names, GByteArray *page)
{
    const guint there = page->len;
    g_byte_array_set_size(page, DT_CHUNK_ALIGN);
    memset(page->data + there, 0, DT_CHUNK_ALIGN - there);
    struct dt_file_header *header = (struct dt_file_header *)(void *)page->data;
    g_autofree char *old = g_strndup(header->host, sizeof(header->host)), *host = dt_pseudonym(names, 'h', old);
    gboolean is_checked = header->check == dt_file_header_check(header);
    set_text(header->host, sizeof(header->host), host);
    replace_path(names, header->executable, sizeof(header->executable));
    memset(header->arguments, 0, sizeof(header->arguments));
    header->check = is_checked ? dt_file_header_check(header) : header->check;
    if (header->seal != 0 && header->header_bytes >= sizeof(*header) && header->header_bytes <= page->len)
        header->seal = dt_file_header_seal(header);
    replace_unrecorded(names, page);
}

static void replace_images(const DtPseudonyms *names, GByteArray *chunk)
{
    struct dt_image image;
    for (gsize at = sizeof(struct dt_chunk_header); at + sizeof(image) <= chunk->len; at += sizeof(image)) {
        memcpy(&image, chunk->data + at, sizeof(image));
        if (image.index == 0)
            continue;
        gboolean is_checked = image.check == dt_image_check(&image);
        g_autofree char *old = g_strndup(image.key, sizeof(image.key)), *key = dt_anonymous_key(names, old);
        set_text(image.key, sizeof(image.key), key);
        replace_path(names, image.path, sizeof(image.path));
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
static void replace_text(const DtPseudonyms *names, guint8 *text, gsize bytes)
{
    g_autofree char *digest = dt_pseudonym_digits(names, text, bytes);
    for (gsize i = 0; i < bytes; i++)
        text[i] = (guint8)digest[i % strlen(digest)];
}

static void replace_notes(const DtPseudonyms *names, GByteArray *chunk)
{
    struct dt_note note;
    for (gsize at = sizeof(struct dt_chunk_header) + sizeof(struct dt_notes); at < chunk->len;) {
        gsize length = chunk->data[at] & ~(gsize)DT_NOTE_UNFINISHED;
        gboolean is_whole = length > 0 && !(chunk->data[at] & DT_NOTE_UNFINISHED) && length <= chunk->len - at - 1;
        if (is_whole && dt_note_decode(chunk->data + at + 1, length, &note))
            replace_text(names, (guint8 *)note.text, note.text_bytes);
        else if (length > 0)
            memset(chunk->data + at + 1, 0, MIN(length, chunk->len - at - 1));
        at += length + 1;
    }
}

void dt_anonymous_chunk(const DtPseudonyms *names, GByteArray *chunk)
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
        replace_images(names, chunk);
        break;
    case DT_CHUNK_NOTES:
        replace_notes(names, chunk);
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
