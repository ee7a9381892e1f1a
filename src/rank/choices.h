/** Symbols after which the normal runs of a class of traces do not go on alike: docs/algorithms/verdict.md. */
#ifndef DT_RANK_CHOICES_H
#define DT_RANK_CHOICES_H

#include "rank/corpus.h"

G_BEGIN_DECLS

struct DtChoices {
    DtGramMap *known[DT_SEQUENCES]; /* keys: dt_gram_pair(class, symbol) */
    gboolean *has_any;              /* per class */
};

/** Of a corpus whose classes are known. Empty for fewer than two normal runs. O(elements of the normal runs). */
DtChoices *dt_choices_new(const DtCorpus *corpus);
void dt_choices_free(DtChoices *choices);

/**
 * TRUE if luck is in the nature of the call (MPI_Waitany), or if in some trace of the class the share of one of the
 * symbol's successors (the end is one) differs between two normal runs.
 */
gboolean dt_is_choice(const DtCorpus *corpus, DtSequenceKind kind, guint class_number, guint32 symbol);

G_END_DECLS

#endif
