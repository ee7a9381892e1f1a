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
static void add_images(DtProcessEntry *entry, const GArray *records)
{
    for (guint i = 0; i < records->len; i++) {
        const struct dt_image *record = &g_array_index(records, struct dt_image, i);
        if (g_hash_table_contains(entry->code_images, GUINT_TO_POINTER(record->index)))
            continue;
        DtCodeImage *image = g_new0(DtCodeImage, 1);
        image->file = g_strdup(record->path);
        image->key = g_strdup(record->key);
        image->load_bias = record->load_bias;
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
    add_images(entry, entry->file->images);
    add_images(entry, entry->file->site_images);
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

gboolean dt_run_function_place(const DtRun *run, const DtProcess *process, guint32 function, DtPlace *place)
{
    const DtProcessEntry *entry = entry_of(run, process);
    guint32 base = dt_functions_base(run->functions, function);
    for (guint32 id = 1; id < entry->function_count; id++)
        if (entry->functions[id] == base && entry->starts[id].image != 0)
            return place_start(entry, entry->starts[id], place);
    return FALSE;
}

GArray *dt_run_places(const DtRun *run, const DtProcess *process)
{
    const DtProcessEntry *entry = entry_of(run, process);
    GArray *places = g_array_new(FALSE, FALSE, sizeof(DtPlace));
    DtPlace place;
    for (guint32 id = 1; id < entry->function_count; id++)
        if (entry->starts[id].image != 0 && place_start(entry, entry->starts[id], &place))
            g_array_append_val(places, place);
    for (guint i = 0; i < entry->sites->len; i++)
        g_array_append_val(places, g_array_index(entry->sites, DtCallSite, i).place);
    return places;
}

char *dt_run_image_folder(const DtRun *run, const DtProcess *process)
{
    const char *file = entry_of(run, process)->file->name, *processes = g_strrstr(file, "processes/");
    g_autofree char *folder = g_strndup(file, processes ? (gsize)(processes - file) : 0);
    return g_strconcat(folder, "images", NULL);
}
