#include "report/comparison_json.h"
#include "report/json.h"

static void add_lines(JsonBuilder *builder, const DtPrediction *prediction)
{
    dt_json_begin_object(builder, "lines");
    dt_json_integer(builder, "proved", prediction->proved);
    dt_json_integer(builder, "unproved", prediction->unproved);
    dt_json_integer(builder, "without", prediction->without);
    json_builder_end_object(builder);
    dt_json_strings(builder, "proved", (const char *const *)prediction->proved_lines);
    dt_json_strings(builder, "unproved", (const char *const *)prediction->unproved_lines);
    dt_json_strings(builder, "open", (const char *const *)prediction->open_values);
}

void dt_prediction_add_json(JsonBuilder *builder, const DtPrediction *prediction)
{
    if (!prediction)
        return;
    dt_json_begin_object(builder, "prediction");
    dt_json_integer(builder, "ranks", prediction->ranks);
    dt_json_begin_array(builder, "from");
    for (guint i = 0; i < prediction->from->len; i++)
        json_builder_add_int_value(builder, g_array_index(prediction->from, guint, i));
    json_builder_end_array(builder);
    dt_json_boolean(builder, "whole", prediction->is_whole);
    dt_json_string(builder, "reason", prediction->reason);
    if (prediction->is_whole)
        add_lines(builder, prediction);
    json_builder_end_object(builder);
}

/* ---- reading --------------------------------------------------------------------------------- */

static JsonNode *value_of(JsonObject *object, const char *name, GType type)
{
    JsonNode *node = json_object_get_member(object, name);
    const gboolean is_there = node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
    return is_there ? node : NULL;
}

static guint number_of(JsonObject *object, const char *name)
{
    JsonNode *node = value_of(object, name, G_TYPE_INT64);
    return node ? (guint)CLAMP(json_node_get_int(node), 0, G_MAXUINT) : 0;
}

static JsonArray *array_of(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static JsonObject *object_of(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);
    return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static GStrv texts_of(JsonObject *object, const char *name)
{
    JsonArray *array = array_of(object, name);
    GPtrArray *texts = g_ptr_array_new();
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING)
            g_ptr_array_add(texts, json_node_dup_string(node));
    }
    g_ptr_array_add(texts, NULL);
    return (GStrv)g_ptr_array_free(texts, FALSE);
}

static void read_sizes(DtPrediction *prediction, JsonArray *array)
{
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64)
            continue;
        const guint ranks = (guint)CLAMP(json_node_get_int(node), 0, G_MAXUINT);
        g_array_append_val(prediction->from, ranks);
    }
}

DtPrediction *dt_prediction_read_json(JsonObject *document)
{
    JsonObject *object = object_of(document, "prediction");
    if (!object)
        return NULL;
    DtPrediction *prediction = dt_prediction_new();
    JsonNode *reason = value_of(object, "reason", G_TYPE_STRING), *whole = value_of(object, "whole", G_TYPE_BOOLEAN);
    JsonObject *lines = object_of(object, "lines");
    prediction->ranks = number_of(object, "ranks");
    read_sizes(prediction, array_of(object, "from"));
    prediction->is_whole = whole && json_node_get_boolean(whole);
    prediction->reason = reason ? json_node_dup_string(reason) : NULL;
    prediction->proved = lines ? number_of(lines, "proved") : 0;
    prediction->unproved = lines ? number_of(lines, "unproved") : 0;
    prediction->without = lines ? number_of(lines, "without") : 0;
    prediction->proved_lines = texts_of(object, "proved");
    prediction->unproved_lines = texts_of(object, "unproved");
    prediction->open_values = texts_of(object, "open");
    return prediction;
}
