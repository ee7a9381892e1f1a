#include "commands/tui/page.h"

#include <string.h>

#include "report/table.h"

static void free_line(gpointer data)
{
    DtTuiLine *line = data;
    g_free(line->text);
    g_clear_pointer(&line->spans, g_array_unref);
    g_free(line);
}

DtTuiPage *dt_tui_page_new(void)
{
    DtTuiPage *page = g_new0(DtTuiPage, 1);
    page->lines = g_ptr_array_new_with_free_func(free_line);
    return page;
}

void dt_tui_page_free(DtTuiPage *page)
{
    if (!page)
        return;
    g_ptr_array_unref(page->lines);
    g_clear_pointer(&page->labels, g_ptr_array_unref);
    g_clear_pointer(&page->meant, g_ptr_array_unref);
    g_free(page);
}

/* ---- text --------------------------------------------------------------------------------------- */

/* What the colours of reports mean. */
static DtStyle style_of(const char *parameters, gsize length, DtStyle otherwise)
{
    static const struct {
        const char *parameters;
        DtStyle style;
    } known[] = {{"31", DT_STYLE_FAULTY_ONLY}, {"32", DT_STYLE_QUIET}, {"34", DT_STYLE_NORMAL_ONLY}};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
        if (strlen(known[i].parameters) == length && strncmp(known[i].parameters, parameters, length) == 0)
            return known[i].style;
    return otherwise;
}

/* Behind "\033[31m"; *style becomes what it asks for. Any other escape is left out as far as it can be told. */
static const char *skip_escape(const char *at, DtStyle *style, DtStyle otherwise)
{
    if (at[1] != '[')
        return at + 1;
    const char *parameters = at + 2;
    const gsize length = strspn(parameters, "0123456789;");
    const char *last = parameters + length;
    if (*last == 'm')
        *style = style_of(parameters, length, otherwise);
    return *last != '\0' && *last != '\n' && (guchar)*last < 0x80 ? last + 1 : last;
}

static void end_span(DtTuiLine *line, guint from, guint to, DtStyle style)
{
    if (from == to || style == DT_STYLE_PLAIN)
        return;
    if (!line->spans)
        line->spans = g_array_new(FALSE, FALSE, sizeof(DtTuiSpan));
    const DtTuiSpan span = {from, to, style};
    g_array_append_val(line->spans, span);
}

static const char *read_character(GString *text, const char *at)
{
    const char *next = g_utf8_next_char(at);
    if (*at == '\t')
        g_string_append_c(text, ' ');
    else if (!g_unichar_iscntrl(g_utf8_get_char(at)))
        g_string_append_len(text, at, next - at);
    return next;
}

/* One line of valid UTF-8 up to its end, where the return value points to; the style goes on over the end. */
static const char *read_line(DtTuiLine *line, const char *at, DtStyle *style, DtStyle otherwise)
{
    GString *text = g_string_new(NULL);
    guint from = 0;
    while (*at != '\0' && *at != '\n') {
        const DtStyle before = *style;
        if (*at == '\033')
            at = skip_escape(at, style, otherwise);
        else
            at = read_character(text, at);
        if (*style != before) {
            end_span(line, from, (guint)text->len, before);
            from = (guint)text->len;
        }
    }
    end_span(line, from, (guint)text->len, *style);
    line->text = g_string_free(text, FALSE);
    return at;
}

static char *valid_text(const char *text)
{
    GString *valid = g_string_new(NULL);
    const char *end;
    while (!g_utf8_validate(text, -1, &end)) {
        g_string_append_len(valid, text, end - text);
        g_string_append_c(valid, '?');
        text = end + 1;
    }
    g_string_append(valid, text);
    return g_string_free(valid, FALSE);
}

void dt_tui_page_add(DtTuiPage *page, const char *text, DtStyle style)
{
    g_autofree char *valid = valid_text(text);
    DtStyle now = style;
    const char *at = valid;
    do {
        DtTuiLine *line = g_new0(DtTuiLine, 1);
        at = read_line(line, at, &now, style);
        g_ptr_array_add(page->lines, line);
    } while (*at == '\n' && *++at != '\0');
}

void dt_tui_page_add_wrapped(DtTuiPage *page, const char *text, guint width, DtStyle style)
{
    g_autoptr(GString) wrapped = g_string_new(NULL);
    dt_append_wrapped(wrapped, text, width);
    dt_tui_page_add(page, wrapped->str, style);
}

/* ---- rows --------------------------------------------------------------------------------------- */

guint dt_tui_page_rows(const DtTuiPage *page)
{
    return page->is_list && page->lines->len > page->head ? page->lines->len - page->head : 0;
}

const char *dt_tui_page_label(const DtTuiPage *page, guint row)
{
    return page->labels && row < page->labels->len ? page->labels->pdata[row] : NULL;
}

gboolean dt_tui_page_find_label(const DtTuiPage *page, const char *label, guint *row)
{
    return label && page->labels && g_ptr_array_find_with_equal_func(page->labels, label, g_str_equal, row);
}

/* ---- search ------------------------------------------------------------------------------------- */

/* Case is that of ASCII, in which names of functions and files are: bytes stay where they are. */
gboolean dt_tui_line_find(const DtTuiLine *line, const char *text, guint from, guint *begin, guint *end)
{
    const gsize length = strlen(text), all = strlen(line->text);
    for (gsize at = from; length > 0 && at + length <= all; at++) {
        if (g_ascii_strncasecmp(line->text + at, text, length) == 0) {
            *begin = (guint)at;
            *end = (guint)(at + length);
            return TRUE;
        }
    }
    return FALSE;
}

gboolean dt_tui_page_search(const DtTuiPage *page, const char *text, guint from, gboolean backwards, guint *found)
{
    const guint count = page->lines->len > page->head ? page->lines->len - page->head : 0;
    for (guint i = 0; i < count; i++) {
        const guint at = backwards ? (from % count + count - i) % count : (from + i) % count;
        guint begin, end;
        if (dt_tui_line_find(page->lines->pdata[page->head + at], text, 0, &begin, &end)) {
            *found = at;
            return TRUE;
        }
    }
    return FALSE;
}
