/** Call stacks of a run as `stack` shows them. What is to be told of damage is told. */
#ifndef DT_COMMANDS_STACK_TEXT_H
#define DT_COMMANDS_STACK_TEXT_H

#include "report/report.h"

G_BEGIN_DECLS

typedef struct {
    guint64 at;              /* behind event number `at`; G_MAXUINT64: at the end */
    DtProjection projection; /* what the frames are */
    gboolean lines;          /* with where functions start */
} DtStackWants;

/** The stack of one trace; NULL with an error. g_free(). */
char *dt_stack_text(const DtRun *run, const DtTrace *trace, const DtStackWants *wants, DtReportFormat format,
                    GError **error);
/** Those of all traces, merged where they are the same. */
char *dt_stacks_text(const DtRun *run, const DtStackWants *wants, DtReportFormat format, GError **error);

G_END_DECLS

#endif
