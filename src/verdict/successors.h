/** Symbols after which the normal runs of a class of traces do not go on alike: docs/algorithms/verdict.md. */
#ifndef DT_VERDICT_SUCCESSORS_H
#define DT_VERDICT_SUCCESSORS_H

#include "verdict/corpus.h"

G_BEGIN_DECLS

struct DtVaryingSuccessors {
    DtGramMap *known[DT_SEQUENCES]; /* keys: dt_gram_pair(class, symbol) */
    gboolean *has_any;              /* per class */
};

/** Of a corpus whose classes are known. Empty for fewer than two normal runs. O(elements of the normal runs). */
DtVaryingSuccessors *dt_varying_successors_new(const DtCorpus *corpus);
void dt_varying_successors_free(DtVaryingSuccessors *varying);

/**
 * TRUE if luck is in the nature of the call (MPI_Waitany), or if in some trace of the class the share of one of the
 * symbol's successors (the end is one) differs between two normal runs.
 */
gboolean dt_is_choice(const DtCorpus *corpus, DtSequenceKind kind, guint class_number, guint32 symbol);

G_END_DECLS

#endif
