/**
 * The decoder: the events of a trace, in order, with the call stack kept.
 * Memory does not grow with the length of the trace.
 *
 * An event is a guint32: a function id of the run's DtFunctions for an entry, or
 * DT_EVENT_RETURN for the return of the innermost open call.
 */
#ifndef DIFFTRACE_DECODER_H
#define DIFFTRACE_DECODER_H

#include "store.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_EVENT_RETURN 0u

#define DT_DECODER_ERROR (dt_decoder_error_quark())
typedef enum { DT_DECODER_ERROR_DAMAGED, DT_DECODER_ERROR_IO } DtDecoderError;
GQuark dt_decoder_error_quark(void);

/** How processes and threads end: the words for it everywhere. */
typedef enum {
    DT_STATUS_FINISHED,
    DT_STATUS_EXITED,  /* by itself, before its time or with an error, outside any call of MPI */
    DT_STATUS_ABORTED, /* inside a call of MPI, or in one that ends a program: abort, exit, __assert_fail, MPI_Abort */
    DT_STATUS_CRASHED, /* of a signal that a program brings upon itself */
    DT_STATUS_KILLED,  /* by somebody else's signal, while it waited for nobody or the job went on */
    DT_STATUS_STUCK,   /* it was there to the end and did not get on */
    DT_STATUS_RUNNING, /* it still got on when the time limit ended it */
    DT_STATUS_MISSING  /* it should be there and is not */
} DtStatus;
/** "stuck"; static. */
const char *dt_status_name(DtStatus status);

typedef struct DtReader DtReader;

/** A reader at the first event of `trace`, of one thread; `run` must outlive it. `projection`: what calls it gives.
 * A trace whose process was ended by a signal goes to where that hit it: what handlers did then is left out.
 * NULL and an error of the store if the file cannot be read; damage is none, see dt_reader_problem(). O(bytes). */
DtReader *dt_reader_open(const DtRun *run, const DtTrace *trace, DtProjection projection, GError **error);
void dt_reader_free(DtReader *reader);
/** Before anything is read: what handlers did is not left out. */
void dt_reader_keep_handlers(DtReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtReader, dt_reader_free)

/** Decodes up to `capacity` events, which is at least 1 and for which `events` has room; returns how many, 0 at the
 * end. O(events). */
gsize dt_reader_next(DtReader *reader, guint32 *events, gsize capacity);

/**
 * The same with positions: words of the trace up to and with each event, as the positions of notes are counted. What is
 * noted of a call's beginning is at the position of its entry. `positions` has room for `capacity` of them.
 */
gsize dt_reader_next_at(DtReader *reader, guint32 *events, guint64 *positions, gsize capacity);

/**
 * Events that come `times` times in a row, mostly once. With `times` above 1 their calls are whole: each one that is
 * entered among them returns among them, and the other way round. So the open calls are the same before and after each
 * time, and whatever is counted of one time, also by caller or depth, counts `times` times.
 */
typedef struct {
    const guint32 *events; /* borrowed until the reader is asked again */
    gsize count;           /* at most DT_READER_BATCH_EVENTS */
    guint64 times;
} DtEventBatch;
#define DT_READER_BATCH_EVENTS 65536u

/**
 * The same as dt_reader_next(), where repetitions need not be looked at: the batches, each as many times as it says,
 * are the events of the trace. FALSE at the end. What the codec knows to repeat takes no time.
 */
gboolean dt_reader_next_batch(DtReader *reader, DtEventBatch *batch);

/**
 * Goes to a position: what comes next are the events whose positions are larger. In words that are lost it goes on to
 * where the trace does, behind the end to the end; dt_reader_position() tells. Decodes what lies between the start of
 * the position's segment and the position: at most one segment (the tracer's hold 2^24 words or 1 MB of code), however
 * long the trace is.
 *
 * In a process of fewer than 65534 functions every event is one word: a position is the number of the last event before
 * it, counted from the thread's start. What was dropped or lost counts, too.
 */
void dt_reader_seek(DtReader *reader, guint64 position);
guint64 dt_reader_position(const DtReader *reader);
/**
 * The calls that are open where dt_reader_seek() or dt_reader_open_part() have gone to, outermost first, as they would
 * be had the trace been read up to there. Borrowed until events are asked for.
 */
const guint32 *dt_reader_open_calls(const DtReader *reader, guint *depth);

/**
 * A trace falls into parts that can be read at the same time by a reader each; one after the other they are the trace.
 * It has one only if anything of it is lost, or if it is short.
 */
guint dt_reader_part_count(const DtReader *reader);
/** A reader of one part, below dt_reader_part_count(), for any thread; to be freed by itself. What the trace needs is
 * found already: O(1). */
DtReader *dt_reader_open_part(const DtReader *reader, guint part);

/** After the end: NULL if all recorded events came out, else one line why not; borrowed. */
const char *dt_reader_problem(const DtReader *reader);

/**
 * Traces of one analysis with the same digest have the same events: a cryptographic sum of
 * the recorded bytes and of what their ids stand for. Those that share its first
 * DT_DIGEST_OF_NAMES characters have the same events by names alone. NULL if the trace is damaged in any
 * way. O(bytes), nothing is decoded; g_free().
 */
#define DT_DIGEST_OF_NAMES 64
char *dt_trace_digest(const DtRun *run, const DtTrace *trace);

/* ---- arguments --------------------------------------------------------------- */

/**
 * What the notes of a trace say about its calls, by signature. Only forwards: positions
 * (dt_reader_next_at()) must not descend from one question to the next.
 */
typedef struct DtCallDetails DtCallDetails;
/** Reads the notes of a trace; `run` must outlive it. O(notes). */
DtCallDetails *dt_call_details_open(const DtRun *run, const DtTrace *trace, GError **error);
void dt_call_details_free(DtCallDetails *details);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCallDetails, dt_call_details_free)
/** The next event and its position, whether anything is asked about it or not: from the beginning on, and without a
 * gap, if requests are to be told by number. */
void dt_call_details_follow(DtCallDetails *details, guint32 event, guint64 position);
/** Name and arguments of the call entered at `position`, those that vary as they were this time; `function` is the id
 * that was read there. g_free(). */
char *dt_call_details_name(DtCallDetails *details, guint32 function, guint64 position);
/** The same of the innermost call that never returned: dt_signature_fill_last(). g_free(). */
char *dt_call_details_last_name(const DtCallDetails *details, guint32 function);
/** Of the call that was followed last, at `position`: requests, what a receive from anybody got, locks not taken: NULL
 * or "request 3; got source 2, tag 7"; g_free(). */
char *dt_call_details_text(DtCallDetails *details, guint64 position);

/** Puts the values of a DT_NOTE_PARAMETER where it says; other notes change nothing. O(values). */
void dt_signature_fill(DtSignature *signature, const DtNotes *notes, const DtNote *note);

/**
 * Puts values where the signature of a call says that they vary: those of the last call of its trace that noted the
 * same arguments. So it is right for a call that never returned. O(1) for the last noted call.
 */
void dt_signature_fill_last(DtSignature *signature, const DtNotes *notes);

/* ---- call stack ------------------------------------------------------------ */

/** The open calls while events go by. Returns without a call are counted. */
typedef struct DtCallStack DtCallStack;
/** Without open calls. */
DtCallStack *dt_call_stack_new(void);
void dt_call_stack_free(DtCallStack *stack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCallStack, dt_call_stack_free)
/** As new, for another trace. */
void dt_call_stack_reset(DtCallStack *stack);
/** Applies an event: a function's id, or DT_EVENT_RETURN. Returns the function entered or returned from, 0 for a return
 * without a call. O(1). */
guint32 dt_call_stack_apply(DtCallStack *stack, guint32 event);
/** Open calls. */
guint dt_call_stack_depth(const DtCallStack *stack);
/** Outermost first; borrowed until the next apply. */
const guint32 *dt_call_stack_frames(const DtCallStack *stack);
/** Returns that came while no call was open. */
guint64 dt_call_stack_unmatched_returns(const DtCallStack *stack);

/* ---- statistics ------------------------------------------------------------ */

/** Calls per function and per caller-callee pair, over one or many traces. */
typedef struct DtStatistics DtStatistics;
/** How often a function called another one. */
typedef struct {
    guint32 caller; /* 0: top level */
    guint32 callee;
    guint64 calls;
} DtCallEdge;
/** Without calls. */
DtStatistics *dt_statistics_new(void);
void dt_statistics_free(DtStatistics *statistics);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtStatistics, dt_statistics_free)
/**
 * Adds all of a trace, by names alone; `events` gets how many it has, entries and returns. `threads`, at least
 * 1, count its parts at the same time; the sums are the same for any number of them. FALSE if it cannot be read at all.
 */
gboolean dt_statistics_add(DtStatistics *statistics, const DtRun *run, const DtTrace *trace, guint threads,
                           guint64 *events, GError **error);
/** How often it was called; 0 of a function that never was. O(1). */
guint64 dt_statistics_calls(const DtStatistics *statistics, guint32 function);
/** By descending calls, then ids; (element-type DtCallEdge); owned by the caller. */
GArray *dt_statistics_edges(const DtStatistics *statistics);

#pragma GCC visibility pop
G_END_DECLS

#endif
