/* Environment: the runtime is found beside the executable and told what to do by variables. */
#include "collect/environment.h"

#include <string.h>

#include "base/own_files.h"
#include "collect/size.h"
#include "text/text.h"

char *dt_collect_find_runtime(GError **error)
{
    g_autofree char *searched = NULL;
    g_autofree char *path = dt_find_own_file(DT_RUNTIME_NAME, &searched, error);
    if (!path) {
        if (searched)
            dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_RUNTIME,
                         "cannot find the tracer: no " DT_RUNTIME_NAME " in %s; build or install it", searched);
        return NULL;
    }
    if (strpbrk(path, ": \t\n;")) {
        dt_set_error(error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_RUNTIME,
                     "cannot preload '%s': the loader takes no blank, colon or semicolon in a path; move difftrace to "
                     "a folder without them",
                     path);
        return NULL;
    }
    return g_steal_pointer(&path);
}

static void set_or_unset(GStrv *environment, const char *name, const char *value)
{
    *environment = value ? g_environ_setenv(*environment, name, value, TRUE) : g_environ_unsetenv(*environment, name);
}

static void set_size(GStrv *environment, const DtCollectOptions *options)
{
    guint64 bytes = 0;
    gboolean bounded = options->max_size && dt_size_parse(options->max_size, &bytes);
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, bytes);
    set_or_unset(environment, "DIFFTRACE_MAX_SIZE", bounded ? text : NULL);
    set_or_unset(environment, "DIFFTRACE_WHEN_FULL", bounded ? options->when_full : NULL);
    gboolean given = options->args_memory && dt_size_parse(options->args_memory, &bytes);
    g_autofree char *memory = g_strdup_printf("%" G_GUINT64_FORMAT, bytes);
    set_or_unset(environment, "DIFFTRACE_ARGS_MEMORY", given ? memory : NULL);
}

static void preload(GStrv *environment, const char *runtime)
{
    const char *before = g_environ_getenv(*environment, "LD_PRELOAD");
    g_autofree char *all = before && before[0] != '\0' ? g_strconcat(runtime, ":", before, NULL) : g_strdup(runtime);
    set_or_unset(environment, "LD_PRELOAD", all);
    /* AddressSanitizer ends programs that find another library before it. */
    const char *options = g_environ_getenv(*environment, "ASAN_OPTIONS");
    g_autofree char *tolerant =
        g_strconcat(options ? options : "", options && options[0] != '\0' ? ":" : "", "verify_asan_link_order=0", NULL);
    set_or_unset(environment, "ASAN_OPTIONS", tolerant);
}

GStrv dt_environment_new(const DtCollectOptions *options, const char *run, gboolean launcher, const char *agent,
                         const char *agents_folder)
{
    GStrv environment = g_get_environ();
    if (options->runtime)
        preload(&environment, options->runtime);
    set_or_unset(&environment, "DIFFTRACE_RUN", run);
    set_or_unset(&environment, "DIFFTRACE_HOST", g_get_host_name());
    set_or_unset(&environment, "DIFFTRACE_NO_ARGV", options->no_argv ? "1" : NULL);
    set_or_unset(&environment, "DIFFTRACE_MASK", options->mask);
    set_or_unset(&environment, "DIFFTRACE_SHARED", options->shared ? "1" : NULL);
    set_or_unset(&environment, "DIFFTRACE_IMAGES", options->images);
    set_or_unset(&environment, "DIFFTRACE_CODEC", options->codec);
    set_or_unset(&environment, "DIFFTRACE_LAUNCHER", launcher ? "1" : NULL);
    if (launcher) /* of the batch script or step that we are in: it is no rank of what is started now */
        set_or_unset(&environment, "SLURM_PROCID", NULL);
    set_or_unset(&environment, "DIFFTRACE_ONLY", options->only);
    set_or_unset(&environment, "DIFFTRACE_INCLUDE", options->include);
    set_or_unset(&environment, "DIFFTRACE_EXCLUDE", options->exclude);
    set_size(&environment, options);
    g_autofree char *signal_number = g_strdup_printf("%d", options->toggle_signal);
    set_or_unset(&environment, "DIFFTRACE_START_DISABLED", options->start_disabled ? "1" : NULL);
    set_or_unset(&environment, "DIFFTRACE_TOGGLE_SIGNAL", options->toggle_signal > 0 ? signal_number : NULL);
    set_or_unset(&environment, "DIFFTRACE_START_AT", options->start_at);
    set_or_unset(&environment, "DIFFTRACE_STOP_AT", options->stop_at);
    set_or_unset(&environment, "DIFFTRACE_TIMES", options->times);
    set_or_unset(&environment, "DIFFTRACE_MPI_ARGS", options->no_arguments ? "off" : NULL);
    set_or_unset(&environment, "DIFFTRACE_PAYLOAD", options->payload ? "1" : NULL);
    set_or_unset(&environment, "DIFFTRACE_AGENT", agent);
    set_or_unset(&environment, "DIFFTRACE_AGENTS_FOLDER", agents_folder);
    if (options->perf_map)
        set_or_unset(&environment, "DIFFTRACE_PERF_MAP", "1");
    return environment;
}

gboolean dt_environment_is_ours(const char *entry)
{
    return g_str_has_prefix(entry, "LD_PRELOAD=") || g_str_has_prefix(entry, "ASAN_OPTIONS=") ||
           g_str_has_prefix(entry, "DIFFTRACE_");
}
