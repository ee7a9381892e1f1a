/** Pages of text as difftrace tui shows them: lines with the looks of their parts, some of them rows to choose from. */
#ifndef DT_COMMANDS_TUI_PAGE_H
#define DT_COMMANDS_TUI_PAGE_H

#include <glib.h>

#include "cli/screen/link.h"

G_BEGIN_DECLS

/** How a part of a line looks that is not plain; in bytes, `to` not in it. */
typedef struct {
    guint from, to;
    DtStyle style;
} DtTuiSpan;

typedef struct {
    char *text;    /* UTF-8 without control characters */
    GArray *spans; /* DtTuiSpan, ascending and apart; NULL: all is plain */
} DtTuiLine;

typedef struct {
    GPtrArray *lines;  /* DtTuiLine */
    guint head;        /* so many of the first lines stay in view */
    gboolean is_list;  /* each line behind the head is a row to choose */
    GPtrArray *labels; /* (element-type utf8): of the rows, the traces that they are of; NULL: of none */
    GPtrArray *meant;  /* what the rows stand for, as their maker knows it; NULL: nothing more */
    guint first;       /* row that is chosen, or line that is in view, at the begin */
    guint detail;      /* lines that are wanted for what stands below the rows; 0: nothing does */
} DtTuiPage;

/** Without lines. */
DtTuiPage *dt_tui_page_new(void);
void dt_tui_page_free(DtTuiPage *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTuiPage, dt_tui_page_free)

/**
 * Adds the lines of a text, which may have the colours of DT_FORMAT_TERMINAL. Other control characters are left out,
 * bytes that are not UTF-8 are shown as "?". `style`: of what has no colour. O(bytes).
 */
void dt_tui_page_add(DtTuiPage *page, const char *text, DtStyle style);
/** The same of a text that is no table: in lines of at most `width` characters, 0: any, whole words. */
void dt_tui_page_add_wrapped(DtTuiPage *page, const char *text, guint width, DtStyle style);
/** Rows behind the head; 0 if it is no list. */
guint dt_tui_page_rows(const DtTuiPage *page);
/** The trace of a row; NULL: none. Borrowed. */
const char *dt_tui_page_label(const DtTuiPage *page, guint row);
/** Row of a trace; FALSE: it has none. O(rows). */
gboolean dt_tui_page_find_label(const DtTuiPage *page, const char *label, guint *row);
/** The next line behind the head that has the text, in any case of its letters, from line `from` on and round to it;
 * counted without the head. FALSE: none has it. O(bytes). */
gboolean dt_tui_page_search(const DtTuiPage *page, const char *text, guint from, gboolean backwards, guint *found);
/** Where it stands in a line, from byte `from` on; *end is behind it. FALSE: nowhere. `text` in small letters. */
gboolean dt_tui_line_find(const DtTuiLine *line, const char *text, guint from, guint *begin, guint *end);

G_END_DECLS

#endif
