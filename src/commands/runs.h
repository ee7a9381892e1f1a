/** Opening runs for commands: what they warn of goes to stderr, and a path that leads nowhere has a suggestion. */
#ifndef DT_COMMANDS_RUNS_H
#define DT_COMMANDS_RUNS_H

#include "cli/progress.h"
#include "compare/runs.h"
#include "result/result.h"

G_BEGIN_DECLS

/** Tells warnings on stderr, and progress on a terminal. All zero before a function below is given it; has to outlive
 * what that function opens. */
typedef struct {
    DtCompareListener told;
    DtProgress *progress; /* of the work that goes on; or NULL */
} DtCliListener;
void dt_cli_listener_clear(DtCliListener *listener);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtCliListener, dt_cli_listener_clear)

/** Opens one run for a command that shows it; damage is told on stderr. */
DtRun *dt_cli_open_run(const char *path, DtFunctions *functions, GError **error);
/** dt_runs_open() */
DtRuns *dt_cli_open_runs(const char *normal, const char *const *baselines, const char *faulty, DtCliListener *listener,
                         GError **error);
/** dt_result_open() */
DtResult *dt_cli_open_result(const char *directory, DtCliListener *listener, GError **error);
/** Adds to the error that there is nothing at `path` which run beside it may have been meant. */
void dt_cli_suggest_run(const char *path, GError *error);

/** Says why answers will be empty if the run has no call at all; dt_cli_open_run() does. */
void dt_cli_note_no_calls(const DtRun *run);
/** Says why an answer is empty: the filter. Nothing if the run has no call at all.
 */
void dt_cli_note_nothing_kept(const DtRun *run, const char *filter);
/** Warns if arguments were asked for and the run has none. */
void dt_cli_warn_of_no_arguments(const DtRun *run, const char *therefore);

/** The traces that the labels name, or all of the run; (element-type DtTrace), borrowed elements. */
GPtrArray *dt_cli_find_traces(const DtRun *run, const char *const *labels, GError **error);
/** One trace by label; an unknown one is an error that names those there are. */
const DtTrace *dt_cli_find_trace(const DtRun *run, const char *label, GError **error);

G_END_DECLS

#endif
