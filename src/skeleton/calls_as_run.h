/** Calls that were not recorded, or not all that was, as a run: what is predicted can be compared like any run. */
#ifndef DT_SKELETON_CALLS_AS_RUN_H
#define DT_SKELETON_CALLS_AS_RUN_H

#include "skeleton/recorded_calls.h"

G_BEGIN_DECLS

/** Fields of functions that a run is to say nothing of. */
typedef struct DtUntoldFields DtUntoldFields;
/** None. */
DtUntoldFields *dt_untold_fields_new(void);
void dt_untold_fields_free(DtUntoldFields *untold);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtUntoldFields, dt_untold_fields_free)
/** Also that field (of DtField) of that function; of data the size goes with the count. */
void dt_untold_fields_add(DtUntoldFields *untold, const char *function, guint kind);

/** What a run of calls is. */
typedef struct {
    const char *path;             /* a directory that is not there yet, or holds no run */
    const char *engine;           /* of the manifest: what made it */
    const DtRun *like;            /* ranks and the job end as in that run; NULL: all ranks come to their ends */
    const DtUntoldFields *untold; /* what is unknown of arguments, and left out of outcomes; NULL: nothing */
} DtCallsRun;

/**
 * Writes the calls, whose peers are distances, and their outcomes as a run: of each rank a process with its threads,
 * and no other function. `skeleton` has their functions, atoms, communicators and ranks. What an MPI_Irecv from anybody
 * got is left out; so are times, and where calls come from. Errors are the writer's. O(calls).
 */
gboolean dt_calls_write_run(const DtRecordedCalls *calls, const DtSkeleton *skeleton, const DtCallsRun *what,
                            GError **error);

G_END_DECLS

#endif
