/* Who waited for whom, for how long, and where. */
#include "report/common.h"
#include "report/pictures/graph.h"
#include "report/table.h"
#include "report/times/messages_report.h"
#include "report/times/timed_places.h"
#include "report/times/units.h"
#include "text/text.h"

typedef struct {
    const DtMessagesShown *shown;
    const DtWaitStates *states;
    DtTimedPlaces *places;
    gdouble all_ns; /* the span times the traces */
} Report;

static const char *row_label(const Report *report, guint row)
{
    return g_array_index(report->states->messages->rows, DtTimedRow, row).trace->label;
}

/* ---- rows of the text: entries of several ranks with the same places --------------------------- */

typedef struct {
    DtWaitKind kind;
    const DtTimedPlace *place, *cause;
    GPtrArray *labels, *cause_labels; /* each once, in the order of the ranks */
    guint64 count;
    gint64 ns, longest_ns;
} Row;

static void free_row(gpointer data)
{
    Row *row = data;
    g_ptr_array_unref(row->labels);
    g_ptr_array_unref(row->cause_labels);
    g_free(row);
}

static guint hash_row(gconstpointer data)
{
    const Row *row = data;
    return g_direct_hash(row->place) * 31 + g_direct_hash(row->cause) + (guint)row->kind;
}

static gboolean are_equal_rows(gconstpointer a, gconstpointer b)
{
    const Row *one = a, *other = b;
    return one->kind == other->kind && one->place == other->place && one->cause == other->cause;
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const Row *one = *(const Row *const *)a, *other = *(const Row *const *)b;
    return one->ns > other->ns ? -1 : one->ns < other->ns;
}

static gint compare_labels(gconstpointer a, gconstpointer b)
{
    guint one = (*(const DtTrace *const *)a)->index, other = (*(const DtTrace *const *)b)->index;
    return one < other ? -1 : one > other;
}

/* Traces, each once and in their order, become labels. */
static void sort_labels(GPtrArray *traces)
{
    guint kept = 0;
    g_ptr_array_sort(traces, compare_labels);
    for (guint i = 0; i < traces->len; i++)
        if (i == 0 || traces->pdata[i] != traces->pdata[i - 1])
            traces->pdata[kept++] = traces->pdata[i];
    g_ptr_array_set_size(traces, (gint)kept);
    for (guint i = 0; i < kept; i++)
        traces->pdata[i] = (gpointer)((const DtTrace *)traces->pdata[i])->label;
}

static void add_entry(const Report *report, GHashTable *known, GPtrArray *rows, const DtWaitEntry *entry)
{
    const GArray *of_rows = report->states->messages->rows;
    Row wanted = {.kind = entry->kind,
                  .place = dt_timed_place(report->places, entry->call),
                  .cause = dt_timed_place(report->places, entry->cause)};
    Row *row = g_hash_table_lookup(known, &wanted);
    if (!row) {
        row = g_memdup2(&wanted, sizeof wanted);
        row->labels = g_ptr_array_new();
        row->cause_labels = g_ptr_array_new();
        g_hash_table_add(known, row);
        g_ptr_array_add(rows, row);
    }
    g_ptr_array_add(row->labels, (gpointer)g_array_index(of_rows, DtTimedRow, entry->row).trace);
    g_ptr_array_add(row->cause_labels, (gpointer)g_array_index(of_rows, DtTimedRow, entry->cause_row).trace);
    row->count += entry->count;
    row->ns += entry->ns;
    row->longest_ns = MAX(row->longest_ns, entry->longest_ns);
}

static GPtrArray *find_rows(const Report *report)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func(free_row);
    g_autoptr(GHashTable) known = g_hash_table_new(hash_row, are_equal_rows);
    for (guint i = 0; i < report->states->entries->len; i++)
        add_entry(report, known, rows, &g_array_index(report->states->entries, DtWaitEntry, i));
    for (guint i = 0; i < rows->len; i++) {
        sort_labels(((Row *)rows->pdata[i])->labels);
        sort_labels(((Row *)rows->pdata[i])->cause_labels);
    }
    g_ptr_array_sort(rows, compare_rows);
    return rows;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void append_kinds(const Report *report, GString *out)
{
    g_autoptr(DtTable) table = dt_table_new("wait|>calls|>time|>share");
    for (guint kind = 0; kind < DT_WAIT_KINDS; kind++) {
        if (report->states->counts[kind] == 0)
            continue;
        dt_table_add(table, dt_wait_kind_name(kind));
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, report->states->counts[kind]);
        dt_table_add_duration(table, FALSE, TRUE, (gdouble)report->states->by_kind[kind]);
        dt_table_add_share(table, FALSE, (gdouble)report->states->by_kind[kind], report->all_ns);
    }
    g_string_append_c(out, '\n');
    dt_table_append_text(table, out, report->shown->shown->width);
}

static guint ranks_shown(const Report *report)
{
    guint ranks = report->states->messages->ranks->len, top = report->shown->shown->top;
    return top > 0 ? MIN(top, ranks) : ranks;
}

static void append_most_waited(const Report *report, GString *out)
{
    const DtMessages *messages = report->states->messages;
    g_autoptr(DtTable) table = dt_table_new(">rank|>waited|>most for|>time|ring");
    for (guint rank = 0; rank < ranks_shown(report); rank++) {
        guint most = g_array_index(report->states->most_waited, guint, rank);
        guint cycle = g_array_index(report->states->cycles, guint, rank);
        dt_table_add(table, dt_rank_label(messages, rank));
        dt_table_add_duration(table, FALSE, TRUE, (gdouble)report->states->of_ranks[rank]);
        dt_table_add(table, most == DT_NO_CALL ? NULL : dt_rank_label(messages, most));
        dt_table_add_duration(table, FALSE, most != DT_NO_CALL,
                              most == DT_NO_CALL ? 0 : (gdouble)dt_wait_between(report->states, rank, most));
        if (cycle > 0)
            dt_table_add_format(table, "%u", cycle);
        else
            dt_table_add(table, NULL);
    }
    g_string_append_c(out, '\n');
    dt_table_append_text(table, out, report->shown->shown->width);
}

static void append_places(const Report *report, GString *out)
{
    g_autoptr(GPtrArray) rows = find_rows(report);
    g_autoptr(DtTable) table =
        dt_table_new("traces|~waited in|for|~that came late to|wait|>calls|>time|>share|>longest");
    guint top = report->shown->shown->top;
    for (guint i = 0; i < rows->len && (top == 0 || i < top); i++) {
        const Row *row = rows->pdata[i];
        g_autofree char *labels = dt_trace_list_text(row->labels), *causes = dt_trace_list_text(row->cause_labels);
        dt_table_add(table, labels);
        dt_table_add(table, row->place->sentence);
        dt_table_add(table, causes);
        dt_table_add(table, row->cause->sentence);
        dt_table_add(table, dt_wait_kind_name(row->kind));
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, row->count);
        dt_table_add_duration(table, FALSE, TRUE, (gdouble)row->ns);
        dt_table_add_share(table, FALSE, (gdouble)row->ns, report->all_ns);
        dt_table_add_duration(table, FALSE, TRUE, (gdouble)row->longest_ns);
    }
    g_string_append_c(out, '\n');
    dt_table_append_text(table, out, report->shown->shown->width);
}

static char *waits_text(const Report *report)
{
    const DtWaitStates *states = report->states;
    GString *out = g_string_new(NULL);
    g_autofree char *waited = dt_duration_text((gdouble)states->all_ns);
    guint traces = states->messages->rows->len, ranks = states->messages->ranks->len;
    g_autofree char *span = dt_duration_text(report->all_ns / (gdouble)MAX(traces, 1));
    g_autofree char *line = g_strdup_printf("Waited: %s, %.1f %% of %s in %u %s%s.", waited,
                                            report->all_ns > 0 ? 100 * (gdouble)states->all_ns / report->all_ns : 0,
                                            span, traces, ranks == traces ? "rank" : "trace", traces == 1 ? "" : "s");
    dt_append_wrapped(out, line, report->shown->shown->width);
    dt_append_matched(out, report->shown);
    if (states->left_out > 0)
        g_string_append_printf(
            out, "Left out: %" G_GUINT64_FORMAT " that came before they were sent, by clocks that differ.\n",
            states->left_out);
    if (states->entries->len == 0)
        return g_string_free(out, FALSE);
    append_kinds(report, out);
    append_most_waited(report, out);
    append_places(report, out);
    return g_string_free(out, FALSE);
}

/* ---- TSV, JSON ------------------------------------------------------------------------------- */

static guint entries_shown(const Report *report)
{
    guint count = report->states->entries->len, top = report->shown->shown->top;
    return top > 0 ? MIN(top, count) : count;
}

static void add_place_cells(DtTable *table, const DtTimedPlace *place)
{
    dt_table_add(table, place->name);
    dt_table_add(table, place->caller);
    dt_table_add(table, place->line);
}

static char *waits_tsv(const Report *report)
{
    g_autoptr(DtTable) table =
        dt_table_new("wait|trace|~call|~in|line|for|~late call|~late in|late line|>calls|>time|>share|"
                     ">longest");
    for (guint i = 0; i < entries_shown(report); i++) {
        const DtWaitEntry *entry = &g_array_index(report->states->entries, DtWaitEntry, i);
        dt_table_add(table, dt_wait_kind_name(entry->kind));
        dt_table_add(table, row_label(report, entry->row));
        add_place_cells(table, dt_timed_place(report->places, entry->call));
        dt_table_add(table, row_label(report, entry->cause_row));
        add_place_cells(table, dt_timed_place(report->places, entry->cause));
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, entry->count);
        dt_table_add_duration(table, TRUE, TRUE, (gdouble)entry->ns);
        dt_table_add_share(table, TRUE, (gdouble)entry->ns, report->all_ns);
        dt_table_add_duration(table, TRUE, TRUE, (gdouble)entry->longest_ns);
    }
    GString *out = g_string_new(NULL);
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

static void add_place(JsonBuilder *builder, const char *name, const Report *report, guint row, guint call)
{
    const DtTimedPlace *place = dt_timed_place(report->places, call);
    dt_json_begin_object(builder, name);
    dt_json_string(builder, "trace", row_label(report, row));
    dt_json_string(builder, "call", place->name);
    dt_json_string(builder, "in", place->caller);
    dt_json_string(builder, "line", place->line);
    json_builder_end_object(builder);
}

static void add_kinds(JsonBuilder *builder, const Report *report)
{
    dt_json_begin_array(builder, "kinds");
    for (guint kind = 0; kind < DT_WAIT_KINDS; kind++) {
        if (report->states->counts[kind] == 0)
            continue;
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "wait", dt_wait_kind_name(kind));
        dt_json_integer(builder, "calls", (gint64)report->states->counts[kind]);
        dt_json_integer(builder, "ns", report->states->by_kind[kind]);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_most_waited(JsonBuilder *builder, const Report *report)
{
    const DtMessages *messages = report->states->messages;
    dt_json_begin_array(builder, "by_rank");
    for (guint rank = 0; rank < messages->ranks->len; rank++) {
        guint most = g_array_index(report->states->most_waited, guint, rank);
        guint cycle = g_array_index(report->states->cycles, guint, rank);
        dt_json_begin_object(builder, NULL);
        dt_json_label(builder, "rank", dt_rank_label(messages, rank));
        dt_json_integer(builder, "ns", report->states->of_ranks[rank]);
        if (most != DT_NO_CALL) {
            dt_json_label(builder, "most_for", dt_rank_label(messages, most));
            dt_json_integer(builder, "most_ns", dt_wait_between(report->states, rank, most));
        } else {
            dt_json_null(builder, "most_for");
            dt_json_integer(builder, "most_ns", 0);
        }
        if (cycle > 0)
            dt_json_integer(builder, "ring", cycle);
        else
            dt_json_null(builder, "ring");
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static char *waits_json(const Report *report)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_matched(builder, report->shown);
    dt_json_integer(builder, "waited_ns", report->states->all_ns);
    dt_json_number(builder, "share", report->all_ns > 0 ? (gdouble)report->states->all_ns / report->all_ns : 0);
    dt_json_integer(builder, "violations", (gint64)report->states->violations);
    dt_json_integer(builder, "left_out", (gint64)report->states->left_out);
    add_kinds(builder, report);
    add_most_waited(builder, report);
    dt_json_begin_array(builder, "waits");
    for (guint i = 0; i < entries_shown(report); i++) {
        const DtWaitEntry *entry = &g_array_index(report->states->entries, DtWaitEntry, i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "wait", dt_wait_kind_name(entry->kind));
        add_place(builder, "waiter", report, entry->row, entry->call);
        add_place(builder, "late", report, entry->cause_row, entry->cause);
        dt_json_integer(builder, "calls", (gint64)entry->count);
        dt_json_integer(builder, "ns", entry->ns);
        dt_json_number(builder, "share", report->all_ns > 0 ? (gdouble)entry->ns / report->all_ns : 0);
        dt_json_integer(builder, "longest_ns", entry->longest_ns);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static void draw_arrow(const Report *report, Agraph_t *graph, guint rank)
{
    const DtMessages *messages = report->states->messages;
    guint most = g_array_index(report->states->most_waited, guint, rank);
    if (most == DT_NO_CALL)
        return;
    guint ring = g_array_index(report->states->cycles, guint, rank);
    Agedge_t *edge = dt_graph_edge(graph, dt_graph_node(graph, dt_rank_label(messages, rank)),
                                   dt_graph_node(graph, dt_rank_label(messages, most)));
    g_autofree char *time = dt_duration_text((gdouble)dt_wait_between(report->states, rank, most));
    dt_graph_set_text(edge, "label", time);
    if (ring > 0)
        dt_graph_set(edge, "color", DT_COLOUR_FAULTY);
}

static char *draw(const Report *report, DtReportFormat format, GError **error)
{
    const DtMessages *messages = report->states->messages;
    Agraph_t *graph = dt_graph_new("most-waited", error);
    if (!graph)
        return NULL;
    for (guint rank = 0; rank < messages->ranks->len; rank++) {
        gboolean in_ring = g_array_index(report->states->cycles, guint, rank) > 0;
        Agnode_t *node = dt_graph_node(graph, dt_rank_label(messages, rank));
        g_autofree char *time = dt_duration_text((gdouble)report->states->of_ranks[rank]);
        dt_graph_set_label_format(node, "%s\nwaited %s", dt_rank_label(messages, rank), time);
        dt_graph_set(node, "shape", "box");
        dt_graph_set(node, "style", "filled");
        dt_graph_set(node, "color", in_ring ? DT_COLOUR_FAULTY : DT_COLOUR_QUIET);
        dt_graph_set(node, "fillcolor", in_ring ? DT_COLOUR_FAULTY_PALE : "white");
    }
    for (guint rank = 0; rank < messages->ranks->len; rank++)
        draw_arrow(report, graph, rank);
    return dt_graph_draw(graph, format, error);
}

char *dt_report_wait_states(const DtMessagesShown *shown, const DtWaitStates *states, DtReportFormat format,
                            GError **error)
{
    const DtMessages *messages = states->messages;
    g_autoptr(DtTimedPlaces) places = dt_timed_places_new(messages);
    gint64 span = messages->begin == DT_NO_TIME ? 0 : messages->end - messages->begin;
    const Report report = {shown, states, places, (gdouble)span * (gdouble)messages->rows->len};
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return waits_text(&report);
    case DT_FORMAT_TSV:
        return waits_tsv(&report);
    case DT_FORMAT_JSON:
        return waits_json(&report);
    case DT_FORMAT_DOT:
    case DT_FORMAT_SVG:
        return draw(&report, format, error);
    default:
        return dt_report_no_format("waits", format, "text, tsv, json, dot and svg", error);
    }
}
