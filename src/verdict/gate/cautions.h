/** What makes a comparison worth less than its evidence: said before the verdict, and taken off the scores. */
#ifndef DT_VERDICT_CAUTIONS_H
#define DT_VERDICT_CAUTIONS_H

#include "verdict/judgement.h"

G_BEGIN_DECLS

typedef struct {
    char *text;    /* "other command lines (--steps 5, normally --steps 8); "; "": there are none */
    double weight; /* of the scores, 0..1 */
} DtCautions;

/**
 * Damaged traces, other programs, other numbers of ranks or threads, other command lines; of the first normal run and
 * the faulty one, damage of all. Without normal runs only damage is looked for. O(traces).
 */
DtCautions dt_cautions_find(const DtCorpus *corpus, const GPtrArray *normals);
void dt_cautions_clear(DtCautions *cautions);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtCautions, dt_cautions_clear)

/** TRUE if each trace of the faulty run is equal to that of a normal run, and none is there in one of them only. */
gboolean dt_runs_are_equal(const DtCorpus *corpus);

G_END_DECLS

#endif
