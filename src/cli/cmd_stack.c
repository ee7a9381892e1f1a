/* difftrace stack: the call stack of a trace at an event or at its end, or of all traces at their ends. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/runs.h"

enum { BATCH = 4096 };

typedef struct {
    char *trace;
    gint64 at;
    gboolean all, dot, json;
} Options;

static void clear_options(Options *options)
{
    g_free(options->trace);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* The stack after `at` events, and how much of it never returned. */
typedef struct {
    guint64 at, seen;
    GArray *frames;       /* at the event */
    guint never_returned; /* so many outermost frames were never left afterwards */
} Snapshot;

static void take(Snapshot *snapshot, const DtCallStack *stack)
{
    guint depth = dt_call_stack_depth(stack);
    g_array_set_size(snapshot->frames, 0);
    if (depth > 0)
        g_array_append_vals(snapshot->frames, dt_call_stack_frames(stack), depth);
    snapshot->never_returned = depth;
}

/* Reads the trace to its end: only there it is known what never returned. */
static gboolean read_stack(const DtRun *run, const DtTrace *trace, Snapshot *snapshot, GError **error)
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
    if (dt_reader_problem(reader) != NULL)
        dt_cli_warn("warning: %s: trace %s: %s", dt_run_path(run), trace->label, dt_reader_problem(reader));
    return TRUE;
}

static gboolean show_one(const DtRun *run, const DtFunctions *functions, const Options *options, GError **error)
{
    const DtTrace *trace = dt_cli_find_trace(run, options->trace, error);
    if (trace == NULL)
        return FALSE;
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    Snapshot snapshot = {options->at < 0 ? G_MAXUINT64 : (guint64)options->at, 0, frames, 0};
    if (!read_stack(run, trace, &snapshot, error))
        return FALSE;
    if (options->at >= 0 && snapshot.at > snapshot.seen) {
        g_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                    "--at %" G_GUINT64_FORMAT ": trace %s has only %" G_GUINT64_FORMAT " events", snapshot.at,
                    trace->label, snapshot.seen);
        return FALSE;
    }
    DtStackReport what = {trace->label, functions, (const guint32 *)(void *)frames->data, frames->len,
                          snapshot.never_returned};
    g_autofree char *report = dt_report_stack(&what, options->json ? DT_FORMAT_JSON : DT_FORMAT_TEXT, error);
    return report != NULL && dt_cli_write(report, NULL, error);
}

static gboolean show_all(const DtRun *run, const DtFunctions *functions, const Options *options, GError **error)
{
    g_autoptr(DtStackTree) tree = dt_stack_tree_new(functions);
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        Snapshot snapshot = {G_MAXUINT64, 0, frames, 0};
        if (!read_stack(run, trace, &snapshot, error))
            return FALSE;
        if (!trace->library || frames->len > 0) /* nobody waits for an idle thread of a library */
            dt_stack_tree_add(tree, trace->label, (const guint32 *)(void *)frames->data, frames->len);
    }
    DtReportFormat format = options->json ? DT_FORMAT_JSON : options->dot ? DT_FORMAT_DOT : DT_FORMAT_TEXT;
    g_autofree char *report = dt_report_stack_tree(tree, format, error);
    return report != NULL && dt_cli_write(report, NULL, error);
}

static gboolean check(const Options *options, GError **error)
{
    const char *problem = NULL;
    if (options->all && (options->trace != NULL || options->at >= 0))
        problem = "--all: shows the ends of all traces; it goes with neither -t nor --at";
    else if (!options->all && options->trace == NULL)
        problem = "-t: missing; say which trace, e.g. -t 5.0, or --all";
    else if (options->dot && (options->json || !options->all))
        problem = "--dot: goes with --all and without --json";
    else if (options->at < -1)
        problem = "--at: not a number of events; 0 or more";
    if (problem != NULL)
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, problem);
    return problem == NULL;
}

static gboolean show_stack(const char *path, const Options *options, GError **error)
{
    if (!check(options, error))
        return FALSE;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_cli_open_run(path, functions, error);
    if (run == NULL)
        return FALSE;
    return options->all ? show_all(run, functions, options, error) : show_one(run, functions, options, error);
}

int dt_cmd_stack(int argc, char **argv)
{
    static const DtUsage usage = {
        .name = "stack",
        .arguments = "RUN",
        .summary = "Shows the call stack of a trace at its end, or after an event; or the final stacks of all\n"
                   "traces, merged into a tree with the traces on each branch.",
        .description =
            "Outermost first, one frame a line; '*' stands before a call that never returned. The tree leaves\n"
            "out threads of libraries that are in no call.",
        .least = 1,
        .most = 1};
    g_auto(Options) options = {.at = -1};
    const GOptionEntry entries[] = {
        {"trace", 't', 0, G_OPTION_ARG_STRING, &options.trace, "the trace (5 means 5.0)", "P.T"},
        {"at", 0, 0, G_OPTION_ARG_INT64, &options.at, "after event N (entries and returns count) instead of at the end",
         "N"},
        {"all", 0, 0, G_OPTION_ARG_NONE, &options.all, "all traces, as one tree", NULL},
        {"dot", 0, 0, G_OPTION_ARG_NONE, &options.dot, "the tree as a Graphviz graph", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, "as a JSON document", NULL},
        G_OPTION_ENTRY_NULL};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse(&usage, entries, NULL, argc, argv, &status);
    if (arguments == NULL)
        return status;
    g_autoptr(GError) error = NULL;
    show_stack(arguments[0], &options, &error);
    return dt_cli_status(error);
}
