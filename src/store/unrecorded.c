/* Which processes were not recorded: what others told of them, unless a file of theirs that began later shows that it
 * was not so. */
#include "store/unrecorded.h"

#include <string.h>

#include "format/unrecorded.h"
#include "store/problems.h"

enum { LOG_FIELDS = 5, MOST_LOG_BYTES = 16 << 20 };
static const char LOG_NAME[] = "unrecorded.log";

static void free_unrecorded(gpointer data)
{
    DtUnrecorded *process = data;
    g_free((char *)process->host);
    g_free((char *)process->executable);
    g_free(process);
}

GPtrArray *dt_unrecorded_list_new(void)
{
    return g_ptr_array_new_with_free_func(free_unrecorded);
}

static void add(GPtrArray *told, const char *host, guint pid, guint32 reason, guint64 time_ns, const char *executable)
{
    DtUnrecorded *process = g_new0(DtUnrecorded, 1);
    process->pid = pid;
    process->host = g_utf8_make_valid(host, -1);
    process->executable = executable[0] != '\0' ? g_utf8_make_valid(executable, -1) : NULL;
    process->reason = dt_unrecorded_reason_name(reason);
    process->time_ns = time_ns;
    g_ptr_array_add(told, process);
}

/* ---- told in trace files --------------------------------------------------------------- */

static void add_told_in_file(GPtrArray *told, const DtProcessFile *file)
{
    for (guint i = 0; i < file->unrecorded->len; i++) {
        const struct dt_unrecorded *record = &g_array_index(file->unrecorded, struct dt_unrecorded, i);
        gboolean executed = record->pid == file->header.pid;
        if (record->reason == DT_UNRECORDED_ON_PURPOSE || (executed && file->header.end_state != DT_PROCESS_EXEC))
            continue;
        g_autofree char *executable = g_strndup(record->executable, sizeof(record->executable));
        add(told, file->header.host, record->pid, record->reason, record->monotonic_ns, executable);
    }
}

/* ---- told in logs ---------------------------------------------------------------------- */

static gboolean read_number(const char *text, guint64 most, guint64 *number)
{
    return g_ascii_string_to_unsigned(text, 10, 0, most, number, NULL);
}

static gboolean find_reason(const char *name, guint32 *reason)
{
    for (*reason = 0; *reason < DT_UNRECORDED_REASONS; ++*reason)
        if (strcmp(name, dt_unrecorded_reason_name(*reason)) == 0)
            return TRUE;
    return FALSE;
}

/* "host pid reason monotonic_ns executable", with tabs between. */
static gboolean parse_line(const char *line, GPtrArray *told)
{
    g_auto(GStrv) fields = g_strsplit(line, "\t", LOG_FIELDS);
    guint64 pid, time_ns;
    guint32 reason;
    if (g_strv_length(fields) != LOG_FIELDS || !read_number(fields[1], G_MAXINT, &pid) || pid == 0 ||
        !find_reason(fields[2], &reason) || !read_number(fields[3], G_MAXUINT64, &time_ns))
        return FALSE;
    add(told, fields[0], (guint)pid, reason, time_ns, fields[4]);
    return TRUE;
}

void dt_unrecorded_parse(const char *text, gsize bytes, GPtrArray *told, GPtrArray *problems)
{
    guint bad = 0;
    const char *end = text + bytes, *next;
    for (const char *line = text; line < end; line = next + 1) {
        next = memchr(line, '\n', (gsize)(end - line));
        if (!next)
            break; /* its writer died meanwhile */
        g_autofree char *copy = g_strndup(line, (gsize)(next - line));
        bad += !parse_line(copy, told);
    }
    if (bad > 0)
        dt_problem(problems, LOG_NAME, "%u lines are damaged: some processes that were not recorded are not named",
                   bad);
}

void dt_unrecorded_read_log(const char *folder, GPtrArray *told, GPtrArray *problems)
{
    g_autofree char *path = g_build_filename(folder, LOG_NAME, NULL);
    g_autoptr(DtFile) file = dt_file_open(path, NULL);
    if (!file)
        return; /* there is nothing to tell */
    gsize bytes = (gsize)MIN(file->bytes, (guint64)MOST_LOG_BYTES);
    g_autofree char *text = g_malloc(bytes + 1);
    dt_unrecorded_parse(text, dt_file_read(file, 0, text, bytes), told, problems);
    if (bytes < file->bytes)
        dt_problem(problems, LOG_NAME, "only the first %u MB are read", MOST_LOG_BYTES >> 20);
}

/* ---- what is so ------------------------------------------------------------------------ */

static char *identity(const char *host, guint pid)
{
    return g_strdup_printf("%u@%s", pid, host);
}

/* When the last program began that ran under each process id and was recorded. */
static GHashTable *index_starts(const DtRun *run)
{
    GHashTable *starts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcess *process = g_ptr_array_index(run->processes, i);
        char *key = identity(process->host, process->pid);
        const guint64 *known = g_hash_table_lookup(starts, key);
        if (known && *known >= process->start_ns)
            g_free(key);
        else
            g_hash_table_replace(starts, key, &process->start_ns);
    }
    return starts;
}

gboolean dt_unrecorded_is_unknown(const DtUnrecorded *process)
{
    return strcmp(process->reason, dt_unrecorded_reason_name(DT_UNRECORDED_UNKNOWN)) == 0;
}

/* Those that know no reason first: others of the same process come after them. */
static gint compare_told(gconstpointer first, gconstpointer second)
{
    const DtUnrecorded *one = *(const DtUnrecorded *const *)first, *two = *(const DtUnrecorded *const *)second;
    if (dt_unrecorded_is_unknown(one) != dt_unrecorded_is_unknown(two))
        return dt_unrecorded_is_unknown(one) ? -1 : 1;
    return (one->time_ns > two->time_ns) - (one->time_ns < two->time_ns);
}

static gboolean is_later_told(GHashTable *seen, const DtUnrecorded *process)
{
    return !g_hash_table_add(seen, identity(process->host, process->pid));
}

/* The last that was told of a process counts, and a reason more than none. */
static GPtrArray *keep_true(const DtRun *run, GPtrArray *told)
{
    g_autoptr(GHashTable) starts = index_starts(run);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *kept = dt_unrecorded_list_new();
    g_ptr_array_sort(told, compare_told);
    for (guint i = told->len; i-- > 0;) {
        const DtUnrecorded *process = told->pdata[i];
        g_autofree char *key = identity(process->host, process->pid);
        const guint64 *start = g_hash_table_lookup(starts, key);
        if ((!start || *start < process->time_ns) && !is_later_told(seen, process))
            g_ptr_array_add(kept, g_steal_pointer(&told->pdata[i]));
    }
    g_ptr_array_sort(kept, compare_told);
    return kept;
}

void dt_run_find_unrecorded(DtRun *run)
{
    g_autoptr(GPtrArray) told = g_ptr_array_new();
    g_autoptr(GPtrArray) folders = dt_run_folders(run);
    for (guint i = 0; i < run->processes->len; i++)
        add_told_in_file(told, ((DtProcessEntry *)g_ptr_array_index(run->processes, i))->file);
    for (guint i = 0; i < folders->len; i++) {
        g_autofree char *folder = g_build_filename(run->folder, folders->pdata[i], NULL);
        dt_unrecorded_read_log(folder, told, run->problems);
    }
    g_clear_pointer(&run->unrecorded, g_ptr_array_unref);
    run->unrecorded = keep_true(run, told);
    for (guint i = 0; i < told->len; i++)
        if (told->pdata[i])
            free_unrecorded(told->pdata[i]);
}

const GPtrArray *dt_run_unrecorded(const DtRun *run)
{
    return run->unrecorded;
}
