/* What is read from whole traces: their final stacks, their events. */
#include "report/stacks.h"

#include "decoder/status.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

enum { BATCH = 4096 };

/* ---- stacks ------------------------------------------------------------------- */

static void take_snapshot(DtSnapshot *snapshot, const DtReader *reader)
{
    guint depth;
    const guint32 *calls = dt_reader_open_calls(reader, &depth);
    snapshot->seen = dt_reader_position(reader);
    g_array_set_size(snapshot->frames, 0);
    if (depth > 0)
        g_array_append_vals(snapshot->frames, calls, depth);
}

/* No more frames than those that are in the last stack, too. */
static guint common_frames(const DtSnapshot *snapshot, const DtReader *reader)
{
    guint depth, common = 0;
    const guint32 *calls = dt_reader_open_calls(reader, &depth);
    while (common < MIN(depth, snapshot->frames->len) &&
           calls[common] == g_array_index(snapshot->frames, guint32, common))
        common++;
    return common;
}

/* Frames that are in the last stack may have been left and entered again. */
static void count_never_returned(DtSnapshot *snapshot, DtReader *reader)
{
    guint depth = snapshot->frames->len;
    DtEventBatch batch;
    dt_reader_seek(reader, G_MAXUINT64);
    snapshot->never_returned = common_frames(snapshot, reader);
    if (snapshot->never_returned == 0)
        return;
    dt_reader_seek(reader, snapshot->at);
    while (snapshot->never_returned > 0 && dt_reader_next_batch(reader, &batch)) {
        for (gsize i = 0; i < batch.count; i++) {
            depth = batch.events[i] != DT_EVENT_RETURN ? depth + 1 : depth > 0 ? depth - 1 : 0;
            snapshot->never_returned = MIN(snapshot->never_returned, depth);
        }
    }
}

static void add_warnings(const DtSnapshot *snapshot, const DtRun *run, const DtTrace *trace, const DtReader *reader)
{
    if (dt_reader_problem(reader))
        g_ptr_array_add(snapshot->warnings, dt_text_printf("warning: %s: trace %s: %s", dt_run_path(run), trace->label,
                                                           dt_reader_problem(reader)));
    if (snapshot->seen > snapshot->at)
        g_ptr_array_add(
            snapshot->warnings,
            dt_text_printf("warning: %s: trace %s: event %" G_GUINT64_FORMAT
                           " is not in the trace any more: this is the stack after event %" G_GUINT64_FORMAT,
                           dt_run_path(run), trace->label, snapshot->at, snapshot->seen));
}

gboolean dt_snapshot_read(DtSnapshot *snapshot, const DtRun *run, const DtTrace *trace, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, snapshot->projection, error);
    if (!reader)
        return FALSE;
    dt_reader_seek(reader, snapshot->at);
    take_snapshot(snapshot, reader);
    snapshot->never_returned = snapshot->frames->len;
    if (snapshot->seen >= snapshot->at && !snapshot->frames_suffice)
        count_never_returned(snapshot, reader);
    if (snapshot->warnings)
        add_warnings(snapshot, run, trace, reader);
    return TRUE;
}

/* What is known of signals that ended processes. */
typedef struct {
    const DtRun *run;
    gboolean *known; /* by process: which of its traces it hit */
    DtSourceLines *lines;
} Ends;

static void ends_clear(Ends *ends)
{
    g_free(ends->known);
    g_clear_pointer(&ends->lines, dt_source_lines_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Ends, ends_clear)

static void find_ends(Ends *ends, const DtRun *run)
{
    *ends = (Ends){.run = run, .known = g_new0(gboolean, (gsize)dt_run_process_count(run) + 1)};
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        if (dt_run_trace(run, i)->fatal_signal != 0)
            ends->known[dt_run_trace(run, i)->process->index] = TRUE;
    ends->lines = dt_source_lines_new();
}

/* The signal that ended the trace, 0: none did, or it went along with another one. Where nobody knows which thread was
 * hit, it is told of the main thread. */
static gint signal_of(const Ends *ends, const DtTrace *trace)
{
    const DtProcess *process = trace->process;
    if (ends->known[process->index])
        return trace->fatal_signal;
    gboolean died = process->end == DT_END_SIGNAL && dt_is_own_signal(process->status);
    return died && trace->thread == 0 && !trace->library ? process->status : 0;
}

/* NULL: it ended by no such signal. */
static char *end_text(const Ends *ends, const DtTrace *trace)
{
    gint number = signal_of(ends, trace);
    DtSignalHit hit;
    if (number == 0)
        return NULL;
    g_autofree char *line = dt_run_signal_hit(ends->run, trace, &hit) && hit.known
                                ? dt_source_lines_text(ends->lines, ends->run, trace->process, &hit.place)
                                : NULL;
    return g_strdup_printf("signal %d (%s)%s%s", number, g_strsignal(number), line ? " at " : "", line ? line : "");
}

/* `ends`: NULL if it is not the stack of the end. */
static void add_stack(DtStackTree *tree, const Ends *ends, const DtTrace *trace, const GArray *frames)
{
    g_autofree char *end = ends ? end_text(ends, trace) : NULL;
    if (trace->library && frames->len == 0 && !end) /* nobody waits for an idle thread of a library */
        return;
    dt_stack_tree_add(tree, trace->label, (const guint32 *)(const void *)frames->data, frames->len);
    if (end)
        dt_stack_tree_add_end(tree, end);
}

/* Of functions that were not looked for before; NULL where nothing is known. */
static void find_lines(GHashTable *lines, DtSourceLines *source, const DtRun *run, const DtTrace *trace,
                       const GArray *frames)
{
    for (guint i = 0; i < frames->len; i++) {
        guint32 function = dt_functions_base(dt_run_functions(run), g_array_index(frames, guint32, i));
        if (!g_hash_table_contains(lines, GUINT_TO_POINTER(function)))
            g_hash_table_insert(lines, GUINT_TO_POINTER(function),
                                dt_source_lines_find(source, run, trace->process, function));
    }
}

DtStackTree *dt_stacks_at(const DtRun *run, guint64 at, DtProjection projection, gboolean lines, GPtrArray *warnings,
                          GError **error)
{
    g_autoptr(DtStackTree) tree = dt_stack_tree_new(dt_run_functions(run));
    g_autoptr(DtSourceLines) source = dt_source_lines_new();
    g_autoptr(GHashTable) known = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_auto(Ends) ends = {0};
    find_ends(&ends, run);
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        DtSnapshot snapshot = {
            .at = at, .projection = projection, .frames = frames, .frames_suffice = TRUE, .warnings = warnings};
        if (!dt_snapshot_read(&snapshot, run, trace, error))
            return NULL;
        add_stack(tree, at >= trace->words ? &ends : NULL, trace, frames);
        if (lines)
            find_lines(known, source, run, trace, frames);
    }
    if (lines)
        dt_stack_tree_set_lines(tree, known);
    return g_steal_pointer(&tree);
}

DtStackTree *dt_final_stacks(const DtRun *run, DtKnownStack known, gpointer user_data)
{
    DtStackTree *tree = dt_stack_tree_new(dt_run_functions(run));
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_auto(Ends) ends = {0};
    find_ends(&ends, run);
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        DtSnapshot snapshot = {.at = G_MAXUINT64, .frames = frames, .frames_suffice = TRUE};
        g_array_set_size(frames, 0);
        if (known(trace, frames, user_data) || dt_snapshot_read(&snapshot, run, trace, NULL))
            add_stack(tree, &ends, trace, frames);
    }
    return tree;
}

/* ---- events ---------------------------------------------------------------------- */

static guint64 decoded_events(const DtRun *run, const DtTrace *trace, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, error);
    if (!reader)
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
    return !stream || (dt_stream_functions(stream, DT_NAMES_ALONE, &count) && count > DT_TAIL_LAST_ID + 1);
}

/* Words are events unless a process gave out so many ids that some take three. */
guint64 *dt_count_events(const DtRun *run, DtKnownEvents known_events, gpointer user_data)
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
        events[i] = trace->words;
        if (escapes && (!known_events || !known_events(trace, &events[i], user_data)))
            events[i] = decoded_events(run, trace, NULL);
    }
    return events;
}
