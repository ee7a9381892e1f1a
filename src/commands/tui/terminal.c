#include "commands/tui/terminal.h"

#include "cli/screen.h"

enum { WAIT_MILLISECONDS = 60 * 1000 };

static void draw(const DtScreen *screen, DtTui *tui)
{
    g_autoptr(GPtrArray) rows = dt_tui_frame(tui);
    for (guint row = 0; row < rows->len; row++) {
        const GPtrArray *parts = rows->pdata[row];
        screen->line((int)row, "", DT_STYLE_PLAIN);
        for (guint i = 0; i < parts->len; i++) {
            const DtTuiPart *part = parts->pdata[i];
            screen->part((int)row, (int)part->column, part->text, (int)part->style);
        }
    }
    screen->show();
}

static void fit(const DtScreen *screen, DtTui *tui)
{
    int rows, columns;
    screen->size(&rows, &columns);
    dt_tui_resize(tui, rows, columns);
}

gboolean dt_tui_on_terminal(const DtTuiSource *source, GError **error)
{
    DtScreen screen;
    if (!dt_screen_open(&screen, error))
        return FALSE;
    g_autoptr(DtTui) tui = dt_tui_new(source);
    while (!dt_tui_is_left(tui)) {
        fit(&screen, tui);
        if (dt_tui_has_to_read(tui))
            draw(&screen, tui);
        dt_tui_read(tui);
        draw(&screen, tui);
        dt_tui_press(tui, screen.key(WAIT_MILLISECONDS));
    }
    screen.end();
    return TRUE;
}
