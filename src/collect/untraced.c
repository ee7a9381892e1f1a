/* Processes that were not recorded, as far as the collector knows: they are its descendants. Traced programs tell of
 * their own children; what is told here is of those that nobody else sees. */
#include "collect/untraced.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/launchers.h"
#include "base/rights.h"
#include "base/running.h"
#include "collect/descendants.h"
#include "collect/environment.h"
#include "collect/executable.h"
#include "format/unrecorded.h"
#include "store/unrecorded.h"

static void free_untraced(gpointer data)
{
    DtUntraced *process = data;
    g_free(process->executable);
    g_free(process);
}

/* ---- what is still there ------------------------------------------------------------------- */

static gboolean has_rank(const char *environment, gsize bytes)
{
    guint count;
    const DtLauncher *launchers = dt_launchers(&count);
    for (guint i = 0; i < count; i++)
        if (dt_launcher_rank(&launchers[i], environment, bytes))
            return TRUE;
    return FALSE;
}

static guint32 reason_of(const char *executable, const char *environment, gsize bytes)
{
    DtExecutableKind kind = dt_executable_kind(executable);
    const char *preload = dt_environment_find(environment, bytes, "LD_PRELOAD");
    if (kind == DT_EXECUTABLE_STATIC)
        return DT_UNRECORDED_STATIC;
    if (kind == DT_EXECUTABLE_FOREIGN)
        return DT_UNRECORDED_ARCHITECTURE;
    if (!dt_environment_find(environment, bytes, "DIFFTRACE_RUN"))
        return DT_UNRECORDED_ENVIRONMENT;
    return preload && strstr(preload, DT_RUNTIME_NAME) ? DT_UNRECORDED_UNKNOWN : DT_UNRECORDED_PRELOAD;
}

/* Nothing for those that may be recorded, even if they have only just begun. */
static DtUntraced *look_at(pid_t pid)
{
    g_autofree char *folder = g_strdup_printf("/proc/%d", (int)pid);
    g_autofree char *link = g_build_filename(folder, "exe", NULL);
    g_autofree char *file = g_build_filename(folder, "environ", NULL);
    g_autofree char *executable = g_file_read_link(link, NULL);
    g_autofree char *environment = NULL;
    gsize bytes;
    if (!executable || !g_file_get_contents(file, &environment, &bytes, NULL))
        return NULL;
    guint32 reason = reason_of(link, environment, bytes);
    if (reason == DT_UNRECORDED_UNKNOWN)
        return NULL;
    DtUntraced *process = g_new(DtUntraced, 1);
    *process = (DtUntraced){pid, reason, has_rank(environment, bytes), g_steal_pointer(&executable)};
    return process;
}

GPtrArray *dt_untraced_descendants(void)
{
    g_autoptr(GArray) alive = dt_descendants(0);
    GPtrArray *found = g_ptr_array_new_with_free_func(free_untraced);
    for (guint i = 0; i < alive->len; i++) {
        DtUntraced *process = look_at(g_array_index(alive, pid_t, i));
        if (process)
            g_ptr_array_add(found, process);
    }
    return found;
}

/* ---- which have files, or are told of ------------------------------------------------------------------------- */

/* The runtime calls them HOST.PID.TIME.trace. */
static void add_process(GHashTable *recorded, const char *name)
{
    g_autofree char *start = g_strdup(name);
    for (guint i = 0; i < 2; i++) {
        char *dot = strrchr(start, '.');
        if (!dot)
            return;
        *dot = '\0';
    }
    const char *pid = strrchr(start, '.');
    if (pid)
        g_hash_table_add(recorded, GINT_TO_POINTER((gint)g_ascii_strtoll(pid + 1, NULL, 10)));
}

/* Some tell themselves why they are not. */
static void add_told(GHashTable *recorded, const char *folder)
{
    g_autoptr(GPtrArray) told = dt_unrecorded_list_new();
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    dt_unrecorded_read_log(folder, told, problems);
    for (guint i = 0; i < told->len; i++) {
        const DtUnrecorded *process = told->pdata[i];
        if (strcmp(process->host, g_get_host_name()) == 0)
            g_hash_table_add(recorded, GUINT_TO_POINTER(process->pid));
    }
}

static void add_processes(GHashTable *recorded, const char *folder)
{
    add_told(recorded, folder);
    g_autofree char *path = g_build_filename(folder, "processes", NULL);
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    for (const char *name; directory && (name = g_dir_read_name(directory));)
        add_process(recorded, name);
}

static GHashTable *find_recorded(const char *run)
{
    GHashTable *recorded = g_hash_table_new(NULL, NULL);
    g_autofree char *users = g_build_filename(run, "users", NULL);
    g_autoptr(GDir) directory = g_dir_open(users, 0, NULL);
    add_processes(recorded, run);
    for (const char *name; directory && (name = g_dir_read_name(directory));) {
        g_autofree char *folder = g_build_filename(users, name, NULL);
        add_processes(recorded, folder);
    }
    return recorded;
}

/* ---- telling ------------------------------------------------------------------------------------ */

typedef struct {
    GHashTable *recorded;
    GString *lines;
} Telling;

static void tell(Telling *telling, gint pid, guint32 reason, const char *executable)
{
    if (!g_hash_table_add(telling->recorded, GINT_TO_POINTER(pid)))
        return;
    g_autofree char *name = g_strdup(executable ? executable : "");
    for (char *at = name; *at != '\0'; at++)
        if (g_ascii_iscntrl(*at))
            *at = '?';
    g_string_append_printf(telling->lines, "%s\t%d\t%s\t%" G_GINT64_FORMAT "\t%s\n", g_get_host_name(), pid,
                           dt_unrecorded_reason_name(reason), g_get_monotonic_time() * 1000, name);
}

static void tell_running(Telling *telling, const GPtrArray *running, gboolean launcher)
{
    for (guint i = 0; i < running->len; i++) {
        const DtUntraced *process = running->pdata[i];
        if (process->ranked || !launcher)
            tell(telling, process->pid, process->reason, process->executable);
    }
}

/* The command, and orphans. */
static void tell_ended(Telling *telling, const DtCollectOptions *options, const DtCollectResult *result,
                       const DtLaunched *launched)
{
    for (guint i = 0; i < launched->ended->len; i++) {
        const DtEndedChild *child = &g_array_index(launched->ended, DtEndedChild, i);
        gboolean command = child->pid == launched->pid;
        tell(telling, child->pid, command && result->privileged ? DT_UNRECORDED_PRIVILEGED : DT_UNRECORDED_UNKNOWN,
             command ? options->command[0] : child->name);
    }
}

static void append(const char *run, const GString *lines)
{
    g_autofree char *path = g_build_filename(run, "unrecorded.log", NULL);
    int file =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, dt_mode_beside(path, 0644));
    if (file < 0)
        return;
    /* What finds no room on the disk is not worth a failure. */
    gssize written = write(file, lines->str, lines->len);
    (void)written;
    close(file);
}

void dt_untraced_tell(const char *run, const DtCollectOptions *options, const DtCollectResult *result,
                      const DtLaunched *launched)
{
    if (!options->runtime || options->only)
        return;
    g_autoptr(GHashTable) recorded = find_recorded(run);
    g_autoptr(GPtrArray) outliving = dt_untraced_descendants();
    Telling telling = {recorded, g_string_new(NULL)};
    tell_running(&telling, launched->untraced, result->launcher);
    tell_running(&telling, outliving, result->launcher);
    if (!result->launcher)
        tell_ended(&telling, options, result, launched);
    if (telling.lines->len > 0)
        append(run, telling.lines);
    g_string_free(telling.lines, TRUE);
}
