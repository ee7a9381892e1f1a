/**
 * Filters: which events of a trace an analysis looks at. A filter is named
 * categories and regular expressions, or-ed; names are matched once per function
 * (PCRE2 with JIT), events by a bit.
 *
 * Written as in the literature, `11.mpiall.cust:REGEX.0K10`: first digit 1 = drop
 * returns, second 1 = drop the anonymous `.plt`, categories, then K and the NLR
 * constant; `caller:REGEX` and `under:REGEX` narrow it to what those functions call,
 * or to what happens below them; or as a comma list of categories, `mpicol,mem`, which means
 * `11.mpicol.mem`. See docs/algorithms/filters.md for the grammar.
 */
#ifndef DIFFTRACE_FILTERS_H
#define DIFFTRACE_FILTERS_H

#include "decoder.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_FILTER_ERROR (dt_filter_error_quark())
typedef enum { DT_FILTER_ERROR_SYNTAX, DT_FILTER_ERROR_UNKNOWN, DT_FILTER_ERROR_REGEX } DtFilterError;
GQuark dt_filter_error_quark(void);

typedef struct DtFilter DtFilter;

/** Largest K that the notation may name. */
#define DT_FILTER_MAX_K 1000000u

/**
 * Parses one filter. A bad regex's message shows pattern, reason and a caret at
 * PCRE2's offset on lines of their own; that of an unknown category names one that is near and all there are. One
 * reference, or NULL.
 */
DtFilter *dt_filter_parse(const char *text, GError **error);
/** One owner more, of any thread. */
DtFilter *dt_filter_ref(DtFilter *filter);
void dt_filter_unref(DtFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFilter, dt_filter_unref)

/** Notation with that K (1..DT_FILTER_MAX_K), or the filter's own if it has one; free with g_free(). */
char *dt_filter_notation(const DtFilter *filter, guint k);
/** The K of the notation, or `otherwise` if it names none. */
guint dt_filter_k(const DtFilter *filter, guint otherwise);
/** FALSE: returns are items of the filtered trace, too. */
gboolean dt_filter_drops_returns(const DtFilter *filter);

/** A named set of functions. */
typedef struct {
    const char *name, *alias, *description;
} DtFilterCategory;
/** All of them; the last has no name. Static. */
const DtFilterCategory *dt_filter_categories(void);

/**
 * TRUE if a function of that name (and enum dt_function_flags) is in the category,
 * by name or alias; FALSE for unknown categories and `cust:`. The suffix "@plt" of
 * imports is not part of the name.
 */
gboolean dt_category_has(const char *category, const char *function, guint flags);

/* ---- applying ---------------------------------------------------------------- */

/**
 * An item of a filtered trace: a function id, plus DT_SYMBOL_RETURN where the
 * filter keeps returns and the item is the return of that function.
 */
#define DT_SYMBOL_RETURN 0x80000000u

/** A filter with its bit set over functions; immutable, usable from many threads. */
typedef struct DtFilterSet DtFilterSet;
/**
 * Matches every function once: O(functions x parts of the filter). Functions
 * interned later are not kept, so open all runs first. An expression that
 * exceeds PCRE2's match limit on a name is DT_FILTER_ERROR_REGEX.
 */
DtFilterSet *dt_filter_compile(const DtFilter *filter, const DtFunctions *functions, GError **error);
void dt_filter_set_free(DtFilterSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFilterSet, dt_filter_set_free)
/** Whether the function's name is kept, wherever it is called; FALSE of one interned later. O(1). */
gboolean dt_filter_set_keeps(const DtFilterSet *set, guint32 function);
/** TRUE if it also matters who calls a function: caller:, under:. */
gboolean dt_filter_set_is_scoped(const DtFilterSet *set);
/** Functions kept; 0 means that every trace comes out empty. */
guint dt_filter_set_count(const DtFilterSet *set);

/** Where in the calls of a trace a set's scopes stand. Starts as {set, 0}. */
typedef struct {
    const DtFilterSet *set;
    guint within; /* open calls whose inside is kept */
} DtFilterScope;
/** Whether the call that `event` entered or left is kept; `stack` has just been given the event, `function` is its
 * result. For every event in order. O(1). */
gboolean dt_filter_scope_keeps(DtFilterScope *scope, const DtCallStack *stack, guint32 event, guint32 function);
/** Appends those of the open calls, `depth` of them and outermost first, that are kept (element-type guint32). `frames`
 * may be NULL if there are none. */
void dt_filter_set_open_calls(const DtFilterSet *set, const guint32 *frames, guint depth, GArray *open);

/** Receives filtered items as they come; `count` > 0. */
typedef void (*DtSymbolSink)(const guint32 *symbols, gsize count, gpointer user_data);
/** Is told that the last `count` items, all of the last batch, come `times` times more. */
typedef void (*DtRepeatSink)(gsize count, guint64 times, gpointer user_data);

/**
 * Decodes `trace` and gives what the set keeps, by names alone, to `sink`, batch by batch. If the
 * trace ends inside kept calls, `open` (may be NULL; element-type guint32) gets
 * them, outermost first. `problem` (may be NULL): see dt_reader_problem(); g_free().
 * Returns without a call are dropped. Memory does not grow with the trace.
 */
gboolean dt_filter_run(const DtFilterSet *set, const DtRun *run, const DtTrace *trace, DtSymbolSink sink,
                       gpointer user_data, GArray *open, char **problem, GError **error);

/** One of several filters that a trace goes through at once. */
typedef struct {
    const DtFilterSet *set;
    DtSymbolSink sink;
    gpointer user_data;
    GArray *open; /* or NULL */
    /* NULL: `sink` gets repetitions item by item. Otherwise those that the decoder knows of take no time. */
    DtRepeatSink repeat;
    gboolean returns; /* of kept calls, whatever the set says of returns */
    DtProjection projection;
} DtFilterTap;
/** As dt_filter_run() for each tap, but the trace is decoded once. */
gboolean dt_filter_run_taps(const DtFilterTap *taps, guint count, const DtRun *run, const DtTrace *trace,
                            char **problem, GError **error);

#pragma GCC visibility pop
G_END_DECLS

#endif
