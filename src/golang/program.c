#include "golang/program.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golang/devices.h"
#include "text/text.h"

/* ---- the toolchain ------------------------------------------------------------------------------------------- */

/* What a command prints; NULL with an error that has its first lines of stderr. */
static char *output_of(const char *const *command, const char *what, GError **error)
{
    g_autofree char *out = NULL, *problems = NULL;
    g_autoptr(GError) failure = NULL;
    gint status = 0;
    if (!g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_SEARCH_PATH, dt_go_keep_devices, NULL, &out, &problems,
                      &status, &failure)) {
        dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_TOOLCHAIN, "%s: %s", command[0], failure->message);
        return NULL;
    }
    if (status == 0)
        return g_steal_pointer(&out);
    g_strstrip(problems);
    for (char *line = problems, count = 0; (line = strchr(line, '\n')); line++)
        if (++count == 3)
            *line-- = '\0';
        else
            *line = ';';
    dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_PROGRAM, "%s: %s", what, problems);
    return NULL;
}

static guint minor_of(const char *version)
{
    const char *dot = g_str_has_prefix(version, "go1.") ? version + strlen("go1.") : NULL;
    return dot ? (guint)g_ascii_strtoull(dot, NULL, 10) : 0;
}

DtGoToolchain *dt_go_toolchain_find(GError **error)
{
    g_autoptr(DtGoToolchain) toolchain = g_new0(DtGoToolchain, 1);
    toolchain->program = g_find_program_in_path("go");
    if (!toolchain->program) {
        dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_TOOLCHAIN,
                     "go: not in PATH: install Go (of Debian: apt-get install golang)");
        return NULL;
    }
    const char *const command[] = {toolchain->program, "env", "GOVERSION", "GOROOT", NULL};
    g_autofree char *text = output_of(command, "go env", error);
    if (!text)
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", 3);
    if (g_strv_length(lines) < 2 || minor_of(lines[0]) < 16) {
        dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_TOOLCHAIN,
                     "%s: %s: has no -overlay: 1.16 or later is needed", toolchain->program, lines[0] ? lines[0] : "?");
        return NULL;
    }
    toolchain->version = g_strdup(lines[0]);
    toolchain->root = g_strdup(lines[1]);
    toolchain->minor = minor_of(lines[0]);
    return g_steal_pointer(&toolchain);
}

void dt_go_toolchain_free(DtGoToolchain *toolchain)
{
    if (!toolchain)
        return;
    g_free(toolchain->program);
    g_free(toolchain->root);
    g_free(toolchain->version);
    g_free(toolchain);
}

/* ---- packages -------------------------------------------------------------------------------------------------- */

static void free_package(gpointer data)
{
    DtGoPackage *package = data;
    g_free(package->folder);
    g_free(package->path);
    g_free(package->name);
    g_strfreev(package->files);
    g_strfreev(package->tests);
    g_strfreev(package->outer_tests);
    g_free(package);
}

static GStrv names_of(const char *joined)
{
    return g_strsplit(joined, "|", -1);
}

GPtrArray *dt_go_packages(const DtGoToolchain *toolchain, const char *const *patterns, GError **error)
{
    g_autoptr(GPtrArray) command = g_ptr_array_new();
    g_ptr_array_add(command, toolchain->program);
    g_ptr_array_add(command, (gpointer) "list");
    g_ptr_array_add(command, (gpointer) "-f");
    g_ptr_array_add(command, (gpointer) "{{.Dir}}\t{{.ImportPath}}\t{{.Name}}\t{{join .GoFiles \"|\"}}"
                                        "{{range .CgoFiles}}|{{.}}{{end}}\t"
                                        "{{join .TestGoFiles \"|\"}}\t{{join .XTestGoFiles \"|\"}}");
    for (guint i = 0; patterns[i]; i++)
        g_ptr_array_add(command, (gpointer)patterns[i]);
    g_ptr_array_add(command, NULL);
    g_autofree char *text = output_of((const char *const *)command->pdata, "go list", error);
    if (!text)
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GPtrArray *packages = g_ptr_array_new_with_free_func(free_package);
    for (guint i = 0; lines[i]; i++) {
        enum { FIELDS = 6 };
        g_auto(GStrv) fields = g_strsplit(lines[i], "\t", FIELDS);
        if (g_strv_length(fields) != FIELDS)
            continue;
        DtGoPackage *package = g_new0(DtGoPackage, 1);
        package->folder = g_strdup(fields[0]);
        package->path = g_strdup(fields[1]);
        package->name = g_strdup(fields[2]);
        package->files = names_of(fields[3]);
        package->tests = names_of(fields[4]);
        package->outer_tests = names_of(fields[5]);
        g_ptr_array_add(packages, package);
    }
    return packages;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static gboolean has_any(GStrv names)
{
    return names[0] && *names[0];
}

static gboolean lay_test(DtGoLayer *layer, const DtGoPackage *package, GError **error)
{
    gboolean outer = !has_any(package->tests);
    g_autofree char *name = outer ? g_strconcat(package->name, "_test", NULL) : g_strdup(package->name);
    return dt_go_layer_test(layer, package->folder, name,
                            (const char *const *)(outer ? package->outer_tests : package->tests), error);
}

static gboolean lay(DtGoLayer *layer, const DtGoToolchain *toolchain, const DtGoBuild *build, gboolean *has_library,
                    GError **error)
{
    g_autoptr(GError) problem = NULL;
    *has_library = !build->plain && dt_go_layer_library(layer, toolchain->root, &problem);
    if (problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    if (!dt_go_layer_exit(layer, toolchain->root, error))
        return FALSE;
    return build->is_test
               ? lay_test(layer, build->package, error)
               : dt_go_layer_main(layer, build->package->folder, (const char *const *)build->package->files, error);
}

gboolean dt_go_build(const DtGoToolchain *toolchain, const DtGoBuild *build, gboolean *has_library, GError **error)
{
    g_autoptr(DtGoLayer) layer = dt_go_layer_new(build->folder);
    g_mkdir_with_parents(build->folder, 0777);
    const char *overlay = lay(layer, toolchain, build, has_library, error) ? dt_go_layer_end(layer, error) : NULL;
    if (!overlay)
        return FALSE;
    g_autoptr(GPtrArray) command = g_ptr_array_new();
    g_ptr_array_add(command, toolchain->program);
    g_ptr_array_add(command, (gpointer)(build->is_test ? "test" : "build"));
    if (build->is_test) {
        g_ptr_array_add(command, (gpointer) "-c");
        /* Vet knows nothing of files that are laid over others. */
        g_ptr_array_add(command, (gpointer) "-vet=off");
    }
    g_ptr_array_add(command, (gpointer) "-overlay");
    g_ptr_array_add(command, (gpointer)overlay);
    g_ptr_array_add(command, (gpointer) "-o");
    g_ptr_array_add(command, (gpointer)build->output);
    for (guint i = 0; build->flags[i]; i++)
        g_ptr_array_add(command, (gpointer)build->flags[i]);
    for (guint i = 0; build->inputs[i]; i++)
        g_ptr_array_add(command, (gpointer)build->inputs[i]);
    g_ptr_array_add(command, NULL);
    g_autofree char *text = output_of((const char *const *)command->pdata, build->package->path, error);
    return text != NULL;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static GStrv environment_of(const DtGoRun *run)
{
    g_autofree char *limit = g_strdup_printf("%u", run->limit), *yields = g_strdup_printf("%u", run->yields);
    g_autofree char *late = g_strdup_printf("%u", run->late);
    GStrv environment = g_get_environ();
    environment = g_environ_setenv(environment, "DIFFTRACE_GO_TRACE", run->trace, TRUE);
    environment = g_environ_setenv(environment, "DIFFTRACE_GO_TIMEOUT", limit, TRUE);
    environment = g_environ_setenv(environment, "DIFFTRACE_GO_LATE", late, TRUE);
    return g_environ_setenv(environment, "DIFFTRACE_GO_YIELD", yields, TRUE);
}

/* What ends it after it should have ended itself. */
static gint wait_for(GPid pid, guint limit)
{
    enum { LOOK = 10000, MARGIN = 15000, OF_SIGNAL = 128 };
    const gint64 until = g_get_monotonic_time() + ((gint64)limit + MARGIN) * 1000;
    gint status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (g_get_monotonic_time() > until)
            kill(pid, SIGKILL);
        g_usleep(LOOK);
    }
    g_spawn_close_pid(pid);
    return WIFSIGNALED(status) ? OF_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

gint dt_go_run(const DtGoRun *run, GError **error)
{
    g_autoptr(GPtrArray) command = g_ptr_array_new();
    g_auto(GStrv) environment = environment_of(run);
    g_autoptr(GError) problem = NULL;
    GPid pid;
    gint log = open(run->log, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    g_ptr_array_add(command, (gpointer)run->program);
    for (guint i = 0; run->arguments[i]; i++)
        g_ptr_array_add(command, (gpointer)run->arguments[i]);
    g_ptr_array_add(command, NULL);
    if (log < 0) {
        dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_IO, "%s: %s", run->log, g_strerror(errno));
        return -1;
    }
    gboolean started = g_spawn_async_with_fds(run->folder, (char **)command->pdata, environment,
                                              G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, -1, log, log, &problem);
    close(log);
    if (started)
        return wait_for(pid, run->limit);
    dt_set_error(error, DT_GOLANG_ERROR, DT_GOLANG_ERROR_PROGRAM, "%s", problem->message);
    return -1;
}
