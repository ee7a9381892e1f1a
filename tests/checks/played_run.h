/** Runs as small programs would have left them, from a text: a line a call. */
#ifndef DT_TESTS_CHECKS_PLAYED_RUN_H
#define DT_TESTS_CHECKS_PLAYED_RUN_H

#include "store/store.h"

G_BEGIN_DECLS

/**
 * Each line is RANK[.THREAD] FUNCTION ARGUMENT...; the first thread of each rank enters MPI_Init before and
 * MPI_Finalize behind its lines. Arguments stand in the order of signatures:
 *
 *     comm=0 window=0 file=0   numbers; communicator 0 has all ranks
 *     to=1 from=any at=0       ranks, "any", "null", "bad"
 *     tag=5 root=0 op=3 live=0 level=3 assert=16 lock=1 condition=2 size=8 unit=4 displacement=1 mode=9 offset=0
 * whence=0 kind=1 rank=0 element=4         likewise; a kind of lock, a leader, bytes of an element counts=1;2
 * neighbours=-1;1 dimensions=2;2 group=0;1 ranks=0;1, "none" for an empty array live=0,1                 several of the
 * live requests completed=1              of which only this one has completed time=100,200             entered and left
 * then, ns data=4x4:8 other=2x4     count, size in bytes, number of the predefined datatype failed=6                 it
 * returns an error of this class got=1,5                  a receive from anybody got this source and tag opens it never
 * returns: the last line of its thread
 *
 * "RANK < NAME" enters a function of the program, "RANK >" leaves it. "RANK ends" is of a rank that does not come to
 * MPI_Finalize, "RANK starts" of one that calls no MPI_Init.
 */
typedef struct DtPlayedRun DtPlayedRun;
DtPlayedRun *dt_played_run_new(const char *text);
DtRun *dt_played_run_get(DtPlayedRun *played);
/** Removes the run, too. */
void dt_played_run_free(DtPlayedRun *played);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPlayedRun, dt_played_run_free)

G_END_DECLS

#endif
