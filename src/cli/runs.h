/** The runs of a comparison and the traces that both have. */
#ifndef DT_CLI_RUNS_H
#define DT_CLI_RUNS_H

#include "report/report.h"

G_BEGIN_DECLS

/** What a call is known by. */
typedef enum { DT_NAMES_ALONE, DT_NAMES_WITH_ARGUMENTS } DtNaming;

typedef struct {
    DtFunctions *functions;
    GPtrArray *normals;  /* (element-type DtRun) the normal run, then the baselines; empty: faulty alone */
    const DtRun *normal; /* the first of them, or NULL */
    DtRun *faulty;
    /*
     * Traces in both runs, in the order of the faulty one; alone, all of its traces.
     * Threads that MPI's and the system's libraries made are in no matrix: what
     * they do differs from run to run.
     */
    guint common;
    const char **labels;                  /* borrowed from the faulty run */
    guint *normal_index, *faulty_index;   /* in either run */
    GStrv only_in_normal, only_in_faulty; /* labels, of library threads too */
} DtRuns;

/**
 * Opens the runs (`normal` may be NULL, `baselines` too) and pairs their traces.
 * Two runs without a common trace are an error. Damage is told on stderr.
 */
DtRuns *dt_runs_open(const char *normal, const char *const *baselines, const char *faulty, DtNaming naming,
                     GError **error);
void dt_runs_free(DtRuns *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRuns, dt_runs_free)

/** Opens one run for a command that shows it; damage is told on stderr. */
DtRun *dt_cli_open_run(const char *path, DtFunctions *functions, DtNaming naming, GError **error);
/** Adds to the error that there is nothing at `path` which run beside it may have been meant. */
void dt_cli_suggest_run(const char *path, GError *error);

/** The traces that the labels name, or all of the run; (element-type DtTrace), borrowed elements. */
GPtrArray *dt_cli_find_traces(const DtRun *run, const char *const *labels, GError **error);
/** One trace by label; an unknown one is an error that names those there are. */
const DtTrace *dt_cli_find_trace(const DtRun *run, const char *label, GError **error);

/** FALSE and an error if `path`, or `path.old` which may have to go, is or holds one of the runs' directories. */
gboolean dt_runs_check_output(const DtRuns *runs, const char *path, GError **error);

G_END_DECLS

#endif
