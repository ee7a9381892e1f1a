#include "skeleton/node_times.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 4 };
/* Some 100 days; a file may claim anything. */
#define MOST_NS G_GINT64_CONSTANT(9999000000000000)

static const struct {
    const char *name;
    gint64 ns;
} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

/* ---- times ----------------------------------------------------------------------------------- */

static gint64 rounded(gint64 ns)
{
    gint64 step = 1;
    while (ns / step >= 10000)
        step *= 10;
    return (ns + step / 2) / step * step;
}

gint64 dt_time_rounded(gdouble ns)
{
    return ns >= 0 ? rounded((gint64)MIN(ns + 0.5, (gdouble)MOST_NS)) : 0;
}

void dt_time_append(GString *text, gint64 ns)
{
    guint unit = 0;
    while (unit + 1 < G_N_ELEMENTS(units) && units[unit].ns > ns)
        unit++;
    g_string_append_printf(text, "%" G_GINT64_FORMAT, ns / units[unit].ns);
    gint64 rest = ns % units[unit].ns, place = units[unit].ns;
    if (rest > 0)
        g_string_append_c(text, '.');
    for (; rest > 0; rest %= place) {
        place /= 10;
        g_string_append_c(text, (char)('0' + rest / place));
    }
    g_string_append(text, units[unit].name);
}

const char *dt_time_parse(const char **at, gint64 *ns)
{
    const char *end = *at, *point;
    gdouble value = 0, place = 1;
    for (; g_ascii_isdigit(*end); end++)
        value = 10 * value + (*end - '0');
    if (end == *at)
        return "a time is missing here";
    point = end;
    for (end += *end == '.' && g_ascii_isdigit(end[1]) ? 1 : 0; end > point && g_ascii_isdigit(*end); end++)
        value += (*end - '0') * (place /= 10);
    for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
        if (!g_str_has_prefix(end, units[i].name))
            continue;
        if (value * (gdouble)units[i].ns > (gdouble)MOST_NS)
            return "this time is too long";
        *ns = dt_time_rounded(value * (gdouble)units[i].ns);
        *at = end + strlen(units[i].name);
        return NULL;
    }
    return "a time is told in s, ms, us or ns";
}

void dt_time_row_append(GString *text, const DtRow *row)
{
    if (row->length > 1)
        g_string_append_c(text, '[');
    for (guint i = 0; i < row->parts; i++) {
        if (i > 0)
            g_string_append_c(text, ' ');
        dt_time_append(text, row->part[i].first);
        if (row->part[i].count > 1)
            g_string_append_printf(text, "^%" G_GUINT64_FORMAT, row->part[i].count);
    }
    if (row->length > 1)
        g_string_append_c(text, ']');
}

void dt_node_time_append(GString *text, const DtNodeTime *time)
{
    g_string_append_printf(text, "%" G_GUINT64_FORMAT " x ", time->count);
    dt_time_append(text, time->mean);
    if (time->least != time->mean || time->most != time->mean) {
        g_string_append(text, " (");
        dt_time_append(text, time->least);
        g_string_append(text, " to ");
        dt_time_append(text, time->most);
        g_string_append_c(text, ')');
    }
    if (time->row->length == 1)
        return;
    g_string_append_c(text, ' ');
    dt_time_row_append(text, time->row);
}

/* ---- of nodes -------------------------------------------------------------------------------- */

static void clear_time(gpointer time)
{
    dt_row_free(((DtNodeTime *)time)->row);
}

static gint compare(const DtNodeTime *a, const DtNodeTime *b)
{
    const guint one = dt_rank_set_next(a->on, 0), other = dt_rank_set_next(b->on, 0);
    if (a->after != b->after)
        return a->after < b->after ? -1 : 1;
    return one < other ? -1 : one > other;
}

void dt_node_add_time(DtSkeletonNode *node, const DtNodeTime *time)
{
    guint place;
    if (!node->times) {
        node->times = g_array_new(FALSE, FALSE, sizeof(DtNodeTime));
        g_array_set_clear_func(node->times, clear_time);
    }
    for (place = node->times->len; place > 0; place--)
        if (compare(&g_array_index(node->times, DtNodeTime, place - 1), time) <= 0)
            break;
    g_array_insert_vals(node->times, place, time, 1);
}

const DtNodeTime *dt_node_find_time(const DtSkeletonNode *node, gint64 after, guint rank)
{
    for (guint i = 0; node->times && i < node->times->len; i++) {
        const DtNodeTime *time = &g_array_index(node->times, DtNodeTime, i);
        if (time->after == after && dt_rank_set_has(time->on, rank))
            return time;
    }
    return NULL;
}

static void add_calls(const GPtrArray *nodes, GPtrArray *calls)
{
    for (guint i = 0; i < nodes->len; i++) {
        DtSkeletonNode *node = nodes->pdata[i];
        if (dt_skeleton_node_is_loop(node))
            add_calls(node->children, calls);
        else
            g_ptr_array_add(calls, node);
    }
}

GPtrArray *dt_skeleton_calls(const DtSkeletonThread *thread)
{
    GPtrArray *calls = g_ptr_array_new();
    add_calls(thread->nodes, calls);
    return calls;
}

static gboolean have_times(const GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        const DtSkeletonNode *node = nodes->pdata[i];
        if (node->times || (node->children && have_times(node->children)))
            return TRUE;
    }
    return FALSE;
}

gboolean dt_skeleton_has_times(const DtSkeleton *skeleton)
{
    for (guint i = 0; i < skeleton->threads->len; i++)
        if (have_times(((const DtSkeletonThread *)skeleton->threads->pdata[i])->nodes))
            return TRUE;
    return FALSE;
}

static void drop_times(const GPtrArray *nodes)
{
    for (guint i = 0; i < nodes->len; i++) {
        DtSkeletonNode *node = nodes->pdata[i];
        g_clear_pointer(&node->times, g_array_unref);
        if (node->children)
            drop_times(node->children);
    }
}

void dt_skeleton_drop_times(DtSkeleton *skeleton)
{
    for (guint i = 0; i < skeleton->threads->len; i++)
        drop_times(((const DtSkeletonThread *)skeleton->threads->pdata[i])->nodes);
}
