/* Messages with arguments that may hold anything. */
#include "text/text.h"

#include <string.h>

/* A conversion of a format, "%-8.3lu". */
typedef struct {
    char text[32]; /* with * replaced by what was given */
    char type;     /* d i u x c s f g p % */
    guint longs;   /* l: 1, ll: 2, z: 1 */
    int precision; /* -1: none */
} Conversion;

/* How long the conversion at `format` is. */
static gsize conversion_length(const char *format)
{
    return 1 + strspn(format + 1, "-+ #0123456789.*hlz") + 1;
}

/* Replaces *; what it stands for comes first among the arguments. */
static void read_conversion(Conversion *conversion, const char *format, gsize length, va_list *arguments)
{
    gsize out = 0;
    conversion->precision = -1;
    conversion->longs = 0;
    conversion->type = format[length - 1];
    for (gsize i = 0; i < length && out + 12 < sizeof conversion->text; i++) {
        if (format[i] == '*') {
            int value = va_arg(*arguments, int);
            out += (gsize)g_snprintf(conversion->text + out, 12, "%d", value);
            if (format[i - 1] == '.')
                conversion->precision = value;
            continue;
        }
        if (format[i] == '.' && format[i + 1] != '*')
            conversion->precision = (int)g_ascii_strtoll(format + i + 1, NULL, 10);
        conversion->longs += format[i] == 'l' || format[i] == 'z' ? 1 : 0;
        conversion->text[out++] = format[i];
    }
    conversion->text[out] = '\0';
}

/* The width counts characters of what is shown, the precision bytes of what is given. */
static void append_string(GString *out, const Conversion *conversion, const char *given)
{
    if (!given)
        given = "(null)";
    g_autofree char *part = conversion->precision >= 0 ? g_strndup(given, (gsize)conversion->precision) : NULL;
    g_autofree char *line = dt_text_line(part ? part : given);
    gboolean left = conversion->text[1] == '-';
    glong width = (glong)g_ascii_strtoll(conversion->text + (left ? 2 : 1), NULL, 10) - g_utf8_strlen(line, -1);
    for (glong i = 0; i < width && !left; i++)
        g_string_append_c(out, ' ');
    g_string_append(out, line);
    for (glong i = 0; i < width && left; i++)
        g_string_append_c(out, ' ');
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* NOLINTBEGIN(bugprone-branch-clone): va_arg of another type is another branch */
static void append_conversion(GString *out, const Conversion *conversion, va_list *arguments)
{
    const char *text = conversion->text;
    if (conversion->type == '%')
        g_string_append_c(out, '%');
    else if (conversion->type == 's')
        append_string(out, conversion, va_arg(*arguments, const char *));
    else if (conversion->type == 'p')
        g_string_append_printf(out, text, va_arg(*arguments, void *));
    else if (conversion->type == 'f' || conversion->type == 'g')
        g_string_append_printf(out, text, va_arg(*arguments, double));
    else if (conversion->longs == 0)
        g_string_append_printf(out, text, va_arg(*arguments, int));
    else if (conversion->longs == 1)
        g_string_append_printf(out, text, va_arg(*arguments, long));
    else
        g_string_append_printf(out, text, va_arg(*arguments, long long));
}
/* NOLINTEND(bugprone-branch-clone) */
#pragma GCC diagnostic pop

char *dt_text_vprintf(const char *format, va_list arguments)
{
    GString *out = g_string_new(NULL);
    va_list rest;
    va_copy(rest, arguments);
    while (*format != '\0') {
        gsize plain = strcspn(format, "%");
        g_string_append_len(out, format, (gssize)plain);
        format += plain;
        if (*format == '\0')
            break;
        Conversion conversion = {0};
        gsize length = conversion_length(format);
        read_conversion(&conversion, format, length, &rest);
        append_conversion(out, &conversion, &rest);
        format += length;
    }
    va_end(rest);
    return g_string_free(out, FALSE);
}

char *dt_text_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = dt_text_vprintf(format, arguments);
    va_end(arguments);
    return text;
}

void dt_text_append(GString *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = dt_text_vprintf(format, arguments);
    va_end(arguments);
    g_string_append(out, text);
}

void dt_set_error(GError **error, GQuark domain, gint code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = dt_text_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, domain, code, text);
}
