/** The terminal as a screen of lines, if the module that can do it is there. */
#ifndef DT_CLI_SCREEN_H
#define DT_CLI_SCREEN_H

#include <glib.h>

#include "cli/screen/link.h"

G_BEGIN_DECLS

/** The functions of link.h. */
typedef struct {
    DtScreenBegin begin;
    DtScreenEnd end;
    DtScreenSize size;
    DtScreenLine line;
    DtScreenPart part;
    DtScreenShow show;
    DtScreenKey key;
} DtScreen;

/** TRUE if the user sees what we show and can press keys: input and output are a terminal that can do more than write
 * lines, and we are in front. */
gboolean dt_screen_is_possible(void);
/** Takes the terminal, with colours where it has them and NO_COLOR does not forbid them; end() gives it back. FALSE and
 * one line that says why not, and what is to be installed. */
gboolean dt_screen_open(DtScreen *screen, GError **error);

G_END_DECLS

#endif
