/** The final stacks of a run's traces. */
#ifndef DT_CLI_STACKS_H
#define DT_CLI_STACKS_H

#include "cli/runs.h"

G_BEGIN_DECLS

/** The stack after event number `at`, and how much of it never returned. */
typedef struct {
    guint64 at, seen;        /* at: G_MAXUINT64 for the end of the trace; seen: the event that it is the stack of */
    GArray *frames;          /* outermost first (element-type guint32) */
    guint never_returned;    /* so many outermost frames were never left afterwards */
    gboolean frames_suffice; /* that is not asked for */
    gboolean quiet;          /* no word on damage */
} DtSnapshot;

/**
 * Costs one segment of the trace; what never returned, two, and of a trace that ended inside calls all that follows.
 * Damage is told on stderr, and that events before `seen` are lost, too.
 */
gboolean dt_snapshot_read(DtSnapshot *snapshot, const DtRun *run, const DtTrace *trace, GError **error);

/**
 * The stacks of all traces after event number `at`, or at their ends, if these come first; without idle threads of
 * libraries. `quiet`: what cannot be read is left out without a word.
 */
DtStackTree *dt_stacks_at(const DtRun *run, guint64 at, gboolean quiet, GError **error);

/** Events of each trace of the run, g_free(). Decodes only where words are not events. */
guint64 *dt_count_events(const DtRun *run);

G_END_DECLS

#endif
