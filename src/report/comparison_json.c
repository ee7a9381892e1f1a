/* A comparison as a JSON document, with or without its recipe, and read back. */
#include "report/comparison_json.h"

#include <string.h>

#include "report/json.h"
#include "store/manifest.h"
#include "text/text.h"

static void add_labels(JsonBuilder *builder, const char *name, GStrv labels)
{
    dt_json_begin_array(builder, name);
    for (guint i = 0; labels && labels[i]; i++)
        dt_json_label(builder, NULL, labels[i]);
    json_builder_end_array(builder);
}

static void add_row(JsonBuilder *builder, const DtRankingRow *row)
{
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "filter", row->filter);
    dt_json_string(builder, "attributes", row->attributes);
    dt_json_string(builder, "linkage", row->linkage);
    dt_json_integer(builder, "k", row->k);
    if (row->has_bscore)
        dt_json_number(builder, "bscore", row->bscore);
    else
        dt_json_null(builder, "bscore");
    add_labels(builder, "processes", row->processes);
    dt_json_strings(builder, "threads", (const char *const *)row->threads);
    json_builder_end_object(builder);
}

/* "6.4" is process 6, thread 4; "5.a" is process 5, thread "a". */
static void add_suspect(JsonBuilder *builder, const DtSuspectRow *suspect)
{
    const char *dot = strrchr(suspect->trace, '.');
    g_autofree char *process =
        dot ? g_strndup(suspect->trace, (gsize)(dot - suspect->trace)) : g_strdup(suspect->trace);
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "trace", suspect->trace);
    dt_json_label(builder, "process", process);
    dt_json_label(builder, "thread", dot ? dot + 1 : "0");
    dt_json_number(builder, "score", suspect->score);
    dt_json_string(builder, "level", suspect->level);
    dt_json_string(builder, "status", suspect->status);
    dt_json_integer(builder, "group", suspect->group);
    dt_json_string(builder, "first_difference", suspect->first_difference);
    dt_json_string(builder, "source", suspect->source);
    dt_json_string(builder, "why", suspect->why);
    json_builder_end_object(builder);
}

static void add_common(JsonBuilder *builder, const DtCommon *common)
{
    if (!common->call) {
        dt_json_null(builder, "common");
        return;
    }
    dt_json_begin_object(builder, "common");
    dt_json_string(builder, "function", common->function);
    dt_json_string(builder, "call", common->call);
    dt_json_string(builder, "source", common->source);
    dt_json_string(builder, "normal", common->normal);
    dt_json_string(builder, "faulty", common->faulty);
    dt_json_integer(builder, "traces", common->traces);
    json_builder_end_object(builder);
}

static void add_recipe(JsonBuilder *builder, const DtRecipe *recipe)
{
    dt_json_begin_object(builder, "recipe");
    dt_json_string(builder, "normal", recipe->normal);
    dt_json_string(builder, "faulty", recipe->faulty);
    dt_json_strings(builder, "baselines", (const char *const *)recipe->baselines);
    dt_json_strings(builder, "filters", (const char *const *)recipe->filters);
    dt_json_strings(builder, "attributes", (const char *const *)recipe->attributes);
    dt_json_integer(builder, "k", recipe->k);
    dt_json_integer(builder, "min_repeat", recipe->min_repeat);
    dt_json_string(builder, "nlr", recipe->form);
    dt_json_string(builder, "linkage", recipe->linkage);
    json_builder_end_object(builder);
}

void dt_comparison_add_json(JsonBuilder *builder, const DtComparison *comparison, guint top)
{
    dt_json_string(builder, "normal", comparison->normal);
    dt_json_string(builder, "faulty", comparison->faulty);
    dt_json_strings(builder, "baselines", (const char *const *)comparison->baselines);
    dt_json_string(builder, "verdict", comparison->verdict);
    dt_json_string(builder, "scope", comparison->scope);
    add_common(builder, &comparison->common);
    dt_data_verdict_add_json(builder, comparison->data);
    dt_time_verdict_add_json(builder, comparison->times);
    dt_prediction_add_json(builder, comparison->prediction);
    dt_json_begin_array(builder, "configurations");
    for (guint i = 0; i < comparison->rows->len && (top == 0 || i < top); i++)
        add_row(builder, comparison->rows->pdata[i]);
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "suspects");
    for (guint i = 0; i < comparison->suspects->len && (top == 0 || i < top); i++)
        add_suspect(builder, comparison->suspects->pdata[i]);
    json_builder_end_array(builder);
    dt_check_rows_add_json(builder, comparison->checks);
    dt_json_strings(builder, "only_in_normal", (const char *const *)comparison->only_in_normal);
    dt_json_strings(builder, "only_in_faulty", (const char *const *)comparison->only_in_faulty);
}

char *dt_comparison_json(const DtComparison *comparison, guint top, gboolean with_recipe)
{
    JsonBuilder *builder = dt_json_document();
    dt_comparison_add_json(builder, comparison, top);
    if (with_recipe && comparison->recipe)
        add_recipe(builder, comparison->recipe);
    return dt_json_finish(builder);
}

char *dt_comparison_to_document(const DtComparison *comparison)
{
    return dt_comparison_json(comparison, 0, TRUE);
}

/* ---- reading ---------------------------------------------------------------- */

/* Members of a kind; what is missing or of another kind is NULL or 0, never an abort. */
static JsonNode *scalar(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);
    return node && JSON_NODE_HOLDS_VALUE(node) ? node : NULL;
}

static char *read_text(JsonNode *node)
{
    if (!node || !JSON_NODE_HOLDS_VALUE(node))
        return NULL;
    if (json_node_get_value_type(node) == G_TYPE_STRING)
        return json_node_dup_string(node);
    return g_strdup_printf("%" G_GINT64_FORMAT, json_node_get_int(node));
}

static char *read_string(JsonObject *object, const char *name)
{
    return read_text(json_object_get_member(object, name));
}

static gboolean read_number(JsonObject *object, const char *name, double *number)
{
    JsonNode *node = scalar(object, name);
    if (!node || json_node_get_value_type(node) == G_TYPE_STRING)
        return FALSE;
    *number = json_node_get_double(node);
    return TRUE;
}

static guint read_count(JsonObject *object, const char *name)
{
    double number = 0;
    if (!read_number(object, name, &number) || number < 0 || number > G_MAXINT)
        return 0;
    return (guint)number;
}

static JsonArray *read_array(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static GStrv read_strings(JsonObject *object, const char *name)
{
    JsonArray *array = read_array(object, name);
    g_autoptr(GPtrArray) strings = g_ptr_array_new();
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        char *text = read_text(json_array_get_element(array, i));
        if (text)
            g_ptr_array_add(strings, text);
    }
    g_ptr_array_add(strings, NULL);
    return (GStrv)g_ptr_array_steal(strings, NULL);
}

static JsonObject *element_object(JsonArray *array, guint index)
{
    JsonNode *node = json_array_get_element(array, index);
    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static void read_rows(DtComparison *comparison, JsonArray *array)
{
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *object = element_object(array, i);
        if (!object)
            continue;
        DtRankingRow *row = dt_ranking_row_new();
        row->filter = read_string(object, "filter");
        row->attributes = read_string(object, "attributes");
        row->linkage = read_string(object, "linkage");
        row->k = read_count(object, "k");
        row->has_bscore = read_number(object, "bscore", &row->bscore);
        row->processes = read_strings(object, "processes");
        row->threads = read_strings(object, "threads");
        g_ptr_array_add(comparison->rows, row);
    }
}

static void read_suspects(DtComparison *comparison, JsonArray *array)
{
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *object = element_object(array, i);
        g_autofree char *trace = object ? read_string(object, "trace") : NULL;
        if (!trace)
            continue;
        DtSuspectRow *row = g_new0(DtSuspectRow, 1);
        row->trace = g_steal_pointer(&trace);
        row->level = read_string(object, "level");
        row->status = read_string(object, "status");
        row->first_difference = read_string(object, "first_difference");
        row->source = read_string(object, "source");
        row->why = read_string(object, "why");
        read_number(object, "score", &row->score);
        row->group = read_count(object, "group");
        g_ptr_array_add(comparison->suspects, row);
    }
}

static void read_ranks(GArray *ranks, JsonArray *array)
{
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        const gint64 rank = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_int(node) : -1;
        const gint known = (gint)rank;
        if (rank >= 0 && rank <= G_MAXINT)
            g_array_append_val(ranks, known);
    }
}

static void read_checks(DtComparison *comparison, JsonArray *array)
{
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *object = element_object(array, i);
        if (!object)
            continue;
        DtCheckRow *row = dt_check_row_new();
        row->rule = read_string(object, "rule");
        row->level = read_string(object, "level");
        row->meaning = read_string(object, "meaning");
        row->section = read_string(object, "section");
        read_ranks(row->ranks, read_array(object, "ranks"));
        row->traces = read_strings(object, "traces");
        row->call = read_string(object, "call");
        row->source = read_string(object, "source");
        row->expected = read_string(object, "expected");
        row->evidence = read_strings(object, "evidence");
        row->times = read_count(object, "times");
        JsonNode *in_normal = scalar(object, "in_normal");
        row->in_normal = in_normal && json_node_get_boolean(in_normal);
        g_ptr_array_add(comparison->checks, row);
    }
}

static DtCommon read_common(JsonNode *node)
{
    if (!node || !JSON_NODE_HOLDS_OBJECT(node))
        return (DtCommon){0};
    JsonObject *object = json_node_get_object(node);
    return (DtCommon){.function = read_string(object, "function"),
                      .call = read_string(object, "call"),
                      .source = read_string(object, "source"),
                      .normal = read_string(object, "normal"),
                      .faulty = read_string(object, "faulty"),
                      .traces = read_count(object, "traces")};
}

static DtRecipe *read_recipe(JsonObject *object)
{
    DtRecipe *recipe = g_new0(DtRecipe, 1);
    recipe->normal = read_string(object, "normal");
    recipe->faulty = read_string(object, "faulty");
    recipe->baselines = read_strings(object, "baselines");
    recipe->filters = read_strings(object, "filters");
    recipe->attributes = read_strings(object, "attributes");
    recipe->k = read_count(object, "k");
    recipe->min_repeat = read_count(object, "min_repeat");
    recipe->form = read_string(object, "nlr");
    recipe->linkage = read_string(object, "linkage");
    return recipe;
}

static gboolean check_version(JsonObject *object, GError **error)
{
    guint version = read_count(object, "version");
    if (version == 1)
        return TRUE;
    if (version > 1)
        dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_DOCUMENT,
                     "version %u: written by a newer difftrace; this one reads version 1", version);
    else
        dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_DOCUMENT, "no version: not a result of difftrace compare");
    return FALSE;
}

static DtComparison *read_document(JsonObject *object, GError **error)
{
    if (!check_version(object, error))
        return NULL;
    g_autoptr(DtComparison) comparison = dt_comparison_new();
    comparison->normal = read_string(object, "normal");
    comparison->faulty = read_string(object, "faulty");
    comparison->baselines = read_strings(object, "baselines");
    comparison->verdict = read_string(object, "verdict");
    comparison->scope = read_string(object, "scope");
    comparison->common = read_common(json_object_get_member(object, "common"));
    comparison->data = dt_data_verdict_read_json(object);
    comparison->times = dt_time_verdict_read_json(object);
    comparison->prediction = dt_prediction_read_json(object);
    comparison->only_in_normal = read_strings(object, "only_in_normal");
    comparison->only_in_faulty = read_strings(object, "only_in_faulty");
    read_rows(comparison, read_array(object, "configurations"));
    read_suspects(comparison, read_array(object, "suspects"));
    read_checks(comparison, read_array(object, "checks"));
    JsonNode *recipe = json_object_get_member(object, "recipe");
    if (recipe && JSON_NODE_HOLDS_OBJECT(recipe))
        comparison->recipe = read_recipe(json_node_get_object(recipe));
    if (!comparison->faulty) {
        dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_DOCUMENT, "names no faulty run: damaged; compare again");
        return NULL;
    }
    return g_steal_pointer(&comparison);
}

DtComparison *dt_comparison_from_document(const char *json, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autoptr(GError) cause = NULL;
    if (dt_json_nests_too_deeply(json, strlen(json))) {
        g_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_DOCUMENT,
                    "nests deeper than any result: damaged; compare again");
        return NULL;
    }
    if (!json_parser_load_from_data(parser, json, -1, &cause)) {
        dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_DOCUMENT, "not JSON (%s): damaged; compare again",
                     cause->message);
        return NULL;
    }
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
        dt_set_error(error, DT_REPORT_ERROR, DT_REPORT_ERROR_DOCUMENT, "not a JSON object: damaged; compare again");
        return NULL;
    }
    return read_document(json_node_get_object(root), error);
}
