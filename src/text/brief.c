/* Names that compilers make long, as they are read. */
#include "text/text.h"

#include <string.h>

/* What is shorter than this between brackets stays. */
enum { WORTH_LEAVING_OUT = 4 };

static gboolean is_word(char character)
{
    return g_ascii_isalnum(character) || character == '_' || (guchar)character >= 0x80;
}

/* Bytes up to the bracket that closes the one at `text`, both counted; 0: none does. An arrow closes nothing. */
static gsize bracketed(const char *text, char open, char close)
{
    guint depth = 0;
    for (gsize i = 0; text[i] != '\0'; i++) {
        if (text[i] == open)
            depth++;
        else if (text[i] == close && !(close == '>' && i > 0 && text[i - 1] == '-') && --depth == 0)
            return i + 1;
    }
    return 0;
}

static gboolean ends_with_operator(const GString *out)
{
    return g_str_has_suffix(out->str, "operator");
}

/* The name that ends here has a scope: it is one of C++, and what follows in brackets are the types of its parameters.
 */
static gboolean ends_with_scoped_name(const GString *out)
{
    gsize at = out->len;
    while (at > 0 && out->str[at - 1] != ' ')
        at--;
    return strstr(out->str + at, "::") != NULL;
}

/* Bytes of what stands for types and is left out, 0: nothing does here. */
static gsize left_out(const GString *out, const char *text)
{
    char before = out->len > 0 ? out->str[out->len - 1] : ' ';
    gsize length = 0;
    if (*text == '<' && is_word(before) && !ends_with_operator(out))
        length = bracketed(text, '<', '>');
    else if (*text == '(' && (is_word(before) || before == '>') && ends_with_scoped_name(out))
        length = bracketed(text, '(', ')');
    return length >= WORTH_LEAVING_OUT + 2 ? length : 0;
}

static char *cut_in_its_middle(char *text, glong width)
{
    glong length = g_utf8_strlen(text, -1);
    if (width <= 0 || length <= width)
        return text;
    glong head = width / 2, tail = width - 1 - head;
    char *end = g_utf8_offset_to_pointer(text, head);
    g_autofree char *begin = g_strndup(text, (gsize)(end - text));
    char *cut = g_strconcat(begin, "\u2026", g_utf8_offset_to_pointer(text, length - tail), NULL);
    g_free(text);
    return cut;
}

char *dt_text_brief(const char *text, glong width)
{
    GString *out = g_string_new(NULL);
    while (*text != '\0') {
        gsize length = left_out(out, text);
        if (length > 0) {
            g_string_append_printf(out, "%c\u2026%c", text[0], text[length - 1]);
            text += length;
        } else {
            g_string_append_c(out, *text++);
        }
    }
    return cut_in_its_middle(g_string_free(out, FALSE), width);
}
