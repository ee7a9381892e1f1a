/* JSON members by type, with everything that JSON cannot hold kept out. */
#include "report/json.h"

#include <math.h>

#include "text/text.h"

static void set_name(JsonBuilder *builder, const char *name)
{
    if (!name)
        return;
    g_autofree char *valid = dt_text_json_value(name);
    json_builder_set_member_name(builder, valid);
}

JsonBuilder *dt_json_document(void)
{
    JsonBuilder *builder = json_builder_new();
    json_builder_begin_object(builder);
    dt_json_integer(builder, "version", 1);
    return builder;
}

static char *finish_json(JsonBuilder *builder, gboolean pretty)
{
    json_builder_end_object(builder);
    g_autoptr(JsonGenerator) generator = json_generator_new();
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, pretty);
    g_autofree char *text = json_generator_to_data(generator, NULL);
    g_object_unref(builder);
    g_autofree char *safe = dt_text_json(text);
    return g_strconcat(safe, "\n", NULL);
}

char *dt_json_finish(JsonBuilder *builder)
{
    return finish_json(builder, TRUE);
}

char *dt_json_finish_compact(JsonBuilder *builder)
{
    return finish_json(builder, FALSE);
}

void dt_json_string(JsonBuilder *builder, const char *name, const char *value)
{
    set_name(builder, name);
    if (!value) {
        json_builder_add_null_value(builder);
        return;
    }
    g_autofree char *valid = dt_text_json_value(value);
    json_builder_add_string_value(builder, valid);
}

void dt_json_integer(JsonBuilder *builder, const char *name, gint64 value)
{
    set_name(builder, name);
    json_builder_add_int_value(builder, value);
}

void dt_json_number(JsonBuilder *builder, const char *name, double value)
{
    set_name(builder, name);
    if (isfinite(value))
        json_builder_add_double_value(builder, value);
    else
        json_builder_add_null_value(builder);
}

void dt_json_boolean(JsonBuilder *builder, const char *name, gboolean value)
{
    set_name(builder, name);
    json_builder_add_boolean_value(builder, value);
}

void dt_json_null(JsonBuilder *builder, const char *name)
{
    set_name(builder, name);
    json_builder_add_null_value(builder);
}

void dt_json_label(JsonBuilder *builder, const char *name, const char *label)
{
    guint64 number = 0;
    if (g_ascii_string_to_unsigned(label, 10, 0, G_MAXINT32, &number, NULL))
        dt_json_integer(builder, name, (gint64)number);
    else
        dt_json_string(builder, name, label);
}

void dt_json_strings(JsonBuilder *builder, const char *name, const char *const *values)
{
    dt_json_begin_array(builder, name);
    for (; values && *values; values++)
        dt_json_string(builder, NULL, *values);
    json_builder_end_array(builder);
}

void dt_json_begin_array(JsonBuilder *builder, const char *name)
{
    set_name(builder, name);
    json_builder_begin_array(builder);
}

void dt_json_begin_object(JsonBuilder *builder, const char *name)
{
    set_name(builder, name);
    json_builder_begin_object(builder);
}
