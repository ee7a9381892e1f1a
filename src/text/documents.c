/* Text in documents with a syntax of their own. */
#include "text/characters.h"
#include "text/text.h"

#include <string.h>

/* ---- tables --------------------------------------------------------------------------- */

static gboolean is_number(const char *text)
{
    char *end = NULL;
    g_ascii_strtod(text, &end);
    return end != text && *end == '\0';
}

static gboolean looks_like_formula(const char *text)
{
    return *text != '\0' && strchr("=+-@'", *text) && strcmp(text, "-") != 0 && !is_number(text);
}

char *dt_text_tsv(const char *text)
{
    char *line = dt_text_line(text);
    if (!looks_like_formula(line))
        return line;
    char *cell = g_strconcat("'", line, NULL);
    g_free(line);
    return cell;
}

char *dt_text_csv(const char *text)
{
    char *cell = dt_text_tsv(text);
    if (!strpbrk(cell, ",\""))
        return cell;
    g_auto(GStrv) parts = g_strsplit(cell, "\"", -1);
    g_autofree char *doubled = g_strjoinv("\"\"", parts);
    g_free(cell);
    return g_strconcat("\"", doubled, "\"", NULL);
}

/* ---- markup and graphs ------------------------------------------------------------------- */

char *dt_text_markup(const char *text)
{
    g_autofree char *line = dt_text_line(text);
    return g_markup_escape_text(line, -1);
}

/* Graphviz replaces \N by a node's name and &lt; by < wherever they stand. */
char *dt_text_dot(const char *text)
{
    g_autofree char *lines = dt_text_lines(text);
    GString *out = g_string_new(NULL);
    for (const char *at = lines; *at != '\0'; at++) {
        if (*at == '\\')
            g_string_append(out, "\\\\");
        else if (*at == '\n')
            g_string_append(out, "\\n");
        else if (*at == '&')
            g_string_append(out, "&amp;");
        else
            g_string_append_c(out, *at);
    }
    return g_string_free(out, FALSE);
}

/* Graphviz replaces \N even in markup. */
char *dt_text_dot_markup(const char *text)
{
    g_autofree char *markup = dt_text_markup(text);
    g_auto(GStrv) parts = g_strsplit(markup, "\\", -1);
    return g_strjoinv("\\\\", parts);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

char *dt_text_json_value(const char *text)
{
    GString *out = g_string_new(NULL);
    gsize length = strlen(text);
    for (gsize at = 0, bytes; at < length; at += bytes) {
        if (dt_character_at(text + at, length - at, &bytes) == DT_NO_CHARACTER)
            dt_append_byte_escape(out, (guint8)text[at]);
        else
            g_string_append_len(out, text + at, (gssize)bytes);
    }
    return g_string_free(out, FALSE);
}

static void append_json_escape(GString *out, gunichar character)
{
    if (character < 0x10000)
        g_string_append_printf(out, "\\u%04x", character);
    else
        g_string_append_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (character >> 10), 0xdc00 + (character & 0x3ff));
}

/* Line feeds outside of strings are the writer's; in strings it writes them as \n. */
char *dt_text_json(const char *document)
{
    gsize length = strlen(document);
    GString *out = g_string_sized_new(length + 1);
    for (gsize at = 0, bytes; at < length; at += bytes) {
        if ((bytes = dt_plain_length(document + at, length - at)) > 0) {
            g_string_append_len(out, document + at, (gssize)bytes);
            continue;
        }
        gunichar character = dt_character_at(document + at, length - at, &bytes);
        if (character == DT_NO_CHARACTER)
            g_string_append(out, "\\ufffd");
        else if (dt_character_shows(character) || character == '\n')
            g_string_append_len(out, document + at, (gssize)bytes);
        else
            append_json_escape(out, character);
    }
    return g_string_free(out, FALSE);
}

char *dt_text_json_quoted(const char *text)
{
    g_autofree char *value = dt_text_json_value(text);
    GString *out = g_string_new("\"");
    for (const char *at = value; *at != '\0'; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        if (character == '"' || character == '\\')
            g_string_append_c(out, '\\');
        if (dt_character_shows(character))
            g_string_append_unichar(out, character);
        else
            append_json_escape(out, character);
    }
    g_string_append_c(out, '"');
    return g_string_free(out, FALSE);
}

char *dt_text_json_in_script(const char *document)
{
    g_auto(GStrv) parts = g_strsplit(document, "<", -1);
    g_autofree char *without_tags = g_strjoinv("\\u003c", parts);
    return dt_text_json(without_tags);
}

/* ---- other tools' formats -------------------------------------------------------------------- */

char *dt_text_frame(const char *text)
{
    g_autofree char *line = dt_text_line(text);
    g_auto(GStrv) parts = g_strsplit(line, ";", -1);
    return g_strjoinv("\\x3b", parts);
}
