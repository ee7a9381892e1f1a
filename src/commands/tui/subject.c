#include "commands/tui/subject.h"

#include <string.h>

#include "cli/cli.h"
#include "compare/difference.h"
#include "text/text.h"

static const char *const traces_forms[] = {"suspects", "all traces", NULL};
static const char *const stacks_forms[] = {"this trace", "all traces", NULL};

/* ---- opening ------------------------------------------------------------------------------------ */

static void add_filters(DtTuiSubject *subject)
{
    static const char *const of_a_run[] = {"mpi", "mpicol", "mpisr", "ompall", "mem", "all"};
    subject->filters = g_ptr_array_new();
    g_ptr_array_add(subject->filters, (gpointer) "auto");
    if (!subject->comparison) {
        for (guint i = 0; i < G_N_ELEMENTS(of_a_run); i++)
            g_ptr_array_add(subject->filters, (gpointer)of_a_run[i]);
        return;
    }
    g_autoptr(GPtrArray) ranked = dt_filters_by_rank(subject->comparison);
    for (guint i = 0; i < ranked->len; i++)
        g_ptr_array_add(subject->filters, ranked->pdata[i]);
}

/* Without its runs a result still has its suspects. */
static gboolean open_result(DtTuiSubject *subject, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(DtResult) result = dt_cli_open_result(subject->path, &subject->listener, &problem);
    if (result) {
        subject->comparison = g_steal_pointer(&result->comparison);
        subject->runs = g_steal_pointer(&result->runs);
        return TRUE;
    }
    subject->comparison = dt_result_load(subject->path, error);
    subject->problem = subject->comparison ? g_strdup(problem->message) : NULL;
    return subject->comparison != NULL;
}

static gboolean open_run(DtTuiSubject *subject, GError **error)
{
    subject->functions = dt_functions_new();
    subject->run = dt_cli_open_run(subject->path, subject->functions, error);
    return subject->run != NULL;
}

/* Where nothing is, a result is missed where one comes by default. */
static gboolean is_result(const char *path)
{
    g_autofree char *document = g_build_filename(path, DT_RESULT_DOCUMENT, NULL);
    return g_file_test(document, G_FILE_TEST_EXISTS) ||
           (strcmp(path, DT_RESULT_DIRECTORY) == 0 && !dt_is_our_directory(path, "run"));
}

DtTuiSubject *dt_tui_subject_open(const char *path, GError **error)
{
    g_autoptr(DtTuiSubject) subject = g_new0(DtTuiSubject, 1);
    subject->path = path;
    if (!(is_result(path) ? open_result(subject, error) : open_run(subject, error)))
        return NULL;
    add_filters(subject);
    subject->lines = dt_source_lines_new();
    return g_steal_pointer(&subject);
}

/* What views have read, and the run if it is one alone. */
static void clear_what_was_read(DtTuiSubject *subject)
{
    for (guint i = 0; i < 2; i++) {
        g_clear_pointer(&subject->foldings[i], dt_folding_cache_free);
        g_clear_pointer(&subject->waits[i], dt_wait_for_free);
        g_clear_pointer(&subject->checked[i], dt_checked_free);
    }
    g_clear_pointer(&subject->lines, dt_source_lines_free);
    g_clear_pointer(&subject->run, dt_run_free);
    g_clear_pointer(&subject->functions, dt_functions_unref);
}

void dt_tui_subject_free(DtTuiSubject *subject)
{
    if (!subject)
        return;
    clear_what_was_read(subject);
    g_clear_pointer(&subject->filters, g_ptr_array_unref);
    dt_runs_free(subject->runs);
    dt_comparison_free(subject->comparison);
    g_free(subject->problem);
    dt_cli_listener_clear(&subject->listener);
    g_free(subject);
}

/* ---- what is selected --------------------------------------------------------------------------- */

guint dt_tui_side(const DtTuiSelection *selection)
{
    return selection->of_normal ? 1 : 0;
}

const DtRun *dt_tui_run(const DtTuiSubject *subject, const DtTuiSelection *selection, GError **error)
{
    if (!subject->comparison)
        return subject->run;
    if (!subject->runs)
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, subject->problem);
    else if (!selection->of_normal)
        return subject->runs->faulty;
    else if (!subject->runs->normal)
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "the comparison had no normal run");
    return subject->runs ? subject->runs->normal : NULL;
}

const DtTrace *dt_tui_trace(const DtTuiSubject *subject, const DtRun *run, const DtTuiSelection *selection,
                            GError **error)
{
    const DtTrace *trace = selection->trace ? dt_run_find_trace(run, selection->trace) : NULL;
    if (!trace)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "trace %s is not in the run %s%s",
                     selection->trace ? selection->trace : "-", dt_run_path(run),
                     subject->comparison ? "; r shows the other run" : "");
    return trace;
}

const DtWaitFor *dt_tui_waits(DtTuiSubject *subject, const DtTuiSelection *selection, GError **error)
{
    DtWaitFor **waits = &subject->waits[dt_tui_side(selection)];
    const DtRun *run = !*waits ? dt_tui_run(subject, selection, error) : NULL;
    if (run)
        *waits = dt_wait_for_new(run, 0, error);
    return *waits;
}

const DtSuspectRow *dt_tui_suspect(const DtTuiSubject *subject, const char *label)
{
    const GPtrArray *suspects = subject->comparison ? subject->comparison->suspects : NULL;
    for (guint i = 0; suspects && label && i < suspects->len; i++) {
        const DtSuspectRow *suspect = suspects->pdata[i];
        if (g_str_equal(suspect->trace, label))
            return suspect;
    }
    return NULL;
}

gboolean dt_tui_is_slow(const DtTuiSubject *subject, const char *label)
{
    const DtTimeVerdict *times = subject->comparison ? subject->comparison->times : NULL;
    const DtSuspectRow *suspect = dt_tui_suspect(subject, label);
    for (guint i = 0; times && suspect && !suspect->first_difference; i++) {
        if (i >= times->differences->len)
            return FALSE;
        const char *const *traces =
            (const char *const *)((const DtTimeDifference *)times->differences->pdata[i])->traces;
        if (traces && g_strv_contains(traces, label))
            return TRUE;
    }
    return FALSE;
}

/* ---- what the model asks ------------------------------------------------------------------------ */

typedef gboolean (*Maker)(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                          GError **error);

/* What would be told on the terminal stands below the page; below a list there is no place for it. */
static void add_messages(const DtTuiSubject *subject, DtTuiPage *page, guint width)
{
    g_autofree char *messages = subject->caught ? dt_caught_take(subject->caught) : NULL;
    if (!messages || page->is_list)
        return;
    dt_tui_page_add(page, "", DT_STYLE_PLAIN);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(messages), "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        const char *text = g_str_has_prefix(lines[i], "difftrace: ") ? lines[i] + strlen("difftrace: ") : lines[i];
        dt_tui_page_add_wrapped(page, text, width, DT_STYLE_WARNING);
    }
}

static DtTuiPage *make_page(gpointer data, const DtTuiSelection *selection, guint width)
{
    static const Maker makers[DT_TUI_VIEWS] = {
        [DT_TUI_TRACES] = dt_tui_traces_page, [DT_TUI_DIFFERENCE] = dt_tui_difference_page,
        [DT_TUI_STACKS] = dt_tui_stacks_page, [DT_TUI_WAITS] = dt_tui_waits_page,
        [DT_TUI_TIMES] = dt_tui_times_page,   [DT_TUI_SOURCE] = dt_tui_source_page,
        [DT_TUI_CHECKS] = dt_tui_checks_page, [DT_TUI_HELP] = dt_tui_help_page,
    };
    g_autoptr(GError) error = NULL;
    g_autoptr(DtTuiPage) page = dt_tui_page_new();
    if (makers[selection->view](data, selection, width, page, &error)) {
        add_messages(data, page, width);
        return g_steal_pointer(&page);
    }
    DtTuiPage *instead = dt_tui_page_new();
    add_messages(data, instead, width);
    g_auto(GStrv) lines = g_strsplit(error->message, "\n", -1);
    for (guint i = 0; lines[i]; i++)
        dt_tui_page_add_wrapped(instead, lines[i], width, DT_STYLE_WARNING);
    return instead;
}

static DtTuiPage *make_detail(gpointer data, const DtTuiSelection *selection, const DtTuiPage *page, guint row,
                              guint width, guint lines)
{
    return selection->view == DT_TUI_SOURCE ? dt_tui_source_detail(page, row, width, lines)
                                            : dt_tui_traces_detail(data, selection, width);
}

static char *find_trace(gpointer data, const char *typed)
{
    const DtTuiSubject *subject = data;
    const DtRun *run = !subject->comparison ? subject->run : subject->runs ? subject->runs->faulty : NULL;
    const DtTrace *trace = run ? dt_run_find_trace(run, typed) : NULL;
    const DtSuspectRow *suspect = !trace ? dt_tui_suspect(subject, typed) : NULL;
    return g_strdup(trace ? trace->label : suspect ? suspect->trace : NULL);
}

static char *state_of(const DtRun *run)
{
    guint64 words = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        words += dt_run_trace(run, i)->words;
    return g_strdup_printf("read again: %u traces, %" G_GUINT64_FORMAT " words%s", dt_run_trace_count(run), words,
                           dt_run_manifest(run)->finished ? "; the run has ended" : " so far");
}

static gboolean reload(gpointer data, char **told)
{
    DtTuiSubject *subject = data;
    g_autoptr(GError) error = NULL;
    if (subject->comparison) {
        *told = g_strdup("a result stays as it is: difftrace compare makes it anew");
        return FALSE;
    }
    DtFunctions *functions = dt_functions_new();
    DtRun *run = dt_cli_open_run(subject->path, functions, &error);
    if (!run) {
        *told = g_strdup(error->message);
        dt_functions_unref(functions);
        return FALSE;
    }
    clear_what_was_read(subject);
    subject->functions = functions;
    subject->run = run;
    subject->lines = dt_source_lines_new();
    *told = state_of(run);
    return TRUE;
}

/* To what the trace is suspected for. */
static DtTuiView deeper(gpointer data, const DtTuiSelection *selection)
{
    const DtTuiSubject *subject = data;
    if (dt_tui_is_slow(subject, selection->trace))
        return DT_TUI_TIMES;
    return subject->comparison && subject->comparison->normal ? DT_TUI_DIFFERENCE : DT_TUI_STACKS;
}

DtTuiSource dt_tui_subject_source(DtTuiSubject *subject)
{
    const gboolean is_result = subject->comparison != NULL;
    return (DtTuiSource){.data = subject,
                         .title = subject->path,
                         .traces_title = is_result ? "Suspects" : "Traces",
                         .has_normal = is_result && subject->comparison->normal,
                         .filters = subject->filters,
                         .forms = {[DT_TUI_TRACES] = is_result ? traces_forms : NULL,
                                   [DT_TUI_STACKS] = stacks_forms,
                                   [DT_TUI_TIMES] = dt_tui_times_forms},
                         .page = make_page,
                         .detail = make_detail,
                         .deeper = deeper,
                         .find_trace = find_trace,
                         .reload = reload};
}
