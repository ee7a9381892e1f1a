/**
 * Comparing runs: the traces of a normal run and of a faulty one are paired, folded under several filters, ranked by
 * the published method under several settings of attributes, and judged.
 *
 * dt_compare_runs() is all of it in one call. Nothing here prints: what is to be told on the way is told to a listener.
 */
#ifndef DIFFTRACE_COMPARE_H
#define DIFFTRACE_COMPARE_H

#include "verdict.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_COMPARE_ERROR (dt_compare_error_quark())
typedef enum {
    DT_COMPARE_ERROR_PAIRS,     /* the runs have no traces in common */
    DT_COMPARE_ERROR_SELECTION, /* what was selected does not exist, or leaves nothing to be compared */
    DT_COMPARE_ERROR_OUTPUT     /* what is to be written would take the place of a run */
} DtCompareError;
GQuark dt_compare_error_quark(void);

/* ---- what comes out ---------------------------------------------------------------------------- */

/** The sides of a comparison. */
typedef enum { DT_SIDE_NORMAL, DT_SIDE_FAULTY, DT_SIDE_DIFFERENCE } DtSide;
/** "normal", "faulty", "diff". */
const char *dt_side_name(DtSide side);

/** A row of the ranking table: what one configuration says. */
typedef struct {
    char *filter, *attributes, *linkage;
    guint k;
    gboolean has_bscore;
    double bscore;
    GStrv processes, threads; /* labels P and P.T, most suspicious first */
} DtRankingRow;
/** Zeros. */
DtRankingRow *dt_ranking_row_new(void);
void dt_ranking_row_free(DtRankingRow *row);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRankingRow, dt_ranking_row_free)

/** A row of the table of suspects. */
typedef struct {
    char *trace, *level, *status;
    char *first_difference; /* NULL: none */
    char *source;           /* where it departs: "exchange (sort.c:57)"; NULL: unknown */
    char *why;
    double score;
    guint group; /* those of one group depart from normal in the same way, and end alike */
} DtSuspectRow;
/** A copy of what the ranking says; needs it no more. */
DtSuspectRow *dt_suspect_row_new(const DtSuspect *suspect);
void dt_suspect_row_free(DtSuspectRow *row);

/** What a rule of `difftrace check` has found in the faulty run. Texts may be NULL if a document was damaged, and where
 * it is said. */
typedef struct {
    char *rule, *level; /* "collective-order"; "error", "warning" */
    char *meaning;      /* of the rule: a sentence */
    char *section;      /* where the standard says so */
    GArray *ranks;      /* in MPI_COMM_WORLD, ascending (element-type gint) */
    GStrv traces;       /* labels, in the order of the run */
    char *call;         /* with its arguments; NULL: it is about no call */
    char *source;       /* "ring.c:41"; NULL: not known */
    char *expected;     /* what would be right; NULL: not said */
    GStrv evidence;     /* what was seen: sentences */
    guint64 times;      /* that it was found */
    gboolean in_normal; /* the normal run has the same at the same place */
} DtCheckRow;
/** Empty. */
DtCheckRow *dt_check_row_new(void);
void dt_check_row_free(DtCheckRow *row);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCheckRow, dt_check_row_free)

/** What is needed to compute a part of a comparison again. */
typedef struct {
    char *normal, *faulty; /* absolute paths; normal NULL: faulty alone */
    GStrv baselines;
    GStrv filters, attributes; /* as swept */
    guint k, min_repeat;
    char *form; /* dt_nlr_form_name(); NULL: plain */
    char *linkage;
} DtRecipe;

/** A normal run that was predicted from smaller ones: which lines of its skeleton are proved by sizes that had no part
 * in them ("MPI_Send at sort.c:90 in exchange"; docs/extrapolation.md). Owns everything. */
typedef struct {
    guint ranks;
    GArray *from;                    /* ranks of the runs (element-type guint) */
    gboolean is_whole;               /* FALSE: the normal run could not be predicted */
    char *reason;                    /* why not; NULL: it is whole */
    guint proved, unproved, without; /* lines and communicators, these without a formula; 0 if not whole */
    GStrv proved_lines, unproved_lines;
    GStrv open_values; /* that have no formula: "counts of MPI_Alltoallv"; they are not compared */
} DtPrediction;
/** Empty. */
DtPrediction *dt_prediction_new(void);
void dt_prediction_free(DtPrediction *prediction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPrediction, dt_prediction_free)

/** The result of a comparison; owns everything. Filled by its maker. */
typedef struct {
    char *normal, *faulty; /* names as given; normal NULL: faulty alone */
    GStrv baselines;
    char *verdict;
    char *scope;          /* dt_scope_name() */
    DtCommon common;      /* what nearly all traces have in common; NULLs if nothing */
    DtDataVerdict *data;  /* of what is sent and received; NULL: not recorded */
    DtTimeVerdict *times; /* of times; NULL: as in DtVerdict */
    DtWaitFor *waits;    /* of the faulty run, which must outlive its use; NULL: as in DtVerdict, or read from a file */
    GPtrArray *rows;     /* (element-type DtRankingRow) by ascending B-score, none last */
    GPtrArray *suspects; /* (element-type DtSuspectRow) by descending score */
    GPtrArray *checks;   /* (element-type DtCheckRow) those that the normal run has not first, then errors first */
    GStrv only_in_normal, only_in_faulty;
    DtRecipe *recipe;         /* NULL: not known */
    DtPrediction *prediction; /* of the normal run; NULL: it was recorded, or there is none */
} DtComparison;
/** Empty. */
DtComparison *dt_comparison_new(void);
void dt_comparison_free(DtComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtComparison, dt_comparison_free)

/** Adds a suspect, behind those with higher scores. Its level is at most that of the one before: where threads of
 * different noise need different scores, one that scores less does not say more. */
void dt_comparison_add_suspect(DtComparison *comparison, const DtSuspect *suspect);

/** Sorts the rows by ascending B-score, those without one last; equal ones keep their order. */
void dt_comparison_sort(DtComparison *comparison);

/* ---- the call ---------------------------------------------------------------------------------- */

/** Who hears what is to be told while runs are compared. Called from the thread that compares. Each function may be
 * NULL.
 */
typedef struct {
    /** Something that the user should know of, one line without its end: damage, what begins late, an empty filter. */
    void (*warn)(const char *message, gpointer data);
    /** So much of a stretch of work is done; `all` 0: how much there is, is not known. `work` NULL: the last one is
     * over. */
    void (*progress)(const char *work, guint64 done, guint64 all, gpointer data);
    gpointer data;
} DtCompareListener;

/** What is looked at; zeros mean what `difftrace compare` does by default. */
typedef struct {
    const char *const *filters;    /* notations, NULL terminated; NULL: mpiall, mpicol, mpisr, ompall, mem and all */
    const char *const *attributes; /* names of settings, NULL terminated; NULL: all settings */
    guint k, min_repeat;           /* of the NLR; 0: DT_NLR_DEFAULT_K, DT_NLR_DEFAULT_MIN_REPEAT */
    DtNlrForm form;
    const char *linkage;          /* by name; NULL: ward */
    gboolean names_alone;         /* the verdict does not look at the arguments of calls */
    gboolean no_times;            /* nor at times */
    guint jobs;                   /* threads; 0: all cores */
    const char *const *baselines; /* further runs that are normal, NULL terminated, or NULL */
} DtCompareOptions;

/**
 * Compares two runs, or judges the faulty one alone if `normal` is NULL (there may be no baselines then). `options` and
 * `listener` may be NULL. The runs are closed again; the result stands by itself. Errors: of the store (a path that is
 * no run), of the filters and attributes (a notation), DT_COMPARE_ERROR. What it costs: bench/results/analysis.md.
 * Memory grows with the traces that differ, not with their events.
 */
DtComparison *dt_compare_runs(const char *normal, const char *faulty, const DtCompareOptions *options,
                              const DtCompareListener *listener, GError **error);

/* ---- labels ------------------------------------------------------------------------------------ */

/**
 * Trace labels in short: the main threads of the ranks 0 to 4 and of 7, and the
 * threads 1 to 3 of the ranks 6 and 7 are "0-4,7,6-7.1-3"; g_free(). `labels` (element-type utf8) are in the order of
 * their run's traces.
 */
char *dt_trace_list_text(const GPtrArray *labels);
/** Of `count` traces, at least 1, by the first one's label: "3.0 +499"; g_free(). */
char *dt_label_and_more(const char *label, guint count);

#pragma GCC visibility pop
G_END_DECLS

#endif
