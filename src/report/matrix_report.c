/* A similarity matrix as text and JSON. */
#include "report/matrix_report.h"

#include "report/common.h"
#include "report/json.h"
#include "text/text.h"

#include <string.h>

const char *dt_matrix_heading(DtSide side)
{
    static const char *const titles[] = {[DT_SIDE_NORMAL] = "Jaccard similarity of the traces, normal run",
                                         [DT_SIDE_FAULTY] = "Jaccard similarity of the traces, faulty run",
                                         [DT_SIDE_DIFFERENCE] =
                                             "Change of the traces' similarity, faulty against normal run"};
    return titles[side];
}

static char *matrix_text(const DtMatrixReport *what)
{
    guint n = what->matrix->n;
    int width = 5;
    for (guint i = 0; i < n; i++)
        width = MAX(width, (int)strlen(what->labels[i]));
    GString *out = g_string_new(NULL);
    dt_text_append(out, "%s; filter %s, attributes %s\n\n%*s", dt_matrix_heading(what->side), what->filter,
                   what->attributes, width, "");
    for (guint j = 0; j < n; j++)
        g_string_append_printf(out, " %*s", width, what->labels[j]);
    g_string_append_c(out, '\n');
    for (guint i = 0; i < n; i++) {
        g_string_append_printf(out, "%*s", width, what->labels[i]);
        for (guint j = 0; j < n; j++)
            g_string_append_printf(out, " %*.3f", width, dt_matrix_get(what->matrix, i, j));
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

static char *matrix_tsv(const DtMatrixReport *what)
{
    GString *out = g_string_new("trace");
    for (guint i = 0; i < what->matrix->n; i++)
        g_string_append_printf(out, "\t%s", what->labels[i]);
    for (guint i = 0; i < what->matrix->n; i++) {
        g_string_append_printf(out, "\n%s", what->labels[i]);
        for (guint j = 0; j < what->matrix->n; j++)
            g_string_append_printf(out, "\t%.6g", dt_matrix_get(what->matrix, i, j));
    }
    g_string_append_c(out, '\n');
    return g_string_free(out, FALSE);
}

static char *matrix_json(const DtMatrixReport *what)
{
    guint n = what->matrix->n;
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "of", dt_side_name(what->side));
    dt_json_string(builder, "filter", what->filter);
    dt_json_string(builder, "attributes", what->attributes);
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < n; i++)
        dt_json_string(builder, NULL, what->labels[i]);
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "matrix");
    for (guint i = 0; i < n; i++) {
        dt_json_begin_array(builder, NULL);
        for (guint j = 0; j < n; j++)
            dt_json_number(builder, NULL, dt_matrix_get(what->matrix, i, j));
        json_builder_end_array(builder);
    }
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_matrix(const DtMatrixReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return matrix_text(what);
    case DT_FORMAT_JSON:
        return matrix_json(what);
    case DT_FORMAT_TSV:
        return matrix_tsv(what);
    case DT_FORMAT_SVG:
        return dt_matrix_svg(what, error);
    default:
        return dt_report_no_format("a matrix", format, "text, tsv, json and svg", error);
    }
}
