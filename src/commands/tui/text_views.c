/* Views of difftrace tui that are reports of other commands. */
#include <omp.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/stack_text.h"
#include "commands/times/views.h"
#include "commands/tui/subject.h"
#include "report/checks/checks_report.h"
#include "report/stacks.h"
#include "result/difference_report.h"
#include "text/text.h"

/* Takes the text. */
static gboolean add_report(DtTuiPage *page, char *report)
{
    if (report)
        dt_tui_page_add(page, report, DT_STYLE_PLAIN);
    g_free(report);
    return report != NULL;
}

/* What stands before the first empty line is wrapped, below it are tables. Takes the text. */
static gboolean add_report_with_head(DtTuiPage *page, char *report, guint width)
{
    if (!report)
        return FALSE;
    char *rest = strstr(report, "\n\n");
    g_autofree char *head = rest ? g_strndup(report, (gsize)(rest - report)) : g_strdup("");
    g_auto(GStrv) lines = g_strsplit(head, "\n", -1);
    for (guint i = 0; lines[i]; i++)
        dt_tui_page_add_wrapped(page, lines[i], width, DT_STYLE_HEAD);
    dt_tui_page_add(page, rest ? rest + 1 : report, DT_STYLE_PLAIN);
    g_free(report);
    return TRUE;
}

/* ---- difference --------------------------------------------------------------------------------- */

static DtFoldingCache *folding_cache(DtTuiSubject *subject, gboolean with_arguments)
{
    DtFoldingCache **cache = &subject->foldings[with_arguments ? 1 : 0];
    DtLoops loops = dt_recipe_loops(subject->comparison->recipe);
    loops.projection = with_arguments ? DT_NAMES_WITH_ARGUMENTS : DT_NAMES_ALONE;
    if (!*cache)
        *cache = dt_folding_cache_new(subject->runs, loops, 0);
    return *cache;
}

static const DtFolding *fold(DtTuiSubject *subject, const DtTuiSelection *selection, const char *label, GError **error)
{
    DtFoldingCache *cache = folding_cache(subject, selection->with_arguments);
    if (selection->filter > 0)
        return dt_folding_cache_get(cache, subject->filters->pdata[selection->filter], error);
    return subject->comparison->rows->len > 0 ? dt_folding_cache_telling(cache, subject->comparison, label, NULL, error)
                                              : dt_folding_cache_get(cache, "all", error);
}

/* So that the first line of one run alone is in view, with some before it. */
static guint first_departure(const DtTuiPage *page)
{
    enum { BEFORE = 5 };
    for (guint i = 0; i < page->lines->len; i++) {
        const char *text = ((const DtTuiLine *)page->lines->pdata[i])->text;
        if (g_str_has_prefix(text, "- ") || g_str_has_prefix(text, "+ "))
            return i > BEFORE ? i - BEFORE : 0;
    }
    return 0;
}

gboolean dt_tui_difference_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                                GError **error)
{
    if (!subject->comparison || !subject->comparison->normal) {
        g_set_error_literal(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                            "A difference needs two runs: difftrace compare NORMAL FAULTY, then difftrace tui.");
        return FALSE;
    }
    const DtRun *run = dt_tui_run(subject, selection, error);
    const DtTrace *trace = run ? dt_tui_trace(subject, run, selection, error) : NULL;
    if (!trace)
        return FALSE;
    const DtTuiSelection other = {.trace = selection->trace, .of_normal = !selection->of_normal};
    const DtRun *second = dt_tui_run(subject, &other, error);
    if (!second || !dt_tui_trace(subject, second, &other, error))
        return FALSE;
    const DtFolding *folding = fold(subject, selection, trace->label, error);
    /* In columns as wide as the calls are: what is out of view can be brought there, what is left out cannot. */
    g_autofree char *report = folding ? dt_difference_report(subject->comparison, subject->runs, folding, trace->label,
                                                             0, DT_FORMAT_TERMINAL, error)
                                      : NULL;
    if (!report)
        return FALSE;
    char *rest = strchr(report, '\n'); /* the first line may be long */
    *rest = '\0';
    dt_tui_page_add_wrapped(page, report, width, DT_STYLE_HEAD);
    page->head = page->lines->len;
    dt_tui_page_add(page, rest + 1, DT_STYLE_PLAIN);
    const guint departure = first_departure(page);
    page->first = departure > page->head ? departure - page->head : 0;
    return TRUE;
}

/* ---- stacks and waits --------------------------------------------------------------------------- */

gboolean dt_tui_stacks_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                            GError **error)
{
    (void)width;
    const DtRun *run = dt_tui_run(subject, selection, error);
    if (!run)
        return FALSE;
    const DtStackWants wants = {.at = G_MAXUINT64,
                                .lines = TRUE,
                                .projection = selection->with_arguments ? DT_NAMES_WITH_ARGUMENTS : DT_NAMES_ALONE};
    if (selection->forms[DT_TUI_STACKS] == DT_TUI_ALL_STACKS)
        return add_report(page, dt_stacks_text(run, &wants, DT_FORMAT_TEXT, error));
    const DtTrace *trace = dt_tui_trace(subject, run, selection, error);
    char *text = trace ? dt_stack_text(run, trace, &wants, DT_FORMAT_TEXT, error) : NULL;
    if (!text)
        return FALSE;
    dt_tui_page_add(page, "Calls open at the end, outermost first; * never returned", DT_STYLE_QUIET);
    dt_tui_page_add(page, "", DT_STYLE_PLAIN);
    if (text[0] != '\0')
        return add_report(page, text);
    g_free(text);
    dt_tui_page_add(page, "No call is open: the trace has ended.", DT_STYLE_PLAIN);
    return TRUE;
}

gboolean dt_tui_waits_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                           GError **error)
{
    const DtWaitFor *waits = dt_tui_waits(subject, selection, error);
    return waits && add_report_with_head(page, dt_report_wait_for(waits, width, DT_FORMAT_TERMINAL, error), width);
}

/* ---- times -------------------------------------------------------------------------------------- */

const char *const dt_tui_times_forms[] = {"by call",   "by line", "by rank",       "by function", "by iteration",
                                          "over time", "waits",   "critical path", NULL};

/* What the verdict says of them. */
static void add_time_verdict(DtTuiPage *page, const DtTuiSubject *subject, guint width)
{
    const DtTimeVerdict *times = subject->comparison ? subject->comparison->times : NULL;
    if (!times || !times->text)
        return;
    dt_tui_page_add_wrapped(page, times->text, width, DT_STYLE_HEAD);
    dt_tui_page_add(page, "", DT_STYLE_PLAIN);
}

gboolean dt_tui_times_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                           GError **error)
{
    enum { TABLES = 5 /* the first forms, in which names are not narrowed */ };
    static const DtTimesView views[] = {dt_times_by_call,     dt_times_by_site,      dt_times_by_rank,
                                        dt_times_by_function, dt_times_by_iteration, dt_times_over_time,
                                        dt_times_waits,       dt_times_critical_path};
    const DtRun *run = dt_tui_run(subject, selection, error);
    g_autoptr(GPtrArray) traces = run ? dt_times_traces(run, NULL, error) : NULL;
    if (!traces)
        return FALSE;
    const char *notation = selection->filter > 0 ? subject->filters->pdata[selection->filter] : NULL;
    g_autoptr(DtFilter) filter = notation ? dt_filter_parse(notation, error) : NULL;
    g_autoptr(DtFilterSet) set = filter ? dt_filter_compile(filter, dt_run_functions(run), error) : NULL;
    if (notation && !set)
        return FALSE;
    const guint form = selection->forms[DT_TUI_TIMES];
    const DtTimesAsked asked = {.shown = {.run = run, .width = form < TABLES ? 0 : width, .set = set},
                                .traces = traces,
                                .filter = notation,
                                .with_arguments = selection->with_arguments,
                                .jobs = (guint)omp_get_max_threads(),
                                .format = DT_FORMAT_TEXT};
    add_time_verdict(page, subject, width);
    return add_report(page, views[form](&asked, error));
}

/* ---- checks ------------------------------------------------------------------------------------- */

gboolean dt_tui_checks_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                            GError **error)
{
    DtChecked **checked = &subject->checked[dt_tui_side(selection)];
    const DtRun *run = dt_tui_run(subject, selection, error);
    if (run && !*checked)
        *checked = dt_checked_new(run, NULL, error);
    return run && *checked && add_report(page, dt_report_checked(*checked, width, DT_FORMAT_TEXT, error));
}

/* ---- help --------------------------------------------------------------------------------------- */

gboolean dt_tui_help_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                          GError **error)
{
    static const char help[] = "Views, each by its key; what is selected stays\n"
                               "  1           suspects, or the traces of a run: who\n"
                               "  2           difference: what the trace does otherwise than in the normal run\n"
                               "  3           stacks: the calls that were open at the end, with their lines\n"
                               "  4           waits: who waits for whom at the end, and who is to blame\n"
                               "  5           times, if they were recorded (difftrace collect --times)\n"
                               "  6           source: the lines that the trace was at, if the files are here\n"
                               "  7           checks: errors in the use of MPI, OpenMP and locks\n"
                               "  Enter       deeper: suspect, difference, source\n"
                               "  q Esc       back; at the first view q ends; Q ends at once\n"
                               "\n"
                               "What is selected\n"
                               "  < >  , .    the trace before and after, in the order of view 1\n"
                               "  t           a trace by its name: 5 or 5.0 is rank 5, 5.2 its thread 2\n"
                               "  a           calls with their arguments, or by name alone\n"
                               "  f F         the next filter, the one before; auto: the one that shows most\n"
                               "  r           the normal run or the faulty one\n"
                               "  v V         the next form of a view, the one before: all stacks, times by rank\n"
                               "  R           a run that is still recorded, as it is now\n"
                               "\n"
                               "Moving\n"
                               "  arrows, Page, Home, End, j k, blank b, g G\n"
                               "  left right  a line that ends in > goes on at the right\n"
                               "  /           search; n N the next and the one before\n"
                               "\n"
                               "Signs: = both runs   - normal run only   + faulty run only; L1^16: the loop L1,\n"
                               "16 times; what is in it stands below the difference.\n";
    (void)subject, (void)selection, (void)width, (void)error;
    dt_tui_page_add(page, help, DT_STYLE_PLAIN);
    return TRUE;
}
