/** Where traces part and where they end, in terms of their loops. */
#ifndef DT_VERDICT_POSITION_H
#define DT_VERDICT_POSITION_H

#include "verdict/verdict.h"

G_BEGIN_DECLS

typedef struct DtPositions DtPositions;

/** Both runs folded under a filter, as dt_nlr_fold_runs() gives them (element-type DtFoldedTrace); of the form
 * DT_NLR_PLAIN, with the default K and T. */
typedef struct {
    const GPtrArray *normal, *faulty; /* normal NULL: the faulty run alone */
} DtPositionView;
enum { DT_POSITION_VIEWS = 2 };
/** The notation of the filter of a view: by MPI calls; by all calls. */
const char *dt_position_filter(guint view);

/** `normal` may be NULL. The runs and what the `views` have must outlive the result. */
DtPositions *dt_positions_new(const DtRun *normal, const DtRun *faulty, const DtPositionView *views);
void dt_positions_free(DtPositions *positions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPositions, dt_positions_free)

/**
 * First difference of a trace of the faulty run from that of its label in the
 * normal one, and what it did just before its end; see diffnlr.h. Both g_free(),
 * NULL if there is none. By its MPI calls or, if these are the same, all calls.
 */
void dt_positions_find(DtPositions *positions, const DtTrace *faulty, char **first_difference, char **end_position);

G_END_DECLS

#endif
