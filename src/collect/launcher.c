/* Launchers: recognised by name; their command lines and environment are prepared so that the ranks get the runtime. */
#include "collect/launcher.h"

#include <stdlib.h>
#include <string.h>

#include "collect/environment.h"
#include "collect/executable.h"
#include "text/text.h"

#define ENV_LIST     "OMPI_MCA_mca_base_env_list"
#define LAUNCH_AGENT "orte_launch_agent"

static const char *const open_mpi_names[] = {"orterun",         "prterun", "prun",          "mpirun.openmpi",
                                             "mpiexec.openmpi", "oshrun",  "oshrun.openmpi"};
static const char *const shared_names[] = {"mpirun", "mpiexec"};
static const char *const other_names[] = {
    "mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "mpirun.hydra", "mpirun_rsh", "mpiexec.gforker",
    "mpiexec_mpt",  "mpirun_mpt",    "srun",          "aprun",        "jsrun",      "lrun",
    "ibrun",        "poe",           "ccc_mprun",     "palsrun",
};

static gboolean is_among(const char *name, const char *const *names, guint count)
{
    for (guint i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return TRUE;
    return FALSE;
}

static DtLauncherKind launcher_by_name(const char *path)
{
    g_autofree char *name = g_path_get_basename(path);
    if (is_among(name, open_mpi_names, G_N_ELEMENTS(open_mpi_names)))
        return DT_LAUNCHER_OPEN_MPI;
    if (is_among(name, shared_names, G_N_ELEMENTS(shared_names)))
        return DT_LAUNCHER_MAYBE_OPEN_MPI;
    return is_among(name, other_names, G_N_ELEMENTS(other_names)) ? DT_LAUNCHER_OTHER : DT_LAUNCHER_NONE;
}

DtLauncherKind dt_launcher_of(const char *path)
{
    DtLauncherKind launcher = launcher_by_name(path);
    g_autofree char *real = realpath(path, NULL);
    DtLauncherKind behind = real ? launcher_by_name(real) : DT_LAUNCHER_NONE;
    return behind != DT_LAUNCHER_NONE ? behind : launcher;
}

/* mpirun -x LD_PRELOAD=..., env LD_PRELOAD=..., mpiexec -genv LD_PRELOAD ... */
static char *argument_with_runtime(const char *argument, const char *before, const char *before_that,
                                   const char *runtime)
{
    if (!runtime)
        return g_strdup(argument);
    if (g_str_has_prefix(argument, "LD_PRELOAD="))
        return g_strdup_printf("LD_PRELOAD=%s:%s", runtime, argument + strlen("LD_PRELOAD="));
    if (before && before_that && strcmp(before, "LD_PRELOAD") == 0 &&
        (strcmp(before_that, "-genv") == 0 || strcmp(before_that, "-env") == 0))
        return g_strdup_printf("%s:%s", runtime, argument);
    return g_strdup(argument);
}

static char *our_variables(GStrv environment, const char *separator)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; environment[i]; i++)
        if (dt_environment_is_ours(environment[i]))
            g_ptr_array_add(names, g_strndup(environment[i], strcspn(environment[i], "=")));
    g_ptr_array_add(names, NULL);
    return g_strjoinv(separator, (char **)names->pdata);
}

static gboolean is_export_option(const char *argument)
{
    return strcmp(argument, "-x") == 0 || strcmp(argument, "--x") == 0;
}

/* Before any argument, so that it does not matter which of the later ones are the program's. */
static void name_by_arguments(GPtrArray *arguments, GStrv environment)
{
    g_autofree char *list = our_variables(environment, ";");
    g_auto(GStrv) names = g_strsplit(list, ";", -1);
    for (guint i = 0; names[i]; i++) {
        g_ptr_array_insert(arguments, 1, g_strdup(names[i]));
        g_ptr_array_insert(arguments, 1, g_strdup("-x"));
    }
}

static void name_by_list(GPtrArray *arguments, gint list_at, GStrv *environment)
{
    g_autofree char *ours = our_variables(*environment, ";");
    if (list_at >= 0) {
        char *value = g_ptr_array_index(arguments, (guint)list_at);
        g_ptr_array_index(arguments, (guint)list_at) = g_strconcat(value, ";", ours, NULL);
        g_free(value);
        return;
    }
    const char *before = g_environ_getenv(*environment, ENV_LIST);
    g_autofree char *list = before && before[0] != '\0' ? g_strconcat(before, ";", ours, NULL) : g_strdup(ours);
    *environment = g_environ_setenv(*environment, ENV_LIST, list, TRUE);
}

/* A remote shell takes the words apart. */
static gboolean is_plain(const char *text)
{
    return text[strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_@%+=:,./-")] == '\0';
}

/* Daemons on other nodes get the runtime as well: they see how their ranks end. Slurm gives them our environment. */
static void preload_daemons(const char *const *command, GStrv *environment)
{
    static const char *const names[] = {"LD_PRELOAD", "DIFFTRACE_RUN", "DIFFTRACE_SHARED", "DIFFTRACE_LAUNCHER",
                                        "DIFFTRACE_HOST"};
    g_autoptr(GString) agent = g_string_new("env");
    if (g_environ_getenv(*environment, "SLURM_JOB_ID"))
        return;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *value = g_environ_getenv(*environment, names[i]);
        if (value)
            g_string_append_printf(agent, " %s=%s", names[i], value);
        if (value && !is_plain(value))
            return;
    }
    g_string_append(agent, " orted");
    if (!g_strv_contains(command, LAUNCH_AGENT) && !g_strv_contains(command, "--launch-agent"))
        *environment = g_environ_setenv(*environment, "OMPI_MCA_" LAUNCH_AGENT, agent->str, FALSE);
}

char **dt_launcher_command(DtLauncherKind launcher, const char *const *command, const char *runtime, GStrv *environment)
{
    g_autoptr(GPtrArray) arguments = g_ptr_array_new();
    gboolean exports = FALSE;
    gint list_at = -1;
    for (guint i = 0; command[i]; i++) {
        const char *before = i >= 1 ? command[i - 1] : NULL;
        const char *before_that = i >= 2 ? command[i - 2] : NULL;
        exports = exports || is_export_option(command[i]);
        if (before && strcmp(before, "mca_base_env_list") == 0)
            list_at = (gint)i;
        g_ptr_array_add(arguments, argument_with_runtime(command[i], before, before_that, runtime));
    }
    if (launcher == DT_LAUNCHER_OPEN_MPI && exports)
        name_by_arguments(arguments, *environment);
    else if (!exports && launcher != DT_LAUNCHER_OTHER)
        name_by_list(arguments, list_at, environment);
    if (launcher != DT_LAUNCHER_OTHER && runtime)
        preload_daemons(command, environment);
    g_ptr_array_add(arguments, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&arguments), FALSE);
}

void dt_launcher_check_programs(const char *const *command, gboolean preloading, GPtrArray *warnings)
{
    for (guint i = 1; command[i]; i++) {
        g_autofree char *path = command[i][0] != '-' ? dt_executable_find(command[i], NULL) : NULL;
        if (!path)
            continue;
        DtExecutableKind kind = dt_executable_kind(path);
        if ((kind == DT_EXECUTABLE_STATIC && preloading) || kind == DT_EXECUTABLE_FOREIGN)
            g_ptr_array_add(
                warnings, dt_text_printf("'%s' is %s: its processes are not traced", command[i],
                                         kind == DT_EXECUTABLE_STATIC ? "statically linked" : "not an x86-64 program"));
        else if (dt_executable_privileged(path))
            g_ptr_array_add(warnings, dt_text_printf("'%s' is setuid, setgid or has file capabilities: its processes "
                                                     "are not traced",
                                                     command[i]));
    }
}
