/** What the formats share: text on its way out, and traces read event by event. Internal to the exports. */
#ifndef DT_EXPORT_WRITER_H
#define DT_EXPORT_WRITER_H

#include "export/export.h"

G_BEGIN_DECLS

typedef struct DtExportWriter {
    const DtExportWants *wants;
    struct DtExportWriter *other;      /* of the other run, without a text of its own; NULL: there is one run */
    gboolean timed;                    /* events have times */
    gint64 start_ns;                   /* when the first trace began, by the wall clock of its host */
    const struct DtExportOrder *order; /* of runs without times: what numbers of events have become; NULL: they stay */
    GString *text;                     /* not passed on yet */
    DtExportSink sink;
    gpointer user_data;
    gboolean failed;
} DtExportWriter;
/** Passes the text on if there is much of it, or all if `end`. FALSE once the sink has failed. */
gboolean dt_export_flush(DtExportWriter *writer, gboolean end);

/** A kept call that was entered or left; `frames` are those that are kept, after an entry, or before a return. */
typedef struct {
    guint64 number;           /* of the event in its trace */
    guint64 before, position; /* of the trace's last event before it, and its own, as dt_reader_next_at() gives it; both
                                 0: nothing happened here, it is where what is exported begins or ends */
    gint64 ns;     /* since the first trace began; where there are no times the number as the order has it, else 0 */
    gint64 own_ns; /* the same by a clock that stands while the tracer is at work in the trace */
    gboolean entry;
    guint32 function;
    const guint32 *frames;
    guint depth;
    guint call; /* its number among the trace's calls of MPI and OpenMP, from 0; DT_EXPORT_NO_CALL: it is none */
} DtExportEvent;
#define DT_EXPORT_NO_CALL G_MAXUINT
/** When calls that are still open were last seen to go on; both as DtExportEvent. */
typedef struct {
    gint64 ns, own_ns;
} DtExportEnd;
typedef gboolean (*DtExportVisit)(const DtExportEvent *event, gpointer user_data);
/** Visits the events of a trace, without returns that have no call; stops, successfully, when `visit` is FALSE.
 * `last` may be NULL. */
gboolean dt_export_walk(const DtExportWriter *writer, const DtTrace *trace, DtExportVisit visit, gpointer user_data,
                        DtExportEnd *last, GError **error);

/** What the second run's times are to be moved by, so that both are at the same time where they first part: where in
 * any trace that both have the events that are kept are not the same. 0: they do not part. Nanoseconds, or in
 * runs without times numbers of events, moved by the order. O(events). */
gboolean dt_export_find_shift(const DtExportWriter *writer, gint64 *shift, GError **error);

/** Name of a function; borrowed. */
static inline const char *dt_export_name(const DtRun *run, guint32 function)
{
    return dt_functions_get(dt_run_functions(run), function)->name;
}

/* A format each: all traces, then the sink has everything. */
gboolean dt_export_chrome(DtExportWriter *writer, GError **error);
gboolean dt_export_csv(DtExportWriter *writer, GError **error);
gboolean dt_export_stack_counts(DtExportWriter *writer, GError **error);
gboolean dt_export_callgrind(DtExportWriter *writer, GError **error);
gboolean dt_export_perfetto(DtExportWriter *writer, GError **error);
/** Not a text: the archive `folder`/traces.otf2. */
gboolean dt_export_otf2_archive(DtExportWriter *writer, const char *folder, GError **error);

G_END_DECLS

#endif
