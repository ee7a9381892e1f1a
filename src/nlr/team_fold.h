/** Folding by several processes together. */
#ifndef DT_NLR_TEAM_FOLD_H
#define DT_NLR_TEAM_FOLD_H

#include "nlr/nlr.h"
#include "team/team.h"

/**
 * As dt_nlr_fold_runs(), by a team: every member has the same runs open and the same plans, reads and folds its share
 * of the traces, and the root gets all. What it gets is the same as without a team. The other members get an empty
 * array. Call trees are the root's work alone. Collective. `team` NULL: alone.
 */
GPtrArray *dt_nlr_fold_runs_in_team(const DtTeam *team, const DtRun *const *runs, guint run_count,
                                    const DtFoldPlan *plans, guint plan_count, guint jobs, DtFoldProgress progress,
                                    gpointer user_data, GError **error);

#endif
