/** Commands that look at processes that run now instead of a run. */
#ifndef DT_COMMANDS_LIVE_H
#define DT_COMMANDS_LIVE_H

#include "attach/attach.h"
#include "cli/cli.h"

G_BEGIN_DECLS

/** As they stand on the command line. */
typedef struct {
    char *pids;
    char *job;
} DtLiveOptions;
void dt_live_options_clear(DtLiveOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtLiveOptions, dt_live_options_clear)

/** Their entries in a command's table. */
#define DT_LIVE_OPTIONS(options) DT_OPTION("pid", STRING, &(options).pids), DT_OPTION("job", STRING, &(options).job)

/** TRUE if they are given. An error if what is given does not go together: `run` is the command's argument, or NULL. */
gboolean dt_cli_is_live(const DtLiveOptions *options, const char *run, gboolean *is_live, GError **error);
/** Looks at the processes that they name, those that are recorded included; what cannot be seen is told.
 * `depths` as of dt_live_job_new(). */
DtLiveJob *dt_cli_look(const DtLiveOptions *options, gboolean depths, DtFunctions *functions, GError **error);

G_END_DECLS

#endif
