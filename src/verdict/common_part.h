/**
 * What all traces have in common: changes of the whole program, and differences that have nothing to do with a fault
 * (docs/algorithms/verdict.md).
 */
#ifndef DT_VERDICT_COMMON_PART_H
#define DT_VERDICT_COMMON_PART_H

#include "verdict/judgement.h"

G_BEGIN_DECLS

/** A change that (nearly) all traces have that could have it. */
typedef struct {
    DtDeparture departure;
    guint traces;  /* that have it */
    guint units;   /* processes that have it; in one process: threads */
    guint example; /* one of them */
} DtCommonChange;

/** What is left when auxiliary calls, noise, and common changes are taken off. */
typedef struct {
    DtJudgement *rest;    /* NULL: nothing was taken off */
    GArray *common;       /* (element-type DtCommonChange) in the order in which they were found */
    gboolean *consequent; /* per trace: what is left of it follows a common change, in calls that it alone makes */
} DtCommonPart;

/** Takes off auxiliary calls, those that luck decides on (if `noise`), then what is common, one change after
 * the other. */
DtCommonPart *dt_common_part_new(const DtJudgement *judgement, const GPtrArray *normals, gboolean noise);
void dt_common_part_free(DtCommonPart *part);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCommonPart, dt_common_part_free)

/**
 * How many processes (in one process: threads) could be different in `departure`: its caller is there, normally or in
 * the faulty run.
 */
guint dt_units_able(const DtJudgement *judgement, const DtDeparture *departure);

G_END_DECLS

#endif
