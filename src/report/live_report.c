/* A job while it runs: a line a class of threads. */
#include "report/live_report.h"

#include <string.h>

#include "report/common.h"
#include "report/json.h"
#include "report/table.h"
#include "text/text.h"

enum { COUNT, IN, CALLED_BY, THREADS, KERNEL, RATE, ITERATION, IN_MPI, STILL, COLUMNS };
static const char *const headings[COLUMNS] = {"",         "in",        "called by", "threads",  "kernel",
                                              "events/s", "iteration", "MPI",       "still for"};
static const gboolean is_right[COLUMNS] = {[COUNT] = TRUE, [RATE] = TRUE, [IN_MPI] = TRUE, [STILL] = TRUE};
/* What gives way if a line is too long, and to which width. */
static const glong least[COLUMNS] = {[IN] = 16, [CALLED_BY] = 12, [THREADS] = 12, [ITERATION] = 14};

/* Below it a thread may just have recorded nothing between two looks. Of one that was never seen to move less is
 * enough: more than that may not come, with --once. */
static const gdouble still_at_least = 2, never_moved_at_least = 0.9; /* seconds */

static gboolean stands_still(gdouble still, gboolean longer)
{
    return still >= (longer ? never_moved_at_least : still_at_least);
}

/* ---- numbers ------------------------------------------------------------------------------------- */

/* "950", "12.3 k", "4.56 M": three digits. */
static char *rate_text(gdouble rate)
{
    static const char *const units[] = {"", " k", " M", " G"};
    guint unit = 0;
    for (; rate >= 999.5 && unit + 1 < G_N_ELEMENTS(units); unit++)
        rate /= 1000;
    const gint digits = unit == 0 || rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2;
    return g_strdup_printf("%.*f%s", digits, rate, units[unit]);
}

/* "41 s", "12 min 05 s", "3 h 12 min" */
static char *duration_text(gdouble seconds, gboolean longer)
{
    const guint64 whole = (guint64)seconds;
    const char *sign = longer ? "> " : "";
    if (whole < 60)
        return g_strdup_printf("%s%u s", sign, (guint)whole);
    if (whole < 3600)
        return g_strdup_printf("%s%u min %02u s", sign, (guint)(whole / 60), (guint)(whole % 60));
    return g_strdup_printf("%s%" G_GUINT64_FORMAT " h %02u min", sign, whole / 3600, (guint)(whole / 60 % 60));
}

/* "00:01:07" */
static char *clock_text(gdouble seconds)
{
    const guint64 whole = (guint64)seconds;
    return g_strdup_printf("%02" G_GUINT64_FORMAT ":%02u:%02u", whole / 3600, (guint)(whole / 60 % 60),
                           (guint)(whole % 60));
}

static char *number_of(guint count, const char *one, const char *several)
{
    return g_strdup_printf("%u %s", count, count == 1 ? one : several);
}

/* ---- cells --------------------------------------------------------------------------------------- */

static char *rates_text(gdouble slowest, gdouble fastest)
{
    g_autofree char *low = rate_text(slowest), *high = rate_text(fastest);
    return strcmp(low, high) == 0 ? g_steal_pointer(&low) : g_strdup_printf("%s - %s", low, high);
}

static char *iterations_text(const DtLiveReport *what, guint32 function, guint64 first, guint64 last)
{
    g_autofree char *name =
        function != 0 ? g_strdup_printf(" of %s", dt_function_shown(what->functions, function)) : NULL;
    if (last == 0)
        return g_strdup("");
    if (first == last)
        return g_strdup_printf("%" G_GUINT64_FORMAT "%s", first, name ? name : "");
    return g_strdup_printf("%" G_GUINT64_FORMAT " - %" G_GUINT64_FORMAT "%s", first, last, name ? name : "");
}

/* "34 %", "12 - 40 %" */
static char *share_text(gdouble smallest, gdouble largest)
{
    g_autofree char *low = g_strdup_printf("%.0f", 100 * smallest), *high = g_strdup_printf("%.0f", 100 * largest);
    if (smallest < 0)
        return g_strdup("");
    return strcmp(low, high) == 0 ? g_strdup_printf("%s %%", low) : g_strdup_printf("%s - %s %%", low, high);
}

static const char *innermost_name(const DtLiveReport *what, const DtLiveClass *class)
{
    if (class->calls[0] != 0)
        return dt_function_shown(what->functions, class->calls[0]);
    return class->has_ended ? "(ended)" : class->is_known ? "(no call)" : "(not known yet)";
}

static char *threads_text(const DtLiveClass *class)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; i < class->members->len; i++)
        g_ptr_array_add(labels, (gpointer)((const DtLiveMember *)class->members->pdata[i])->label);
    return dt_trace_list_text(labels);
}

static char *still_text(gdouble still, gboolean longer, gboolean has_ended)
{
    return has_ended ? g_strdup("ended") : !stands_still(still, longer) ? g_strdup("") : duration_text(still, longer);
}

/* "12 sleep", "1 runs, 3 sleep, 4 not seen" */
static char *states_text(const DtLiveClass *class)
{
    const struct {
        guint count;
        const char *one, *several;
    } states[] = {{class->run, "runs", "run"},
                  {class->sleep, "sleeps", "sleep"},
                  {class->other, "waits or is stopped", "wait or are stopped"},
                  {class->not_seen, "not seen", "not seen"}};
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(states); i++)
        if (states[i].count > 0)
            g_string_append_printf(text, "%s%u %s", text->len > 0 ? ", " : "", states[i].count,
                                   states[i].count == 1 ? states[i].one : states[i].several);
    return g_string_free(text, FALSE);
}

static const char *state_text(char state)
{
    switch (state) {
    case 0:
        return "";
    case '?':
        return "not seen";
    case 'R':
        return "runs";
    case 'S':
        return "sleeps";
    case 'D':
        return "waits for a device";
    case 'T':
    case 't':
        return "is stopped";
    default:
        return "ends";
    }
}

static char **class_cells(const DtLiveReport *what, const DtLiveClass *class)
{
    char **cells = g_new0(char *, COLUMNS + 1);
    cells[COUNT] = g_strdup_printf("%u", class->members->len);
    cells[IN] = g_strdup(innermost_name(what, class));
    cells[CALLED_BY] = g_strdup(class->calls[1] != 0 ? dt_function_shown(what->functions, class->calls[1]) : "");
    cells[THREADS] = threads_text(class);
    cells[KERNEL] = states_text(class);
    cells[RATE] = class->has_ended ? g_strdup("") : rates_text(class->slowest, class->fastest);
    cells[ITERATION] = what->iterations
                           ? iterations_text(what, class->iterated, class->first_iteration, class->last_iteration)
                           : g_strdup("");
    cells[IN_MPI] = share_text(class->least_in_mpi, class->most_in_mpi);
    cells[STILL] = still_text(class->still, class->still_longer, class->has_ended);
    return cells;
}

static char **member_cells(const DtLiveReport *what, const DtLiveClass *class, const DtLiveMember *member)
{
    char **cells = g_new0(char *, COLUMNS + 1);
    cells[COUNT] = g_strdup("");
    cells[IN] = g_strdup(innermost_name(what, class));
    cells[CALLED_BY] = g_strdup(class->calls[1] != 0 ? dt_function_shown(what->functions, class->calls[1]) : "");
    cells[THREADS] = g_strdup(member->label);
    cells[KERNEL] = g_strdup(class->has_ended ? "" : state_text(member->state));
    cells[RATE] = class->has_ended ? g_strdup("") : rate_text(member->words_a_second);
    cells[ITERATION] = what->iterations && member->iterated != 0
                           ? iterations_text(what, member->iterated, member->iteration, member->iteration)
                           : g_strdup("");
    cells[IN_MPI] = share_text(member->in_mpi, member->in_mpi);
    cells[STILL] = still_text(member->still, member->still_longer, class->has_ended);
    return cells;
}

/* ---- lines --------------------------------------------------------------------------------------- */

static void widen(glong widths[COLUMNS], char *const *cells)
{
    for (guint c = 0; c < COLUMNS; c++)
        widths[c] = MAX(widths[c], g_utf8_strlen(cells[c], -1));
}

/* With what stands between them. */
static glong sum_of(const glong widths[COLUMNS])
{
    glong all = -2;
    for (guint c = 0; c < COLUMNS; c++)
        all += widths[c] > 0 ? widths[c] + 2 : 0;
    return all;
}

/* Where the columns cannot be so narrow, some are left out. */
static void leave_out(glong widths[COLUMNS], guint width)
{
    static const guint order[] = {CALLED_BY, RATE, KERNEL, IN_MPI};
    glong narrowest[COLUMNS];
    for (guint c = 0; c < COLUMNS; c++)
        narrowest[c] = least[c] > 0 ? MIN(widths[c], least[c]) : widths[c];
    for (guint i = 0; i < G_N_ELEMENTS(order) && sum_of(narrowest) > (glong)width; i++)
        widths[order[i]] = narrowest[order[i]] = 0;
}

/* The widest gives way first. */
static void fit(glong widths[COLUMNS], guint width)
{
    if (width > 0)
        leave_out(widths, width);
    for (glong all = sum_of(widths); width > 0 && all > (glong)width; all--) {
        guint widest = COLUMNS;
        for (guint c = 0; c < COLUMNS; c++)
            if (least[c] > 0 && widths[c] > least[c] && (widest == COLUMNS || widths[c] > widths[widest]))
                widest = c;
        if (widest == COLUMNS)
            return;
        widths[widest]--;
    }
}

/* A list is cut at its end, a name in its middle. */
static char *cut(const char *cell, guint column, glong width)
{
    g_autofree char *line = dt_text_line(cell);
    if (g_utf8_strlen(line, -1) <= width)
        return g_steal_pointer(&line);
    if (column != THREADS || width < 4)
        return dt_text_shortened(line, width);
    g_autofree char *begin = g_utf8_substring(line, 0, width - 3);
    return g_strconcat(begin, "...", NULL);
}

static void append_padding(GString *line, glong count)
{
    for (glong i = 0; i < count; i++)
        g_string_append_c(line, ' ');
}

static char *line_of(char *const *cells, const glong widths[COLUMNS], guint width)
{
    GString *line = g_string_new(NULL);
    for (guint c = 0; c < COLUMNS; c++) {
        if (widths[c] == 0)
            continue;
        g_autofree char *cell = cut(cells[c], c, widths[c]);
        const glong padding = widths[c] - g_utf8_strlen(cell, -1);
        append_padding(line, line->len > 0 ? 2 : 0);
        append_padding(line, is_right[c] ? padding : 0);
        g_string_append(line, cell);
        append_padding(line, is_right[c] ? 0 : padding);
    }
    g_autofree char *whole = g_strchomp(g_string_free(line, FALSE));
    return width > 0 ? g_utf8_substring(whole, 0, MIN((glong)width, g_utf8_strlen(whole, -1)))
                     : g_steal_pointer(&whole);
}

static char *headings_line(const glong widths[COLUMNS], guint width)
{
    char *cells[COLUMNS];
    for (guint c = 0; c < COLUMNS; c++)
        cells[c] = (char *)headings[c];
    return line_of(cells, widths, width);
}

/* All cells of a table as lines; the headings first, as wide as they need if anything stands below them. */
static GPtrArray *lines_of(const GPtrArray *rows, guint width)
{
    glong widths[COLUMNS] = {0};
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < rows->len; i++)
        widen(widths, rows->pdata[i]);
    for (guint c = 0; c < COLUMNS; c++)
        widths[c] = widths[c] > 0 ? MAX(widths[c], (glong)strlen(headings[c])) : 0;
    fit(widths, width);
    g_ptr_array_add(lines, headings_line(widths, width));
    for (guint i = 0; i < rows->len; i++)
        g_ptr_array_add(lines, line_of(rows->pdata[i], widths, width));
    return lines;
}

static char *hosts_text(const DtLiveTotals *totals)
{
    return totals->hosts > 1 ? g_strdup_printf("on %u hosts", totals->hosts) : g_strdup("on one host");
}

static char *size_text(const DtLiveTotals *totals, gboolean with_threads)
{
    g_autofree char *who = totals->ranks > 0 ? number_of(totals->ranks, "rank", "ranks")
                                             : number_of(totals->processes, "process", "processes");
    g_autofree char *threads = number_of(totals->threads, "thread", "threads");
    return totals->is_over || !with_threads ? g_steal_pointer(&who) : g_strdup_printf("%s, %s", who, threads);
}

/* "16 ranks, 48 threads, running for 00:01:07, 96,000 events, 12 k/s, on one host"; what says least is left out first,
 * the more the briefer it is to be. */
enum { HEAD_WHOLE, HEAD_WITHOUT_HOST, HEAD_WITHOUT_THREADS, HEAD_WITHOUT_EVENTS, HEAD_BRIEFEST };
static char *head_text(const DtLiveReport *what, guint brevity)
{
    const DtLiveTotals *totals = what->totals;
    g_autofree char *size = size_text(totals, brevity < HEAD_WITHOUT_THREADS), *events = dt_grouped(totals->words);
    g_autofree char *clock = clock_text(totals->seconds), *rate = rate_text(totals->words_a_second);
    g_autofree char *hosts = hosts_text(totals);
    GString *text = g_string_new(size);
    if (totals->is_over)
        g_string_append_printf(text, ", ended after %s", clock);
    else if (totals->seconds > 0)
        g_string_append_printf(text, brevity < HEAD_BRIEFEST ? ", running for %s" : ", %s", clock);
    if (brevity < HEAD_WITHOUT_EVENTS)
        g_string_append_printf(text, ", %s events", events);
    if (!totals->is_over)
        g_string_append_printf(text, ", %s/s", rate);
    if (totals->in_mpi >= 0)
        g_string_append_printf(text, ", %.0f %% in MPI", 100 * totals->in_mpi);
    if (brevity < HEAD_WITHOUT_HOST || (totals->hosts > 1 && brevity < HEAD_BRIEFEST))
        g_string_append_printf(text, ", %s", hosts);
    return g_string_free(text, FALSE);
}

/* The run's name gives way to what is known of it. */
static char *head_line(const DtLiveReport *what)
{
    enum { SHORTEST_NAME = 8 };
    g_autofree char *run = dt_text_line(what->run), *base = g_path_get_basename(run);
    const glong least_name = MIN(g_utf8_strlen(base, -1), SHORTEST_NAME);
    guint brevity = HEAD_WHOLE;
    g_autofree char *text = head_text(what, brevity);
    while (what->width > 0 && brevity < HEAD_BRIEFEST &&
           g_utf8_strlen(text, -1) + 2 + least_name > (glong)what->width) {
        g_free(text);
        text = head_text(what, ++brevity);
    }
    const glong left = (glong)what->width - g_utf8_strlen(text, -1) - 2;
    if (what->width == 0 || g_utf8_strlen(run, -1) <= left)
        return g_strdup_printf("%s: %s", run, text);
    g_autofree char *short_name = dt_text_shortened(base, MAX(left, SHORTEST_NAME));
    g_autofree char *line = g_strdup_printf("%s: %s", short_name, text);
    return g_utf8_substring(line, 0, MIN((glong)what->width, g_utf8_strlen(line, -1)));
}

/* NULL: it gets on. */
static char *foot_text(const DtLiveReport *what)
{
    const DtLiveTotals *totals = what->totals;
    GString *text = g_string_new(NULL);
    if (totals->is_over) {
        g_string_append(text, "the job has ended: this is its end");
    } else if (what->stuck_seconds > 0) {
        g_string_append_printf(text, "stuck for %.0f s", what->stuck_seconds);
    } else if (totals->threads > 0 && stands_still(totals->still, totals->still_longer)) {
        g_autofree char *still = duration_text(totals->still, FALSE);
        g_string_append_printf(text, "no progress for %s%s", totals->still_longer ? "at least " : "", still);
    } else if (totals->threads == 0) {
        g_string_append(text, "no thread is there");
    }
    if (what->waits && text->len > 0)
        g_string_append_printf(text, "; %s (difftrace waits %s)", what->waits, what->run);
    return g_string_free(text, text->len == 0);
}

static void add_foot(GPtrArray *foot, const char *text, guint width)
{
    g_autoptr(GString) wrapped = g_string_new(NULL);
    if (text)
        dt_append_wrapped(wrapped, text, width);
    g_auto(GStrv) parts = g_strsplit(wrapped->str, "\n", -1);
    for (guint i = 0; parts[i] && parts[i][0]; i++)
        g_ptr_array_add(foot, g_strdup(parts[i]));
}

DtLiveLines *dt_live_lines_new(const DtLiveReport *what)
{
    DtLiveLines *lines = g_new0(DtLiveLines, 1);
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    for (guint i = 0; i < what->classes->len; i++)
        g_ptr_array_add(rows, class_cells(what, what->classes->pdata[i]));
    lines->head = head_line(what);
    lines->rows = lines_of(rows, what->width);
    lines->headings = g_ptr_array_steal_index(lines->rows, 0);
    lines->foot = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *foot = foot_text(what);
    add_foot(lines->foot, foot, what->width);
    for (guint i = 0; what->unseen && i < what->unseen->len; i++)
        add_foot(lines->foot, what->unseen->pdata[i], what->width);
    return lines;
}

void dt_live_lines_free(DtLiveLines *lines)
{
    if (!lines)
        return;
    g_free(lines->head);
    g_free(lines->headings);
    g_ptr_array_unref(lines->rows);
    g_ptr_array_unref(lines->foot);
    g_free(lines);
}

GPtrArray *dt_live_member_lines(const DtLiveReport *what, const DtLiveClass *class)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    for (guint i = 0; i < class->members->len; i++)
        g_ptr_array_add(rows, member_cells(what, class, class->members->pdata[i]));
    return lines_of(rows, what->width);
}

static void append_lines(GString *out, const GPtrArray *lines)
{
    for (guint i = 0; i < lines->len; i++)
        g_string_append_printf(out, "%s\n", (const char *)lines->pdata[i]);
}

static char *live_text(const DtLiveReport *what)
{
    g_autoptr(DtLiveLines) lines = dt_live_lines_new(what);
    GString *out = g_string_new(lines->head);
    g_string_append_c(out, '\n');
    if (lines->rows->len > 0)
        g_string_append_printf(out, "%s\n", lines->headings);
    append_lines(out, lines->rows);
    append_lines(out, lines->foot);
    return g_string_free(out, FALSE);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void add_iterations(JsonBuilder *builder, const DtLiveReport *what, const DtLiveClass *class)
{
    if (!what->iterations || class->last_iteration == 0) {
        dt_json_null(builder, "iteration");
        return;
    }
    dt_json_begin_object(builder, "iteration");
    dt_json_string(builder, "of", class->iterated != 0 ? dt_function_name(what->functions, class->iterated) : NULL);
    dt_json_integer(builder, "min", (gint64) class->first_iteration);
    dt_json_integer(builder, "max", (gint64) class->last_iteration);
    json_builder_end_object(builder);
}

static void add_states(JsonBuilder *builder, const DtLiveClass *class)
{
    if (class->run + class->sleep + class->other + class->not_seen == 0) {
        dt_json_null(builder, "kernel");
        return;
    }
    dt_json_begin_object(builder, "kernel");
    dt_json_integer(builder, "run", class->run);
    dt_json_integer(builder, "sleep", class->sleep);
    dt_json_integer(builder, "other", class->other);
    dt_json_integer(builder, "not_seen", class->not_seen);
    json_builder_end_object(builder);
}

static void add_share(JsonBuilder *builder, const DtLiveClass *class)
{
    if (class->least_in_mpi < 0) {
        dt_json_null(builder, "mpi");
        return;
    }
    dt_json_begin_object(builder, "mpi");
    dt_json_number(builder, "min", class->least_in_mpi);
    dt_json_number(builder, "max", class->most_in_mpi);
    json_builder_end_object(builder);
}

static void add_class(JsonBuilder *builder, const DtLiveReport *what, const DtLiveClass *class)
{
    dt_json_begin_object(builder, NULL);
    dt_json_begin_array(builder, "calls");
    for (guint i = 0; i < G_N_ELEMENTS(class->calls) && class->calls[i] != 0; i++)
        dt_json_string(builder, NULL, dt_function_name(what->functions, class->calls[i]));
    json_builder_end_array(builder);
    dt_json_boolean(builder, "known", class->is_known);
    dt_json_boolean(builder, "ended", class->has_ended);
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < class->members->len; i++)
        dt_json_string(builder, NULL, ((const DtLiveMember *)class->members->pdata[i])->label);
    json_builder_end_array(builder);
    dt_json_number(builder, "slowest", class->slowest);
    dt_json_number(builder, "fastest", class->fastest);
    dt_json_number(builder, "still", class->still);
    dt_json_boolean(builder, "still_longer", class->still_longer);
    add_states(builder, class);
    add_iterations(builder, what, class);
    add_share(builder, class);
    json_builder_end_object(builder);
}

static const char *state_name(const DtLiveReport *what)
{
    return what->totals->is_over ? "ended" : what->stuck_seconds > 0 ? "stuck" : "running";
}

static char *live_json(const DtLiveReport *what)
{
    const DtLiveTotals *totals = what->totals;
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "run", what->run);
    dt_json_string(builder, "state", state_name(what));
    dt_json_integer(builder, "ranks", totals->ranks);
    dt_json_integer(builder, "processes", totals->processes);
    dt_json_integer(builder, "processes_ended", totals->ended);
    dt_json_integer(builder, "threads", totals->threads);
    dt_json_integer(builder, "hosts", totals->hosts);
    dt_json_number(builder, "seconds", totals->seconds);
    dt_json_integer(builder, "events", (gint64)totals->words);
    dt_json_number(builder, "events_per_second", totals->words_a_second);
    if (totals->in_mpi >= 0)
        dt_json_number(builder, "mpi", totals->in_mpi);
    else
        dt_json_null(builder, "mpi");
    dt_json_number(builder, "still", totals->still);
    dt_json_boolean(builder, "still_longer", totals->still_longer);
    dt_json_number(builder, "stuck", what->stuck_seconds);
    dt_json_string(builder, "waits", what->waits);
    dt_json_begin_array(builder, "unseen");
    for (guint i = 0; what->unseen && i < what->unseen->len; i++)
        dt_json_string(builder, NULL, what->unseen->pdata[i]);
    json_builder_end_array(builder);
    dt_json_begin_array(builder, "classes");
    for (guint i = 0; i < what->classes->len; i++)
        add_class(builder, what, what->classes->pdata[i]);
    json_builder_end_array(builder);
    return dt_json_finish_compact(builder);
}

char *dt_report_live(const DtLiveReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return live_text(what);
    case DT_FORMAT_JSON:
        return live_json(what);
    default:
        return dt_report_no_format("a job that runs", format, "text and json", error);
    }
}

/* ---- page ---------------------------------------------------------------------------------------- */

static void append_markup(GString *out, const char *before, const char *text, const char *behind)
{
    g_autofree char *safe = dt_text_markup(text);
    g_string_append_printf(out, "%s%s%s", before, safe, behind);
}

static gboolean is_in_page(const DtLiveReport *what, guint column)
{
    return column == ITERATION ? what->iterations
           : column == IN_MPI  ? what->totals->in_mpi >= 0
                               : column != KERNEL || what->totals->hosts > 1;
}

static void append_row(GString *out, const DtLiveReport *what, const DtLiveClass *class)
{
    g_auto(GStrv) cells = class_cells(what, class);
    const gboolean is_still = !class->has_ended && stands_still(class->still, class->still_longer);
    g_string_append_printf(out, "<tr class=\"%s\">", class->has_ended ? "ended" : is_still ? "still" : "moves");
    for (guint c = 0; c < COLUMNS; c++)
        if (is_in_page(what, c))
            append_markup(out,
                          is_right[c]                 ? "<td class=\"number\">"
                          : c == IN || c == CALLED_BY ? "<td><code>"
                                                      : "<td>",
                          cells[c], c == IN || c == CALLED_BY ? "</code></td>" : "</td>");
    g_string_append(out, "</tr>\n");
}

static void append_table(GString *out, const DtLiveReport *what)
{
    g_string_append(out, "<div class=\"wide\"><table><thead><tr>");
    for (guint c = 0; c < COLUMNS; c++)
        if (is_in_page(what, c))
            g_string_append_printf(out, "<th scope=\"col\"%s>%s</th>", is_right[c] ? " class=\"number\"" : "",
                                   c == COUNT ? "count" : headings[c]);
    g_string_append(out, "</tr></thead><tbody>\n");
    for (guint i = 0; i < what->classes->len; i++)
        append_row(out, what, what->classes->pdata[i]);
    g_string_append(out, "</tbody></table></div>\n");
}

static const char page_style[] =
    ":root{--ground:#f6f7f9;--panel:#fff;--text:#1b1f24;--quiet:#55606b;--line:#d5dae0;--bad:#a63f00;--bad-area:#"
    "fdeadd;"
    "--good:#00664b;color-scheme:light dark}\n"
    "@media (prefers-color-scheme:dark){:root{--ground:#121518;--panel:#1b2025;--text:#e7eaed;--quiet:#a3adb8;"
    "--line:#39414a;--bad:#ffa66b;--bad-area:#432514;--good:#6fd9b5}}\n"
    "body{margin:0 auto;max-width:84rem;padding:1rem 1.25rem;background:var(--ground);color:var(--text);"
    "font:15px/1.5 system-ui,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}\n"
    "h1{font-size:1.4rem;margin:.3rem 0;overflow-wrap:anywhere}p{margin:.4rem 0}\n"
    ".brand,.as-of{color:var(--quiet)}.wide{overflow-x:auto;background:var(--panel);border:1px solid var(--line);"
    "border-radius:10px;padding:.5rem 1rem;margin:1rem 0}\n"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .8rem .3rem 0;"
    "border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}\n"
    "tr:last-child td{border-bottom:0}th{color:var(--quiet);font-weight:600}"
    ".number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "code{font-family:ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;font-size:.92em}\n"
    ".still td.number{color:var(--bad)}.ended{color:var(--quiet)}"
    ".verdict{background:var(--bad-area);color:var(--bad);padding:.6rem 1rem;border-radius:10px}\n"
    ".well{color:var(--good)}\n";

char *dt_report_live_page(const DtLiveReport *what, gdouble period)
{
    GString *out = g_string_new("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                "<meta name=\"viewport\" content=\"width=device-width\">\n");
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *time = g_date_time_format(now, "%Y-%m-%d %H:%M:%S");
    g_autofree char *head = head_text(what, HEAD_WHOLE), *foot = foot_text(what);
    if (!what->totals->is_over)
        g_string_append_printf(out, "<meta http-equiv=\"refresh\" content=\"%u\">\n", (guint)MAX(1, period + 0.5));
    append_markup(out, "<title>", what->run, ": difftrace watch</title>\n");
    g_string_append_printf(out, "<style>\n%s</style>\n</head>\n<body>\n<p class=\"brand\">difftrace watch</p>\n",
                           page_style);
    append_markup(out, "<h1>", what->run, "</h1>\n");
    append_markup(out, "<p>", head, "</p>\n");
    if (foot)
        append_markup(out, what->totals->is_over ? "<p class=\"as-of\">" : "<p class=\"verdict\" role=\"status\">",
                      foot, "</p>\n");
    else
        g_string_append(out, "<p class=\"well\">It gets on.</p>\n");
    for (guint i = 0; what->unseen && i < what->unseen->len; i++)
        append_markup(out, "<p class=\"verdict\" role=\"status\">", what->unseen->pdata[i], "</p>\n");
    append_table(out, what);
    g_string_append_printf(out, "<p class=\"as-of\">As of %s%s</p>\n</body>\n</html>\n", time,
                           what->totals->is_over ? "." : "; an older time here says that nobody watches any more.");
    return g_string_free(out, FALSE);
}
