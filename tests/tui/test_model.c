/* Keys change what is shown, and what is selected is kept: on a made-up subject. */
#include <string.h>

#include "made_up.h"

enum { ROWS = 24, COLUMNS = 80 };

static const char text[] = "alpha\nbeta\nMPI_Recv(world, from +1)\ngamma\ndelta\nepsilon\nzeta\nlast";

typedef struct {
    MadeUp *made_up;
    DtTui *tui;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer traces)
{
    fixture->made_up = made_up_new(GPOINTER_TO_UINT(traces), text);
    fixture->tui = dt_tui_new(&fixture->made_up->source);
    dt_tui_resize(fixture->tui, ROWS, COLUMNS);
    dt_tui_read(fixture->tui);
}

static void tear_down(Fixture *fixture, gconstpointer traces)
{
    (void)traces;
    dt_tui_free(fixture->tui);
    made_up_free(fixture->made_up);
}

static void press(Fixture *fixture, const char *keys)
{
    for (; *keys != '\0'; keys++)
        press_and_read(fixture->tui, *keys == '\n' ? DT_KEY_ENTER : *keys == '\033' ? DT_KEY_BACK : *keys);
}

static void check_selected(const Fixture *fixture, DtTuiView view, const char *trace)
{
    const DtTuiSelection *selection = dt_tui_selection(fixture->tui);
    g_assert_cmpint((int)selection->view, ==, (int)view);
    g_assert_cmpstr(selection->trace, ==, trace);
}

/* All rows as one text. */
static char *screen(const Fixture *fixture)
{
    g_autoptr(GPtrArray) lines = checked_frame(fixture->tui, ROWS, COLUMNS);
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("\n", (char **)lines->pdata);
}

static void check_shown(const Fixture *fixture, const char *word, gboolean is_shown)
{
    g_autofree char *shown = screen(fixture);
    if ((strstr(shown, word) != NULL) != is_shown)
        g_error("'%s' is %son the screen:\n%s", word, is_shown ? "not " : "", shown);
}

/* ---- views -------------------------------------------------------------------------------------- */

static void test_deeper_and_back(Fixture *fixture, gconstpointer data)
{
    (void)data;
    check_selected(fixture, DT_TUI_TRACES, "0.0");
    press(fixture, "jj\n");
    check_selected(fixture, DT_TUI_DIFFERENCE, "2.0");
    check_shown(fixture, "view 1 trace 2.0", TRUE);
    press(fixture, "\n");
    check_selected(fixture, DT_TUI_SOURCE, "2.0");
    press(fixture, "\n"); /* nothing is deeper */
    check_selected(fixture, DT_TUI_SOURCE, "2.0");
    press(fixture, "?");
    check_selected(fixture, DT_TUI_HELP, "2.0");
    press(fixture, "q");
    check_selected(fixture, DT_TUI_SOURCE, "2.0");
    press(fixture, "\033");
    check_selected(fixture, DT_TUI_DIFFERENCE, "2.0");
    press(fixture, "q");
    check_selected(fixture, DT_TUI_TRACES, "2.0");
    g_assert_false(dt_tui_is_left(fixture->tui));
    press(fixture, "q");
    g_assert_true(dt_tui_is_left(fixture->tui));
}

static void test_a_key_a_view(Fixture *fixture, gconstpointer data)
{
    (void)data;
    for (int view = DT_TUI_HELP - 1; view >= DT_TUI_TRACES; view--) {
        press_and_read(fixture->tui, '1' + view);
        check_selected(fixture, (DtTuiView)view, "0.0");
    }
    press(fixture, "345q"); /* from wherever one is, back leads to the first */
    check_selected(fixture, DT_TUI_TRACES, "0.0");
    press(fixture, "4Q");
    g_assert_true(dt_tui_is_left(fixture->tui));
}

static void test_selection_is_kept(Fixture *fixture, gconstpointer data)
{
    (void)data;
    press(fixture, "jjj5fvar>2");
    check_shown(fixture, "view 1 trace 4.0 filter 1 arguments 1", TRUE);
    press(fixture, "5");
    check_shown(fixture, "filter 1 arguments 1 normal 1 form 1", TRUE);
    check_shown(fixture, "trace 4.0 | two | with arguments | filter mpi | normal run of made-up", TRUE);
    press(fixture, "favVVr2");
    check_shown(fixture, "filter 0 arguments 0 normal 0", TRUE);
    press(fixture, "5");
    check_shown(fixture, "form 0", TRUE);
    press(fixture, "V");
    check_shown(fixture, "form 2", TRUE);
    press(fixture, "1");
    check_selected(fixture, DT_TUI_TRACES, "4.0");
    check_shown(fixture, "> 4.0", TRUE);
    press(fixture, "<,3");
    check_shown(fixture, "view 2 trace 2.0", TRUE);
}

/* What was read is not read again, and what does not depend on a choice neither. */
static void test_pages_are_kept(Fixture *fixture, gconstpointer data)
{
    (void)data;
    press(fixture, "24");
    const guint pages = fixture->made_up->pages;
    g_assert_cmpuint(pages, ==, 3);
    press(fixture, "1242af>1jk4");
    g_assert_cmpuint(fixture->made_up->pages, ==, pages + 3); /* with arguments, a filter, the next trace */
    dt_tui_resize(fixture->tui, ROWS, COLUMNS - 1);
    g_assert_true(dt_tui_has_to_read(fixture->tui));
    dt_tui_read(fixture->tui);
    g_assert_false(dt_tui_has_to_read(fixture->tui));
}

static void test_it_says_that_it_reads(Fixture *fixture, gconstpointer data)
{
    (void)data;
    dt_tui_press(fixture->tui, '3');
    g_assert_true(dt_tui_has_to_read(fixture->tui));
    check_shown(fixture, "reading ...", TRUE);
    dt_tui_read(fixture->tui);
    check_shown(fixture, "reading ...", FALSE);
    check_shown(fixture, "view 2", TRUE);
}

static void test_ends_of_the_list(Fixture *fixture, gconstpointer data)
{
    (void)data;
    press(fixture, "<");
    check_shown(fixture, "first trace", TRUE);
    press_and_read(fixture->tui, DT_KEY_LAST);
    check_selected(fixture, DT_TUI_TRACES, "99.0");
    press(fixture, ">");
    check_shown(fixture, "last trace", TRUE);
    press(fixture, "k");
    check_shown(fixture, "last trace", FALSE);
    g_assert_cmpstr(fixture->made_up->last_detail, ==, "98.0 98");
    check_shown(fixture, "98.0 98", TRUE);
}

static void test_without_traces(Fixture *fixture, gconstpointer data)
{
    (void)data;
    check_selected(fixture, DT_TUI_TRACES, NULL);
    press(fixture, "jkG<>\n");
    check_selected(fixture, DT_TUI_DIFFERENCE, NULL);
    g_assert_cmpuint(fixture->made_up->details, ==, 0);
}

/* ---- typing ------------------------------------------------------------------------------------- */

static void test_search(Fixture *fixture, gconstpointer data)
{
    (void)data;
    press(fixture, "/reason 81\n");
    check_selected(fixture, DT_TUI_TRACES, "9.0");
    press(fixture, "n"); /* 9 * 9 = 81, 90 * 90 = 8100 */
    check_selected(fixture, DT_TUI_TRACES, "90.0");
    press(fixture, "n");
    check_selected(fixture, DT_TUI_TRACES, "9.0");
    press(fixture, "N");
    check_selected(fixture, DT_TUI_TRACES, "90.0");
    press(fixture, "/nowhere\n");
    check_shown(fixture, "'nowhere' is not here", TRUE);
    check_selected(fixture, DT_TUI_TRACES, "90.0");
    press(fixture, "/q1?"); /* no keys while one types */
    check_shown(fixture, "/q1?_", TRUE);
    press_and_read(fixture->tui, DT_KEY_ERASE);
    check_shown(fixture, "/q1_", TRUE);
    press(fixture, "\033");
    check_selected(fixture, DT_TUI_TRACES, "90.0");
}

static void test_typed_trace(Fixture *fixture, gconstpointer data)
{
    (void)data;
    press(fixture, "t57\n");
    check_selected(fixture, DT_TUI_TRACES, "57.0");
    press(fixture, "3t8\n");
    check_selected(fixture, DT_TUI_STACKS, "8.0");
    press(fixture, "t1000\n");
    check_shown(fixture, "there is no trace 1000", TRUE);
    press(fixture, "1t100\n"); /* one that is not in the list is shown in its difference */
    check_selected(fixture, DT_TUI_DIFFERENCE, "100.0");
}

static void test_found_text_is_marked_and_in_view(Fixture *fixture, gconstpointer data)
{
    (void)data;
    press(fixture, "3/recv\n");
    g_autoptr(GPtrArray) frame = dt_tui_frame(fixture->tui);
    guint marked = 0;
    for (guint row = 0; row < frame->len; row++) {
        const GPtrArray *parts = frame->pdata[row];
        for (guint i = 0; i < parts->len; i++) {
            const DtTuiPart *part = parts->pdata[i];
            marked += part->style == DT_STYLE_FOUND ? 1 : 0;
            g_assert_true(part->style != DT_STYLE_FOUND || strcmp(part->text, "Recv") == 0);
        }
    }
    g_assert_cmpuint(marked, ==, 1);
}

/* ---- whatever happens --------------------------------------------------------------------------- */

/* On a list exactly one row is chosen, and it is in view. */
static void check_chosen(DtTui *tui, guint rows)
{
    g_autoptr(GPtrArray) frame = dt_tui_frame(tui);
    guint chosen = 0;
    for (guint row = 2; row < frame->len; row++) {
        const GPtrArray *parts = frame->pdata[row];
        chosen += parts->len > 0 && ((const DtTuiPart *)parts->pdata[0])->style == DT_STYLE_CHOSEN ? 1 : 0;
    }
    if (dt_tui_selection(tui)->view == DT_TUI_TRACES && rows > 3)
        g_assert_cmpuint(chosen, ==, 1);
}

static void test_any_keys(void)
{
    static const int special[] = {DT_KEY_NONE,  DT_KEY_UP,    DT_KEY_DOWN,    DT_KEY_PAGE_UP, DT_KEY_PAGE_DOWN,
                                  DT_KEY_FIRST, DT_KEY_LAST,  DT_KEY_ENTER,   DT_KEY_BACK,    DT_KEY_LEFT,
                                  DT_KEY_RIGHT, DT_KEY_ERASE, DT_KEY_RESIZED, DT_KEY_OTHER,   0x00e9,
                                  0x4e2d,       0x0301};
    static const char keys[] = "1234567?jkgGbq/tnNafFrvV<>,. \tabc01";
    enum { PRESSES = 30000 };
    g_autoptr(MadeUp) made_up = made_up_new(30, "wide \xe4\xb8\xad\xe6\x96\x87 \xc3\xa9\n\033[31mred\033[0m\nlast");
    DtTui *tui = NULL;
    guint rows = ROWS, columns = COLUMNS;
    for (guint i = 0; i < PRESSES; i++) {
        if (!tui || dt_tui_is_left(tui)) {
            dt_tui_free(tui);
            tui = dt_tui_new(&made_up->source);
            dt_tui_resize(tui, (int)rows, (int)columns);
        }
        if (g_test_rand_int_range(0, 20) == 0) {
            rows = (guint)g_test_rand_int_range(0, 60);
            columns = (guint)g_test_rand_int_range(0, 200);
            dt_tui_resize(tui, (int)rows, (int)columns);
        }
        if (dt_tui_has_to_read(tui) && g_test_rand_int_range(0, 9) == 0)
            g_ptr_array_unref(checked_frame(tui, rows, columns));
        else
            dt_tui_read(tui);
        dt_tui_press(tui, g_test_rand_int_range(0, 4) == 0 ? special[g_test_rand_int_range(0, G_N_ELEMENTS(special))]
                                                           : keys[g_test_rand_int_range(0, (gint32)sizeof keys - 1)]);
        g_ptr_array_unref(checked_frame(tui, rows, columns));
        if (dt_tui_is_left(tui))
            continue;
        dt_tui_read(tui);
        g_ptr_array_unref(checked_frame(tui, rows, columns));
        if (columns > 0)
            check_chosen(tui, rows);
    }
    dt_tui_free(tui);
}

/* An oracle for the list: which row is chosen after keys that move, told without a page. */
static void test_moves(Fixture *fixture, gconstpointer data)
{
    gint at = 0;
    (void)data;
    for (guint i = 0; i < 2000; i++) {
        const int keys[] = {'j', 'k', DT_KEY_FIRST, DT_KEY_LAST, DT_KEY_DOWN, DT_KEY_UP};
        const guint which = (guint)g_test_rand_int_range(0, G_N_ELEMENTS(keys));
        const gint moved[] = {at + 1, at - 1, 0, 99, at + 1, at - 1};
        at = CLAMP(moved[which], 0, 99);
        press_and_read(fixture->tui, keys[which]);
        g_autofree char *label = g_strdup_printf("%d.0", at);
        check_selected(fixture, DT_TUI_TRACES, label);
    }
}

/* What has grown is read anew where it is looked at, what is selected stays; what has not is not read again. */
static void test_reload(Fixture *fixture, gconstpointer data)
{
    (void)data;
    press(fixture, "jj3");
    const guint pages = fixture->made_up->pages;
    press(fixture, "13");
    g_assert_cmpuint(fixture->made_up->pages, ==, pages);
    press(fixture, "R");
    check_shown(fixture, "it has grown", TRUE);
    check_selected(fixture, DT_TUI_STACKS, "2.0");
    g_assert_cmpuint(fixture->made_up->pages, ==, pages + 1);
    press(fixture, "1");
    check_shown(fixture, "> 2.0", TRUE);
    g_assert_cmpuint(fixture->made_up->pages, ==, pages + 2);
    press(fixture, "R");
    check_shown(fixture, "it is as it was", TRUE);
    press(fixture, "3");
    g_assert_cmpuint(fixture->made_up->pages, ==, pages + 2);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *path;
        void (*test)(Fixture *fixture, gconstpointer data);
        guint traces;
    } tests[] = {{"/tui/model/deeper-and-back", test_deeper_and_back, 100},
                 {"/tui/model/a-key-a-view", test_a_key_a_view, 100},
                 {"/tui/model/selection-is-kept", test_selection_is_kept, 100},
                 {"/tui/model/pages-are-kept", test_pages_are_kept, 100},
                 {"/tui/model/reload", test_reload, 100},
                 {"/tui/model/it-says-that-it-reads", test_it_says_that_it_reads, 100},
                 {"/tui/model/ends-of-the-list", test_ends_of_the_list, 100},
                 {"/tui/model/without-traces", test_without_traces, 0},
                 {"/tui/model/search", test_search, 100},
                 {"/tui/model/typed-trace", test_typed_trace, 100},
                 {"/tui/model/found-text", test_found_text_is_marked_and_in_view, 100},
                 {"/tui/model/moves", test_moves, 100}};
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, Fixture, GUINT_TO_POINTER(tests[i].traces), set_up, tests[i].test, tear_down);
    g_test_add_func("/tui/model/any-keys", test_any_keys);
    return g_test_run();
}
