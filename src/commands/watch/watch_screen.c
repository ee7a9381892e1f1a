/* difftrace watch on a terminal: classes, and what stands behind one of them. */
#include <string.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "commands/watch/watch_job.h"
#include "report/stacks.h"

enum { MOST_STACKS = 256 /* of a class that are read */ };

typedef enum { PAGE_CLASSES, PAGE_STACK, PAGE_WAITS, PAGE_MEMBERS, PAGE_HELP } Page;

typedef struct {
    DtWatchJob *job;
    DtScreen screen;
    Page page;
    guint chosen;    /* index of a class */
    DtLiveClass key; /* what it does: it is found again by that */
    guint top;       /* first line that is shown */
    GPtrArray *text; /* (element-type utf8): of the page, unless it is made anew each time */
    gboolean is_left;
} View;

static const char *const help[] = {
    "A line is a class: threads with the same two innermost calls.",
    "",
    "  threads    0-14: the main threads of the ranks 0 to 14; 3.2: rank 3, thread 2",
    "  events/s   recorded calls and returns, of the slowest and the fastest",
    "  still for  since one of them has recorded something; > : or longer",
    "  iteration  how often the outermost repeated call was made (--iterations)",
    "  MPI        the share of the time so far, of the threads with least and most (--times)",
    "",
    "Keys",
    "  arrows, Page, Home, End   choose a class; move in a text",
    "  Enter      the stacks of the class, as they are now",
    "  c          the threads of the class one by one",
    "  w          who waits for whom",
    "  ?          this help",
    "  Esc, Left  back to the classes",
    "  q          end; the job is not touched",
};

/* ---- texts --------------------------------------------------------------------------------------- */

/* Where a line of at most so many characters ends: behind a whole word if it has several. */
static const char *end_of_line(const char *text, guint width)
{
    if (width == 0 || g_utf8_strlen(text, -1) <= (glong)width)
        return text + strlen(text);
    const char *end = g_utf8_offset_to_pointer(text, (glong)width);
    const char *blank = end;
    while (blank > text && *blank != ' ')
        blank--;
    return blank > text ? blank : end;
}

static void add_wrapped(GPtrArray *lines, const char *text, guint width)
{
    do {
        const char *end = end_of_line(text, width);
        g_ptr_array_add(lines, g_strndup(text, (gsize)(end - text)));
        text = end + (*end == ' ' ? 1 : 0);
    } while (*text);
}

static GPtrArray *lines_of(const char *text, guint width)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) parts = g_strsplit(text, "\n", -1);
    for (guint i = 0; parts[i] && (parts[i][0] || parts[i + 1]); i++)
        add_wrapped(lines, parts[i], width);
    return lines;
}

static GPtrArray *help_lines(void)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(help); i++)
        g_ptr_array_add(lines, g_strdup(help[i]));
    return lines;
}

static const DtLiveClass *chosen_class(const View *view)
{
    const GPtrArray *classes = dt_live_classes_list(view->job->classes);
    return view->chosen < classes->len ? classes->pdata[view->chosen] : NULL;
}

/* Of the class as the run was when it was opened last. */
static GPtrArray *stack_lines(const View *view)
{
    const DtRun *run = dt_live_classes_run(view->job->classes);
    const DtLiveClass *class = chosen_class(view);
    if (!run || !class)
        return lines_of("there is no class to be shown", 0);
    g_autoptr(DtStackTree) tree = dt_stack_tree_new(dt_run_functions(run));
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < MIN(class->members->len, MOST_STACKS); i++) {
        const DtLiveMember *member = class->members->pdata[i];
        const DtTrace *trace = dt_run_find_trace(run, member->label);
        DtSnapshot snapshot = {.at = G_MAXUINT64, .frames = frames, .frames_suffice = TRUE};
        if (trace && dt_snapshot_read(&snapshot, run, trace, NULL))
            dt_stack_tree_add(tree, member->label, (const guint32 *)(void *)frames->data, frames->len);
    }
    g_autofree char *text = dt_report_stack_tree(tree, DT_FORMAT_TEXT, NULL);
    return lines_of(text, 0);
}

static GPtrArray *waits_lines(const View *view, guint width)
{
    const DtWaitFor *waits = dt_stuck_waits(view->job->stuck);
    g_autofree char *text = waits ? dt_report_live_waiters(waits, dt_stuck_for_ever(view->job->stuck), width) : NULL;
    return lines_of(text ? text : "who waits for whom is not known yet", width);
}

static GPtrArray *member_lines(const View *view, guint width)
{
    const DtLiveReport report = dt_watch_report(view->job, width);
    const DtLiveClass *class = chosen_class(view);
    return class ? dt_live_member_lines(&report, class) : lines_of("there is no class to be shown", 0);
}

/* ---- drawing ------------------------------------------------------------------------------------- */

static void draw_line(const View *view, int row, const char *text, DtStyle style)
{
    view->screen.line(row, text, (int)style);
}

/* Those that do not fit are in the help. */
static void draw_keys(const View *view, int row, guint width)
{
    static const char *const keys[] = {
        [PAGE_CLASSES] = "q end  ? help  arrows choose  Enter stack  c threads  w waits",
        [PAGE_STACK] = "Esc back  arrows move  Enter as of now  q end",
        [PAGE_WAITS] = "Esc back  arrows move  q end",
        [PAGE_MEMBERS] = "Esc back  arrows move  q end",
        [PAGE_HELP] = "Esc back  q end",
    };
    g_auto(GStrv) each = g_strsplit(keys[view->page], "  ", -1);
    g_autoptr(GString) line = g_string_new(NULL);
    for (guint i = 0; each[i] && line->len + strlen(each[i]) + 2 <= width; i++)
        g_string_append_printf(line, "%s%s", i > 0 ? "  " : "", each[i]);
    draw_line(view, row, line->str, DT_STYLE_QUIET);
}

static DtStyle style_of(const View *view, const DtLiveClass *class, guint index)
{
    if (index == view->chosen)
        return DT_STYLE_CHOSEN;
    return class->has_ended ? DT_STYLE_QUIET : class->still >= 2 ? DT_STYLE_WARNING : DT_STYLE_PLAIN;
}

/* So that the chosen one is among them. */
static void scroll_to(View *view, guint wanted, guint count, guint room)
{
    if (wanted < view->top)
        view->top = wanted;
    if (room > 0 && wanted >= view->top + room)
        view->top = wanted - room + 1;
    view->top = MIN(view->top, count > room ? count - room : 0);
}

/* Returns the next free row. */
static int draw_classes(View *view, const DtLiveLines *lines, int row, int end)
{
    const GPtrArray *classes = dt_live_classes_list(view->job->classes);
    const gboolean all_fit = (int)classes->len <= end - row;
    const guint room = (guint)MAX(1, end - row - (all_fit ? 0 : 1));
    scroll_to(view, view->chosen, classes->len, room);
    const guint last = MIN(classes->len, view->top + room);
    for (guint i = view->top; i < last; i++)
        draw_line(view, row++, lines->rows->pdata[i], style_of(view, classes->pdata[i], i));
    if (!all_fit) {
        g_autofree char *more = g_strdup_printf("%u - %u of %u classes", view->top + 1, last, classes->len);
        draw_line(view, row++, more, DT_STYLE_QUIET);
    }
    return row;
}

static int draw_text(View *view, const GPtrArray *text, int row, int end)
{
    const gboolean all_fits = (int)text->len <= end - row;
    const guint room = (guint)MAX(1, end - row - (all_fits ? 0 : 1));
    view->top = MIN(view->top, text->len > room ? text->len - room : 0);
    const guint last = MIN(text->len, view->top + room);
    for (guint i = view->top; i < last; i++)
        draw_line(view, row++, text->pdata[i], DT_STYLE_PLAIN);
    if (!all_fits) {
        g_autofree char *more = g_strdup_printf("lines %u - %u of %u", view->top + 1, last, text->len);
        draw_line(view, row++, more, DT_STYLE_QUIET);
    }
    return row;
}

static int draw_page(View *view, const DtLiveLines *lines, int row, int end, guint width)
{
    g_autoptr(GPtrArray) made = view->page == PAGE_WAITS     ? waits_lines(view, width)
                                : view->page == PAGE_MEMBERS ? member_lines(view, width)
                                                             : NULL;
    if (view->page != PAGE_CLASSES)
        return draw_text(view, made ? made : view->text, row, end);
    if (lines->rows->len > 0)
        draw_line(view, row++, lines->headings, DT_STYLE_HEADINGS);
    return draw_classes(view, lines, row, end);
}

static void draw(View *view)
{
    int rows, columns;
    view->screen.size(&rows, &columns);
    const DtLiveReport report = dt_watch_report(view->job, (guint)MAX(columns, 1));
    g_autoptr(DtLiveLines) lines = dt_live_lines_new(&report);
    const int foot = MIN((int)lines->foot->len, MAX(1, rows / 3));
    int row = 0;
    draw_line(view, row++, view->job->has_begun ? lines->head : "no process has started yet", DT_STYLE_HEAD);
    row = draw_page(view, lines, row, rows - foot - 1, report.width);
    while (row < rows - foot - 1)
        draw_line(view, row++, "", DT_STYLE_PLAIN);
    for (int i = 0; i < foot; i++)
        draw_line(view, row++, lines->foot->pdata[i],
                  view->job->state == DT_JOB_STUCK ? DT_STYLE_BAD : DT_STYLE_WARNING);
    draw_keys(view, rows - 1, report.width);
    view->screen.show();
}

/* ---- keys ---------------------------------------------------------------------------------------- */

static void choose(View *view, guint index)
{
    const GPtrArray *classes = dt_live_classes_list(view->job->classes);
    view->chosen = classes->len > 0 ? MIN(index, classes->len - 1) : 0;
    if (chosen_class(view))
        view->key = *chosen_class(view);
}

/* The same class again, wherever it stands now. */
static void choose_again(View *view)
{
    const GPtrArray *classes = dt_live_classes_list(view->job->classes);
    for (guint i = 0; i < classes->len; i++) {
        const DtLiveClass *class = classes->pdata[i];
        if (memcmp(class->calls, view->key.calls, sizeof(class->calls)) == 0 &&
            class->has_ended == view->key.has_ended) {
            view->chosen = i;
            return;
        }
    }
    choose(view, view->chosen);
}

static void turn_to(View *view, Page page)
{
    view->page = page;
    view->top = 0;
    g_clear_pointer(&view->text, g_ptr_array_unref);
    if (page == PAGE_STACK)
        view->text = stack_lines(view);
    if (page == PAGE_HELP)
        view->text = help_lines();
}

static void move_by(View *view, gint64 lines)
{
    const gint64 at = view->page == PAGE_CLASSES ? view->chosen : view->top;
    const guint to = (guint)CLAMP(at + lines, 0, G_MAXINT32);
    if (view->page == PAGE_CLASSES)
        choose(view, to);
    else
        view->top = to;
}

static void take_key(View *view, int key)
{
    int rows, columns;
    view->screen.size(&rows, &columns);
    const Page page = view->page;
    switch (key) {
    case 'q':
        view->is_left = TRUE;
        break;
    case DT_KEY_UP:
    case 'k':
        move_by(view, -1);
        break;
    case DT_KEY_DOWN:
    case 'j':
        move_by(view, 1);
        break;
    case DT_KEY_PAGE_UP:
        move_by(view, -MAX(1, rows - 4));
        break;
    case DT_KEY_PAGE_DOWN:
        move_by(view, MAX(1, rows - 4));
        break;
    case DT_KEY_FIRST:
        move_by(view, G_MININT32);
        break;
    case DT_KEY_LAST:
        move_by(view, G_MAXINT32);
        break;
    case DT_KEY_ENTER:
        turn_to(view, PAGE_STACK);
        break;
    case DT_KEY_BACK:
    case DT_KEY_LEFT:
    case DT_KEY_ERASE:
        turn_to(view, PAGE_CLASSES);
        break;
    case 'w':
        turn_to(view, page == PAGE_WAITS ? PAGE_CLASSES : PAGE_WAITS);
        break;
    case 'c':
        turn_to(view, page == PAGE_MEMBERS ? PAGE_CLASSES : PAGE_MEMBERS);
        break;
    case '?':
        turn_to(view, page == PAGE_HELP ? PAGE_CLASSES : PAGE_HELP);
        break;
    default:
        break;
    }
}

/* ---- the loop ------------------------------------------------------------------------------------ */

/* Whoever watches has to see that it is over: then only a key ends it, unless the verdict is asked for. */
static gboolean is_done(const View *view)
{
    return view->is_left || (view->job->ends_if_stuck && dt_watch_is_done(view->job));
}

static gboolean watch_screen(View *view, GError **error)
{
    gint64 next_look = 0, next_update = 0;
    gboolean was_updated = FALSE; /* a job may be over before */
    while (!is_done(view)) {
        const gint64 now = g_get_monotonic_time();
        if (now >= next_look && (view->job->state != DT_JOB_OVER || !was_updated)) {
            was_updated = TRUE;
            dt_watch_look(view->job);
            next_look = now + (gint64)(MIN(DT_WATCH_LOOK, view->job->period) * G_USEC_PER_SEC);
            if (now >= next_update || view->job->state == DT_JOB_OVER) {
                if (!dt_watch_update(view->job, view->job->state == DT_JOB_OVER, error))
                    return FALSE;
                choose_again(view);
                next_update = now + (gint64)(view->job->period * G_USEC_PER_SEC);
            }
        }
        draw(view);
        const gint64 left = view->job->state == DT_JOB_OVER ? G_USEC_PER_SEC : next_look - g_get_monotonic_time();
        take_key(view, view->screen.key((int)MAX(left / 1000, 1)));
    }
    return TRUE;
}

gboolean dt_watch_screen(DtWatchJob *job, gboolean *shown, GError **error)
{
    View view = {.job = job};
    *shown = dt_screen_open(&view.screen, error);
    if (!*shown)
        return FALSE;
    job->is_screen = TRUE;
    const gboolean went_well = watch_screen(&view, error);
    job->is_screen = FALSE;
    view.screen.end();
    g_clear_pointer(&view.text, g_ptr_array_unref);
    return went_well;
}
