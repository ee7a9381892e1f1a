/* Processes that were not recorded, as text: a line for each reason; and ranks of which nobody told. */
#include <string.h>

#include "format/unrecorded.h"
#include "store/run_private.h"
#include "store/store.h"

enum { MOST_NAMES = 5, MOST_HOSTS = 3 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* " (a, b, ...)": the names of those with that reason, each once. */
static void append_names(GString *line, const GPtrArray *unrecorded, const char *reason)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < unrecorded->len; i++) {
        const DtUnrecorded *process = unrecorded->pdata[i];
        if (strcmp(process->reason, reason) != 0 || !process->executable)
            continue;
        const char *name = base_name(process->executable);
        if (g_hash_table_size(seen) > MOST_NAMES || !g_hash_table_add(seen, (gpointer)name))
            continue;
        guint count = g_hash_table_size(seen);
        g_string_append_printf(line, "%s%s", count == 1 ? " (" : ", ", count > MOST_NAMES ? "..." : name);
    }
    if (g_hash_table_size(seen) > 0)
        g_string_append_c(line, ')');
}

static char *line_of(const GPtrArray *unrecorded, const char *reason)
{
    guint count = 0;
    for (guint i = 0; i < unrecorded->len; i++)
        count += strcmp(((const DtUnrecorded *)unrecorded->pdata[i])->reason, reason) == 0;
    if (count == 0)
        return NULL;
    GString *line = g_string_new(NULL);
    g_string_append_printf(line, "%u %s not recorded: %s", count, count == 1 ? "process was" : "processes were",
                           reason);
    append_names(line, unrecorded, reason);
    return g_string_free(line, FALSE);
}

char **dt_unrecorded_lines(const GPtrArray *unrecorded)
{
    GPtrArray *lines = g_ptr_array_new();
    for (guint32 i = 1; i <= DT_UNRECORDED_REASONS; i++) { /* those that nobody knows last */
        char *line = line_of(unrecorded, dt_unrecorded_reason_name(i));
        if (line)
            g_ptr_array_add(lines, line);
    }
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(lines, FALSE);
}

/* ---- ranks of which there is no file ------------------------------------------------------- */

/* Of the largest launch among those whose ranks are there: how large it was, and how many of its ranks there are. */
static void count_ranks(const DtRun *run, guint *there, guint *all)
{
    g_autoptr(GHashTable) ranks = g_hash_table_new(NULL, NULL);
    *all = 0;
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        const DtProcess *process = dt_run_process(run, i);
        if (process->rank < 0 || process->rank >= process->world_size)
            continue;
        *all = MAX(*all, (guint)process->world_size);
        g_hash_table_add(ranks, GINT_TO_POINTER(process->rank));
    }
    *there = g_hash_table_size(ranks);
}

guint dt_run_missing_ranks(const DtRun *run)
{
    guint there, all;
    count_ranks(run, &there, &all);
    return all - MIN(there, all);
}

/* " (on n1, n2)", or "" if there are many. */
static char *hosts_text(const DtRun *run)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        const char *host = dt_run_process(run, i)->host;
        if (g_hash_table_add(seen, (gpointer)host))
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : " (on ", host);
    }
    g_string_append_c(text, ')');
    if (g_hash_table_size(seen) > MOST_HOSTS)
        g_string_truncate(text, 0);
    return g_string_free(text, FALSE);
}

char *dt_run_missing_ranks_line(const DtRun *run)
{
    guint there, all;
    count_ranks(run, &there, &all);
    if (there + run->unreadable >= all)
        return NULL;
    g_autofree char *hosts = hosts_text(run);
    return g_strdup_printf("%u of %u ranks are recorded here%s: the others ended before their recording began, ran "
                           "without the tracer, or left their files on other nodes",
                           there, all, hosts);
}
