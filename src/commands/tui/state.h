/** The state of difftrace tui, for the files that make the model. Internal. */
#ifndef DT_COMMANDS_TUI_STATE_H
#define DT_COMMANDS_TUI_STATE_H

#include "commands/tui/model.h"

G_BEGIN_DECLS

enum {
    DT_TUI_ABOVE = 2,    /* rows above the page: views, and what is selected */
    DT_TUI_DEEPEST = 16, /* views to go back to */
    DT_TUI_PAGES = 64    /* that are kept */
};

/** What is typed at the foot of the screen. */
typedef enum { DT_TUI_TYPES_NOTHING, DT_TUI_TYPES_SEARCH, DT_TUI_TYPES_TRACE } DtTuiTyping;

struct DtTui {
    const DtTuiSource *source;
    DtTuiSelection selection;
    GHashTable *pages;         /* DtTuiPage by what they are of */
    const DtTuiPage *page;     /* of the selection; NULL: not read yet */
    char *shown[DT_TUI_VIEWS]; /* what the page of each view was last of */
    DtTuiPage *detail;         /* NULL: not read yet, or there is none */
    char *detail_of;           /* what it is of; NULL: nothing */
    guint rows, columns;
    guint chosen[DT_TUI_VIEWS]; /* row of a list */
    guint top[DT_TUI_VIEWS];    /* first line in view behind the head */
    guint shift;                /* columns that are out of view at the left */
    DtTuiView before[DT_TUI_DEEPEST];
    guint depth;
    DtTuiTyping typing;
    GString *typed;
    char *search;  /* NULL: nothing was searched for */
    char *message; /* instead of the keys until the next one; NULL: none */
    gboolean is_left;
};

/** Rows that the page has. */
guint dt_tui_room(const DtTui *tui);
/** Of these, those for rows or lines behind the head, and those for what stands below; the head is cut where it leaves
 * no room. */
typedef struct {
    guint head, lines, detail;
} DtTuiRooms;
DtTuiRooms dt_tui_rooms(const DtTui *tui);
/** Where the page is scrolled to, so that what is chosen is in view. */
void dt_tui_scroll(DtTui *tui);

G_END_DECLS

#endif
