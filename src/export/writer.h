/** What the formats share: text on its way out, and traces read event by event. Internal to the exports. */
#ifndef DT_EXPORT_WRITER_H
#define DT_EXPORT_WRITER_H

#include "export/export.h"

G_BEGIN_DECLS

typedef struct {
    GString *text; /* not passed on yet */
    DtExportSink sink;
    gpointer user_data;
    gboolean failed;
} DtExportWriter;
/** Passes the text on if there is much of it, or all if `end`. FALSE once the sink has failed. */
gboolean dt_export_flush(DtExportWriter *writer, gboolean end);

/** A call that was entered or left; `stack` is as it is after an entry, or before a return. */
typedef struct {
    guint64 number; /* of the event in its trace */
    gboolean entry;
    guint32 function;
    const guint32 *frames;
    guint depth;
} DtExportEvent;
typedef gboolean (*DtExportVisit)(const DtExportEvent *event, gpointer user_data);
/** Visits the events of a trace, without returns that have no call; stops, successfully, when `visit` is FALSE. */
gboolean dt_export_walk(const DtRun *run, const DtTrace *trace, DtExportVisit visit, gpointer user_data,
                        GError **error);

/** Name of a function; borrowed. */
static inline const char *dt_export_name(const DtRun *run, guint32 function)
{
    return dt_functions_get(dt_run_functions(run), function)->name;
}

/* A format each: all traces, then the sink has everything. */
gboolean dt_export_chrome(const DtRun *run, const GPtrArray *traces, DtExportWriter *writer, GError **error);
gboolean dt_export_csv(const DtRun *run, const GPtrArray *traces, DtExportWriter *writer, GError **error);
gboolean dt_export_stack_counts(const DtRun *run, const GPtrArray *traces, DtExportWriter *writer, GError **error);
gboolean dt_export_callgrind(const DtRun *run, const GPtrArray *traces, DtExportWriter *writer, GError **error);

G_END_DECLS

#endif
