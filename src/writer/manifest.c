/* The manifest of a run: a JSON object, its checksum, its file. */
#include "writer/manifest.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "format/crc32.h"
#include "text/text.h"
#include "writer/files.h"

/* ---- the object ------------------------------------------------------------------------------- */

JsonBuilder *dt_manifest_begin(void)
{
    JsonBuilder *manifest = json_builder_new();
    json_builder_begin_object(manifest);
    dt_manifest_int(manifest, "version", 1);
    return manifest;
}

static void add_text(JsonBuilder *manifest, const char *text)
{
    g_autofree char *valid = dt_text_json_value(text);
    json_builder_add_string_value(manifest, valid);
}

void dt_manifest_string(JsonBuilder *manifest, const char *name, const char *text)
{
    json_builder_set_member_name(manifest, name);
    if (text)
        add_text(manifest, text);
    else
        json_builder_add_null_value(manifest);
}

void dt_manifest_strings(JsonBuilder *manifest, const char *name, const char *const *texts, gsize count)
{
    json_builder_set_member_name(manifest, name);
    json_builder_begin_array(manifest);
    for (gsize i = 0; i < count; i++)
        add_text(manifest, texts[i]);
    json_builder_end_array(manifest);
}

void dt_manifest_boolean(JsonBuilder *manifest, const char *name, gboolean value)
{
    json_builder_set_member_name(manifest, name);
    json_builder_add_boolean_value(manifest, value);
}

void dt_manifest_int(JsonBuilder *manifest, const char *name, gint64 value)
{
    json_builder_set_member_name(manifest, name);
    json_builder_add_int_value(manifest, value);
}

char *dt_manifest_end(JsonBuilder *manifest)
{
    dt_manifest_string(manifest, "checksum", "00000000");
    json_builder_end_object(manifest);
    g_autoptr(JsonNode) root = json_builder_get_root(manifest);
    g_autofree char *written = json_to_string(root, TRUE);
    char *text = dt_text_json(written);
    dt_manifest_sign(text);
    return text;
}

/* ---- its checksum ----------------------------------------------------------------------------- */

enum { CHECKSUM_DIGITS = 8 };

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

/* ---- its file --------------------------------------------------------------------------------- */

gboolean dt_manifest_replace(const char *run, const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(run, "manifest.json", NULL), *whole = g_strconcat(path, ".new", NULL);
    g_remove(whole);
    gint failure = dt_write_at(whole, 0, text, strlen(text));
    if (failure == 0 && g_rename(whole, path) != 0)
        failure = errno;
    if (failure == 0)
        return TRUE;
    dt_set_write_error(error, path, failure);
    g_remove(whole);
    return FALSE;
}
