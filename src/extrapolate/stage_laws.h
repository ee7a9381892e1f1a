/** Formulas for loops over stages: which ranks do what at which stage, and with which values. */
#ifndef DT_EXTRAPOLATE_STAGE_LAWS_H
#define DT_EXTRAPOLATE_STAGE_LAWS_H

#include "extrapolate/laws.h"
#include "extrapolate/stage_words.h"

G_BEGIN_DECLS

/**
 * Adds the laws of a loop's words (element-type DtNodeLaw), with those of their calls: a condition on rank and stage
 * each, and values as formulas in both. `held`: the size that proves them. O(words * tests * ranks * stages).
 */
void dt_stage_laws_fit(const DtSizes *sizes, guint held, const DtStageLoop *loop, const DtSkeletonNode *node,
                       GPtrArray *words);
/** A place among `ranks` members of a communicator, at a stage of `rounds`, as conditions of words are asked for it. */
DtSpot dt_stage_spot(guint member, guint members, gint64 stage, gint64 rounds);

G_END_DECLS

#endif
