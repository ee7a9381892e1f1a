/* The manual as man(7). */
#include "cli/manual.h"

#include <string.h>

enum { WIDTH = 78 };

static void replace_all(char **text, const char *what, const char *with)
{
    g_autoptr(GString) result = g_string_new(*text);
    g_string_replace(result, what, with, 0);
    g_free(*text);
    *text = g_strdup(result->str);
}

/* What would be a request, or be printed as another character. */
static char *escape(const char *text)
{
    char *escaped = g_strdup(text);
    replace_all(&escaped, "\\", "\\e");
    replace_all(&escaped, "^", "\\(ha");
    replace_all(&escaped, "~", "\\(ti");
    return escaped;
}

/* What is typed: - and ' are printed as they are. `escaped` is taken. */
static char *typed(char *escaped)
{
    replace_all(&escaped, "-", "\\-");
    replace_all(&escaped, "'", "\\(aq");
    return escaped;
}

static char *escape_typed(const char *text)
{
    return typed(escape(text));
}

/* ---- marks ------------------------------------------------------------------------------- */

/* Groups of a pattern: 1 and 2 are bold, 3 is italic. */
static gboolean mark(const GMatchInfo *match, GString *out, gpointer user_data)
{
    (void)user_data;
    for (gint group = 1; group <= 3; group++) {
        g_autofree char *text = typed(g_match_info_fetch(match, group));
        if (text[0] != '\0')
            g_string_append_printf(out, "\\f%c%s\\fR", group == 3 ? 'I' : 'B', text);
    }
    return FALSE;
}

static char *mark_all(const char *pattern, const char *text)
{
    g_autofree char *escaped = escape(text);
    g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);
    return g_regex_replace_eval(regex, escaped, -1, 0, 0, mark, NULL, NULL);
}

/* Code, options and the names of pages are bold. */
static char *mark_prose(const char *text)
{
    return mark_all("`([^`]+)`|(?<![\\w-])(--?[a-z][\\w-]*|[a-z][\\w-]*(?=\\(\\d\\)))|\\*(\\w[^*]*)\\*", text);
}

/* What is typed is bold, what is replaced, in capitals, italic; what starts with a capital is typed like that. */
static char *mark_term(const char *text)
{
    if (g_ascii_isupper(text[0]))
        return mark_all("(\\w+)", text);
    return mark_all("(--(?= )|--?[a-z][\\w-]*|[a-z][\\w.:|-]*)()|([A-Z]+(?:\\.[A-Z]+)*)", text);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* A long line goes on in the next; after a blank or a bar, which are in no escape. */
static void append_line(GString *out, const char *line)
{
    while (strlen(line) > WIDTH) {
        gsize end = WIDTH;
        while (end > 0 && !strchr(" |", line[end - 1]))
            end--;
        if (end == 0)
            break;
        g_string_append_len(out, line, (gssize)end);
        g_string_append(out, "\\\n");
        line += end;
    }
    g_string_append_printf(out, "%s\n", line);
}

/* Sentences start on lines of their own, so that all have the same distance; a line must not start like a request. */
static void append_prose(GString *out, const char *text)
{
    g_autofree char *raw = mark_prose(text);
    g_autoptr(GRegex) request = g_regex_new("(^|\\s)(?=[.'])", 0, 0, NULL);
    g_autofree char *marked = g_regex_replace(request, raw, -1, 0, "\\1\\\\&", 0, NULL);
    g_autoptr(GRegex) between = g_regex_new("(?<=[.?!])\\s+(?=[A-Z\\\\])", 0, 0, NULL);
    g_auto(GStrv) sentences = g_regex_split(between, marked, 0);
    for (char **sentence = sentences; *sentence; sentence++)
        dt_manual_fill(out, *sentence, 0, 0, WIDTH);
}

static void append_typed(GString *out, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_autofree char *escaped = escape_typed(*line);
        if (escaped[0] == '.')
            g_string_append(out, "\\&");
        append_line(out, escaped);
    }
}

static void append_synopsis(GString *out, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_autofree char *marked = mark_term(*line);
        append_line(out, marked);
        if (line[1])
            g_string_append(out, ".br\n");
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void append_verbatim(GString *out, const char *text, DtManualKind before)
{
    gboolean indented = before != DT_MANUAL_SECTION;
    g_string_append(out, indented ? ".PP\n.RS 4\n.nf\n" : ".nf\n");
    append_typed(out, text);
    g_string_append(out, indented ? ".fi\n.RE\n" : ".fi\n");
}

static void append_section(GString *out, const char *name)
{
    g_autofree char *upper = g_ascii_strup(name, -1);
    g_string_append_printf(out, ".SH %s\n", upper);
}

static void append_term(GString *out, const char *text)
{
    g_autofree char *marked = mark_term(text);
    g_string_append(out, ".TP\n");
    append_line(out, marked);
}

static void append_block(GString *out, const DtManualBlock *block, DtManualKind before)
{
    switch (block->kind) {
    case DT_MANUAL_SECTION:
        append_section(out, block->text);
        break;
    case DT_MANUAL_VERBATIM:
        append_verbatim(out, block->text, before);
        break;
    case DT_MANUAL_TERM:
        append_term(out, block->text);
        break;
    case DT_MANUAL_PARAGRAPH:
    case DT_MANUAL_ITEM:
        if (before != DT_MANUAL_SECTION && before != DT_MANUAL_TERM)
            g_string_append(out, block->kind == DT_MANUAL_ITEM ? ".IP\n" : ".PP\n");
        append_prose(out, block->text);
    }
}

static char *date(void)
{
    const char *epoch = g_getenv("SOURCE_DATE_EPOCH");
    gint64 seconds = epoch ? g_ascii_strtoll(epoch, NULL, 10) : g_get_real_time() / G_USEC_PER_SEC;
    g_autoptr(GDateTime) day = g_date_time_new_from_unix_utc(seconds);
    return day ? g_date_time_format(day, "%Y-%m-%d") : g_strdup("");
}

static void append_title(GString *out, const DtManualPage *page)
{
    g_autofree char *day = date(), *upper = g_ascii_strup(page->name, -1), *name = escape_typed(page->name);
    g_autofree char *title = escape_typed(upper), *summary = escape(page->summary);
    g_autofree char *line = g_strdup_printf("%s \\- %s", name, summary);
    g_string_append_printf(out, ".TH %s 1 \"%s\" \"difftrace %s\" \"difftrace manual\"\n.SH NAME\n", title, day,
                           DT_VERSION);
    dt_manual_fill(out, line, 0, 0, WIDTH);
}

char *dt_manual_roff(const DtManualPage *page)
{
    GString *out = g_string_new(NULL);
    append_title(out, page);
    gboolean synopsis = TRUE;
    DtManualKind before = DT_MANUAL_SECTION;
    for (guint i = 0; i < page->blocks->len; i++) {
        const DtManualBlock *block = page->blocks->pdata[i];
        if (synopsis && block->kind == DT_MANUAL_VERBATIM) {
            append_synopsis(out, block->text);
            synopsis = FALSE;
        } else {
            append_block(out, block, before);
        }
        before = block->kind;
    }
    return g_string_free(out, FALSE);
}
