/** Commands that look at processes that run now instead of a run. */
#ifndef DT_COMMANDS_ATTACHED_H
#define DT_COMMANDS_ATTACHED_H

#include "attach/attach.h"
#include "cli/cli.h"

G_BEGIN_DECLS

/** As they stand on the command line. */
typedef struct {
    char *pids;
    char *job;
} DtAttachedOptions;
void dt_attached_options_clear(DtAttachedOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtAttachedOptions, dt_attached_options_clear)

/** Their entries in a command's table. */
#define DT_ATTACHED_OPTIONS(options) DT_OPTION("pid", STRING, &(options).pids), DT_OPTION("job", STRING, &(options).job)

/** TRUE if they are given. An error if what is given does not go together: `run` is the command's argument, or NULL. */
gboolean dt_cli_is_attached(const DtAttachedOptions *options, const char *run, gboolean *is_attached, GError **error);
/** Looks at the processes that they name, those that are recorded included; what cannot be seen is told.
 * `depths` as of dt_attached_job_new(). */
DtAttachedJob *dt_cli_look(const DtAttachedOptions *options, gboolean depths, DtFunctions *functions, GError **error);

G_END_DECLS

#endif
