/**
 * Gaps between consecutive events of a trace, by kind: which function was on top of the stack, how deep the recursion
 * was, and whether the function had just been entered or just returned to, and then from what. Internal.
 */
#ifndef DT_TIMES_GAPS_H
#define DT_TIMES_GAPS_H

#include "base/hash_index.h"
#include "decoder/decoder.h"

G_BEGIN_DECLS

typedef struct {
    guint32 top, returned_from; /* 0: none */
    guint32 level;              /* as DtGapFrame */
} DtGapKind;

/** The kinds that were met, numbered from 0 on. {0}: none. */
typedef struct {
    DtHashIndex index;
    GArray *keys;   /* DtGapKind */
    GArray *latest; /* Latest, by function on top: the same gap comes again and again */
} DtGapKinds;
void dt_gap_kinds_init(DtGapKinds *kinds);
void dt_gap_kinds_clear(DtGapKinds *kinds);

/** An open call. */
typedef struct {
    guint32 function;
    guint32 level; /* most open calls of one function, so far up the stack; at most 64 */
} DtGapFrame;

/** Where in a trace. */
typedef struct {
    GArray *frames;        /* DtGapFrame */
    GArray *open;          /* guint32 by function: its open calls */
    guint32 returned_from; /* by the last event; 0: it entered */
} DtGapWalk;
void dt_gap_walk_init(DtGapWalk *walk);
void dt_gap_walk_clear(DtGapWalk *walk);
/** The function on top; 0: none. */
guint32 dt_gap_walk_top(const DtGapWalk *walk);
/** Goes over an event. */
void dt_gap_walk_apply(DtGapWalk *walk, guint32 event);
/** The kind of the gap behind the last event, a new number if there is none yet. O(1). */
guint32 dt_gap_kinds_number(DtGapKinds *kinds, const DtGapWalk *walk);
/** The same; G_MAXUINT32 if there is none. For any thread. */
guint32 dt_gap_kinds_find(const DtGapKinds *kinds, const DtGapWalk *walk);
/** The same kind one level deeper in the recursion; G_MAXUINT32 if there is none. O(1). */
guint32 dt_gap_kinds_deeper(const DtGapKinds *kinds, guint32 kind);

G_END_DECLS

#endif
