/* The first view of difftrace tui: suspects, or the traces of a run, and what is known of the chosen one. */
#include <string.h>

#include "commands/tui/subject.h"
#include "decoder/open_calls.h"
#include "report/table.h"
#include "text/text.h"

enum { DETAIL_LINES = 9 };

/* ---- suspects ----------------------------------------------------------------------------------- */

/* As `compare` prints it. */
static void add_verdict(DtTuiPage *page, const DtComparison *comparison, guint width)
{
    g_autofree char *verdict = g_strconcat("Verdict: ", comparison->verdict ? comparison->verdict : "none", NULL);
    dt_tui_page_add_wrapped(page, verdict, width, DT_STYLE_HEAD);
    dt_tui_page_add(page, "", DT_STYLE_PLAIN);
}

static gboolean add_suspects(DtTuiPage *page, const DtComparison *comparison, GError **error)
{
    g_autofree char *table = dt_report_suspects(comparison, 0, DT_FORMAT_TEXT, error);
    if (!table)
        return FALSE;
    page->head = page->lines->len + 1;
    page->is_list = TRUE;
    dt_tui_page_add(page, table, DT_STYLE_PLAIN);
    for (guint i = 0; i < comparison->suspects->len; i++)
        g_ptr_array_add(page->labels, ((const DtSuspectRow *)comparison->suspects->pdata[i])->trace);
    return TRUE;
}

/* ---- all traces --------------------------------------------------------------------------------- */

/* It ended as it should not, and not because another did. */
static gboolean ended_by_itself(const DtWaiter *waiter)
{
    return waiter->status == DT_STATUS_EXITED || waiter->status == DT_STATUS_ABORTED ||
           waiter->status == DT_STATUS_CRASHED;
}

/* Those that are blamed come first, then those that ended in a way of their own, and all others as the run has them. */
static gint by_blame(gconstpointer a, gconstpointer b)
{
    const DtWaiter *first = *(const DtWaiter *const *)a, *second = *(const DtWaiter *const *)b;
    if (first->blame != second->blame)
        return first->blame > second->blame ? -1 : 1;
    const gint more = ended_by_itself(second) - ended_by_itself(first);
    return more != 0 ? more
                     : (first->trace->index > second->trace->index) - (first->trace->index < second->trace->index);
}

static char *labels_of(const DtWaitFor *waits, const GArray *indices)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; i < indices->len; i++)
        g_ptr_array_add(
            labels,
            (gpointer)((const DtWaiter *)waits->waiters->pdata[g_array_index(indices, guint, i)])->trace->label);
    return dt_trace_list_text(labels);
}

static void add_waiter(DtTable *table, const DtWaitFor *waits, const DtWaiter *waiter)
{
    g_autofree char *by = labels_of(waits, waiter->waits_for);
    dt_table_add(table, waiter->trace->label);
    if (waiter->blame > 0)
        dt_table_add_format(table, "%.2f", waiter->blame);
    else
        dt_table_add(table, "");
    dt_table_add(table, dt_status_name(waiter->status));
    dt_table_add(table, waiter->call ? waiter->call : waiter->mode == DT_WAIT_ENDED ? "(ended)" : "(no call)");
    dt_table_add(table, waiter->what ? waiter->what : waiter->end);
    dt_table_add(table, by);
}

static gboolean add_traces(DtTuiPage *page, DtTuiSubject *subject, const DtTuiSelection *selection, guint width,
                           GError **error)
{
    const DtWaitFor *waits = dt_tui_waits(subject, selection, error);
    if (!waits)
        return FALSE;
    if (!subject->comparison) {
        g_autofree char *summary = g_strdup_printf("%s.", waits->summary);
        summary[0] = g_ascii_toupper(summary[0]);
        dt_tui_page_add_wrapped(page, summary, width, DT_STYLE_HEAD);
        dt_tui_page_add(page, "", DT_STYLE_PLAIN);
    }
    g_autoptr(GPtrArray) sorted = g_ptr_array_copy(waits->waiters, NULL, NULL);
    g_ptr_array_set_free_func(sorted, NULL);
    g_ptr_array_sort(sorted, by_blame);
    g_autoptr(DtTable) table = dt_table_new("trace|>blame|status|~in|for|held up by");
    for (guint i = 0; i < sorted->len; i++) {
        add_waiter(table, waits, sorted->pdata[i]);
        g_ptr_array_add(page->labels, (gpointer)((const DtWaiter *)sorted->pdata[i])->trace->label);
    }
    g_autoptr(GString) text = g_string_new(NULL);
    dt_table_append_text(table, text, 0);
    page->head = page->lines->len + 1;
    page->is_list = TRUE;
    dt_tui_page_add(page, text->str, DT_STYLE_PLAIN);
    return TRUE;
}

gboolean dt_tui_traces_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                            GError **error)
{
    page->labels = g_ptr_array_new();
    page->detail = DETAIL_LINES;
    if (subject->comparison)
        add_verdict(page, subject->comparison, width);
    if (!subject->comparison || selection->forms[DT_TUI_TRACES] == DT_TUI_ALL_TRACES)
        return add_traces(page, subject, selection, width, error);
    if (subject->comparison->suspects->len > 0)
        return add_suspects(page, subject->comparison, error);
    dt_tui_page_add(page, "No trace is a suspect. v shows all traces.", DT_STYLE_PLAIN);
    return TRUE;
}

/* ---- the chosen one ----------------------------------------------------------------------------- */

static void add_named(DtTuiPage *page, const char *name, const char *text, guint width)
{
    enum { NAME_COLUMNS = 9 };
    if (!text || text[0] == '\0')
        return;
    g_autoptr(GString) wrapped = g_string_new(NULL);
    dt_append_wrapped(wrapped, text, width > NAME_COLUMNS ? width - NAME_COLUMNS : 1);
    g_auto(GStrv) lines = g_strsplit(wrapped->str, "\n", -1);
    for (guint i = 0; lines[i] && (lines[i][0] != '\0' || lines[i + 1]); i++) {
        g_autofree char *line = g_strdup_printf("%-*s%s", NAME_COLUMNS, i == 0 ? name : "", lines[i]);
        dt_tui_page_add(page, line, DT_STYLE_PLAIN);
    }
}

/* ", address 0x0" of a crash; "" if it is not known. */
static char *address_text(const DtRun *run, const DtTrace *trace)
{
    DtSignalHit hit;
    if (trace->fatal_signal == 0 || !dt_run_signal_hit(run, trace, &hit) || !hit.is_fault)
        return g_strdup("");
    return g_strdup_printf(", address 0x%" G_GINT64_MODIFIER "x", hit.fault_address);
}

/* "solve, inlined into " where a signal hit what the compiler has inlined; else "". */
static char *inlined_text(DtTuiSubject *subject, const DtRun *run, const DtTrace *trace)
{
    DtSignalHit hit;
    if (trace->fatal_signal == 0 || !dt_run_signal_hit(run, trace, &hit) || !hit.known)
        return g_strdup("");
    const GArray *frames = dt_source_lines_at(subject->lines, run, trace->process, &hit.place);
    const DtSourceFrame *inner = frames->len > 1 ? &g_array_index(frames, DtSourceFrame, 0) : NULL;
    return inner ? dt_text_printf("%s, inlined into ", inner->function) : g_strdup("");
}

/* "MPI_Recv(world, from +1, tag 0, 10 x INT) at oddeven.c:71"; NULL: no call is open, or it is not known. */
static char *open_call(DtTuiSubject *subject, const DtRun *run, const DtTrace *trace)
{
    g_autoptr(GArray) open = dt_open_calls_at_end(run, trace, NULL);
    DtPlace place;
    if (!open || open->len == 0)
        return NULL;
    const DtOpenCall *last = &g_array_index(open, DtOpenCall, open->len - 1);
    const DtFunction *function = dt_functions_get(dt_run_functions(run), last->signature);
    g_autofree char *line = dt_open_calls_innermost(run, trace, open, &place)
                                ? dt_source_lines_text(subject->lines, run, trace->process, &place)
                                : NULL;
    g_autofree char *address = address_text(run, trace);
    g_autofree char *inlined = inlined_text(subject, run, trace);
    return g_strconcat(inlined, function->shown, line ? " at " : "", line ? line : "", address, NULL);
}

static void add_open_call(DtTuiPage *page, DtTuiSubject *subject, const DtTuiSelection *selection, const char *label,
                          guint width)
{
    const DtRun *run = dt_tui_run(subject, selection, NULL);
    const DtTrace *trace = run ? dt_run_find_trace(run, label) : NULL;
    g_autofree char *call = trace ? open_call(subject, run, trace) : NULL;
    add_named(page, trace && trace->fatal_signal != 0 ? "crashed" : "is in", call, width);
}

/* As it is typed. */
static char *quoted(const char *path)
{
    return !strpbrk(path, " '\"\\$`&;()<>|*?[]#~!{}\t\n") ? g_strdup(path) : g_shell_quote(path);
}

/* The name that was given, as far as it leads to the run from here. */
static char *faulty_path(const DtTuiSubject *subject)
{
    const DtComparison *comparison = subject->comparison;
    const DtRecipe *recipe = comparison ? comparison->recipe : NULL;
    if (!comparison)
        return quoted(subject->path);
    g_autofree char *from_here = comparison->faulty ? g_canonicalize_filename(comparison->faulty, NULL) : NULL;
    const gboolean is_far = recipe && recipe->faulty && g_strcmp0(from_here, recipe->faulty) != 0;
    const char *path = is_far ? recipe->faulty : comparison->faulty;
    return quoted(path ? path : "RUN");
}

/* What Enter shows, and what prints it. */
static void add_next(DtTuiPage *page, const DtTuiSubject *subject, const char *label, guint width)
{
    const DtComparison *comparison = subject->comparison;
    g_autofree char *path = quoted(subject->path), *run = faulty_path(subject);
    g_autofree char *next =
        dt_tui_is_slow(subject, label)
            ? g_strdup_printf("Enter: the times; to print: difftrace times %s --by function", run)
        : comparison && comparison->normal
            ? g_strdup_printf("Enter: the difference; to print: difftrace diffnlr %s %s --args", label, path)
            : g_strdup_printf("Enter: the stack; to print: difftrace stack %s -t %s", run, label);
    add_named(page, "next", next, width);
}

static void add_suspect(DtTuiPage *page, const DtSuspectRow *suspect, guint width)
{
    add_named(page, "differs", suspect->first_difference, width);
    add_named(page, "departs", suspect->source, width);
}

static void add_blame(DtTuiPage *page, DtTuiSubject *subject, const DtTuiSelection *selection, const char *label,
                      guint width)
{
    const DtWaitFor *waits = dt_tui_waits(subject, selection, NULL);
    for (guint i = 0; waits && i < waits->waiters->len; i++) {
        const DtWaiter *waiter = waits->waiters->pdata[i];
        if (!g_str_equal(waiter->trace->label, label))
            continue;
        add_named(page, "blamed", waiter->reason, width);
        add_named(page, "waits", waiter->what, width);
        if (!waiter->reason && (waiter->mode == DT_WAIT_ENDED || waiter->mode == DT_WAIT_RUNS))
            add_named(page, "ended", waiter->end, width);
    }
}

DtTuiPage *dt_tui_traces_detail(DtTuiSubject *subject, const DtTuiSelection *selection, guint width)
{
    DtTuiPage *page = dt_tui_page_new();
    const char *label = selection->trace;
    const DtSuspectRow *suspect = dt_tui_suspect(subject, label);
    if (!label)
        return page;
    g_autofree char *title = g_strdup_printf("---- trace %s ", label);
    g_autofree char *rule = g_strnfill(width > strlen(title) ? width - strlen(title) : 0, '-');
    g_autofree char *heading = g_strconcat(title, rule, NULL);
    dt_tui_page_add(page, heading, DT_STYLE_QUIET);
    if (suspect)
        add_suspect(page, suspect, width);
    else
        add_blame(page, subject, selection, label, width);
    add_open_call(page, subject, selection, label, width);
    add_next(page, subject, label, width);
    if (suspect)
        add_named(page, "why", suspect->why, width); /* may be longer than there is room for */
    return page;
}
