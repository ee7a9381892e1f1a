/* Text tables: cells are gathered, then written aligned or tab separated. */
#include "report/table.h"

#include "text/text.h"

struct DtTable {
    GStrv headings;
    gboolean *right, *names; /* by column */
    guint columns;
    GPtrArray *cells; /* row by row */
};

DtTable *dt_table_new(const char *headings)
{
    DtTable *table = g_new0(DtTable, 1);
    table->headings = g_strsplit(headings, "|", -1);
    table->columns = g_strv_length(table->headings);
    table->right = g_new0(gboolean, table->columns);
    table->names = g_new0(gboolean, table->columns);
    for (guint i = 0; i < table->columns; i++) {
        char *heading = table->headings[i];
        table->right[i] = heading[0] == '>';
        table->names[i] = heading[0] == '~';
        table->headings[i] = g_strdup(heading + (table->right[i] || table->names[i] ? 1 : 0));
        g_free(heading);
    }
    table->cells = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void dt_table_free(DtTable *table)
{
    if (!table)
        return;
    g_strfreev(table->headings);
    g_free(table->right);
    g_free(table->names);
    g_ptr_array_unref(table->cells);
    g_free(table);
}

void dt_table_add(DtTable *table, const char *cell)
{
    g_ptr_array_add(table->cells, g_strdup(cell ? cell : ""));
}

void dt_table_add_format(DtTable *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *cell = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    dt_table_add(table, cell);
}

static char *cell_as_text(const DtTable *table, guint cell)
{
    const char *given = table->cells->pdata[cell];
    gboolean cut = table->names[cell % table->columns];
    return cut ? dt_text_shortened(given, DT_TEXT_NAME_SHOWN) : dt_text_line(given);
}

static GPtrArray *cells_as_text(const DtTable *table)
{
    GPtrArray *cells = g_ptr_array_new_full(table->cells->len, g_free);
    for (guint i = 0; i < table->cells->len; i++)
        g_ptr_array_add(cells, cell_as_text(table, i));
    return cells;
}

static guint row_count(const DtTable *table)
{
    return table->cells->len / table->columns;
}

static void append_cell(GString *out, const char *cell, glong width, gboolean right, gboolean last)
{
    glong padding = width - g_utf8_strlen(cell, -1);
    for (glong i = 0; right && i < padding; i++)
        g_string_append_c(out, ' ');
    g_string_append(out, cell);
    for (glong i = 0; !right && !last && i < padding; i++)
        g_string_append_c(out, ' ');
    if (!last)
        g_string_append(out, "  ");
}

static void end_line(GString *out, gsize start)
{
    while (out->len > start && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
}

/* ---- fitting a width ---------------------------------------------------------- */

enum { LEAST_COLUMN = 10, BETWEEN = 2, LONG_NAME = 60 };

/* Without a width to fit, rows with long names stand out of the columns: one such name moved all other rows' ends away.
 */
static glong *column_widths(const DtTable *table, const GPtrArray *cells, guint width)
{
    glong *widths = g_new0(glong, table->columns);
    for (guint c = 0; c < table->columns; c++) {
        widths[c] = g_utf8_strlen(table->headings[c], -1);
        for (guint cell = c; cell < cells->len; cell += table->columns) {
            glong length = g_utf8_strlen(cells->pdata[cell], -1);
            if (width > 0 || !table->names[c] || length <= LONG_NAME)
                widths[c] = MAX(widths[c], length);
        }
    }
    return widths;
}

/* Narrows the widest column until the table fits, or no column is wide any more. */
static void fit_widths(const DtTable *table, glong *widths, guint width)
{
    if (width == 0)
        return;
    glong total = (glong)(table->columns - 1) * BETWEEN;
    for (guint c = 0; c < table->columns; c++)
        total += widths[c];
    while (total > (glong)width) {
        guint widest = 0;
        for (guint c = 1; c < table->columns; c++)
            widest = widths[c] > widths[widest] ? c : widest;
        glong second = LEAST_COLUMN;
        for (guint c = 0; c < table->columns; c++)
            second = c != widest ? MAX(second, widths[c]) : second;
        glong narrower = MAX(widths[widest] - (total - (glong)width), MIN(second, widths[widest] - 1));
        if (narrower < LEAST_COLUMN)
            return;
        total -= widths[widest] - narrower;
        widths[widest] = narrower;
    }
}

/* How much of a text goes on a line of that width: whole words, or as much as fits of a longer one. */
static glong line_length(const char *text, glong width)
{
    if (g_utf8_strlen(text, -1) <= width)
        return g_utf8_strlen(text, -1);
    glong words = 0, place = 0;
    for (const char *at = text; place <= width; at = g_utf8_next_char(at), place++) {
        if (*at == ' ')
            words = place;
    }
    return words > 0 ? words : width;
}

/* A row on as many lines as its longest cell needs, or on one. */
static void append_row(const DtTable *table, GString *out, const char *const *cells, const glong *widths,
                       gboolean wrapped)
{
    g_autofree const char **rest = g_memdup2(cells, table->columns * sizeof *cells);
    for (gboolean more = TRUE; more;) {
        gsize start = out->len;
        more = FALSE;
        for (guint c = 0; c < table->columns; c++) {
            glong length = wrapped ? line_length(rest[c], widths[c]) : g_utf8_strlen(rest[c], -1);
            g_autofree char *line = g_utf8_substring(rest[c], 0, length);
            append_cell(out, line, widths[c], table->right[c], c + 1 == table->columns);
            for (rest[c] = g_utf8_offset_to_pointer(rest[c], length); *rest[c] == ' ';)
                rest[c]++;
            more = more || *rest[c] != '\0';
        }
        end_line(out, start);
    }
}

void dt_append_wrapped(GString *out, const char *text, guint width)
{
    g_autofree char *line = dt_text_line(text);
    const char *rest = line;
    while (width > 0 && g_utf8_strlen(rest, -1) > (glong)width) {
        const char *end = g_utf8_offset_to_pointer(rest, line_length(rest, (glong)width));
        g_string_append_len(out, rest, end - rest);
        g_string_append_c(out, '\n');
        for (rest = end; *rest == ' ';)
            rest++;
    }
    g_string_append_printf(out, "%s\n", rest);
}

void dt_table_append_text(const DtTable *table, GString *out, guint width)
{
    g_autoptr(GPtrArray) cells = cells_as_text(table);
    g_autofree glong *widths = column_widths(table, cells, width);
    fit_widths(table, widths, width);
    append_row(table, out, (const char *const *)table->headings, widths, width > 0);
    for (guint r = 0; r < row_count(table); r++)
        append_row(table, out, (const char *const *)cells->pdata + (gsize)r * table->columns, widths, width > 0);
}

void dt_table_append_tsv(const DtTable *table, GString *out)
{
    g_autofree char *head = g_strjoinv("\t", table->headings);
    g_string_append_printf(out, "%s\n", head);
    for (guint r = 0; r < row_count(table); r++) {
        for (guint c = 0; c < table->columns; c++) {
            g_autofree char *cell = dt_text_tsv(table->cells->pdata[r * table->columns + c]);
            g_string_append_printf(out, "%s%s", c > 0 ? "\t" : "", cell);
        }
        g_string_append_c(out, '\n');
    }
}
