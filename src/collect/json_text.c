/* JSON as text. */
#include "collect/json_text.h"

#include <string.h>

static void start_line(DtJsonText *json)
{
    g_string_append_c(json->text, '\n');
    for (guint i = 0; i < json->depth; i++)
        g_string_append(json->text, "  ");
}

static void append_character(GString *out, char character)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = strchr(escaped, character);
    if (found != NULL)
        g_string_append_printf(out, "\\%c", letters[found - escaped]);
    else if (g_ascii_iscntrl(character))
        g_string_append_printf(out, "\\u%04x", (guint)character);
    else
        g_string_append_c(out, character);
}

static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (; *text != '\0'; text++)
        append_character(out, *text);
    g_string_append_c(out, '"');
}

/* All that stands before a value. */
static void start_value(DtJsonText *json, const char *name)
{
    if (json->has_some)
        g_string_append_c(json->text, ',');
    if (json->depth > 0)
        start_line(json);
    if (name != NULL) {
        append_quoted(json->text, name);
        g_string_append(json->text, " : ");
    }
    json->has_some = TRUE;
}

void dt_json_open(DtJsonText *json, const char *name, char bracket)
{
    start_value(json, name);
    g_string_append_c(json->text, bracket);
    json->depth++;
    json->has_some = FALSE;
}

void dt_json_close(DtJsonText *json, char bracket)
{
    json->depth--;
    if (json->has_some)
        start_line(json);
    g_string_append_c(json->text, bracket);
    json->has_some = TRUE;
}

void dt_json_add_string(DtJsonText *json, const char *name, const char *text)
{
    start_value(json, name);
    if (text != NULL)
        append_quoted(json->text, text);
    else
        g_string_append(json->text, "null");
}

void dt_json_add_integer(DtJsonText *json, const char *name, gint64 value)
{
    start_value(json, name);
    g_string_append_printf(json->text, "%" G_GINT64_FORMAT, value);
}

void dt_json_add_double(DtJsonText *json, const char *name, gdouble value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    start_value(json, name);
    g_string_append(json->text, g_ascii_dtostr(digits, sizeof digits, value));
    if (strpbrk(digits, ".e") == NULL)
        g_string_append(json->text, ".0");
}

void dt_json_add_boolean(DtJsonText *json, const char *name, gboolean value)
{
    start_value(json, name);
    g_string_append(json->text, value ? "true" : "false");
}
