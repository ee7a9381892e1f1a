#include "payload/differing_data.h"

#include "payload/causes.h"

/* Of one event the data in the normal runs. */
typedef struct {
    guint32 hash;
    guint runs;
    gboolean varies;
} Usual;

typedef struct {
    DtDataNames *names;
    GHashTable *places; /* key_of() -> index into `usual`, plus 1 */
    GArray *usual;      /* Usual */
    GHashTable *varying_families, *changing_families;
} Normal;

/* 64 bits of which a collision is less likely than one of the hashes themselves. */
static gpointer key_of(gint rank, const DtDataEvent *event)
{
    const guint64 factor = G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    guint64 key = ((guint64)event->kind << 32 | (guint32)rank) * factor;
    key = (key ^ key >> 29 ^ event->channel) * factor;
    key = (key ^ key >> 32 ^ event->number) * factor;
    return GSIZE_TO_POINTER(key ^ key >> 31);
}

static Usual *find_usual(const Normal *normal, gint rank, const DtDataEvent *event)
{
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(normal->places, key_of(rank, event)));
    return place ? &g_array_index(normal->usual, Usual, place - 1) : NULL;
}

static void add_usual(Normal *normal, gint rank, const DtDataEvent *event)
{
    Usual *known = find_usual(normal, rank, event);
    if (!known) {
        const Usual usual = {event->hash, 1, FALSE};
        g_array_append_val(normal->usual, usual);
        g_hash_table_insert(normal->places, key_of(rank, event), GUINT_TO_POINTER(normal->usual->len));
        return;
    }
    known->runs++;
    known->varies |= known->hash != event->hash;
    if (known->varies)
        g_hash_table_add(normal->varying_families, GUINT_TO_POINTER(event->family));
}

static gboolean add_run(Normal *normal, const DtRun *run, GError **error)
{
    g_autoptr(GPtrArray) ranks = dt_data_events_read(run, normal->names, error);
    for (guint i = 0; ranks && i < ranks->len; i++) {
        const DtDataOfRank *of_rank = ranks->pdata[i];
        for (guint e = 0; e < of_rank->events->len; e++) {
            const DtDataEvent *event = &g_array_index(of_rank->events, DtDataEvent, e);
            if (event->kind == DT_DATA_EVENT_CHANGED)
                g_hash_table_add(normal->changing_families, GUINT_TO_POINTER(event->family));
            else if (event->known)
                add_usual(normal, of_rank->rank, event);
        }
    }
    return ranks != NULL;
}

static void clear_normal(Normal *normal)
{
    dt_data_names_free(normal->names);
    g_hash_table_unref(normal->places);
    g_array_unref(normal->usual);
    g_hash_table_unref(normal->varying_families);
    g_hash_table_unref(normal->changing_families);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Normal, clear_normal)

/* ---- the faulty run -------------------------------------------------------------------------- */

static char *site_text(DtSourceLines *lines, const DtRun *run, const DtDataOfRank *of_rank, const DtDataEvent *event)
{
    return event->site ? dt_source_lines_text_of_function(lines, run, of_rank->trace->process, &event->site->place)
                       : NULL;
}

static const char *function_name(const DtRun *run, const DtDataEvent *event)
{
    return dt_functions_get(dt_run_functions(run), event->function)->name;
}

static void note_varying(DtDifferingData *data, DtSourceLines *lines, const DtRun *run, const DtDataOfRank *of_rank,
                         const DtDataEvent *event)
{
    data->varying++;
    if (data->varies)
        return;
    g_autofree char *source = site_text(lines, run, of_rank, event);
    data->varies =
        source ? g_strdup_printf("%s at %s", function_name(run, event), source) : g_strdup(function_name(run, event));
}

static gboolean differs(const Normal *normal, DtDifferingData *data, DtSourceLines *lines, const DtRun *run,
                        const DtDataOfRank *of_rank, const DtDataEvent *event)
{
    if (event->kind == DT_DATA_EVENT_CHANGED)
        return !g_hash_table_contains(normal->changing_families, GUINT_TO_POINTER(event->family));
    const Usual *usual = event->known ? find_usual(normal, of_rank->rank, event) : NULL;
    if (!usual || usual->runs < data->normals)
        return FALSE;
    data->compared++;
    if (usual->varies || g_hash_table_contains(normal->varying_families, GUINT_TO_POINTER(event->family))) {
        note_varying(data, lines, run, of_rank, event);
        return FALSE;
    }
    return usual->hash != event->hash;
}

static GByteArray *compare_rank(const Normal *normal, DtDifferingData *data, DtSourceLines *lines, const DtRun *run,
                                const DtDataOfRank *of_rank)
{
    GByteArray *differing = g_byte_array_new();
    for (guint e = 0; e < of_rank->events->len; e++) {
        const guint8 own =
            differs(normal, data, lines, run, of_rank, &g_array_index(of_rank->events, DtDataEvent, e)) ? 1 : 0;
        data->differing += own;
        g_byte_array_append(differing, &own, 1);
    }
    return differing;
}

static void add_first(const Normal *normal, DtDifferingData *data, DtSourceLines *lines, const DtRun *run,
                      const DtDataOfRank *of_rank, const DtFirstDifference *first)
{
    const DtDataEvent *event = &g_array_index(of_rank->events, DtDataEvent, first->event);
    const Usual *usual = find_usual(normal, of_rank->rank, event);
    DtDataDeparture *departure = g_new0(DtDataDeparture, 1);
    departure->label = of_rank->trace->label;
    departure->kind = event->kind;
    departure->call = g_strdup(function_name(run, event));
    departure->source = site_text(lines, run, of_rank, event);
    departure->nth = event->nth;
    departure->starts = event->starts;
    departure->peer = event->peer;
    departure->under_way = first->under_way;
    departure->hash = event->hash;
    departure->usual = usual ? usual->hash : 0;
    g_ptr_array_add(data->firsts, departure);
}

static void free_departure(gpointer pointer)
{
    DtDataDeparture *departure = pointer;
    g_free(departure->call);
    g_free(departure->source);
    g_free(departure);
}

static gboolean have_payload(const GPtrArray *normals, const DtRun *faulty)
{
    gboolean all = normals->len > 0 && dt_run_has_payload(faulty);
    for (guint i = 0; all && i < normals->len; i++)
        all = dt_run_has_payload(normals->pdata[i]);
    return all;
}

DtDifferingData *dt_differing_data_find(const GPtrArray *normals, const DtRun *faulty, GError **error)
{
    if (!have_payload(normals, faulty))
        return NULL;
    g_auto(Normal)
        normal = {dt_data_names_new(), g_hash_table_new(NULL, NULL), g_array_new(FALSE, FALSE, sizeof(Usual)),
                  g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL)};
    for (guint i = 0; i < normals->len; i++)
        if (!add_run(&normal, normals->pdata[i], error))
            return NULL;
    g_autoptr(GPtrArray) ranks = dt_data_events_read(faulty, normal.names, error);
    if (!ranks)
        return NULL;
    g_autoptr(DtSourceLines) lines = dt_source_lines_new();
    g_autoptr(GPtrArray) differing = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
    DtDifferingData *data = g_new0(DtDifferingData, 1);
    data->normals = normals->len;
    data->ranks = ranks->len;
    data->firsts = g_ptr_array_new_with_free_func(free_departure);
    for (guint i = 0; i < ranks->len; i++)
        g_ptr_array_add(differing, compare_rank(&normal, data, lines, faulty, ranks->pdata[i]));
    g_autoptr(GArray) firsts = dt_first_differences(ranks, differing);
    for (guint i = 0; i < firsts->len; i++) {
        const DtFirstDifference *first = &g_array_index(firsts, DtFirstDifference, i);
        add_first(&normal, data, lines, faulty, ranks->pdata[first->rank], first);
    }
    return data;
}

void dt_differing_data_free(DtDifferingData *data)
{
    if (!data)
        return;
    g_ptr_array_unref(data->firsts);
    g_free(data->varies);
    g_free(data);
}

const DtDataDeparture *dt_differing_data_of(const DtDifferingData *data, const char *label)
{
    for (guint i = 0; data && i < data->firsts->len; i++)
        if (g_str_equal(((const DtDataDeparture *)data->firsts->pdata[i])->label, label))
            return data->firsts->pdata[i];
    return NULL;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *ordinal_of(guint64 number)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    return number % 100 / 10 != 1 && number % 10 < G_N_ELEMENTS(endings) ? endings[number % 10] : "th";
}

static char *peer_text(const char *before, gint peer)
{
    return peer >= 0 ? g_strdup_printf("%s rank %d", before, peer) : g_strdup("");
}

char *dt_data_departure_text(const DtDataDeparture *departure)
{
    g_autofree char *to = peer_text(" to", departure->peer), *from = peer_text(" from", departure->peer);
    g_autofree char *start = departure->starts == 0 ? g_strdup("")
                                                    : g_strdup_printf(" started the %" G_GUINT64_FORMAT "%s time,",
                                                                      departure->starts, ordinal_of(departure->starts));
    g_autofree char *call =
        g_strdup_printf("its %s%s%s, the %" G_GUINT64_FORMAT "%s,%s", departure->call, departure->source ? " at " : "",
                        departure->source ? departure->source : "", departure->nth, ordinal_of(departure->nth), start);
    const char *as_usual = departure->under_way ? ", though what was sent is as usual" : "";
    switch (departure->kind) {
    case DT_DATA_EVENT_SENT:
        return g_strdup_printf("%s sends other data%s than in the normal runs", call, to);
    case DT_DATA_EVENT_CHANGED:
        return g_strdup_printf("%s has its data%s changed before they are sent: the buffer is written to while its "
                               "request is not complete",
                               call, to);
    case DT_DATA_EVENT_GIVEN:
        return g_strdup_printf("%s contributes other data than in the normal runs", call);
    case DT_DATA_EVENT_GOT:
        return g_strdup_printf("%s gets another result%s than in the normal runs%s", call, from,
                               departure->under_way ? ", though all contribute what they do normally" : "");
    case DT_DATA_EVENT_RECEIVED:
    case DT_DATA_EVENT_KINDS:
        break;
    }
    return g_strdup_printf("%s gets other data%s than in the normal runs%s", call, from, as_usual);
}

char *dt_differing_data_caution(const DtDifferingData *data)
{
    if (data->normals == 1 && data->differing > 0)
        return g_strdup("with one normal run it is not known which data vary by themselves");
    if (data->varying == 0)
        return NULL;
    return g_strdup_printf("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                           " data vary by themselves, such as those of %s, and were not compared",
                           data->varying, data->compared, data->varies);
}
