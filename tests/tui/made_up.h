/** A made-up subject of difftrace tui, and what has to hold for whatever is shown of it. */
#ifndef DT_TESTS_TUI_MADE_UP_H
#define DT_TESTS_TUI_MADE_UP_H

#include "commands/tui/model.h"

G_BEGIN_DECLS

typedef struct {
    DtTuiSource source;
    GPtrArray *filters;
    guint traces;      /* rows of the first view: 0.0, 1.0, ... */
    const char *text;  /* of all views that are no lists */
    guint pages;       /* that were asked for */
    guint details;     /* likewise */
    guint reloads;     /* likewise; every other one finds that it has grown */
    char *last_detail; /* what it was of: "5.0 5" */
} MadeUp;

/** Two runs; `text` is borrowed. */
MadeUp *made_up_new(guint traces, const char *text);
void made_up_free(MadeUp *made_up);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MadeUp, made_up_free)

/** That the frame fits the screen, its parts do not overlap, and its text is UTF-8 that shows; returns its lines. */
GPtrArray *checked_frame(DtTui *tui, guint rows, guint columns);
/** As the command does it: reads, presses. */
void press_and_read(DtTui *tui, int key);

G_END_DECLS

#endif
