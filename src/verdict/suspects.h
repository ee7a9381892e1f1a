/** Suspects, in words. */
#ifndef DT_VERDICT_SUSPECTS_H
#define DT_VERDICT_SUSPECTS_H

#include "store/symbols/source_lines.h"
#include "verdict/candidates.h"
#include "verdict/position.h"

G_BEGIN_DECLS

/** What is told from; borrowed. */
typedef struct {
    const DtJudgement *judgement;
    const DtJudgement *other; /* tells how traces depart that do not depart in `judgement`; NULL: none */
    const DtJudgement *whole; /* of all calls, auxiliary ones, too: likewise, where luck has no part in it */
    const DtRun *normal;      /* the first one; NULL: none */
    DtPositions *positions;
    DtSourceLines *lines;
} DtSuspectSources;

/** (element-type DtSuspect) in the order of the candidates (element-type DtCandidate). */
GPtrArray *dt_suspects_new(const DtSuspectSources *sources, const GArray *candidates);

/** The line of the call that a trace of the faulty run departs with, "solver.c:202"; NULL: not known; g_free(). */
char *dt_departure_line(const DtSuspectSources *sources, const DtDeparture *departure, const DtTrace *trace);

G_END_DECLS

#endif
