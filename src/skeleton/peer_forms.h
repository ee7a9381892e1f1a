/** In which form peers are told, so that ranks are as much alike as they can be. */
#ifndef DT_SKELETON_PEER_FORMS_H
#define DT_SKELETON_PEER_FORMS_H

#include "skeleton/recorded_calls.h"

G_BEGIN_DECLS

/**
 * Rewrites the peers of all sequences. Calls of one function, communicator and tag have one form: that in which the
 * ranks' rows of peers take least, of equal ones the first of steps in the mesh, distance, rank, bits. Before that
 * peers that are the source of the latest receive from anybody become `last` where that is what a rank does.
 *
 * The mesh is that of the options; or that of the recorded MPI_Cart_create with the most axes; or the factorisation of
 * the number of ranks by which rows take less than 3/4 of what they take without. It goes to the skeleton. O(calls *
 * factorisations).
 */
void dt_peers_choose_forms(DtSkeleton *skeleton, DtRecordedCalls *calls, const DtSkeletonOptions *options);

G_END_DECLS

#endif
