/**
 * All runs of one ranking side by side: the normal ones, then the faulty one,
 * their traces aligned by label.
 */
#ifndef DT_VERDICT_CORPUS_H
#define DT_VERDICT_CORPUS_H

#include "payload/differing_data.h"
#include "verdict/gate/reach.h"

G_BEGIN_DECLS

typedef struct DtVaryingSuccessors DtVaryingSuccessors;

typedef struct {
    const DtFunctions *functions;
    const DtRun *faulty_run;
    guint16 *kinds;              /* DtCallKind by function id */
    const DtDifferingData *data; /* borrowed; NULL: not recorded */
    const DtReach *reach;        /* borrowed */
    DtObservations *observations;
    GPtrArray *runs; /* theirs (element-type GPtrArray of DtObservedTrace): normal ones, then the faulty one */
    guint normals;   /* also the index of the faulty run */
    guint traces;    /* labels: those of the faulty run in its order, then those of normal runs only */
    GPtrArray *labels;
    DtObservedTrace **at; /* [run * traces + trace], NULL where the run has no such trace */
    guint *classes;       /* per trace: traces of one class share their ever-present symbols; 0..class_count-1 */
    guint class_count;
    guint *by_class;              /* traces by class, then number */
    guint *class_start;           /* per class, and one more: index into by_class */
    DtGramMap *normal_grams;      /* count = normal runs that have the gram in any thread */
    DtGramMap *normal_bodies;     /* likewise */
    DtVaryingSuccessors *varying; /* successors.h */
    GPtrArray **reference_traces; /* dt_reference_traces_new() */
    guint world_sizes[2];         /* of the first normal run and the faulty one; 0: unknown */
    gboolean teams_differ; /* processes have other numbers of threads than in any normal run: dt_find_thread_counts() */
    gboolean normals_vary; /* whole traces of normal runs, before anything is taken off */
    gboolean makes_usual_calls; /* all traces together make those of a normal run, by names; dt_find_luck() */
    gboolean *by_luck;          /* per trace: luck has a part in what it does; dt_find_luck() */
    guint team_sizes[2];        /* the most threads of a process: normally, and in the faulty run */
} DtCorpus;

/** `normals` (DtRun) may be empty. `observations` are of them and then of the faulty run; they are the corpus' now. */
DtCorpus *dt_corpus_new(const GPtrArray *normals, const DtRun *faulty, DtObservations *observations);
void dt_corpus_free(DtCorpus *corpus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCorpus, dt_corpus_free)

static inline DtObservedTrace *dt_corpus_at(const DtCorpus *corpus, guint run, guint trace)
{
    return corpus->at[(gsize)run * corpus->traces + trace];
}

/** The traces of a class, ascending; `*count` of them. */
static inline const guint *dt_corpus_class(const DtCorpus *corpus, guint class_number, guint *count)
{
    *count = corpus->class_start[class_number + 1] - corpus->class_start[class_number];
    return corpus->by_class + corpus->class_start[class_number];
}

/** Main threads, the application's other threads, the libraries' threads. */
typedef enum { DT_THREAD_KIND_MAIN, DT_THREAD_KIND_WORKER, DT_THREAD_KIND_LIBRARY, DT_THREAD_KINDS } DtThreadKind;
DtThreadKind dt_thread_kind(const DtTrace *trace);

/**
 * What `trace` of `run` is compared with: the same trace of the normal runs other
 * than `run`, or its stand-ins. Fills
 * `references` (room for dt_corpus_max_references()), returns how many.
 */
guint dt_corpus_references(const DtCorpus *corpus, guint run, guint trace, const DtObservedTrace **references);
guint dt_corpus_max_references(const DtCorpus *corpus);
/** Those of a trace of the faulty run that are of normal runs. */
guint dt_corpus_normal_references(const DtCorpus *corpus, guint trace, const DtObservedTrace **references);

/** TRUE if the faulty run has another number of ranks than the first normal one: labels mean nothing then. */
static inline gboolean dt_corpus_sizes_differ(const DtCorpus *corpus)
{
    return corpus->normals > 0 && corpus->world_sizes[0] > 0 && corpus->world_sizes[1] > 0 &&
           corpus->world_sizes[0] != corpus->world_sizes[1];
}

/** Finds out whether the number of threads was changed: docs/algorithms/verdict.md. O(traces). */
void dt_find_thread_counts(DtCorpus *corpus);
/** The function that a thread starts with, 0 if it makes no call. */
guint32 dt_start_function(const DtCorpus *corpus, const DtObservedTrace *observed);
/** TRUE if what has this label in one run has nothing to do with what has it in another. */
gboolean dt_corpus_label_is_void(const DtCorpus *corpus, guint trace);
/** TRUE if its team has another number of threads, and it has no mate of its own run to be compared with. */
gboolean dt_corpus_does_other_share(const DtCorpus *corpus, guint trace);
/** TRUE if the normal runs of the trace do not go on alike, or it does another share of the work than in them. */
gboolean dt_corpus_is_noisy(const DtCorpus *corpus, guint trace);

/** TRUE if two normal runs of any trace do not go on alike. O(classes). */
gboolean dt_corpus_varies(const DtCorpus *corpus);

/**
 * If the numbers of ranks differ, or there is no normal run: for each trace of the faulty run those of the normal runs,
 * or of its own, of the same kind of thread, whose symbols are most like its own (by Jaccard), at most
 * DT_MAX_STAND_INS; none if it has no like. If the numbers of threads differ, the same for threads but for first ones,
 * from all runs, of those that start with the same function. (element-type DtObservedTrace), per trace, NULL for those
 * that are compared by label; NULL if all are.
 */
GPtrArray **dt_reference_traces_new(const DtCorpus *corpus);
enum { DT_MAX_STAND_INS = 8 };

/** TRUE if the steps of a trace are its library calls; if its references make none, they are all of its entries. */
gboolean dt_corpus_counts_library_calls(const DtCorpus *corpus, guint run, guint trace);
/** The mean steps of the references, and those of the trace. */
double dt_corpus_mean_steps(const DtCorpus *corpus, guint run, guint trace);
double dt_corpus_steps(const DtCorpus *corpus, guint run, guint trace);

static inline const DtCallSymbol *dt_corpus_symbol(const DtCorpus *corpus, guint32 symbol)
{
    return dt_alphabet_symbol(corpus->observations->alphabet, symbol);
}
static inline const char *dt_corpus_callee_name(const DtCorpus *corpus, guint32 symbol)
{
    return dt_functions_get(corpus->functions, dt_corpus_symbol(corpus, symbol)->callee)->name;
}

G_END_DECLS

#endif
