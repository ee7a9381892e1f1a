/**
 * One pass over the traces of some runs, which decodes each of them once: whoever needs their events consumes them as
 * they come. Traces with the same events are read once for all.
 */
#ifndef DT_DECODER_PASS_H
#define DT_DECODER_PASS_H

#include "decoder/call_reader.h"
#include "parallel/parallel.h"

G_BEGIN_DECLS

/** Traces with the same events, of which the first one is read. */
typedef struct {
    const DtRun *run;
    const DtTrace *trace; /* the first */
    guint number;         /* in the pass */
    guint by_names;       /* of the first one that has the same events by names alone */
    gboolean was_read;    /* somebody wanted it; of what follows there is nothing otherwise */
    guint64 events;
    GArray *open;    /* calls that never returned, with arguments, outermost first (element-type guint32) */
    char *problem;   /* NULL, or what ended it early */
    GError *failure; /* it could not be read at all: it has no events then */
} DtDistinctTrace;

/** Who consumes events. */
typedef struct {
    gpointer (*start)(gpointer consumer); /* what a thread needs */
    /* FALSE: the trace is not wanted. */
    gboolean (*begin)(gpointer thread, const DtDistinctTrace *trace);
    void (*follow)(gpointer thread, const DtCallBatch *batch);
    void (*end)(gpointer thread,
                const DtDistinctTrace *trace); /* of those that are wanted, also where reading failed */
    void (*stop)(gpointer thread);
    gpointer consumer;
} DtEventConsumer;

/** Told from time to time, by one thread: words of all traces, and how many of them are done. */
typedef void (*DtPassProgress)(guint64 done, guint64 all, gpointer user_data);

typedef struct DtPass DtPass;
/**
 * Finds the traces of the runs, which share DtFunctions, that have the same events. In parallel over `jobs` threads (0
 * = all cores); with several members, which all have these runs, by each a share of them (collective). O(bytes).
 */
DtPass *dt_pass_new(const DtParallel *parallel, const DtRun *const *runs, guint run_count, guint jobs);
void dt_pass_free(DtPass *pass);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPass, dt_pass_free)

guint dt_pass_jobs(const DtPass *pass);
/** Of how many there are; longest first if they are asked for in that order. */
guint dt_pass_count(const DtPass *pass);
const DtDistinctTrace *dt_pass_get(const DtPass *pass, guint number);
const DtDistinctTrace *dt_pass_longest(const DtPass *pass, guint rank);
const DtRun *dt_pass_run(const DtPass *pass, guint run);
/** The one that a trace of a run is like. */
const DtDistinctTrace *dt_pass_find(const DtPass *pass, guint run, guint trace);

/** Adds a consumer, before the traces are read. */
void dt_pass_add(DtPass *pass, const DtEventConsumer *consumer);
/** Reads all traces that are wanted, the longest first, each in one thread; memory does not grow with them. */
void dt_pass_read(DtPass *pass, DtPassProgress progress, gpointer user_data);

G_END_DECLS

#endif
