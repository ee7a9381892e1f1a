/**
 * Exports: a run in the formats of other tools, written as it is read.
 *
 *     chrome       trace events in JSON for Perfetto and chrome://tracing
 *     folded       "main;solve;MPI_Send 16": calls by stack, for flame graphs; below 256 frames as "(deeper)"
 *     folded-time  the same with the microseconds that were spent in the stack and nothing deeper
 *     difffolded   "main;solve;MPI_Send 16 12": calls by stack in two runs, for differential flame graphs
 *     difffolded-time  the same with microseconds
 *     perfetto     Perfetto's own trace of one run or two, with an arrow for each message and wake-up
 *     callgrind    calls and what happens inside them, for KCachegrind and callgrind_annotate; nanoseconds, too
 *     csv          an event a line, with seconds
 *     otf2         an archive for Vampir, Scalasca and other tools that read what Score-P writes
 *
 * Times are there if all traces have them (`collect --times`), and are those of times/attribution.h; of a run without,
 * the time of an event in chrome is its number in its trace, in microseconds: an order, no clock. Calls that never
 * returned stay open where the format can say so.
 */
#ifndef DIFFTRACE_EXPORT_H
#define DIFFTRACE_EXPORT_H

#include "filters.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_EXPORT_ERROR (dt_export_error_quark())
typedef enum {
    DT_EXPORT_ERROR_FORMAT,
    DT_EXPORT_ERROR_WRITE,
    DT_EXPORT_ERROR_NO_TIMES,
    DT_EXPORT_ERROR_RUNS, /* the format needs one run, or two */
    DT_EXPORT_ERROR_SERVE /* a file cannot be handed to a page */
} DtExportError;
GQuark dt_export_error_quark(void);

typedef enum {
    DT_EXPORT_CHROME,
    DT_EXPORT_STACK_COUNTS,
    DT_EXPORT_STACK_TIMES,
    DT_EXPORT_CALLGRIND,
    DT_EXPORT_CSV,
    DT_EXPORT_DIFFERENT_COUNTS,
    DT_EXPORT_DIFFERENT_TIMES,
    DT_EXPORT_PERFETTO
} DtExportFormat;
/** By name, whatever the case; else DT_EXPORT_ERROR_FORMAT, with those that there are, and *format stays. */
gboolean dt_export_format_parse(const char *text, DtExportFormat *format, GError **error);

/** Takes the next part of the text; FALSE if it cannot be written. */
typedef gboolean (*DtExportSink)(const char *text, gsize bytes, gpointer user_data);

/** What is exported. */
typedef struct {
    const DtRun *run;
    const GPtrArray *traces; /* (element-type DtTrace) of the run */
    DtExportFormat format;
    const DtFilterSet *set; /* whose calls alone are there; NULL: all */
    gdouble from, to;   /* seconds since the first of the traces began; calls that are open at `from` begin then, and
                           those at `to` return. 0, 0: all */
    const DtRun *other; /* the run to compare with, opened with the same DtFunctions; NULL: one run alone */
    const GPtrArray *other_traces; /* (element-type DtTrace) of it */
} DtExportWants;

/**
 * Memory: chrome and csv none that grows with the run; folded and difffolded by different stacks, callgrind by
 * caller-callee pairs, perfetto of runs with arguments by calls of MPI and OpenMP, by wake-ups, and the notes of a
 * trace.
 * FALSE once the sink has said so (DT_EXPORT_ERROR_WRITE), if a trace cannot be read (an error of the store): the text
 * is not complete then; or if the format or `from` and `to` need times and a trace has none (DT_EXPORT_ERROR_NO_TIMES),
 * or there is one run too few or too many (DT_EXPORT_ERROR_RUNS).
 */
gboolean dt_export(const DtExportWants *wants, DtExportSink sink, gpointer user_data, GError **error);

/**
 * The same as an archive of OTF2's, `folder`/traces.otf2; the format of `wants` does not matter, and it is of one run.
 * Messages of calls that began before `from` are not told. `folder` is not there, or empty. Memory: by functions,
 * signatures, requests that are open at a time and notes of a trace. FALSE with an error of OTF2's as well: what is
 * missing, or could not be written.
 */
gboolean dt_export_otf2(const DtExportWants *wants, const char *folder, GError **error);

#pragma GCC visibility pop
G_END_DECLS

#endif
