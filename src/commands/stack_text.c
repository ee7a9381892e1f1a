#include "commands/stack_text.h"

#include "cli/cli.h"
#include "cli/progress.h"
#include "decoder/open_calls.h"
#include "report/stacks.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

static gboolean is_of_the_end(const DtStackWants *wants)
{
    return wants->at == G_MAXUINT64;
}

/* One for each frame; NULL where nothing is known. */
static GPtrArray *find_lines(const DtRun *run, const DtTrace *trace, const GArray *frames)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtSourceLines) source = dt_source_lines_new();
    for (guint i = 0; i < frames->len; i++)
        g_ptr_array_add(
            lines, dt_source_lines_find(source, run, trace->process,
                                        dt_functions_base(dt_run_functions(run), g_array_index(frames, guint32, i))));
    return lines;
}

/* Where the open calls at the end of a trace were made. */
typedef struct {
    GPtrArray *lines; /* "file:line" or NULL, outermost first; NULL: none is known */
    char *at, *inlined, *fault;
} Calls;

static void calls_clear(Calls *calls)
{
    g_clear_pointer(&calls->lines, g_ptr_array_unref);
    g_free(calls->at);
    g_free(calls->inlined);
    g_free(calls->fault);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Calls, calls_clear)

static void find_calls(Calls *calls, const DtRun *run, const DtTrace *trace, const GArray *frames)
{
    g_autoptr(GArray) open = dt_open_calls_at_end(run, trace, NULL);
    g_autoptr(DtSourceLines) source = dt_source_lines_new();
    DtPlace place;
    DtSignalHit hit;
    if (!open || open->len != frames->len)
        return;
    gboolean some = FALSE;
    calls->lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < open->len; i++) {
        const DtOpenCall *call = &g_array_index(open, DtOpenCall, i);
        gboolean shown = call->known && dt_run_place_is_own(run, trace->process, &call->place);
        some = some || shown;
        g_ptr_array_add(calls->lines, shown ? dt_source_lines_text(source, run, trace->process, &call->place) : NULL);
    }
    if (!some)
        g_clear_pointer(&calls->lines, g_ptr_array_unref);
    if (dt_open_calls_innermost(run, trace, open, &place)) {
        const GArray *inlined = dt_source_lines_at(source, run, trace->process, &place);
        calls->at = dt_source_lines_text(source, run, trace->process, &place);
        if (inlined->len > 1)
            calls->inlined = dt_text_printf("%s", g_array_index(inlined, DtSourceFrame, 0).function);
    }
    if (trace->fatal_signal != 0 && dt_run_signal_hit(run, trace, &hit) && hit.is_fault)
        calls->fault = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", hit.fault_address);
}

static void tell(const GPtrArray *warnings)
{
    for (guint i = 0; i < warnings->len; i++)
        dt_cli_warn("%s", (const char *)warnings->pdata[i]);
}

/* FALSE: the trace is shorter. */
static gboolean check_position(const DtStackWants *wants, const DtSnapshot *snapshot, const DtTrace *trace,
                               GError **error)
{
    if (is_of_the_end(wants) || snapshot->at <= snapshot->seen)
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "--at %" G_GUINT64_FORMAT ": trace %s has only %" G_GUINT64_FORMAT " events", snapshot->at,
                 trace->label, snapshot->seen);
    return FALSE;
}

char *dt_stack_text(const DtRun *run, const DtTrace *trace, const DtStackWants *wants, DtReportFormat format,
                    GError **error)
{
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    DtSnapshot snapshot = {.at = wants->at, .projection = wants->projection, .frames = frames, .warnings = warnings};
    if (!dt_snapshot_read(&snapshot, run, trace, error))
        return NULL;
    tell(warnings);
    if (!check_position(wants, &snapshot, trace, error))
        return NULL;
    if (frames->len == 0)
        dt_cli_note("note: trace %s: no call is open %s", trace->label, is_of_the_end(wants) ? "at its end" : "there");
    g_autoptr(GPtrArray) lines = wants->lines ? find_lines(run, trace, frames) : NULL;
    g_auto(Calls) calls = {0};
    if (is_of_the_end(wants))
        find_calls(&calls, run, trace, frames);
    DtStackReport what = {.trace = trace->label,
                          .functions = dt_run_functions(run),
                          .frames = (const guint32 *)(void *)frames->data,
                          .depth = frames->len,
                          .never_returned = snapshot.never_returned,
                          .lines = lines ? (const char *const *)lines->pdata : NULL,
                          .calls = calls.lines ? (const char *const *)calls.lines->pdata : NULL,
                          .at = calls.at,
                          .inlined = calls.inlined,
                          .signal = is_of_the_end(wants) ? trace->fatal_signal : 0,
                          .fault = calls.fault};
    return dt_report_stack(&what, format, error);
}

char *dt_stacks_text(const DtRun *run, const DtStackWants *wants, DtReportFormat format, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtProgress) progress = dt_progress_new("reading stacks");
    g_autoptr(DtStackTree) tree = dt_stacks_at(run, wants->at, wants->projection, wants->lines, warnings, error);
    g_clear_pointer(&progress, dt_progress_free);
    tell(warnings);
    return tree ? dt_report_stack_tree(tree, format, error) : NULL;
}
