/* Which characters show, and how the others are written. */
#include "text/characters.h"

typedef struct {
    gunichar first, last;
} Range;

/* Invisible though their types do not tell: joiners, fillers, inherent vowels, selectors
 * (Default_Ignorable_Code_Point). */
static const Range ignorable[] = {{0x034f, 0x034f}, {0x115f, 0x1160},   {0x17b4, 0x17b5},  {0x180b, 0x180f},
                                  {0x2800, 0x2800}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},  {0xffa0, 0xffa0},
                                  {0xfff0, 0xfffc}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

static gboolean is_ignorable(gunichar character)
{
    for (guint i = 0; i < G_N_ELEMENTS(ignorable); i++)
        if (character >= ignorable[i].first && character <= ignorable[i].last)
            return TRUE;
    return FALSE;
}

gboolean dt_character_shows(gunichar character)
{
    if (character < 0x7f)
        return character >= ' ';
    switch (g_unichar_type(character)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_SPACE_SEPARATOR:
        return FALSE;
    default:
        return !is_ignorable(character);
    }
}

gsize dt_plain_length(const char *at, gsize left)
{
    gsize length = 0;
    while (length < left && at[length] >= ' ' && at[length] <= '~')
        length++;
    return length;
}

gunichar dt_character_at(const char *at, gsize left, gsize *length)
{
    *length = 1;
    if ((guint8)*at < 0x80)
        return (guint8)*at;
    gunichar character = g_utf8_get_char_validated(at, (gssize)left);
    if (character == (gunichar)-1 || character == (gunichar)-2)
        return DT_NO_CHARACTER;
    *length = (gsize)g_unichar_to_utf8(character, NULL);
    return character;
}

void dt_append_byte_escape(GString *out, guint8 byte)
{
    g_string_append_printf(out, "\\x%02x", byte);
}

void dt_append_character_escape(GString *out, gunichar character)
{
    if (character < 0x80)
        dt_append_byte_escape(out, (guint8)character);
    else
        g_string_append_printf(out, "\\u{%x}", character);
}
