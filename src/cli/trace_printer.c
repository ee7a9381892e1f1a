/* Events as lines: flat, or indented by the depth of the calls that are kept. */
#include "cli/trace_printer.h"

#include "cli/cli.h"

/* Indentation ends somewhere: the depth of a runaway recursion would fill the disk. */
enum { BATCH = 4096, FLUSH_BYTES = 1 << 16, MAX_INDENT = 60 };

struct DtTracePrinter {
    const DtFunctions *functions;
    const DtFilterSet *set;
    gboolean returns, flat;
    DtCallStack *stack;
    GString *out;
    /* Of the trace being printed. */
    const char *label;
    DtFilterScope scope;
    guint depth;        /* kept calls that are open */
    guint32 pending;    /* entered last, its line not written yet; 0: none */
    gboolean has_lines; /* of any trace so far */
};

DtTracePrinter *dt_trace_printer_new(const DtFunctions *functions, const DtFilterSet *set, gboolean returns,
                                     gboolean flat)
{
    DtTracePrinter *printer = g_new0(DtTracePrinter, 1);
    printer->functions = functions;
    printer->set = set;
    printer->returns = returns;
    printer->flat = flat;
    printer->stack = dt_call_stack_new();
    printer->out = g_string_new(NULL);
    return printer;
}

void dt_trace_printer_free(DtTracePrinter *printer)
{
    if (printer == NULL)
        return;
    dt_call_stack_free(printer->stack);
    g_string_free(printer->out, TRUE);
    g_free(printer);
}

static const char *name_of(const DtTracePrinter *printer, guint32 function)
{
    if (function == 0 || function > dt_functions_count(printer->functions))
        return "?";
    return dt_functions_get(printer->functions, function)->name;
}

/* ---- flat ------------------------------------------------------------------------ */

static void add_flat(DtTracePrinter *printer, guint32 function, gboolean entry)
{
    if (entry || printer->returns)
        g_string_append_printf(printer->out, "%s\t%c\t%s\n", printer->label, entry ? '>' : '<',
                               name_of(printer, function));
}

/* ---- indented ---------------------------------------------------------------------- */

static void append_line(DtTracePrinter *printer, guint depth, const char *before, guint32 function, const char *after)
{
    for (guint i = 0; i < MIN(depth, (guint)MAX_INDENT); i++)
        g_string_append(printer->out, "  ");
    if (depth > MAX_INDENT)
        g_string_append_printf(printer->out, "(depth %u) ", depth);
    g_string_append_printf(printer->out, "%s%s%s\n", before, name_of(printer, function), after);
}

/* The call entered last turned out to have something inside. */
static void write_pending(DtTracePrinter *printer)
{
    if (printer->pending != 0)
        append_line(printer, printer->depth - 1, "", printer->pending, " {");
    printer->pending = 0;
}

static void add_entry(DtTracePrinter *printer, guint32 function)
{
    if (!printer->returns) {
        append_line(printer, printer->depth++, "", function, "");
        return;
    }
    write_pending(printer);
    printer->depth++;
    printer->pending = function;
}

static void add_return(DtTracePrinter *printer, guint32 function)
{
    if (function == 0) {
        if (printer->returns)
            append_line(printer, 0, "} ", function, " (its call is not in the trace)");
        return;
    }
    printer->depth--;
    if (!printer->returns)
        return;
    if (printer->pending != 0)
        append_line(printer, printer->depth, "", function, ";");
    else
        append_line(printer, printer->depth, "} ", function, "");
    printer->pending = 0;
}

/* Innermost first: where the trace stands still. */
static void add_open_calls(DtTracePrinter *printer)
{
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (printer->set != NULL)
        dt_filter_set_open_calls(printer->set, printer->stack, open);
    else if (dt_call_stack_depth(printer->stack) > 0)
        g_array_append_vals(open, dt_call_stack_frames(printer->stack), dt_call_stack_depth(printer->stack));
    for (guint i = open->len; i > 0; i--)
        append_line(printer, --printer->depth, "* ", g_array_index(open, guint32, i - 1), " never returned");
}

/* ---- a trace ------------------------------------------------------------------------- */

static void add_event(DtTracePrinter *printer, guint32 event)
{
    guint32 function = dt_call_stack_apply(printer->stack, event);
    gboolean entry = event != DT_EVENT_RETURN;
    if (printer->set != NULL && !dt_filter_scope_keeps(&printer->scope, printer->stack, event, function))
        return;
    if (printer->flat)
        add_flat(printer, function, entry);
    else if (entry)
        add_entry(printer, function);
    else
        add_return(printer, function);
}

static gboolean flush(DtTracePrinter *printer)
{
    gboolean written = dt_cli_print(printer->out->str, printer->out->len);
    g_string_truncate(printer->out, 0);
    return written;
}

static gboolean print_events(DtTracePrinter *printer, DtReader *reader)
{
    guint32 events[BATCH];
    gsize count;
    while ((count = dt_reader_next(reader, events, BATCH)) > 0) {
        for (gsize i = 0; i < count; i++) {
            add_event(printer, events[i]);
            if (printer->out->len >= FLUSH_BYTES && !flush(printer))
                return FALSE;
        }
    }
    return TRUE;
}

static void begin_trace(DtTracePrinter *printer, const char *label)
{
    dt_call_stack_reset(printer->stack);
    printer->label = label;
    printer->scope = (DtFilterScope){printer->set, 0};
    printer->depth = 0;
    printer->pending = 0;
    if (!printer->flat)
        g_string_append_printf(printer->out, "%s%s:\n", printer->has_lines ? "\n" : "", label);
    printer->has_lines = TRUE;
}

gboolean dt_trace_printer_print(DtTracePrinter *printer, const DtRun *run, const DtTrace *trace, gboolean *go_on,
                                GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, error);
    if (reader == NULL)
        return FALSE;
    begin_trace(printer, trace->label);
    *go_on = print_events(printer, reader);
    if (*go_on && !printer->flat) {
        write_pending(printer);
        add_open_calls(printer);
    }
    *go_on = *go_on && flush(printer);
    if (dt_reader_problem(reader) != NULL)
        dt_cli_warn("warning: %s: trace %s: %s", dt_run_path(run), trace->label, dt_reader_problem(reader));
    return TRUE;
}
