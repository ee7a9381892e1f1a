/**
 * What each rank does at each stage of a butterfly, a hypercube or a tree written by hand: calls whose peers are 2^i
 * away, or differ in bit i, are cut out of the sequences of calls; in their place stands one call that is none.
 *
 * What a rank does at a stage is a word: "sends", "receives, then sends". Words are few; which rank has which at which
 * stage is a condition on both (stage_laws.h), as docs/extrapolation.md tells.
 */
#ifndef DT_EXTRAPOLATE_STAGE_WORDS_H
#define DT_EXTRAPOLATE_STAGE_WORDS_H

#include "extrapolate/sizes.h"
#include "skeleton/recorded_calls.h"

G_BEGIN_DECLS

/** A call and where it comes from, by numbers of the recorded calls. */
typedef struct {
    guint32 call, place;
} DtStageCall;

/** What a rank does at a stage. */
typedef struct {
    guint stage, word;
    GArray *calls; /* DtStageCall, one for each of the word; owned */
} DtStageStep;

/** Stages that belong together: of one loop of the program. */
typedef struct {
    char *communicator;
    guint *rounds; /* how many stages there are, by size */
} DtStagePhase;

/** What was found in the calls of a thread. */
typedef struct DtStages {
    GPtrArray *phases;    /* DtStagePhase */
    GPtrArray *words;     /* DtStageStep, each the first one with that word; borrowed */
    GPtrArray *bouts;     /* GPtrArray of DtStageStep: what a rank did from the first stage to the last */
    GPtrArray *calls;     /* DtRecordedCall, by number */
    GPtrArray *places;    /* texts, by number */
    guint first_number;   /* of the calls that stand for stages, one for each bout of a phase */
    guint first_function; /* of theirs, one for each phase */
    GHashTable *loops;    /* node of the merged skeleton -> DtStageLoop */
} DtStages;

/** Cuts stages out of the sequences (element-type DtCallSequence), if there are any, and adds functions with impossible
 * names to `functions` that stand for them. `by_line`: the same calls from other lines are another word. NULL: there
 * are none. O(calls). */
DtStages *dt_stages_cut(const DtSizes *sizes, DtRecordedCalls *calls, const GPtrArray *sequences, gboolean by_line,
                        GPtrArray *functions);
void dt_stages_free(DtStages *stages);

/** A loop over stages in the merged skeleton: its children are loops of one round or none, one for each word. */
typedef struct {
    const DtStages *stages;
    const DtStagePhase *phase;
    GArray *seen;  /* DtStageSeen */
    GArray *words; /* the children's words (element-type guint) */
} DtStageLoop;
/** A bout of the rank at a place among the spots. */
typedef struct {
    guint place, bout;
} DtStageSeen;

/** Puts such loops where calls in the merged nodes stand for stages. O(nodes * ranks + bouts). */
void dt_stages_put_back(DtStages *stages, const DtSizes *sizes, GPtrArray *nodes);
/** How often a rank comes to what stands in the loops `path` (element-type DtSkeletonNode), the outermost first. */
guint64 dt_stages_visits(const GPtrArray *path, guint rank);

G_END_DECLS

#endif
