/** What a run does otherwise than the laws of smaller ones say, where a normal run of its size cannot be predicted. */
#ifndef DT_COMMANDS_SKELETONS_LAW_COMPARISON_H
#define DT_COMMANDS_SKELETONS_LAW_COMPARISON_H

#include "compare/compare.h"

G_BEGIN_DECLS

/** Whether an error of dt_cli_predict() says that some part has no formula: then totals may have laws all the same. */
gboolean dt_cli_is_unpredicted(const GError *error);
/** Ranks whose calls and bytes at places in the source are not what the runs `from` let expect, as a comparison without
 * a ranking. `reason`: why there is no prediction. *suspect: at least one rank is suspect. */
DtComparison *dt_cli_compare_with_laws(char **from, const char *faulty, const char *reason, gboolean *suspect,
                                       GError **error);

G_END_DECLS

#endif
