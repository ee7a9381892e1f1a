/** Runs of MPI programs with the times that a test gives, by the writer. */
#ifndef DT_TESTS_TIMED_RUN_H
#define DT_TESTS_TIMED_RUN_H

#include "store/store.h"
#include "writer/writer.h"

typedef struct TimedRun TimedRun;

/** `hosts`: names by rank, or NULL: one for all. A host's monotonic clock and its wall clock are the same. */
TimedRun *timed_run_new(guint ranks, const char *const *hosts);
/** The same in this folder, which timed_run_free() leaves. */
TimedRun *timed_run_new_at(const char *path, guint ranks, const char *const *hosts);
/** A communicator of some ranks, ascending, or, if `remote` is above 0, an intercommunicator of the first and the last
 * `remote` of them: its number. */
guint timed_run_communicator(TimedRun *run, const gint32 *members, guint size, guint remote);

/** From now on the rank's clock is so far ahead, and gains so much in a second (from the moment `from` on). */
void timed_run_clock(TimedRun *run, guint rank, gint64 ahead, gdouble drift, gint64 from);

/** A call with these arguments; times in nanoseconds. */
void timed_call(TimedRun *run, guint rank, const char *function, const gint64 *arguments, guint count, gint64 begin,
                gint64 end);
/** A call that never returns. */
void timed_open_call(TimedRun *run, guint rank, const char *function, gint64 begin);
/** Of communicator 0, all ranks; `bytes` are what is sent. */
void timed_send(TimedRun *run, guint rank, const char *function, guint to, gint64 tag, gint64 bytes, gint64 begin,
                gint64 end);
void timed_receive(TimedRun *run, guint rank, const char *function, guint from, gint64 tag, gint64 begin, gint64 end);
/** MPI_Recv of any source and tag that got this. */
void timed_receive_any(TimedRun *run, guint rank, guint from, gint64 tag, gint64 begin, gint64 end);
/** The same with a request, MPI_Irecv; what it got is told with timed_wait_any(). */
guint timed_post_any(TimedRun *run, guint rank, gint64 begin, gint64 end);
void timed_wait_any(TimedRun *run, guint rank, guint request, guint from, gint64 tag, gint64 begin, gint64 end);
/** Root -1: it has none. */
void timed_collective(TimedRun *run, guint rank, const char *function, guint communicator, gint root, gint64 begin,
                      gint64 end);
/** Makes the last call's request known: its number. */
guint timed_request(TimedRun *run, guint rank, gboolean persistent);
/** MPI_Wait, MPI_Waitall, MPI_Start, MPI_Startall, MPI_Request_free. */
void timed_requests(TimedRun *run, guint rank, const char *function, const guint *requests, guint count, gint64 begin,
                    gint64 end);
/** A function of the program is entered, or left again. */
void timed_enter(TimedRun *run, guint rank, const char *function);
void timed_leave(TimedRun *run, guint rank);

/** What the rank had used of the processor then. */
void timed_processor(TimedRun *run, guint rank, gint64 at, gint64 used);

/** Ends it and reads it again; the run is removed with timed_run_free(). */
DtRun *timed_run_open(TimedRun *run);
void timed_run_free(TimedRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TimedRun, timed_run_free)

#endif
