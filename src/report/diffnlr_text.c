/* A diffNLR as two columns of text. */
#include "report/common.h"
#include "report/diffnlr_report.h"
#include "report/loops.h"
#include "text/text.h"

enum { COMMON_SHOWN = 12, CHANGE_SHOWN = 60, MAX_WIDTH = 56, MIN_WIDTH = 24 };

/* The marks are the sign; colours only repeat it. */
typedef struct {
    const char *common, *normal, *faulty, *off;
} Colours;

static const Colours no_colours = {"", "", "", ""};
static const Colours terminal_colours = {"\033[32m", "\033[34m", "\033[31m", "\033[0m"};

typedef struct {
    GString *out;
    const DtDiffNlrReport *what;
    Colours colours;
    glong width; /* of the left column, without its mark */
    glong most;  /* characters of a line in a column */
} Writer;

/* ---- lines of one column ------------------------------------------------------- */

static void add_element(GPtrArray *lines, DtElement element, glong most, const DtFunctions *functions)
{
    g_autofree char *text = dt_element_shown(element, functions);
    g_ptr_array_add(lines, dt_text_shortened(text, most));
}

static GPtrArray *lines_of(DtElements elements, gsize shown, const char *hidden, glong most,
                           const DtFunctions *functions)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    DtElision elision = dt_elide(elements.length, shown);
    for (gsize i = 0; i < elements.length; i++) {
        if (i == elision.head && elision.left_out > 0) {
            g_autofree char *count = dt_grouped(elision.left_out);
            g_ptr_array_add(lines, g_strdup_printf("... %s more%s ...", count, hidden));
            i += elision.left_out;
        }
        add_element(lines, elements.elements[i], most, functions);
    }
    return lines;
}

static glong widest(const GPtrArray *lines, glong width)
{
    for (guint i = 0; i < lines->len; i++)
        width = MAX(width, g_utf8_strlen(lines->pdata[i], -1));
    return width;
}

/* ---- rows ------------------------------------------------------------------------ */

static void append_row(Writer *writer, const char *left_mark, const char *left, const char *right_mark,
                       const char *right)
{
    gboolean common = left_mark[0] == '=';
    const char *left_colour = left[0] == '\0' ? "" : common ? writer->colours.common : writer->colours.normal;
    const char *right_colour = common ? writer->colours.common : writer->colours.faulty;
    g_string_append_printf(writer->out, "%s%s %s%s", left_colour, left[0] != '\0' ? left_mark : " ", left,
                           left_colour[0] != '\0' ? writer->colours.off : "");
    if (right[0] != '\0') {
        for (glong i = g_utf8_strlen(left, -1); i < writer->width + 2; i++)
            g_string_append_c(writer->out, ' ');
        g_string_append_printf(writer->out, "%s%s %s%s", right_colour, right_mark, right,
                               right_colour[0] != '\0' ? writer->colours.off : "");
    }
    g_string_append_c(writer->out, '\n');
}

static void append_columns(Writer *writer, gboolean common, const GPtrArray *left, const GPtrArray *right)
{
    for (guint i = 0; i < MAX(left->len, right->len); i++) {
        const char *left_text = i < left->len ? left->pdata[i] : "";
        const char *right_text = i < right->len ? right->pdata[i] : "";
        append_row(writer, common ? "=" : "-", left_text, common ? "=" : "+", right_text);
    }
}

static GPtrArray *block_lines(const Writer *writer, const DtDiffBlock *block, gboolean faulty)
{
    return lines_of(faulty ? block->faulty : block->normal, block->common ? COMMON_SHOWN : CHANGE_SHOWN,
                    block->common ? " in both" : "", writer->most, writer->what->functions);
}

static char *end_text(const Writer *writer, guint32 open)
{
    if (open == 0)
        return g_strdup("(end)");
    g_autofree char *text = g_strdup_printf("%s never returned", dt_function_shown(writer->what->functions, open));
    return dt_text_shortened(text, writer->most);
}

static void append_ends(Writer *writer)
{
    const DtDiffNlr *diff = writer->what->diff;
    g_autofree char *normal = end_text(writer, diff->normal_open);
    g_autofree char *faulty = end_text(writer, diff->faulty_open);
    gboolean common = diff->normal_open == diff->faulty_open;
    append_row(writer, common ? "=" : "-", normal, common ? "=" : "+", faulty);
}

static void measure_columns(Writer *writer)
{
    const GArray *blocks = writer->what->diff->blocks;
    writer->width = MIN(MIN_WIDTH, writer->most);
    for (guint i = 0; i < blocks->len; i++) {
        g_autoptr(GPtrArray) lines = block_lines(writer, &g_array_index(blocks, DtDiffBlock, i), FALSE);
        writer->width = widest(lines, writer->width);
    }
    g_autofree char *end = end_text(writer, writer->what->diff->normal_open);
    g_autofree char *name = dt_text_shortened(writer->what->normal, writer->most - 8);
    writer->width = MAX(writer->width, MAX(g_utf8_strlen(end, -1), g_utf8_strlen(name, -1) + 8));
}

static void append_head(Writer *writer)
{
    const DtDiffNlrReport *what = writer->what;
    g_autofree char *first = dt_diffnlr_first_difference(what->diff, what->functions);
    dt_text_append(writer->out, "Trace %s, filter %s: ", what->trace, what->filter);
    for (guint i = 0; i < what->diff->path->len; i++)
        g_string_append_printf(writer->out, "%s%s", i == 0 ? "in " : " > ",
                               dt_function_shown(what->functions, g_array_index(what->diff->path, guint32, i)));
    g_string_append_printf(writer->out, "%s%s\n", what->diff->path->len > 0 ? ": " : "",
                           first ? first : "no difference");
    g_string_append(writer->out, "= both runs   - normal run only   + faulty run only\n\n");
    g_autofree char *normal = dt_text_shortened(what->normal, writer->most - 8);
    g_autofree char *faulty = dt_text_shortened(what->faulty, writer->most - 8);
    g_string_append_printf(writer->out, "  normal: %s", normal);
    for (glong i = g_utf8_strlen(normal, -1) + 8; i < writer->width + 2; i++)
        g_string_append_c(writer->out, ' ');
    g_string_append_printf(writer->out, "  faulty: %s\n", faulty);
}

static void append_counts_of(Writer *writer, const DtNlr *nlr, const char *mark, guint32 wanted)
{
    for (guint i = 0; i < dt_nlr_counts_length(nlr); i++) {
        guint32 body;
        DtElements elements = dt_nlr_counts(nlr, i, &body);
        if (body != wanted)
            continue;
        g_autofree char *counts = dt_counts_text(dt_loop_table_counts(writer->what->table), elements);
        g_autofree char *shortened = dt_text_shortened(counts, 2 * writer->most - 12);
        g_string_append_printf(writer->out, "%s L%u: %s\n", mark, body, shortened);
    }
}

/* The first body whose counts differ. */
static void append_counts(Writer *writer)
{
    const DtDiffNlr *diff = writer->what->diff;
    guint32 body;
    if (!dt_diffnlr_recounted(diff, &body))
        return;
    g_string_append(writer->out, "\nCounts kept aside\n");
    append_counts_of(writer, diff->normal, "-", body);
    append_counts_of(writer, diff->faulty, "+", body);
}

/* Two columns with their marks and two blanks between them. */
static glong column_width(guint width)
{
    if (width == 0)
        return MAX_WIDTH;
    return MAX((glong)width / 2 - 3, (glong)MIN_WIDTH);
}

char *dt_diffnlr_text(const DtDiffNlrReport *what, gboolean colours)
{
    Writer writer = {g_string_new(NULL), what, colours ? terminal_colours : no_colours, 0, column_width(what->width)};
    measure_columns(&writer);
    append_head(&writer);
    for (guint i = 0; i < what->diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(what->diff->blocks, DtDiffBlock, i);
        g_autoptr(GPtrArray) left = block_lines(&writer, block, FALSE);
        g_autoptr(GPtrArray) right = block_lines(&writer, block, TRUE);
        append_columns(&writer, block->common, left, right);
    }
    append_ends(&writer);
    g_autoptr(GHashTable) nodes = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) bodies = dt_reach_of_diff(what->table, what->tree, what->diff, nodes);
    if (bodies->len > 0 || g_hash_table_size(nodes) > 0)
        g_string_append_c(writer.out, '\n');
    dt_bodies_append_text(writer.out, bodies, what->table, what->functions);
    dt_nodes_append_text(writer.out, nodes, what->tree, what->functions);
    append_counts(&writer);
    return g_string_free(writer.out, FALSE);
}

/* ---- every element, a line each --------------------------------------------------- */

static void append_tsv_line(GString *out, const char *mark, DtElement element, const DtFunctions *functions)
{
    g_autofree char *text = dt_element_text(element, functions);
    g_autofree char *cell = dt_text_tsv(text);
    g_string_append_printf(out, "%s\t%s\n", mark, cell);
}

static void append_tsv(GString *out, const char *mark, DtElements elements, const DtFunctions *functions)
{
    for (gsize i = 0; i < elements.length; i++)
        append_tsv_line(out, mark, elements.elements[i], functions);
}

static void append_tsv_open(GString *out, const char *mark, guint32 function, const DtFunctions *functions)
{
    g_autofree char *cell = dt_text_tsv(function != 0 ? dt_function_name(functions, function) : "");
    g_string_append_printf(out, "%s never returned\t%s\n", mark, cell);
}

char *dt_diffnlr_tsv(const DtDiffNlrReport *what)
{
    GString *out = g_string_new("run\telement\n");
    for (guint i = 0; i < what->diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(what->diff->blocks, DtDiffBlock, i);
        append_tsv(out, block->common ? "both" : "normal", block->normal, what->functions);
        if (!block->common)
            append_tsv(out, "faulty", block->faulty, what->functions);
    }
    append_tsv_open(out, "normal", what->diff->normal_open, what->functions);
    append_tsv_open(out, "faulty", what->diff->faulty_open, what->functions);
    return g_string_free(out, FALSE);
}
