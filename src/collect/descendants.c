/* Descendants: a launcher puts its ranks into sessions of their own, so neither process groups nor sessions reach them
 * all; the tree of parents does, as orphans come to us (PR_SET_CHILD_SUBREAPER). */
#include "collect/descendants.h"

#include <signal.h>
#include <unistd.h>

#include "base/running.h"

static gboolean is_alive(const DtRunning *process)
{
    return process->state != 'Z' && process->state != 'X';
}

GArray *dt_descendants(pid_t spared)
{
    g_autoptr(GArray) tree = dt_running_descendants(getpid());
    GArray *alive = g_array_new(FALSE, FALSE, sizeof(pid_t));
    for (guint i = 0; i < tree->len; i++) {
        const DtRunning *process = &g_array_index(tree, DtRunning, i);
        if (is_alive(process) && process->pid != spared)
            g_array_append_val(alive, process->pid);
    }
    return alive;
}

guint dt_descendants_signal(pid_t spared, int signal_number)
{
    g_autoptr(GArray) alive = dt_descendants(spared);
    for (guint i = 0; i < alive->len; i++)
        (void)kill(g_array_index(alive, pid_t, i), signal_number);
    return alive->len;
}

/* ---- the end --------------------------------------------------------------------------------------- */

/* Those that started other ones, or did not (element-type pid_t). */
static GArray *find_parents(const GArray *tree, gboolean are_parents, pid_t spared)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(pid_t));
    for (guint i = 0; i < tree->len; i++) {
        const DtRunning *process = &g_array_index(tree, DtRunning, i);
        gboolean is_parent = FALSE;
        for (guint k = 0; k < tree->len; k++)
            is_parent = is_parent || g_array_index(tree, DtRunning, k).parent == process->pid;
        if (is_alive(process) && is_parent == are_parents && process->pid != spared)
            g_array_append_val(found, process->pid);
    }
    return found;
}

static void signal_each(const GArray *pids, int signal_number)
{
    for (guint i = 0; i < pids->len; i++)
        (void)kill(g_array_index(pids, pid_t, i), signal_number);
}

static gboolean any_alive(const GArray *pids)
{
    for (guint i = 0; i < pids->len; i++) {
        DtRunning process;
        if (dt_running_find(g_array_index(pids, pid_t, i), &process) && is_alive(&process))
            return TRUE;
    }
    return FALSE;
}

void dt_descendants_terminate(pid_t spared)
{
    enum { WAIT_MS = 5, MOST_WAITS = 100 };
    g_autoptr(GArray) tree = dt_running_descendants(getpid());
    g_autoptr(GArray) parents = find_parents(tree, TRUE, spared);
    g_autoptr(GArray) others = find_parents(tree, FALSE, spared);
    signal_each(parents, SIGSTOP);
    signal_each(others, SIGTERM);
    signal_each(others, SIGCONT); /* a stopped process sees it only then */
    for (guint wait = 0; parents->len > 0 && wait < MOST_WAITS && any_alive(others); wait++)
        g_usleep(WAIT_MS * 1000);
    dt_descendants_signal(spared, SIGTERM);
    dt_descendants_signal(spared, SIGCONT);
}
