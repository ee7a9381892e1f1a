/* Events as lines: flat, or indented by the depth of the calls that are kept. */
#include "commands/trace_printer.h"

#include "cli/cli.h"
#include "store/symbols/source_lines.h"
#include "text/text.h"

/* Indentation ends somewhere: the depth of a runaway recursion would fill the disk. */
enum { BATCH = 4096, FLUSH_BYTES = 1 << 16, MAX_INDENT = 60 };

struct DtTracePrinter {
    const DtFunctions *functions;
    const DtFilterSet *set;
    gboolean returns, flat;
    gboolean with_arguments;
    DtCallDetails *details; /* of the trace being printed; NULL: names alone */
    DtCallStack *stack;
    GString *out;
    /* Of the trace being printed. */
    const char *label;
    DtFilterScope scope;
    guint depth;         /* kept calls that are open */
    const char *pending; /* entered last, its line not written yet; NULL: none */
    char *own_pending;   /* what that is, if it is no function's name */
    gboolean has_lines;  /* of any trace so far */
    gboolean has_events; /* the same */
    gboolean with_notes;
    DtNotes *notes; /* of the trace, or NULL */
    guint next_note;
    DtStamps *stamps; /* the same */
    gsize next_stamp;
    guint64 after, last; /* positions: only events behind the first one, up to the other */
    /* NULL: no lines of the source. */
    DtSourceLines *lines;
    GHashTable *places; /* by function of `process`: "file:line", or "" */
    const DtRun *run;
    const DtProcess *process; /* of the trace being printed */
};

DtTracePrinter *dt_trace_printer_new(const DtFunctions *functions, const DtFilterSet *set, gboolean returns,
                                     gboolean flat, gboolean with_arguments)
{
    DtTracePrinter *printer = g_new0(DtTracePrinter, 1);
    printer->functions = functions;
    printer->set = set;
    printer->returns = returns;
    printer->flat = flat;
    printer->with_arguments = with_arguments;
    printer->stack = dt_call_stack_new();
    printer->out = g_string_new(NULL);
    printer->last = G_MAXUINT64;
    return printer;
}

void dt_trace_printer_range(DtTracePrinter *printer, guint64 from, guint64 count)
{
    printer->after = from - 1;
    printer->last = count < G_MAXUINT64 - printer->after ? printer->after + count : G_MAXUINT64;
}

void dt_trace_printer_with_notes(DtTracePrinter *printer)
{
    printer->with_notes = TRUE;
}

void dt_trace_printer_with_lines(DtTracePrinter *printer)
{
    printer->lines = dt_source_lines_new();
    printer->places = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
}

void dt_trace_printer_free(DtTracePrinter *printer)
{
    if (!printer)
        return;
    dt_source_lines_free(printer->lines);
    g_clear_pointer(&printer->places, g_hash_table_unref);
    dt_call_stack_free(printer->stack);
    dt_call_details_free(printer->details);
    g_free(printer->own_pending);
    dt_notes_free(printer->notes);
    dt_stamps_free(printer->stamps);
    g_string_free(printer->out, TRUE);
    g_free(printer);
}

static const char *name_of(const DtTracePrinter *printer, guint32 function)
{
    if (function == 0 || function > dt_functions_count(printer->functions))
        return "?";
    const DtFunction *found = dt_functions_get(printer->functions, function);
    return printer->flat ? found->name : found->shown;
}

/* ---- lines of the source ----------------------------------------------------------- */

static void go_to_process(DtTracePrinter *printer, const DtRun *run, const DtProcess *process)
{
    if (printer->places && (printer->run != run || printer->process != process))
        g_hash_table_remove_all(printer->places);
    printer->run = run;
    printer->process = process;
}

/* "file:line"; "" if that is not known, or not asked for. */
static const char *place_of(DtTracePrinter *printer, guint32 function)
{
    if (!printer->lines)
        return "";
    char *place = g_hash_table_lookup(printer->places, GUINT_TO_POINTER(function));
    if (!place) {
        place = dt_source_lines_find(printer->lines, printer->run, printer->process, function);
        if (!place)
            place = g_strdup("");
        g_hash_table_insert(printer->places, GUINT_TO_POINTER(function), place);
    }
    return place;
}

gboolean dt_trace_printer_has_events(const DtTracePrinter *printer)
{
    return printer->has_events;
}

/* ---- flat ------------------------------------------------------------------------ */

static void add_flat(DtTracePrinter *printer, guint32 function, const char *name, const char *details, gboolean entry)
{
    if (!entry && !printer->returns)
        return;
    g_string_append_printf(printer->out, "%s\t%c\t%s", printer->label, entry ? '>' : '<', name);
    if (printer->lines)
        g_string_append_printf(printer->out, "\t%s", entry ? place_of(printer, function) : "");
    g_string_append_printf(printer->out, "%s%s\n", details ? "\t" : "", details ? details : "");
}

/* ---- indented ---------------------------------------------------------------------- */

static void append_line(DtTracePrinter *printer, guint depth, const char *before, const char *name, const char *after)
{
    for (guint i = 0; i < MIN(depth, (guint)MAX_INDENT); i++)
        g_string_append(printer->out, "  ");
    if (depth > MAX_INDENT)
        g_string_append_printf(printer->out, "(depth %u) ", depth);
    g_string_append_printf(printer->out, "%s%s%s\n", before, name, after);
}

static void forget_pending(DtTracePrinter *printer)
{
    printer->pending = NULL;
    g_clear_pointer(&printer->own_pending, g_free);
}

/* The call entered last turned out to have something inside. */
static void write_pending(DtTracePrinter *printer)
{
    if (printer->pending)
        append_line(printer, printer->depth - 1, "", printer->pending, " {");
    forget_pending(printer);
}

/* `own`: the name, if it is to be freed. */
static void add_entry(DtTracePrinter *printer, const char *name, char *own)
{
    if (!printer->returns) {
        append_line(printer, printer->depth++, "", name, "");
        g_free(own);
        return;
    }
    write_pending(printer);
    printer->depth++;
    printer->pending = name;
    printer->own_pending = own;
}

static void add_return(DtTracePrinter *printer, guint32 function)
{
    if (function == 0) {
        if (printer->returns)
            append_line(printer, 0, "} ", name_of(printer, function), " (its call is not in the trace)");
        return;
    }
    printer->depth--;
    if (!printer->returns)
        return;
    if (printer->pending)
        append_line(printer, printer->depth, "", printer->pending, ";");
    else
        append_line(printer, printer->depth, "} ", name_of(printer, function), "");
    forget_pending(printer);
}

/* Innermost first: where the trace stands still. */
static void add_open_calls(DtTracePrinter *printer)
{
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (printer->set)
        dt_filter_set_open_calls(printer->set, dt_call_stack_frames(printer->stack),
                                 dt_call_stack_depth(printer->stack), open);
    else if (dt_call_stack_depth(printer->stack) > 0)
        g_array_append_vals(open, dt_call_stack_frames(printer->stack), dt_call_stack_depth(printer->stack));
    for (guint i = open->len; i > 0; i--) {
        const guint32 function = g_array_index(open, guint32, i - 1);
        g_autofree char *last = printer->details && i == open->len && function != 0
                                    ? dt_call_details_last_name(printer->details, function)
                                    : NULL;
        g_autofree char *shown = last ? dt_text_shortened(last, DT_TEXT_NAME_SHOWN) : NULL;
        append_line(printer, --printer->depth, "* ", shown ? shown : name_of(printer, function), " never returned");
    }
}

/* ---- notes ------------------------------------------------------------------------ */

/* NULL for kinds that are told elsewhere. */
static char *note_text(const DtNotes *notes, const DtNote *note)
{
    const gint64 *values = dt_notes_values(notes, note);
    if (note->kind == DT_NOTE_CLOCK && note->count >= 1)
        return g_strdup_printf("at %.6f s", (double)values[0] / 1e9);
    if (note->kind == DT_NOTE_MARKER)
        return g_strdup_printf("marker: %s", note->text);
    if (note->kind == DT_NOTE_RECORDING && note->count >= 1)
        return g_strdup(values[0] ? "recording on" : "recording off");
    if (note->kind == DT_NOTE_WOKEN && note->count >= 1)
        return values[0] < 0 ? g_strdup("woken") : g_strdup_printf("woken by thread %" G_GINT64_FORMAT, values[0]);
    if (note->kind == DT_NOTE_WOKE && note->count >= 1 && values[0] >= 0)
        return g_strdup_printf("wakes thread %" G_GINT64_FORMAT, values[0]);
    return NULL;
}

static void add_remark(DtTracePrinter *printer, const char *text)
{
    if (printer->flat) {
        g_string_append_printf(printer->out, "%s\t#\t%s\n", printer->label, text);
        return;
    }
    write_pending(printer);
    for (guint i = 0; i < MIN(printer->depth, (guint)MAX_INDENT); i++)
        g_string_append(printer->out, "  ");
    g_string_append_printf(printer->out, "# %s\n", text);
}

static void add_note(DtTracePrinter *printer, const DtNote *note)
{
    g_autofree char *text = note_text(printer->notes, note);
    if (text)
        add_remark(printer, text);
}

/* That of the word at `position`. */
static void add_time(DtTracePrinter *printer, guint64 position)
{
    gsize count = 0;
    const DtStamp *stamps = printer->stamps ? dt_stamps_get(printer->stamps, &count) : NULL, *last = NULL;
    for (; printer->next_stamp < count && stamps[printer->next_stamp].position < position; printer->next_stamp++)
        if (!stamps[printer->next_stamp].of_batch)
            last = &stamps[printer->next_stamp];
    if (!last || last->position < printer->after)
        return;
    gint64 since = (gint64)(last->ns - printer->process->start_ns);
    g_autofree char *text = g_strdup_printf("at %.6f s", (gdouble)since / 1e9);
    add_remark(printer, text);
}

/* Those before the word at `position`. */
static void add_notes(DtTracePrinter *printer, guint64 position)
{
    for (; printer->notes && printer->next_note < dt_notes_count(printer->notes); printer->next_note++) {
        const DtNote *note = dt_notes_get(printer->notes, printer->next_note);
        if (note->position >= position)
            return;
        add_note(printer, note);
    }
}

static void open_notes(DtTracePrinter *printer, const DtRun *run, const DtTrace *trace)
{
    g_clear_pointer(&printer->notes, dt_notes_free);
    printer->next_note = 0;
    if (printer->with_notes)
        printer->notes = dt_notes_open(run, trace, NULL);
    while (printer->notes && printer->next_note < dt_notes_count(printer->notes) &&
           dt_notes_get(printer->notes, printer->next_note)->position < printer->after)
        printer->next_note++;
    if (printer->notes && dt_notes_problem(printer->notes))
        dt_cli_warn("warning: %s: %s", dt_run_path(run), dt_notes_problem(printer->notes));
    g_clear_pointer(&printer->stamps, dt_stamps_free);
    printer->next_stamp = 0;
    if (printer->with_notes)
        printer->stamps = dt_stamps_open(run, trace, NULL);
    if (printer->stamps && dt_stamps_problem(printer->stamps))
        dt_cli_warn("warning: %s: %s", dt_run_path(run), dt_stamps_problem(printer->stamps));
}

/* ---- a trace ------------------------------------------------------------------------- */

/* The entry with what is known of its arguments and of where it stands. */
static void add_full_entry(DtTracePrinter *printer, guint32 function, guint64 position)
{
    g_autofree char *name = printer->details ? dt_call_details_name(printer->details, function, position)
                                             : g_strdup(name_of(printer, function));
    g_autofree char *details = printer->details ? dt_call_details_text(printer->details, position) : NULL;
    if (printer->flat) {
        add_flat(printer, function, name, details, TRUE);
        return;
    }
    g_autofree char *shown = dt_text_shortened(name, DT_TEXT_NAME_SHOWN);
    GString *full = g_string_new(shown);
    if (*place_of(printer, function) != '\0')
        g_string_append_printf(full, " (%s)", place_of(printer, function));
    if (details)
        g_string_append_printf(full, ": %s", details);
    char *own = g_string_free(full, FALSE);
    add_entry(printer, own, own);
}

static void add_event(DtTracePrinter *printer, guint32 event, guint64 position)
{
    guint32 function = dt_call_stack_apply(printer->stack, event);
    if (printer->details)
        dt_call_details_follow(printer->details, event, position);
    gboolean entry = event != DT_EVENT_RETURN;
    if (printer->set && !dt_filter_scope_keeps(&printer->scope, printer->stack, event, function))
        return;
    printer->has_events = TRUE;
    if (entry && (printer->details || printer->lines))
        add_full_entry(printer, function, position);
    else if (printer->flat)
        add_flat(printer, function, name_of(printer, function), NULL, entry);
    else if (entry)
        add_entry(printer, name_of(printer, function), NULL);
    else
        add_return(printer, function);
}

static gboolean flush(DtTracePrinter *printer)
{
    gboolean written = dt_cli_print(printer->out->str, printer->out->len);
    g_string_truncate(printer->out, 0);
    return written;
}

/* *ended: the trace has no more events. FALSE once nobody reads stdout any more. */
static gboolean print_events(DtTracePrinter *printer, DtReader *reader, gboolean *ended)
{
    guint32 events[BATCH];
    guint64 positions[BATCH];
    gsize count;
    *ended = FALSE;
    while ((count = dt_reader_next_at(reader, events, positions, BATCH)) > 0) {
        for (gsize i = 0; i < count; i++) {
            if (positions[i] > printer->last)
                return TRUE;
            add_notes(printer, positions[i]);
            add_time(printer, positions[i]);
            add_event(printer, events[i], positions[i]);
            if (printer->out->len >= FLUSH_BYTES && !flush(printer))
                return FALSE;
        }
    }
    *ended = TRUE;
    return TRUE;
}

/* Calls that are open already are not printed, but their returns will be. */
static void skip_events(DtTracePrinter *printer, DtReader *reader)
{
    guint open;
    if (printer->after == 0)
        return;
    dt_reader_seek(reader, printer->after);
    const guint32 *calls = dt_reader_open_calls(reader, &open);
    for (guint i = 0; i < open; i++) {
        dt_call_stack_apply(printer->stack, calls[i]);
        if (!printer->set || dt_filter_scope_keeps(&printer->scope, printer->stack, calls[i], calls[i]))
            printer->depth++;
    }
}

static void begin_trace(DtTracePrinter *printer, const char *label)
{
    dt_call_stack_reset(printer->stack);
    printer->label = label;
    printer->scope = (DtFilterScope){printer->set, 0};
    printer->depth = 0;
    forget_pending(printer);
    if (!printer->flat)
        g_string_append_printf(printer->out, "%s%s:\n", printer->has_lines ? "\n" : "", label);
    printer->has_lines = TRUE;
}

gboolean dt_trace_printer_print(DtTracePrinter *printer, const DtRun *run, const DtTrace *trace, gboolean *go_on,
                                GError **error)
{
    g_autoptr(DtReader) reader =
        dt_reader_open(run, trace, printer->with_arguments ? DT_NAMES_WITH_ARGUMENTS : DT_NAMES_ALONE, error);
    if (!reader)
        return FALSE;
    dt_reader_keep_handlers(reader);
    g_clear_pointer(&printer->details, dt_call_details_free);
    if (printer->with_arguments && !(printer->details = dt_call_details_open(run, trace, error)))
        return FALSE;
    begin_trace(printer, trace->label);
    go_to_process(printer, run, trace->process);
    open_notes(printer, run, trace);
    skip_events(printer, reader);
    gboolean ended;
    *go_on = print_events(printer, reader, &ended);
    if (ended)
        add_notes(printer, G_MAXUINT64);
    if (*go_on && !printer->flat) {
        write_pending(printer);
        if (ended)
            add_open_calls(printer);
    }
    *go_on = *go_on && flush(printer);
    if (dt_reader_problem(reader))
        dt_cli_warn("warning: %s: trace %s: %s", dt_run_path(run), trace->label, dt_reader_problem(reader));
    return TRUE;
}
