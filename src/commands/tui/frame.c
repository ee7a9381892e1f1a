/* The rows of the screen: views, what is selected, the page, keys. */
#include <string.h>

#include "commands/tui/model.h"
#include "commands/tui/state.h"

/* ---- room --------------------------------------------------------------------------------------- */

guint dt_tui_room(const DtTui *tui)
{
    return tui->rows > DT_TUI_ABOVE + 1 ? tui->rows - DT_TUI_ABOVE - 1 : 0;
}

/* Of a list its rows have first what they need, so that what is below has what it wants; but never less than some. */
static guint room_of_list(const DtTuiPage *page, guint room)
{
    enum { FEWEST_ROWS = 3 };
    const guint wanted = MIN(page->head, page->lines->len) + MAX(dt_tui_page_rows(page), 1);
    const guint least = MIN(page->head + FEWEST_ROWS, room - room / 4);
    const guint left = room > page->detail ? room - page->detail : 0;
    return MIN(wanted, MAX(least, left));
}

DtTuiRooms dt_tui_rooms(const DtTui *tui)
{
    const guint room = dt_tui_room(tui);
    if (!tui->page)
        return (DtTuiRooms){0, room, 0};
    DtTuiRooms rooms = {0};
    const guint list = tui->page->is_list && tui->page->detail > 0 ? room_of_list(tui->page, room) : room;
    rooms.detail = room - list;
    rooms.head = MIN(MIN(tui->page->head, tui->page->lines->len), list > 0 ? list - 1 : 0);
    rooms.lines = list - rooms.head;
    return rooms;
}

void dt_tui_scroll(DtTui *tui)
{
    const DtTuiView view = tui->selection.view;
    const guint room = dt_tui_rooms(tui).lines;
    const guint lines = tui->page->lines->len - MIN(tui->page->head, tui->page->lines->len);
    guint *top = &tui->top[view];
    if (tui->page->is_list && room > 0) {
        *top = MIN(*top, tui->chosen[view]);
        if (tui->chosen[view] >= *top + room)
            *top = tui->chosen[view] - room + 1;
    }
    *top = MIN(*top, lines > room ? lines - room : 0);
}

/* ---- rows --------------------------------------------------------------------------------------- */

static void free_part(gpointer part)
{
    g_free(((DtTuiPart *)part)->text);
    g_free(part);
}

static GPtrArray *row_new(void)
{
    return g_ptr_array_new_with_free_func(free_part);
}

static guint columns_of(gunichar character)
{
    return g_unichar_iszerowidth(character) ? 0 : g_unichar_iswide(character) ? 2 : 1;
}

/* A row that is filled from the left. */
typedef struct {
    GPtrArray *row;
    GString *text; /* of the part that goes on */
    DtStyle style;
    guint begin;           /* its column */
    guint column, columns; /* the next one, and how many there are */
} Filling;

static Filling filling_begin(guint columns)
{
    return (Filling){.row = row_new(), .text = g_string_new(NULL), .columns = columns};
}

static void end_part(Filling *filling)
{
    if (filling->text->len > 0) {
        DtTuiPart *part = g_new(DtTuiPart, 1);
        *part = (DtTuiPart){g_strndup(filling->text->str, filling->text->len), filling->style, filling->begin};
        g_ptr_array_add(filling->row, part);
    }
    g_string_truncate(filling->text, 0);
    filling->begin = filling->column;
}

/* FALSE: there is no room for it. */
static gboolean fill(Filling *filling, gunichar character, DtStyle style)
{
    const guint columns = columns_of(character);
    if (filling->column + columns > filling->columns)
        return FALSE;
    if (style != filling->style)
        end_part(filling);
    filling->style = style;
    g_string_append_unichar(filling->text, character);
    filling->column += columns;
    return TRUE;
}

static void fill_text(Filling *filling, const char *text, DtStyle style)
{
    for (const char *at = text; *at != '\0' && fill(filling, g_utf8_get_char(at), style); at = g_utf8_next_char(at))
        ;
}

static void fill_up(Filling *filling, guint to, DtStyle style)
{
    while (filling->column < MIN(to, filling->columns))
        fill(filling, ' ', style);
}

static GPtrArray *filling_end(Filling *filling)
{
    end_part(filling);
    g_string_free(filling->text, TRUE);
    return filling->row;
}

/* ---- the page ----------------------------------------------------------------------------------- */

/* The looks of a line by its bytes. */
typedef struct {
    const DtTuiLine *line;
    DtStyle otherwise;
    const char *search; /* or NULL */
    guint span;         /* the next one that may be asked for */
    guint begin, end;   /* where it was found next */
} Looks;

static DtStyle look_at(Looks *looks, guint byte)
{
    if (looks->search && byte >= looks->end &&
        !dt_tui_line_find(looks->line, looks->search, byte, &looks->begin, &looks->end))
        looks->search = NULL;
    if (looks->search && byte >= looks->begin)
        return DT_STYLE_FOUND;
    const GArray *spans = looks->line->spans;
    while (spans && looks->span < spans->len && g_array_index(spans, DtTuiSpan, looks->span).to <= byte)
        looks->span++;
    if (looks->otherwise == DT_STYLE_CHOSEN || !spans || looks->span >= spans->len ||
        g_array_index(spans, DtTuiSpan, looks->span).from > byte)
        return looks->otherwise;
    return g_array_index(spans, DtTuiSpan, looks->span).style;
}

/* The last column says that there is more. */
static void fill_line(const DtTui *tui, Filling *filling, const DtTuiLine *line, DtStyle style)
{
    Looks looks = {.line = line, .otherwise = style, .search = tui->search};
    const guint begin = filling->column;
    guint column = 0;
    for (const char *at = line->text; *at != '\0'; at = g_utf8_next_char(at)) {
        const gunichar character = g_utf8_get_char(at);
        const DtStyle look = look_at(&looks, (guint)(at - line->text));
        const guint width = columns_of(character);
        const gboolean is_last = filling->column + width >= filling->columns && *g_utf8_next_char(at) != '\0';
        column += width;
        if (column <= tui->shift)
            continue;
        if (is_last || !fill(filling, character, look)) {
            if (filling->columns > begin)
                fill(filling, '>', DT_STYLE_QUIET);
            return;
        }
    }
}

static gboolean is_word(const char *text, const char *word, gsize length)
{
    return strncmp(text, word, length) == 0 && (text[length] == ' ' || text[length] == '\0');
}

/* Traces that the selection is of are marked in texts as in lists. */
static gboolean is_of_trace(const DtTui *tui, const DtTuiLine *line)
{
    const char *trace = tui->selection.trace, *text = line->text;
    const gsize length = trace ? strlen(trace) : 0;
    const DtTuiView view = tui->selection.view;
    if (length == 0 || (view != DT_TUI_WAITS && view != DT_TUI_TIMES))
        return FALSE;
    text += strspn(text, " ");
    const gsize shorter = g_str_has_suffix(trace, ".0") ? length - 2 : length; /* tables have 5 for 5.0 */
    return is_word(text, trace, length) || is_word(text, trace, shorter);
}

static GPtrArray *row_of_list(const DtTui *tui, const DtTuiLine *line, gboolean is_chosen)
{
    const DtStyle style = is_chosen ? DT_STYLE_CHOSEN : DT_STYLE_PLAIN;
    Filling filling = filling_begin(tui->columns);
    fill_text(&filling, is_chosen ? "> " : "  ", style);
    fill_line(tui, &filling, line, style);
    if (is_chosen)
        fill_up(&filling, tui->columns, style);
    return filling_end(&filling);
}

static GPtrArray *row_of_text(const DtTui *tui, const DtTuiLine *line, const char *margin)
{
    Filling filling = filling_begin(tui->columns);
    fill_text(&filling, margin, DT_STYLE_PLAIN);
    fill_line(tui, &filling, line, is_of_trace(tui, line) ? DT_STYLE_HEAD : DT_STYLE_PLAIN);
    return filling_end(&filling);
}

static void add_lines(const DtTui *tui, GPtrArray *rows, const DtTuiRooms *rooms)
{
    const DtTuiView view = tui->selection.view;
    const DtTuiPage *page = tui->page;
    const char *margin = page->is_list ? "  " : "";
    for (guint i = 0; i < rooms->head; i++)
        g_ptr_array_add(rows,
                        row_of_text(tui, page->lines->pdata[i], page->is_list && i + 1 == page->head ? margin : ""));
    for (guint i = 0; i < rooms->lines; i++) {
        const guint at = page->head + tui->top[view] + i;
        if (at >= page->lines->len)
            g_ptr_array_add(rows, row_new());
        else if (page->is_list)
            g_ptr_array_add(rows, row_of_list(tui, page->lines->pdata[at], tui->top[view] + i == tui->chosen[view]));
        else
            g_ptr_array_add(rows, row_of_text(tui, page->lines->pdata[at], ""));
    }
}

static void add_detail(const DtTui *tui, GPtrArray *rows, guint room)
{
    for (guint i = 0; i < room; i++) {
        const gboolean is_there = tui->detail && i < tui->detail->lines->len;
        g_ptr_array_add(rows, is_there ? row_of_text(tui, tui->detail->lines->pdata[i], "") : row_new());
    }
}

static void add_page(DtTui *tui, GPtrArray *rows)
{
    const DtTuiRooms rooms = dt_tui_rooms(tui);
    if (!tui->page) {
        Filling filling = filling_begin(tui->columns);
        fill_text(&filling, "reading ...", DT_STYLE_QUIET);
        g_ptr_array_add(rows, filling_end(&filling));
        return;
    }
    add_lines(tui, rows, &rooms);
    add_detail(tui, rows, rooms.detail);
}

/* ---- above and below ---------------------------------------------------------------------------- */

static GPtrArray *row_of_views(const DtTui *tui)
{
    const char *const titles[DT_TUI_HELP] = {
        tui->source->traces_title, "Difference", "Stacks", "Waits", "Times", "Source", "Checks"};
    Filling filling = filling_begin(tui->columns);
    for (guint view = 0; view < DT_TUI_HELP; view++) {
        const DtStyle style = view == tui->selection.view ? DT_STYLE_CHOSEN : DT_STYLE_PLAIN;
        g_autofree char *title = g_strdup_printf(" %u %s ", view + 1, titles[view]);
        fill_text(&filling, title, style);
    }
    fill_text(&filling, " ? ", tui->selection.view == DT_TUI_HELP ? DT_STYLE_CHOSEN : DT_STYLE_PLAIN);
    return filling_end(&filling);
}

static GPtrArray *row_of_selection(const DtTui *tui)
{
    const DtTuiSelection *selection = &tui->selection;
    const DtTuiSource *source = tui->source;
    const char *const *forms = source->forms[selection->view];
    Filling filling = filling_begin(tui->columns);
    fill_text(&filling, " trace ", DT_STYLE_QUIET);
    fill_text(&filling, selection->trace ? selection->trace : "-", DT_STYLE_HEAD);
    const char *filter = source->filters->len > 0 ? source->filters->pdata[selection->filter] : "-";
    const char *run = !source->has_normal ? "" : selection->of_normal ? "normal run of " : "faulty run of ";
    g_autofree char *more = g_strdup_printf("%s%s | %s arguments | filter %s | %s%s", forms ? " | " : "",
                                            forms ? forms[selection->forms[selection->view]] : "",
                                            selection->with_arguments ? "with" : "without", filter, run, source->title);
    fill_text(&filling, more, DT_STYLE_QUIET);
    return filling_end(&filling);
}

/* "12-30 of 1000"; NULL: all is in view. */
static char *position(const DtTui *tui)
{
    if (!tui->page)
        return NULL;
    const guint room = dt_tui_rooms(tui).lines, top = tui->top[tui->selection.view];
    const guint lines = tui->page->lines->len - MIN(tui->page->head, tui->page->lines->len);
    return lines > room ? g_strdup_printf(" %u-%u of %u", top + 1, MIN(top + room, lines), lines) : NULL;
}

/* Those that do not fit are in the help. */
static const char *keys_of(const DtTui *tui)
{
    static const char *const keys[DT_TUI_VIEWS] = {
        [DT_TUI_TRACES] = "Enter deeper  q end  ? help  / search  t trace  v all or suspects",
        [DT_TUI_DIFFERENCE] = "Enter source  q back  ? help  a arguments  f filter  < > trace  / search",
        [DT_TUI_STACKS] = "Enter source  q back  ? help  v all traces  a arguments  r run  < > trace",
        [DT_TUI_WAITS] = "Enter stacks  q back  ? help  r run  / search",
        [DT_TUI_TIMES] = "q back  ? help  v form  r run  f filter  < > trace  / search",
        [DT_TUI_SOURCE] = "arrows choose a place  q back  ? help  r run  < > trace",
        [DT_TUI_CHECKS] = "q back  ? help  r run  / search",
        [DT_TUI_HELP] = "q back  / search",
    };
    if (tui->selection.view == DT_TUI_TRACES && !tui->source->forms[DT_TUI_TRACES])
        return "Enter deeper  q end  ? help  / search  t trace";
    return keys[tui->selection.view];
}

static void fill_keys(Filling *filling, const char *keys, guint room)
{
    g_auto(GStrv) each = g_strsplit(keys, "  ", -1);
    for (guint i = 0; each[i]; i++) {
        if (filling->column + strlen(each[i]) + 2 > room)
            return;
        fill_text(filling, i > 0 ? "  " : " ", DT_STYLE_QUIET);
        fill_text(filling, each[i], DT_STYLE_QUIET);
    }
}

static GPtrArray *row_at_the_foot(const DtTui *tui)
{
    g_autofree char *at = position(tui);
    const guint taken = at ? (guint)strlen(at) : 0;
    const guint room = tui->columns > taken ? tui->columns - taken : 0;
    Filling filling = filling_begin(tui->columns);
    if (tui->typing != DT_TUI_TYPES_NOTHING) {
        fill_text(&filling, tui->typing == DT_TUI_TYPES_SEARCH ? "/" : "trace: ", DT_STYLE_HEAD);
        fill_text(&filling, tui->typed->str, DT_STYLE_HEAD);
        fill_text(&filling, "_", DT_STYLE_HEAD);
        return filling_end(&filling);
    }
    if (tui->message)
        fill_text(&filling, tui->message, DT_STYLE_WARNING);
    else
        fill_keys(&filling, keys_of(tui), room);
    if (at && filling.column <= room) {
        fill_up(&filling, room, DT_STYLE_QUIET);
        fill_text(&filling, at, DT_STYLE_QUIET);
    }
    return filling_end(&filling);
}

GPtrArray *dt_tui_frame(DtTui *tui)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    if (tui->rows > DT_TUI_ABOVE) {
        g_ptr_array_add(rows, row_of_views(tui));
        g_ptr_array_add(rows, row_of_selection(tui));
    }
    if (dt_tui_room(tui) > 0)
        add_page(tui, rows);
    while (tui->rows > 0 && rows->len + 1 < tui->rows)
        g_ptr_array_add(rows, row_new());
    if (tui->rows > 0)
        g_ptr_array_add(rows, row_at_the_foot(tui));
    return rows;
}
