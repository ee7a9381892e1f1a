/** difftrace tui on a terminal. */
#ifndef DT_COMMANDS_TUI_TERMINAL_H
#define DT_COMMANDS_TUI_TERMINAL_H

#include "commands/tui/model.h"

G_BEGIN_DECLS

/** Shows the model until the user has seen enough. FALSE with an error: the terminal cannot do it. */
gboolean dt_tui_on_terminal(const DtTuiSource *source, GError **error);

G_END_DECLS

#endif
