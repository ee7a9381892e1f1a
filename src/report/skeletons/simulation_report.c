#include "report/skeletons/simulation_report.h"

#include <string.h>

#include "report/common.h"
#include "report/times/units.h"
#include "simulate/timed.h"

static const char *sends_name(DtSends sends)
{
    return sends == DT_SENDS_BUFFERED ? "buffered" : "unbuffered";
}

/* ---- text --------------------------------------------------------------------------- */

/* Whom the receives from anybody of each rank got, in the order that stands still. */
static void append_chosen(GString *text, const DtOrders *orders, guint ranks)
{
    enum { MOST = 20 };
    for (guint rank = 0; rank < ranks; rank++) {
        guint got = 0;
        for (guint i = 0; i < orders->chosen->len; i++) {
            const DtChosen *chosen = &g_array_index(orders->chosen, DtChosen, i);
            if (chosen->rank != rank)
                continue;
            if (got++ == 0)
                g_string_append_printf(text, "  receives of %u from anybody got: %u", rank, chosen->got);
            else if (got <= MOST)
                g_string_append_printf(text, " %u", chosen->got);
        }
        if (got > MOST)
            g_string_append_printf(text, " ... (%u)", got);
        if (got > 0)
            g_string_append_c(text, '\n');
    }
}

static void append_orders(GString *text, const DtSimulation *simulation)
{
    const DtOrders *orders = simulation->orders;
    g_string_append_printf(text, "  orders of receives from anybody: %" G_GUINT64_FORMAT " tried, %s; ", orders->tried,
                           orders->complete ? "these are all that differ" : "there are more");
    if (orders->standing == 0)
        g_string_append(text, "none stands still\n");
    else
        g_string_append_printf(text, "%" G_GUINT64_FORMAT " stand%s still%s\n", orders->standing,
                               orders->standing == 1 ? "s" : "",
                               orders->chosen->len > 0 ? ", the first of them after these:" : "");
    append_chosen(text, orders, simulation->ranks);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void append_duration(GString *text, gint64 ns)
{
    g_autofree char *duration = dt_duration_text((gdouble)ns);
    g_string_append(text, duration);
}

static void append_waits(GString *text, const DtTimes *times)
{
    const char *before = "  waits: ";
    for (guint i = 0; i < DT_TIMED_WAITS; i++) {
        if (times->waits[i].calls == 0)
            continue;
        g_string_append_printf(text, "%s%s %" G_GUINT64_FORMAT " x, ", before, dt_timed_wait_name(i),
                               times->waits[i].calls);
        append_duration(text, times->waits[i].ns);
        before = "; ";
    }
    if (before[0] == ';')
        g_string_append_c(text, '\n');
}

static gint compare_waits(gconstpointer a, gconstpointer b, gpointer data)
{
    const DtSimulatedRankTimes *rank = ((const DtTimes *)data)->rank;
    const guint one = *(const guint *)a, other = *(const guint *)b;
    if (rank[one].waited != rank[other].waited)
        return rank[one].waited > rank[other].waited ? -1 : 1;
    return one < other ? -1 : one > other;
}

static void append_waiters(GString *text, const DtTimes *times)
{
    enum { MOST = 5 };
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < times->ranks; i++)
        if (times->rank[i].waited > 0)
            g_array_append_val(ranks, i);
    g_array_sort_with_data(ranks, compare_waits, (gpointer)times);
    for (guint i = 0; i < ranks->len && i < MOST; i++) {
        const guint rank = g_array_index(ranks, guint, i);
        g_string_append_printf(text, "%s%u for ", i == 0 ? "  ranks that waited most: " : ", ", rank);
        append_duration(text, times->rank[rank].waited);
        g_string_append_printf(text, " (most for %d)", times->rank[rank].most_for);
    }
    if (ranks->len > 0)
        g_string_append_c(text, '\n');
}

static void append_times(GString *text, const DtTimes *times, gboolean ends)
{
    gint64 computed = 0, waited = 0;
    for (guint i = 0; i < times->ranks; i++) {
        computed += times->rank[i].computed;
        waited += times->rank[i].waited;
    }
    g_string_append(text, ends ? "  at their ends after " : "  nobody gets on after ");
    append_duration(text, times->end);
    g_string_append_printf(text, " on %u host%s; all ranks together computed ", times->hosts,
                           times->hosts == 1 ? "" : "s");
    append_duration(text, computed);
    g_string_append(text, " and waited for others ");
    append_duration(text, waited);
    g_string_append_printf(text,
                           "\n  %" G_GUINT64_FORMAT " messages of %" G_GUINT64_FORMAT " bytes, and %" G_GUINT64_FORMAT
                           " of %" G_GUINT64_FORMAT " bytes within collective calls\n",
                           times->messages, times->bytes, times->collective_messages, times->collective_bytes);
    append_waits(text, times);
    append_waiters(text, times);
    if (!times->computes)
        g_string_append(text, "  nobody computes: the skeleton has no times (difftrace skeleton --times)\n");
}

/* "  not simulated: MPI_Comm_spawn, MPI_Send: whoever stands still may wait for it, and nothing is proved" */
static void append_not_simulated(GString *text, const DtSimulation *simulation)
{
    if (!simulation->not_simulated)
        return;
    for (guint i = 0; i < simulation->not_simulated->len; i++)
        g_string_append_printf(text, "%s%s", i == 0 ? "  not simulated: " : ", ",
                               (const char *)simulation->not_simulated->pdata[i]);
    g_string_append(text, simulation->ends ? "\n" : ": ranks may stand still for want of it, and nothing is proved\n");
}

static void append_no_proof(GString *text, const DtSimulation *simulation)
{
    const char *s = simulation->went_on == 1 ? "s" : "";
    if (simulation->went_on > 0)
        g_string_append_printf(text, "  %u rank%s return%s here from a call that did not return when it was recorded: ",
                               simulation->went_on, simulation->went_on == 1 ? "" : "s", s);
    if (simulation->no_end_is_known)
        g_string_append(text, "what comes next is not known, and nothing is proved\n");
    else if (simulation->went_on > 0)
        g_string_append(text, "the cause may be outside of MPI\n");
    if (simulation->undecided && !simulation->not_simulated && !simulation->no_end_is_known)
        g_string_append(text,
                        "  but with other messages for those that wait for any some may go on: this is no proof\n");
}

static gboolean append_text(GString *text, const DtSimulation *simulation, guint width, GError **error)
{
    const guint standing = simulation->standing->len;
    g_string_append_printf(text, "%ssends %s: ", text->len > 0 ? "\n" : "", sends_name(simulation->sends));
    if (simulation->ends)
        g_string_append_printf(text, "all %u ranks come to their ends, %" G_GUINT64_FORMAT " calls\n",
                               simulation->ranks, simulation->calls);
    else
        g_string_append_printf(text, "%u of %u ranks stand%s still, after %" G_GUINT64_FORMAT " calls\n", standing,
                               simulation->ranks, standing == 1 ? "s" : "", simulation->calls);
    if (simulation->times)
        append_times(text, simulation->times, simulation->ends);
    append_not_simulated(text, simulation);
    if (simulation->orders)
        append_orders(text, simulation);
    append_no_proof(text, simulation);
    if (simulation->ends || simulation->not_simulated)
        return TRUE;
    g_autofree char *waits = dt_report_wait_for(simulation->waits, width, DT_FORMAT_TEXT, error);
    if (waits)
        g_string_append(text, waits);
    return waits != NULL;
}

static char *simulations_text(const GPtrArray *simulations, guint width, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < simulations->len; i++)
        if (!append_text(text, simulations->pdata[i], width, error))
            return NULL;
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The table of `waits`, with a column of how it was sent. */
static char *simulations_tsv(const GPtrArray *simulations, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < simulations->len; i++) {
        const DtSimulation *simulation = simulations->pdata[i];
        g_autofree char *waits = dt_report_wait_for(simulation->waits, 0, DT_FORMAT_TSV, error);
        if (!waits)
            return NULL;
        g_auto(GStrv) lines = g_strsplit(waits, "\n", -1);
        for (guint line = i == 0 ? 0 : 1; lines[line] && *lines[line]; line++)
            g_string_append_printf(text, "%s\t%s\n", line == 0 ? "sends" : sends_name(simulation->sends), lines[line]);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void add_orders(JsonBuilder *builder, const DtOrders *orders)
{
    if (!orders) {
        dt_json_null(builder, "orders");
        return;
    }
    dt_json_begin_object(builder, "orders");
    dt_json_integer(builder, "tried", (gint64)orders->tried);
    dt_json_boolean(builder, "complete", orders->complete);
    dt_json_integer(builder, "standing", (gint64)orders->standing);
    dt_json_begin_array(builder, "chosen");
    for (guint i = 0; i < orders->chosen->len; i++) {
        const DtChosen *chosen = &g_array_index(orders->chosen, DtChosen, i);
        dt_json_begin_object(builder, NULL);
        dt_json_integer(builder, "rank", chosen->rank);
        dt_json_integer(builder, "got", chosen->got);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void add_ranks(JsonBuilder *builder, const DtTimes *times)
{
    dt_json_begin_array(builder, "by_rank");
    for (guint i = 0; i < times->ranks; i++) {
        const DtSimulatedRankTimes *rank = &times->rank[i];
        dt_json_begin_object(builder, NULL);
        dt_json_integer(builder, "rank", i);
        if (rank->end < 0)
            dt_json_null(builder, "end_ns");
        else
            dt_json_integer(builder, "end_ns", rank->end);
        dt_json_integer(builder, "computed_ns", rank->computed);
        dt_json_integer(builder, "waited_ns", rank->waited);
        if (rank->most_for < 0)
            dt_json_null(builder, "most_for");
        else
            dt_json_integer(builder, "most_for", rank->most_for);
        dt_json_integer(builder, "most_ns", rank->most);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_links(JsonBuilder *builder, const DtTimes *times)
{
    dt_json_begin_array(builder, "links");
    for (guint i = 0; i < times->links->len; i++) {
        const DtTimedLink *link = &g_array_index(times->links, DtTimedLink, i);
        dt_json_begin_object(builder, NULL);
        dt_json_integer(builder, "from", link->from);
        dt_json_integer(builder, "to", link->to);
        dt_json_integer(builder, "messages", (gint64)link->messages);
        dt_json_integer(builder, "bytes", (gint64)link->bytes);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_times(JsonBuilder *builder, const DtTimes *times)
{
    if (!times) {
        dt_json_null(builder, "times");
        return;
    }
    dt_json_begin_object(builder, "times");
    dt_json_integer(builder, "end_ns", times->end);
    dt_json_integer(builder, "hosts", times->hosts);
    dt_json_boolean(builder, "computes", times->computes);
    dt_json_integer(builder, "messages", (gint64)times->messages);
    dt_json_integer(builder, "bytes", (gint64)times->bytes);
    dt_json_integer(builder, "collective_messages", (gint64)times->collective_messages);
    dt_json_integer(builder, "collective_bytes", (gint64)times->collective_bytes);
    dt_json_begin_array(builder, "kinds");
    for (guint i = 0; i < DT_TIMED_WAITS; i++) {
        if (times->waits[i].calls == 0)
            continue;
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "wait", dt_timed_wait_name(i));
        dt_json_integer(builder, "calls", (gint64)times->waits[i].calls);
        dt_json_integer(builder, "ns", times->waits[i].ns);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    add_ranks(builder, times);
    add_links(builder, times);
    json_builder_end_object(builder);
}

static char *simulations_json(const GPtrArray *simulations)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_begin_array(builder, "simulations");
    for (guint i = 0; i < simulations->len; i++) {
        const DtSimulation *simulation = simulations->pdata[i];
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "sends", sends_name(simulation->sends));
        dt_json_boolean(builder, "ends", simulation->ends);
        dt_json_boolean(builder, "undecided", simulation->undecided);
        dt_json_integer(builder, "ranks", simulation->ranks);
        dt_json_integer(builder, "calls", (gint64)simulation->calls);
        dt_json_integer(builder, "went_on", simulation->went_on);
        dt_json_begin_array(builder, "not_simulated");
        for (guint k = 0; simulation->not_simulated && k < simulation->not_simulated->len; k++)
            json_builder_add_string_value(builder, simulation->not_simulated->pdata[k]);
        json_builder_end_array(builder);
        add_times(builder, simulation->times);
        add_orders(builder, simulation->orders);
        dt_json_add_waits(builder, simulation->waits);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_simulations(const GPtrArray *simulations, guint width, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return simulations_text(simulations, width, error);
    case DT_FORMAT_TSV:
        return simulations_tsv(simulations, error);
    case DT_FORMAT_JSON:
        return simulations_json(simulations);
    default:
        return dt_report_no_format("what simulations come to", format, "text, tsv and json", error);
    }
}
