/**
 * The evidence on each trace of the faulty run, one family per file; ranking
 * formulas and their source: docs/algorithms/verdict.md.
 */
#ifndef DT_VERDICT_EVIDENCE_H
#define DT_VERDICT_EVIDENCE_H

#include "verdict/corpus.h"
#include "waitfor/waitfor.h"

G_BEGIN_DECLS

/* ---- evidence with a noise floor: new_structure.c, counts.c --------------------------- */

typedef enum {
    DT_RAW_NEW,           /* grams in no normal trace of any thread */
    DT_RAW_NEW_HERE,      /* grams in no normal trace of this thread */
    DT_RAW_NEW_BODY,      /* bodies of functions in no normal trace of any thread */
    DT_RAW_NEW_BODY_HERE, /* ... of this thread: only tells when, has no weight */
    DT_RAW_MISSING,       /* grams that every normal trace has by now */
    DT_RAW_COUNT,         /* symbols called too often or too rarely */
    DT_RAW_KINDS
} DtRawKind;

/** Raw evidence on one trace of one run against the others. */
typedef struct {
    double value[DT_RAW_KINDS];
    guint64 clock[DT_RAW_KINDS]; /* library calls before the first one, where known */
    guint64 key[DT_RAW_KINDS];   /* the first one; counts: the largest deviation */
    double calls, normal_calls;  /* of the largest deviation in counts */
} DtRawEvidence;

/** What one trace has of one kind, before weighing. */
typedef struct {
    guint64 key;
    double weight;
} DtEvidenceItem;

/**
 * Raw evidence on all traces of `run`, faulty or normal, against the (other)
 * normal runs; corpus->traces entries, g_free(). `finished`: per trace, NULL if
 * all are.
 */
DtRawEvidence *dt_raw_evidence_new(const DtCorpus *corpus, guint run, const gboolean *finished);

/** Items of a trace of a kind, appended to `items` (element-type DtEvidenceItem); notes the first in `raw`. */
void dt_find_new_structure(const DtCorpus *corpus, guint run, guint trace, DtRawKind kind, GArray *items,
                           DtRawEvidence *raw);
void dt_find_missing(const DtCorpus *corpus, guint run, guint trace, gboolean finished, GArray *items,
                     DtRawEvidence *raw);

/** Mean over the members of each class of the variance of each symbol's counts in the references. */
typedef struct DtClassVariance DtClassVariance;
DtClassVariance *dt_class_variance_new(const DtCorpus *corpus, guint run);
void dt_class_variance_free(DtClassVariance *variance);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtClassVariance, dt_class_variance_free)
void dt_find_counts(const DtCorpus *corpus, guint run, guint trace, gboolean finished, const DtClassVariance *variance,
                    GArray *items, DtRawEvidence *raw);

/* ---- divergence: divergence.c ------------------------------------------------------------ */

typedef struct {
    double share;          /* s: 0 = nothing remarkable .. 1 */
    guint64 position;      /* length of the longest common prefix with a reference */
    guint64 clock;         /* library calls before it */
    gboolean has_own;      /* it goes on with `own` */
    guint32 own;           /* symbol */
    gboolean has_expected; /* where the reference goes on with `expected` */
    guint32 expected;
} DtDivergence;

/* ---- end state: end_state.c ---------------------------------------------------------------- */

typedef struct {
    gboolean finished; /* ends as a normal trace of its own does, or nobody can know */
    gboolean open;     /* unfinished, and not just waiting for threads of its own */
    gboolean
        process_crashed; /* its process died of a signal of its own making, which hit this thread, or nobody knows */
    gboolean hit;        /* it is known to be this thread that the signal hit */
    gboolean went_along; /* it is known to be another thread */
    guint32 waits_in;    /* function id of the blocking call it ends in, or 0 */
    guint32 ends_in;     /* of the call that ends the process, or 0 */
    guint32 innermost;   /* of the innermost call that never returned, or 0 */
    gboolean failed;     /* finished, but its process alone exited with a failure */
} DtEnding;

/* ---- all together ------------------------------------------------------------------------------ */

typedef enum {
    DT_FEATURE_NEW,
    DT_FEATURE_NEW_HERE,
    DT_FEATURE_NEW_BODY,
    DT_FEATURE_MISSING,
    DT_FEATURE_COUNT,
    DT_FEATURE_PREFIX_ALL,
    DT_FEATURE_PREFIX_LIBRARY,
    DT_FEATURE_ORDER,
    DT_FEATURE_DIED,
    DT_FEATURE_STUCK,
    DT_FEATURE_POLLS,
    DT_FEATURE_PROGRESS,
    DT_FEATURE_MAJORITY,
    DT_FEATURE_PROCESS,
    DT_FEATURE_RARE_END,
    DT_FEATURE_EARLY_FINISH,
    DT_FEATURE_WAITS, /* blame of the wait-for graph */
    DT_FEATURES
} DtFeature;

typedef struct {
    gboolean present;    /* in the faulty run */
    gboolean comparable; /* has references */
    guint normals_with;  /* normal runs that have it */
    DtRawEvidence raw;
    double strength[DT_RAW_KINDS]; /* X: raw evidence above the noise, 0..1 */
    DtDivergence divergence[DT_SEQUENCES];
    DtEnding ending;
    double progress;             /* P: library calls / mean of the normal ones */
    double usual_calls;          /* majority: library calls that most of its class made */
    double process_ratio;        /* entries of its process / normal ones, mean over threads */
    gboolean has_time;           /* T: there is evidence with a time */
    gboolean has_place;          /* ... which is that of a call, not just of the count of calls at the end */
    gboolean in_crowd;           /* half of those that have a place, or more, depart as early as it does */
    double time;                 /* T: when the first evidence appears, in normal lengths of the trace */
    double feature[DT_FEATURES]; /* 0..1 */
    double score;                /* S */
    const char *blame;           /* borrowed from the waits: why it is to blame; NULL: it is not */
} DtEvidence;

/** Everything on the traces of the faulty run; corpus->traces entries, g_free(). `waits` may be NULL. */
DtEvidence *dt_evidence_new(const DtCorpus *corpus, const DtWaitFor *waits, guint jobs);

/** Weight of a feature in the score; depends on whether there are normal runs. */
double dt_feature_weight(const DtCorpus *corpus, DtFeature feature);
/** TRUE if some trace of the faulty run did not finish. */
gboolean dt_run_unfinished(const DtCorpus *corpus, const DtEvidence *evidence);

void dt_find_divergence(const DtCorpus *corpus, DtEvidence *evidence);
void dt_find_endings(const DtCorpus *corpus, DtEvidence *evidence);
void dt_judge_endings(const DtCorpus *corpus, DtEvidence *evidence);
void dt_judge_progress(const DtCorpus *corpus, DtEvidence *evidence);

/** TRUE for a signal that a program brings upon itself: SIGSEGV, SIGABRT, SIGFPE... */
gboolean dt_is_own_signal(gint signal_number);

G_END_DECLS

#endif
