/* Text tables: cells are gathered, then written aligned or tab separated. */
#include "report/table.h"

struct DtTable {
    GStrv headings;
    gboolean *right;
    guint columns;
    GPtrArray *cells; /* row by row */
};

DtTable *dt_table_new(const char *headings)
{
    DtTable *table = g_new0(DtTable, 1);
    table->headings = g_strsplit(headings, "|", -1);
    table->columns = g_strv_length(table->headings);
    table->right = g_new0(gboolean, table->columns);
    for (guint i = 0; i < table->columns; i++) {
        char *heading = table->headings[i];
        if (heading[0] == '>') {
            table->right[i] = TRUE;
            table->headings[i] = g_strdup(heading + 1);
            g_free(heading);
        }
    }
    table->cells = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void dt_table_free(DtTable *table)
{
    if (table == NULL)
        return;
    g_strfreev(table->headings);
    g_free(table->right);
    g_ptr_array_unref(table->cells);
    g_free(table);
}

void dt_table_add(DtTable *table, const char *cell)
{
    char *text = g_utf8_make_valid(cell != NULL ? cell : "", -1);
    g_strdelimit(text, "\t\n\r", ' ');
    g_ptr_array_add(table->cells, text);
}

void dt_table_add_format(DtTable *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *cell = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    dt_table_add(table, cell);
}

static const char *cell_at(const DtTable *table, guint row, guint column)
{
    return table->cells->pdata[row * table->columns + column];
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

void dt_table_append_text(const DtTable *table, GString *out)
{
    guint rows = row_count(table);
    g_autofree glong *widths = g_new0(glong, table->columns);
    for (guint c = 0; c < table->columns; c++) {
        widths[c] = g_utf8_strlen(table->headings[c], -1);
        for (guint r = 0; r < rows; r++)
            widths[c] = MAX(widths[c], g_utf8_strlen(cell_at(table, r, c), -1));
    }
    gsize start = out->len;
    for (guint c = 0; c < table->columns; c++)
        append_cell(out, table->headings[c], widths[c], table->right[c], c + 1 == table->columns);
    end_line(out, start);
    for (guint r = 0; r < rows; r++) {
        start = out->len;
        for (guint c = 0; c < table->columns; c++)
            append_cell(out, cell_at(table, r, c), widths[c], table->right[c], c + 1 == table->columns);
        end_line(out, start);
    }
}

void dt_table_append_tsv(const DtTable *table, GString *out)
{
    g_autofree char *head = g_strjoinv("\t", table->headings);
    g_string_append_printf(out, "%s\n", head);
    for (guint r = 0; r < row_count(table); r++) {
        for (guint c = 0; c < table->columns; c++)
            g_string_append_printf(out, "%s%s", c > 0 ? "\t" : "", cell_at(table, r, c));
        g_string_append_c(out, '\n');
    }
}
