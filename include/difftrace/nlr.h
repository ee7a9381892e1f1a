/**
 * Nested loop representation (Ketterlin & Clauss 2008, reduced to symbols): a
 * sequence folded into elements, each a symbol or a loop `Ln^c`, whose body is a
 * sequence of elements again. Lossless: expanding gives the sequence back.
 *
 * Elements are pushed on a stack; after each push the top is reduced until
 * nothing changes: for b = 1..K, if the element under the top b is a loop whose
 * body equals them, its count grows; if the top T*b are T equal blocks, they
 * become a loop. At most one reduction ever applies, so the result does not
 * depend on the order of trying (docs/algorithms/nlr.md). A count that would exceed
 * 32 bits starts a new element instead.
 */
#ifndef DIFFTRACE_NLR_H
#define DIFFTRACE_NLR_H

#include "filters.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_NLR_DEFAULT_K          1000u
#define DT_NLR_MAX_K              1000000u
#define DT_NLR_DEFAULT_MIN_REPEAT 2u
/** Longest period of dt_nlr_folder_repeat(). */
#define DT_NLR_MAX_PERIOD 65536u

/** A symbol (below 2^32), or a loop: bit 63, body id in bits 32..62, count in bits 0..31. */
typedef guint64 DtElement;

/** What it is, and its parts; those of the other kind mean nothing. */
static inline gboolean dt_element_is_loop(DtElement element)
{
    return (element >> 63) != 0;
}
static inline guint32 dt_element_symbol(DtElement element)
{
    return (guint32)element;
}
static inline guint32 dt_element_body(DtElement element)
{
    return (guint32)(element >> 32) & 0x7fffffffu;
}
static inline guint32 dt_element_count(DtElement element)
{
    return (guint32)element;
}
/** `body` is below 2^31. */
static inline DtElement dt_element_loop(guint32 body, guint32 count)
{
    return ((DtElement)1 << 63) | ((DtElement)body << 32) | count;
}

/** Consecutive elements; borrowed from its owner. */
typedef struct {
    const DtElement *elements;
    gsize length;
} DtElements;

/* ---- loop table: bodies, hash-consed ------------------------------------------ */

/** Bodies by id, 0..count-1; equal bodies have one id. Not thread safe. */
typedef struct DtLoopTable DtLoopTable;
/** Without bodies. */
DtLoopTable *dt_loop_table_new(void);
void dt_loop_table_free(DtLoopTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLoopTable, dt_loop_table_free)
/** Different bodies. */
guint32 dt_loop_table_count(const DtLoopTable *table);
/** What one iteration is; borrowed until a body is added. `body` is below the count, which is not checked. */
DtElements dt_loop_table_body(const DtLoopTable *table, guint32 body);
/** Symbols that one iteration of the body expands to; of a count-blind one those outside of loops. */
guint64 dt_loop_table_body_symbols(const DtLoopTable *table, guint32 body);

/** The bodies of folded sequences of counts, for count-blind NLRs over `table`; made when first asked for, borrowed. */
DtLoopTable *dt_loop_table_counts(DtLoopTable *table);

/* ---- folding -------------------------------------------------------------------- */

/** The folded form of one sequence, over the bodies of its loop table. */
typedef struct DtNlr DtNlr;
void dt_nlr_free(DtNlr *nlr);
/** One owner more; of one thread. */
DtNlr *dt_nlr_ref(DtNlr *nlr);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtNlr, dt_nlr_free)
/** The folded sequence; borrowed. O(1). */
DtElements dt_nlr_elements(const DtNlr *nlr);
/** Symbols before folding. */
guint64 dt_nlr_symbols(const DtNlr *nlr);
/** Over the same tables. */
gboolean dt_nlr_equal(const DtNlr *a, const DtNlr *b);

/**
 * Count-blind NLRs: loops inside bodies have the count 0, which stands for any, so that bodies are equal whatever their
 * inner loops' counts are. These are kept aside: for each body how often each of its runs went round, in the order of
 * the sequence, the runs at the top too, whose elements have their counts as well.
 */
gboolean dt_nlr_is_count_blind(const DtNlr *nlr);
/** Bodies with counts, 0 if the NLR is not count-blind. */
guint dt_nlr_counts_length(const DtNlr *nlr);
/** The counts of one of them, below dt_nlr_counts_length(), by ascending body, as a folded sequence over
 * dt_loop_table_counts(); borrowed. *body: whose they are. */
DtElements dt_nlr_counts(const DtNlr *nlr, guint index, guint32 *body);

/** Folds one sequence as it comes; reusable after dt_nlr_folder_finish(). */
typedef struct DtNlrFolder DtNlrFolder;
/** `k` (1..DT_NLR_MAX_K) and `min_repeat` (at least 2) are clamped. */
DtNlrFolder *dt_nlr_folder_new(guint k, guint min_repeat);
void dt_nlr_folder_free(DtNlrFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtNlrFolder, dt_nlr_folder_free)
/** `symbols` may be NULL if there are none. O(1) per symbol, amortised, whatever K. */
void dt_nlr_folder_push(DtNlrFolder *folder, const guint32 *symbols, gsize count);
/**
 * The last `period` symbols come `times` more. So many were pushed, and they are at most DT_NLR_MAX_PERIOD; else
 * nothing happens but a critical message. Where they are iterations of the loop that is being made, that takes O(1) and
 * not a look at each.
 */
void dt_nlr_folder_repeat(DtNlrFolder *folder, gsize period, guint64 times);
/**
 * Ends the sequence; bodies go to `table`. Call in trace order for deterministic
 * body numbers (post-order, by first sight); folders may fill in parallel before. One owner; the table must outlive it.
 */
DtNlr *dt_nlr_folder_finish(DtNlrFolder *folder, DtLoopTable *table);

/** Expands elements back, batch by batch. O(symbols), memory by the depth of loops. */
void dt_nlr_expand(const DtLoopTable *table, DtElements elements, DtSymbolSink sink, gpointer user_data);

/** Expands all of an NLR, of any form. */
void dt_nlr_expand_all(DtLoopTable *table, const DtNlr *nlr, DtSymbolSink sink, gpointer user_data);

/** Symbols that the elements expand to. */
guint64 dt_nlr_expanded_length(const DtLoopTable *table, DtElements elements);

/* ---- call trees ----------------------------------------------------------------------- */

/**
 * In a call tree the symbols of an NLR are calls with all that happened in them: a node is a function and the folded
 * sequence of its children. Equal nodes are one, of all traces, and have a name among the functions: "solve{3}" is the
 * third one of solve, "solve{4...}" one that never returned. A call without children that returned is its function.
 */
typedef struct {
    guint32 symbol; /* its id among the functions */
    guint32 function;
    gboolean open; /* it never returned */
    DtElements children;
} DtCallNode;
typedef struct DtCallTree DtCallTree;
/** Nodes are interned among `functions`, of which a reference is taken. */
DtCallTree *dt_call_tree_new(DtFunctions *functions);
void dt_call_tree_free(DtCallTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCallTree, dt_call_tree_free)
/** Nodes. */
guint dt_call_tree_count(const DtCallTree *tree);
/** By index, which is not checked, children before those that call them; borrowed. */
const DtCallNode *dt_call_tree_node(const DtCallTree *tree, guint index);
/** NULL if the symbol is not one of a node; borrowed. */
const DtCallNode *dt_call_tree_find(const DtCallTree *tree, guint32 symbol);
/** Expands elements to entries and returns (DT_SYMBOL_RETURN), one by one. */
void dt_call_tree_expand(const DtCallTree *tree, const DtLoopTable *table, DtElements elements, DtSymbolSink sink,
                         gpointer user_data);

/* ---- names ------------------------------------------------------------------------ */

/** "MPI_Send", "<MPI_Send" for a return, "L3" for a loop without its count; g_free(). */
char *dt_element_name(DtElement element, const DtFunctions *functions);
/** The same with the count, "L3^16"; g_free(). */
char *dt_element_text(DtElement element, const DtFunctions *functions);
/** Elements separated by blanks; g_free(). */
char *dt_elements_text(DtElements elements, const DtFunctions *functions);
/** dt_element_text() and dt_elements_text() for people: very long names are cut (DtFunction.shown). g_free(). */
char *dt_element_shown(DtElement element, const DtFunctions *functions);
char *dt_elements_shown(DtElements elements, const DtFunctions *functions);
/** Folded counts, "25 (22 25)^3"; `table` is dt_loop_table_counts(). g_free(). */
char *dt_counts_text(const DtLoopTable *table, DtElements counts);

/* ---- whole runs ---------------------------------------------------------------------- */

/**
 * The NLR of a trace under one filter. Traces whose NLRs are equal, of all runs that were
 * folded together, share one: equal pointers. They are one class for whatever follows.
 */
typedef struct {
    const DtTrace *trace;
    DtNlr *nlr;
    /* Kept calls that never returned, outermost first (element-type guint32). */
    GArray *open;
    char *problem; /* NULL, or what ended the trace early */
} DtFoldedTrace;

/** With its NLR, if that has no other owner. */
void dt_folded_trace_free(DtFoldedTrace *folded);

/** What a folded trace looks like; docs/algorithms/nlr.md. */
typedef enum { DT_NLR_PLAIN, DT_NLR_COUNT_BLIND, DT_NLR_CALL_TREE, DT_NLR_FORMS } DtNlrForm;
/** "plain", "count-blind", "call-tree"; static. `form` is below DT_NLR_FORMS. */
const char *dt_nlr_form_name(DtNlrForm form);
/** FALSE if `name` is none. */
gboolean dt_nlr_form_find(const char *name, DtNlrForm *form);

/** A way to fold: a filter, K, T (clamped as by dt_nlr_folder_new()) and form. Bodies go to `table`. */
typedef struct {
    const DtFilterSet *set;
    guint k, min_repeat;
    DtLoopTable *table;
    DtNlrForm form;
    DtCallTree *tree;        /* of the form DT_NLR_CALL_TREE: where nodes go */
    DtProjection projection; /* the same in all plans of a call */
} DtFoldPlan;

/** Told from time to time, by one thread: words of all traces, and how many of them are done. */
typedef void (*DtFoldProgress)(guint64 done, guint64 all, gpointer user_data);

/**
 * Filters and folds all traces of all `runs` (DtRun) in all ways at once, each trace
 * decoded once, and traces with the same recorded bytes once for all. In parallel over
 * `jobs` threads (0 = all cores; OpenMP); bodies are numbered in the order of the runs and
 * their traces. Returns an array of run_count * plan_count arrays (element-type DtFoldedTrace, in the
 * order of the run's traces, owned), that of run r and plan p at [r * plan_count + p]. A trace that
 * cannot be read at all comes out empty, with the reason as its problem; only if none of a run can
 * be read, the first reason is the error. `progress` may be NULL. Free with g_ptr_array_unref(); tables, sets and runs
 * must outlive it.
 */
GPtrArray *dt_nlr_fold_runs(const DtRun *const *runs, guint run_count, const DtFoldPlan *plans, guint plan_count,
                            guint jobs, DtFoldProgress progress, gpointer user_data, GError **error);

/** The same for one run in one way, by names alone: (element-type DtFoldedTrace), g_ptr_array_unref(). */
GPtrArray *dt_nlr_fold_run(const DtRun *run, const DtFilterSet *set, guint k, guint min_repeat, guint jobs,
                           DtLoopTable *table, GError **error);

#pragma GCC visibility pop
G_END_DECLS

#endif
