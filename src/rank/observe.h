/**
 * A trace as the evidence looks at it: its calls as symbols, their k-grams, the
 * bodies of its functions, and how it ends.
 *
 * A symbol is a (caller, callee) pair. Left out are calls made inside an MPI
 * call (the library's own business), polls, and calls that do nothing but poll
 * (how often one asks is luck).
 */
#ifndef DT_RANK_OBSERVE_H
#define DT_RANK_OBSERVE_H

#include "rank/calls.h"
#include "rank/gram_map.h"

G_BEGIN_DECLS

typedef struct {
    guint32 caller, callee; /* function ids; caller 0 at top level */
    guint kind;             /* DtCallKind of the callee */
} DtCallSymbol;

/** A row of symbols. */
typedef struct {
    guint32 *symbols;
    gsize length;
} DtSequence;

typedef struct {
    const DtTrace *trace;
    const DtRun *run;
    DtSequence entries; /* all symbols */
    DtSequence library; /* those of library calls */
    DtGramMap *grams;   /* single symbols and pairs */
    DtGramMap *bodies;  /* signatures of completed calls */
    GArray *open;       /* calls that never returned, outermost first (element-type guint32, function ids) */
    guint32 last_entry; /* function id, 0: none */
    char *problem;      /* NULL, or what ended the trace early */
} DtObservedTrace;

typedef enum { DT_SEQUENCE_ALL, DT_SEQUENCE_LIBRARY, DT_SEQUENCES } DtSequenceKind;

static inline const DtSequence *dt_observed_sequence(const DtObservedTrace *observed, DtSequenceKind kind)
{
    return kind == DT_SEQUENCE_ALL ? &observed->entries : &observed->library;
}

void dt_observed_trace_free(DtObservedTrace *observed);

/**
 * Observes all traces of all runs (DtRun), in parallel over `jobs` threads.
 * Returns one (element-type DtObservedTrace) per run, in the order of its
 * traces; appends the symbols met to `symbols` (element-type DtCallSymbol),
 * numbered by run, trace and position. `kinds`: see dt_call_kinds().
 */
GPtrArray *dt_observe_runs(const GPtrArray *runs, const guint8 *kinds, guint jobs, GArray *symbols, GError **error);

G_END_DECLS

#endif
