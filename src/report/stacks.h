/** The final stacks of a run's traces. */
#ifndef DT_REPORT_STACKS_H
#define DT_REPORT_STACKS_H

#include "report/report.h"

G_BEGIN_DECLS

/** The stack after event number `at`, and how much of it never returned. */
typedef struct {
    guint64 at, seen;        /* at: G_MAXUINT64 for the end of the trace; seen: the event that it is the stack of */
    DtProjection projection; /* what the frames are */
    GArray *frames;          /* outermost first (element-type guint32) */
    guint never_returned;    /* so many outermost frames were never left afterwards */
    gboolean frames_suffice; /* that is not asked for */
    GPtrArray *warnings;     /* what there is to be told of damage is added (element-type utf8); NULL: nothing */
} DtSnapshot;

/**
 * Costs one segment of the trace; what never returned, two, and of a trace that ended inside calls all that follows.
 * A warning also says that events before `seen` are lost.
 */
gboolean dt_snapshot_read(DtSnapshot *snapshot, const DtRun *run, const DtTrace *trace, GError **error);

/**
 * The stacks of all traces after event number `at`, or at their ends, if these come first; without idle threads of
 * libraries. `lines`: with where their functions start. `warnings` as above.
 */
DtStackTree *dt_stacks_at(const DtRun *run, guint64 at, DtProjection projection, gboolean lines, GPtrArray *warnings,
                          GError **error);

/** The calls open at the end of a trace, outermost first; FALSE: not known, the trace has to be read. */
typedef gboolean (*DtKnownStack)(const DtTrace *trace, GArray *frames, gpointer user_data);
/** The stacks at the ends; what cannot be read is left out without a word. */
DtStackTree *dt_final_stacks(const DtRun *run, DtKnownStack known, gpointer user_data);

/** The events of a trace; FALSE: not known. */
typedef gboolean (*DtKnownEvents)(const DtTrace *trace, guint64 *events, gpointer user_data);
/** Events of each trace of the run, g_free(). Decodes only where words are not events and `known` (or NULL) fails. */
guint64 *dt_count_events(const DtRun *run, DtKnownEvents known, gpointer user_data);

G_END_DECLS

#endif
