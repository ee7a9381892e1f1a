/** The runs of a comparison and the traces that both have. */
#ifndef DT_COMPARE_RUNS_H
#define DT_COMPARE_RUNS_H

#include "compare/compare.h"

G_BEGIN_DECLS

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
    const DtCompareListener *listener;    /* or NULL */
} DtRuns;

/**
 * Opens the runs (`normal` may be NULL, `baselines` too) and pairs their traces. Two runs without a common trace are an
 * error. `listener` (may be NULL) hears of damage, and of all that follows; it must outlive the runs.
 */
DtRuns *dt_runs_open(const char *normal, const char *const *baselines, const char *faulty,
                     const DtCompareListener *listener, GError **error);
void dt_runs_free(DtRuns *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRuns, dt_runs_free)

/** What is to be told of a run that has been opened: damage, traces that begin late; (element-type utf8), owned. */
GPtrArray *dt_run_warnings(const DtRun *run);

/** Its traces in short, for messages; g_free(). */
char *dt_run_trace_list(const DtRun *run);

/** FALSE and an error if `path`, or `path.old` which may have to go, is or holds one of the runs' directories. */
gboolean dt_runs_check_output(const DtRuns *runs, const char *path, GError **error);

/** Tells the listener, if there is one: a line with its string arguments made safe (dt_text_printf()). */
void dt_compare_warn(const DtCompareListener *listener, const char *format, ...) G_GNUC_PRINTF(2, 3);
void dt_compare_progress(const DtCompareListener *listener, const char *work, guint64 done, guint64 all);

G_END_DECLS

#endif
