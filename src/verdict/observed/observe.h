/**
 * A trace as the evidence looks at it: its calls as symbols, their k-grams, the
 * bodies of its functions, and how it ends.
 *
 * A symbol is a (caller, callee) pair. Left out are calls made inside an MPI
 * call (the library's own business), polls, and calls that do nothing but poll
 * (how often one asks is luck).
 */
#ifndef DT_VERDICT_OBSERVED_OBSERVE_H
#define DT_VERDICT_OBSERVED_OBSERVE_H

#include "decoder/pass.h"
#include "verdict/observed/calls.h"
#include "verdict/observed/sequence.h"

G_BEGIN_DECLS

/** What luck has to do with a trace. */
typedef enum {
    DT_LUCK_ASKS = 1 << 0,      /* it takes what comes first: DT_KIND_LUCKY */
    DT_LUCK_PASSED_ON = 1 << 1, /* it sends messages after that */
    DT_LUCK_RECEIVES = 1 << 2,  /* it receives messages */
    DT_LUCK_LOCKS = 1 << 3      /* it takes locks: which thread comes first is luck */
} DtLuck;

/** What the calls of a trace come to. */
typedef struct {
    DtSequence entries; /* all symbols */
    DtSequence library; /* those of library calls */
    DtGramMap *grams;   /* single symbols and pairs */
    DtGramMap *bodies;  /* signatures of completed calls; whatever their number, count is 1 */
    DtGramMap *acts;    /* the same with every repeat of a call, and how often each came; dt_alphabet_function_body() */
    DtGramMap *steps;   /* two calls that a function makes one after the other, 0: it starts, or returns; likewise */
    GArray *open;       /* calls that never returned, outermost first (element-type guint32, function ids) */
    guint32 last_entry; /* function id, 0: none */
    guint luck;         /* DtLuck, as bits */
    GArray *askers;     /* functions that take what comes first (element-type guint32) */
    char *problem;      /* NULL, or what ended the trace early */
} DtObservation;

/** A trace and what was observed of it: of all traces that come to the same, the same observation. */
typedef struct {
    const DtTrace *trace;
    const DtRun *run;
    const DtObservation *calls; /* borrowed */
    gboolean cut_off;           /* a time limit ended it while its run got on: what would have come is not known */
    gboolean is_part;           /* dt_observations_shorten() */
} DtObservedTrace;

typedef enum { DT_SEQUENCE_ALL, DT_SEQUENCE_LIBRARY, DT_SEQUENCES } DtSequenceKind;

static inline const DtSequence *dt_observed_sequence(const DtObservedTrace *observed, DtSequenceKind kind)
{
    return kind == DT_SEQUENCE_ALL ? &observed->calls->entries : &observed->calls->library;
}

/** All traces of some runs. */
typedef struct {
    DtAlphabet *alphabet;
    GPtrArray *distinct; /* (element-type DtObservation) */
    GPtrArray *runs;     /* per run its traces in order (element-type GPtrArray of DtObservedTrace) */
} DtObservations;

/** Traces of a pass on their way to be observations. */
typedef struct DtObserving DtObserving;
/**
 * Adds to a pass that all traces of its first `run_count` runs are observed in a projection, those with the same events
 * once. `kinds`: see dt_call_kinds(); it must outlive the pass. Symbols and bodies are numbered as they come: nothing
 * may depend on their numbers.
 */
DtObserving *dt_observing_new(DtPass *pass, guint run_count, DtProjection projection, const guint16 *kinds);
void dt_observing_free(DtObserving *observing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtObserving, dt_observing_free)
/** After the pass: what was observed; NULL if a trace could not be read. Once. */
DtObservations *dt_observing_take(DtObserving *observing, GError **error);
void dt_observations_free(DtObservations *observations);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtObservations, dt_observations_free)

G_END_DECLS

#endif
