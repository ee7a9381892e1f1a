/* diffNLRs as the page shows them: functions by number, loops as [body, count], -n for n elements left out. */
#include "report/common.h"
#include "report/diffnlr_report.h"
#include "report/front/parting.h"
#include "report/loops.h"
#include "report/page_changes.h"
#include "report/page_json.h"
#include "store/symbols/source_lines.h"

/* Of a stretch, of a loop's body, and of all differences together. */
enum { STRETCH_SHOWN = 6000, BODY_SHOWN = 400, ALL_SHOWN = 60000, CHANGES_SHOWN = 12 };

typedef struct {
    JsonBuilder *builder;
    GHashTable *numbers;  /* function id -> its place in `names` + 1 */
    GPtrArray *functions; /* ids */
    gsize left;           /* elements that may still be shown */
    const GPtrArray *suspects;
} Writer;

static guint number_of(Writer *writer, guint32 function)
{
    gpointer known = g_hash_table_lookup(writer->numbers, GUINT_TO_POINTER(function));
    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    g_ptr_array_add(writer->functions, GUINT_TO_POINTER(function));
    g_hash_table_insert(writer->numbers, GUINT_TO_POINTER(function), GUINT_TO_POINTER(writer->functions->len));
    return writer->functions->len - 1;
}

static void add_element(Writer *writer, DtElement element)
{
    if (!dt_element_is_loop(element)) {
        dt_json_integer(writer->builder, NULL, number_of(writer, dt_element_symbol(element)));
        return;
    }
    dt_json_begin_array(writer->builder, NULL);
    dt_json_integer(writer->builder, NULL, dt_element_body(element));
    dt_json_integer(writer->builder, NULL, dt_element_count(element));
    json_builder_end_array(writer->builder);
}

static void add_elements(Writer *writer, const char *name, DtElements elements, gsize shown)
{
    DtElision elision = dt_elide(elements.length, MAX(shown, 3));
    dt_json_begin_array(writer->builder, name);
    for (gsize i = 0; i < elements.length; i++) {
        if (i == elision.head && elision.left_out > 0) {
            dt_json_integer(writer->builder, NULL, -(gint64)elision.left_out);
            i += elision.left_out;
        }
        add_element(writer, elements.elements[i]);
    }
    json_builder_end_array(writer->builder);
}

static void add_stretch(Writer *writer, const char *name, DtElements elements)
{
    gsize shown = MIN(elements.length, MIN((gsize)STRETCH_SHOWN, writer->left));
    add_elements(writer, name, elements, shown);
    writer->left -= shown;
}

static void add_open(Writer *writer, const char *name, guint32 function)
{
    if (function != 0)
        dt_json_integer(writer->builder, name, number_of(writer, function));
    else
        dt_json_null(writer->builder, name);
}

static void add_blocks(Writer *writer, const DtDiffNlr *diff)
{
    dt_json_begin_array(writer->builder, "blocks");
    for (guint i = 0; i < diff->blocks->len; i++) {
        const DtDiffBlock *block = &g_array_index(diff->blocks, DtDiffBlock, i);
        dt_json_begin_object(writer->builder, NULL);
        if (block->common) {
            add_stretch(writer, "common", block->normal);
        } else {
            add_stretch(writer, "normal", block->normal);
            add_stretch(writer, "faulty", block->faulty);
        }
        json_builder_end_object(writer->builder);
    }
    json_builder_end_array(writer->builder);
}

/* Those that changed most. */
static void add_changes(Writer *writer, const DtDiffNlrReport *what)
{
    g_autoptr(GArray) changes = dt_page_changes(what);
    dt_json_begin_array(writer->builder, "changes");
    for (guint i = 0; i < MIN(changes->len, (guint)CHANGES_SHOWN); i++) {
        const DtChangedCalls *each = &g_array_index(changes, DtChangedCalls, i);
        dt_json_begin_array(writer->builder, NULL);
        dt_json_integer(writer->builder, NULL, number_of(writer, each->function));
        dt_json_integer(writer->builder, NULL, (gint64)each->normal);
        dt_json_integer(writer->builder, NULL, (gint64)each->faulty);
        json_builder_end_array(writer->builder);
    }
    json_builder_end_array(writer->builder);
    dt_json_integer(writer->builder, "changed_functions", changes->len);
}

static void add_calls(Writer *writer, const char *name, const guint32 *calls, guint count)
{
    dt_json_begin_array(writer->builder, name);
    for (guint i = 0; i < count; i++)
        dt_json_integer(writer->builder, NULL, number_of(writer, calls[i]));
    json_builder_end_array(writer->builder);
}

static void add_departing_side(Writer *writer, const char *name, const DtPartingSide *side)
{
    dt_json_begin_object(writer->builder, name);
    add_calls(writer, "after", side->after, side->count);
    dt_json_integer(writer->builder, "left_out", (gint64)side->left_out);
    add_calls(writer, "last", side->last, side->last_count);
    json_builder_end_object(writer->builder);
}

/* NULL: the trace is no suspect. */
static const char *why_of(const GPtrArray *suspects, const char *trace)
{
    for (guint i = 0; i < suspects->len; i++) {
        const DtSuspectRow *row = suspects->pdata[i];
        if (g_str_equal(row->trace, trace))
            return row->why;
    }
    return NULL;
}

/* Call by call around the first difference. */
static void add_departure(Writer *writer, const DtDiffNlrReport *what)
{
    DtParting departure;
    if (!dt_parting_find(what, why_of(writer->suspects, what->trace), &departure)) {
        dt_json_null(writer->builder, "departure");
        return;
    }
    dt_json_begin_object(writer->builder, "departure");
    dt_json_integer(writer->builder, "done", (gint64)departure.done);
    dt_json_boolean(writer->builder, "first", departure.first);
    add_calls(writer, "before", departure.before, departure.before_count);
    add_departing_side(writer, "normal", &departure.normal);
    add_departing_side(writer, "faulty", &departure.faulty);
    json_builder_end_object(writer->builder);
}

static void add_difference(Writer *writer, const DtDiffNlrReport *what, guint folding)
{
    g_autofree char *first = dt_diffnlr_first_difference(what->diff, what->functions);
    dt_json_begin_object(writer->builder, NULL);
    dt_json_string(writer->builder, "trace", what->trace);
    dt_json_integer(writer->builder, "folding", folding);
    dt_json_string(writer->builder, "first_difference", first);
    dt_json_integer(writer->builder, "distance", (gint64)what->diff->distance);
    dt_json_boolean(writer->builder, "minimal", what->diff->minimal);
    add_open(writer, "normal_open", what->diff->normal_open);
    add_open(writer, "faulty_open", what->diff->faulty_open);
    add_departure(writer, what);
    add_blocks(writer, what->diff);
    add_changes(writer, what);
    json_builder_end_object(writer->builder);
}

static void gather_bodies(GHashTable *bodies, const DtLoopTable *table, const GArray *differences)
{
    for (guint i = 0; differences && i < differences->len; i++) {
        const DtDiffNlrReport *each = &g_array_index(differences, DtDiffNlrReport, i);
        for (guint b = 0; each->table == table && b < each->diff->blocks->len; b++) {
            const DtDiffBlock *block = &g_array_index(each->diff->blocks, DtDiffBlock, b);
            dt_bodies_gather(table, block->normal, bodies);
            dt_bodies_gather(table, block->faulty, bodies);
        }
    }
}

static void add_folding(Writer *writer, const DtDiffNlrReport *first, const DtPage *page)
{
    g_autoptr(GHashTable) set = g_hash_table_new(NULL, NULL);
    gather_bodies(set, first->table, page->differences);
    gather_bodies(set, first->table, page->detailed);
    g_autoptr(GArray) bodies = dt_bodies_sorted(set);
    dt_json_begin_object(writer->builder, NULL);
    dt_json_string(writer->builder, "filter", first->filter);
    dt_json_begin_object(writer->builder, "bodies");
    for (guint i = 0; i < bodies->len; i++) {
        g_autofree char *name = g_strdup_printf("%u", g_array_index(bodies, guint32, i));
        add_elements(writer, name, dt_loop_table_body(first->table, g_array_index(bodies, guint32, i)), BODY_SHOWN);
    }
    json_builder_end_object(writer->builder);
    json_builder_end_object(writer->builder);
}

/* The first difference of each loop table, in order of sight; the table's place among them. */
static guint folding_of(GPtrArray *firsts, const DtDiffNlrReport *difference)
{
    for (guint i = 0; i < firsts->len; i++) {
        if (((const DtDiffNlrReport *)firsts->pdata[i])->table == difference->table)
            return i;
    }
    g_ptr_array_add(firsts, (gpointer)difference);
    return firsts->len - 1;
}

static void add_functions(Writer *writer, const DtFunctions *functions)
{
    dt_json_begin_array(writer->builder, "functions");
    for (guint i = 0; i < writer->functions->len; i++) {
        DtElement element = GPOINTER_TO_UINT(writer->functions->pdata[i]);
        g_autofree char *name = dt_element_name(element, functions);
        dt_json_string(writer->builder, NULL, name);
    }
    json_builder_end_array(writer->builder);
}

/* Where a function stands, by the images of either run's first suspect. */
static char *source_of(DtSourceLines *lines, const DtPage *page, guint32 function)
{
    const DtDiffNlrReport *first = &g_array_index(page->differences, DtDiffNlrReport, 0);
    char *source = NULL;
    for (guint i = G_N_ELEMENTS(page->runs); i-- > 0 && !source;) {
        const DtRun *run = page->runs[i] ? page->runs[i]->run : NULL;
        const DtTrace *trace = run ? dt_run_find_trace(run, first->trace) : NULL;
        if (trace)
            source = dt_source_lines_find(lines, run, trace->process, function & ~DT_SYMBOL_RETURN);
    }
    return source;
}

static void add_sources(Writer *writer, const DtPage *page)
{
    g_autoptr(DtSourceLines) lines = dt_source_lines_new();
    dt_json_begin_array(writer->builder, "sources");
    for (guint i = 0; i < writer->functions->len; i++) {
        g_autofree char *source = source_of(lines, page, GPOINTER_TO_UINT(writer->functions->pdata[i]));
        dt_json_string(writer->builder, NULL, source);
    }
    json_builder_end_array(writer->builder);
}

static void add_all(Writer *writer, const char *name, const GArray *differences, GPtrArray *firsts)
{
    dt_json_begin_array(writer->builder, name);
    for (guint i = 0; differences && i < differences->len; i++) {
        const DtDiffNlrReport *each = &g_array_index(differences, DtDiffNlrReport, i);
        add_difference(writer, each, folding_of(firsts, each));
    }
    json_builder_end_array(writer->builder);
}

void dt_page_add_differences(JsonBuilder *builder, const DtPage *page)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    g_autoptr(GPtrArray) functions = g_ptr_array_new(), firsts = g_ptr_array_new();
    Writer writer = {builder, numbers, functions, ALL_SHOWN, page->comparison->suspects};
    add_all(&writer, "differences", page->differences, firsts);
    add_all(&writer, "detailed", page->detailed, firsts);
    dt_json_begin_array(builder, "foldings");
    for (guint i = 0; i < firsts->len; i++)
        add_folding(&writer, firsts->pdata[i], page);
    json_builder_end_array(builder);
    add_functions(&writer, dt_run_functions(page->runs[1]->run));
    add_sources(&writer, page);
}
