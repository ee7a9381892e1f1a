/* Reading the manifest of a run: what the collector knew. Members are optional, unknown ones are ignored. */
#include <json-glib/json-glib.h>
#include <string.h>

#include "store/file.h"
#include "store/problems.h"
#include "store/run_private.h"
#include "writer/manifest.h"

static const char MANIFEST[] = "manifest.json";
enum { MANIFEST_VERSION = 1, MOST_BYTES = 1 << 28 };

/* The member if it is there and of that type. */
static JsonNode *find_value(JsonObject *object, const char *name, GType type)
{
    JsonNode *node = json_object_get_member(object, name);
    if (!node || !JSON_NODE_HOLDS_VALUE(node))
        return NULL;
    GType found = json_node_get_value_type(node);
    gboolean number = type == G_TYPE_DOUBLE && found == G_TYPE_INT64;
    return found == type || number ? node : NULL;
}

static char *read_string(JsonObject *object, const char *name)
{
    JsonNode *node = find_value(object, name, G_TYPE_STRING);
    return node ? g_strdup(json_node_get_string(node)) : NULL;
}

static gboolean read_boolean(JsonObject *object, const char *name)
{
    JsonNode *node = find_value(object, name, G_TYPE_BOOLEAN);
    return node && json_node_get_boolean(node);
}

static gint read_integer(JsonObject *object, const char *name)
{
    JsonNode *node = find_value(object, name, G_TYPE_INT64);
    return node ? (gint)CLAMP(json_node_get_int(node), G_MININT, G_MAXINT) : 0;
}

static JsonArray *find_array(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static char **read_strings(JsonObject *object, const char *name)
{
    JsonArray *array = find_array(object, name);
    g_autoptr(GPtrArray) strings = g_ptr_array_new();
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        gboolean text = JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING;
        if (text)
            g_ptr_array_add(strings, g_strdup(json_node_get_string(node)));
    }
    g_ptr_array_add(strings, NULL);
    return array ? (char **)g_ptr_array_steal(strings, NULL) : NULL;
}

static void read_ends(JsonObject *root, GArray *ends)
{
    JsonArray *array = find_array(root, "processes");
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        if (!JSON_NODE_HOLDS_OBJECT(node))
            continue;
        JsonObject *object = json_node_get_object(node);
        g_autofree char *end = read_string(object, "end");
        gboolean by_signal = g_strcmp0(end, "signal") == 0;
        gint pid = read_integer(object, "pid");
        if (pid <= 0 || (!by_signal && g_strcmp0(end, "exited") != 0))
            continue;
        DtSeenEnd seen = {.pid = (guint)pid,
                          .host = read_string(object, "host"),
                          .end = by_signal ? DT_END_SIGNAL : DT_END_EXITED,
                          .status = read_integer(object, "status")};
        JsonNode *time = find_value(object, "time_ns", G_TYPE_INT64);
        seen.time_ns = time ? (guint64)MAX(json_node_get_int(time), 0) : 0;
        g_array_append_val(ends, seen);
    }
}

static guint64 read_count(JsonObject *object, const char *name)
{
    JsonNode *node = find_value(object, name, G_TYPE_INT64);
    return node ? (guint64)MAX(json_node_get_int(node), 0) : 0;
}

static void read_ending(JsonObject *root, DtManifestFile *file)
{
    JsonNode *ending = json_object_get_member(root, "ending");
    if (!ending || !JSON_NODE_HOLDS_OBJECT(ending))
        return;
    JsonObject *object = json_node_get_object(ending);
    g_autofree char *host = read_string(object, "host");
    file->manifest.ending_realtime_ns = read_count(object, "realtime_ns");
    JsonArray *array = find_array(object, "threads");
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        if (!JSON_NODE_HOLDS_OBJECT(node))
            continue;
        JsonObject *thread = json_node_get_object(node);
        DtSeenThread seen = {(guint)MAX(read_integer(thread, "pid"), 0), g_strdup(host), read_string(thread, "thread"),
                             read_count(thread, "first"), read_count(thread, "last")};
        g_array_append_val(file->threads, seen);
    }
}

static void read_members(JsonObject *root, DtManifestFile *file)
{
    DtManifest *manifest = &file->manifest;
    manifest->version = read_string(root, "difftrace");
    manifest->command = read_strings(root, "command");
    manifest->warnings = read_strings(root, "warnings");
    manifest->images = read_string(root, "images");
    manifest->codec = read_string(root, "codec");
    manifest->engine = read_string(root, "engine");
    manifest->only = read_string(root, "only");
    manifest->launcher = read_boolean(root, "launcher");
    manifest->finished = read_boolean(root, "finished");
    manifest->timed_out = read_boolean(root, "timed_out");
    file->pseudonyms = read_string(root, "pseudonyms");
    manifest->stuck = read_string(root, "stuck");
    manifest->exit_status = read_integer(root, "exit_status");
    JsonNode *seconds = find_value(root, "seconds", G_TYPE_DOUBLE);
    manifest->seconds = seconds ? json_node_get_double(seconds) : 0;
    read_ends(root, file->ends);
    read_ending(root, file);
}

DtManifestFile *dt_manifest_parse(const char *text, gsize bytes, GPtrArray *problems)
{
    DtManifestFile *file = dt_manifest_file_new();
    g_autoptr(JsonParser) parser = json_parser_new_immutable();
    g_autoptr(GError) error = NULL;
    if (!g_utf8_validate(text, (gssize)bytes, NULL)) {
        dt_problem(problems, MANIFEST, "damaged: it is not UTF-8 text");
        return file;
    }
    if (dt_json_nests_too_deeply(text, bytes)) {
        dt_problem(problems, MANIFEST, "damaged: it nests deeper than any manifest");
        return file;
    }
    if (!json_parser_load_from_data(parser, text, (gssize)bytes, &error)) {
        g_strdelimit(error->message, "\n", ' ');
        dt_problem(problems, MANIFEST, "damaged: %s", error->message);
        return file;
    }
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
        dt_problem(problems, MANIFEST, "damaged: it holds no JSON object");
        return file;
    }
    if (!dt_manifest_checksum_holds(text, bytes))
        dt_problem(problems, MANIFEST, "wrong checksum: what it says may be wrong");
    gint version = read_integer(json_node_get_object(root), "version");
    if (version != MANIFEST_VERSION)
        dt_problem(problems, MANIFEST, "version %d is not known to this difftrace: what it says may be misread",
                   version);
    file->present = TRUE;
    read_members(json_node_get_object(root), file);
    return file;
}

DtManifestFile *dt_manifest_load(const char *run, GPtrArray *problems)
{
    g_autofree char *path = g_build_filename(run, MANIFEST, NULL);
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    gsize bytes;
    text = dt_file_contents(path, MOST_BYTES, &bytes, &error);
    if (text)
        return dt_manifest_parse(text, bytes, problems);
    if (g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        dt_problem(problems, MANIFEST, "missing: the command and how it ended are unknown");
    else
        dt_problem(problems, MANIFEST, "%s: the command and how it ended are unknown", error->message);
    return dt_manifest_file_new();
}

/* ---- of a gathered run ------------------------------------------------------------ */

static void add_seen(DtManifestFile *to, const DtManifestFile *from)
{
    for (guint i = 0; i < from->ends->len; i++) {
        DtSeenEnd seen = g_array_index(from->ends, DtSeenEnd, i);
        seen.host = g_strdup(seen.host);
        g_array_append_val(to->ends, seen);
    }
    for (guint i = 0; i < from->threads->len; i++) {
        DtSeenThread seen = g_array_index(from->threads, DtSeenThread, i);
        seen.host = g_strdup(seen.host);
        seen.thread = g_strdup(seen.thread);
        g_array_append_val(to->threads, seen);
    }
    if (to->manifest.ending_realtime_ns == 0)
        to->manifest.ending_realtime_ns = from->manifest.ending_realtime_ns;
}

DtManifestFile *dt_gathered_manifest(const char *path, const GPtrArray *parts, GPtrArray *problems)
{
    DtManifestFile *found = NULL;
    for (guint i = 0; i < parts->len; i++) {
        g_autofree char *part = g_build_filename(path, parts->pdata[i], NULL);
        g_autofree char *file = g_build_filename(part, "manifest.json", NULL);
        if (!g_file_test(file, G_FILE_TEST_EXISTS))
            continue;
        DtManifestFile *manifest = dt_manifest_load(part, problems);
        if (!found) {
            found = manifest;
            continue;
        }
        add_seen(found, manifest);
        dt_manifest_file_free(manifest);
    }
    return found ? found : dt_manifest_load(path, problems);
}
