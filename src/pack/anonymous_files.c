#include "pack/anonymous_files.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "format/crc32.h"
#include "format/trace_file.h"
#include "pack/anonymous.h"
#include "store/manifest.h"
#include "text/text.h"
#include "writer/manifest.h"

/* ---- names of files and images --------------------------------------------------------------------- */

char *dt_anonymous_image(const DtPseudonyms *names, const char *base)
{
    static const char *const known[] = {"libc.so",     "libm.so",       "libpthread.so",  "ld-linux",   "libmpi",
                                        "libopen-rte", "libopen-pal",   "libgomp.so",     "libomp.so",  "libiomp5.so",
                                        "libgcc_s.so", "libstdc++.so",  "libgfortran.so", "libpmix.so", "libucp.so",
                                        "libucs.so",   "libquadmath.so"};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_str_has_prefix(base, known[i]))
            return g_strdup(base);
    return dt_pseudonym(names, 'i', base);
}

char *dt_anonymous_key(const DtPseudonyms *names, const char *key)
{
    const char *purpose = strrchr(key, '-');
    g_autofree char *name = dt_pseudonym(names, 'i', key);
    return g_strconcat(name, purpose ? purpose : "", NULL);
}

/* The number that stands for a name, by its sort. */
static const char *number_of(GHashTable *numbers, const char *sort, const char *name)
{
    g_autofree char *key = g_strconcat(sort, name, NULL);
    const char *known = g_hash_table_lookup(numbers, key);
    if (known)
        return known;
    const char *last = g_hash_table_lookup(numbers, sort); /* the sorts themselves have the last of theirs */
    guint next = last ? (guint)g_ascii_strtoull(last, NULL, 10) + 1 : 1;
    char *number = g_strdup_printf("%06u", next);
    g_hash_table_insert(numbers, g_strdup(sort), g_strdup(number));
    g_hash_table_insert(numbers, g_steal_pointer(&key), number);
    return number;
}

static char *anonymous_base(const DtPseudonyms *names, const char *folder, const char *base, GHashTable *numbers)
{
    if (g_str_has_suffix(base, ".trace"))
        return g_strconcat(number_of(numbers, "trace", base), ".trace", NULL);
    const char *end = g_strcmp0(folder, "images") == 0 ? strrchr(base, '.') : NULL;
    if (!end)
        return strcmp(base, "collectors.jsonl") == 0 ? NULL : g_strdup(base);
    g_autofree char *key = g_strndup(base, (gsize)(end - base)), *name = dt_anonymous_key(names, key);
    return g_strconcat(name, end, NULL);
}

char *dt_anonymous_file_name(const DtPseudonyms *names, const char *name, GHashTable *numbers)
{
    g_auto(GStrv) parts = g_strsplit(name, "/", -1);
    g_autoptr(GString) out = g_string_new(NULL);
    guint last = g_strv_length(parts) - 1;
    for (guint i = 0; i < last; i++) {
        static const char *const known[] = {"processes", "images", "users", NULL};
        gboolean keeps = g_strv_contains(known, parts[i]);
        g_string_append_printf(out, "%s/", keeps ? parts[i] : number_of(numbers, "folder", parts[i]));
    }
    g_autofree char *base = anonymous_base(names, last > 0 ? parts[last - 1] : NULL, parts[last], numbers);
    if (!base)
        return NULL;
    g_string_append(out, base);
    return g_strdup(out->str);
}

/* ---- symbols -------------------------------------------------------------------------------------- */

static char *anonymous_function(const DtPseudonyms *names, const char *name)
{
    return dt_function_is_public(name) ? g_strdup(name) : dt_pseudonym(names, 'f', name);
}

static char *anonymous_symbols(const DtPseudonyms *names, const char *data, gsize *bytes)
{
    struct dt_symbols_header header;
    if (*bytes < sizeof(header))
        return NULL;
    memcpy(&header, data, sizeof(header));
    gsize records = header.count * sizeof(struct dt_symbol), texts = sizeof(header) + records;
    if (records > *bytes - sizeof(header) || header.text_bytes > *bytes - texts)
        return NULL;
    g_autoptr(GByteArray) rows = g_byte_array_new(), text = g_byte_array_new();
    for (guint32 i = 0; i < header.count; i++) {
        struct dt_symbol symbol;
        memcpy(&symbol, data + sizeof(header) + i * sizeof(symbol), sizeof(symbol));
        gsize room = symbol.name < header.text_bytes ? header.text_bytes - symbol.name : 0;
        g_autofree char *old = g_strndup(data + texts + symbol.name * (room > 0), room);
        gboolean is_api = (symbol.flags & DT_FUNCTION_API) != 0;
        g_autofree char *name = is_api ? g_strdup(old) : anonymous_function(names, old);
        symbol.name = text->len;
        g_byte_array_append(text, (const guint8 *)name, (guint)strlen(name) + 1);
        g_byte_array_append(rows, (const guint8 *)&symbol, sizeof(symbol));
    }
    header.text_bytes = text->len;
    header.crc32 = dt_crc32(dt_crc32(0, rows->data, rows->len), text->data, text->len);
    g_autoptr(GByteArray) file = g_byte_array_new();
    g_byte_array_append(file, (const guint8 *)&header, sizeof(header));
    g_byte_array_append(file, rows->data, rows->len);
    g_byte_array_append(file, text->data, text->len);
    *bytes = file->len;
    return (char *)g_byte_array_free(g_steal_pointer(&file), FALSE);
}

/* ---- lines ------------------------------------------------------------------------------------------ */

/* With what tells its language, as far as it is short. */
static char *anonymous_source(const DtPseudonyms *names, const char *file)
{
    const char *end = strrchr(file, '.');
    g_autofree char *name = dt_pseudonym(names, 's', file);
    return g_strconcat(name, end && strlen(end) <= 5 && !strchr(end, '/') ? end : "", NULL);
}

static char *anonymous_line(const DtPseudonyms *names, const char *line)
{
    g_auto(GStrv) fields = g_strsplit(line, "\t", -1);
    for (guint i = 1; i > 0 && fields[0] && fields[i] && fields[i + 1]; i += fields[i + 2] ? 3 : 2) {
        char *function = anonymous_function(names, fields[i]), *file = anonymous_source(names, fields[i + 1]);
        g_free(fields[i]);
        g_free(fields[i + 1]);
        fields[i] = function;
        fields[i + 1] = file;
    }
    return g_strjoinv("\t", fields);
}

static char *anonymous_lines(const DtPseudonyms *names, const char *data, gsize *bytes)
{
    static const char head[] = "difftrace lines 1 ";
    g_autofree char *text = g_strndup(data, *bytes);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) body = g_string_new(NULL);
    if (!g_str_has_prefix(text, head))
        return NULL;
    for (guint i = 1; lines[0] && lines[i]; i++) {
        g_autofree char *line = anonymous_line(names, lines[i]);
        g_string_append_printf(body, "%s%s", line, lines[i + 1] ? "\n" : "");
    }
    char *file = g_strdup_printf("%s%08x\n%s", head, dt_crc32(0, body->str, body->len), body->str);
    *bytes = strlen(file);
    return file;
}

/* ---- logs --------------------------------------------------------------------------------------------- */

/* Of each line the field of the host, and if `path_field` is not 0 the one of an executable, to the line's end. */
static char *anonymous_log(const DtPseudonyms *names, const char *data, gsize *bytes, const char *separator,
                           guint path_field)
{
    g_autofree char *text = g_strndup(data, *bytes);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        g_auto(GStrv) fields = g_strsplit(lines[i], separator, path_field > 0 ? (gint)path_field + 1 : 0);
        if (!fields[0] || !fields[1])
            continue;
        char *host = dt_pseudonym(names, 'h', fields[0]);
        g_free(fields[0]);
        fields[0] = host;
        if (path_field > 0 && g_strv_length(fields) > path_field) {
            g_autofree char *base = g_path_get_basename(fields[path_field]);
            char *image = fields[path_field][0] ? dt_anonymous_image(names, base) : g_strdup("");
            g_free(fields[path_field]);
            fields[path_field] = image;
        }
        g_free(lines[i]);
        lines[i] = g_strjoinv(separator, fields);
    }
    char *log = g_strjoinv("\n", lines);
    *bytes = strlen(log);
    return log;
}

/* ---- the manifest --------------------------------------------------------------------------------------- */

/* Hosts in it, at any depth, and nothing else that names anything. */
static JsonNode *without_names(const DtPseudonyms *names, JsonNode *node, const char *member);

typedef struct {
    const DtPseudonyms *names;
    JsonObject *object;
    JsonArray *array;
} Copying;

static void copy_member(JsonObject *object, const char *name, JsonNode *node, gpointer data)
{
    static const char *const kept[] = {"version",  "difftrace", "codec",       "engine",  "launcher",  "seconds",
                                       "finished", "timed_out", "exit_status", "ending",  "processes", "realtime_ns",
                                       "host",     "signal",    "threads",     "pid",     "thread",    "first",
                                       "last",     "end",       "status",      "time_ns", NULL};
    const Copying *copying = data;
    (void)object;
    if (g_strv_contains(kept, name))
        json_object_set_member(copying->object, name, without_names(copying->names, node, name));
}

static void copy_element(JsonArray *array, guint index, JsonNode *node, gpointer data)
{
    const Copying *copying = data;
    (void)array, (void)index;
    json_array_add_element(copying->array, without_names(copying->names, node, ""));
}

static JsonNode *without_names(const DtPseudonyms *names, JsonNode *node, const char *member)
{
    if (JSON_NODE_HOLDS_OBJECT(node)) {
        JsonObject *copy = json_object_new();
        json_object_foreach_member(json_node_get_object(node), copy_member, &(Copying){names, copy, NULL});
        return json_node_init_object(json_node_alloc(), copy);
    }
    if (JSON_NODE_HOLDS_ARRAY(node)) {
        JsonArray *copy = json_array_new();
        json_array_foreach_element(json_node_get_array(node), copy_element, &(Copying){names, NULL, copy});
        return json_node_init_array(json_node_alloc(), copy);
    }
    const char *text = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    if (!text || strcmp(member, "host") != 0)
        return json_node_copy(node);
    g_autofree char *host = dt_pseudonym(names, 'h', text);
    return json_node_init_string(json_node_alloc(), host);
}

static char *anonymous_manifest(const DtPseudonyms *names, const char *data, gsize *bytes)
{
    g_autofree char *text = g_strndup(data, *bytes);
    g_autoptr(JsonNode) root = dt_json_nests_too_deeply(text, strlen(text)) ? NULL : json_from_string(text, NULL);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root))
        return NULL;
    g_autoptr(JsonNode) copy = without_names(names, root, "");
    json_object_set_string_member(json_node_get_object(copy), "pseudonyms", dt_pseudonyms_id(names));
    json_object_set_string_member(json_node_get_object(copy), "checksum", "00000000");
    g_autofree char *json = json_to_string(copy, FALSE);
    char *file = g_strconcat(json, "\n", NULL);
    dt_manifest_sign(file);
    *bytes = strlen(file);
    return file;
}

char *dt_anonymous_file(const DtPseudonyms *names, const char *name, const char *data, gsize *bytes)
{
    if (g_str_has_suffix(name, ".sym"))
        return anonymous_symbols(names, data, bytes);
    if (g_str_has_suffix(name, ".lines"))
        return anonymous_lines(names, data, bytes);
    if (g_str_has_suffix(name, "unrecorded.log"))
        return anonymous_log(names, data, bytes, "\t", 4);
    if (g_str_has_suffix(name, "ends.log"))
        return anonymous_log(names, data, bytes, " ", 0);
    if (g_str_has_suffix(name, "manifest.json"))
        return anonymous_manifest(names, data, bytes);
    return g_str_has_suffix(name, ".difftrace") ? g_strndup(data, *bytes) : NULL;
}
