/**
 * Call trees inside: nodes are interned, and built from entries and returns as they come.
 */
#ifndef DT_NLR_CALL_TREE_H
#define DT_NLR_CALL_TREE_H

#include "nlr/fold.h"

/** In the tree of one trace, a symbol that stands for a node: its index with this bit. No function's id has it. */
#define DT_CALL_NODE 0x40000000u

/** Nodes of one trace, numbered instead of named; free with dt_call_tree_free(). */
DtCallTree *dt_call_tree_new_local(void);
/** The symbol of a call of `function` with these children, that of the function itself if it has none and returned. */
guint32 dt_call_tree_intern(DtCallTree *tree, guint32 function, gboolean open, DtElements children);

/** Makes a trace's tree. */
typedef struct DtTreeBuilder DtTreeBuilder;
/** `folder` folds children, one frame at a time; it is borrowed, and empty again after dt_tree_builder_finish(). */
DtTreeBuilder *dt_tree_builder_new(DtNlrFolder *folder, guint k, guint min_repeat);
void dt_tree_builder_free(DtTreeBuilder *builder);
/** A DtSymbolSink of entries and returns. */
void dt_tree_builder_take(const guint32 *symbols, gsize count, gpointer builder);
/** The DtRepeatSink that goes with it. */
void dt_tree_builder_repeat(gsize count, guint64 times, gpointer builder);
/** Ends the trace: calls that are open become nodes that say so. The builder is ready for the next trace. */
DtLooseNlr *dt_tree_builder_finish(DtTreeBuilder *builder);

#endif
