#include "report/comparison_json.h"
#include "report/json.h"

static void add_difference(JsonBuilder *builder, const DtDataDifference *difference)
{
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "trace", difference->trace);
    dt_json_string(builder, "event", difference->event);
    dt_json_string(builder, "call", difference->call);
    dt_json_string(builder, "source", difference->source);
    dt_json_integer(builder, "nth", (gint64)difference->nth);
    if (difference->peer >= 0)
        dt_json_integer(builder, "peer", difference->peer);
    else
        dt_json_null(builder, "peer");
    dt_json_string(builder, "text", difference->text);
    json_builder_end_object(builder);
}

void dt_data_verdict_add_json(JsonBuilder *builder, const DtDataVerdict *data)
{
    if (!data)
        return;
    dt_json_begin_object(builder, "data");
    dt_json_integer(builder, "compared", (gint64)data->compared);
    dt_json_integer(builder, "varying", (gint64)data->varying);
    dt_json_integer(builder, "differing", (gint64)data->differing);
    dt_json_string(builder, "caution", data->caution);
    dt_json_begin_array(builder, "first");
    for (guint i = 0; i < data->first->len; i++)
        add_difference(builder, g_ptr_array_index(data->first, i));
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

static gint64 number_of(JsonObject *object, const char *name, gint64 otherwise)
{
    JsonNode *node = value_of(object, name);
    return node && json_node_get_value_type(node) == G_TYPE_INT64 ? json_node_get_int(node) : otherwise;
}

static void read_differences(DtDataVerdict *data, JsonArray *array)
{
    for (guint i = 0; i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        if (!JSON_NODE_HOLDS_OBJECT(node))
            continue;
        JsonObject *object = json_node_get_object(node);
        DtDataDifference *difference = g_new0(DtDataDifference, 1);
        difference->trace = text_of(object, "trace");
        difference->event = text_of(object, "event");
        difference->call = text_of(object, "call");
        difference->source = text_of(object, "source");
        difference->nth = (guint64)number_of(object, "nth", 0);
        difference->peer = (gint)CLAMP(number_of(object, "peer", -1), -1, G_MAXINT);
        difference->text = text_of(object, "text");
        g_ptr_array_add(data->first, difference);
    }
}

DtDataVerdict *dt_data_verdict_read_json(JsonObject *document)
{
    JsonNode *node = json_object_get_member(document, "data");
    if (!node || !JSON_NODE_HOLDS_OBJECT(node))
        return NULL;
    JsonObject *object = json_node_get_object(node);
    JsonNode *first = json_object_get_member(object, "first");
    DtDataVerdict *data = dt_data_verdict_empty();
    data->compared = (guint64)number_of(object, "compared", 0);
    data->varying = (guint64)number_of(object, "varying", 0);
    data->differing = (guint64)number_of(object, "differing", 0);
    data->caution = text_of(object, "caution");
    if (first && JSON_NODE_HOLDS_ARRAY(first))
        read_differences(data, json_node_get_array(first));
    return data;
}
