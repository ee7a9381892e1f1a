/**
 * The evidence on each trace of the faulty run. A kind of evidence is a file in
 * kinds/ and a row below; formulas and their source: docs/algorithms/verdict.md.
 */
#ifndef DT_VERDICT_EVIDENCE_H
#define DT_VERDICT_EVIDENCE_H

#include "verdict/corpus.h"
#include "waitfor/waitfor.h"

G_BEGIN_DECLS

/** All kinds, in the order in which they are judged, added up, and told if they weigh alike. */
#define DT_EVIDENCE_ROWS(ROW)                                                                                          \
    ROW(NEW, new)                                                                                                      \
    ROW(NEW_HERE, new_here)                                                                                            \
    ROW(NEW_BODY, new_body)                                                                                            \
    ROW(NEW_BODY_HERE, new_body_here)                                                                                  \
    ROW(ACT, act)                                                                                                      \
    ROW(MISSING, missing)                                                                                              \
    ROW(COUNTS, counts)                                                                                                \
    ROW(PREFIX_ALL, prefix_all)                                                                                        \
    ROW(PREFIX_LIBRARY, prefix_library)                                                                                \
    ROW(ORDER, order)                                                                                                  \
    ROW(DIED, died)                                                                                                    \
    ROW(STUCK, stuck)                                                                                                  \
    ROW(POLLS, polls)                                                                                                  \
    ROW(PROGRESS, progress)                                                                                            \
    ROW(MAJORITY, majority)                                                                                            \
    ROW(PROCESS, process)                                                                                              \
    ROW(RARE_END, rare_end)                                                                                            \
    ROW(EARLY_FINISH, early_finish)                                                                                    \
    ROW(WAITS, waits)                                                                                                  \
    ROW(DATA, data)

#define DT_EVIDENCE_INDEX(INDEX, kind) DT_EVIDENCE_##INDEX,
enum { DT_EVIDENCE_ROWS(DT_EVIDENCE_INDEX) DT_EVIDENCE_KINDS };
#undef DT_EVIDENCE_INDEX

/* ---- what is known of a trace ---------------------------------------------------------------- */

/** Evidence of one kind on one trace. */
typedef struct {
    double value;       /* 0: none .. 1 */
    guint64 key;        /* what it is about, for those that have items */
    guint64 step;       /* steps before the first item, where known */
    double own, usual;  /* numbers worth telling */
    const char *reason; /* borrowed: words for it; NULL */
    gboolean is_common; /* so many have it that it is not worth telling */
} DtFinding;

/** Where a trace leaves what its references have in common with it. */
typedef struct {
    double share;          /* s: 0 = nothing remarkable .. 1 */
    guint64 position;      /* length of the longest common prefix with a reference */
    guint64 step;          /* steps before it */
    gboolean has_own;      /* it goes on with `own` */
    guint32 own;           /* symbol */
    gboolean has_expected; /* where the reference goes on with `expected` */
    guint32 expected;
    const DtObservedTrace *reference; /* the one with the longest common prefix; NULL: no remarkable divergence */
} DtDivergence;

typedef struct {
    gboolean finished; /* ends as a normal trace of its own does, or nobody can know */
    gboolean open;     /* unfinished, and not just waiting for threads of its own */
    gboolean
        process_crashed; /* its process died of a signal of its own making, which hit this thread, or nobody knows */
    gboolean hit;        /* it is known to be this thread that the signal hit */
    gboolean went_along; /* it is known to be another thread */
    gboolean died;       /* it died, or ended its process */
    guint32 waits_in;    /* function id of the blocking call it ends in, or 0 */
    guint32 ends_in;     /* of the call that ends the process, or 0 */
    guint32 innermost;   /* of the innermost call that never returned, or 0 */
    gboolean failed;     /* finished, but its process alone exited with a failure */
    gboolean moves;      /* unfinished, and it still got on when the time limit ended it */
    gboolean cut_off;    /* DtObservedTrace: it counts as finished */
    gboolean left;       /* it is the main thread of a process that left the others, as `process` says */
    DtStatus process;    /* how that ended */
    char end[80];        /* the same in words, "aborted in MPI_Send with status 6 (MPI_ERR_RANK)" */
} DtTraceEnding;

typedef struct {
    gboolean present;    /* in the faulty run */
    gboolean comparable; /* has references */
    guint normals_with;  /* normal runs that have it */
    DtDivergence divergence[DT_SEQUENCES];
    DtTraceEnding ending;
    double progress;    /* P: library calls / mean of the normal ones */
    gboolean has_onset; /* T: there is evidence with an onset */
    gboolean has_place; /* ... which is that of a call, not just of the count of calls at the end */
    double onset;       /* T: when the first evidence appears, in normal lengths of the trace */
    DtFinding findings[DT_EVIDENCE_KINDS];
    double score; /* S */
} DtEvidence;

/* ---- a kind of evidence ------------------------------------------------------------------------ */

/** What a trace has of a kind, before weighing. */
typedef struct {
    guint64 key;
    double weight;
} DtEvidenceItem;

typedef struct DtClassVariance DtClassVariance;

/** A trace of any run, faulty or normal, and what it is compared with: at least one reference. */
typedef struct {
    const DtCorpus *corpus;
    guint run, trace;
    gboolean finished;
    const DtObservedTrace *observed;
    const DtObservedTrace **references;
    guint reference_count;
    const DtClassVariance *variance; /* of counts in the references */
} DtTraceComparison;

/** The faulty run, with what is known of all its traces. */
typedef struct {
    const DtCorpus *corpus;
    const DtEvidence *evidence; /* per trace; of earlier rows also the findings */
    const DtWaitFor *waits;     /* NULL: not known */
    gboolean unfinished;        /* some trace did not finish */
} DtCase;

/** first_step() of evidence that has none, and of such as is known at the end of the trace only. */
#define DT_NO_STEP   G_MAXUINT64
#define DT_LAST_STEP (G_MAXUINT64 - 1)

/** A kind has find() or judge(), and what it needs of the others. */
typedef struct {
    const char *name;
    double weight, weight_alone; /* in the score: with normal runs, without */
    gboolean is_soft;            /* luck can bring it about by itself */
    gboolean finds_alone;        /* find() works without normal runs */
    gboolean is_early;         /* judge() does not look at when the evidence of others appears, but tells of its own */
    gboolean is_in_difference; /* the first difference says all that it could */
    gboolean is_in_departure;  /* the departure says it better */
    const char *subject;       /* of kinds with the same subject only one is told; NULL: its own */

    /**
     * Appends the items of a trace (element-type DtEvidenceItem) and notes the first of them. What traces have in
     * common, and what the normal runs have against each other, is taken off before the value is known.
     */
    void (*find)(const DtTraceComparison *comparison, GArray *items, DtFinding *finding);
    /** The values of all traces; `findings` are per trace, all 0 before. */
    void (*judge)(const DtCase *own, DtFinding *findings);
    /** Steps before it shows first, DT_NO_STEP or DT_LAST_STEP. */
    guint64 (*first_step)(const DtEvidence *evidence);
    /** What it says of a trace; g_free(); NULL: nothing that is worth words. */
    char *(*tell)(const DtCase *own, guint trace);
    const char *sentence; /* without tell(): what it says of any trace; NULL: nothing */
} DtEvidenceKind;

#define DT_EVIDENCE_KIND(INDEX, kind) extern const DtEvidenceKind dt_kind_##kind;
DT_EVIDENCE_ROWS(DT_EVIDENCE_KIND)
#undef DT_EVIDENCE_KIND

/** By index: DT_EVIDENCE_KINDS of them. */
extern const DtEvidenceKind *const dt_evidence_kinds[];

/** Weight of a kind in the score; depends on whether there are normal runs. */
static inline double dt_evidence_weight(const DtCorpus *corpus, guint kind)
{
    return corpus->normals > 0 ? dt_evidence_kinds[kind]->weight : dt_evidence_kinds[kind]->weight_alone;
}

/* ---- all together ------------------------------------------------------------------------------ */

/** Everything on the traces of the faulty run; corpus->traces entries, g_free(). `waits` may be NULL. */
DtEvidence *dt_evidence_new(const DtCorpus *corpus, const DtWaitFor *waits, guint jobs);
/** TRUE if some trace of the faulty run did not finish. */
gboolean dt_run_unfinished(const DtCorpus *corpus, const DtEvidence *evidence);
/** How much of its way a trace of a run that did not end went on after it had departed, 0..1: what stops a run stops it
 * soon. */
double dt_went_on(const DtCorpus *corpus, const DtEvidence *evidence, gboolean unfinished);

/** In this order: the findings of all kinds that find(), from the endings; divergence from the endings. */
void dt_find_endings(const DtCorpus *corpus, DtEvidence *evidence);
void dt_measure_strengths(const DtCorpus *corpus, DtEvidence *evidence, guint jobs);
void dt_find_divergence(const DtCorpus *corpus, DtEvidence *evidence);

/* ---- what several kinds share ------------------------------------------------------------------- */

/** Mean over the members of each class of the variance of each symbol's counts in the references. */
DtClassVariance *dt_class_variance_new(const DtCorpus *corpus, guint run);
void dt_class_variance_free(DtClassVariance *variance);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtClassVariance, dt_class_variance_free)

/** Grams or bodies that no normal trace has: of any thread, or `here`, of this thread. */
void dt_find_new_structure(const DtTraceComparison *comparison, gboolean bodies, gboolean here, GArray *items,
                           DtFinding *finding);

/** The kinds of one sequence of calls: see prefix_all. */
void dt_judge_divergence(const DtCase *own, DtSequenceKind sequence, DtFinding *findings);
guint64 dt_divergence_first_step(const DtEvidence *evidence, DtSequenceKind sequence);
char *dt_tell_divergence(const DtCase *own, guint trace, DtSequenceKind sequence);

/** Gives `value` shared among the traces that are marked. */
void dt_share_value(const gboolean *marked, guint traces, double value, DtFinding *findings);
/** TRUE if a trace of the faulty run died, by its ending. */
gboolean dt_somebody_died(const DtCase *own);
/** TRUE if there is evidence of a kind, of an earlier row, against any trace. */
gboolean dt_somebody_has(const DtCase *own, guint kind);
/** The last call that it made is a poll. */
gboolean dt_ends_in_poll(const DtCorpus *corpus, guint trace);
/** Open in the faulty run, and with references. */
static inline gboolean dt_is_open(const DtEvidence *evidence)
{
    return evidence->present && evidence->comparable && evidence->ending.open;
}

G_END_DECLS

#endif
