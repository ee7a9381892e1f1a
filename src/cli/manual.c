/* Reads the manual's pages. */
#include "cli/manual.h"

#include <string.h>

#include "cli/manual_pages.h"
#include "filters/filters.h"

static const char indentation[] = "    ";
static const char definition[] = "\n:   ";
static const char categories[] = "{filter categories}"; /* stands for their list */

static void block_free(gpointer data)
{
    DtManualBlock *block = data;
    g_free(block->text);
    g_free(block);
}

static void add(DtManualPage *page, DtManualKind kind, const char *text)
{
    DtManualBlock *block = g_new(DtManualBlock, 1);
    *block = (DtManualBlock){kind, g_strdup(text)};
    g_ptr_array_add(page->blocks, block);
}

static const DtManualBlock *block_at(const DtManualPage *page, guint index)
{
    return page->blocks->pdata[index];
}

static const char *find_text(const char *name)
{
    for (const DtManualText *page = dt_manual_texts; page->name; page++) {
        if (strcmp(page->name, name) == 0)
            return page->text;
    }
    g_error("the manual has no page %s.md", name);
}

/* ---- what stands elsewhere ------------------------------------------------------------ */

/* Copies what follows the block `from` of `common`, up to the next of kind `end` or of a section. */
static void add_rest(DtManualPage *page, const DtManualPage *common, guint from, DtManualKind end)
{
    for (guint i = from + 1; i < common->blocks->len; i++) {
        const DtManualBlock *block = block_at(common, i);
        if (block->kind == end || block->kind == DT_MANUAL_SECTION)
            return;
        add(page, block->kind, block->text);
    }
}

static void add_common_section(DtManualPage *page, const DtManualPage *common, const char *name)
{
    for (guint i = 0; i < common->blocks->len; i++) {
        if (block_at(common, i)->kind == DT_MANUAL_SECTION && strcmp(block_at(common, i)->text, name) == 0)
            add_rest(page, common, i, DT_MANUAL_SECTION);
    }
}

/* TRUE if `term` is that of --NAME. */
static gboolean is_term_of(const char *term, const char *name)
{
    const char *dashes = strstr(term, "--");
    gsize length = strlen(name);
    return dashes && strncmp(dashes + 2, name, length) == 0 && strchr("[=", dashes[2 + length]);
}

static guint find_option(const DtManualPage *page, const char *name)
{
    for (guint i = 0; i < page->blocks->len; i++) {
        if (block_at(page, i)->kind == DT_MANUAL_TERM && is_term_of(block_at(page, i)->text, name))
            return i;
    }
    return page->blocks->len;
}

/* "--output", or with another argument than the common one's, "--format=text|json". */
static void add_common_option(DtManualPage *page, const DtManualPage *common, const char *line)
{
    const char *start = line + strlen("--");
    g_autofree char *name = g_strndup(start, strcspn(start, "="));
    guint found = common ? find_option(common, name) : 0;
    if (!common || found == common->blocks->len)
        g_error("%s: --%s has no text here and none in common.md", page->name, name);
    add(page, DT_MANUAL_TERM, start[strlen(name)] == '=' ? line : block_at(common, found)->text);
    add_rest(page, common, found, DT_MANUAL_TERM);
}

static void add_summary(DtManualPage *page, const char *reference)
{
    g_autofree char *name = g_strndup(reference, strcspn(reference, "("));
    const char *summary = strstr(find_text(name), ": ") + strlen(": ");
    g_autofree char *line = g_strndup(summary, strcspn(summary, "\n"));
    add(page, DT_MANUAL_TERM, reference);
    add(page, DT_MANUAL_ITEM, line);
}

static void add_categories(DtManualPage *page)
{
    for (const DtFilterCategory *category = dt_filter_categories(); category->name; category++) {
        g_autofree char *names = g_strjoin(", ", category->name, category->alias, NULL);
        add(page, DT_MANUAL_TERM, names);
        add(page, DT_MANUAL_ITEM, category->description);
    }
}

static gboolean is_reference(const char *line)
{
    gboolean option = g_str_has_prefix(line, "--"),
             page = g_str_has_prefix(line, "difftrace-") && g_str_has_suffix(line, "(1)");
    return g_str_equal(line, categories) || ((option || page) && !strchr(line, ' '));
}

static gboolean are_references(char **lines)
{
    while (*lines && is_reference(*lines))
        lines++;
    return !*lines;
}

/* A paragraph all of whose lines stand for something elsewhere; FALSE if it is none. */
static gboolean add_references(DtManualPage *page, const DtManualPage *common, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    if (!are_references(lines))
        return FALSE;
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "--"))
            add_common_option(page, common, *line);
        else if (g_str_equal(*line, categories))
            add_categories(page);
        else
            add_summary(page, *line);
    }
    return TRUE;
}

/* ---- parsing ---------------------------------------------------------------------------- */

static void add_indented(DtManualPage *page, const char *text)
{
    const DtManualBlock *last = page->blocks->len > 0 ? block_at(page, page->blocks->len - 1) : NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, indentation))
            memmove(*line, *line + strlen(indentation), strlen(*line + strlen(indentation)) + 1);
    }
    g_autofree char *joined = g_strjoinv("\n", lines);
    add(page, last && last->kind == DT_MANUAL_ITEM ? DT_MANUAL_ITEM : DT_MANUAL_VERBATIM, joined);
}

static void add_definition(DtManualPage *page, const char *text)
{
    const char *about = strstr(text, definition);
    g_autofree char *term = g_strndup(text, (gsize)(about - text));
    add(page, DT_MANUAL_TERM, term);
    add(page, DT_MANUAL_ITEM, about + strlen(definition));
}

static void set_title(DtManualPage *page, const char *text)
{
    const char *colon = strstr(text, ": ");
    page->name = g_strndup(text, (gsize)(colon - text));
    page->summary = g_strdup(colon + strlen(": "));
}

/* `next`: what follows, or NULL; `common`: NULL for common.md itself. */
static void parse_chunk(DtManualPage *page, const DtManualPage *common, const char *text, const char *next)
{
    if (g_str_has_prefix(text, "# ")) {
        set_title(page, text + strlen("# "));
    } else if (g_str_has_prefix(text, "## ")) {
        const char *name = text + strlen("## ");
        add(page, DT_MANUAL_SECTION, name);
        if (common && (!next || g_str_has_prefix(next, "## ")))
            add_common_section(page, common, name);
    } else if (g_str_has_prefix(text, indentation)) {
        add_indented(page, text);
    } else if (strstr(text, definition)) {
        add_definition(page, text);
    } else if (!add_references(page, common, text)) {
        add(page, DT_MANUAL_PARAGRAPH, text);
    }
}

static DtManualPage *page_parse(const char *file, const DtManualPage *common)
{
    g_autofree char *text = g_strchomp(g_strdup(find_text(file)));
    g_auto(GStrv) chunks = g_strsplit(text, "\n\n", -1);
    DtManualPage *page = g_new0(DtManualPage, 1);
    page->blocks = g_ptr_array_new_with_free_func(block_free);
    for (guint i = 0; chunks[i]; i++)
        parse_chunk(page, common, chunks[i], chunks[i + 1]);
    return page;
}

DtManualPage *dt_manual_page_new(const char *command)
{
    g_autoptr(DtManualPage) common = page_parse("common", NULL);
    g_autofree char *name = g_strjoin("-", "difftrace", command, NULL);
    return page_parse(name, common);
}

void dt_manual_page_free(DtManualPage *page)
{
    if (!page)
        return;
    g_free(page->name);
    g_free(page->summary);
    g_ptr_array_unref(page->blocks);
    g_free(page);
}

/* ---- lookup ------------------------------------------------------------------------------- */

const char *dt_manual_synopsis(const DtManualPage *page)
{
    for (guint i = 0; i < page->blocks->len; i++) {
        if (block_at(page, i)->kind == DT_MANUAL_VERBATIM)
            return block_at(page, i)->text;
    }
    return "";
}

const char *dt_manual_option(const DtManualPage *page, const char *name, const char **about)
{
    guint found = find_option(page, name);
    if (found == page->blocks->len)
        return NULL;
    if (about)
        *about = block_at(page, found + 1)->text;
    return block_at(page, found)->text;
}
