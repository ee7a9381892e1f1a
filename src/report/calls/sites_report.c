/* Where calls come from, as a table and JSON. */
#include <string.h>

#include "report/calls/datatypes.h"
#include "report/calls/sites.h"
#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

typedef struct {
    guint32 signature;
    DtPlace place;
    const GArray *frames; /* DtSourceFrame, borrowed from the lines */
} Site;

struct DtSites {
    const DtRun *run;
    DtSourceLines *lines;
    GArray *sites; /* Site, by call, image and address */
};

static gint compare_sites(gconstpointer first, gconstpointer second)
{
    const Site *one = first, *two = second;
    if (one->signature != two->signature)
        return one->signature < two->signature ? -1 : 1;
    int images = strcmp(one->place.file, two->place.file);
    if (images == 0)
        images = strcmp(one->place.key, two->place.key);
    if (images != 0)
        return images;
    return (one->place.address > two->place.address) - (one->place.address < two->place.address);
}

static void add_process(DtSites *sites, const DtProcess *process)
{
    const GArray *known = dt_run_call_sites(sites->run, process);
    for (guint i = 0; i < known->len; i++) {
        const DtCallSite *one = &g_array_index(known, DtCallSite, i);
        Site site = {one->signature, one->place, dt_source_lines_at(sites->lines, sites->run, process, &one->place)};
        g_array_append_val(sites->sites, site);
    }
}

static void drop_repeated(GArray *sites)
{
    guint kept = 0;
    for (guint i = 0; i < sites->len; i++) {
        Site site = g_array_index(sites, Site, i);
        if (kept == 0 || compare_sites(&g_array_index(sites, Site, kept - 1), &site) != 0)
            g_array_index(sites, Site, kept++) = site;
    }
    g_array_set_size(sites, kept);
}

DtSites *dt_sites_of(const DtRun *run)
{
    DtSites *sites = g_new0(DtSites, 1);
    sites->run = run;
    sites->lines = dt_source_lines_new();
    sites->sites = g_array_new(FALSE, FALSE, sizeof(Site));
    for (guint i = 0; i < dt_run_process_count(run); i++)
        add_process(sites, dt_run_process(run, i));
    g_array_sort(sites->sites, compare_sites);
    drop_repeated(sites->sites);
    return sites;
}

void dt_sites_free(DtSites *sites)
{
    if (!sites)
        return;
    g_array_unref(sites->sites);
    dt_source_lines_free(sites->lines);
    g_free(sites);
}

guint dt_sites_count(const DtSites *sites)
{
    return sites->sites->len;
}

static const Site *site_at(const DtSites *sites, guint i)
{
    return &g_array_index(sites->sites, Site, i);
}

static char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return dt_text_spell(slash ? slash + 1 : path);
}

/* "halo.c:31, inlined at heat.c:120" */
static char *frames_text(const Site *site)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < site->frames->len; i++) {
        const DtSourceFrame *frame = &g_array_index(site->frames, DtSourceFrame, i);
        g_autofree char *file = base_of(frame->file);
        g_string_append_printf(text, "%s%s:%u", i > 0 ? ", inlined at " : "", file, frame->line);
    }
    if (site->place.tail_call && text->len > 0)
        g_string_append(text, " (where the function starts that ends with the call)");
    return g_string_free(text, FALSE);
}

static DtTable *table_of(const DtSites *sites, gboolean whole)
{
    DtTable *table = dt_table_new("~call|line|image|>address");
    for (guint i = 0; i < sites->sites->len; i++) {
        const Site *site = site_at(sites, i);
        const DtFunctions *functions = dt_run_functions(sites->run);
        g_autofree char *line = frames_text(site);
        g_autofree char *image = base_of(site->place.file);
        dt_table_add(table, whole ? dt_function_name(functions, site->signature)
                                  : dt_function_shown(functions, site->signature));
        dt_table_add(table, line);
        dt_table_add(table, image);
        dt_table_add_format(table, "0x%" G_GINT64_MODIFIER "x", site->place.address);
    }
    return table;
}

static char *sites_text(const DtSites *sites, guint width)
{
    g_autoptr(DtTable) table = table_of(sites, FALSE);
    GString *out = g_string_new(NULL);
    if (sites->sites->len > 0)
        dt_table_append_text(table, out, width);
    return g_string_free(out, FALSE);
}

static char *sites_tsv(const DtSites *sites)
{
    g_autoptr(DtTable) table = table_of(sites, TRUE);
    GString *out = g_string_new(NULL);
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

static void add_spelled(JsonBuilder *builder, const char *name, const char *text)
{
    g_autofree char *spelled = dt_text_spell(text);
    dt_json_string(builder, name, spelled);
}

static void add_frames(JsonBuilder *builder, const Site *site)
{
    dt_json_begin_array(builder, "frames");
    for (guint i = 0; i < site->frames->len; i++) {
        const DtSourceFrame *frame = &g_array_index(site->frames, DtSourceFrame, i);
        dt_json_begin_object(builder, NULL);
        add_spelled(builder, "function", frame->function);
        add_spelled(builder, "file", frame->file);
        dt_json_integer(builder, "line", frame->line);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static char *sites_json(const DtSites *sites)
{
    const DtFunctions *functions = dt_run_functions(sites->run);
    g_autoptr(DtDatatypeList) datatypes = dt_datatype_list_new();
    JsonBuilder *builder = dt_json_document();
    dt_json_begin_array(builder, "sites");
    for (guint i = 0; i < sites->sites->len; i++) {
        const Site *site = site_at(sites, i);
        g_autofree char *address = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", site->place.address);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "call", dt_function_name(functions, site->signature));
        if (site->signature != 0)
            dt_datatype_list_add_call(datatypes, builder, dt_functions_get(functions, site->signature)->signature);
        add_spelled(builder, "image", site->place.file);
        dt_json_string(builder, "address", address);
        dt_json_boolean(builder, "tail_call", site->place.tail_call);
        add_frames(builder, site);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    dt_datatype_list_write(datatypes, builder);
    return dt_json_finish(builder);
}

char *dt_report_sites(const DtSites *sites, guint width, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return sites_text(sites, width);
    case DT_FORMAT_JSON:
        return sites_json(sites);
    case DT_FORMAT_TSV:
        return sites_tsv(sites);
    default:
        return dt_report_no_format("call sites", format, "text, tsv and json", error);
    }
}
