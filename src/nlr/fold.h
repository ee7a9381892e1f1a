/**
 * Inside of folding: results that belong to no table yet, so that traces can be
 * folded in parallel and numbered in order afterwards.
 */
#ifndef DT_NLR_FOLD_H
#define DT_NLR_FOLD_H

#include "nlr/nlr.h"

/** As dt_nlr_folder_new(); no loop gets a count above `max_count` (at least `min_repeat`). */
DtNlrFolder *dt_nlr_folder_new_limited(guint k, guint min_repeat, guint32 max_count);

struct DtNlr {
    gint references; /* of traces; one thread at a time */
    DtElement *elements;
    gsize length;
    guint64 symbols;
    GArray *counts; /* (element-type DtFoldCounts) by body; NULL: not count-blind */
};

/** What was kept aside of a body: how often each of its runs went round, folded. */
typedef struct {
    guint32 body;
    DtElement *elements; /* over dt_loop_table_counts() of the body's table */
    gsize length;
} DtFoldCounts;

/** A folded sequence with bodies of its own: those that it uses, numbered post-order by first sight. */
typedef struct DtLooseNlr DtLooseNlr;
/** `elements` over `table`; copies what it needs. */
DtLooseNlr *dt_loose_nlr_new(const DtLoopTable *table, DtElements elements);
/** A count-blind one of `symbols` symbols: `counts` has an NLR over `count_table` for each body of `table`. Copies. */
DtLooseNlr *dt_loose_nlr_new_with_counts(const DtLoopTable *table, DtElements elements, guint64 symbols,
                                         const DtLoopTable *count_table, DtNlr *const *counts);
/** A call tree: `roots` over `bodies` and the nodes of one trace, both of which it takes. */
DtLooseNlr *dt_loose_nlr_new_tree(DtLoopTable *bodies, DtElements roots, guint64 symbols, DtCallTree *nodes);
void dt_loose_nlr_free(DtLooseNlr *loose);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLooseNlr, dt_loose_nlr_free)
/** Its bodies go to `table`, and its nodes, if it is a call tree, to `tree`, in their order; frees `loose`. */
DtNlr *dt_loose_nlr_intern(DtLooseNlr *loose, DtLoopTable *table, DtCallTree *tree);

const DtLoopTable *dt_loose_nlr_bodies(const DtLooseNlr *loose);
DtElements dt_loose_nlr_elements(const DtLooseNlr *loose);
guint64 dt_loose_nlr_symbols(const DtLooseNlr *loose);
/** NULL: no call tree. */
const DtCallTree *dt_loose_nlr_nodes(const DtLooseNlr *loose);

/** The count-blind form of a plain one, which is freed. */
DtLooseNlr *dt_loose_nlr_count_blind(DtLooseNlr *plain, guint k, guint min_repeat);

/** Ends the sequence as dt_nlr_folder_finish() does, without a table. */
DtLooseNlr *dt_nlr_folder_finish_loose(DtNlrFolder *folder);

#endif
