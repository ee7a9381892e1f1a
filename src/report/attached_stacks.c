#include "report/attached_stacks.h"

#include <string.h>

#include "report/common.h"
#include "report/json.h"
#include "report/stack_tree.h"
#include "report/table.h"

/* ---- what is shown ----------------------------------------------------------------------------------- */

static gboolean is_shown(const DtAttachedThread *thread, const DtAttachedView *view)
{
    if (view->thread)
        return strcmp(view->thread, thread->trace.label) == 0;
    return view->depths || !thread->trace.library;
}

/* (element-type const DtAttachedFrame*), outermost first. */
static GPtrArray *frames_of(const DtAttachedThread *thread, const DtAttachedView *view)
{
    GPtrArray *frames = g_ptr_array_new();
    for (guint i = 0; i < thread->frames->len; i++) {
        const DtAttachedFrame *frame = &g_array_index(thread->frames, DtAttachedFrame, i);
        if (view->depths || !frame->is_hidden)
            g_ptr_array_add(frames, (gpointer)frame);
    }
    return frames;
}

static gboolean is_api(const DtFunctions *functions, const DtAttachedFrame *frame)
{
    return (dt_functions_get(functions, frame->function)->flags & DT_FUNCTION_API) != 0;
}

/* Of a library's own function the library. */
static const char *place_of(const DtFunctions *functions, const DtAttachedFrame *frame, gboolean lines)
{
    if (lines && frame->place)
        return frame->place;
    gboolean is_marked = frame->is_library && !is_api(functions, frame);
    return is_marked ? dt_functions_get(functions, frame->function)->image : NULL;
}

typedef void (*ShowThread)(const DtAttachedProcess *process, const DtAttachedThread *thread, gpointer data);

static void for_all_shown(const DtAttachedJob *job, const DtAttachedView *view, ShowThread show, gpointer data)
{
    for (guint i = 0; i < job->processes->len; i++) {
        const DtAttachedProcess *process = job->processes->pdata[i];
        for (guint k = 0; k < process->threads->len; k++)
            if (is_shown(process->threads->pdata[k], view))
                show(process, process->threads->pdata[k], data);
    }
}

typedef struct {
    const DtAttachedJob *job;
    const DtAttachedView *view;
    GString *text;
    DtTable *table;
    JsonBuilder *json;
    DtStackTree *tree;
} Showing;

/* ---- text -------------------------------------------------------------------------------------------------- */

static const char *program_of(const DtProcess *process)
{
    const char *slash = process->executable ? strrchr(process->executable, '/') : NULL;
    return slash ? slash + 1 : "?";
}

static void append_thread(const DtAttachedProcess *process, const DtAttachedThread *thread, gpointer data)
{
    Showing *showing = data;
    const DtFunctions *functions = showing->job->functions;
    g_autoptr(GPtrArray) frames = frames_of(thread, showing->view);
    g_string_append_printf(showing->text, "%s%s: process %u", showing->text->len > 0 ? "\n" : "", thread->trace.label,
                           process->process.pid);
    if (thread->tid != 0 && thread->tid != (pid_t)process->process.pid)
        g_string_append_printf(showing->text, ", thread %d", (int)thread->tid);
    g_string_append_printf(showing->text, ", %s\n", program_of(&process->process));
    for (guint i = 0; i < frames->len; i++) {
        const DtAttachedFrame *frame = frames->pdata[i];
        const char *place = place_of(functions, frame, TRUE);
        g_string_append_printf(showing->text, "  %s", dt_function_shown(functions, frame->call));
        g_string_append_printf(showing->text, place ? " (%s)\n" : "\n", place);
    }
    if (thread->problem)
        g_string_append_printf(showing->text, "  (%s)\n", thread->problem);
    else if (frames->len == 0)
        g_string_append(showing->text, "  (no open call)\n");
}

static void add_rows(const DtAttachedProcess *process, const DtAttachedThread *thread, gpointer data)
{
    Showing *showing = data;
    g_autoptr(GPtrArray) frames = frames_of(thread, showing->view);
    for (guint i = 0; i < frames->len; i++) {
        const DtAttachedFrame *frame = frames->pdata[i];
        const char *place = place_of(showing->job->functions, frame, TRUE);
        dt_table_add(showing->table, thread->trace.label);
        dt_table_add_format(showing->table, "%u", process->process.pid);
        dt_table_add_format(showing->table, "%u", i + 1);
        dt_table_add(showing->table, dt_function_name(showing->job->functions, frame->call));
        dt_table_add(showing->table, place ? place : "");
    }
}

/* ---- JSON ----------------------------------------------------------------------------------------------------- */

static const char *parameter_name(guint8 kind)
{
    switch (kind) {
    case DT_PARAMETER_COUNT:
    case DT_PARAMETER_OTHER_COUNT:
        return "count";
    case DT_PARAMETER_DATATYPE:
    case DT_PARAMETER_OTHER_DATATYPE:
        return "datatype";
    case DT_PARAMETER_DESTINATION:
        return "destination";
    case DT_PARAMETER_SOURCE:
        return "source";
    case DT_PARAMETER_TAG:
        return "tag";
    case DT_PARAMETER_ROOT:
        return "root";
    case DT_PARAMETER_COMM:
        return "communicator";
    case DT_PARAMETER_OPERATION:
        return "operation";
    case DT_PARAMETER_REQUEST_COUNT:
        return "requests";
    case DT_PARAMETER_TARGET:
        return "target";
    case DT_PARAMETER_COLOR:
        return "color";
    case DT_PARAMETER_LOCK:
        return "lock";
    case DT_PARAMETER_CONDITION:
        return "condition";
    case DT_PARAMETER_BARRIER:
        return "barrier";
    case DT_PARAMETER_THREAD:
        return "thread";
    default:
        return NULL;
    }
}

static gboolean is_handle(guint8 kind)
{
    return kind == DT_PARAMETER_COMM || kind == DT_PARAMETER_DATATYPE || kind == DT_PARAMETER_OTHER_DATATYPE ||
           kind == DT_PARAMETER_OPERATION || kind == DT_PARAMETER_LOCK || kind == DT_PARAMETER_CONDITION ||
           kind == DT_PARAMETER_BARRIER || kind == DT_PARAMETER_THREAD;
}

static void add_arguments(JsonBuilder *json, const DtPassed *passed)
{
    dt_json_begin_array(json, "arguments");
    for (guint i = 0; i < DT_CALL_MOST_PARAMETERS && passed->call->parameters[i] != DT_PARAMETER_NONE; i++) {
        guint8 kind = passed->call->parameters[i];
        if (!passed->known[i] || !parameter_name(kind))
            continue;
        g_autofree char *handle = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", passed->values[i]);
        dt_json_begin_object(json, NULL);
        dt_json_integer(json, "parameter", i + 1);
        dt_json_string(json, "name", parameter_name(kind));
        if (is_handle(kind))
            dt_json_string(json, "value", passed->names[i] ? passed->names[i] : handle);
        else
            dt_json_integer(json, "value", passed->values[i]);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    if (passed->owner != 0)
        dt_json_integer(json, "held_by", passed->owner);
}

static void add_object(const DtAttachedProcess *process, const DtAttachedThread *thread, gpointer data)
{
    Showing *showing = data;
    const DtFunctions *functions = showing->job->functions;
    g_autoptr(GPtrArray) frames = frames_of(thread, showing->view);
    dt_json_begin_object(showing->json, NULL);
    dt_json_string(showing->json, "trace", thread->trace.label);
    dt_json_integer(showing->json, "pid", process->process.pid);
    if (thread->tid != 0)
        dt_json_integer(showing->json, "tid", thread->tid);
    else
        dt_json_null(showing->json, "tid");
    dt_json_string(showing->json, "problem", thread->problem);
    dt_json_begin_array(showing->json, "frames");
    for (guint i = 0; i < frames->len; i++) {
        const DtAttachedFrame *frame = frames->pdata[i];
        dt_json_begin_object(showing->json, NULL);
        dt_json_string(showing->json, "function", dt_function_name(functions, frame->function));
        dt_json_string(showing->json, "line", frame->place);
        dt_json_string(showing->json, "image", dt_functions_get(functions, frame->function)->image);
        dt_json_boolean(showing->json, "inlined", frame->is_inlined);
        dt_json_boolean(showing->json, "library", frame->is_library);
        if (frame->passed)
            add_arguments(showing->json, frame->passed);
        json_builder_end_object(showing->json);
    }
    json_builder_end_array(showing->json);
    json_builder_end_object(showing->json);
}

static void add_processes(JsonBuilder *json, const DtAttachedJob *job)
{
    dt_json_begin_array(json, "processes");
    for (guint i = 0; i < job->processes->len; i++) {
        const DtAttachedProcess *process = job->processes->pdata[i];
        dt_json_begin_object(json, NULL);
        dt_json_string(json, "process", process->process.label);
        dt_json_integer(json, "pid", process->process.pid);
        if (process->process.rank >= 0)
            dt_json_integer(json, "rank", process->process.rank);
        else
            dt_json_null(json, "rank");
        dt_json_string(json, "executable", process->process.executable);
        dt_json_string(json, "run", process->run);
        dt_json_string(json, "problem", process->problem);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static char *stacks_json(Showing *showing)
{
    showing->json = dt_json_document();
    dt_json_integer(showing->json, "ranks", showing->view->ranks);
    dt_json_integer(showing->json, "ranks_seen", showing->view->ranks_seen);
    add_processes(showing->json, showing->job);
    dt_json_begin_array(showing->json, "stacks");
    for_all_shown(showing->job, showing->view, add_object, showing);
    json_builder_end_array(showing->json);
    return dt_json_finish(showing->json);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

char *dt_report_attached_stacks(const DtAttachedJob *job, const DtAttachedView *view, DtReportFormat format,
                                GError **error)
{
    Showing showing = {.job = job, .view = view};
    g_autoptr(DtTable) table = NULL;
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        showing.text = g_string_new(NULL);
        for_all_shown(job, view, append_thread, &showing);
        return g_string_free(showing.text, FALSE);
    case DT_FORMAT_TSV:
        table = showing.table = dt_table_new("trace|>pid|>depth|function|line");
        showing.text = g_string_new(NULL);
        for_all_shown(job, view, add_rows, &showing);
        dt_table_append_tsv(table, showing.text);
        return g_string_free(showing.text, FALSE);
    case DT_FORMAT_JSON:
        return stacks_json(&showing);
    default:
        return dt_report_no_format("stacks of running processes without --all", format, "text, tsv and json", error);
    }
}

static void add_to_tree(const DtAttachedProcess *process, const DtAttachedThread *thread, gpointer data)
{
    Showing *showing = data;
    g_autoptr(GPtrArray) frames = frames_of(thread, showing->view), places = g_ptr_array_new();
    g_autoptr(GArray) functions = g_array_new(FALSE, FALSE, sizeof(guint32));
    (void)process;
    for (guint i = 0; i < frames->len; i++) {
        const DtAttachedFrame *frame = frames->pdata[i];
        g_ptr_array_add(places, (gpointer)place_of(showing->job->functions, frame, showing->view->lines));
        g_array_append_val(functions, *(showing->view->arguments ? &frame->call : &frame->function));
    }
    gboolean placed = showing->view->lines || showing->view->depths;
    dt_stack_tree_add_placed(showing->tree, thread->trace.label, (const guint32 *)(const void *)functions->data,
                             placed ? (const char *const *)places->pdata : NULL, functions->len);
}

DtStackTree *dt_attached_stack_tree(const DtAttachedJob *job, const DtAttachedView *view)
{
    Showing showing = {.job = job, .view = view, .tree = dt_stack_tree_new(job->functions)};
    for_all_shown(job, view, add_to_tree, &showing);
    return showing.tree;
}
