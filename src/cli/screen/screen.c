/* A screen of lines, by ncurses. */
#include "cli/screen/link.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

static SCREEN *screen; /* a process has one terminal */
static int attributes[DT_STYLES];

static void choose_attributes(int colours)
{
    attributes[DT_STYLE_HEAD] = A_BOLD;
    attributes[DT_STYLE_HEADINGS] = A_UNDERLINE;
    attributes[DT_STYLE_QUIET] = A_DIM;
    attributes[DT_STYLE_BAD] = A_BOLD;
    attributes[DT_STYLE_CHOSEN] = A_REVERSE;
    attributes[DT_STYLE_FOUND] = A_BOLD | A_UNDERLINE;
    attributes[DT_STYLE_FAULTY_ONLY] = A_BOLD;
    if (!colours || !has_colors() || start_color() != OK || use_default_colors() != OK)
        return;
    init_pair(1, COLOR_YELLOW, -1);
    init_pair(2, COLOR_RED, -1);
    attributes[DT_STYLE_WARNING] = COLOR_PAIR(1);
    attributes[DT_STYLE_BAD] = A_BOLD | COLOR_PAIR(2);
    init_pair(3, COLOR_BLUE, -1);
    init_pair(4, COLOR_BLACK, COLOR_YELLOW);
    attributes[DT_STYLE_NORMAL_ONLY] = COLOR_PAIR(3);
    attributes[DT_STYLE_FOUND] = COLOR_PAIR(4);
    attributes[DT_STYLE_FAULTY_ONLY] = COLOR_PAIR(2);
}

int dt_screen_begin(int colours)
{
    screen = newterm(NULL, stdout, stdin);
    if (!screen)
        return -1;
    set_term(screen);
    choose_attributes(colours);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    return 0;
}

void dt_screen_end(void)
{
    if (!screen)
        return;
    endwin();
    delscreen(screen);
    screen = NULL;
}

void dt_screen_size(int *rows, int *columns)
{
    getmaxyx(stdscr, *rows, *columns);
}

/* As many bytes as are in so many columns. */
static size_t bytes_that_fit(const char *text, int columns)
{
    const char *at = text;
    for (; *at; at = g_utf8_next_char(at)) {
        const gunichar character = g_utf8_get_char(at);
        columns -= g_unichar_iszerowidth(character) ? 0 : g_unichar_iswide(character) ? 2 : 1;
        if (columns < 0)
            break;
    }
    return (size_t)(at - text);
}

/* From the cursor on, in so many columns. */
static void write_text(const char *text, int columns, int style)
{
    char *whole = g_strndup(text, bytes_that_fit(text, columns));
    char *shown =
        g_convert_with_fallback(whole, -1, g_get_charset(NULL) ? "UTF-8" : "ASCII", "UTF-8", "?", NULL, NULL, NULL);
    attrset(attributes[style]);
    if (shown)
        addstr(shown);
    attrset(A_NORMAL);
    g_free(shown);
    g_free(whole);
}

void dt_screen_line(int row, const char *text, int style)
{
    int rows, columns;
    getmaxyx(stdscr, rows, columns);
    if (row < 0 || row >= rows)
        return;
    attrset(attributes[style]);
    move(row, 0);
    clrtoeol();
    write_text(text, columns, style);
    if (style == DT_STYLE_CHOSEN || style == DT_STYLE_HEADINGS)
        mvchgat(row, 0, -1, (attr_t)attributes[style], 0, NULL);
}

void dt_screen_part(int row, int column, const char *text, int style)
{
    int rows, columns;
    getmaxyx(stdscr, rows, columns);
    if (row < 0 || row >= rows || column < 0 || column >= columns)
        return;
    move(row, column);
    write_text(text, columns - column, style);
}

void dt_screen_show(void)
{
    refresh();
}

static int key_of(int key)
{
    static const struct {
        int theirs, ours;
    } keys[] = {{KEY_UP, DT_KEY_UP},           {KEY_DOWN, DT_KEY_DOWN},       {KEY_PPAGE, DT_KEY_PAGE_UP},
                {KEY_NPAGE, DT_KEY_PAGE_DOWN}, {KEY_HOME, DT_KEY_FIRST},      {KEY_END, DT_KEY_LAST},
                {KEY_ENTER, DT_KEY_ENTER},     {KEY_BACKSPACE, DT_KEY_ERASE}, {KEY_LEFT, DT_KEY_LEFT},
                {KEY_RIGHT, DT_KEY_RIGHT},     {KEY_RESIZE, DT_KEY_RESIZED}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].theirs == key)
            return keys[i].ours;
    return DT_KEY_OTHER;
}

static int key_of_character(wint_t character)
{
    enum { BACKSPACE = 8, ESCAPE = 27, DELETE = 127 };
    switch (character) {
    case '\r':
    case '\n':
        return DT_KEY_ENTER;
    case ESCAPE:
        return DT_KEY_BACK;
    case BACKSPACE:
    case DELETE:
        return DT_KEY_ERASE;
    default:
        return character < DT_KEY_UP ? (int)character : DT_KEY_OTHER;
    }
}

int dt_screen_key(int milliseconds)
{
    wint_t key = 0;
    timeout(milliseconds);
    const int kind = get_wch(&key);
    return kind == ERR ? DT_KEY_NONE : kind == KEY_CODE_YES ? key_of((int)key) : key_of_character(key);
}
