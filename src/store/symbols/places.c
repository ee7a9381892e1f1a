/* Places in the code of processes. */
#include "store/symbols/places.h"

#include <stdlib.h>
#include <string.h>

#include "store/run_private.h"

static gint compare_sites(gconstpointer first, gconstpointer second)
{
    const DtCallSite *one = first, *two = second;
    return (one->id > two->id) - (one->id < two->id);
}

static void free_image(gpointer data)
{
    DtCodeImage *image = data;
    g_free(image->file);
    g_free(image->key);
    g_free(image);
}

/* The first of an index counts. */
static void add_images(DtProcessEntry *entry, const GArray *records, gboolean hooked)
{
    for (guint i = 0; i < records->len; i++) {
        const struct dt_image *record = &g_array_index(records, struct dt_image, i);
        if (g_hash_table_contains(entry->code_images, GUINT_TO_POINTER(record->index)))
            continue;
        DtCodeImage *image = g_new0(DtCodeImage, 1);
        image->file = g_strdup(record->path);
        image->key = g_strdup(record->key);
        image->api_only = hooked && record->flags & DT_IMAGE_API_ONLY;
        image->own = hooked && !image->api_only;
        g_hash_table_insert(entry->code_images, GUINT_TO_POINTER(record->index), image);
    }
}

static void find_starts(DtProcessEntry *entry)
{
    const GArray *functions = entry->file->functions;
    entry->starts = g_new0(DtStart, entry->function_count);
    entry->file_ids = g_new0(guint32, entry->function_count);
    for (guint32 id = 1; id < entry->function_count; id++)
        entry->file_ids[id] = id;
    for (guint i = 0; i < functions->len; i++) {
        const struct dt_function *function = &g_array_index(functions, struct dt_function, i);
        if (function->id < entry->function_count && !(function->flags & DT_FUNCTION_IMPORT))
            entry->starts[function->id] = (DtStart){function->image + 1, function->symbol};
    }
}

static gboolean place_start(const DtProcessEntry *entry, DtStart start, DtPlace *place)
{
    const DtCodeImage *image = g_hash_table_lookup(entry->code_images, GUINT_TO_POINTER(start.image));
    if (!image || !image->symbols || start.symbol >= image->symbols->count)
        return FALSE;
    *place = (DtPlace){.file = image->file, .key = image->key, .address = image->symbols->addresses[start.symbol]};
    return place->address != 0;
}

static gboolean place_site(const DtProcessEntry *entry, const struct dt_call_site *record, DtPlace *place)
{
    const DtCodeImage *image = g_hash_table_lookup(entry->code_images, GUINT_TO_POINTER(record->image));
    if (record->flags & DT_SITE_TAIL_CALL) {
        gboolean known = place_start(entry, (DtStart){record->image, (guint32)record->address}, place);
        place->tail_call = known;
        return known;
    }
    if (!image)
        return FALSE;
    *place = (DtPlace){.file = image->file, .key = image->key, .address = record->address, .is_call = TRUE};
    return TRUE;
}

void dt_resolve_places(DtProcessEntry *entry)
{
    entry->code_images = g_hash_table_new_full(NULL, NULL, NULL, free_image);
    add_images(entry, entry->file->images, TRUE);
    add_images(entry, entry->file->site_images, FALSE);
    find_starts(entry);
}

/* Once their signatures are known. */
void dt_resolve_call_sites(DtProcessEntry *entry)
{
    const GArray *records = entry->file->sites;
    entry->sites = g_array_new(FALSE, FALSE, sizeof(DtCallSite));
    for (guint i = 0; i < records->len; i++) {
        const struct dt_call_site *record = &g_array_index(records, struct dt_call_site, i);
        DtCallSite site = {.id = record->id};
        if (record->id >= entry->function_count || !place_site(entry, record, &site.place))
            continue;
        site.signature = entry->signatures[record->id];
        g_array_append_val(entry->sites, site);
    }
    g_array_sort(entry->sites, compare_sites);
    g_array_set_size(entry->file->sites, 0);
}

void dt_places_clear(DtProcessEntry *entry)
{
    g_clear_pointer(&entry->code_images, g_hash_table_unref);
    g_clear_pointer(&entry->sites, g_array_unref);
    g_clear_pointer(&entry->starts, g_free);
}

/* ---- questions ------------------------------------------------------------------------------- */

static const DtProcessEntry *entry_of(const DtRun *run, const DtProcess *process)
{
    return g_ptr_array_index(run->processes, process->index);
}

const GArray *dt_run_call_sites(const DtRun *run, const DtProcess *process)
{
    return entry_of(run, process)->sites;
}

const DtCallSite *dt_run_call_site(const DtRun *run, const DtProcess *process, guint32 id)
{
    const GArray *sites = dt_run_call_sites(run, process);
    const DtCallSite key = {.id = id};
    return sites->len > 0 ? bsearch(&key, sites->data, sites->len, sizeof(key), compare_sites) : NULL;
}

GPtrArray *dt_run_call_sites_of(const DtRun *run, const DtProcess *process, guint32 function)
{
    const GArray *sites = dt_run_call_sites(run, process);
    gboolean all = dt_functions_base(run->functions, function) == function;
    GPtrArray *found = g_ptr_array_new();
    for (guint i = 0; i < sites->len; i++) {
        DtCallSite *site = &g_array_index(sites, DtCallSite, i);
        if (site->signature == function || (all && dt_functions_base(run->functions, site->signature) == function))
            g_ptr_array_add(found, site);
    }
    return found;
}

guint32 dt_run_function_of_id(const DtRun *run, const DtProcess *process, guint32 id)
{
    const DtProcessEntry *entry = entry_of(run, process);
    return id < entry->function_count ? entry->functions[id] : 0;
}

guint32 dt_run_signature_of_id(const DtRun *run, const DtProcess *process, guint32 id)
{
    const DtProcessEntry *entry = entry_of(run, process);
    return id < entry->function_count ? entry->signatures[id] : 0;
}

const DtSignature *dt_run_exact_signature(const DtRun *run, const DtProcess *process, guint32 id)
{
    const DtProcessEntry *entry = entry_of(run, process);
    const DtSignature *exact = entry->exact ? g_hash_table_lookup(entry->exact, GUINT_TO_POINTER(id)) : NULL;
    guint32 known = exact ? 0 : dt_run_signature_of_id(run, process, id);
    return known ? dt_functions_get(run->functions, known)->signature : exact;
}

/* ---- open calls ------------------------------------------------------------------------------ */

static const struct dt_open_frames *kept_of(const DtRun *run, const DtTrace *trace)
{
    const DtTraceEntry *entry = g_ptr_array_index(run->traces, trace->index);
    return entry->record->open;
}

static gboolean place_open(const DtProcessEntry *entry, const struct dt_open_frame *frame, gboolean is_call,
                           DtPlace *place)
{
    const DtCodeImage *image = g_hash_table_lookup(entry->code_images, GUINT_TO_POINTER((guint)frame->image));
    if (frame->image == 0 || !image)
        return FALSE;
    *place = (DtPlace){.file = image->file, .key = image->key, .address = frame->address, .is_call = is_call};
    return TRUE;
}

static guint32 function_of_frame(const DtProcessEntry *entry, const struct dt_open_frame *frame)
{
    const DtCodeImage *image = g_hash_table_lookup(entry->code_images, GUINT_TO_POINTER((guint)frame->function_image));
    guint32 symbol = frame->function_symbol & ~DT_OPEN_IMPORT;
    if (!image || !image->symbols || symbol >= image->symbols->count)
        return 0;
    return image->symbols->function_ids[frame->function_symbol & DT_OPEN_IMPORT ? 1 : 0][symbol];
}

GArray *dt_run_open_frames(const DtRun *run, const DtTrace *trace)
{
    const DtProcessEntry *entry = entry_of(run, trace->process);
    const struct dt_open_frames *kept = kept_of(run, trace);
    GArray *frames = g_array_new(FALSE, TRUE, sizeof(DtOpenFrame));
    for (guint i = 0; kept && i < kept->count; i++) {
        DtOpenFrame frame = {.function = function_of_frame(entry, &kept->frames[i])};
        frame.known = place_open(entry, &kept->frames[i], TRUE, &frame.place);
        g_array_append_val(frames, frame);
    }
    return frames;
}

gboolean dt_run_signal_hit(const DtRun *run, const DtTrace *trace, DtSignalHit *hit)
{
    const struct dt_open_frames *kept = kept_of(run, trace);
    *hit = (DtSignalHit){0};
    if (!kept || (kept->cause != DT_OPEN_SIGNAL && kept->cause != DT_OPEN_FAULT))
        return FALSE;
    hit->known = place_open(entry_of(run, trace->process), &kept->hit, FALSE, &hit->place);
    hit->fault_address = kept->fault_address;
    hit->is_fault = kept->cause == DT_OPEN_FAULT;
    return hit->known || hit->is_fault;
}

gboolean dt_run_place_is_own(const DtRun *run, const DtProcess *process, const DtPlace *place)
{
    const DtProcessEntry *entry = entry_of(run, process);
    GHashTableIter each;
    gpointer image;
    g_hash_table_iter_init(&each, entry->code_images);
    while (g_hash_table_iter_next(&each, NULL, &image)) {
        const DtCodeImage *one = image;
        if (g_str_equal(one->key, place->key) && g_str_equal(one->file, place->file))
            return one->own;
    }
    return FALSE;
}

/* ---- functions ------------------------------------------------------------------------------- */

gboolean dt_run_function_place(const DtRun *run, const DtProcess *process, guint32 function, DtPlace *place)
{
    const DtProcessEntry *entry = entry_of(run, process);
    guint32 base = dt_functions_base(run->functions, function);
    for (guint32 id = 1; id < entry->function_count; id++)
        if (entry->functions[id] == base && entry->starts[id].image != 0)
            return place_start(entry, entry->starts[id], place);
    return FALSE;
}

/* Of a process's images those of which only MPI, OpenMP, pthreads and the end of the process are traced: set of their
 * files' names, by pointers. */
static GHashTable *api_files(const DtProcessEntry *entry)
{
    GHashTable *files = g_hash_table_new(NULL, NULL);
    GHashTableIter each;
    gpointer image;
    g_hash_table_iter_init(&each, entry->code_images);
    while (g_hash_table_iter_next(&each, NULL, &image))
        if (((const DtCodeImage *)image)->api_only)
            g_hash_table_add(files, ((const DtCodeImage *)image)->file);
    return files;
}

static void add_place(GArray *places, GHashTable *apart, const DtPlace *place)
{
    if (!g_hash_table_contains(apart, place->file))
        g_array_append_vals(places, place, 1);
}

static void add_open_places(const DtRun *run, const DtTrace *trace, const DtProcess *process, GHashTable *apart,
                            GArray *places)
{
    DtSignalHit hit;
    if (trace->process != process)
        return;
    g_autoptr(GArray) frames = dt_run_open_frames(run, trace);
    for (guint i = 0; i < frames->len; i++) {
        const DtOpenFrame *frame = &g_array_index(frames, DtOpenFrame, i);
        if (frame->known)
            add_place(places, apart, &frame->place);
    }
    if (dt_run_signal_hit(run, trace, &hit) && hit.known)
        g_array_append_val(places, hit.place);
}

GArray *dt_run_places(const DtRun *run, const DtProcess *process)
{
    const DtProcessEntry *entry = entry_of(run, process);
    GArray *places = g_array_new(FALSE, FALSE, sizeof(DtPlace));
    g_autoptr(GHashTable) apart = api_files(entry);
    DtPlace place;
    for (guint32 id = 1; id < entry->function_count; id++)
        if (entry->starts[id].image != 0 && place_start(entry, entry->starts[id], &place))
            add_place(places, apart, &place);
    for (guint i = 0; i < entry->sites->len; i++)
        add_place(places, apart, &g_array_index(entry->sites, DtCallSite, i).place);
    for (guint i = 0; i < run->traces->len; i++)
        add_open_places(run, dt_run_trace(run, i), process, apart, places);
    return places;
}

char *dt_run_image_folder(const DtRun *run, const DtProcess *process)
{
    const char *file = entry_of(run, process)->file->name, *processes = g_strrstr(file, "processes/");
    g_autofree char *folder = g_strndup(file, processes ? (gsize)(processes - file) : 0);
    return g_strconcat(folder, "images", NULL);
}
