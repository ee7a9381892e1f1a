#include "report/skeletons/skeleton_difference_report.h"

#include "report/common.h"
#include "report/json.h"

static const char *const kinds[] = {[DT_LINE_SAME] = "same",
                                    [DT_LINE_ONLY_FIRST] = "first",
                                    [DT_LINE_ONLY_SECOND] = "second",
                                    [DT_LINE_CHANGED] = "changed"};

const char *dt_line_kind_name(DtLineKind kind)
{
    return kinds[kind];
}

const char *dt_line_mark(DtLineKind kind)
{
    static const char *const marks[] = {
        [DT_LINE_SAME] = " ", [DT_LINE_ONLY_FIRST] = "-", [DT_LINE_ONLY_SECOND] = "+", [DT_LINE_CHANGED] = "~"};
    return marks[kind];
}

/* ---- text --------------------------------------------------------------------------- */

static const char *plural(guint count)
{
    return count == 1 ? "" : "s";
}

static void append_summary(GString *text, const DtSkeletonDifference *difference)
{
    const guint *count = difference->count;
    if (count[DT_LINE_ONLY_FIRST] + count[DT_LINE_ONLY_SECOND] == 0)
        g_string_append(text, "structure: the same\n");
    else
        g_string_append_printf(text, "structure: %u line%s of the first alone (-), %u of the second (+)\n",
                               count[DT_LINE_ONLY_FIRST], plural(count[DT_LINE_ONLY_FIRST]),
                               count[DT_LINE_ONLY_SECOND]);
    if (count[DT_LINE_CHANGED] == 0)
        g_string_append(text, "values: the same\n");
    else
        g_string_append_printf(text, "values: %u line%s differ%s (~)\n", count[DT_LINE_CHANGED],
                               plural(count[DT_LINE_CHANGED]), count[DT_LINE_CHANGED] == 1 ? "s" : "");
}

static void append_line(GString *text, const DtDifferenceLine *line, gboolean coloured)
{
    static const char *const colours[] = {[DT_LINE_SAME] = "",
                                          [DT_LINE_ONLY_FIRST] = "\033[34m",
                                          [DT_LINE_ONLY_SECOND] = "\033[31m",
                                          [DT_LINE_CHANGED] = "\033[33m"};
    gboolean colour = coloured && line->kind != DT_LINE_SAME;
    g_string_append_printf(text, "%s%s %s%s\n", colour ? colours[line->kind] : "", dt_line_mark(line->kind), line->text,
                           colour ? "\033[0m" : "");
}

static char *difference_text(const DtSkeletonDifference *difference, gboolean coloured)
{
    GString *text = g_string_new(NULL);
    if (dt_skeletons_are_equal(difference)) {
        g_string_append_printf(text, "the skeletons are equal: %u line%s\n", difference->lines->len,
                               plural(difference->lines->len));
        return g_string_free(text, FALSE);
    }
    append_summary(text, difference);
    g_string_append_c(text, '\n');
    for (guint i = 0; i < difference->lines->len; i++)
        append_line(text, difference->lines->pdata[i], coloured);
    return g_string_free(text, FALSE);
}

/* ---- JSON ----------------------------------------------------------------------------- */

static char *difference_json(const DtSkeletonDifference *difference)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_boolean(builder, "equal", dt_skeletons_are_equal(difference));
    dt_json_boolean(builder, "same_structure",
                    difference->count[DT_LINE_ONLY_FIRST] + difference->count[DT_LINE_ONLY_SECOND] == 0);
    dt_json_begin_array(builder, "lines");
    for (guint i = 0; i < difference->lines->len; i++) {
        const DtDifferenceLine *line = difference->lines->pdata[i];
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "of", dt_line_kind_name(line->kind));
        dt_json_string(builder, "text", line->text);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_skeleton_difference(const DtSkeletonDifference *difference, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return difference_text(difference, format == DT_FORMAT_TERMINAL);
    case DT_FORMAT_JSON:
        return difference_json(difference);
    default:
        return dt_report_no_format("the difference of two skeletons", format, "text and json", error);
    }
}
