/* Nested loop representations with the bodies they mention, as text and JSON. */
#include "report/common.h"
#include "report/json.h"
#include "report/loops.h"
#include "report/table.h"

static GArray *bodies_of(const DtNlrReport *what)
{
    g_autoptr(GHashTable) bodies = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        dt_bodies_gather(what->table, dt_nlr_elements(folded->nlr), bodies);
    }
    return dt_bodies_sorted(bodies);
}

static char *nlr_text(const DtNlrReport *what)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        g_autofree char *elements = dt_elements_text(dt_nlr_elements(folded->nlr), what->functions);
        g_string_append_printf(out, "%s:%s%s\n", folded->trace->label, elements[0] != '\0' ? " " : "", elements);
    }
    g_autoptr(GArray) bodies = bodies_of(what);
    dt_bodies_append_text(out, bodies, what->table, what->functions);
    return g_string_free(out, FALSE);
}

static void add_open(JsonBuilder *builder, const DtNlrReport *what, const DtFoldedTrace *folded)
{
    dt_json_begin_array(builder, "open");
    for (guint i = 0; folded->open != NULL && i < folded->open->len; i++)
        dt_json_string(builder, NULL, dt_function_name(what->functions, g_array_index(folded->open, guint32, i)));
    json_builder_end_array(builder);
}

static char *nlr_json(const DtNlrReport *what)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "filter", what->filter);
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "trace", folded->trace->label);
        dt_json_integer(builder, "symbols", (gint64)dt_nlr_symbols(folded->nlr));
        dt_elements_add_json(builder, "elements", dt_nlr_elements(folded->nlr), what->functions);
        add_open(builder, what, folded);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    g_autoptr(GArray) bodies = bodies_of(what);
    dt_bodies_add_json(builder, bodies, what->table, what->functions);
    return dt_json_finish(builder);
}

/* A trace or a loop's body a line. */
static char *nlr_tsv(const DtNlrReport *what)
{
    g_autoptr(DtTable) table = dt_table_new("name|elements");
    for (guint i = 0; i < what->traces->len; i++) {
        const DtFoldedTrace *folded = what->traces->pdata[i];
        g_autofree char *elements = dt_elements_text(dt_nlr_elements(folded->nlr), what->functions);
        dt_table_add(table, folded->trace->label);
        dt_table_add(table, elements);
    }
    g_autoptr(GArray) bodies = bodies_of(what);
    for (guint i = 0; i < bodies->len; i++) {
        guint32 body = g_array_index(bodies, guint32, i);
        g_autofree char *elements = dt_elements_text(dt_loop_table_body(what->table, body), what->functions);
        dt_table_add_format(table, "L%u", body);
        dt_table_add(table, elements);
    }
    GString *out = g_string_new(NULL);
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

char *dt_report_nlr(const DtNlrReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return nlr_text(what);
    case DT_FORMAT_JSON:
        return nlr_json(what);
    case DT_FORMAT_TSV:
        return nlr_tsv(what);
    default:
        return dt_report_no_format("an NLR", format, "text, tsv and json", error);
    }
}
