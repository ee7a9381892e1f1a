/* Who waits for whom, as text, JSON and a picture. Traces that wait alike are one line, and one node. */
#include "report/common.h"
#include "report/json.h"
#include "report/live_report.h"
#include "report/pictures/graph.h"
#include "report/skeletons/simulation_report.h"
#include "report/table.h"
#include "text/text.h"

#include <string.h>

typedef struct {
    const DtWaiter *like; /* the first of them */
    GPtrArray *labels;    /* borrowed */
    double blame;         /* of all */
} Group;

typedef struct {
    GPtrArray *groups; /* Group, in the order of their first traces */
    guint *group_of;   /* by waiter */
} Groups;

static void free_group(gpointer data)
{
    Group *group = data;
    g_ptr_array_unref(group->labels);
    g_free(group);
}

/* How it ended is worth a word: neither as it should, nor with the job while it waited. */
static gboolean tells_end(const DtWaiter *waiter)
{
    return waiter->end && waiter->status != DT_STATUS_FINISHED && waiter->status != DT_STATUS_STUCK &&
           (waiter->mode == DT_WAIT_ENDED || waiter->mode == DT_WAIT_RUNS);
}

/* A line of those that do not wait is not split by how they are blamed; suspects stand alone. */
static char *key_of(const DtWaiter *waiter)
{
    GString *key = g_string_new(NULL);
    g_string_append_printf(key, "%d\n%s\n%s\n%s\n%s\n", (int)waiter->mode, waiter->call ? waiter->call : "",
                           waiter->what ? waiter->what : "", waiter->reason ? waiter->reason : "",
                           tells_end(waiter) ? waiter->end : "");
    g_string_append_len(key, waiter->waits_for->data, (gssize)(waiter->waits_for->len * sizeof(guint)));
    char *hash = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)key->str, key->len);
    g_string_free(key, TRUE);
    return hash;
}

static Group *add_group(Groups *groups, const DtWaiter *waiter)
{
    Group *group = g_new0(Group, 1);
    group->like = waiter;
    group->labels = g_ptr_array_new();
    g_ptr_array_add(groups->groups, group);
    return group;
}

static Groups find_groups(const DtWaitFor *waits)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Groups groups = {g_ptr_array_new_with_free_func(free_group), g_new0(guint, (gsize)waits->waiters->len + 1)};
    for (guint i = 0; i < waits->waiters->len; i++) {
        const DtWaiter *waiter = waits->waiters->pdata[i];
        char *key = key_of(waiter);
        gpointer number = g_hash_table_lookup(known, key);
        Group *group = number ? groups.groups->pdata[GPOINTER_TO_UINT(number) - 1] : add_group(&groups, waiter);
        guint index = number ? GPOINTER_TO_UINT(number) : groups.groups->len;
        g_hash_table_replace(known, key, GUINT_TO_POINTER(index));
        g_ptr_array_add(group->labels, (gpointer)waiter->trace->label);
        group->blame += waiter->blame;
        groups.group_of[i] = index - 1;
    }
    return groups;
}

static void clear_groups(Groups *groups)
{
    g_ptr_array_unref(groups->groups);
    g_free(groups->group_of);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Groups, clear_groups)

static char *labels_of(const DtWaitFor *waits, const GArray *indices)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; i < indices->len; i++) {
        const DtWaiter *waiter = waits->waiters->pdata[g_array_index(indices, guint, i)];
        g_ptr_array_add(labels, (gpointer)waiter->trace->label);
    }
    return dt_trace_list_text(labels);
}

static const char *mode_name(DtWaitMode mode)
{
    static const char *const names[] = {"ended", "runs", "all", "any", "unknown"};
    return names[mode];
}

static const char *certainty_name(DtCertainty certainty)
{
    static const char *const names[] = {"none", "possible", "likely", "proved"};
    return names[certainty];
}

static const char *no_call_text(DtWaitMode mode)
{
    return mode == DT_WAIT_ENDED ? "(ended)" : mode == DT_WAIT_UNKNOWN ? "(not known)" : "(no call)";
}

static gboolean waits_now(const DtWaiter *waiter)
{
    return waiter->mode == DT_WAIT_FOR_ALL || waiter->mode == DT_WAIT_FOR_ANY;
}

/* ---- text --------------------------------------------------------------------------- */

static const char *const cycle_words[] = {"Not proved to be a deadlock", "Not proved to be a deadlock",
                                          "Deadlock, unless a message is still on its way", "Deadlock"};

static void append_cycle(const DtWaitFor *waits, const GArray *cycle, GString *out)
{
    g_autofree char *traces = labels_of(waits, cycle);
    g_string_append_printf(out, "%s: %s %s", cycle_words[waits->certainty], traces,
                           cycle->len > 1 ? "wait for each other" : "waits for itself");
}

static void append_cycles(const DtWaitFor *waits, GString *out)
{
    for (guint i = 0; i < waits->cycles->len; i++) {
        append_cycle(waits, waits->cycles->pdata[i], out);
        g_string_append(out, ".\n");
    }
}

static void append_blame(const Groups *groups, guint width, GString *out)
{
    g_autoptr(DtTable) table = dt_table_new("traces|>blame|why");
    gboolean any = FALSE;
    for (guint i = 0; i < groups->groups->len; i++) {
        const Group *group = groups->groups->pdata[i];
        if (!group->like->reason)
            continue;
        g_autofree char *traces = dt_trace_list_text(group->labels);
        dt_table_add(table, traces);
        dt_table_add_format(table, "%.2f", group->blame);
        dt_table_add(table, group->like->reason);
        any = TRUE;
    }
    if (!any)
        return;
    g_string_append_c(out, '\n');
    dt_table_append_text(table, out, width);
}

static void append_waiters(const DtWaitFor *waits, const Groups *groups, guint width, GString *out)
{
    g_autoptr(DtTable) table = dt_table_new("traces|~in|for|held up by");
    for (guint i = 0; i < groups->groups->len; i++) {
        const Group *group = groups->groups->pdata[i];
        const DtWaiter *like = group->like;
        g_autofree char *traces = dt_trace_list_text(group->labels), *by = labels_of(waits, like->waits_for);
        const char *joint = like->mode == DT_WAIT_FOR_ANY && like->waits_for->len > 1 ? "any of " : "";
        dt_table_add(table, traces);
        dt_table_add(table, like->call ? like->call : no_call_text(like->mode));
        if (tells_end(like))
            dt_table_add_format(table, "(%s)", like->end);
        else
            dt_table_add(table, like->what);
        dt_table_add_format(table, "%s%s", like->waits_for->len > 0 ? joint : "", by);
    }
    g_string_append_c(out, '\n');
    dt_table_append_text(table, out, width);
}

static char *waits_text(const DtWaitFor *waits, guint width)
{
    g_auto(Groups) groups = find_groups(waits);
    GString *out = g_string_new(waits->summary);
    out->str[0] = g_ascii_toupper(out->str[0]);
    g_string_append(out, ".\n");
    if (waits->looks > 0)
        g_string_append_printf(out, "Looked %u time%s within %.1f s.\n", waits->looks, waits->looks == 1 ? "" : "s",
                               waits->seconds);
    append_cycles(waits, out);
    append_blame(&groups, width, out);
    append_waiters(waits, &groups, width, out);
    return g_string_free(out, FALSE);
}

/* ---- of a job that runs ------------------------------------------------------------------ */

static gboolean are_all_among(const GArray *indices, const gboolean *among)
{
    for (guint i = 0; i < indices->len; i++)
        if (!among[g_array_index(indices, guint, i)])
            return FALSE;
    return TRUE;
}

char *dt_report_live_waits(const DtWaitFor *waits, const gboolean *for_ever)
{
    if (!for_ever)
        return g_strdup(waits->awaited);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < waits->cycles->len; i++) {
        if (waits->certainty != DT_CERTAINTY_PROVED || !are_all_among(waits->cycles->pdata[i], for_ever))
            continue;
        append_cycle(waits, waits->cycles->pdata[i], out);
        g_string_append(out, "; ");
    }
    g_string_append(out, waits->summary);
    return g_string_free(out, FALSE);
}

char *dt_report_live_waiters(const DtWaitFor *waits, const gboolean *for_ever, guint width)
{
    if (for_ever)
        return waits_text(waits, width);
    g_auto(Groups) groups = find_groups(waits);
    GString *out = g_string_new("Nobody is known to wait for what cannot come.\n");
    append_waiters(waits, &groups, width, out);
    return g_string_free(out, FALSE);
}

/* A row per trace; lists are separated by "; ". */
static char *waits_tsv(const DtWaitFor *waits)
{
    g_autoptr(DtTable) table = dt_table_new("trace|waits|call|for|held up by|>blame|reason");
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < waits->waiters->len; i++) {
        const DtWaiter *waiter = waits->waiters->pdata[i];
        g_autoptr(GString) by = g_string_new(NULL);
        for (guint k = 0; k < waiter->waits_for->len; k++) {
            const DtWaiter *other = waits->waiters->pdata[g_array_index(waiter->waits_for, guint, k)];
            g_string_append_printf(by, "%s%s", k > 0 ? "; " : "", other->trace->label);
        }
        dt_table_add(table, waiter->trace->label);
        dt_table_add(table, mode_name(waiter->mode));
        dt_table_add(table, waiter->call);
        dt_table_add(table, waiter->what);
        dt_table_add(table, by->str);
        dt_table_add_format(table, "%.4f", waiter->blame);
        dt_table_add(table, waiter->reason);
    }
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void add_labels(JsonBuilder *builder, const char *name, const DtWaitFor *waits, const GArray *indices)
{
    dt_json_begin_array(builder, name);
    for (guint i = 0; i < indices->len; i++) {
        const DtWaiter *waiter = waits->waiters->pdata[g_array_index(indices, guint, i)];
        dt_json_string(builder, NULL, waiter->trace->label);
    }
    json_builder_end_array(builder);
}

void dt_json_add_waits(JsonBuilder *builder, const DtWaitFor *waits)
{
    dt_json_string(builder, "summary", waits->summary);
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < waits->waiters->len; i++) {
        const DtWaiter *waiter = waits->waiters->pdata[i];
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "trace", waiter->trace->label);
        dt_json_string(builder, "status", dt_status_name(waiter->status));
        dt_json_string(builder, "end", waiter->end);
        dt_json_string(builder, "waits", mode_name(waiter->mode));
        dt_json_string(builder, "call", waiter->call);
        dt_json_string(builder, "for", waiter->what);
        add_labels(builder, "held_up_by", waits, waiter->waits_for);
        dt_json_number(builder, "blame", waiter->blame);
        dt_json_string(builder, "reason", waiter->reason);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "cycles");
    for (guint i = 0; i < waits->cycles->len; i++)
        add_labels(builder, NULL, waits, waits->cycles->pdata[i]);
    json_builder_end_array(builder);
}

static char *waits_json(const DtWaitFor *waits)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_add_waits(builder, waits);
    dt_json_string(builder, "certainty", certainty_name(waits->certainty));
    dt_json_integer(builder, "ranks", waits->ranks);
    dt_json_integer(builder, "ranks_seen", waits->ranks_seen);
    dt_json_integer(builder, "looks", waits->looks);
    dt_json_number(builder, "seconds", waits->seconds);
    return dt_json_finish(builder);
}

/* ---- picture ---------------------------------------------------------------------------- */

static Agnode_t *node_of(Agraph_t *graph, guint group)
{
    g_autofree char *id = g_strdup_printf("g%u", group);
    return dt_graph_node(graph, id);
}

static void add_node(Agraph_t *graph, const Group *group, guint number)
{
    Agnode_t *node = node_of(graph, number);
    g_autofree char *traces = dt_trace_list_text(group->labels), *short_traces = dt_text_shortened(traces, 40);
    const char *call = group->like->call;
    g_autofree char *short_call = call ? dt_text_shortened(call, 60) : NULL;
    dt_graph_set_label_format(node, "%s\n%s", short_traces, call ? short_call : no_call_text(group->like->mode));
    dt_graph_set(node, "shape", "box");
    dt_graph_set(node, "style", "filled");
    dt_graph_set(node, "color", group->like->reason ? DT_COLOUR_FAULTY : DT_COLOUR_QUIET);
    dt_graph_set(node, "fillcolor", group->like->reason ? DT_COLOUR_FAULTY_PALE : "white");
    if (group->like->reason)
        dt_graph_set_text(node, "tooltip", group->like->reason);
}

/* An arrow for each group waited for; dashed where one of them is enough. */
static void add_arrows(Agraph_t *graph, const Groups *groups, guint number)
{
    const DtWaiter *like = ((const Group *)groups->groups->pdata[number])->like;
    g_autoptr(GHashTable) drawn = g_hash_table_new(NULL, NULL);
    for (guint i = 0; waits_now(like) && i < like->waits_for->len; i++) {
        guint target = groups->group_of[g_array_index(like->waits_for, guint, i)];
        if (!g_hash_table_add(drawn, GUINT_TO_POINTER(target)))
            continue;
        Agedge_t *edge = dt_graph_edge(graph, node_of(graph, number), node_of(graph, target));
        if (like->mode == DT_WAIT_FOR_ANY && like->waits_for->len > 1)
            dt_graph_set(edge, "style", "dashed");
        if (like->what)
            dt_graph_set_text(edge, "tooltip", like->what);
    }
}

static char *waits_picture(const DtWaitFor *waits, DtReportFormat format, GError **error)
{
    g_auto(Groups) groups = find_groups(waits);
    Agraph_t *graph = dt_graph_new("waits", error);
    if (!graph)
        return NULL;
    for (guint i = 0; i < groups.groups->len; i++)
        add_node(graph, groups.groups->pdata[i], i);
    for (guint i = 0; i < groups.groups->len; i++)
        add_arrows(graph, &groups, i);
    return dt_graph_draw(graph, format, error);
}

char *dt_report_wait_for(const DtWaitFor *waits, guint width, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return waits_text(waits, width);
    case DT_FORMAT_JSON:
        return waits_json(waits);
    case DT_FORMAT_TSV:
        return waits_tsv(waits);
    case DT_FORMAT_DOT:
    case DT_FORMAT_SVG:
        return waits_picture(waits, format, error);
    default:
        return dt_report_no_format("who waits for whom", format, "text, tsv, json, dot and svg", error);
    }
}
