/* Callgrind's profile format: the cost of a function is how often it was called, of a call all that was called in it.
 */
#include "export/writer.h"
#include "text/text.h"

typedef struct {
    guint32 caller, callee; /* caller 0: top level */
    guint64 calls, inclusive;
} Edge;

typedef struct {
    GHashTable *edges; /* key -> Edge, owned */
    GArray *started;   /* calls seen before each open call (element-type guint64) */
    GArray *frames;    /* open calls (element-type guint32) */
    guint64 calls;
    GHashTable *images; /* name -> number */
} Profile;

static Edge *edge_of(Profile *profile, guint32 caller, guint32 callee)
{
    gint64 key = (gint64)((guint64)caller << 32 | callee);
    Edge *edge = g_hash_table_lookup(profile->edges, &key);
    if (edge == NULL) {
        edge = g_new0(Edge, 1);
        edge->caller = caller;
        edge->callee = callee;
        g_hash_table_insert(profile->edges, g_memdup2(&key, sizeof key), edge);
    }
    return edge;
}

static void leave(Profile *profile)
{
    guint depth = profile->frames->len;
    const guint32 *frames = (const guint32 *)(void *)profile->frames->data;
    Edge *edge = edge_of(profile, depth > 1 ? frames[depth - 2] : 0, frames[depth - 1]);
    edge->calls++;
    edge->inclusive += profile->calls - g_array_index(profile->started, guint64, depth - 1);
    g_array_set_size(profile->frames, depth - 1);
    g_array_set_size(profile->started, depth - 1);
}

static gboolean count_event(const DtExportEvent *event, gpointer user_data)
{
    Profile *profile = user_data;
    if (!event->entry) {
        leave(profile);
        return TRUE;
    }
    g_array_append_val(profile->frames, event->function);
    g_array_append_val(profile->started, profile->calls);
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

/* The function with its own cost, then its calls: edges from `first` on, as long as it is their caller. */
static guint append_calls(GString *out, const Profile *profile, const DtRun *run, const GPtrArray *edges, guint first,
                          guint32 caller)
{
    for (; first < edges->len && ((const Edge *)edges->pdata[first])->caller == caller; first++) {
        const Edge *edge = edges->pdata[first];
        append_function(out, profile, run, TRUE, edge->callee);
        g_string_append_printf(out, "calls=%" G_GUINT64_FORMAT " 0\n0 %" G_GUINT64_FORMAT "\n", edge->calls,
                               edge->inclusive);
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
        g_string_append_printf(writer->text, "0 %" G_GUINT64_FORMAT "\n", own[id]);
        next = append_calls(writer->text, profile, run, edges, next, id);
        g_string_append_c(writer->text, '\n');
    }
    g_string_append_printf(writer->text, "totals: %" G_GUINT64_FORMAT "\n", profile->calls);
}

gboolean dt_export_callgrind(const DtRun *run, const GPtrArray *traces, DtExportWriter *writer, GError **error)
{
    g_autoptr(GHashTable) edges = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autoptr(GArray) started = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GHashTable) images = g_hash_table_new(g_str_hash, g_str_equal);
    Profile profile = {edges, started, frames, 0, images};
    for (guint i = 0; i < traces->len; i++) {
        if (!dt_export_walk(run, traces->pdata[i], count_event, &profile, error))
            return FALSE;
        while (frames->len > 0)
            leave(&profile);
    }
    dt_text_append(writer->text,
                   "# callgrind format\nversion: 1\ncreator: difftrace\ncmd: %s\n"
                   "positions: line\nevents: Calls\n\n",
                   dt_run_path(run));
    append_profile(&profile, run, writer);
    return TRUE;
}
