/* The manifest of a run. Command-line arguments that are not UTF-8 are written with their bytes escaped. */
#include "collect/manifest_writer.h"

#include <errno.h>

#include <glib/gstdio.h>

#include "collect/json_text.h"
#include "store/store.h"

static void add_text(DtJsonText *json, const char *name, const char *text)
{
    gboolean valid = text == NULL || g_utf8_validate(text, -1, NULL);
    g_autofree char *escaped = valid ? NULL : g_strescape(text, NULL);
    dt_json_add_string(json, name, valid ? text : escaped);
}

static void add_texts(DtJsonText *json, const char *name, const char *const *texts, gsize count)
{
    dt_json_open(json, name, '[');
    for (gsize i = 0; i < count; i++)
        add_text(json, NULL, texts[i]);
    dt_json_close(json, ']');
}

static void add_processes(DtJsonText *json, const DtLaunched *launched)
{
    dt_json_open(json, "processes", '[');
    for (guint i = 0; launched != NULL && i < launched->ended->len; i++) {
        const DtEndedChild *child = &g_array_index(launched->ended, DtEndedChild, i);
        dt_json_open(json, NULL, '{');
        dt_json_add_integer(json, "pid", child->pid);
        add_text(json, "host", g_get_host_name());
        add_text(json, "end", child->by_signal ? "signal" : "exited");
        dt_json_add_integer(json, "status", child->status);
        dt_json_add_integer(json, "time_ns", child->time_us * 1000);
        dt_json_close(json, '}');
    }
    dt_json_close(json, ']');
}

static void add_settings(DtJsonText *json, const DtCollectOptions *options)
{
    dt_json_add_integer(json, "version", 1);
    add_text(json, "difftrace", DT_VERSION);
    add_texts(json, "command", options->command, g_strv_length((char **)options->command));
    add_text(json, "images", options->images);
    add_text(json, "codec", options->codec);
    add_text(json, "engine", options->engine);
    add_text(json, "only", options->only);
    add_text(json, "include", options->include);
    add_text(json, "exclude", options->exclude);
    add_text(json, "max_size", options->max_size);
    add_text(json, "when_full", options->when_full);
}

static void add_result(DtJsonText *json, const DtCollectResult *result, const DtLaunched *launched)
{
    dt_json_add_boolean(json, "launcher", result->launcher);
    dt_json_add_double(json, "seconds", result->seconds);
    dt_json_add_boolean(json, "finished", launched != NULL);
    dt_json_add_boolean(json, "timed_out", result->timed_out);
    dt_json_add_integer(json, "exit_status", result->exit_status);
    add_texts(json, "warnings", (const char *const *)result->warnings->pdata, result->warnings->len);
    add_processes(json, launched);
}

/* All of it or nothing. It need not be on the disk when we end, no more than the traces. */
static gboolean replace_file(const char *path, const GString *text, GError **error)
{
    g_autofree char *whole = g_strconcat(path, ".new", NULL);
    gboolean written =
        g_file_set_contents_full(whole, text->str, (gssize)text->len, G_FILE_SET_CONTENTS_NONE, 0666, error);
    if (written && g_rename(whole, path) == 0)
        return TRUE;
    if (written)
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "cannot write '%s': %s", path, g_strerror(errno));
    g_remove(whole);
    return FALSE;
}

gboolean dt_manifest_write(const char *run, const DtCollectOptions *options, const DtCollectResult *result,
                           const DtLaunched *launched, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    DtJsonText json = {.text = text};
    dt_json_open(&json, NULL, '{');
    add_settings(&json, options);
    add_result(&json, result, launched);
    add_text(&json, "checksum", "00000000");
    dt_json_close(&json, '}');
    dt_manifest_sign(text->str);
    g_autofree char *path = g_build_filename(run, "manifest.json", NULL);
    return replace_file(path, text, error);
}
