/* Each rule by a small program that breaks it and by one that does the same right. */
#include "checks/checks.h"
#include "played_run.h"

/* "rule" of errors, "~rule" of warnings, in the order in which they are told. */
static const struct {
    const char *name, *text, *found;
} cases[] = {
    {"a call before MPI_Init", "0 starts\n0 MPI_Barrier comm=0\n0 MPI_Init\n0 MPI_Finalize\n", "before-init"},
    {"what may be called before", "0 starts\n0 MPI_Initialized\n0 MPI_Init\n0 MPI_Finalize\n", ""},
    {"a call after MPI_Finalize", "0 starts\n0 MPI_Init\n0 MPI_Finalize\n0 MPI_Barrier comm=0\n", "after-finalize"},
    {"twice", "0 MPI_Init\n", "init-twice"},
    {"no MPI_Finalize", "0 ends\n1 MPI_Initialized\n", "no-finalize"},
    {"another thread finalizes", "0 ends\n0.1 MPI_Finalize\n", "no-finalize finalize-thread thread-main"},

    {"an error is returned", "0 MPI_Type_contiguous failed=2\n", "invalid-count"},
    {"an error of no other rule", "0 MPI_Dims_create failed=12\n", "failed-call"},
    {"a window that MPI cannot make", "0 MPI_Win_create comm=0 failed=53\n", "~failed-call"},
    {"a window that there is not",
     "0 MPI_Win_create comm=0\n0 MPI_Win_fence window=0 assert=0 failed=53\n0 MPI_Win_free window=0\n",
     "invalid-handle"},
    {"an error of the world around", "0 MPI_File_delete failed=42\n", "~failed-call"},

    {"a rank that there is not", "0 MPI_Send comm=0 to=bad tag=1 data=1x4 failed=6\n1 MPI_Initialized\n",
     "invalid-rank"},
    {"nobody is no error", "0 MPI_Send comm=0 to=null tag=1 data=1x4\n", ""},
    {"a root that there is not", "0 MPI_Bcast comm=0 root=7 data=1x4\n", "invalid-root"},
    {"a negative count", "0 MPI_Send comm=0 to=null tag=1 data=-3x4\n", "invalid-count"},
    {"a negative tag", "0 MPI_Recv comm=0 from=any tag=-4 data=1x4 failed=4\n", "invalid-tag"},
    {"any tag is sent", "0 MPI_Send comm=0 to=0 tag=any data=1x4 failed=4\n", "invalid-tag"},
    {"a communicator that is freed", "0 MPI_Barrier comm=bad failed=5\n", "invalid-handle"},

    {"an operation of bits on floats", "0 MPI_Allreduce comm=0 data=1x4:15 op=8\n", "operation-type"},
    {"an operation of bits on bytes", "0 MPI_Allreduce comm=0 data=1x1:4 op=8\n", ""},
    {"a place in no pair", "0 MPI_Reduce comm=0 data=1x8:16 op=12 root=0\n", "operation-type"},
    {"a place in a pair", "0 MPI_Reduce comm=0 data=1x16:36 op=12 root=0\n", ""},

    {"other collective calls", "0 MPI_Barrier comm=0\n1 MPI_Allreduce comm=0 data=1x4 op=3\n", "collective-order"},
    {"one of three is different",
     "0 MPI_Barrier comm=0\n1 MPI_Barrier comm=0\n2 MPI_Ibarrier comm=0\n2 MPI_Wait live=0\n", "collective-order"},
    {"other roots", "0 MPI_Bcast comm=0 root=0 data=1x4\n1 MPI_Bcast comm=0 root=1 data=1x4\n", "collective-root"},
    {"other operations", "0 MPI_Allreduce comm=0 data=1x4 op=1\n1 MPI_Allreduce comm=0 data=1x4 op=3\n",
     "collective-operation"},
    {"other sizes", "0 MPI_Bcast comm=0 root=0 data=2x4\n1 MPI_Bcast comm=0 root=0 data=1x4\n", "collective-size"},
    {"the root expects more", "0 MPI_Gather comm=0 other=2x4 root=0 data=1x4\n1 MPI_Gather comm=0 root=0 data=1x4\n",
     "collective-size"},
    {"as much in another form", "0 MPI_Gather comm=0 other=1x8 root=0 data=2x4\n1 MPI_Gather comm=0 root=0 data=2x4\n",
     ""},
    {"other datatypes", "0 MPI_Bcast comm=0 root=0 data=2x4:8\n1 MPI_Bcast comm=0 root=0 data=2x4:15\n",
     "collective-type"},
    {"signed and unsigned", "0 MPI_Bcast comm=0 root=0 data=2x4:8\n1 MPI_Bcast comm=0 root=0 data=2x4:9\n",
     "~collective-type"},
    {"more to one than it expects",
     "0 MPI_Alltoallv comm=0 counts=1;2 element=4 counts=1;1 element=4\n"
     "1 MPI_Alltoallv comm=0 counts=1;1 element=4 counts=3;1 element=4\n",
     "collective-size"},
    {"to each as it expects",
     "0 MPI_Alltoallv comm=0 counts=1;2 element=4 counts=1;1 element=4\n"
     "1 MPI_Alltoallv comm=0 counts=1;1 element=4 counts=1;1 element=8\n",
     ""},
    {"less than the root gathers",
     "0 MPI_Gatherv comm=0 data=1x4 counts=1;2 element=4 root=0\n1 MPI_Gatherv comm=0 data=1x4 root=0\n",
     "collective-size"},
    {"other dimensions", "0 MPI_Cart_create comm=0 dimensions=2;1\n1 MPI_Cart_create comm=0 dimensions=1;2\n",
     "collective-argument"},
    {"other modes",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_close file=0\n1 MPI_File_open comm=0 mode=5\n1 MPI_File_close file=0\n",
     "collective-argument"},
    {"a source that does not know it",
     "0 MPI_Dist_graph_create_adjacent comm=0 neighbours=1 neighbours=1\n"
     "1 MPI_Dist_graph_create_adjacent comm=0 neighbours=1;1 neighbours=1\n",
     "graph-neighbours"},
    {"neighbours of each other",
     "0 MPI_Dist_graph_create_adjacent comm=0 neighbours=1 neighbours=1\n"
     "1 MPI_Dist_graph_create_adjacent comm=0 neighbours=1 neighbours=1\n",
     ""},
    {"other groups",
     "0 MPI_Comm_create comm=0 group=0;1\n1 MPI_Comm_create comm=0 group=1;2\n2 MPI_Comm_create comm=0 group=1;2\n",
     "collective-group"},
    {"two groups",
     "0 MPI_Comm_create comm=0 group=0\n1 MPI_Comm_create comm=0 group=1;2\n2 MPI_Comm_create comm=0 group=1;2\n", ""},
    {"a group for one of two", "0 MPI_Comm_create comm=0 group=0\n1 MPI_Comm_create comm=0 group=none\n", ""},
    {"a member closes the file instead",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_write_all file=0 data=1x4\n0 MPI_File_close file=0\n"
     "1 MPI_File_open comm=0 mode=9\n1 MPI_File_close file=0\n",
     "collective-order"},
    {"a member does not come", "0 MPI_Barrier comm=0\n0 MPI_Barrier comm=0\n1 MPI_Barrier comm=0\n",
     "collective-missing"},
    {"equal calls", "0 MPI_Barrier comm=0\n1 MPI_Barrier comm=0\n", ""},
    {"each on its own", "0 MPI_Barrier comm=1\n1 MPI_Initialized\n", ""},

    {"too long", "0 MPI_Send comm=0 to=1 tag=1 data=2x4\n1 MPI_Recv comm=0 from=0 tag=1 data=1x4\n",
     "message-truncated"},
    {"the second one is too long",
     "0 MPI_Send comm=0 to=1 tag=1 data=1x4\n0 MPI_Send comm=0 to=1 tag=1 data=2x4\n"
     "1 MPI_Recv comm=0 from=0 tag=1 data=1x4\n1 MPI_Recv comm=0 from=any tag=any data=1x4 got=0,1\n",
     "message-truncated"},
    {"what anybody sent is not known",
     "0 MPI_Send comm=0 to=1 tag=1 data=2x4\n1 MPI_Recv comm=0 from=any tag=any data=1x4\n", ""},
    {"shorter than the buffer", "0 MPI_Send comm=0 to=1 tag=1 data=1x4\n1 MPI_Recv comm=0 from=0 tag=1 data=9x4\n", ""},
    {"as another type", "0 MPI_Send comm=0 to=1 tag=1 data=2x4:8\n1 MPI_Recv comm=0 from=0 tag=1 data=2x4:15\n",
     "message-type"},
    {"as bytes", "0 MPI_Send comm=0 to=1 tag=1 data=2x4:8\n1 MPI_Recv comm=0 from=0 tag=1 data=8x1:4\n",
     "~message-type"},
    {"as packed", "0 MPI_Send comm=0 to=1 tag=1 data=2x4:8\n1 MPI_Recv comm=0 from=0 tag=1 data=8x1:18\n", ""},
    {"ready before the barrier, posted behind it",
     "0 MPI_Rsend comm=0 to=1 tag=1 data=1x4\n0 MPI_Barrier comm=0\n"
     "1 MPI_Barrier comm=0\n1 MPI_Recv comm=0 from=0 tag=1 data=1x4\n",
     "ready-send"},
    {"ready to itself",
     "0 MPI_Irecv comm=0 from=0 tag=1 data=1x4\n0 MPI_Rsend comm=0 to=0 tag=1 data=1x4\n0 MPI_Wait live=0\n", ""},
    {"ready at the same time",
     "0 MPI_Barrier comm=0\n0 MPI_Rsend comm=0 to=1 tag=1 data=1x4\n"
     "1 MPI_Barrier comm=0\n1 MPI_Recv comm=0 from=0 tag=1 data=1x4\n",
     "~ready-send"},
    {"ready behind the barrier",
     "0 MPI_Barrier comm=0\n0 MPI_Rsend comm=0 to=1 tag=1 data=1x4\n"
     "1 MPI_Irecv comm=0 from=0 tag=1 data=1x4\n1 MPI_Barrier comm=0\n1 MPI_Wait live=0\n",
     ""},
    {"ready when it is told so",
     "0 MPI_Recv comm=0 from=1 tag=2 data=1x4\n0 MPI_Rsend comm=0 to=1 tag=1 data=1x4\n"
     "1 MPI_Irecv comm=0 from=0 tag=1 data=1x4\n1 MPI_Send comm=0 to=0 tag=2 data=1x4\n1 MPI_Wait live=0\n",
     ""},
    {"counted in floats",
     "0 MPI_Send comm=0 to=1 tag=1 data=2x8:16\n1 MPI_Recv comm=0 from=0 tag=1 data=2x8:16\n1 MPI_Get_count "
     "element=16\n",
     "status-count"},
    {"counted in halves",
     "0 MPI_Send comm=0 to=1 tag=1 data=2x8:16\n1 MPI_Recv comm=0 from=0 tag=1 data=2x8:16\n1 MPI_Get_count "
     "element=4\n",
     "~status-count"},
    {"counted as it came",
     "0 MPI_Send comm=0 to=1 tag=1 data=2x8:16\n1 MPI_Recv comm=0 from=0 tag=1 data=2x8:16\n1 MPI_Get_count "
     "element=8\n",
     ""},
    {"received as bytes",
     "0 MPI_Send comm=0 to=1 tag=1 data=16x1:4\n1 MPI_Recv comm=0 from=0 tag=1 data=16x1:4\n1 MPI_Get_count "
     "element=8\n",
     ""},
    {"counted as bytes",
     "0 MPI_Send comm=0 to=1 tag=1 data=2x8:16\n1 MPI_Recv comm=0 from=0 tag=1 data=2x8:16\n1 MPI_Get_count "
     "element=1\n",
     ""},
    {"nobody sends: an empty status", "0 MPI_Recv comm=0 from=null tag=1 data=2x8:16\n0 MPI_Get_count element=16\n",
     ""},
    {"a null request gives an empty status",
     "0 MPI_Send comm=0 to=1 tag=1 data=2x8:16\n1 MPI_Recv comm=0 from=0 tag=1 data=2x8:16\n1 MPI_Wait live=none\n"
     "1 MPI_Get_count element=16\n",
     ""},
    {"the status of a request that stays", "0 MPI_Request_get_status\n0 MPI_Get_count element=16\n", ""},
    {"null requests in an array",
     "0 MPI_Send comm=0 to=1 tag=1 data=2x8:16\n1 MPI_Irecv comm=0 from=0 tag=1 data=2x8:16\n1 MPI_Waitall live=0\n"
     "1 MPI_Get_count element=16\n",
     "~status-count"},
    {"nothing came", "0 MPI_Get_count element=8\n", "~status-count"},
    {"never received", "0 MPI_Send comm=0 to=1 tag=1 data=2x4\n1 MPI_Initialized\n", "message-unreceived"},
    {"never sent", "0 MPI_Initialized\n1 MPI_Irecv comm=0 from=0 tag=1 data=2x4\n", "receive-unsent request-open"},
    {"another tag",
     "0 MPI_Send comm=0 to=1 tag=1 data=2x4\n1 MPI_Irecv comm=0 from=0 tag=2 data=2x4\n1 MPI_Request_free live=0\n",
     "message-mismatch ~request-freed-active"},
    {"both send first",
     "0 MPI_Send comm=0 to=1 tag=1 data=1x4\n1 MPI_Send comm=0 to=0 tag=1 data=1x4\n"
     "0 MPI_Recv comm=0 from=1 tag=1 data=1x4\n1 MPI_Recv comm=0 from=0 tag=1 data=1x4\n",
     "~potential-deadlock"},

    {"a request is forgotten", "0 MPI_Isend comm=0 to=null tag=1 data=1x4\n", "request-open"},
    {"a request is completed", "0 MPI_Isend comm=0 to=null tag=1 data=1x4\n0 MPI_Wait live=0\n", ""},
    {"started twice",
     "0 MPI_Send_init comm=0 to=null tag=1 data=1x4\n0 MPI_Start live=0\n0 MPI_Start live=0\n0 MPI_Wait live=0\n"
     "0 MPI_Request_free live=0\n",
     "request-started-twice"},
    {"started again",
     "0 MPI_Send_init comm=0 to=null tag=1 data=1x4\n0 MPI_Start live=0\n0 MPI_Wait live=0\n0 MPI_Start live=0\n"
     "0 MPI_Wait live=0\n0 MPI_Request_free live=0\n",
     ""},
    {"started, and made for one time",
     "0 MPI_Isend comm=0 to=null tag=1 data=1x4\n0 MPI_Start live=0 failed=19\n0 MPI_Wait live=0\n",
     "request-not-persistent"},
    {"nothing is started", "0 MPI_Start live=none failed=19\n", "request-not-persistent"},
    {"a send is freed", "0 MPI_Isend comm=0 to=null tag=1 data=1x4\n0 MPI_Request_free live=0\n", ""},
    {"a receive is freed", "0 MPI_Irecv comm=0 from=null tag=1 data=1x4\n0 MPI_Request_free live=0\n",
     "~request-freed-active"},
    {"a collective call is freed", "0 MPI_Ibarrier comm=0\n0 MPI_Request_free live=0\n", "request-of-collective"},
    {"a persistent request stays", "0 MPI_Send_init comm=0 to=null tag=1 data=1x4\n", "~leaked-request"},
    {"nobody knows the request", "0 MPI_Wait live=bad\n", "~request-unknown"},

    {"no epoch", "0 MPI_Win_create comm=0\n0 MPI_Put window=0 at=0 data=1x4\n0 MPI_Win_free window=0\n",
     "rma-no-epoch"},
    {"between fences",
     "0 MPI_Win_create comm=0\n0 MPI_Win_fence window=0 assert=0\n0 MPI_Put window=0 at=0 data=1x4\n"
     "0 MPI_Win_fence window=0 assert=0\n0 MPI_Win_free window=0\n",
     ""},
    {"behind the last fence",
     "0 MPI_Win_create comm=0\n0 MPI_Win_fence window=0 assert=16\n0 MPI_Put window=0 at=0 data=1x4\n"
     "0 MPI_Win_free window=0\n",
     "rma-no-epoch"},
    {"another target is locked",
     "0 MPI_Win_create comm=0\n0 MPI_Win_lock window=0 at=0\n0 MPI_Put window=0 at=1 data=1x4\n"
     "0 MPI_Win_unlock window=0 at=0\n0 MPI_Win_free window=0\n1 MPI_Win_create comm=0\n1 MPI_Win_free window=0\n",
     "rma-no-epoch"},
    {"a lock stays", "0 MPI_Win_create comm=0\n0 MPI_Win_lock window=0 at=0\n0 MPI_Win_free window=0\n",
     "rma-epoch-open"},
    {"locked twice",
     "0 MPI_Win_create comm=0\n0 MPI_Win_lock window=0 at=0\n0 MPI_Win_lock window=0 at=0\n"
     "0 MPI_Win_unlock window=0 at=0\n0 MPI_Win_free window=0\n",
     "rma-epochs-mixed"},
    {"two targets are locked",
     "0 MPI_Win_create comm=0\n0 MPI_Win_lock window=0 at=0\n0 MPI_Win_lock window=0 at=1\n"
     "0 MPI_Win_unlock window=0 at=0\n0 MPI_Win_unlock window=0 at=1\n0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0\n1 MPI_Win_free window=0\n",
     ""},
    {"unlocked alone", "0 MPI_Win_create comm=0\n0 MPI_Win_unlock window=0 at=0\n0 MPI_Win_free window=0\n",
     "rma-not-started"},
    {"posted to another",
     "0 MPI_Win_create comm=0\n0 MPI_Win_post group=1 window=0\n0 MPI_Win_wait window=0\n0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0\n1 MPI_Win_start group=0 window=0\n1 MPI_Win_complete window=0\n"
     "1 MPI_Win_free window=0\n"
     "2 MPI_Win_create comm=0\n2 MPI_Win_start group=0 window=0\n2 MPI_Win_complete window=0\n"
     "2 MPI_Win_free window=0\n",
     "rma-groups"},
    {"posted to both",
     "0 MPI_Win_create comm=0\n0 MPI_Win_post group=1;2 window=0\n0 MPI_Win_wait window=0\n0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0\n1 MPI_Win_start group=0 window=0\n1 MPI_Win_complete window=0\n"
     "1 MPI_Win_free window=0\n"
     "2 MPI_Win_create comm=0\n2 MPI_Win_start group=0 window=0\n2 MPI_Win_complete window=0\n"
     "2 MPI_Win_free window=0\n",
     ""},
    {"an operation of the program's own",
     "0 MPI_Win_create comm=0\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Accumulate window=0 at=0 displacement=0 data=1x4:8 op=16\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n",
     "operation-type"},
    {"floats from ints",
     "0 MPI_Win_create comm=1 size=64 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Put window=0 at=0 displacement=0 data=2x4:8 other=2x4:15\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n",
     "rma-type"},
    {"floats from doubles",
     "0 MPI_Win_create comm=1 size=64 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Put window=0 at=0 displacement=0 data=2x8:16 other=4x4\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n",
     "rma-type"},
    {"beyond the window",
     "0 MPI_Win_create comm=0 size=16 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Get window=0 at=0 displacement=1 data=2x8:16\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n",
     "rma-range"},
    {"at the window's end",
     "0 MPI_Win_create comm=0 size=16 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Get window=0 at=0 displacement=1 data=1x8:16\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n",
     ""},
    {"two put into one cell",
     "0 MPI_Win_create comm=0 size=16 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Put window=0 at=0 displacement=1 data=1x8:16\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0 size=16 unit=8\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Put window=0 at=0 displacement=1 data=1x8:16\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Win_free window=0\n",
     "rma-conflict"},
    {"two put into blocks that overlap",
     "0 MPI_Win_create comm=0 size=64 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Put window=0 at=0 displacement=0 data=3x8:16\n0 MPI_Win_fence window=0 assert=0\n0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0 size=64 unit=8\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Put window=0 at=0 displacement=2 data=3x8:16\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Win_free window=0\n",
     "rma-conflict"},
    {"two put into one cell, one after the other",
     "0 MPI_Win_create comm=0 size=16 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Put window=0 at=0 displacement=1 data=1x8:16\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_fence window=0 assert=0\n0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0 size=16 unit=8\n1 MPI_Win_fence window=0 assert=0\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Put window=0 at=0 displacement=1 data=1x8:16\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Win_free window=0\n",
     ""},
    {"two add to one cell",
     "0 MPI_Win_create comm=0 size=16 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Accumulate window=0 at=0 displacement=1 data=1x8:16 op=3\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0 size=16 unit=8\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Accumulate window=0 at=0 displacement=1 data=1x8:16 op=3\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Win_free window=0\n",
     ""},
    {"one origin accumulates in order, by two operations",
     "0 MPI_Win_create comm=0 size=16 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Accumulate window=0 at=0 displacement=1 data=1x8:16 op=13\n"
     "0 MPI_Accumulate window=0 at=0 displacement=1 data=1x8:16 op=1\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n",
     ""},
    {"two origins accumulate by two operations",
     "0 MPI_Win_create comm=0 size=16 unit=8\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Accumulate window=0 at=0 displacement=1 data=1x8:16 op=13\n0 MPI_Win_fence window=0 assert=0\n"
     "0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0 size=16 unit=8\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Accumulate window=0 at=0 displacement=1 data=1x8:16 op=1\n1 MPI_Win_fence window=0 assert=0\n"
     "1 MPI_Win_free window=0\n",
     "rma-conflict"},
    {"targets in two orders",
     "0 MPI_Win_create comm=0\n0 MPI_Win_lock kind=1 at=0 window=0\n0 MPI_Win_lock kind=1 at=1 window=0\n"
     "0 MPI_Win_unlock at=1 window=0\n0 MPI_Win_unlock at=0 window=0\n0 MPI_Win_free window=0\n"
     "1 MPI_Win_create comm=0\n1 MPI_Win_lock kind=1 at=1 window=0\n1 MPI_Win_lock kind=1 at=0 window=0\n"
     "1 MPI_Win_unlock at=0 window=0\n1 MPI_Win_unlock at=1 window=0\n1 MPI_Win_free window=0\n",
     "~rma-lock-order"},

    {"a file to be created and read", "0 MPI_File_open comm=0 mode=3\n0 MPI_File_close file=0\n", "io-mode"},
    {"a file to be read is written",
     "0 MPI_File_open comm=0 mode=2\n0 MPI_File_write file=0 data=1x4\n0 MPI_File_close file=0\n", "io-mode"},
    {"a split call does not end",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_write_all_begin file=0 data=1x4\n0 MPI_File_close file=0\n",
     "io-split"},
    {"a split call ends",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_write_all_begin file=0 data=1x4\n0 MPI_File_write_all_end file=0\n"
     "0 MPI_File_close file=0\n",
     ""},
    {"another end",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_write_all_begin file=0 data=1x4\n"
     "0 MPI_File_read_all_end file=0\n0 MPI_File_close file=0\n",
     "io-split"},
    {"the same bytes",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_write_at file=0 offset=0 data=2x4\n0 MPI_File_close file=0\n"
     "1 MPI_File_open comm=0 mode=9\n1 MPI_File_read_at file=0 offset=4 data=1x4\n1 MPI_File_close file=0\n",
     "io-conflict"},
    {"the same bytes by own pointers",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_write file=0 data=2x4\n0 MPI_File_close file=0\n"
     "1 MPI_File_open comm=0 mode=9\n1 MPI_File_seek file=0 offset=4 whence=0\n1 MPI_File_write file=0 data=1x4\n"
     "1 MPI_File_close file=0\n",
     "io-conflict"},
    {"the same bytes in views",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_set_view file=0 offset=0 element=4 element=4\n"
     "0 MPI_File_write file=0 data=2x4\n0 MPI_File_close file=0\n"
     "1 MPI_File_open comm=0 mode=9\n1 MPI_File_set_view file=0 offset=4 element=4 element=4\n"
     "1 MPI_File_write_at file=0 offset=0 data=1x4\n1 MPI_File_close file=0\n",
     "io-conflict"},
    {"the same bytes in views of a long datatype",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_set_view file=0 offset=0 element=4 element=40\n"
     "0 MPI_File_write file=0 data=2x4\n0 MPI_File_close file=0\n"
     "1 MPI_File_open comm=0 mode=9\n1 MPI_File_set_view file=0 offset=0 element=4 element=40\n"
     "1 MPI_File_write file=0 data=2x4\n1 MPI_File_close file=0\n",
     ""},
    {"other bytes in views",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_set_view file=0 offset=0 element=4 element=4\n"
     "0 MPI_File_write file=0 data=2x4\n0 MPI_File_close file=0\n"
     "1 MPI_File_open comm=0 mode=9\n1 MPI_File_set_view file=0 offset=4 element=4 element=4\n"
     "1 MPI_File_write_at file=0 offset=1 data=1x4\n1 MPI_File_close file=0\n",
     ""},
    {"other bytes",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_write_at file=0 offset=0 data=2x4\n0 MPI_File_close file=0\n"
     "1 MPI_File_open comm=0 mode=9\n1 MPI_File_write_at file=0 offset=8 data=1x4\n1 MPI_File_close file=0\n",
     ""},
    {"the same bytes, synchronised",
     "0 MPI_File_open comm=0 mode=9\n0 MPI_File_write_at file=0 offset=0 data=2x4\n0 MPI_File_sync file=0\n"
     "0 MPI_File_close file=0\n1 MPI_File_open comm=0 mode=9\n1 MPI_File_sync file=0\n"
     "1 MPI_File_read_at file=0 offset=4 data=1x4\n1 MPI_File_close file=0\n",
     ""},

    {"a window stays", "0 MPI_Win_create comm=0\n", "~leaked-window"},
    {"a file stays", "0 MPI_File_open comm=0\n", "leaked-file"},
    {"a group stays", "0 MPI_Comm_group comm=0\n", "~leaked-group"},
    {"a group without one rank stays", "0 MPI_Group_excl group=0;1 ranks=1\n", "~leaked-group"},
    {"an empty group stays", "0 MPI_Group_excl group=0;1 ranks=0;1\n", ""},
    {"an empty group is freed", "0 MPI_Group_excl group=0;1 ranks=0;1\n0 MPI_Group_free\n", ""},
    {"the groups have nobody in common", "0 MPI_Group_intersection group=0 group=1\n", ""},
    {"a group is freed twice", "0 MPI_Comm_group comm=0\n0 MPI_Group_free\n0 MPI_Group_free\n", "~invalid-handle"},
    {"an attribute may free it", "0 MPI_Comm_set_attr comm=1\n0 MPI_Comm_group comm=0\n", ""},
    {"a window that was freed",
     "0 MPI_Win_create comm=1\n0 MPI_Win_free window=0\n0 MPI_Win_fence window=bad assert=0\n", "~invalid-handle"},
    {"a group is freed", "0 MPI_Comm_group comm=0\n0 MPI_Group_free\n", ""},
    {"an operation stays", "0 MPI_Op_create\n", "~leaked-operation"},
    {"a datatype stays", "0 MPI_Type_contiguous\n0 MPI_Type_commit\n", "~leaked-datatype"},

    {"an error handler stays", "0 MPI_Comm_create_errhandler\n", "~leaked-errhandler"},
    {"an info object stays", "0 MPI_Info_create\n", "~leaked-info"},
    {"an info object is freed", "0 MPI_Info_create\n0 MPI_Info_free\n", ""},
    {"a keyval stays", "0 MPI_Comm_create_keyval\n", "~leaked-keyval"},

    {"another thread calls MPI", "0 MPI_Initialized\n0.1 MPI_Barrier comm=0\n", "thread-main"},
    {"it may ask", "0 MPI_Initialized\n0.1 MPI_Wtime\n", ""},
    {"multiple threads may", "0 starts\n0 MPI_Init_thread level=3\n0 MPI_Finalize\n0.1 MPI_Barrier comm=0\n", ""},

    {"two orders",
     "0.1 pthread_mutex_lock lock=1\n0.1 pthread_mutex_lock lock=2\n0.1 pthread_mutex_unlock lock=2\n"
     "0.1 pthread_mutex_unlock lock=1\n0.2 pthread_mutex_lock lock=2\n0.2 pthread_mutex_lock lock=1\n"
     "0.2 pthread_mutex_unlock lock=1\n0.2 pthread_mutex_unlock lock=2\n",
     "~lock-order"},
    {"two orders, one thread after the other",
     "0 pthread_create\n0 pthread_join\n0 pthread_create\n0 pthread_join\n"
     "0.1 pthread_mutex_lock lock=1\n0.1 pthread_mutex_lock lock=2\n0.1 pthread_mutex_unlock lock=2\n"
     "0.1 pthread_mutex_unlock lock=1\n0.2 pthread_mutex_lock lock=2\n0.2 pthread_mutex_lock lock=1\n"
     "0.2 pthread_mutex_unlock lock=1\n0.2 pthread_mutex_unlock lock=2\n",
     ""},
    {"two orders, one in both threads' time",
     "0 pthread_create\n0 pthread_create\n0 pthread_join\n0 pthread_join\n"
     "0.1 pthread_mutex_lock lock=1\n0.1 pthread_mutex_lock lock=2\n0.1 pthread_mutex_unlock lock=2\n"
     "0.1 pthread_mutex_unlock lock=1\n0.2 pthread_mutex_lock lock=2\n0.2 pthread_mutex_lock lock=1\n"
     "0.2 pthread_mutex_unlock lock=1\n0.2 pthread_mutex_unlock lock=2\n",
     "~lock-order"},
    {"a wait without the lock",
     "0.1 pthread_cond_wait condition=2 lock=1\n0.2 pthread_mutex_lock lock=1\n0.2 pthread_mutex_unlock lock=1\n",
     "condition-unlocked"},
    {"a wait with the lock",
     "0.1 pthread_mutex_lock lock=1\n0.1 pthread_cond_wait condition=2 lock=1\n0.1 pthread_mutex_unlock lock=1\n", ""},
    {"a lock is destroyed",
     "0.1 pthread_mutex_lock lock=1\n0.1 pthread_mutex_destroy lock=1\n"
     "0.1 pthread_mutex_unlock lock=1\n",
     "lock-destroyed"},
    {"two orders under a third lock",
     "0.1 pthread_mutex_lock lock=3\n0.1 pthread_mutex_lock lock=1\n0.1 pthread_mutex_lock lock=2\n"
     "0.1 pthread_mutex_unlock lock=2\n0.1 pthread_mutex_unlock lock=1\n0.1 pthread_mutex_unlock lock=3\n"
     "0.2 pthread_mutex_lock lock=3\n0.2 pthread_mutex_lock lock=2\n0.2 pthread_mutex_lock lock=1\n"
     "0.2 pthread_mutex_unlock lock=1\n0.2 pthread_mutex_unlock lock=2\n0.2 pthread_mutex_unlock lock=3\n",
     ""},
    {"one thread closes the circle of three locks",
     "0.1 pthread_mutex_lock lock=1\n0.1 pthread_mutex_lock lock=2\n0.1 pthread_mutex_unlock lock=2\n"
     "0.1 pthread_mutex_unlock lock=1\n0.1 pthread_mutex_lock lock=3\n0.1 pthread_mutex_lock lock=1\n"
     "0.1 pthread_mutex_unlock lock=1\n0.1 pthread_mutex_unlock lock=3\n"
     "0.2 pthread_mutex_lock lock=2\n0.2 pthread_mutex_lock lock=3\n0.2 pthread_mutex_unlock lock=3\n"
     "0.2 pthread_mutex_unlock lock=2\n",
     ""},
    {"three threads close the circle of three locks",
     "0.1 pthread_mutex_lock lock=1\n0.1 pthread_mutex_lock lock=2\n0.1 pthread_mutex_unlock lock=2\n"
     "0.1 pthread_mutex_unlock lock=1\n0.3 pthread_mutex_lock lock=3\n0.3 pthread_mutex_lock lock=1\n"
     "0.3 pthread_mutex_unlock lock=1\n0.3 pthread_mutex_unlock lock=3\n"
     "0.2 pthread_mutex_lock lock=2\n0.2 pthread_mutex_lock lock=3\n0.2 pthread_mutex_unlock lock=3\n"
     "0.2 pthread_mutex_unlock lock=2\n",
     "~lock-order"},
    {"a lock is kept", "0.1 pthread_mutex_lock lock=1\n", "~lock-held"},
    {"somebody else releases it",
     "0.1 pthread_mutex_lock lock=1\n0.1 pthread_mutex_unlock lock=1\n0.2 pthread_mutex_unlock lock=1\n", "lock-other"},
    {"a spin lock is made, which is recorded as its release",
     "0.1 pthread_spin_unlock lock=1\n0.1 pthread_spin_lock lock=1\n0.1 pthread_spin_unlock lock=1\n", ""},
    {"a robust lock is kept", "0.1 pthread_mutex_lock lock=1\n0.2 pthread_mutex_consistent lock=1\n", ""},
    {"a thread is joined twice", "0 pthread_create\n0 pthread_join\n0 pthread_join\n", "thread-joined-twice"},
    {"a thread is forgotten", "0 pthread_create\n0 pthread_create\n0 pthread_join\n", "~thread-unjoined"},

    {"one at a time, and nothing that keeps them apart",
     "0 starts\n0 MPI_Init_thread level=2\n0 < main._omp_fn.0\n0 MPI_Barrier comm=1\n0 >\n0 MPI_Finalize\n"
     "0.1 < main._omp_fn.0\n0.1 MPI_Barrier comm=1\n0.1 >\n",
     "~thread-overlap"},
    {"two threads of pthread_create at once",
     "0 starts\n0 MPI_Init_thread level=2\n0 pthread_create\n0 pthread_create\n0 pthread_join\n0 pthread_join\n"
     "0 MPI_Finalize\n0.1 MPI_Barrier comm=1\n0.2 MPI_Barrier comm=1\n",
     "~thread-overlap"},
    {"two threads one after the other",
     "0 starts\n0 MPI_Init_thread level=2\n0 pthread_create\n0 pthread_join\n0 pthread_create\n0 pthread_join\n"
     "0 MPI_Finalize\n0.1 MPI_Barrier comm=1\n0.2 MPI_Barrier comm=1\n",
     ""},
    {"two threads with a lock",
     "0 starts\n0 MPI_Init_thread level=2\n0 pthread_create\n0 pthread_create\n0 pthread_join\n0 pthread_join\n"
     "0 MPI_Finalize\n0.1 pthread_mutex_lock lock=1\n0.1 MPI_Barrier comm=1\n0.1 pthread_mutex_unlock lock=1\n"
     "0.2 pthread_mutex_lock lock=1\n0.2 MPI_Barrier comm=1\n0.2 pthread_mutex_unlock lock=1\n",
     ""},
    {"one at a time, with a barrier between",
     "0 starts\n0 MPI_Init_thread level=2\n0 < main._omp_fn.0\n0 MPI_Barrier comm=1\n0 GOMP_barrier\n0 >\n"
     "0 MPI_Finalize\n0.1 < main._omp_fn.0\n0.1 GOMP_barrier\n0.1 MPI_Barrier comm=1\n0.1 >\n",
     ""},
    {"a barrier of one thread", "0 < main._omp_fn.0\n0 GOMP_barrier\n0 >\n0.1 < main._omp_fn.0\n0.1 >\n",
     "omp-barrier"},
    {"a barrier of all", "0 < main._omp_fn.0\n0 GOMP_barrier\n0 >\n0.1 < main._omp_fn.0\n0.1 GOMP_barrier\n0.1 >\n",
     ""},
    {"a loop of one thread", "0 < main._omp_fn.0\n0 >\n0.1 < main._omp_fn.0\n0.1 GOMP_loop_dynamic_start\n0.1 >\n",
     "omp-worksharing"},
    {"other teams", "0 < main._omp_fn.0\n0 >\n0 < main._omp_fn.0\n0 >\n0.1 < main._omp_fn.0\n0.1 GOMP_barrier\n0.1 >\n",
     ""},
};

static char *found_in(const DtChecked *checked)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < checked->findings->len; i++) {
        const DtCheckFinding *finding = checked->findings->pdata[i];
        g_string_append_printf(text, "%s%s%s", i > 0 ? " " : "", finding->level == DT_CHECK_ERROR ? "" : "~",
                               dt_check_rule(finding->rule)->name);
        g_assert_nonnull(finding->expected);
        g_assert_cmpuint(finding->evidence->len, >, 0);
        g_assert_cmpuint(finding->times, >, 0);
    }
    return g_string_free(text, FALSE);
}

static void test_case(gconstpointer data)
{
    const guint number = GPOINTER_TO_UINT(data);
    g_autoptr(GError) error = NULL;
    g_autoptr(DtPlayedRun) played = dt_played_run_new(cases[number].text);
    g_autoptr(DtChecked) checked = dt_checked_new(dt_played_run_get(played), NULL, &error);
    g_assert_no_error(error);
    g_autofree char *found = found_in(checked);
    g_assert_cmpstr(found, ==, cases[number].found);
}

static void test_rules_can_be_left_out(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtPlayedRun) played = dt_played_run_new("0 MPI_Barrier comm=0\n1 MPI_Allreduce comm=0 data=1x4 op=3\n");
    DtCheckOptions options = {0};
    for (guint i = 0; i < DT_CHECKS; i++)
        options.without[i] = TRUE;
    g_autoptr(DtChecked) checked = dt_checked_new(dt_played_run_get(played), &options, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(checked->findings->len, ==, 0);
}

/* The same on many ranks and many times is one. */
static void test_equal_findings_are_one(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint rank = 0; rank < 3; rank++)
        for (guint i = 0; i < 10; i++)
            g_string_append_printf(text, "%u MPI_Send comm=0 to=null tag=-1%u data=1x4\n", rank, i);
    g_autoptr(DtPlayedRun) played = dt_played_run_new(text->str);
    g_autoptr(DtChecked) checked = dt_checked_new(dt_played_run_get(played), NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(checked->findings->len, ==, 0); /* nobody gets it: the tag does not matter */
    g_string_assign(text, "");
    for (guint rank = 0; rank < 3; rank++)
        for (guint i = 0; i < 10; i++)
            g_string_append_printf(text, "%u MPI_Bcast comm=0 root=9 data=1x4\n", rank);
    g_autoptr(DtPlayedRun) other = dt_played_run_new(text->str);
    g_autoptr(DtChecked) roots = dt_checked_new(dt_played_run_get(other), NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(roots->errors, ==, 1);
    const DtCheckFinding *finding = roots->findings->pdata[0];
    g_assert_cmpuint(finding->times, ==, 30);
    g_assert_cmpuint(finding->ranks->len, ==, 3);
    g_assert_cmpstr(finding->call, ==, "MPI_Bcast(world, root 9, 1 x 4 B)");
}

static void test_names(void)
{
    for (guint i = 0; i < DT_CHECKS; i++)
        g_assert_cmpuint(dt_check_rule_find(dt_check_rule((DtCheckRule)i)->name), ==, i);
    g_assert_cmpuint(dt_check_rule_find("nothing"), ==, DT_CHECKS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/checks/rules/%s", cases[i].name);
        g_test_add_data_func(path, GUINT_TO_POINTER(i), test_case);
    }
    g_test_add_func("/checks/without", test_rules_can_be_left_out);
    g_test_add_func("/checks/once", test_equal_findings_are_one);
    g_test_add_func("/checks/names", test_names);
    return g_test_run();
}
