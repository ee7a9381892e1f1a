/** Runs of one comparison, played by the simulator, and their verdict. */
#ifndef DT_TEST_VERDICT_PLAYED_CASE_H
#define DT_TEST_VERDICT_PLAYED_CASE_H

#include "simulator.h"
#include "verdict/verdict.h"

G_BEGIN_DECLS

typedef struct {
    char *folder;
    DtFunctions *functions;
    GPtrArray *normals;
    DtRun *faulty;
    DtVerdict *verdict;
    guint runs;
} Case;

Case *case_new(void);
void case_free(Case *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Case, case_free)

/** Plays, opens and frees the program. */
DtRun *case_play(Case *self, Simulator *program);
void case_add_normal(Case *self, Simulator *program);
/** Plays the faulty run and judges it by the normal ones. */
void case_judge(Case *self, Simulator *faulty);
const DtSuspect *suspect_at(const Case *self, guint index);

G_END_DECLS

#endif
