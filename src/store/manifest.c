/* The manifest of a run: its checksum, and what is kept of it. */
#include "store/manifest.h"

#include <string.h>

#include "format/crc32.h"

enum { CHECKSUM_DIGITS = 8, DEEPEST_NESTING = 64 };

/* Where the eight digits of the checksum are; NULL: there are none. */
static const char *find_checksum(const char *text, gsize bytes)
{
    static const char name[] = "\"checksum\"", digits[] = "0123456789abcdef";
    const char *end = text + bytes, *at = g_strrstr_len(text, (gssize)bytes, name);
    if (!at)
        return NULL;
    for (at += strlen(name); at < end && strchr(" \t\r\n:", *at) && *at; at++) {
    }
    gboolean whole = end - at > 1 + CHECKSUM_DIGITS && *at == '"' && strspn(at + 1, digits) == CHECKSUM_DIGITS;
    return whole ? at + 1 : NULL;
}

/* Of the text with zeros in the place of the digits. */
static guint32 text_checksum(const char *text, gsize bytes, const char *place)
{
    gsize before = (gsize)(place - text);
    guint32 crc = dt_crc32(dt_crc32(0, text, before), "00000000", CHECKSUM_DIGITS);
    return dt_crc32(crc, place + CHECKSUM_DIGITS, bytes - before - CHECKSUM_DIGITS);
}

void dt_manifest_sign(char *text)
{
    gsize bytes = strlen(text);
    const char *place = find_checksum(text, bytes);
    char digits[CHECKSUM_DIGITS + 1];
    if (!place)
        return;
    g_snprintf(digits, sizeof(digits), "%08x", text_checksum(text, bytes, place));
    memcpy(text + (place - text), digits, CHECKSUM_DIGITS);
}

gboolean dt_manifest_checksum_holds(const char *text, gsize bytes)
{
    const char *place = find_checksum(text, bytes);
    char digits[CHECKSUM_DIGITS + 1] = "";
    if (place)
        memcpy(digits, place, CHECKSUM_DIGITS);
    return !place || g_ascii_strtoull(digits, NULL, 16) == text_checksum(text, bytes, place);
}

gboolean dt_json_nests_too_deeply(const char *text, gsize bytes)
{
    guint depth = 0;
    gboolean quoted = FALSE;
    for (gsize i = 0; i < bytes; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '[' || text[i] == '{') && ++depth > DEEPEST_NESTING)
            return TRUE;
        else if (!quoted && (text[i] == ']' || text[i] == '}') && depth > 0)
            depth--;
    }
    return FALSE;
}

static void clear_seen_end(gpointer data)
{
    DtSeenEnd *seen = data;
    g_free(seen->host);
}

DtManifestFile *dt_manifest_file_new(void)
{
    DtManifestFile *file = g_new0(DtManifestFile, 1);
    file->ends = g_array_new(FALSE, FALSE, sizeof(DtSeenEnd));
    g_array_set_clear_func(file->ends, clear_seen_end);
    return file;
}

void dt_manifest_file_free(DtManifestFile *file)
{
    if (!file)
        return;
    g_strfreev(file->manifest.command);
    g_strfreev(file->manifest.warnings);
    g_free((char *)file->manifest.version);
    g_free((char *)file->manifest.images);
    g_free((char *)file->manifest.codec);
    g_free((char *)file->manifest.engine);
    g_array_unref(file->ends);
    g_free(file);
}
