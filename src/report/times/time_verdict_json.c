/* What a comparison says of times, the member "times". */
#include "report/comparison_json.h"

#include <math.h>

static void add_when(JsonBuilder *builder, const DtTimeDifference *difference)
{
    if (difference->at == 0) {
        dt_json_null(builder, "since");
        return;
    }
    dt_json_begin_object(builder, "since");
    dt_json_integer(builder, difference->of_iterations ? "iteration" : "call", (gint64)difference->at);
    dt_json_integer(builder, "of", (gint64)difference->of);
    json_builder_end_object(builder);
}

static void add_waiting(JsonBuilder *builder, const DtTimeDifference *difference)
{
    if (!difference->waits_in) {
        dt_json_null(builder, "waiting");
        return;
    }
    dt_json_begin_object(builder, "waiting");
    dt_json_string(builder, "call", difference->waits_in);
    dt_json_strings(builder, "traces", (const char *const *)difference->waiting);
    json_builder_end_object(builder);
}

/* Negative: not known. */
static void add_number(JsonBuilder *builder, const char *name, double value)
{
    if (value >= 0)
        dt_json_number(builder, name, value);
    else
        dt_json_null(builder, name);
}

static void add_difference(JsonBuilder *builder, const DtTimeDifference *difference)
{
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "trace", difference->trace);
    dt_json_strings(builder, "traces", (const char *const *)difference->traces);
    dt_json_string(builder, "scope", difference->scope);
    dt_json_string(builder, "kind", difference->kind);
    dt_json_string(builder, "function", difference->function);
    dt_json_string(builder, "source", difference->source);
    add_when(builder, difference);
    dt_json_integer(builder, "slow_calls", difference->slow_calls);
    dt_json_number(builder, "seconds", difference->seconds);
    add_number(builder, "share", difference->share);
    add_waiting(builder, difference);
    json_builder_end_object(builder);
}

void dt_time_verdict_add_json(JsonBuilder *builder, const DtTimeVerdict *times)
{
    if (!times)
        return;
    dt_json_begin_object(builder, "times");
    dt_json_string(builder, "answer", times->answer);
    dt_json_number(builder, "normal_seconds", times->normal_seconds);
    dt_json_number(builder, "longer_seconds", times->longer_seconds);
    add_number(builder, "null_seconds", times->null_seconds);
    dt_json_number(builder, "off_processor", times->off_processor);
    dt_json_string(builder, "text", times->text);
    dt_json_begin_array(builder, "differences");
    for (guint i = 0; i < times->differences->len; i++)
        add_difference(builder, g_ptr_array_index(times->differences, i));
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

/* ---- reading --------------------------------------------------------------------------------- */

static JsonNode *value_of(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);
    return node && JSON_NODE_HOLDS_VALUE(node) ? node : NULL;
}

static char *text_of(JsonObject *object, const char *name)
{
    JsonNode *node = value_of(object, name);
    return node && json_node_get_value_type(node) == G_TYPE_STRING ? g_strdup(json_node_get_string(node)) : NULL;
}

static double number_of(JsonObject *object, const char *name, double otherwise)
{
    JsonNode *node = value_of(object, name);
    if (!node || (json_node_get_value_type(node) != G_TYPE_DOUBLE && json_node_get_value_type(node) != G_TYPE_INT64))
        return otherwise;
    const double number = json_node_get_double(node);
    return isfinite(number) ? number : otherwise;
}

static guint64 count_of(JsonObject *object, const char *name)
{
    JsonNode *node = value_of(object, name);
    return node && json_node_get_value_type(node) == G_TYPE_INT64 ? (guint64)MAX(json_node_get_int(node), 0) : 0;
}

static JsonObject *object_of(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);
    return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static JsonArray *array_of(JsonObject *object, const char *name)
{
    JsonNode *node = object ? json_object_get_member(object, name) : NULL;
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static GStrv texts_of(JsonArray *array)
{
    g_autoptr(GStrvBuilder) texts = g_strv_builder_new();
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING)
            g_strv_builder_add(texts, json_node_get_string(node));
    }
    return g_strv_builder_end(texts);
}

static DtTimeDifference *difference_of(JsonObject *object)
{
    DtTimeDifference *difference = g_new0(DtTimeDifference, 1);
    JsonObject *since = object_of(object, "since"), *waiting = object_of(object, "waiting");
    difference->trace = text_of(object, "trace");
    difference->traces = texts_of(array_of(object, "traces"));
    difference->scope = text_of(object, "scope");
    difference->kind = text_of(object, "kind");
    difference->function = text_of(object, "function");
    difference->source = text_of(object, "source");
    difference->of_iterations = since && value_of(since, "iteration");
    difference->at = since ? count_of(since, difference->of_iterations ? "iteration" : "call") : 0;
    difference->of = since ? count_of(since, "of") : 0;
    difference->slow_calls = (guint)MIN(count_of(object, "slow_calls"), G_MAXINT);
    difference->seconds = number_of(object, "seconds", 0);
    difference->share = number_of(object, "share", -1);
    difference->waits_in = waiting ? text_of(waiting, "call") : NULL;
    difference->waiting = texts_of(array_of(waiting, "traces"));
    return difference;
}

DtTimeVerdict *dt_time_verdict_read_json(JsonObject *document)
{
    JsonObject *object = object_of(document, "times");
    if (!object)
        return NULL;
    DtTimeVerdict *times = dt_time_verdict_empty();
    JsonArray *differences = array_of(object, "differences");
    times->answer = text_of(object, "answer");
    times->normal_seconds = number_of(object, "normal_seconds", 0);
    times->longer_seconds = number_of(object, "longer_seconds", 0);
    times->null_seconds = number_of(object, "null_seconds", -1);
    times->off_processor = number_of(object, "off_processor", 0);
    times->text = text_of(object, "text");
    for (guint i = 0; differences && i < json_array_get_length(differences); i++) {
        JsonNode *node = json_array_get_element(differences, i);
        if (JSON_NODE_HOLDS_OBJECT(node))
            g_ptr_array_add(times->differences, difference_of(json_node_get_object(node)));
    }
    return times;
}
