#include "collect/shared_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "base/rights.h"
#include "collect/manifest_writer.h"
#include "store/file.h"
#include "store/manifest.h"
#include "store/store.h"
#include "store/writers.h"
#include "text/text.h"

static const char LOG[] = "collectors.jsonl";
enum { MOST_LOG_BYTES = 1 << 28 };

/* ---- the log --------------------------------------------------------------------------- */

/* (element-type JsonNode) the lines of the log, without those that are no objects. */
static GPtrArray *read_log(const char *run)
{
    GPtrArray *entries = g_ptr_array_new_with_free_func((GDestroyNotify)json_node_unref);
    g_autofree char *path = g_build_filename(run, LOG, NULL);
    g_autofree char *text = dt_file_contents(path, MOST_LOG_BYTES, NULL, NULL);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        gboolean parses = lines[i][0] == '{' && !dt_json_nests_too_deeply(lines[i], strlen(lines[i]));
        JsonNode *entry = parses ? json_from_string(lines[i], NULL) : NULL;
        if (entry && JSON_NODE_HOLDS_OBJECT(entry))
            g_ptr_array_add(entries, entry);
        else
            g_clear_pointer(&entry, json_node_unref);
    }
    return entries;
}

static JsonObject *entry_at(const GPtrArray *entries, guint i)
{
    return json_node_get_object(entries->pdata[i]);
}

static gboolean append_entry(const char *run, JsonObject *entry)
{
    g_autoptr(JsonNode) node = json_node_init_object(json_node_alloc(), entry);
    g_autofree char *json = json_to_string(node, FALSE), *text = dt_text_json(json);
    g_autofree char *line = g_strconcat(text, "\n", NULL), *path = g_build_filename(run, LOG, NULL);
    gint file =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, dt_mode_beside(path, 0666));
    gboolean written = file >= 0 && write(file, line, strlen(line)) == (gssize)strlen(line);
    if (file >= 0)
        close(file);
    return written;
}

static JsonObject *new_entry(const DtLauncherJob *job, const char *what)
{
    JsonObject *entry = json_object_new();
    json_object_set_string_member(entry, "what", what);
    json_object_set_string_member(entry, "job", job->id);
    json_object_set_boolean_member(entry, "whole", job->is_whole);
    json_object_set_int_member(entry, "rank", (gint64)job->rank);
    json_object_set_int_member(entry, "ranks", (gint64)job->ranks);
    return entry;
}

static gboolean append_joined(const char *run, const DtLauncherJob *job)
{
    g_autoptr(JsonObject) entry = new_entry(job, "joined");
    return append_entry(run, entry);
}

static JsonObject *new_ended_child(const DtEndedChild *child)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "host", child->host);
    json_object_set_int_member(object, "pid", child->pid);
    json_object_set_boolean_member(object, "by_signal", child->by_signal);
    json_object_set_int_member(object, "status", child->status);
    json_object_set_int_member(object, "time_us", child->time_us);
    return object;
}

static gboolean append_left(const char *run, const DtLauncherJob *job, const DtCollectResult *result,
                            const DtLaunched *launched)
{
    g_autoptr(JsonObject) entry = new_entry(job, "left");
    json_object_set_int_member(entry, "exit_status", result->exit_status);
    json_object_set_double_member(entry, "seconds", result->seconds);
    json_object_set_boolean_member(entry, "timed_out", result->timed_out);
    JsonArray *warnings = json_array_new(), *processes = json_array_new();
    for (guint i = 0; i < result->warnings->len; i++) {
        g_autofree char *valid = dt_text_json_value(result->warnings->pdata[i]);
        json_array_add_string_element(warnings, valid);
    }
    for (guint i = 0; i < launched->ended->len; i++)
        json_array_add_object_element(processes, new_ended_child(&g_array_index(launched->ended, DtEndedChild, i)));
    json_object_set_array_member(entry, "warnings", warnings);
    json_object_set_array_member(entry, "processes", processes);
    return append_entry(run, entry);
}

static const char *string_in(JsonObject *object, const char *name)
{
    const char *value = json_object_get_string_member_with_default(object, name, "");
    return value ? value : "";
}

static gint64 number_in(JsonObject *object, const char *name)
{
    return json_object_get_int_member_with_default(object, name, 0);
}

static gboolean flag_in(JsonObject *object, const char *name)
{
    return json_object_get_boolean_member_with_default(object, name, FALSE);
}

/* (element-type JsonNode) borrowed; empty if there is no such array. */
static GList *elements_in(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_array_get_elements(json_node_get_array(node)) : NULL;
}

/* ---- joining --------------------------------------------------------------------------- */

/* Launchers that name no job tell two nodes of it apart: then it is ours if it is as large, and recorded now. */
static gboolean is_of_job(JsonObject *entry, const DtLauncherJob *job, gboolean has_writers)
{
    if (strcmp(string_in(entry, "job"), job->id) == 0)
        return TRUE;
    gboolean whole = job->is_whole || flag_in(entry, "whole");
    return !whole && has_writers && number_in(entry, "ranks") == (gint64)job->ranks;
}

static gboolean is_run_of(const char *run, const DtLauncherJob *job)
{
    if (!job || !dt_is_our_directory(run, "run"))
        return FALSE;
    gboolean has_writers = dt_writers_are_there(run);
    g_autoptr(GPtrArray) entries = read_log(run);
    for (guint i = 0; i < entries->len; i++) {
        JsonObject *entry = entry_at(entries, i);
        if (!is_of_job(entry, job, has_writers) || number_in(entry, "rank") == (gint64)job->rank)
            return FALSE;
    }
    return entries->len > 0;
}

static gboolean make_folders(const char *run, GError **error)
{
    static const char *const folders[] = {"processes", "images"};
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(run, folders[i], NULL);
        if (g_mkdir(path, dt_mode_beside(path, 0777)) != 0) {
            dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "cannot make '%s': %s", path, g_strerror(errno));
            return FALSE;
        }
    }
    return TRUE;
}

/* The rights of all that comes into the run follow those of its folder. */
static gboolean make_run(const char *run, const DtCollectOptions *options, GError **error)
{
    enum { FOLDER_MODE = 0777, FILE_MODE = 0666 };
    if (!dt_output_directory(options->output, "run", error))
        return FALSE;
    if (!options->shared)
        return TRUE;
    const mode_t mask = umask(0);
    umask(mask);
    g_autofree char *marker = g_build_filename(run, ".difftrace", NULL);
    (void)g_chmod(run, (int)(FOLDER_MODE & ~mask));
    (void)g_chmod(marker, (int)(FILE_MODE & ~mask));
    return TRUE;
}

static gboolean make_or_join(DtSharedRun *run, const DtCollectOptions *options, const DtCollectResult *result,
                             GError **error)
{
    gboolean joins = is_run_of(run->path, run->job);
    if (!joins && (!make_run(run->path, options, error) || !make_folders(run->path, error)))
        return FALSE;
    run->joined = joins;
    run->writer = dt_writers_join(run->path);
    if (run->job && !append_joined(run->path, run->job)) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "cannot write '%s/%s': %s", run->path, LOG,
                     g_strerror(errno));
        return FALSE;
    }
    return joins || dt_manifest_write(run->path, options, result, NULL, error);
}

/* Who comes and who leaves do so one after the other. */
static gint lock_parent(const char *run)
{
    g_autofree char *parent = g_path_get_dirname(run);
    (void)g_mkdir_with_parents(parent, 0777);
    return dt_directory_lock(parent);
}

DtSharedRun *dt_shared_run_new(const DtCollectOptions *options, DtLauncherJob *job, const DtCollectResult *result,
                               GError **error)
{
    g_autoptr(DtSharedRun) run = g_new0(DtSharedRun, 1);
    *run = (DtSharedRun){g_canonicalize_filename(options->output, NULL), job, -1, FALSE};
    gint lock = lock_parent(run->path);
    gboolean made = make_or_join(run, options, result, error);
    if (lock >= 0)
        close(lock);
    return made ? g_steal_pointer(&run) : NULL;
}

void dt_shared_run_free(DtSharedRun *run)
{
    dt_writers_leave(run->writer);
    g_clear_pointer(&run->job, dt_launcher_job_free);
    g_free(run->path);
    g_free(run);
}

/* ---- leaving --------------------------------------------------------------------------- */

static void add_ended_child(JsonObject *object, GArray *ended)
{
    DtEndedChild child = {.pid = (gint)number_in(object, "pid"),
                          .by_signal = flag_in(object, "by_signal"),
                          .status = (gint)number_in(object, "status"),
                          .time_us = number_in(object, "time_us")};
    g_strlcpy(child.host, string_in(object, "host"), sizeof(child.host));
    g_array_append_val(ended, child);
}

/* The status is that of the lowest rank that failed, as a launcher might tell it. */
static void add_left(JsonObject *entry, gint64 *failed_rank, DtCollectResult *result, GArray *ended)
{
    gint64 rank = number_in(entry, "rank"), status = number_in(entry, "exit_status");
    if (status != 0 && rank < *failed_rank) {
        *failed_rank = rank;
        result->exit_status = (gint)status;
    }
    result->seconds = MAX(result->seconds, json_object_get_double_member_with_default(entry, "seconds", 0));
    result->timed_out = result->timed_out || flag_in(entry, "timed_out");
    g_autoptr(GList) warnings = elements_in(entry, "warnings");
    g_autoptr(GList) processes = elements_in(entry, "processes");
    for (GList *each = warnings; each; each = each->next) {
        const char *warning = JSON_NODE_HOLDS_VALUE(each->data) ? json_node_get_string(each->data) : NULL;
        if (warning && !g_ptr_array_find_with_equal_func(result->warnings, warning, g_str_equal, NULL))
            g_ptr_array_add(result->warnings, g_strdup(warning));
    }
    for (GList *each = processes; each; each = each->next)
        if (JSON_NODE_HOLDS_OBJECT(each->data))
            add_ended_child(json_node_get_object(each->data), ended);
}

static void gather_ends(const DtSharedRun *run, DtCollectResult *result, DtLaunched *launched)
{
    g_autoptr(GPtrArray) entries = read_log(run->path);
    gint64 failed_rank = G_MAXINT64;
    guint joined = 0, left = 0;
    result->exit_status = 0;
    g_array_set_size(launched->ended, 0);
    for (guint i = 0; i < entries->len; i++) {
        JsonObject *entry = entry_at(entries, i);
        gboolean has_left = strcmp(string_in(entry, "what"), "left") == 0;
        joined += has_left ? 0 : 1;
        left += has_left ? 1 : 0;
        if (has_left)
            add_left(entry, &failed_rank, result, launched->ended);
    }
    if (left < joined)
        g_ptr_array_add(result->warnings, g_strdup_printf("%u of %u collectors of the job were killed: how their "
                                                          "ranks ended is not known",
                                                          joined - left, joined));
}

void dt_shared_run_leave(DtSharedRun *run, const DtCollectOptions *options, DtCollectResult *result,
                         DtLaunched *launched)
{
    gint lock = lock_parent(run->path);
    if (run->job && !append_left(run->path, run->job, result, launched))
        g_ptr_array_add(result->warnings, dt_text_printf("%s: cannot be written: %s", LOG, g_strerror(errno)));
    result->last = dt_writers_leave(run->writer);
    run->writer = -1;
    if (result->last) {
        DtCollectResult whole = *result;
        if (run->job)
            gather_ends(run, &whole, launched);
        g_autoptr(GError) problem = NULL;
        if (!dt_manifest_write(run->path, options, &whole, launched, &problem))
            g_ptr_array_add(result->warnings, dt_text_printf("the manifest is not complete: %s", problem->message));
    }
    if (lock >= 0)
        close(lock);
}
