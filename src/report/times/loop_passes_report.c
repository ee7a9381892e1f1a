/* Passes of a loop: how long, and which of them were slow. */
#include <stdlib.h>

#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "report/times/times_report.h"
#include "report/times/units.h"

#define SLOW 1.5 /* times the median */

/* A pass on all traces. */
typedef struct {
    guint number;
    gdouble begin; /* ns since the first pass, on average */
    gdouble mean, mean_work;
    guint64 longest, most_work;
    const DtTrace *longest_on, *most_on;
    gboolean slow; /* its most work is more than that of others */
} Row;

static const DtLoopPass *pass_at(const DtLoopPasses *passes, guint trace, guint number)
{
    const DtTracePasses *all = passes->traces->pdata[trace];
    return &g_array_index(all->passes, DtLoopPass, number);
}

/* A damaged trace may end before. */
static guint passes_of(const DtLoopPasses *passes)
{
    guint count = passes->count;
    for (guint i = 0; i < passes->traces->len; i++)
        count = MIN(count, ((const DtTracePasses *)passes->traces->pdata[i])->passes->len);
    return passes->traces->len > 0 ? count : 0;
}

static int compare(const void *first, const void *second)
{
    const guint64 *one = first, *two = second;
    return (*one > *two) - (*one < *two);
}

/* Of the work in all passes on all traces. */
static guint64 median_work(const DtLoopPasses *passes)
{
    const guint count = passes_of(passes), all = count * passes->traces->len;
    g_autofree guint64 *work = g_new(guint64, all + 1);
    for (guint i = 0; i < all; i++)
        work[i] = pass_at(passes, i / count, i % count)->work_ns;
    qsort(work, all, sizeof(*work), compare);
    return all > 0 ? work[all / 2] : 0;
}

static Row row_of(const DtLoopPasses *passes, guint number, guint64 median)
{
    const DtTrace *first = ((const DtTracePasses *)passes->traces->pdata[0])->trace;
    Row row = {.number = number + 1, .longest_on = first, .most_on = first};
    const guint traces = passes->traces->len;
    for (guint i = 0; i < traces; i++) {
        const DtLoopPass *pass = pass_at(passes, i, number);
        const DtTrace *trace = ((const DtTracePasses *)passes->traces->pdata[i])->trace;
        row.begin += (gdouble)(pass->begin_ns - pass_at(passes, i, 0)->begin_ns) / traces;
        row.mean += (gdouble)pass->ns / traces;
        row.mean_work += (gdouble)pass->work_ns / traces;
        if (pass->ns > row.longest) {
            row.longest = pass->ns;
            row.longest_on = trace;
        }
        if (pass->work_ns > row.most_work) {
            row.most_work = pass->work_ns;
            row.most_on = trace;
        }
    }
    row.slow = (gdouble)row.most_work > SLOW * (gdouble)median;
    return row;
}

static guint shown_passes(const DtTimesShown *shown, const DtLoopPasses *passes)
{
    return shown->top > 0 ? MIN(shown->top, passes_of(passes)) : passes_of(passes);
}

/* ---- text ------------------------------------------------------------------------------------ */

static char *body_text(const DtTimesShown *shown, const DtLoopPasses *passes)
{
    const DtTracePasses *first = passes->traces->pdata[0];
    return dt_elements_shown(dt_loop_table_body(passes->table, first->body), dt_run_functions(shown->run));
}

static void append_heading(GString *out, const DtTimesShown *shown, const DtLoopPasses *passes)
{
    g_autofree char *body = body_text(shown, passes);
    g_autofree char *line = g_strdup_printf("%u passes on %u traces%s; on %s a pass is: %s", passes->count,
                                            passes->traces->len, passes->without > 0 ? ", which are not all" : "",
                                            ((const DtTracePasses *)passes->traces->pdata[0])->trace->label, body);
    dt_append_wrapped(out, line, shown->width);
    g_string_append_c(out, '\n');
}

static void add_row(DtTable *table, const Row *row, gboolean tsv)
{
    dt_table_add_format(table, "%u", row->number);
    dt_table_add_duration(table, tsv, TRUE, row->begin);
    dt_table_add_duration(table, tsv, TRUE, row->mean);
    dt_table_add_duration(table, tsv, TRUE, (gdouble)row->longest);
    dt_table_add(table, row->longest_on->label);
    dt_table_add_duration(table, tsv, TRUE, row->mean_work);
    dt_table_add_duration(table, tsv, TRUE, (gdouble)row->most_work);
    dt_table_add(table, row->most_on->label);
    dt_table_add(table, row->slow ? "slow" : NULL);
}

static char *passes_text(const DtTimesShown *shown, const DtLoopPasses *passes, gboolean tsv)
{
    g_autoptr(DtTable) table = dt_table_new(">pass|>since first|>mean|>longest|on|>outside MPI|>most|by|marked");
    const guint64 median = median_work(passes);
    for (guint i = 0; i < shown_passes(shown, passes); i++) {
        const Row row = row_of(passes, i, median);
        add_row(table, &row, tsv);
    }
    GString *out = g_string_new(NULL);
    if (tsv) {
        dt_table_append_tsv(table, out);
        return g_string_free(out, FALSE);
    }
    if (passes->traces->len > 0)
        append_heading(out, shown, passes);
    dt_table_append_text(table, out, shown->width);
    return g_string_free(out, FALSE);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_passes_of_trace(JsonBuilder *builder, const DtTracePasses *trace)
{
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "trace", trace->trace->label);
    dt_json_begin_array(builder, "passes");
    for (guint i = 0; i < trace->passes->len; i++) {
        const DtLoopPass *pass = &g_array_index(trace->passes, DtLoopPass, i);
        dt_json_begin_object(builder, NULL);
        dt_json_integer(builder, "begin_ns",
                        (gint64)(pass->begin_ns - g_array_index(trace->passes, DtLoopPass, 0).begin_ns));
        dt_json_integer(builder, "ns", (gint64)pass->ns);
        dt_json_integer(builder, "work_ns", (gint64)pass->work_ns);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void add_slow(JsonBuilder *builder, const DtLoopPasses *passes)
{
    const guint64 median = median_work(passes);
    dt_json_begin_array(builder, "slow");
    for (guint i = 0; i < passes_of(passes); i++) {
        const Row row = row_of(passes, i, median);
        if (!row.slow)
            continue;
        dt_json_begin_object(builder, NULL);
        dt_json_integer(builder, "pass", row.number);
        dt_json_string(builder, "trace", row.most_on->label);
        dt_json_integer(builder, "work_ns", (gint64)row.most_work);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static char *passes_json(const DtTimesShown *shown, const DtLoopPasses *passes)
{
    JsonBuilder *builder = dt_json_document();
    g_autofree char *body = passes->traces->len > 0 ? body_text(shown, passes) : NULL;
    dt_json_integer(builder, "passes", passes_of(passes));
    dt_json_string(builder, "body", body);
    dt_json_integer(builder, "traces_without", passes->without);
    dt_json_integer(builder, "median_work_ns", (gint64)median_work(passes));
    add_slow(builder, passes);
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < passes->traces->len; i++)
        add_passes_of_trace(builder, passes->traces->pdata[i]);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_loop_passes(const DtTimesShown *shown, const DtLoopPasses *passes, DtReportFormat format,
                            GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return passes_text(shown, passes, FALSE);
    case DT_FORMAT_TSV:
        return passes_text(shown, passes, TRUE);
    case DT_FORMAT_JSON:
        return passes_json(shown, passes);
    default:
        return dt_report_no_format("times by iteration", format, "text, tsv and json", error);
    }
}
