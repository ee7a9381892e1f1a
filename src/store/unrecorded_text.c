/* Processes that were not recorded, as text: a line for each reason. */
#include <string.h>

#include "format/unrecorded.h"
#include "store/store.h"

enum { MOST_NAMES = 5 };

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
