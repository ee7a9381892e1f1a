/* The manifest of a run. */
#include "collect/manifest_writer.h"

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "store/store.h"
#include "text/text.h"

static void add_string(JsonBuilder *builder, const char *text)
{
    g_autofree char *valid = dt_text_json_value(text);
    json_builder_add_string_value(builder, valid);
}

static void add_string_member(JsonBuilder *builder, const char *name, const char *text)
{
    json_builder_set_member_name(builder, name);
    if (text != NULL)
        add_string(builder, text);
    else
        json_builder_add_null_value(builder);
}

static void add_boolean_member(JsonBuilder *builder, const char *name, gboolean value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_boolean_value(builder, value);
}

static void add_int_member(JsonBuilder *builder, const char *name, gint64 value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_int_value(builder, value);
}

static void add_processes(JsonBuilder *builder, const DtLaunched *launched)
{
    json_builder_set_member_name(builder, "processes");
    json_builder_begin_array(builder);
    for (guint i = 0; launched != NULL && i < launched->ended->len; i++) {
        const DtEndedChild *child = &g_array_index(launched->ended, DtEndedChild, i);
        json_builder_begin_object(builder);
        add_int_member(builder, "pid", child->pid);
        add_string_member(builder, "host", child->host);
        add_string_member(builder, "end", child->by_signal ? "signal" : "exited");
        add_int_member(builder, "status", child->status);
        add_int_member(builder, "time_ns", child->time_us * 1000);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_settings(JsonBuilder *builder, const DtCollectOptions *options)
{
    add_int_member(builder, "version", 1);
    add_string_member(builder, "difftrace", DT_VERSION);
    json_builder_set_member_name(builder, "command");
    json_builder_begin_array(builder);
    for (guint i = 0; options->command[i] != NULL; i++)
        add_string(builder, options->command[i]);
    json_builder_end_array(builder);
    add_string_member(builder, "images", options->images);
    add_string_member(builder, "codec", options->codec);
    add_string_member(builder, "engine", options->engine);
    add_string_member(builder, "only", options->only);
    add_string_member(builder, "include", options->include);
    add_string_member(builder, "exclude", options->exclude);
    add_string_member(builder, "max_size", options->max_size);
    add_string_member(builder, "when_full", options->when_full);
}

/* All of it or nothing. It need not be on the disk when we end, no more than the traces. */
static gboolean replace_file(const char *path, const char *text, GError **error)
{
    g_autofree char *whole = g_strconcat(path, ".new", NULL);
    gboolean written = g_file_set_contents_full(whole, text, -1, G_FILE_SET_CONTENTS_NONE, 0666, error);
    if (written && g_rename(whole, path) == 0)
        return TRUE;
    if (written)
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "cannot write '%s': %s", path, g_strerror(errno));
    g_remove(whole);
    return FALSE;
}

gboolean dt_manifest_write(const char *run, const DtCollectOptions *options, const DtCollectResult *result,
                           const DtLaunched *launched, GError **error)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    json_builder_begin_object(builder);
    add_settings(builder, options);
    add_boolean_member(builder, "launcher", result->launcher);
    json_builder_set_member_name(builder, "seconds");
    json_builder_add_double_value(builder, result->seconds);
    add_boolean_member(builder, "finished", launched != NULL);
    add_boolean_member(builder, "timed_out", result->timed_out);
    add_int_member(builder, "exit_status", result->exit_status);
    json_builder_set_member_name(builder, "warnings");
    json_builder_begin_array(builder);
    for (guint i = 0; i < result->warnings->len; i++)
        add_string(builder, g_ptr_array_index(result->warnings, i));
    json_builder_end_array(builder);
    add_processes(builder, launched);
    add_string_member(builder, "checksum", "00000000");
    json_builder_end_object(builder);

    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    g_autofree char *written = json_to_string(root, TRUE), *text = dt_text_json(written);
    dt_manifest_sign(text);
    g_autofree char *path = g_build_filename(run, "manifest.json", NULL);
    return replace_file(path, text, error);
}
