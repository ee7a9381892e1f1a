/* Calls by where they stand in the program. */
#include "report/common.h"
#include "report/table.h"
#include "report/times/messages_report.h"
#include "report/times/timed_places.h"
#include "report/times/units.h"

#include <math.h>
#include <string.h>

typedef struct {
    const DtTimedPlace *place;
    guint64 calls; /* with times or without */
    DtDurations durations;
    guint longest_row;
    guint64 messages, bytes; /* that were sent by these calls */
    GArray *of_ranks;        /* guint64 ns, by rank */
} Site;

static void free_site(gpointer data)
{
    Site *site = data;
    dt_durations_clear(&site->durations);
    g_array_unref(site->of_ranks);
    g_free(site);
}

typedef struct {
    const DtMessagesShown *shown;
    DtTimedPlaces *places;
    GHashTable *by_call;  /* what tells calls apart (DtTimedCall) -> Site, borrowed */
    GHashTable *by_place; /* DtTimedPlace -> Site */
    gdouble of_ns;        /* of all threads, from their first to their last moment */
} Sites;

static guint hash_call(gconstpointer key)
{
    const DtTimedCall *call = key;
    return call->function * 31 + call->caller * 7 + g_direct_hash(call->site);
}

static gboolean equal_calls(gconstpointer a, gconstpointer b)
{
    const DtTimedCall *one = a, *other = b;
    return one->function == other->function && one->caller == other->caller && one->site == other->site;
}

static Site *site_of(Sites *sites, guint index)
{
    const DtTimedCall *call = dt_messages_call(sites->shown->messages, index);
    Site *site = g_hash_table_lookup(sites->by_call, call);
    if (site)
        return site;
    const DtTimedPlace *place = dt_timed_place(sites->places, index);
    site = g_hash_table_lookup(sites->by_place, place);
    if (!site) {
        site = g_new0(Site, 1);
        site->place = place;
        site->of_ranks = g_array_new(FALSE, TRUE, sizeof(guint64));
        g_array_set_size(site->of_ranks, sites->shown->messages->ranks->len);
        g_hash_table_insert(sites->by_place, (gpointer)place, site);
    }
    g_hash_table_insert(sites->by_call, (gpointer)call, site);
    return site;
}

static void add_call(Sites *sites, guint index)
{
    const DtMessages *messages = sites->shown->messages;
    const DtTimedCall *call = dt_messages_call(messages, index);
    Site *site = site_of(sites, index);
    site->calls++;
    if (call->begin == DT_NO_TIME || call->end == DT_NO_TIME)
        return;
    const guint64 ns = (guint64)MAX(call->end - call->begin, 0);
    if (site->durations.count == 0 || ns > site->durations.largest)
        site->longest_row = call->row;
    dt_durations_add(&site->durations, ns);
    g_array_index(site->of_ranks, guint64, dt_messages_rank(messages, index)) += ns;
}

static Sites sites_of(const DtMessagesShown *shown)
{
    const DtMessages *messages = shown->messages;
    Sites sites = {.shown = shown,
                   .places = dt_timed_places_new(messages),
                   .by_call = g_hash_table_new(hash_call, equal_calls),
                   .by_place = g_hash_table_new_full(NULL, NULL, NULL, free_site)};
    for (guint i = 0; i < messages->calls->len; i++)
        add_call(&sites, i);
    for (guint i = 0; i < messages->messages->len; i++) {
        const DtMessage *message = &g_array_index(messages->messages, DtMessage, i);
        if (message->sent.call == DT_NO_CALL)
            continue;
        Site *site = site_of(&sites, message->sent.call);
        site->messages++;
        site->bytes += message->bytes;
    }
    for (guint i = 0; i < messages->rows->len; i++) {
        const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, i);
        if (row->calls > 0 && row->begin != DT_NO_TIME && row->end != DT_NO_TIME)
            sites.of_ns += (gdouble)(row->end - row->begin);
    }
    return sites;
}

static void clear_sites(Sites *sites)
{
    g_hash_table_unref(sites->by_call);
    g_hash_table_unref(sites->by_place);
    dt_timed_places_free(sites->places);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sites, clear_sites)

static gint compare_sites(gconstpointer a, gconstpointer b)
{
    const Site *one = *(const Site *const *)a, *other = *(const Site *const *)b;
    if (one->durations.sum != other->durations.sum)
        return one->durations.sum > other->durations.sum ? -1 : 1;
    if (one->calls != other->calls)
        return one->calls > other->calls ? -1 : 1;
    return strcmp(one->place->sentence, other->place->sentence);
}

/* Those that took longest first. */
static GPtrArray *sorted_sites(const Sites *sites)
{
    GPtrArray *rows = g_ptr_array_new();
    GHashTableIter iter;
    gpointer site;
    g_hash_table_iter_init(&iter, sites->by_place);
    while (g_hash_table_iter_next(&iter, NULL, &site))
        g_ptr_array_add(rows, site);
    g_ptr_array_sort(rows, compare_sites);
    const guint top = sites->shown->shown->top;
    if (top > 0 && rows->len > top)
        g_ptr_array_set_size(rows, (gint)top);
    return rows;
}

static gdouble mean_of(const Site *site)
{
    return site->durations.count > 0 ? (gdouble)site->durations.sum / (gdouble)site->durations.count : (gdouble)NAN;
}

/* Standard deviation of the ranks' times here by their mean, over all ranks. */
static gdouble variation_of(const Site *site)
{
    const gdouble ranks = site->of_ranks->len, mean = (gdouble)site->durations.sum / ranks;
    gdouble squares = 0;
    for (guint rank = 0; rank < site->of_ranks->len; rank++)
        squares += pow((gdouble)g_array_index(site->of_ranks, guint64, rank) - mean, 2);
    return mean > 0 ? sqrt(squares / ranks) / mean : (gdouble)NAN;
}

static const char *longest_on(const Sites *sites, const Site *site)
{
    return g_array_index(sites->shown->messages->rows, DtTimedRow, site->longest_row).trace->label;
}

static void add_row(DtTable *table, const Sites *sites, const Site *site, gboolean tsv)
{
    const DtDurations *durations = &site->durations;
    const gboolean timed = durations->count > 0;
    dt_table_add(table, site->place->name);
    dt_table_add(table, site->place->caller);
    dt_table_add(table, site->place->line);
    dt_table_add_format(table, "%" G_GUINT64_FORMAT, site->calls);
    dt_table_add_duration(table, tsv, timed, (gdouble)durations->sum);
    dt_table_add_share(table, tsv, (gdouble)durations->sum, timed ? sites->of_ns : 0);
    dt_table_add_duration(table, tsv, timed, (gdouble)durations->smallest);
    dt_table_add_duration(table, tsv, timed, timed ? mean_of(site) : 0);
    dt_table_add_duration(table, tsv, timed, (gdouble)durations->largest);
    dt_table_add(table, timed ? longest_on(sites, site) : NULL);
    if (durations->sum > 0)
        dt_table_add_format(table, "%.2f", variation_of(site));
    else
        dt_table_add(table, NULL);
    if (site->messages > 0)
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, site->messages);
    else
        dt_table_add(table, NULL);
    dt_table_add_amount(table, tsv, site->messages > 0, (gdouble)site->bytes, "B");
}

static char *sites_text(const Sites *sites, gboolean tsv)
{
    g_autoptr(DtTable) table =
        dt_table_new("~call|~in|line|>calls|>time|>share|>least|>mean|>longest|on|>variation|>messages|>bytes");
    g_autoptr(GPtrArray) rows = sorted_sites(sites);
    for (guint i = 0; i < rows->len; i++)
        add_row(table, sites, rows->pdata[i], tsv);
    GString *out = g_string_new(NULL);
    if (tsv) {
        dt_table_append_tsv(table, out);
        return g_string_free(out, FALSE);
    }
    dt_table_append_text(table, out, sites->shown->shown->width);
    g_string_append_c(out, '\n');
    dt_append_matched(out, sites->shown);
    return g_string_free(out, FALSE);
}

static void add_object(JsonBuilder *builder, const Sites *sites, const Site *site)
{
    const gboolean timed = site->durations.count > 0;
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "call", site->place->name);
    dt_json_string(builder, "in", site->place->caller);
    dt_json_string(builder, "source", site->place->line);
    dt_json_integer(builder, "calls", (gint64)site->calls);
    dt_json_integer(builder, "timed", (gint64)site->durations.count);
    dt_json_integer(builder, "ns", (gint64)site->durations.sum);
    dt_json_number(builder, "share",
                   timed && sites->of_ns > 0 ? (gdouble)site->durations.sum / sites->of_ns : (gdouble)NAN);
    dt_json_number(builder, "least_ns", timed ? (gdouble)site->durations.smallest : (gdouble)NAN);
    dt_json_number(builder, "mean_ns", mean_of(site));
    dt_json_number(builder, "longest_ns", timed ? (gdouble)site->durations.largest : (gdouble)NAN);
    dt_json_string(builder, "longest_on", timed ? longest_on(sites, site) : NULL);
    dt_json_number(builder, "variation", variation_of(site));
    dt_json_integer(builder, "messages", (gint64)site->messages);
    dt_json_integer(builder, "bytes", (gint64)site->bytes);
    dt_json_begin_array(builder, "ns_of_ranks");
    for (guint rank = 0; rank < site->of_ranks->len; rank++)
        dt_json_integer(builder, NULL, (gint64)g_array_index(site->of_ranks, guint64, rank));
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static char *sites_json(const Sites *sites)
{
    JsonBuilder *builder = dt_json_document();
    g_autoptr(GPtrArray) rows = sorted_sites(sites);
    dt_json_matched(builder, sites->shown);
    dt_json_begin_array(builder, "sites");
    for (guint i = 0; i < rows->len; i++)
        add_object(builder, sites, rows->pdata[i]);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_site_times(const DtMessagesShown *shown, DtReportFormat format, GError **error)
{
    if (format != DT_FORMAT_TEXT && format != DT_FORMAT_TERMINAL && format != DT_FORMAT_TSV && format != DT_FORMAT_JSON)
        return dt_report_no_format("times by site", format, "text, tsv and json", error);
    g_auto(Sites) sites = sites_of(shown);
    return format == DT_FORMAT_JSON ? sites_json(&sites) : sites_text(&sites, format == DT_FORMAT_TSV);
}
