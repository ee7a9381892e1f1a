/**
 * Rows of call symbols, folded: what they need of memory follows from what is irregular in them, not from their length,
 * and so does the time to compare them.
 */
#ifndef DT_VERDICT_OBSERVED_SEQUENCE_H
#define DT_VERDICT_OBSERVED_SEQUENCE_H

#include "nlr/nlr.h"
#include "verdict/observed/gram_map.h"

G_BEGIN_DECLS

typedef struct {
    guint32 caller, callee; /* function ids; caller 0 at top level */
    guint kind;             /* DtCallKind of the callee */
} DtCallSymbol;

/** The calls that a function made from its start to its return: a body has repeats as one, an act has all. */
typedef struct {
    guint64 signature;
    guint32 function;
    guint count;
    guint32 callees[]; /* function ids */
} DtFunctionBody;

/** What sequences are made of. */
typedef struct {
    GArray *symbols;             /* (element-type DtCallSymbol) */
    GHashTable *function_bodies; /* by signature (guint64 to DtFunctionBody), of all traces */
    DtLoopTable *bodies;         /* of the loops of all sequences: equal stretches have one number */
    guint64 *library_calls;      /* of one iteration, by body; dt_alphabet_complete() */
} DtAlphabet;

DtAlphabet *dt_alphabet_new(void);
void dt_alphabet_free(DtAlphabet *alphabet);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtAlphabet, dt_alphabet_free)
/** To be called when all symbols and bodies are there, and again when there are more. O(bodies). */
void dt_alphabet_complete(DtAlphabet *alphabet);

/** NULL if no trace has a body of that signature. */
static inline const DtFunctionBody *dt_alphabet_function_body(const DtAlphabet *alphabet, guint64 signature)
{
    return (const DtFunctionBody *)g_hash_table_lookup(alphabet->function_bodies, &signature);
}

static inline const DtCallSymbol *dt_alphabet_symbol(const DtAlphabet *alphabet, guint32 symbol)
{
    return &g_array_index(alphabet->symbols, DtCallSymbol, symbol);
}

/** What bodies and acts are known by: the same for the same calls, in every run. O(count). */
guint64 dt_body_signature(guint32 function, const guint32 *callees, guint count);

/** A folded sequence of symbols. The complexities below are in its elements. */
typedef struct {
    const DtAlphabet *alphabet;
    DtNlr *nlr;
} DtSequence;

static inline guint64 dt_sequence_length(const DtSequence *sequence)
{
    return dt_nlr_symbols(sequence->nlr);
}

/** O(elements). */
gboolean dt_sequence_equal(const DtSequence *a, const DtSequence *b);
/** The symbol at `position`, which is less than the length. O(elements). */
guint32 dt_sequence_at(const DtSequence *sequence, guint64 position);
/** Library calls among the first `position` symbols. O(elements). */
guint64 dt_sequence_library_calls(const DtSequence *sequence, guint64 position);
/**
 * Length of the longest common prefix. O(elements) where both repeat the same bodies; where one repeats what the other
 * folded in another way, O(symbols) of that.
 */
guint64 dt_sequence_common_prefix(const DtSequence *a, const DtSequence *b);
/** Its first `length` symbols; of bodies new in its alphabet dt_alphabet_complete() is to know. O(elements). */
DtSequence dt_sequence_first(const DtSequence *sequence, guint64 length, DtNlrFolder *folder);
/** Its single symbols and pairs, in order of first sight. O(elements of the sequence and of the bodies in it). */
DtGramMap *dt_sequence_grams(const DtSequence *sequence);

G_END_DECLS

#endif
