/** Where traces part and where they end, in terms of their loops. */
#ifndef DT_VERDICT_POSITION_H
#define DT_VERDICT_POSITION_H

#include "verdict/verdict.h"

G_BEGIN_DECLS

typedef struct DtPositions DtPositions;

/** `normal` may be NULL. Both runs must outlive the result. */
DtPositions *dt_positions_new(const DtRun *normal, const DtRun *faulty, guint jobs);
void dt_positions_free(DtPositions *positions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPositions, dt_positions_free)

/**
 * First difference of a trace of the faulty run from that of its label in the
 * normal one, and what it did just before its end; see diffnlr.h. Both g_free(),
 * NULL if there is none. By its MPI calls or, if these are the same, all calls.
 */
gboolean dt_positions_find(DtPositions *positions, const DtTrace *faulty, char **first_difference, char **end_position,
                           GError **error);

G_END_DECLS

#endif
