/* The page: the embedded markup, style and script with the data put in. */
#include "report/page.h"

#include <string.h>

#include "page-resources.h"
#include "report/calls/page_calls.h"
#include "report/comparison_json.h"
#include "report/front/front.h"
#include "report/page_json.h"
#include "report/stack_tree.h"
#include "report/times/page_times.h"
#include "text/text.h"

/* The scripts in the order in which they build on each other. */
static const char *const scripts[] = {"elements.js",  "names.js",  "selection.js", "table.js",   "difference.js",
                                      "departure.js", "stacks.js", "icicle.js",    "heatmap.js", "dendrogram.js",
                                      "timeline.js",  "times.js",  "search.js",    "page.js"};

static void add_lattices(JsonBuilder *builder, const GArray *lattices)
{
    dt_json_begin_array(builder, "lattices");
    for (guint i = 0; i < lattices->len; i++) {
        const DtPageLattice *lattice = &g_array_index(lattices, DtPageLattice, i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "of", dt_side_name(lattice->side));
        dt_json_string(builder, "svg", lattice->svg);
        dt_json_string(builder, "note", lattice->note);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_skeletons(JsonBuilder *builder, const GArray *lines)
{
    if (!lines) {
        dt_json_null(builder, "skeletons");
        return;
    }
    dt_json_begin_array(builder, "skeletons");
    for (guint i = 0; i < lines->len; i++) {
        const DtPageSkeletonLine *line = &g_array_index(lines, DtPageSkeletonLine, i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "of", line->of);
        dt_json_string(builder, "text", line->text);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_configuration(JsonBuilder *builder, const DtPage *page)
{
    dt_json_begin_object(builder, "configuration");
    dt_json_string(builder, "filter", page->filter);
    dt_json_string(builder, "attributes", page->attributes);
    dt_json_string(builder, "linkage", page->linkage);
    json_builder_end_object(builder);
}

char *dt_report_page_data(const DtPage *page)
{
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "difftrace", page->version);
    dt_comparison_add_json(builder, page->comparison, 0);
    dt_page_add_runs(builder, page);
    dt_page_add_differences(builder, page);
    dt_stack_tree_add_page_json(builder, page->stacks);
    add_configuration(builder, page);
    dt_page_add_views(builder, page);
    add_lattices(builder, page->lattices);
    add_skeletons(builder, page->skeletons);
    dt_page_add_times(builder, page);
    dt_page_add_calls(builder, page);
    return dt_json_finish_compact(builder);
}

/* ---- putting it together ---------------------------------------------------------- */

static void append_resource(GString *out, const char *name)
{
    g_autofree char *path = g_strconcat("/difftrace/html/", name, NULL);
    g_autoptr(GBytes) bytes = g_resource_lookup_data(dt_page_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    gsize length = 0;
    const char *text = g_bytes_get_data(bytes, &length);
    g_string_append_len(out, text, (gssize)length);
}

static void append_text(GString *out, const char *text)
{
    g_autofree char *escaped = dt_text_markup(text);
    g_string_append(out, escaped);
}

static void append_data(GString *out, const DtPage *page)
{
    g_autofree char *json = dt_report_page_data(page);
    g_autofree char *data = dt_text_json_in_script(json);
    g_string_append(out, data);
}

static void append_runs(GString *out, const DtComparison *comparison)
{
    if (comparison->normal) {
        append_text(out, comparison->normal);
        g_string_append(out, " \342\206\222 ");
    }
    append_text(out, comparison->faulty);
}

static void append_part(GString *out, const char *name, const DtPage *page, const DtFront *front)
{
    if (strcmp(name, "style") == 0) {
        append_resource(out, "page.css");
    } else if (strcmp(name, "script") == 0) {
        for (guint i = 0; i < G_N_ELEMENTS(scripts); i++)
            append_resource(out, scripts[i]);
    } else if (strcmp(name, "data") == 0) {
        append_data(out, page);
    } else if (strcmp(name, "title") == 0) {
        append_text(out, front->title);
    } else if (strcmp(name, "runs") == 0) {
        append_runs(out, page->comparison);
    } else if (strcmp(name, "headline") == 0) {
        append_text(out, front->headline);
    } else if (strcmp(name, "besides") == 0) {
        g_string_append(out, front->besides);
    } else if (strcmp(name, "front") == 0) {
        g_string_append(out, front->sections);
    }
}

/* page.html has "@style@", "@front@", "@data@" and the like where they belong. */
char *dt_report_page(const DtPage *page)
{
    g_autoptr(GString) markup = g_string_new(NULL);
    append_resource(markup, "page.html");
    g_auto(GStrv) parts = g_strsplit(markup->str, "@", -1);
    g_auto(DtFront) front = dt_front_new(page);
    GString *out = g_string_new(NULL);
    for (guint i = 0; parts[i]; i++) {
        if (i % 2 == 0)
            g_string_append(out, parts[i]);
        else
            append_part(out, parts[i], page, &front);
    }
    return g_string_free(out, FALSE);
}
