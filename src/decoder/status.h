/**
 * How processes and threads of a run ended, in one vocabulary for all that tell of it. docs/algorithms/waitfor.md
 */
#ifndef DT_DECODER_STATUS_H
#define DT_DECODER_STATUS_H

#include "decoder/decoder.h"

G_BEGIN_DECLS

/** TRUE for a signal that a program brings upon itself: SIGSEGV, SIGABRT, SIGFPE... */
gboolean dt_is_own_signal(gint signal_number);

/** How a process ended. */
typedef struct {
    DtStatus status;
    gboolean left_others; /* it ended by itself, or something killed it, while the others of its job went on */
    gboolean cut_short;   /* it was ended because another one had: nobody knows whether it would have got on */
    char *text;           /* "aborted in MPI_Send with status 6 (MPI_ERR_RANK)"; never NULL */
} DtProcessStatus;

/**
 * By the process's index in the run. `open` has for each trace the calls that never returned, outermost first
 * (element-type guint32), or NULL; `moved` which of them moved: dt_moved_traces().
 */
DtProcessStatus *dt_process_statuses(const DtRun *run, const GArray *const *open, const gboolean *moved);
void dt_process_statuses_free(DtProcessStatus *statuses, const DtRun *run);

/**
 * The status by which the launcher says that one of its processes failed, if that may be one whose end nobody saw; else
 * 0. With MPICH, whose launcher ends the ranks when a call of one fails, it is the class of that error.
 */
gint dt_status_of_unseen(const DtRun *run);

/**
 * By trace, TRUE for those that were still getting on when the time limit ended them: they recorded something between
 * the collector's looks, and it was not only asking whether something has happened. Where nobody looked all are FALSE.
 * Reads what was recorded between the looks; g_free().
 */
gboolean *dt_moved_traces(const DtRun *run);

/** TRUE if a time limit ended the job while most of its processes still moved. */
gboolean dt_run_was_cut_off(const DtRun *run);

G_END_DECLS

#endif
