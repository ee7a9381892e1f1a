/* Callgrind's profile format: the cost of a function is how often it was called and the time spent in it alone; of a
 * call all that was called in it, and its time. */
#include "export/writer.h"
#include "text/text.h"

typedef struct {
    guint32 caller, callee; /* caller 0: top level */
    guint64 calls, inclusive;
    guint64 ns; /* inclusive */
} Edge;

/* An open call. */
typedef struct {
    guint64 calls; /* seen before it */
    gint64 ns;
} Begin;

typedef struct {
    GHashTable *edges; /* key -> Edge, owned */
    GArray *started;   /* Begin, of each open call */
    GArray *frames;    /* open calls (element-type guint32) */
    guint64 calls;
    GHashTable *images; /* name -> number */
    guint64 *own_ns;    /* by function */
    guint64 ns;         /* of all */
    gint64 latest_ns;   /* of the event before */
    gboolean timed;
} Profile;

static Edge *edge_of(Profile *profile, guint32 caller, guint32 callee)
{
    gint64 key = (gint64)((guint64)caller << 32 | callee);
    Edge *edge = g_hash_table_lookup(profile->edges, &key);
    if (!edge) {
        edge = g_new0(Edge, 1);
        edge->caller = caller;
        edge->callee = callee;
        g_hash_table_insert(profile->edges, g_memdup2(&key, sizeof key), edge);
    }
    return edge;
}

/* What has passed was spent in the innermost open call. */
static void spend(Profile *profile, gint64 ns)
{
    if (profile->frames->len > 0 && ns > profile->latest_ns) {
        profile->own_ns[g_array_index(profile->frames, guint32, profile->frames->len - 1)] +=
            (guint64)(ns - profile->latest_ns);
        profile->ns += (guint64)(ns - profile->latest_ns);
    }
    profile->latest_ns = ns;
}

static void leave(Profile *profile)
{
    guint depth = profile->frames->len;
    const guint32 *frames = (const guint32 *)(void *)profile->frames->data;
    Edge *edge = edge_of(profile, depth > 1 ? frames[depth - 2] : 0, frames[depth - 1]);
    edge->calls++;
    const Begin *begin = &g_array_index(profile->started, Begin, depth - 1);
    edge->inclusive += profile->calls - begin->calls;
    edge->ns += (guint64)(profile->latest_ns - begin->ns);
    g_array_set_size(profile->frames, depth - 1);
    g_array_set_size(profile->started, depth - 1);
}

static gboolean count_event(const DtExportEvent *event, gpointer user_data)
{
    Profile *profile = user_data;
    spend(profile, event->own_ns);
    if (!event->entry) {
        leave(profile);
        return TRUE;
    }
    g_array_append_val(profile->frames, event->function);
    const Begin begin = {profile->calls, event->own_ns};
    g_array_append_val(profile->started, begin);
    profile->calls++;
    return TRUE;
}

static gint by_caller(gconstpointer a, gconstpointer b)
{
    const Edge *first = *(Edge *const *)a, *second = *(Edge *const *)b;
    if (first->caller != second->caller)
        return first->caller < second->caller ? -1 : 1;
    return (first->callee > second->callee) - (first->callee < second->callee);
}

static guint image_number(const Profile *profile, const char *image)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(profile->images, image));
    if (number == 0) {
        number = g_hash_table_size(profile->images) + 1;
        g_hash_table_insert(profile->images, (gpointer)image, GUINT_TO_POINTER(number));
    }
    return number;
}

/* Images and functions by number and name: a name alone that begins with a bracket would be taken for a number. */
static void append_function(GString *out, const Profile *profile, const DtRun *run, gboolean called, guint32 function)
{
    const char *image = dt_functions_get(dt_run_functions(run), function)->image;
    g_string_append_printf(out, called ? "cob=(%u) %s\ncfi=???\ncfn=(%u) %s\n" : "ob=(%u) %s\nfl=???\nfn=(%u) %s\n",
                           image_number(profile, image), image, function, dt_export_name(run, function));
}

static void append_cost(GString *out, const Profile *profile, guint64 calls, guint64 ns)
{
    g_string_append_printf(out, "0 %" G_GUINT64_FORMAT, calls);
    if (profile->timed)
        g_string_append_printf(out, " %" G_GUINT64_FORMAT, ns);
    g_string_append_c(out, '\n');
}

/* The function with its own cost, then its calls: edges from `first` on, as long as it is their caller. */
static guint append_calls(GString *out, const Profile *profile, const DtRun *run, const GPtrArray *edges, guint first,
                          guint32 caller)
{
    for (; first < edges->len && ((const Edge *)edges->pdata[first])->caller == caller; first++) {
        const Edge *edge = edges->pdata[first];
        append_function(out, profile, run, TRUE, edge->callee);
        g_string_append_printf(out, "calls=%" G_GUINT64_FORMAT " 0\n", edge->calls);
        append_cost(out, profile, edge->inclusive, edge->ns);
    }
    return first;
}

static void append_profile(const Profile *profile, const DtRun *run, DtExportWriter *writer)
{
    g_autoptr(GPtrArray) edges = g_ptr_array_new();
    guint32 functions = dt_functions_count(dt_run_functions(run));
    g_autofree guint64 *own = g_new0(guint64, (gsize)functions + 1);
    GHashTableIter iterator;
    gpointer edge;
    g_hash_table_iter_init(&iterator, profile->edges);
    while (g_hash_table_iter_next(&iterator, NULL, &edge)) {
        g_ptr_array_add(edges, edge);
        own[((const Edge *)edge)->callee] += ((const Edge *)edge)->calls;
    }
    g_ptr_array_sort(edges, by_caller);
    guint next = 0;
    while (next < edges->len && ((const Edge *)edges->pdata[next])->caller == 0)
        next++;
    for (guint32 id = 1; id <= functions && dt_export_flush(writer, FALSE); id++) {
        if (own[id] == 0)
            continue;
        append_function(writer->text, profile, run, FALSE, id);
        append_cost(writer->text, profile, own[id], profile->own_ns[id]);
        next = append_calls(writer->text, profile, run, edges, next, id);
        g_string_append_c(writer->text, '\n');
    }
    g_string_append_printf(writer->text, "totals: %" G_GUINT64_FORMAT, profile->calls);
    if (profile->timed)
        g_string_append_printf(writer->text, " %" G_GUINT64_FORMAT, profile->ns);
    g_string_append_c(writer->text, '\n');
}

gboolean dt_export_callgrind(DtExportWriter *writer, GError **error)
{
    const DtRun *run = writer->wants->run;
    const GPtrArray *traces = writer->wants->traces;
    g_autoptr(GHashTable) edges = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autoptr(GArray) started = g_array_new(FALSE, FALSE, sizeof(Begin));
    g_autofree guint64 *own_ns = g_new0(guint64, (gsize)dt_functions_count(dt_run_functions(run)) + 1);
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GHashTable) images = g_hash_table_new(g_str_hash, g_str_equal);
    Profile profile = {.edges = edges, .started = started, .frames = frames, .images = images};
    profile.own_ns = own_ns;
    profile.timed = writer->timed;
    for (guint i = 0; i < traces->len; i++) {
        DtExportEnd last;
        if (!dt_export_walk(writer, traces->pdata[i], count_event, &profile, &last, error))
            return FALSE;
        spend(&profile, last.own_ns);
        while (frames->len > 0)
            leave(&profile);
    }
    dt_text_append(writer->text,
                   "# callgrind format\nversion: 1\ncreator: difftrace\ncmd: %s\n"
                   "positions: line\nevents: Calls%s\n\n",
                   dt_run_path(run), writer->timed ? " Nanoseconds" : "");
    append_profile(&profile, run, writer);
    return TRUE;
}
