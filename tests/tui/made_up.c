#include "made_up.h"

#include <string.h>

static void add_rows(MadeUp *made_up, DtTuiPage *page)
{
    dt_tui_page_add(page, "a verdict\n\ntrace  why", DT_STYLE_HEAD);
    page->head = 3;
    page->is_list = TRUE;
    page->detail = 4;
    page->labels = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < made_up->traces; i++) {
        g_autofree char *row = g_strdup_printf("%u.0  reason %u", i, i * i);
        dt_tui_page_add(page, row, DT_STYLE_PLAIN);
        g_ptr_array_add(page->labels, g_strdup_printf("%u.0", i));
    }
}

static DtTuiPage *make_page(gpointer data, const DtTuiSelection *selection, guint width)
{
    MadeUp *made_up = data;
    DtTuiPage *page = dt_tui_page_new();
    (void)width;
    made_up->pages++;
    if (selection->view == DT_TUI_TRACES) {
        add_rows(made_up, page);
        return page;
    }
    g_autofree char *first = g_strdup_printf(
        "view %d trace %s filter %u arguments %d normal %d form %u", (int)selection->view, selection->trace,
        selection->filter, selection->with_arguments, selection->of_normal, selection->forms[selection->view]);
    dt_tui_page_add(page, first, DT_STYLE_PLAIN);
    page->head = 1;
    page->is_list = selection->view == DT_TUI_SOURCE;
    page->detail = page->is_list ? 5 : 0;
    dt_tui_page_add(page, made_up->text, DT_STYLE_PLAIN);
    return page;
}

static DtTuiPage *make_detail(gpointer data, const DtTuiSelection *selection, const DtTuiPage *page, guint row,
                              guint width, guint lines)
{
    MadeUp *made_up = data;
    DtTuiPage *detail = dt_tui_page_new();
    (void)width;
    g_assert_cmpuint(row, <, dt_tui_page_rows(page));
    g_assert_cmpuint(lines, >, 0);
    made_up->details++;
    g_free(made_up->last_detail);
    made_up->last_detail = g_strdup_printf("%s %u", selection->trace, row);
    dt_tui_page_add(detail, made_up->last_detail, DT_STYLE_PLAIN);
    return detail;
}

/* Every other time it is as it was. */
static gboolean reload(gpointer data, char **told)
{
    MadeUp *made_up = data;
    made_up->reloads++;
    *told = g_strdup(made_up->reloads % 2 == 1 ? "it has grown" : "it is as it was");
    return made_up->reloads % 2 == 1;
}

static DtTuiView deeper(gpointer data, const DtTuiSelection *selection)
{
    (void)data;
    (void)selection;
    return DT_TUI_DIFFERENCE;
}

static char *find_trace(gpointer data, const char *typed)
{
    const MadeUp *made_up = data;
    guint64 number;
    return g_ascii_string_to_unsigned(typed, 10, 0, G_MAXUINT, &number, NULL) && number < (guint64)made_up->traces + 1
               ? g_strdup_printf("%" G_GUINT64_FORMAT ".0", number) /* the last one is in no list */
               : NULL;
}

MadeUp *made_up_new(guint traces, const char *text)
{
    static const char *const forms[] = {"one", "two", "three", NULL};
    MadeUp *made_up = g_new0(MadeUp, 1);
    made_up->filters = g_ptr_array_new();
    g_ptr_array_add(made_up->filters, (gpointer) "auto");
    g_ptr_array_add(made_up->filters, (gpointer) "mpi");
    made_up->traces = traces;
    made_up->text = text;
    made_up->source = (DtTuiSource){.data = made_up,
                                    .title = "made-up",
                                    .traces_title = "Suspects",
                                    .has_normal = TRUE,
                                    .filters = made_up->filters,
                                    .forms = {[DT_TUI_TIMES] = forms},
                                    .page = make_page,
                                    .detail = make_detail,
                                    .deeper = deeper,
                                    .find_trace = find_trace,
                                    .reload = reload};
    return made_up;
}

void made_up_free(MadeUp *made_up)
{
    g_ptr_array_unref(made_up->filters);
    g_free(made_up->last_detail);
    g_free(made_up);
}

static guint columns_of(const char *text)
{
    guint columns = 0;
    for (const char *at = text; *at != '\0'; at = g_utf8_next_char(at)) {
        const gunichar character = g_utf8_get_char(at);
        g_assert_false(g_unichar_iscntrl(character));
        columns += g_unichar_iszerowidth(character) ? 0 : g_unichar_iswide(character) ? 2 : 1;
    }
    return columns;
}

static char *checked_row(const GPtrArray *parts, guint columns)
{
    GString *line = g_string_new(NULL);
    guint column = 0;
    for (guint i = 0; i < parts->len; i++) {
        const DtTuiPart *part = parts->pdata[i];
        g_assert_true(g_utf8_validate(part->text, -1, NULL));
        g_assert_cmpuint(part->column, ==, column);
        g_assert_cmpint((int)part->style, >=, 0);
        g_assert_cmpint((int)part->style, <, DT_STYLES);
        column += columns_of(part->text);
        g_assert_cmpuint(column, <=, columns);
        g_string_append(line, part->text);
    }
    return g_string_free(line, FALSE);
}

GPtrArray *checked_frame(DtTui *tui, guint rows, guint columns)
{
    g_autoptr(GPtrArray) frame = dt_tui_frame(tui);
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_assert_cmpuint(frame->len, ==, rows);
    for (guint row = 0; row < frame->len; row++)
        g_ptr_array_add(lines, checked_row(frame->pdata[row], columns));
    return lines;
}

void press_and_read(DtTui *tui, int key)
{
    dt_tui_press(tui, key);
    dt_tui_read(tui);
}
