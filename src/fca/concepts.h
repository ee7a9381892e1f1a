/**
 * The concepts of a context as pairs of bit sets: what Godin's algorithm builds
 * and the finished lattice is made from.
 */
#ifndef DT_FCA_CONCEPTS_H
#define DT_FCA_CONCEPTS_H

#include "fca/fca.h"
#include "fca/set_index.h"

typedef struct {
    gsize intent_words, extent_words;
    guint count, capacity;
    guint64 *intents; /* concept i at i * intent_words */
    guint64 *extents; /* concept i at i * extent_words */
    DtSetIndex *by_intent;
} DtConcepts;

void dt_concepts_free(DtConcepts *concepts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtConcepts, dt_concepts_free)

static inline guint64 *dt_concepts_intent(const DtConcepts *concepts, guint number)
{
    return concepts->intents + number * concepts->intent_words;
}

static inline guint64 *dt_concepts_extent(const DtConcepts *concepts, guint number)
{
    return concepts->extents + number * concepts->extent_words;
}

/** None yet, with room for the sets of this context. */
DtConcepts *dt_concepts_new(const DtContext *context);
/** Adds a concept of that intent, which is new, and an empty extent; returns its number. */
guint dt_concepts_append(DtConcepts *concepts, const guint64 *intent);

/** All concepts, unordered, by Godin's incremental algorithm; DT_FCA_ERROR_LIMIT beyond `limit`. */
DtConcepts *dt_godin_concepts(const DtContext *context, guint limit, GError **error);

/**
 * The largest concepts, unordered: all of at least *least objects, the least for which they are at most `most`. 0: all
 * there are. For c concepts O(c m n / 64).
 */
DtConcepts *dt_iceberg_concepts(const DtContext *context, guint most, guint *least);

/** The extent of each attribute alone, `words` words each; g_free(). */
guint64 *dt_context_columns(const DtContext *context, gsize words);
/** Per concept the concepts directly below it, unordered (element-type GArray of guint). */
GPtrArray *dt_concepts_covers(const DtConcepts *concepts, const DtContext *context);

#endif
