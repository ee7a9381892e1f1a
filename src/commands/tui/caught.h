/** Messages that would spoil the screen: while it is taken, what goes to a terminal as standard error is kept. */
#ifndef DT_COMMANDS_TUI_CAUGHT_H
#define DT_COMMANDS_TUI_CAUGHT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    int kept;  /* standard error as it was; -1: it is no terminal, or nothing can be kept: it stays */
    int file;  /* where messages go meanwhile */
    gint64 at; /* so far they have been read */
} DtCaught;

/** From here on. */
DtCaught dt_caught_begin(void);
/** What has come since the last time; g_free(). NULL: nothing. */
char *dt_caught_take(DtCaught *caught);
/** Messages go where they went before. */
void dt_caught_end(DtCaught *caught);

G_END_DECLS

#endif
