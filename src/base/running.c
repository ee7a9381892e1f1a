#include "base/running.h"

#include <string.h>

/* Field `number` of /proc/PID/stat, from 3 on: the command's name before them may hold blanks and parentheses, and the
 * last one closes it. */
static const char *stat_field(const char *text, guint number)
{
    const char *at = strrchr(text, ')');
    for (guint field = 2; at && field < number; field++)
        at = strchr(at + 1, ' ');
    return at ? at + 1 : NULL;
}

gboolean dt_running_find(pid_t pid, DtRunning *process)
{
    enum { STATE = 3, PARENT = 4, START = 22 };
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid), *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return FALSE;
    const char *state = stat_field(text, STATE), *parent = stat_field(text, PARENT), *start = stat_field(text, START);
    if (!state || !parent || !start)
        return FALSE;
    *process = (DtRunning){.pid = pid,
                           .parent = (pid_t)g_ascii_strtoll(parent, NULL, 10),
                           .state = *state,
                           .start = g_ascii_strtoull(start, NULL, 10)};
    return TRUE;
}

static GArray *all_processes(void)
{
    GArray *processes = g_array_new(FALSE, FALSE, sizeof(DtRunning));
    g_autoptr(GDir) proc = g_dir_open("/proc", 0, NULL);
    for (const char *name; proc && (name = g_dir_read_name(proc));) {
        DtRunning process;
        if (g_ascii_isdigit(name[0]) && dt_running_find((pid_t)g_ascii_strtoll(name, NULL, 10), &process))
            g_array_append_val(processes, process);
    }
    return processes;
}

GArray *dt_running_descendants(pid_t ancestor)
{
    g_autoptr(GArray) all = all_processes();
    GArray *tree = g_array_new(FALSE, FALSE, sizeof(DtRunning));
    DtRunning first = {.pid = ancestor};
    g_array_append_val(tree, first);
    for (guint at = 0; at < tree->len; at++) {
        pid_t parent = g_array_index(tree, DtRunning, at).pid;
        for (guint i = 0; i < all->len; i++) {
            DtRunning process = g_array_index(all, DtRunning, i);
            if (process.parent == parent)
                g_array_append_val(tree, process);
        }
    }
    return g_array_remove_index(tree, 0);
}

char *dt_running_environment(pid_t pid, gsize *bytes)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/environ", (int)pid);
    char *text = NULL;
    return g_file_get_contents(path, &text, bytes, NULL) ? text : NULL;
}

const char *dt_environment_find(const char *environment, gsize bytes, const char *variable)
{
    gsize length = strlen(variable);
    for (gsize at = 0; at < bytes; at += strlen(environment + at) + 1)
        if (strncmp(environment + at, variable, length) == 0 && environment[at + length] == '=')
            return environment + at + length + 1;
    return NULL;
}
