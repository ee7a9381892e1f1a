/* What is read from whole traces: their final stacks, their events. */
#include "cli/stacks.h"

#include "cli/cli.h"

enum { BATCH = 4096 };

/* ---- stacks ------------------------------------------------------------------- */

static void take(DtSnapshot *snapshot, const DtCallStack *stack)
{
    guint depth = dt_call_stack_depth(stack);
    g_array_set_size(snapshot->frames, 0);
    if (depth > 0)
        g_array_append_vals(snapshot->frames, dt_call_stack_frames(stack), depth);
    snapshot->never_returned = depth;
}

gboolean dt_snapshot_read(DtSnapshot *snapshot, const DtRun *run, const DtTrace *trace, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, error);
    if (reader == NULL)
        return FALSE;
    g_autoptr(DtCallStack) stack = dt_call_stack_new();
    guint32 events[BATCH];
    gsize count;
    while ((count = dt_reader_next(reader, events, BATCH)) > 0) {
        for (gsize i = 0; i < count; i++) {
            dt_call_stack_apply(stack, events[i]);
            if (++snapshot->seen == snapshot->at)
                take(snapshot, stack);
            else if (snapshot->seen > snapshot->at)
                snapshot->never_returned = MIN(snapshot->never_returned, dt_call_stack_depth(stack));
        }
    }
    if (snapshot->at == G_MAXUINT64)
        take(snapshot, stack);
    if (!snapshot->quiet && dt_reader_problem(reader) != NULL)
        dt_cli_warn("warning: %s: trace %s: %s", dt_run_path(run), trace->label, dt_reader_problem(reader));
    return TRUE;
}

DtStackTree *dt_final_stacks(const DtRun *run, gboolean quiet, GError **error)
{
    g_autoptr(DtStackTree) tree = dt_stack_tree_new(dt_run_functions(run));
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        DtSnapshot snapshot = {.at = G_MAXUINT64, .frames = frames, .quiet = quiet};
        if (!dt_snapshot_read(&snapshot, run, trace, quiet ? NULL : error)) {
            if (!quiet)
                return NULL;
            continue;
        }
        if (!trace->library || frames->len > 0) /* nobody waits for an idle thread of a library */
            dt_stack_tree_add(tree, trace->label, (const guint32 *)(void *)frames->data, frames->len);
    }
    return g_steal_pointer(&tree);
}

/* ---- events ---------------------------------------------------------------------- */

static guint64 decoded_events(const DtRun *run, const DtTrace *trace, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, error);
    if (reader == NULL)
        return 0;
    guint32 events[BATCH];
    guint64 total = 0;
    for (gsize count = BATCH; count > 0; total += count)
        count = dt_reader_next(reader, events, BATCH);
    return total;
}

/* Ids are dense: with one that takes an escape, words are more than events. */
static gboolean has_escapes(const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtStream) stream = dt_stream_open(run, trace, NULL);
    guint32 count = 0;
    return stream == NULL || (dt_stream_functions(stream, &count) != NULL && count > DT_WORD_LAST_ID + 1);
}

/* Words are events unless a process gave out so many ids that some take three. */
guint64 *dt_count_events(const DtRun *run)
{
    guint traces = dt_run_trace_count(run);
    guint64 *events = g_new0(guint64, (gsize)traces + 1);
    const DtProcess *known = NULL;
    gboolean escapes = FALSE;
    for (guint i = 0; i < traces; i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        if (trace->process != known)
            escapes = has_escapes(run, trace);
        known = trace->process;
        events[i] = escapes ? decoded_events(run, trace, NULL) : trace->words;
    }
    return events;
}
