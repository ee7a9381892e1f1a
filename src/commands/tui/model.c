#include "commands/tui/model.h"

#include <string.h>

#include "commands/tui/state.h"

/* What the page of a view depends on. */
enum { OF_TRACE = 1, OF_FILTER = 2, OF_ARGUMENTS = 4, OF_RUN = 8 };
static const guint depends[DT_TUI_VIEWS] = {
    [DT_TUI_DIFFERENCE] = OF_TRACE | OF_FILTER | OF_ARGUMENTS,
    [DT_TUI_STACKS] = OF_TRACE | OF_ARGUMENTS | OF_RUN,
    [DT_TUI_WAITS] = OF_RUN,
    [DT_TUI_TIMES] = OF_FILTER | OF_ARGUMENTS | OF_RUN,
    [DT_TUI_SOURCE] = OF_TRACE | OF_RUN,
    [DT_TUI_CHECKS] = OF_RUN,
};

static void free_page(gpointer page)
{
    dt_tui_page_free(page);
}

DtTui *dt_tui_new(const DtTuiSource *source)
{
    DtTui *tui = g_new0(DtTui, 1);
    tui->source = source;
    tui->pages = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_page);
    tui->typed = g_string_new(NULL);
    return tui;
}

void dt_tui_free(DtTui *tui)
{
    if (!tui)
        return;
    g_hash_table_unref(tui->pages);
    dt_tui_page_free(tui->detail);
    for (guint view = 0; view < DT_TUI_VIEWS; view++)
        g_free(tui->shown[view]);
    g_free(tui->detail_of);
    g_string_free(tui->typed, TRUE);
    g_free(tui->search);
    g_free(tui->message);
    g_free(tui->selection.trace);
    g_free(tui);
}

gboolean dt_tui_is_left(const DtTui *tui)
{
    return tui->is_left;
}

const DtTuiSelection *dt_tui_selection(const DtTui *tui)
{
    return &tui->selection;
}

/* ---- pages -------------------------------------------------------------------------------------- */

static char *key_of(const DtTui *tui)
{
    const DtTuiSelection *selection = &tui->selection;
    const guint of = depends[selection->view];
    const char *trace = selection->trace && (of & OF_TRACE) != 0 ? selection->trace : "";
    return g_strdup_printf("%d %u %u %d %d %s", (int)selection->view, selection->forms[selection->view],
                           (of & OF_FILTER) != 0 ? selection->filter : 0,
                           (of & OF_ARGUMENTS) != 0 && selection->with_arguments,
                           (of & OF_RUN) != 0 && selection->of_normal, trace);
}

static char *key_with_width(const DtTui *tui)
{
    g_autofree char *key = key_of(tui);
    return g_strdup_printf("%u %s", tui->columns, key);
}

/* The page of the selection, if it has been read. */
static void find_page(DtTui *tui)
{
    g_autofree char *key = key_with_width(tui);
    tui->page = g_hash_table_lookup(tui->pages, key);
}

static void choose(DtTui *tui, guint row)
{
    const DtTuiView view = tui->selection.view;
    const guint rows = dt_tui_page_rows(tui->page);
    tui->chosen[view] = rows > 0 ? MIN(row, rows - 1) : 0;
    const char *label = dt_tui_page_label(tui->page, tui->chosen[view]);
    if (label && g_strcmp0(label, tui->selection.trace) != 0) {
        g_free(tui->selection.trace);
        tui->selection.trace = g_strdup(label);
    }
}

/* Where a page begins that was not the last one of its view; and the chosen trace is chosen in each list of traces. */
static void begin_page(DtTui *tui)
{
    const DtTuiView view = tui->selection.view;
    g_autofree char *key = key_of(tui);
    guint row;
    if (dt_tui_page_find_label(tui->page, tui->selection.trace, &row))
        tui->chosen[view] = row;
    else if (g_strcmp0(key, tui->shown[view]) != 0)
        tui->chosen[view] = tui->page->first;
    if (g_strcmp0(key, tui->shown[view]) != 0) {
        tui->top[view] = tui->page->first;
        tui->shift = 0;
        g_free(tui->shown[view]);
        tui->shown[view] = g_steal_pointer(&key);
    }
    choose(tui, tui->chosen[view]);
    dt_tui_scroll(tui);
}

static void read_detail(DtTui *tui)
{
    const guint lines = dt_tui_rooms(tui).detail, row = tui->chosen[tui->selection.view];
    g_autofree char *page = key_with_width(tui);
    g_autofree char *key = g_strdup_printf("%u %u %d %s", row, lines, tui->selection.with_arguments, page);
    if (g_strcmp0(key, tui->detail_of) == 0)
        return;
    g_clear_pointer(&tui->detail, dt_tui_page_free);
    g_free(tui->detail_of);
    tui->detail_of = g_steal_pointer(&key);
    if (lines > 0 && tui->source->detail && row < dt_tui_page_rows(tui->page))
        tui->detail = tui->source->detail(tui->source->data, &tui->selection, tui->page, row, tui->columns, lines);
}

gboolean dt_tui_has_to_read(const DtTui *tui)
{
    return !tui->page && !tui->is_left;
}

void dt_tui_read(DtTui *tui)
{
    if (tui->is_left)
        return;
    if (!tui->page) {
        if (g_hash_table_size(tui->pages) >= DT_TUI_PAGES)
            g_hash_table_remove_all(tui->pages);
        DtTuiPage *page = tui->source->page(tui->source->data, &tui->selection, tui->columns);
        g_hash_table_replace(tui->pages, key_with_width(tui), page);
        tui->page = page;
    }
    begin_page(tui);
    read_detail(tui);
}

void dt_tui_resize(DtTui *tui, int rows, int columns)
{
    tui->rows = (guint)CLAMP(rows, 0, G_MAXINT16);
    tui->columns = (guint)CLAMP(columns, 0, G_MAXINT16);
    find_page(tui);
    if (tui->page)
        dt_tui_scroll(tui);
}

/* ---- views -------------------------------------------------------------------------------------- */

static void say(DtTui *tui, char *message)
{
    g_free(tui->message);
    tui->message = message;
}

static void turn_to(DtTui *tui, DtTuiView view)
{
    tui->selection.view = view;
    find_page(tui);
}

/* From wherever one is; back leads to the first view. */
static void jump_to(DtTui *tui, DtTuiView view)
{
    tui->depth = 0;
    if (view != DT_TUI_TRACES)
        tui->before[tui->depth++] = DT_TUI_TRACES;
    turn_to(tui, view);
}

static void go_into(DtTui *tui, DtTuiView view)
{
    if (tui->depth < DT_TUI_DEEPEST)
        tui->before[tui->depth++] = tui->selection.view;
    turn_to(tui, view);
}

static void go_back(DtTui *tui)
{
    if (tui->depth > 0)
        turn_to(tui, tui->before[--tui->depth]);
    else
        tui->is_left = TRUE;
}

static void go_deeper(DtTui *tui)
{
    const DtTuiView first = tui->source->deeper(tui->source->data, &tui->selection);
    const DtTuiView deeper[DT_TUI_VIEWS] = {
        [DT_TUI_TRACES] = first,         [DT_TUI_DIFFERENCE] = DT_TUI_SOURCE, [DT_TUI_STACKS] = DT_TUI_SOURCE,
        [DT_TUI_WAITS] = DT_TUI_STACKS,  [DT_TUI_TIMES] = DT_TUI_SOURCE,      [DT_TUI_SOURCE] = DT_TUI_SOURCE,
        [DT_TUI_CHECKS] = DT_TUI_SOURCE,
    };
    if (tui->selection.view == DT_TUI_HELP)
        go_back(tui);
    else if (deeper[tui->selection.view] != tui->selection.view)
        go_into(tui, deeper[tui->selection.view]);
}

/* ---- the selection ------------------------------------------------------------------------------ */

static void select_trace(DtTui *tui, const char *label)
{
    if (g_strcmp0(label, tui->selection.trace) == 0)
        return;
    g_free(tui->selection.trace);
    tui->selection.trace = g_strdup(label);
    find_page(tui);
}

/* The neighbour in the list of traces as it was read last. */
static void step_trace(DtTui *tui, int step)
{
    DtTuiSelection list = tui->selection, now = tui->selection;
    list.view = DT_TUI_TRACES;
    tui->selection = list;
    g_autofree char *key = key_with_width(tui);
    tui->selection = now;
    const DtTuiPage *page = g_hash_table_lookup(tui->pages, key);
    guint row = 0;
    const gboolean is_there = page && dt_tui_page_find_label(page, now.trace, &row);
    const guint rows = page ? dt_tui_page_rows(page) : 0;
    const gint64 to = is_there ? (gint64)row + step : 0;
    const char *label = rows > 0 && to >= 0 && to < rows ? dt_tui_page_label(page, (guint)to) : NULL;
    if (label)
        select_trace(tui, label);
    else
        say(tui, g_strdup(step > 0 ? "this is the last trace of the list" : "this is the first trace of the list"));
}

static void step_filter(DtTui *tui, guint step)
{
    const guint count = tui->source->filters->len;
    tui->selection.filter = count > 0 ? (tui->selection.filter + step) % count : 0;
    find_page(tui);
    if ((depends[tui->selection.view] & OF_FILTER) == 0)
        say(tui, g_strdup_printf("filter %s: for the difference and for times",
                                 (const char *)tui->source->filters->pdata[tui->selection.filter]));
}

static void change_arguments(DtTui *tui)
{
    tui->selection.with_arguments = !tui->selection.with_arguments;
    find_page(tui);
    if ((depends[tui->selection.view] & OF_ARGUMENTS) == 0)
        say(tui, g_strdup_printf("%s arguments: in the difference, stacks and times",
                                 tui->selection.with_arguments ? "with" : "without"));
}

static void change_run(DtTui *tui)
{
    if (!tui->source->has_normal) {
        say(tui, g_strdup("there is one run only"));
        return;
    }
    tui->selection.of_normal = !tui->selection.of_normal;
    find_page(tui);
    if ((depends[tui->selection.view] & OF_RUN) == 0)
        say(tui, g_strdup_printf("%s run: in stacks, waits, times, source and checks",
                                 tui->selection.of_normal ? "normal" : "faulty"));
}

static void change_form(DtTui *tui, gboolean backwards)
{
    const DtTuiView view = tui->selection.view;
    const char *const *forms = tui->source->forms[view];
    const guint count = forms ? g_strv_length((char **)forms) : 1;
    if (count < 2) {
        say(tui, g_strdup("this view has one form only"));
        return;
    }
    tui->selection.forms[view] = (tui->selection.forms[view] + (backwards ? count - 1 : 1)) % count;
    find_page(tui);
}

/* ---- moving ------------------------------------------------------------------------------------- */

static void move_by(DtTui *tui, gint64 lines)
{
    const DtTuiView view = tui->selection.view;
    if (!tui->page)
        return;
    if (tui->page->is_list) {
        choose(tui, (guint)CLAMP((gint64)tui->chosen[view] + lines, 0, G_MAXINT32));
        dt_tui_scroll(tui);
        return;
    }
    tui->top[view] = (guint)CLAMP((gint64)tui->top[view] + lines, 0, G_MAXINT32);
    dt_tui_scroll(tui);
}

static void shift_by(DtTui *tui, gint64 columns)
{
    enum { MOST = 10000 };
    tui->shift = (guint)CLAMP((gint64)tui->shift + columns, 0, MOST);
}

static gint64 screenful(const DtTui *tui)
{
    const guint lines = dt_tui_rooms(tui).lines;
    return lines > 1 ? lines - 1 : 1;
}

/* ---- typing ------------------------------------------------------------------------------------- */

/* So that it is in view. */
static void shift_to(DtTui *tui, const DtTuiLine *line)
{
    guint begin, end;
    if (!dt_tui_line_find(line, tui->search, 0, &begin, &end))
        return;
    const guint column = (guint)g_utf8_strlen(line->text, begin);
    if (column < tui->shift || column + (end - begin) >= tui->shift + tui->columns)
        tui->shift = column > tui->columns / 2 ? column - tui->columns / 2 : 0;
}

static void search_on(DtTui *tui, gboolean backwards, gboolean next)
{
    const DtTuiView view = tui->selection.view;
    guint found;
    if (!tui->page || !tui->search)
        return;
    const guint at = tui->page->is_list ? tui->chosen[view] : tui->top[view];
    const guint lines = tui->page->lines->len - MIN(tui->page->head, tui->page->lines->len);
    const guint from = !next ? at : backwards ? at + MAX(lines, 1) - 1 : at + 1;
    if (!dt_tui_page_search(tui->page, tui->search, from, backwards, &found)) {
        say(tui, g_strdup_printf("'%s' is not here", tui->search));
        return;
    }
    if (tui->page->is_list)
        choose(tui, found);
    else
        tui->top[view] = found;
    shift_to(tui, tui->page->lines->pdata[tui->page->head + found]);
    dt_tui_scroll(tui);
}

static void begin_typing(DtTui *tui, DtTuiTyping what)
{
    tui->typing = what;
    g_string_truncate(tui->typed, 0);
}

static void search_typed(DtTui *tui)
{
    if (tui->typed->len > 0) {
        g_free(tui->search);
        tui->search = g_strdup(tui->typed->str);
    }
    if (tui->search)
        search_on(tui, FALSE, tui->typed->len == 0);
}

static void go_to_typed_trace(DtTui *tui)
{
    g_autofree char *label = tui->typed->len > 0 ? tui->source->find_trace(tui->source->data, tui->typed->str) : NULL;
    if (!label) {
        if (tui->typed->len > 0)
            say(tui, g_strdup_printf("there is no trace %s", tui->typed->str));
        return;
    }
    select_trace(tui, label);
    guint row;
    if (tui->page && tui->page->is_list && tui->page->labels && !dt_tui_page_find_label(tui->page, label, &row))
        jump_to(tui, tui->source->deeper(tui->source->data, &tui->selection));
}

static void end_typing(DtTui *tui)
{
    const DtTuiTyping what = tui->typing;
    tui->typing = DT_TUI_TYPES_NOTHING;
    if (what == DT_TUI_TYPES_SEARCH)
        search_typed(tui);
    else
        go_to_typed_trace(tui);
}

static void erase_last(DtTui *tui)
{
    const char *end = tui->typed->str + tui->typed->len;
    const char *last = g_utf8_find_prev_char(tui->typed->str, end);
    if (!last)
        tui->typing = DT_TUI_TYPES_NOTHING;
    else
        g_string_truncate(tui->typed, (gsize)(last - tui->typed->str));
}

static void type(DtTui *tui, int key)
{
    enum { MOST = 200, FIRST_KEY = 0x110000, BLANK = 32, DELETE = 127 };
    if (key == DT_KEY_ENTER)
        end_typing(tui);
    else if (key == DT_KEY_ERASE)
        erase_last(tui);
    else if (key == DT_KEY_BACK)
        tui->typing = DT_TUI_TYPES_NOTHING;
    else if (key >= BLANK && key != DELETE && key < FIRST_KEY && g_unichar_isprint((gunichar)key) &&
             tui->typed->len < MOST)
        g_string_append_unichar(tui->typed, (gunichar)key);
}

/* ---- keys --------------------------------------------------------------------------------------- */

/* What is selected stays, and where each page is scrolled to. */
static void reload(DtTui *tui)
{
    char *told = NULL;
    if (tui->source->reload(tui->source->data, &told)) {
        g_hash_table_remove_all(tui->pages);
        tui->page = NULL;
        g_clear_pointer(&tui->detail, dt_tui_page_free);
        g_clear_pointer(&tui->detail_of, g_free);
    }
    say(tui, told);
}

/* FALSE: it is none of these. */
static gboolean press_to_move(DtTui *tui, int key)
{
    static const struct {
        int key;
        gboolean screenfuls;
        gint64 lines; /* with screenfuls 1 or -1 */
    } moves[] = {{DT_KEY_UP, FALSE, -1},
                 {'k', FALSE, -1},
                 {DT_KEY_DOWN, FALSE, 1},
                 {'j', FALSE, 1},
                 {DT_KEY_PAGE_UP, TRUE, -1},
                 {'b', TRUE, -1},
                 {DT_KEY_PAGE_DOWN, TRUE, 1},
                 {' ', TRUE, 1},
                 {DT_KEY_FIRST, FALSE, G_MININT32},
                 {'g', FALSE, G_MININT32},
                 {DT_KEY_LAST, FALSE, G_MAXINT32},
                 {'G', FALSE, G_MAXINT32}};
    for (guint i = 0; i < G_N_ELEMENTS(moves); i++) {
        if (moves[i].key != key)
            continue;
        move_by(tui, moves[i].screenfuls ? moves[i].lines * screenful(tui) : moves[i].lines);
        return TRUE;
    }
    if (key != DT_KEY_LEFT && key != DT_KEY_RIGHT)
        return FALSE;
    shift_by(tui, key == DT_KEY_LEFT ? -(gint64)(tui->columns / 2) : (gint64)(tui->columns / 2));
    return TRUE;
}

static gboolean press_to_select(DtTui *tui, int key)
{
    switch (key) {
    case '<':
    case ',':
        step_trace(tui, -1);
        return TRUE;
    case '>':
    case '.':
        step_trace(tui, 1);
        return TRUE;
    case 'a':
        change_arguments(tui);
        return TRUE;
    case 'f':
        step_filter(tui, 1);
        return TRUE;
    case 'F':
        step_filter(tui, MAX(tui->source->filters->len, 1) - 1);
        return TRUE;
    case 'r':
        change_run(tui);
        return TRUE;
    case 'v':
    case 'V':
    case '\t':
        change_form(tui, key == 'V');
        return TRUE;
    default:
        return FALSE;
    }
}

static void press_other(DtTui *tui, int key)
{
    switch (key) {
    case DT_KEY_ENTER:
        go_deeper(tui);
        break;
    case 'q':
    case DT_KEY_BACK:
    case DT_KEY_ERASE:
        go_back(tui);
        break;
    case 'Q':
        tui->is_left = TRUE;
        break;
    case 'R':
        reload(tui);
        break;
    case '/':
        begin_typing(tui, DT_TUI_TYPES_SEARCH);
        break;
    case 't':
        begin_typing(tui, DT_TUI_TYPES_TRACE);
        break;
    case 'n':
    case 'N':
        search_on(tui, key == 'N', TRUE);
        break;
    case '?':
        if (tui->selection.view == DT_TUI_HELP)
            go_back(tui);
        else
            go_into(tui, DT_TUI_HELP);
        break;
    default:
        if (key >= '1' && key <= '7')
            jump_to(tui, (DtTuiView)(key - '1'));
    }
}

void dt_tui_press(DtTui *tui, int key)
{
    if (key == DT_KEY_NONE || key == DT_KEY_RESIZED || tui->is_left)
        return;
    g_clear_pointer(&tui->message, g_free);
    if (tui->typing != DT_TUI_TYPES_NOTHING)
        type(tui, key);
    else if (!press_to_move(tui, key) && !press_to_select(tui, key))
        press_other(tui, key);
}
