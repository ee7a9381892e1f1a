/* Where in a launcher's command line the programs are. Launchers know their options; we know which of them take values,
 * and that a program can be found and run. */
#include "collect/wrapper.h"

#include <string.h>

#include "collect/collect.h"
#include "collect/executable.h"
#include "text/text.h"

/* Without leading dashes, of Open MPI, MPICH, Slurm and their relatives. Others that take a value are recognised by the
 * value's not being a program. */
static const char *const with_value[] = {
    "n",
    "np",
    "c",
    "N",
    "H",
    "host",
    "hosts",
    "hostfile",
    "machinefile",
    "f",
    "rf",
    "rankfile",
    "map-by",
    "bind-to",
    "rank-by",
    "x",
    "wdir",
    "wd",
    "path",
    "npernode",
    "npersocket",
    "ppn",
    "perhost",
    "am",
    "tune",
    "output-filename",
    "xterm",
    "prefix",
    "timeout",
    "stdin",
    "cpus-per-proc",
    "cpus-per-rank",
    "cpu-set",
    "cpu-list",
    "personality",
    "report-uri",
    "report-pid",
    "debugger",
    "preload-files",
    "iface",
    "launcher",
    "launcher-exec",
    "bootstrap",
    "bootstrap-exec",
    "membind",
    "rmk",
    "outfile-pattern",
    "errfile-pattern",
    "genvlist",
    "envlist",
    "demux",
    "topolib",
    "prepend-pattern",
    "arch",
    "soft",
    "file",
    "ntasks",
    "nodes",
    "partition",
    "p",
    "account",
    "A",
    "time",
    "t",
    "cpus-per-task",
    "ntasks-per-node",
    "mpi",
    "output",
    "o",
    "error",
    "e",
    "input",
    "i",
    "job-name",
    "J",
    "nodelist",
    "w",
    "exclude",
    "constraint",
    "C",
    "distribution",
    "m",
    "gres",
    "gpus",
    "G",
    "gpus-per-node",
    "gpus-per-task",
    "mem",
    "mem-per-cpu",
    "qos",
    "q",
    "reservation",
    "chdir",
    "D",
    "cpu-bind",
    "mem-bind",
    "jobid",
    "export",
    "S",
    "d",
};
static const char *const with_two_values[] = {"mca", "gmca", "pmca", "prtemca", "env", "genv"};

static gboolean is_among(const char *name, const char *const *names, guint count)
{
    for (guint i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return TRUE;
    return FALSE;
}

static guint values_of(const char *option)
{
    const char *name = option + strspn(option, "-");
    if (is_among(name, with_two_values, G_N_ELEMENTS(with_two_values)))
        return 2;
    return is_among(name, with_value, G_N_ELEMENTS(with_value)) ? 1 : 0;
}

static gboolean is_program(const char *argument)
{
    g_autofree char *path = dt_executable_find(argument, NULL);
    return path != NULL;
}

/* The index of the program in the launcher's arguments from `at` on, or of the NULL or `:` that ends them. */
static guint find_program(const char *const *command, guint at)
{
    while (command[at] && strcmp(command[at], ":") != 0) {
        guint values = 0;
        if (command[at][0] == '-')
            values = values_of(command[at]);
        else if (is_program(command[at]))
            return at;
        at++;
        while (values-- > 0 && command[at])
            at++;
    }
    return at;
}

/* The wrapper and the program, by its interpreter if it is a script. */
static void add_wrapped(GPtrArray *arguments, const char *program, const char *const *wrapper)
{
    for (guint i = 0; wrapper[i]; i++)
        g_ptr_array_add(arguments, g_strdup(wrapper[i]));
    g_autofree char *path = dt_executable_find(program, NULL);
    g_auto(GStrv) interpreter = path ? dt_executable_interpreter(path) : NULL;
    for (guint i = 0; interpreter && interpreter[i]; i++)
        g_ptr_array_add(arguments, g_strdup(interpreter[i]));
    g_ptr_array_add(arguments, interpreter ? g_steal_pointer(&path) : g_strdup(program));
}

static void copy(GPtrArray *arguments, const char *const *command, guint from, guint to)
{
    for (guint i = from; i < to; i++)
        g_ptr_array_add(arguments, g_strdup(command[i]));
}

char **dt_wrapper_command(const char *const *command, const char *const *wrapper, gboolean launcher, GError **error)
{
    g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(g_free);
    guint at = 0, found = 0;
    do {
        guint program = launcher ? find_program(command, at + 1) : at;
        copy(arguments, command, at, program);
        at = program;
        if (command[at] && strcmp(command[at], ":") != 0) {
            add_wrapped(arguments, command[at++], wrapper);
            found++;
        }
        while (command[at] && !(launcher && strcmp(command[at], ":") == 0))
            g_ptr_array_add(arguments, g_strdup(command[at++]));
    } while (command[at]);
    if (found == 0) {
        dt_set_error(
            error, DT_COLLECT_ERROR, DT_COLLECT_ERROR_COMMAND,
            "cannot tell which argument of '%s' is the program that %s should run; name it on the command line",
            command[0], wrapper[0]);
        return NULL;
    }
    g_ptr_array_add(arguments, NULL);
    return (char **)g_ptr_array_steal(arguments, NULL);
}
