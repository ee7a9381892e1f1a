/* The manifest of a run that is recorded. */
#include "collect/manifest_writer.h"

#include <string.h>

#include "collect/looks.h"
#include "format/mask.h"
#include "text/text.h"
#include "writer/manifest.h"

static void add_processes(JsonBuilder *builder, const DtLaunched *launched)
{
    json_builder_set_member_name(builder, "processes");
    json_builder_begin_array(builder);
    for (guint i = 0; launched && i < launched->ended->len; i++) {
        const DtEndedChild *child = &g_array_index(launched->ended, DtEndedChild, i);
        json_builder_begin_object(builder);
        dt_manifest_int(builder, "pid", child->pid);
        dt_manifest_string(builder, "host", child->host);
        dt_manifest_string(builder, "end", child->by_signal ? "signal" : "exited");
        dt_manifest_int(builder, "status", child->status);
        dt_manifest_int(builder, "time_ns", child->time_us * 1000);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

/* Since when the job was being ended, and how far threads had come before and then. */
static void add_ending(JsonBuilder *builder, const DtLaunched *launched)
{
    json_builder_set_member_name(builder, "ending");
    json_builder_begin_object(builder);
    dt_manifest_int(builder, "realtime_ns", launched->ending_us * 1000);
    dt_manifest_string(builder, "host", g_get_host_name());
    dt_manifest_int(builder, "signal", launched->told_to_end);
    json_builder_set_member_name(builder, "threads");
    json_builder_begin_array(builder);
    for (guint i = 0; i < launched->looks->len; i++) {
        const DtLookedAt *seen = &g_array_index(launched->looks, DtLookedAt, i);
        json_builder_begin_object(builder);
        dt_manifest_int(builder, "pid", seen->pid);
        dt_manifest_string(builder, "thread", seen->thread);
        dt_manifest_int(builder, "first", (gint64)seen->first);
        dt_manifest_int(builder, "last", (gint64)seen->last);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

/* What was told first of it: the sentence. */
static void add_stuck(JsonBuilder *builder, const char *stuck)
{
    g_autofree char *sentence = stuck ? g_strndup(stuck, strcspn(stuck, "\n")) : NULL;
    g_autofree char *valid = sentence ? dt_text_json_value(sentence) : NULL;
    if (valid)
        dt_manifest_string(builder, "stuck", valid);
}

/* As it may be stored; g_strfreev(). Matches go across arguments, as in the line that processes have. */
static char **masked_command(const DtCollectOptions *options)
{
    char **command = g_strdupv((char **)options->command);
    g_autofree char *line = g_strjoinv(" ", command);
    regex_t mask;
    if (!options->mask || regcomp(&mask, options->mask, REG_EXTENDED) != 0)
        return command;
    dt_mask_mark(&mask, line);
    regfree(&mask);
    const char *from = line;
    for (guint i = 0; command[i]; i++) {
        const gsize length = strlen(command[i]);
        memcpy(command[i], from, length);
        dt_mask_squeeze(command[i]);
        from += length + 1;
    }
    return command;
}

static void add_settings(JsonBuilder *builder, const DtCollectOptions *options)
{
    dt_manifest_string(builder, "difftrace", DT_VERSION);
    g_auto(GStrv) command = masked_command(options);
    if (!options->no_argv)
        dt_manifest_strings(builder, "command", (const char *const *)command, g_strv_length(command));
    dt_manifest_string(builder, "images", options->images);
    dt_manifest_string(builder, "codec", options->codec);
    dt_manifest_string(builder, "engine", options->engine);
    dt_manifest_string(builder, "only", options->only);
    dt_manifest_string(builder, "include", options->include);
    dt_manifest_string(builder, "exclude", options->exclude);
    dt_manifest_string(builder, "max_size", options->max_size);
    dt_manifest_string(builder, "when_full", options->when_full);
}

gboolean dt_manifest_write(const char *run, const DtCollectOptions *options, const DtCollectResult *result,
                           const DtLaunched *launched, GError **error)
{
    g_autoptr(JsonBuilder) builder = dt_manifest_begin();
    add_settings(builder, options);
    dt_manifest_boolean(builder, "launcher", result->launcher);
    json_builder_set_member_name(builder, "seconds");
    json_builder_add_double_value(builder, result->seconds);
    dt_manifest_boolean(builder, "finished", launched != NULL);
    dt_manifest_boolean(builder, "timed_out", result->timed_out);
    add_stuck(builder, result->stuck);
    dt_manifest_int(builder, "exit_status", result->exit_status);
    dt_manifest_strings(builder, "warnings", (const char *const *)result->warnings->pdata, result->warnings->len);
    add_processes(builder, launched);
    if (launched && launched->ending_us > 0)
        add_ending(builder, launched);
    g_autofree char *text = dt_manifest_end(builder);
    return dt_manifest_replace(run, text, error);
}
