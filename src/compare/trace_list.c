/* Trace labels in short: runs of numbers as ranges, processes with the same threads together. */
#include "compare/compare.h"

#include <string.h>

/* A process and its threads other than the main one, as ranges: "1-4", "a-b". */
typedef struct {
    char *process;
    GPtrArray *threads;
} Group;

static void free_group(gpointer data)
{
    Group *group = data;
    g_free(group->process);
    g_ptr_array_unref(group->threads);
    g_free(group);
}

static gboolean parse_number(const char *text, guint64 *number)
{
    return g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT64, number, NULL);
}

/* TRUE if `next` comes right after `last`: 4 after 3, b after a. */
static gboolean follows(const char *last, const char *next)
{
    guint64 a = 0, b = 0;
    if (parse_number(last, &a) && parse_number(next, &b))
        return b == a + 1;
    return g_ascii_islower(last[0]) && last[1] == '\0' && next[0] == last[0] + 1 && next[1] == '\0';
}

/* Joins words to ranges: "1", "2", "3", "7" become "1-3", "7". */
static GPtrArray *ranges_of(const GPtrArray *words)
{
    GPtrArray *ranges = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < words->len;) {
        guint end = i + 1;
        while (end < words->len && follows(words->pdata[end - 1], words->pdata[end]))
            end++;
        const char *first = words->pdata[i], *last = words->pdata[end - 1];
        g_ptr_array_add(ranges, end - i > 1 ? g_strdup_printf("%s-%s", first, last) : g_strdup(first));
        i = end;
    }
    return ranges;
}

static void append_member(GString *out, const char *process, const char *thread)
{
    g_string_append_printf(out, "%s%s%s%s", out->len > 0 ? "," : "", process, thread ? "." : "", thread ? thread : "");
}

/* Splits at the last dot: the process as a new string, the thread within the label. */
static char *split_label(const char *label, const char **thread)
{
    const char *dot = strrchr(label, '.');
    *thread = dot ? dot + 1 : "0";
    return dot ? g_strndup(label, (gsize)(dot - label)) : g_strdup(label);
}

static void append_main_threads(GString *out, const GPtrArray *labels)
{
    g_autoptr(GPtrArray) processes = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < labels->len; i++) {
        const char *thread;
        g_autofree char *process = split_label(labels->pdata[i], &thread);
        if (strcmp(thread, "0") == 0)
            g_ptr_array_add(processes, g_steal_pointer(&process));
    }
    g_autoptr(GPtrArray) ranges = ranges_of(processes);
    for (guint i = 0; i < ranges->len; i++)
        append_member(out, ranges->pdata[i], NULL);
}

/* The other threads by process; labels of a process stand together. */
static GPtrArray *groups_of(const GPtrArray *labels)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(free_group);
    for (guint i = 0; i < labels->len; i++) {
        const char *thread;
        g_autofree char *process = split_label(labels->pdata[i], &thread);
        if (strcmp(thread, "0") == 0)
            continue;
        Group *last = groups->len > 0 ? groups->pdata[groups->len - 1] : NULL;
        if (!last || strcmp(last->process, process) != 0) {
            last = g_new0(Group, 1);
            last->process = g_steal_pointer(&process);
            last->threads = g_ptr_array_new_with_free_func(g_free);
            g_ptr_array_add(groups, last);
        }
        g_ptr_array_add(last->threads, g_strdup(thread));
    }
    return groups;
}

static gboolean same_threads(const Group *a, const Group *b)
{
    if (a->threads->len != b->threads->len)
        return FALSE;
    for (guint i = 0; i < a->threads->len; i++) {
        if (strcmp(a->threads->pdata[i], b->threads->pdata[i]) != 0)
            return FALSE;
    }
    return TRUE;
}

static void append_other_threads(GString *out, const GPtrArray *labels)
{
    g_autoptr(GPtrArray) groups = groups_of(labels);
    for (guint i = 0; i < groups->len;) {
        const Group *first = groups->pdata[i], *last = first;
        for (i++; i < groups->len && same_threads(first, groups->pdata[i]) &&
                  follows(last->process, ((const Group *)groups->pdata[i])->process);
             i++)
            last = groups->pdata[i];
        g_autofree char *processes =
            first == last ? g_strdup(first->process) : g_strdup_printf("%s-%s", first->process, last->process);
        g_autoptr(GPtrArray) ranges = ranges_of(first->threads);
        for (guint r = 0; r < ranges->len; r++)
            append_member(out, processes, ranges->pdata[r]);
    }
}

char *dt_trace_list_text(const GPtrArray *labels)
{
    GString *out = g_string_new(NULL);
    append_main_threads(out, labels);
    append_other_threads(out, labels);
    return g_string_free(out, FALSE);
}

char *dt_label_and_more(const char *label, guint count)
{
    return count > 1 ? g_strdup_printf("%s +%u", label, count - 1) : g_strdup(label);
}
