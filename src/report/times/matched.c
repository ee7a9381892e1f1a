/* What was matched, and what is known of clocks. */
#include "report/common.h"
#include "report/table.h"
#include "report/times/messages_report.h"
#include "report/times/units.h"

#include <math.h>

const char *dt_rank_label(const DtMessages *messages, guint rank)
{
    return g_array_index(messages->ranks, DtTimedRank, rank).process->label;
}

static void append_clock(GString *line, const DtMessagesShown *shown, guint host)
{
    const DtHostClock *clock = &g_array_index(shown->clocks->hosts, DtHostClock, host);
    const char *name = shown->messages->hosts->pdata[host], *first = shown->messages->hosts->pdata[0];
    if (!clock->known) {
        g_string_append_printf(line, "%s: not known, taken by the wall clock", name);
        return;
    }
    g_autofree char *offset = dt_duration_text((gdouble)ABS(clock->offset_ns));
    g_autofree char *half = dt_duration_text((gdouble)ABS(clock->half_ns));
    g_string_append_printf(line, "%s is %s %s %s, +- %s%s", name, offset, clock->offset_ns < 0 ? "behind" : "ahead of",
                           first, clock->half_ns < 0 ? "-" : "", half);
    if (clock->drift != 0)
        g_string_append_printf(line, ", drifting by %.1f us a second", clock->drift * 1e6);
}

static void append_clocks(GString *out, const DtMessagesShown *shown)
{
    const DtClocks *clocks = shown->clocks;
    g_autoptr(GString) line = g_string_new("Clocks, corrected by what was matched: ");
    if (shown->messages->hosts->len < 2)
        return;
    for (guint host = 1; host < shown->messages->hosts->len; host++) {
        g_string_append(line, host > 1 ? "; " : "");
        append_clock(line, shown, host);
    }
    g_string_append_printf(line,
                           ". Of %" G_GUINT64_FORMAT " bounds %" G_GUINT64_FORMAT
                           " were violated before, %" G_GUINT64_FORMAT " are now.",
                           clocks->bounds, clocks->violated_before, clocks->violated_after);
    dt_append_wrapped(out, line->str, shown->shown->width);
}

void dt_append_matched(GString *out, const DtMessagesShown *shown)
{
    const DtMessages *messages = shown->messages;
    g_autofree char *count = dt_grouped(messages->messages->len), *calls = dt_grouped(messages->collectives->len);
    g_autofree char *unmatched = dt_messages_unmatched_text(messages);
    g_autofree char *line = g_strdup_printf(
        "Matched: %s message%s and %s collective call%s%s%s.", count, messages->messages->len == 1 ? "" : "s", calls,
        messages->collectives->len == 1 ? "" : "s", unmatched ? "; not matched: " : "", unmatched ? unmatched : "");
    dt_append_wrapped(out, line, shown->shown->width);
    append_clocks(out, shown);
}

static void add_clocks(JsonBuilder *builder, const DtMessagesShown *shown)
{
    dt_json_begin_object(builder, "clocks");
    dt_json_integer(builder, "bounds", (gint64)shown->clocks->bounds);
    dt_json_integer(builder, "violated_before", (gint64)shown->clocks->violated_before);
    dt_json_integer(builder, "violated_after", (gint64)shown->clocks->violated_after);
    dt_json_begin_array(builder, "hosts");
    for (guint host = 0; host < shown->messages->hosts->len; host++) {
        const DtHostClock *clock = &g_array_index(shown->clocks->hosts, DtHostClock, host);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "host", shown->messages->hosts->pdata[host]);
        if (clock->known) {
            dt_json_integer(builder, "offset_ns", clock->offset_ns);
            dt_json_integer(builder, "half_ns", clock->half_ns);
        } else {
            dt_json_null(builder, "offset_ns");
            dt_json_null(builder, "half_ns");
        }
        dt_json_number(builder, "drift", clock->drift);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void add_unmatched(JsonBuilder *builder, const DtUnmatched *unmatched)
{
    dt_json_begin_object(builder, "unmatched");
    dt_json_integer(builder, "sends", (gint64)unmatched->sends);
    dt_json_integer(builder, "receives", (gint64)unmatched->receives);
    dt_json_integer(builder, "open_receives", (gint64)unmatched->open_receives);
    dt_json_integer(builder, "untold", (gint64)unmatched->untold);
    dt_json_integer(builder, "partial_collectives", (gint64)unmatched->partial_collectives);
    dt_json_integer(builder, "differing_collectives", (gint64)unmatched->differing_collectives);
    dt_json_integer(builder, "untimed", (gint64)unmatched->untimed);
    dt_json_integer(builder, "left_out", (gint64)unmatched->left_out);
    json_builder_end_object(builder);
}

void dt_json_matched(JsonBuilder *builder, const DtMessagesShown *shown)
{
    const DtMessages *messages = shown->messages;
    dt_json_integer(builder, "span_ns", messages->begin == DT_NO_TIME ? 0 : messages->end - messages->begin);
    dt_json_begin_array(builder, "ranks");
    for (guint rank = 0; rank < messages->ranks->len; rank++)
        dt_json_label(builder, NULL, dt_rank_label(messages, rank));
    json_builder_end_array(builder);
    dt_json_integer(builder, "messages", messages->messages->len);
    dt_json_integer(builder, "collectives", messages->collectives->len);
    add_unmatched(builder, &messages->unmatched);
    add_clocks(builder, shown);
}
