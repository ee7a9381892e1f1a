/**
 * Which loops, with their counts, stand under the top of the stack or inside a
 * body, and what they are followed by there. Counted by hash: what is told to be
 * unseen certainly is.
 */
#ifndef DT_NLR_SEEN_LOOPS_H
#define DT_NLR_SEEN_LOOPS_H

#include "nlr/sequence.h"

enum { DT_SEEN_BITS = 15 };

typedef struct {
    guint32 *alone;    /* by hash of the loop */
    guint32 *followed; /* by hash of the loop and of the first symbol after it */
} DtSeenLoops;

static inline void dt_seen_loops_init(DtSeenLoops *seen)
{
    seen->alone = g_new0(guint32, (gsize)1 << DT_SEEN_BITS);
    seen->followed = g_new0(guint32, (gsize)1 << DT_SEEN_BITS);
}

static inline void dt_seen_loops_clear(DtSeenLoops *seen)
{
    g_free(seen->alone);
    g_free(seen->followed);
}

static inline guint32 *dt_seen_alone(const DtSeenLoops *seen, DtElement loop)
{
    return &seen->alone[dt_element_mix(loop) >> (64 - DT_SEEN_BITS)];
}

static inline guint32 *dt_seen_followed(const DtSeenLoops *seen, DtElement loop, guint32 symbol)
{
    guint64 both = loop ^ (symbol * DT_SEQUENCE_MULTIPLIER);
    return &seen->followed[dt_element_mix(both) >> (64 - DT_SEEN_BITS)];
}

#endif
