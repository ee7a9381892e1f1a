/** What difftrace tui looks at: a result with its runs, or a run; and what its views have read of it. */
#ifndef DT_COMMANDS_TUI_SUBJECT_H
#define DT_COMMANDS_TUI_SUBJECT_H

#include "checks/checks.h"
#include "commands/runs.h"
#include "commands/tui/caught.h"
#include "commands/tui/model.h"
#include "compare/folding_cache.h"
#include "store/symbols/source_lines.h"

G_BEGIN_DECLS

typedef struct {
    const char *path; /* as it was given */
    DtCliListener listener;
    DtComparison *comparison; /* NULL: it is a run */
    DtRuns *runs;             /* NULL: it is a run, or the result's runs are not there: */
    char *problem;            /* why not */
    DtFunctions *functions;
    DtRun *run;         /* alone */
    GPtrArray *filters; /* (element-type utf8), the first lets the view choose; borrowed, or static */
    DtSourceLines *lines;
    DtCaught *caught; /* messages, while the screen is taken; NULL: they go where they always go */
    /* Read when it is first asked for; by run: the faulty one, the normal one. */
    DtFoldingCache *foldings[2]; /* by arguments */
    DtWaitFor *waits[2];
    DtChecked *checked[2];
} DtTuiSubject;

/** A result or a run, as `rank` and `info` take them. Warnings are told. */
DtTuiSubject *dt_tui_subject_open(const char *path, GError **error);
void dt_tui_subject_free(DtTuiSubject *subject);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTuiSubject, dt_tui_subject_free)
/** What the model asks it; as long as it lives. */
DtTuiSource dt_tui_subject_source(DtTuiSubject *subject);

/* ---- for the views --------------------------------------------------------------------------- */

/** Which of the two things that are kept for each run. */
guint dt_tui_side(const DtTuiSelection *selection);
/** The run that is selected; NULL with an error: it is not there. */
const DtRun *dt_tui_run(const DtTuiSubject *subject, const DtTuiSelection *selection, GError **error);
/** The trace that is selected in that run; NULL with an error. */
const DtTrace *dt_tui_trace(const DtTuiSubject *subject, const DtRun *run, const DtTuiSelection *selection,
                            GError **error);
/** Who waits for whom at the end of that run; NULL with an error. Borrowed. */
const DtWaitFor *dt_tui_waits(DtTuiSubject *subject, const DtTuiSelection *selection, GError **error);
/** The suspect of that label; NULL: it is none, or there are none. */
const DtSuspectRow *dt_tui_suspect(const DtTuiSubject *subject, const char *label);

/** TRUE if the trace is a suspect for its times alone. */
gboolean dt_tui_is_slow(const DtTuiSubject *subject, const char *label);

/** The forms of views with several. */
typedef enum { DT_TUI_SUSPECTS, DT_TUI_ALL_TRACES } DtTuiTracesForm;
typedef enum { DT_TUI_ONE_STACK, DT_TUI_ALL_STACKS } DtTuiStacksForm;
extern const char *const dt_tui_times_forms[];

/** Suspects, or all traces. Likewise below: FALSE with an error, which is then shown. */
gboolean dt_tui_traces_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                            GError **error);
DtTuiPage *dt_tui_traces_detail(DtTuiSubject *subject, const DtTuiSelection *selection, guint width);
gboolean dt_tui_difference_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                                GError **error);
gboolean dt_tui_stacks_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                            GError **error);
gboolean dt_tui_waits_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                           GError **error);
gboolean dt_tui_times_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                           GError **error);
gboolean dt_tui_checks_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                            GError **error);
/** Places in the source that a trace has to do with; below them the lines of the file. */
gboolean dt_tui_source_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                            GError **error);
DtTuiPage *dt_tui_source_detail(const DtTuiPage *places, guint row, guint width, guint lines);
gboolean dt_tui_help_page(DtTuiSubject *subject, const DtTuiSelection *selection, guint width, DtTuiPage *page,
                          GError **error);

G_END_DECLS

#endif
