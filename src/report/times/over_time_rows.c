#include "report/times/over_time_rows.h"

#include <math.h>

#include "compare/compare.h"

static const gdouble FIRST_APART = 0.02;

static gdouble share_at(const DtCallTimes *times, guint trace, guint column)
{
    const gdouble width = (gdouble)(times->last_ns - times->first_ns) / MAX(times->columns, 1);
    const gdouble ns = g_array_index(times->in_mpi, gdouble, (gsize)trace * times->columns + column);
    return width > 0 ? CLAMP(ns / width, 0, 1) : 0;
}

static const char *label_of(const DtCallTimes *times, guint trace)
{
    return g_array_index(times->traces, DtTraceTime, trace).trace->label;
}

static gboolean are_alike(const gdouble *shares, guint columns, guint one, guint other, gdouble apart)
{
    const gdouble limit = apart * columns;
    gdouble sum = 0;
    for (guint i = 0; i < columns && sum <= limit; i++)
        sum += fabs(shares[(gsize)one * columns + i] - shares[(gsize)other * columns + i]);
    return sum <= limit;
}

/* FALSE: there are more than `most`. `row_of` by trace; `firsts` (element-type guint): the first trace of each. */
static gboolean number_rows(const gdouble *shares, guint traces, guint columns, gdouble apart, guint most,
                            guint *row_of, GArray *firsts)
{
    g_array_set_size(firsts, 0);
    for (guint trace = 0; trace < traces; trace++) {
        guint row = 0;
        while (row < firsts->len && !are_alike(shares, columns, g_array_index(firsts, guint, row), trace, apart))
            row++;
        if (row == firsts->len && row == most)
            return FALSE;
        if (row == firsts->len)
            g_array_append_val(firsts, trace);
        row_of[trace] = row;
    }
    return TRUE;
}

/* "0-14,16", or, where that is too long, "0.0 +16". */
static char *list_of(const GPtrArray *labels)
{
    enum { WIDEST = 24 };
    g_autofree char *list = dt_trace_list_text(labels);
    return g_utf8_strlen(list, -1) <= WIDEST ? g_steal_pointer(&list)
                                             : dt_label_and_more(labels->pdata[0], labels->len);
}

static void fill_rows(DtOverTimeRows *rows, const DtCallTimes *times, const gdouble *shares, const guint *row_of,
                      guint count)
{
    rows->shares = g_new0(gdouble, (gsize)count * rows->columns);
    for (guint row = 0; row < count; row++) {
        g_autoptr(GPtrArray) labels = g_ptr_array_new();
        gdouble *mean = &rows->shares[(gsize)row * rows->columns];
        for (guint trace = 0; trace < rows->traces; trace++) {
            if (row_of[trace] != row)
                continue;
            g_ptr_array_add(labels, (gpointer)label_of(times, trace));
            for (guint i = 0; i < rows->columns; i++)
                mean[i] += shares[(gsize)trace * rows->columns + i];
        }
        for (guint i = 0; i < rows->columns; i++)
            mean[i] /= MAX(labels->len, 1);
        g_ptr_array_add(rows->labels, rows->apart > 0 ? list_of(labels) : g_strdup(labels->pdata[0]));
    }
}

DtOverTimeRows *dt_over_time_rows_new(const DtCallTimes *times, guint shown, guint most)
{
    DtOverTimeRows *rows = g_new0(DtOverTimeRows, 1);
    const guint traces = shown > 0 ? MIN(shown, times->traces->len) : times->traces->len, columns = times->columns;
    g_autofree gdouble *shares = g_new0(gdouble, (gsize)traces * columns + 1);
    g_autofree guint *row_of = g_new0(guint, traces + 1);
    g_autoptr(GArray) firsts = g_array_new(FALSE, FALSE, sizeof(guint));
    rows->labels = g_ptr_array_new_with_free_func(g_free);
    rows->columns = columns;
    rows->traces = traces;
    for (guint trace = 0; trace < traces; trace++)
        for (guint i = 0; i < columns; i++)
            shares[(gsize)trace * columns + i] = share_at(times, trace, i);
    if (shown > 0 || traces <= most) {
        for (guint trace = 0; trace < traces; trace++)
            row_of[trace] = trace;
        fill_rows(rows, times, shares, row_of, traces);
        return rows;
    }
    for (rows->apart = FIRST_APART; !number_rows(shares, traces, columns, rows->apart, most, row_of, firsts);)
        rows->apart *= 1.5;
    fill_rows(rows, times, shares, row_of, firsts->len);
    return rows;
}

void dt_over_time_rows_free(DtOverTimeRows *rows)
{
    if (!rows)
        return;
    g_ptr_array_unref(rows->labels);
    g_free(rows->shares);
    g_free(rows);
}
