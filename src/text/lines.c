/* Names and plain text, for people and for terminals. */
#include "text/characters.h"
#include "text/text.h"

#include <string.h>

typedef enum { SPELL, LINE, LINES } Manner;

/* Blanks that one cannot see or count. */
static gboolean is_lost_blank(const char *text, gsize at, gsize length)
{
    return text[at] == ' ' && (at == 0 || at + 1 == length || text[at - 1] == ' ');
}

static char *escaped(const char *text, gsize length, Manner manner)
{
    GString *out = g_string_sized_new(length + 1);
    for (gsize at = 0, bytes; at < length; at += bytes) {
        if (manner != SPELL && (bytes = dt_plain_length(text + at, length - at)) > 0) {
            g_string_append_len(out, text + at, (gssize)bytes);
            continue;
        }
        gunichar character = dt_character_at(text + at, length - at, &bytes);
        if (character == DT_NO_CHARACTER)
            dt_append_byte_escape(out, (guint8)text[at]);
        else if (manner == SPELL && character == '\\')
            g_string_append(out, "\\\\");
        else if (manner == SPELL && is_lost_blank(text, at, length))
            dt_append_byte_escape(out, ' ');
        else if (dt_character_shows(character) || (manner == LINES && character == '\n'))
            g_string_append_len(out, text + at, (gssize)bytes);
        else
            dt_append_character_escape(out, character);
    }
    return g_string_free(out, FALSE);
}

char *dt_text_spell_bytes(const char *name, gsize length)
{
    return escaped(name, length, SPELL);
}

char *dt_text_spell(const char *name)
{
    return escaped(name, strlen(name), SPELL);
}

/* What an escape stands for; the number of its characters, 0 if it is none. */
static gsize read_escape(const char *text, guint64 *code)
{
    char *end = NULL;
    if (text[1] == '\\') {
        *code = '\\';
        return 2;
    }
    if (text[1] == 'x' && g_ascii_isxdigit(text[2]) && g_ascii_isxdigit(text[3])) {
        *code = (guint64)(g_ascii_xdigit_value(text[2]) << 4 | g_ascii_xdigit_value(text[3]));
        return 4;
    }
    if (text[1] != 'u' || text[2] != '{' || !g_ascii_isxdigit(text[3]))
        return 0;
    *code = g_ascii_strtoull(text + 3, &end, 16);
    return *end == '}' && *code <= 0x10ffff ? (gsize)(end + 1 - text) : 0;
}

char *dt_text_unspell(const char *spelled)
{
    GString *out = g_string_new(NULL);
    while (*spelled != '\0') {
        guint64 code = 0;
        gsize length = *spelled == '\\' ? read_escape(spelled, &code) : 0;
        if (length == 0)
            g_string_append_c(out, *spelled++);
        else if (spelled[1] == 'u')
            g_string_append_unichar(out, (gunichar)code);
        else
            g_string_append_c(out, (char)code);
        spelled += length;
    }
    return g_string_free(out, FALSE);
}

char *dt_text_line(const char *text)
{
    return escaped(text, strlen(text), LINE);
}

char *dt_text_lines(const char *text)
{
    return escaped(text, strlen(text), LINES);
}

/* ---- shortening -------------------------------------------------------------------- */

enum { LEAST_MARKED = 24, DOTS = 3 };

/* FNV-1a, folded to 24 bits. */
static guint32 hash_of(const char *text, const char *end)
{
    guint32 hash = 2166136261u;
    for (; text < end; text++)
        hash = (hash ^ (guint8)*text) * 16777619u;
    return (hash >> 24 ^ hash) & 0xffffff;
}

char *dt_text_shortened(const char *text, glong width)
{
    char *line = dt_text_line(text);
    glong length = g_utf8_strlen(line, -1);
    if (length <= width)
        return line;
    char mark[16] = "...";
    if (width >= LEAST_MARKED)
        g_snprintf(mark, sizeof mark, "..%06x..", hash_of(line, line + strlen(line)));
    glong rest = MAX(width - (glong)strlen(mark), 0), head = rest * 2 / 3;
    const char *first_end = g_utf8_offset_to_pointer(line, head);
    const char *last = g_utf8_offset_to_pointer(line, length - (rest - head));
    char *shortened = g_strdup_printf("%.*s%s%s", (int)(first_end - line), line, mark, last);
    g_free(line);
    return shortened;
}
