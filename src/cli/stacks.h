/** The final stacks of a run's traces. */
#ifndef DT_CLI_STACKS_H
#define DT_CLI_STACKS_H

#include "cli/runs.h"

G_BEGIN_DECLS

/** The stack after `at` events, and how much of it never returned. */
typedef struct {
    guint64 at, seen;     /* at: G_MAXUINT64 for the end of the trace */
    GArray *frames;       /* at the event, outermost first (element-type guint32) */
    guint never_returned; /* so many outermost frames were never left afterwards */
    gboolean quiet;       /* no word on damage */
} DtSnapshot;

/** Reads the trace to its end: only there it is known what never returned. Damage is told on stderr. */
gboolean dt_snapshot_read(DtSnapshot *snapshot, const DtRun *run, const DtTrace *trace, GError **error);

/** All final stacks, without idle threads of libraries. `quiet`: what cannot be read is left out without a word. */
DtStackTree *dt_final_stacks(const DtRun *run, gboolean quiet, GError **error);

/** Events of each trace of the run, g_free(). Decodes only where words are not events. */
guint64 *dt_count_events(const DtRun *run);

G_END_DECLS

#endif
