/* Descendants: a launcher puts its ranks into sessions of their own, so neither process groups nor sessions reach them
 * all; the tree of parents does, as orphans come to us (PR_SET_CHILD_SUBREAPER). */
#include "collect/descendants.h"

#include <signal.h>
#include <unistd.h>

#include "base/running.h"

GArray *dt_descendants(void)
{
    g_autoptr(GArray) tree = dt_running_descendants(getpid());
    GArray *alive = g_array_new(FALSE, FALSE, sizeof(pid_t));
    for (guint i = 0; i < tree->len; i++) {
        const DtRunning *process = &g_array_index(tree, DtRunning, i);
        if (process->state != 'Z' && process->state != 'X')
            g_array_append_val(alive, process->pid);
    }
    return alive;
}

guint dt_descendants_signal(int signal_number)
{
    g_autoptr(GArray) alive = dt_descendants();
    for (guint i = 0; i < alive->len; i++)
        (void)kill(g_array_index(alive, pid_t, i), signal_number);
    return alive->len;
}
