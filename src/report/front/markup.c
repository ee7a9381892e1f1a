/* Markup is put together from literals; everything else is escaped. */
#include "report/front/markup.h"

#include <stdarg.h>

#include "text/text.h"

static void add_text(GString *out, const char *text)
{
    g_autofree char *escaped = dt_text_markup(text ? text : "");
    g_string_append(out, escaped);
}

/* The style shows one of both. */
static void add_name(GString *out, const char *name)
{
    g_autofree char *brief = dt_text_brief(name, DT_MARKUP_NAME_SHOWN);
    if (g_str_equal(brief, name)) {
        dt_markup_add(out, "<code>%s</code>", name);
        return;
    }
    dt_markup_add(out,
                  "<code class=\"name\" title=\"%s\"><span class=\"brief\">%s</span><span "
                  "class=\"whole\">%s</span></code>",
                  name, brief, name);
}

void dt_markup_add(GString *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%') {
            g_string_append_c(out, *at);
            continue;
        }
        switch (*++at) {
        case 's':
            add_text(out, va_arg(arguments, const char *));
            break;
        case 'n':
            add_name(out, va_arg(arguments, const char *));
            break;
        case 'h':
            g_string_append(out, va_arg(arguments, const char *));
            break;
        case 'u':
            g_string_append_printf(out, "%u", va_arg(arguments, guint));
            break;
        default:
            g_string_append_c(out, *at);
        }
    }
    va_end(arguments);
}
