/**
 * The passes of the loop that goes on for most of a run: when each began on each rank, and what of it was spent outside
 * of MPI. The loop is one of the folded trace's (nlr.h), so that no function has to be called once a pass.
 */
#ifndef DT_TIMES_LOOP_PASSES_H
#define DT_TIMES_LOOP_PASSES_H

#include "nlr/nlr.h"

G_BEGIN_DECLS

/** One pass on one trace. In ns. */
typedef struct {
    guint64 begin_ns; /* its first kept call, by the monotonic clock of the host */
    guint64 ns;       /* until the next pass begins; the last one until the call behind the loop, or the trace's end */
    guint64 work_ns;  /* of this, outside of MPI and of the tracer's own work */
} DtLoopPass;

/** A trace that has the loop. */
typedef struct {
    const DtTrace *trace;
    guint32 body;   /* of the loop, in DtLoopPasses.table */
    GArray *passes; /* DtLoopPass */
} DtTracePasses;

/** All of them. */
typedef struct {
    DtLoopTable *table;
    guint count;         /* passes on each trace that has the loop */
    GPtrArray *traces;   /* (element-type DtTracePasses) those that have it, in the order in which they were given */
    guint filter;        /* index of the one that was taken */
    guint without;       /* traces that do not */
    GPtrArray *problems; /* (element-type utf8) what is damaged, a line each */
} DtLoopPasses;

/** How traces are folded. */
typedef struct {
    const DtFilterSet *set;
    gboolean returns; /* of kept calls are in the folded trace, too: dt_filter_drops_returns() is FALSE */
} DtLoopFilter;

/**
 * Of the outermost loops of the traces the one that all go round equally often and that covers most calls; if there is
 * none for all, of those that most traces have. The first filter decides, if it leaves any loop. A later one is taken
 * if as many traces go round equally often by it, too, and if the call that its passes begin with has stamps: with more
 * calls kept, passes begin where the body does. `count` of the result is 0 if there is no loop at all. Folds the whole
 * run once a filter, and reads the traces twice. `jobs` is at least 1. NULL and an error of the store if a trace cannot
 * be read.
 */
DtLoopPasses *dt_loop_passes_new(const DtRun *run, const GPtrArray *traces, const DtLoopFilter *filters, guint count,
                                 guint jobs, GError **error);
void dt_loop_passes_free(DtLoopPasses *passes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLoopPasses, dt_loop_passes_free)

G_END_DECLS

#endif
