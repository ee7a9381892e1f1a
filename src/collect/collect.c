/* Collection: checks, run directory, manifest, launch. */
#include "collect/collect.h"

#include <errno.h>
#include <regex.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/agents_folder.h"
#include "codec/codec.h"
#include "collect/environment.h"
#include "collect/executable.h"
#include "collect/file_system.h"
#include "collect/launch.h"
#include "collect/launcher.h"
#include "collect/lines.h"
#include "collect/remote_end.h"
#include "collect/shared_run.h"
#include "collect/size.h"
#include "collect/untraced.h"
#include "collect/wrapper.h"
#include "store/run_headers.h"
#include "store/sealed/sealed_writer.h"
#include "store/store.h"
#include "text/text.h"

enum {
    MAX_VALUE = 1023,     /* bytes of an option's value that the runtime takes */
    LEAST_SIZE = 1 << 18, /* tables and a thread's first chunks fit into it */
    LEAST_ARGUMENTS_MEMORY = 16 << 20
};

G_DEFINE_QUARK(dt_collect_error, dt_collect_error)

void dt_collect_result_free(DtCollectResult *result)
{
    g_ptr_array_unref(result->warnings);
    g_free(result->stuck);
    g_free(result);
}

/* "lzr, tz, parlot or raw" */
static char *list_codecs(void)
{
    GString *list = g_string_new(dt_codecs[0].name);
    for (guint i = 1; i < DT_CODECS; i++)
        g_string_append_printf(list, "%s%s", i + 1 < DT_CODECS ? ", " : " or ", dt_codecs[i].name);
    return g_string_free(list, FALSE);
}

static gboolean check_codec(const char *codec, GError **error)
{
    for (guint i = 0; i < DT_CODECS; i++)
        if (strcmp(codec, dt_codecs[i].name) == 0)
            return TRUE;
    g_autofree char *list = list_codecs();
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION, "--codec %s: no such codec; use %s", codec, list);
    return FALSE;
}

static gboolean check_regex(const char *option, const char *pattern, GError **error)
{
    if (!pattern)
        return TRUE;
    regex_t compiled;
    int problem = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB);
    if (problem == 0) {
        regfree(&compiled);
        return TRUE;
    }
    char why[128];
    regerror(problem, &compiled, why, sizeof why);
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION, "%s '%s': %s (POSIX extended regex)", option,
                 pattern, why);
    return FALSE;
}

static gboolean check_images(const char *images, GError **error)
{
    g_auto(GStrv) globs = g_strsplit(images, ",", -1);
    for (guint i = 0; i == 0 || globs[i]; i++)
        if (!globs[i] || globs[i][0] == '\0') {
            dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION,
                         "--images '%s': empty name; give main, app, all or globs of images", images);
            return FALSE;
        }
    return TRUE;
}

static gboolean check_length(const char *option, const char *value, GError **error)
{
    if (!value || strlen(value) <= MAX_VALUE)
        return TRUE;
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION, "%s: %" G_GSIZE_FORMAT " bytes, the tracer takes %d",
                 option, strlen(value), MAX_VALUE);
    return FALSE;
}

static gboolean check_size(const DtCollectOptions *options, GError **error)
{
    guint64 bytes;
    if (!options->max_size)
        return TRUE;
    gboolean known = dt_size_parse(options->max_size, &bytes);
    if (known && bytes >= LEAST_SIZE)
        return TRUE;
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION,
                 known ? "--max-size %s: less than a process needs; give 256k or more"
                       : "--max-size %s: not a size; give bytes, or a number with k, M or G",
                 options->max_size);
    return FALSE;
}

static gboolean check_arguments_memory(const char *size, GError **error)
{
    guint64 bytes;
    gboolean known = dt_size_parse(size, &bytes);
    if (known && bytes >= LEAST_ARGUMENTS_MEMORY && bytes <= (guint64)LEAST_ARGUMENTS_MEMORY << 8)
        return TRUE;
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION,
                 known ? "--args-memory %s: give 16M to 4G"
                       : "--args-memory %s: not a size; give bytes, or a number with k, M or G",
                 size);
    return FALSE;
}

static gboolean check_when_full(const char *when_full, GError **error)
{
    if (strcmp(when_full, "stop") == 0 || strcmp(when_full, "keep-last") == 0)
        return TRUE;
    dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_OPTION, "--when-full %s: give stop or keep-last", when_full);
    return FALSE;
}

static gboolean check_options(const DtCollectOptions *options, GError **error)
{
    g_autofree char *run = g_canonicalize_filename(options->output, NULL);
    return check_codec(options->codec, error) && check_images(options->images, error) &&
           check_regex("--include", options->include, error) && check_regex("--exclude", options->exclude, error) &&
           check_regex("--mask", options->mask, error) && check_regex("--start-at", options->start_at, error) &&
           check_regex("--stop-at", options->stop_at, error) && check_length("--mask", options->mask, error) &&
           check_length("--start-at", options->start_at, error) && check_length("--stop-at", options->stop_at, error) &&
           check_size(options, error) && check_when_full(options->when_full, error) &&
           (!options->args_memory || check_arguments_memory(options->args_memory, error)) &&
           check_length("--images", options->images, error) && check_length("--only", options->only, error) &&
           check_length("--include", options->include, error) && check_length("--exclude", options->exclude, error) &&
           check_length("the run's absolute path", run, error);
}

/* A program that nothing can be preloaded into would run untraced: better told before than after hours. */
static gboolean check_interpreter(const char *command, const char *path, GError **error)
{
    g_autofree char *missing = dt_executable_missing_interpreter(path);
    if (missing)
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_COMMAND,
                     "cannot run '%s': '%s', which it needs to be run, is not there", command, missing);
    return !missing;
}

static gboolean check_program(const char *command, const char *path, gboolean preloading, GError **error)
{
    DtExecutableKind kind = dt_executable_kind(path);
    if (kind == DT_EXECUTABLE_STATIC && !preloading)
        return TRUE;
    if (kind == DT_EXECUTABLE_STATIC)
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_STATIC,
                     "cannot trace '%s': it is statically linked, and the tracer needs the dynamic loader; link it "
                     "without -static, or use --engine pin",
                     command);
    else if (kind == DT_EXECUTABLE_FOREIGN)
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_STATIC, "cannot trace '%s': not an x86-64 program",
                     command);
    return kind != DT_EXECUTABLE_STATIC && kind != DT_EXECUTABLE_FOREIGN;
}

/* Which directory it is, whatever its name: 0, 0 if there is none. */
static GStatBuf identity_of(const char *run)
{
    GStatBuf found = {0};
    if (g_stat(run, &found) != 0)
        found = (GStatBuf){0};
    return found;
}

static gboolean is_same(const GStatBuf *a, const GStatBuf *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* What starts agents on other nodes, if somebody may want to know of these; else NULL. *folder: theirs, if it is not in
 * the run. */
static char *prepare_agents(const DtCollectOptions *options, const DtSharedRun *run, DtCollectResult *result,
                            char **folder)
{
    g_autoptr(GError) problem = NULL;
    const gboolean are_asked_for =
        options->agents || options->agents_in || options->until_stuck > 0 || options->timeout > 0;
    *folder = NULL;
    if (!result->launcher || !options->runtime || run->joined || !are_asked_for)
        return NULL;
    if (options->agents_in)
        *folder = dt_agents_folder_make_apart(run->path, options->agents_in, &problem);
    else
        dt_agents_folder_make(run->path, &problem);
    if (!problem && options->listen)
        dt_agents_folder_set_listen(run->path, options->listen, &problem);
    g_autofree char *program = problem ? NULL : g_file_read_link("/proc/self/exe", &problem);
    if (!program)
        g_ptr_array_add(result->warnings, g_strdup_printf("no agents on other nodes: %s", problem->message));
    return g_steal_pointer(&program);
}

/* `traced`: the command with the wrapper in it. */
static gboolean run_command(const DtCollectOptions *options, char **traced, DtLauncherKind launcher, DtSharedRun *run,
                            DtCollectResult *result, GError **error)
{
    g_autofree char *folder = NULL, *agent = prepare_agents(options, run, result, &folder);
    g_auto(GStrv) environment = dt_environment_new(options, run->path, result->launcher, agent, folder);
    g_auto(GStrv) command =
        result->launcher ? dt_launcher_command(launcher, (const char *const *)traced, options->runtime, &environment)
                         : g_strdupv(traced);
    GStatBuf made = identity_of(run->path);
    g_auto(DtLaunched) launched = {0};
    const DtLaunchLimits limits = {options->timeout, run->joined ? 0 : options->until_stuck, options->on_stuck,
                                   result->launcher};
    const gboolean is_launched =
        dt_launch(run->path, command, environment, &limits, &launched, result->warnings, error);
    if (folder && is_launched)
        dt_remote_files_gather(run->path);
    if (folder)
        dt_agents_folder_remove_apart(run->path, folder);
    if (!is_launched)
        return FALSE;
    result->timed_out = launched.timed_out;
    result->told_to_end = launched.told_to_end;
    result->stuck = g_steal_pointer(&launched.stuck);
    result->exit_status = launched.exit_status;
    result->signal_number = launched.signal_number;
    result->seconds = launched.seconds;
    GStatBuf now = identity_of(run->path);
    result->lost = !is_same(&made, &now);
    if (result->lost)
        return TRUE;
    dt_untraced_tell(run->path, options, result, &launched);
    dt_run_seal(run->path);
    if (result->launcher)
        dt_run_seal_elsewhere(run->path);
    if (!options->no_seal)
        dt_run_shrink(run->path);
    dt_shared_run_leave(run, options, result, &launched);
    if (result->last)
        dt_lines_store(run->path);
    return TRUE;
}

DtCollectResult *dt_collect(const DtCollectOptions *options, GError **error)
{
    if (!check_options(options, error))
        return NULL;
    g_autofree char *path = dt_executable_find(options->command[0], error);
    if (!path)
        return NULL;
    DtLauncherKind launcher = dt_launcher_of(path);
    gboolean preloading = options->runtime != NULL;
    if (!check_program(options->command[0], path, preloading, error) ||
        !check_interpreter(options->command[0], path, error) || !dt_file_system_check(options->output, error))
        return NULL;
    g_auto(GStrv) traced =
        options->wrapper ? dt_wrapper_command(options->command, options->wrapper, launcher != DT_LAUNCHER_NONE, error)
                         : g_strdupv((char **)options->command);
    if (!traced)
        return NULL;

    g_autoptr(DtCollectResult) result = g_new0(DtCollectResult, 1);
    result->warnings = g_ptr_array_new_with_free_func(g_free);
    result->launcher = launcher != DT_LAUNCHER_NONE;
    result->privileged = dt_executable_privileged(path);
    if (result->launcher)
        dt_launcher_check_programs(options->command, preloading, result->warnings);
    if (result->privileged)
        g_ptr_array_add(result->warnings,
                        dt_text_printf("'%s' is setuid, setgid or has file capabilities: %s", options->command[0],
                                       preloading ? "the loader preloads nothing into it" : "Pin cannot run it"));
    DtLauncherJob *job = result->launcher ? NULL : dt_launcher_job_new();
    g_autoptr(DtSharedRun) run = dt_shared_run_new(options, job, result, error);
    if (!run || !run_command(options, traced, launcher, run, result, error))
        return NULL;
    return g_steal_pointer(&result);
}
