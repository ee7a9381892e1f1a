/**
 * Which traces luck has a part in: those that take what comes first, and those that are told by messages of such ones
 * what to do. How often they do something, in which order and with whom is luck: docs/algorithms/verdict.md, Luck.
 */
#ifndef DT_VERDICT_LUCK_H
#define DT_VERDICT_LUCK_H

#include "verdict/corpus.h"

G_BEGIN_DECLS

/**
 * Sets `by_luck` of both corpora, and `makes_usual_calls` of `names`, by what the normal runs show; `arguments` may be
 * NULL: then receives from anybody are not known. O(traces).
 */
void dt_find_luck(DtCorpus *names, DtCorpus *arguments);

/** TRUE if the function takes what comes first in this trace, in any run: in which order it does so is luck. */
gboolean dt_asks_luck(const DtCorpus *corpus, guint trace, guint32 function);

/**
 * Per trace, 0..1: how surely it used a tag, root, operation, datatype or communicator in a call that no normal trace
 * uses there, though the call comes so often that luck would have shown it. The estimate is that of acts. g_free().
 * O(different calls).
 */
double *dt_new_values(const DtCorpus *corpus);

G_END_DECLS

#endif
