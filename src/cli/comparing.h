/** The whole pipeline over every configuration asked for. */
#ifndef DT_CLI_COMPARING_H
#define DT_CLI_COMPARING_H

#include "cli/foldings.h"
#include "cli/selection.h"

G_BEGIN_DECLS

/**
 * Ranks under every filter and attribute setting of the selection (those of the
 * default sweep where none is given) and gives the verdict. *suspect: the verdict
 * names at least one trace of level `suspect`. `with_arguments`: the verdict looks at the arguments of calls, too.
 * *foldings: those that were made, for the pictures.
 */
DtComparison *dt_compare(const DtRuns *runs, DtSelection *selection, gboolean with_arguments, gboolean *suspect,
                         DtFoldings **foldings, GError **error);

G_END_DECLS

#endif
