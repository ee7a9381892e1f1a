/**
 * What difftrace asks of a terminal that shows a screen of lines, as the module exports it. The program itself is
 * linked with no library for terminals.
 */
#ifndef DT_CLI_SCREEN_LINK_H
#define DT_CLI_SCREEN_LINK_H

/** How a line looks; without colours bold, reverse and underlined are left. */
typedef enum {
    DT_STYLE_PLAIN,
    DT_STYLE_HEAD,
    DT_STYLE_HEADINGS,
    DT_STYLE_QUIET,
    DT_STYLE_WARNING,
    DT_STYLE_BAD,
    DT_STYLE_CHOSEN, /* one of several */
    DT_STYLE_FOUND,  /* what was searched for */
    DT_STYLE_NORMAL_ONLY,
    DT_STYLE_FAULTY_ONLY,
    DT_STYLES
} DtStyle;

/** Keys that are no characters. */
typedef enum {
    DT_KEY_NONE = -1, /* the time is up */
    DT_KEY_UP = 0x110000,
    DT_KEY_DOWN,
    DT_KEY_PAGE_UP,
    DT_KEY_PAGE_DOWN,
    DT_KEY_FIRST,
    DT_KEY_LAST,
    DT_KEY_ENTER,
    DT_KEY_BACK,
    DT_KEY_LEFT,
    DT_KEY_RIGHT,
    DT_KEY_ERASE, /* what was typed last */
    DT_KEY_RESIZED,
    DT_KEY_OTHER
} DtKey;

/** Takes the terminal that standard input and output are. 0, or it is of a kind that nobody knows. */
int dt_screen_begin(int colours);
/** Gives it back as it was. */
void dt_screen_end(void);
/** Rows and columns as they are now. */
void dt_screen_size(int *rows, int *columns);
/** A line of UTF-8 without control characters, cut at the right; the rest of the row is empty. */
void dt_screen_line(int row, const char *text, int style);
/** A part of a row, from a column on; what stands left and right of it stays. */
void dt_screen_part(int row, int column, const char *text, int style);
/** Shows the lines. */
void dt_screen_show(void);
/** A character (its code point) or a DtKey, for which it waits so long. */
int dt_screen_key(int milliseconds);

/** Their names and types, for dlsym(). */
typedef int (*DtScreenBegin)(int colours);
typedef void (*DtScreenEnd)(void);
typedef void (*DtScreenSize)(int *rows, int *columns);
typedef void (*DtScreenLine)(int row, const char *text, int style);
typedef void (*DtScreenPart)(int row, int column, const char *text, int style);
typedef void (*DtScreenShow)(void);
typedef int (*DtScreenKey)(int milliseconds);

#endif
