/* Descendants: a launcher puts its ranks into sessions of their own, so neither process groups nor sessions reach them
 * all; the tree of parents does, as orphans come to us (PR_SET_CHILD_SUBREAPER). */
#include "collect/descendants.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

typedef struct {
    pid_t pid, parent;
    char state;
} ProcessEntry;

/* The command's name in /proc/PID/stat may hold blanks and parentheses: the last one closes it. */
static gboolean read_process(const char *name, ProcessEntry *entry)
{
    g_autofree char *path = g_build_filename("/proc", name, "stat", NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return FALSE;
    const char *after = strrchr(text, ')');
    if (after == NULL || strlen(after) < 5)
        return FALSE;
    entry->pid = (pid_t)g_ascii_strtoll(name, NULL, 10);
    entry->state = after[2];
    entry->parent = (pid_t)g_ascii_strtoll(after + 4, NULL, 10);
    return TRUE;
}

static GArray *read_processes(void)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(ProcessEntry));
    g_autoptr(GDir) proc = g_dir_open("/proc", 0, NULL);
    for (const char *name; proc != NULL && (name = g_dir_read_name(proc)) != NULL;) {
        ProcessEntry entry;
        if (g_ascii_isdigit(name[0]) && read_process(name, &entry))
            g_array_append_val(entries, entry);
    }
    return entries;
}

/* Ourselves, then all below; zombies stay in, for their children's sake. Breadth first. */
static GArray *read_tree(void)
{
    g_autoptr(GArray) entries = read_processes();
    GArray *tree = g_array_new(FALSE, FALSE, sizeof(ProcessEntry));
    ProcessEntry self = {.pid = getpid()};
    g_array_append_val(tree, self);
    for (guint at = 0; at < tree->len; at++) {
        pid_t parent = g_array_index(tree, ProcessEntry, at).pid;
        for (guint i = 0; i < entries->len; i++) {
            ProcessEntry entry = g_array_index(entries, ProcessEntry, i);
            if (entry.parent == parent)
                g_array_append_val(tree, entry);
        }
    }
    return tree;
}

static gboolean is_alive(const ProcessEntry *entry)
{
    return entry->state != 'Z' && entry->state != 'X';
}

GArray *dt_descendants(void)
{
    g_autoptr(GArray) tree = read_tree();
    GArray *alive = g_array_new(FALSE, FALSE, sizeof(pid_t));
    for (guint i = 1; i < tree->len; i++) {
        const ProcessEntry *entry = &g_array_index(tree, ProcessEntry, i);
        if (is_alive(entry))
            g_array_append_val(alive, entry->pid);
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

/* ---- the end --------------------------------------------------------------------------------------- */

/* Those that started other ones, or did not (element-type pid_t). */
static GArray *find_parents(const GArray *tree, gboolean are_parents)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(pid_t));
    for (guint i = 1; i < tree->len; i++) {
        const ProcessEntry *entry = &g_array_index(tree, ProcessEntry, i);
        gboolean is_parent = FALSE;
        for (guint k = i + 1; k < tree->len; k++)
            is_parent = is_parent || g_array_index(tree, ProcessEntry, k).parent == entry->pid;
        if (is_alive(entry) && is_parent == are_parents)
            g_array_append_val(found, entry->pid);
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
        ProcessEntry entry;
        g_autofree char *name = g_strdup_printf("%d", (int)g_array_index(pids, pid_t, i));
        if (read_process(name, &entry) && is_alive(&entry))
            return TRUE;
    }
    return FALSE;
}

void dt_descendants_terminate(void)
{
    enum { WAIT_MS = 5, MOST_WAITS = 100 };
    g_autoptr(GArray) tree = read_tree();
    g_autoptr(GArray) parents = find_parents(tree, TRUE);
    g_autoptr(GArray) others = find_parents(tree, FALSE);
    signal_each(parents, SIGSTOP);
    signal_each(others, SIGTERM);
    signal_each(others, SIGCONT); /* a stopped process sees it only then */
    for (guint wait = 0; parents->len > 0 && wait < MOST_WAITS && any_alive(others); wait++)
        g_usleep(WAIT_MS * 1000);
    dt_descendants_signal(SIGTERM);
    dt_descendants_signal(SIGCONT);
}
