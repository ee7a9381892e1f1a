/* The manual on a terminal. */
#include "cli/manual.h"

#include <string.h>

enum { INDENT = 4, ITEM_INDENT = 8, OPTION_INDENT = 2, OPTION_COLUMN = 24, WIDEST = 100, WIDTH = 80 };

void dt_manual_fill(GString *out, const char *text, guint column, guint indent, guint width)
{
    g_auto(GStrv) words = g_strsplit_set(text, " \n", -1);
    gboolean begun = FALSE;
    for (char **word = words; *word; word++) {
        guint length = (guint)g_utf8_strlen(*word, -1);
        if (length == 0)
            continue;
        if (begun && column + 1 + length > width) {
            g_string_append_c(out, '\n');
            column = 0;
        } else if (begun) {
            g_string_append_c(out, ' ');
            column++;
        }
        for (; column < indent; column++)
            g_string_append_c(out, ' ');
        g_string_append(out, *word);
        column += length;
        begun = TRUE;
    }
    g_string_append_c(out, '\n');
}

/* Code in quotes, unless it is an option; other words as they are. */
static char *without_marks(const char *text)
{
    g_autoptr(GRegex) code = g_regex_new("`(?!--?[a-z])([^`]+)`", 0, 0, NULL);
    g_autoptr(GRegex) rest = g_regex_new("`([^`]+)`|\\*(\\w[^*]*)\\*", 0, 0, NULL);
    g_autofree char *quoted = g_regex_replace(code, text, -1, 0, "'\\1'", 0, NULL);
    return g_regex_replace(rest, quoted, -1, 0, "\\1\\2", 0, NULL);
}

static void append_filled(GString *out, const char *text, guint column, guint indent, guint width)
{
    g_autofree char *plain = without_marks(text);
    dt_manual_fill(out, plain, column, indent, width);
}

static void append_verbatim(GString *out, const char *text, guint indent)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(out, "%*s%s\n", (int)indent, "", *line);
}

static guint lines_width(guint width)
{
    return width > 0 ? MIN(width, WIDEST) : WIDTH;
}

static void append_heading(GString *out, const char *text)
{
    g_autofree char *upper = g_ascii_strup(text, -1);
    g_string_append_printf(out, "%s%s\n", out->len > 0 ? "\n" : "", upper);
}

static void append_block(GString *out, const DtManualBlock *block, gboolean follows, guint width)
{
    if (block->kind == DT_MANUAL_SECTION) {
        append_heading(out, block->text);
        return;
    }
    if (follows)
        g_string_append_c(out, '\n');
    if (block->kind == DT_MANUAL_VERBATIM || block->kind == DT_MANUAL_TERM)
        append_verbatim(out, block->text, INDENT);
    else
        append_filled(out, block->text, 0, block->kind == DT_MANUAL_ITEM ? ITEM_INDENT : INDENT, width);
}

char *dt_manual_text(const DtManualPage *page, guint width)
{
    GString *out = g_string_new(NULL);
    g_autofree char *title = g_strdup_printf("%s - %s", page->name, page->summary);
    append_heading(out, "Name");
    append_filled(out, title, 0, INDENT, lines_width(width));
    for (guint i = 0; i < page->blocks->len; i++) {
        const DtManualBlock *block = page->blocks->pdata[i];
        DtManualKind before = i > 0 ? ((const DtManualBlock *)page->blocks->pdata[i - 1])->kind : DT_MANUAL_SECTION;
        gboolean follows = before != DT_MANUAL_SECTION && before != DT_MANUAL_TERM;
        append_block(out, block, follows, lines_width(width));
    }
    return g_string_free(out, FALSE);
}

/* ---- --help --------------------------------------------------------------------------------- */

static char *first_sentence(const char *text)
{
    g_autoptr(GRegex) end = g_regex_new("\\.(?:\\s+[A-Z`].*)?$", G_REGEX_DOTALL, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    gint start = (gint)strlen(text);
    if (g_regex_match(end, text, 0, &match))
        g_match_info_fetch_pos(match, 0, &start, NULL);
    return g_strndup(text, (gsize)start);
}

static void append_option(GString *out, const DtManualPage *page, const char *name, guint width)
{
    const char *about = "";
    const char *term = dt_manual_option(page, name, &about);
    g_autofree char *sentence = first_sentence(about);
    gsize start = out->len;
    g_string_append_printf(out, "%*s%s%s", OPTION_INDENT, "", term ? "" : "--", term ? term : name);
    guint column = (guint)(out->len - start);
    if (column + 2 > OPTION_COLUMN) {
        g_string_append_c(out, '\n');
        column = 0;
    }
    append_filled(out, sentence, column, OPTION_COLUMN, width);
}

/* The first block of that kind in a section. */
static const char *find_in_section(const DtManualPage *page, const char *section, DtManualKind kind)
{
    const char *current = "";
    for (guint i = 0; i < page->blocks->len; i++) {
        const DtManualBlock *block = page->blocks->pdata[i];
        if (block->kind == DT_MANUAL_SECTION)
            current = block->text;
        else if (block->kind == kind && strcmp(current, section) == 0)
            return block->text;
    }
    return NULL;
}

/* Those of which --help shows nothing. */
static char *more_sections(const DtManualPage *page)
{
    static const char *const shown[] = {"Synopsis", "Description", "Options", "Examples", "See also", NULL};
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < page->blocks->len; i++) {
        const DtManualBlock *block = page->blocks->pdata[i];
        if (block->kind == DT_MANUAL_SECTION && !g_strv_contains(shown, block->text))
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", block->text);
    }
    return g_ascii_strdown(names->str, -1);
}

char *dt_manual_help(const DtManualPage *page, const char *const *options, guint width)
{
    width = lines_width(width);
    const char *purpose = find_in_section(page, "Description", DT_MANUAL_PARAGRAPH);
    const char *examples = find_in_section(page, "Examples", DT_MANUAL_VERBATIM);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "Usage: %s\n\n", dt_manual_synopsis(page));
    append_filled(out, purpose ? purpose : page->summary, 0, 0, width);
    g_string_append(out, "\nOptions:\n");
    for (; *options; options++)
        append_option(out, page, *options, width);
    if (examples) {
        g_string_append(out, "\nExamples:\n");
        append_verbatim(out, examples, OPTION_INDENT);
    }
    g_autofree char *sections = more_sections(page);
    g_autofree char *more =
        g_strdup_printf("'difftrace help %s' says everything%s%s.", page->name + strlen("difftrace-"),
                        sections[0] != '\0' ? ", also of " : "", sections);
    g_string_append_c(out, '\n');
    dt_manual_fill(out, more, 0, 0, width);
    return g_string_free(out, FALSE);
}
