/** What passed between the calls of a skeleton: times of a run, put to its nodes. */
#ifndef DT_TIMES_SKELETON_TIMES_H
#define DT_TIMES_SKELETON_TIMES_H

#include "skeleton/skeleton.h"

G_BEGIN_DECLS

/**
 * Gives the calls of a run's skeleton their times (skeleton/node_times.h): of each call, from the end of the one that
 * its rank made before, or from the trace's begin, to its own; without what the tracer took for its own work.
 * A call that has no times (MPI_Wtime, a poll that found nothing) counts as 0, and what passed before it with the next
 * one that has: sums stay right. With `processor_times` it is what the thread used of the processor there, as far as
 * readings of its clock tell: between two of them calls and what passed between them are taken to have lost the same
 * share of their time to others. What others who had the processor took is left out, but so is sleeping.
 *
 * `skeleton` is dt_skeleton_of_run() of that run, made with these options. Ranks whose means are within a tenth of each
 * other have one time, and so have visits; what is less than a 200th of the run is not told apart. At most 8 times a
 * pair of calls, each of at most 16 parts. Traces without times give none. FALSE and an error of the store if a trace
 * cannot be read. O(events + calls), 8 bytes of memory a call.
 */
gboolean dt_skeleton_add_times(DtSkeleton *skeleton, const DtRun *run, const DtSkeletonOptions *options,
                               GError **error);

G_END_DECLS

#endif
