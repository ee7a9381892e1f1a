/* The table of suspects as it is without scripts, and what checks have found. */
#include <string.h>

#include "report/common.h"
#include "report/comparison_json.h"
#include "report/front/cards.h"
#include "report/front/markup.h"
#include "text/text.h"

enum { ROWS = 50, NAMED = 12, FINDINGS = 20 };

static gboolean is_weak(const DtSuspectRow *row)
{
    return !g_str_equal(row->level, dt_level_name(DT_LEVEL_SUSPECT));
}

static void add_row(GString *out, const DtSuspectRow *row)
{
    g_autofree char *score = g_strdup_printf("%.2f", row->score);
    g_autofree char *status = g_strconcat(row->status, "; ", NULL);
    gsize told = g_str_has_prefix(row->why, status) ? strlen(status) : 0;
    g_autofree char *why = dt_text_brief(row->why + told, 0);
    dt_markup_add(out,
                  "<tr><th scope=\"row\">%s</th><td class=\"numeric\" data-label=\"Score\">%s</td><td "
                  "data-label=\"Status\"><span class=\"badge %s\">%s</span></td>"
                  "<td class=\"wide\" data-label=\"Why\">%s</td></tr>",
                  row->trace, score, row->status, row->status, why);
}

static void add_table(GString *out, const GPtrArray *suspects, guint from, guint to)
{
    guint end = MIN(to, from + ROWS);
    g_string_append(out,
                    "<div class=\"data-table\"><table><thead><tr><th scope=\"col\">Trace</th><th scope=\"col\" "
                    "class=\"numeric\">Score</th><th scope=\"col\">Status</th><th scope=\"col\">Why</th></tr></thead>"
                    "<tbody>");
    for (guint i = from; i < end; i++)
        add_row(out, suspects->pdata[i]);
    g_string_append(out, "</tbody></table></div>");
    if (end < to)
        dt_markup_add(out, "<p>and %u more: <code>difftrace rank</code></p>", to - end);
}

/* One line until it is opened. */
static void add_weak(GString *out, const GPtrArray *suspects, guint strong)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = strong; i < MIN(suspects->len, strong + NAMED); i++)
        g_ptr_array_add(labels, ((const DtSuspectRow *)suspects->pdata[i])->trace);
    g_autofree char *list = dt_trace_list_text(labels);
    g_autofree char *count = dt_grouped(suspects->len - strong);
    dt_markup_add(out, "<details class=\"weak\"><summary>%s with weak evidence: %s%s</summary>", count, list,
                  suspects->len > strong + NAMED ? ", \u2026" : "");
    add_table(out, suspects, strong, suspects->len);
    g_string_append(out, "</details>");
}

void dt_front_add_suspects(GString *out, const DtFrontFacts *facts)
{
    const GPtrArray *suspects = facts->page->comparison->suspects;
    guint strong = 0;
    while (strong < suspects->len && !is_weak(suspects->pdata[strong]))
        strong++;
    if (suspects->len == 0)
        g_string_append(out, facts->page->runs[0] ? "<p>No trace departs from normal.</p>"
                                                  : "<p>None of the traces stands out.</p>");
    if (strong > 0)
        add_table(out, suspects, 0, strong);
    if (strong < suspects->len)
        add_weak(out, suspects, strong);
}

/* ---- checks ------------------------------------------------------------------------- */

static const char *text_of(JsonObject *object, const char *member)
{
    JsonNode *node = json_object_get_member(object, member);
    return node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
}

static void add_list(GString *out, JsonObject *finding, const char *member)
{
    JsonNode *node = json_object_get_member(finding, member);
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    for (guint i = 0; array && i < json_array_get_length(array); i++)
        dt_markup_add(out, "<li>%s</li>", json_array_get_string_element(array, i));
}

static char *traces_of(JsonObject *finding)
{
    JsonNode *node = json_object_get_member(finding, "traces");
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; array && i < json_array_get_length(array); i++)
        g_ptr_array_add(labels, (gpointer)json_array_get_string_element(array, i));
    return labels->len > 0 ? dt_trace_list_text(labels) : g_strdup("");
}

static void add_finding(GString *out, JsonObject *finding)
{
    const char *level = text_of(finding, "level"), *call = text_of(finding, "call");
    const char *source = text_of(finding, "source"), *expected = text_of(finding, "expected");
    const char *meaning = text_of(finding, "meaning");
    gsize length = meaning ? strlen(meaning) : 0;
    g_autofree char *wrong = g_strndup(meaning ? meaning : "", length - (length > 0 && meaning[length - 1] == '.'));
    g_autofree char *traces = traces_of(finding);
    dt_markup_add(out, "<li><details><summary><span class=\"badge %s\">%s</span> ", level, level);
    if (call)
        dt_markup_add(out, "%n ", call);
    dt_markup_add(out, "<span class=\"source\">%s</span> %s%s%s", source, wrong, *traces != '\0' ? ", by " : "",
                  traces);
    g_string_append(out, "</summary><ul>");
    add_list(out, finding, "evidence");
    if (expected)
        dt_markup_add(out, "<li>right: %s</li>", expected);
    dt_markup_add(out, "<li>rule <code>%s</code>: %s</li></ul></details></li>", text_of(finding, "rule"),
                  text_of(finding, "section"));
}

static JsonArray *findings_of(JsonNode *root)
{
    JsonNode *checks = json_object_get_member(json_node_get_object(root), "checks");
    return checks && JSON_NODE_HOLDS_ARRAY(checks) ? json_node_get_array(checks) : NULL;
}

void dt_front_add_findings(GString *out, JsonNode *document)
{
    JsonArray *findings = findings_of(document);
    guint count = findings ? json_array_get_length(findings) : 0;
    if (count == 0)
        return;
    dt_markup_add(out,
                  "<section id=\"checks\" aria-labelledby=\"checks-heading\"><h2 id=\"checks-heading\">What the faulty "
                  "run proves wrong (%u)</h2><ul class=\"findings\">",
                  count);
    for (guint i = 0; i < MIN(count, (guint)FINDINGS); i++) {
        JsonNode *each = json_array_get_element(findings, i);
        if (JSON_NODE_HOLDS_OBJECT(each))
            add_finding(out, json_node_get_object(each));
    }
    g_string_append(out, "</ul>");
    if (count > FINDINGS)
        dt_markup_add(out, "<p>and %u more: <code>difftrace check</code></p>", count - FINDINGS);
    g_string_append(out, "</section>");
}

void dt_front_add_checks(GString *out, const DtFrontFacts *facts)
{
    g_autoptr(JsonBuilder) builder = dt_json_document();
    dt_comparison_add_json(builder, facts->page->comparison, 1);
    json_builder_end_object(builder);
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    dt_front_add_findings(out, root);
}
