/**
 * What the calls of MPI, OpenMP, pthreads and those that end a process mean: one row a function.
 *
 *   mpi.c        MPI 3.1, what it has dropped and mpi.h still declares, and MPI 4 as far as MPIs have it
 *   openmp.c     what compilers call (GOMP_* of gcc, __kmpc_* of LLVM) and what programs call (omp_*)
 *   pthreads.c   pthread_*
 *   ends.c       what ends the process, or puts another program in its place
 *   system.c     calls of the C library that wait, sleep, or ask for the time
 *   go.c         operations of goroutines, which are no functions: "chan send"
 *   auxiliary.c  its calls for text and memory, by name alone
 *
 * A row is the function's name, its properties, and a kind for each of its parameters. Plain C without libc: the
 * tracer asks in the middle of a program's own calls.
 */
#ifndef DT_CALLS_CALLS_H
#define DT_CALLS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whose function it is. */
enum dt_call_class {
    DT_CALL_UNKNOWN,
    DT_CALL_MPI,
    DT_CALL_OPENMP,
    DT_CALL_PTHREAD,
    DT_CALL_END,    /* ends the process, or puts another program in its place */
    DT_CALL_SYSTEM, /* the C library's other calls that wait, sleep, or ask for the time */
    DT_CALL_GO      /* what goroutines do with channels and locks, and what else they wait in */
};

enum dt_call_property {
    /* Waiting. */
    DT_CALL_BLOCKING = 1 << 0,         /* may return only after others have done their part */
    DT_CALL_POLLING = 1 << 1,          /* asks without waiting, sleeps, or asks for the time: how often is luck */
    DT_CALL_JOINING = 1 << 2,          /* waits for threads of its own, or runs a region with them */
    DT_CALL_NONDETERMINISTIC = 1 << 3, /* what comes back is the first of several that happened; or how often is luck */
    /* Communication. */
    DT_CALL_POINT_TO_POINT = 1 << 4,
    DT_CALL_PROBING = 1 << 5,         /* asks for a message that another call receives */
    DT_CALL_COLLECTIVE = 1 << 6,      /* all members of the communicator, window or file make it */
    DT_CALL_EXCHANGE = 1 << 7,        /* and it is communication: not one that makes or changes an object */
    DT_CALL_NEIGHBOURHOOD = 1 << 8,   /* and it is with the neighbours in a topology */
    DT_CALL_OF_GROUP = 1 << 9,        /* collective, but only of the group that it is given */
    DT_CALL_BETWEEN_GROUPS = 1 << 10, /* waits for processes of another communicator, too */
    DT_CALL_ONE_SIDED = 1 << 11,
    DT_CALL_IO = 1 << 12,
    /* Locks. */
    DT_CALL_ACQUIRING = 1 << 13,
    DT_CALL_RELEASING = 1 << 14,
    DT_CALL_MAY_FAIL = 1 << 15,     /* its result says whether it has acquired the lock */
    DT_CALL_CRITICAL = 1 << 16,     /* begin or end of a critical section */
    DT_CALL_UNNAMED_LOCK = 1 << 17, /* the lock is no parameter: there is one for all such calls */
    DT_CALL_WAKING = 1 << 26,       /* lets another thread go on that waits for it */
    /* The end of the process. */
    DT_CALL_ENDING = 1 << 18,
    DT_CALL_FAILING = 1 << 19, /* because of an error; it never comes back, but a handler of SIGABRT may leave it */
    /* How it is recorded. */
    DT_CALL_QUIET = 1 << 20,          /* not at all: made so often, and says so little, that it would drown the rest */
    DT_CALL_WITH_ARGUMENTS = 1 << 21, /* with those of its arguments that make a signature */
    DT_CALL_LARGE_VARIANT = 1 << 22,  /* NAME_c is the same with counts of 64 bits */
    /* What a count in a collective is of. */
    DT_CALL_SENT_TO_EACH = 1 << 23,       /* of what each member gets from the caller: it sends so much times members */
    DT_CALL_RECEIVED_FROM_EACH = 1 << 24, /* of what each member gives the caller */
    DT_CALL_VALUE = 1 << 25,              /* of MPI: returns what was asked for, not an error code */
    DT_CALL_OR_MAKES = 1 << 26            /* releases a lock, or makes one: one function has both names */
};

/**
 * What a parameter is. By itself: an input. Of the endings says _MADE that the call makes the object, _FREED that it
 * frees it, _AT that it reads and writes what the parameter points to, _OUT that it only writes there.
 */
enum dt_parameter_kind {
    DT_PARAMETER_NONE, /* behind the last one */

    /* Data. COUNT and DATATYPE are what a call is recorded with: how much of what it moves. Where a call has a second
     * such pair, that one is OTHER_COUNT and OTHER_DATATYPE: it counts at the root only (MPI_Gather), describes the
     * same from the other side (MPI_Allgather, MPI_Put), or a buffer that MPI_IN_PLACE may stand for. */
    DT_PARAMETER_SENT,
    DT_PARAMETER_RECEIVED,
    DT_PARAMETER_BUFFER,               /* sent and received, or it depends on the rank */
    DT_PARAMETER_SENT_OR_IN_PLACE,     /* MPI_IN_PLACE: the count and datatype behind it say nothing */
    DT_PARAMETER_RECEIVED_OR_IN_PLACE, /* likewise */
    DT_PARAMETER_COUNT,
    DT_PARAMETER_OTHER_COUNT,
    DT_PARAMETER_COUNTS, /* one a member, or a dimension */
    DT_PARAMETER_DISPLACEMENTS,
    DT_PARAMETER_DATATYPE,
    DT_PARAMETER_OTHER_DATATYPE,
    DT_PARAMETER_DATATYPES,
    DT_PARAMETER_DATATYPES_OUT,
    DT_PARAMETER_DATATYPE_MADE,
    DT_PARAMETER_DATATYPE_AT,
    DT_PARAMETER_DATATYPE_OUT,
    DT_PARAMETER_DATATYPE_FREED,
    DT_PARAMETER_BLOCK_LENGTH,
    DT_PARAMETER_BLOCK_LENGTHS,
    DT_PARAMETER_STRIDE,
    DT_PARAMETER_POSITION_AT, /* in a packed buffer */
    DT_PARAMETER_PARTITION_COUNT,
    DT_PARAMETER_PARTITION,
    DT_PARAMETER_PARTITIONS,
    DT_PARAMETER_OPERATION,
    DT_PARAMETER_OPERATION_MADE,
    DT_PARAMETER_OPERATION_FREED,

    /* Who with. */
    DT_PARAMETER_DESTINATION,
    DT_PARAMETER_SOURCE,
    DT_PARAMETER_TAG,
    DT_PARAMETER_ROOT,
    DT_PARAMETER_COMM,
    DT_PARAMETER_PEER_COMM,       /* of the other group's leader */
    DT_PARAMETER_COMM_MADE,       /* when the call returns */
    DT_PARAMETER_COMM_MADE_LATER, /* when its request has completed */
    DT_PARAMETER_COMM_OUT,        /* one that was there before */
    DT_PARAMETER_COMM_FREED,
    DT_PARAMETER_COLOR,
    DT_PARAMETER_SPLIT_TYPE,
    DT_PARAMETER_ORDER_KEY,
    DT_PARAMETER_LOCAL_LEADER,
    DT_PARAMETER_REMOTE_LEADER,
    DT_PARAMETER_LEADER_TAG,
    DT_PARAMETER_GROUP,
    DT_PARAMETER_GROUP_MADE,
    DT_PARAMETER_GROUP_FREED,
    DT_PARAMETER_RANK,
    DT_PARAMETER_RANK_OUT,
    DT_PARAMETER_RANKS,
    DT_PARAMETER_RANKS_OUT,
    DT_PARAMETER_RANK_RANGES, /* triples of first, last, step */

    /* Topologies. */
    DT_PARAMETER_DIMENSION_COUNT,
    DT_PARAMETER_DIMENSION_COUNT_OUT,
    DT_PARAMETER_DIMENSIONS,
    DT_PARAMETER_DIMENSIONS_AT,
    DT_PARAMETER_DIMENSIONS_OUT,
    DT_PARAMETER_DIMENSIONS_KEPT, /* a truth value each */
    DT_PARAMETER_PERIODS,
    DT_PARAMETER_PERIODS_OUT,
    DT_PARAMETER_COORDINATES,
    DT_PARAMETER_COORDINATES_OUT,
    DT_PARAMETER_REORDER,
    DT_PARAMETER_DEGREE, /* how many neighbours */
    DT_PARAMETER_DEGREE_OUT,
    DT_PARAMETER_DEGREES,
    DT_PARAMETER_WEIGHTS,
    DT_PARAMETER_WEIGHTS_OUT,
    DT_PARAMETER_GRAPH_INDEX, /* ends of the nodes' lists of neighbours in the edges */
    DT_PARAMETER_GRAPH_INDEX_OUT,
    DT_PARAMETER_GRAPH_EDGES,
    DT_PARAMETER_GRAPH_EDGES_OUT,

    /* Requests, messages, statuses. */
    DT_PARAMETER_REQUEST, /* the handle itself */
    DT_PARAMETER_REQUEST_AT,
    DT_PARAMETER_REQUEST_FREED,
    DT_PARAMETER_REQUEST_COUNT, /* how many in REQUESTS, the parameter behind it */
    DT_PARAMETER_REQUESTS,
    DT_PARAMETER_REQUEST_MADE,
    DT_PARAMETER_PERSISTENT_REQUEST_MADE,
    DT_PARAMETER_FLAG,            /* whether what was asked for has happened */
    DT_PARAMETER_INDEX,           /* of the request that has completed */
    DT_PARAMETER_INDICES,         /* of those that have */
    DT_PARAMETER_COMPLETED_COUNT, /* how many have */
    DT_PARAMETER_STATUS,
    DT_PARAMETER_STATUSES,
    DT_PARAMETER_STATUS_GIVEN, /* one that an earlier call has written */
    DT_PARAMETER_MESSAGE,      /* the handle itself */
    DT_PARAMETER_MESSAGE_AT,
    DT_PARAMETER_MESSAGE_MADE,

    /* One-sided communication. */
    DT_PARAMETER_TARGET,
    DT_PARAMETER_TARGET_DISPLACEMENT,
    DT_PARAMETER_DISPLACEMENT_UNIT,
    DT_PARAMETER_DISPLACEMENT_UNIT_OUT,
    DT_PARAMETER_WINDOW,
    DT_PARAMETER_WINDOW_MADE,
    DT_PARAMETER_WINDOW_FREED,
    DT_PARAMETER_ASSERTION,
    DT_PARAMETER_LOCK_TYPE,

    /* Files. */
    DT_PARAMETER_FILE,
    DT_PARAMETER_FILE_MADE,
    DT_PARAMETER_FILE_FREED,
    DT_PARAMETER_OFFSET,
    DT_PARAMETER_OFFSET_OUT,
    DT_PARAMETER_WHENCE,
    DT_PARAMETER_ACCESS_MODE,
    DT_PARAMETER_ACCESS_MODE_OUT,

    /* MPI's other objects. */
    DT_PARAMETER_INFO,
    DT_PARAMETER_INFOS,
    DT_PARAMETER_INFO_MADE,
    DT_PARAMETER_INFO_FREED,
    DT_PARAMETER_ERRHANDLER,
    DT_PARAMETER_ERRHANDLER_MADE,
    DT_PARAMETER_ERRHANDLER_FREED,
    DT_PARAMETER_KEYVAL,
    DT_PARAMETER_KEYVAL_MADE,
    DT_PARAMETER_KEYVAL_FREED,
    DT_PARAMETER_ATTRIBUTE,
    DT_PARAMETER_ATTRIBUTE_OUT,
    DT_PARAMETER_SESSION,
    DT_PARAMETER_SESSION_MADE,
    DT_PARAMETER_SESSION_FREED,
    DT_PARAMETER_TOOL_HANDLE, /* of MPI_T_*: a variable, a session, an enumeration, an event */
    DT_PARAMETER_TOOL_HANDLE_MADE,
    DT_PARAMETER_TOOL_HANDLE_OUT,
    DT_PARAMETER_TOOL_HANDLE_FREED,
    DT_PARAMETER_FORTRAN_HANDLE,

    /* Errors and the process. */
    DT_PARAMETER_ERROR_CODE,
    DT_PARAMETER_ERROR_CODE_OUT,
    DT_PARAMETER_ERROR_CODES_OUT,
    DT_PARAMETER_ERROR_CLASS,
    DT_PARAMETER_ERROR_CLASS_OUT,
    DT_PARAMETER_EXIT_STATUS,
    DT_PARAMETER_SIGNAL,
    DT_PARAMETER_PATH,
    DT_PARAMETER_DIRECTORY, /* an open one, that PATH starts from */
    DT_PARAMETER_DESCRIPTOR,
    DT_PARAMETER_ARGUMENT_COUNT,
    DT_PARAMETER_ARGUMENT_COUNT_AT,
    DT_PARAMETER_ARGUMENTS,
    DT_PARAMETER_ARGUMENTS_AT,
    DT_PARAMETER_ENVIRONMENT,
    DT_PARAMETER_THREAD_LEVEL,
    DT_PARAMETER_THREAD_LEVEL_OUT,

    /* Threads and locks. */
    DT_PARAMETER_THREAD,
    DT_PARAMETER_THREAD_MADE,
    DT_PARAMETER_THREAD_ATTRIBUTES, /* or a lock's, a condition's, a barrier's */
    DT_PARAMETER_LOCK,
    DT_PARAMETER_LOCK_MADE,
    DT_PARAMETER_LOCK_FREED,
    DT_PARAMETER_CONDITION,
    DT_PARAMETER_CONDITION_MADE,
    DT_PARAMETER_CONDITION_FREED,
    DT_PARAMETER_BARRIER,
    DT_PARAMETER_BARRIER_MADE,
    DT_PARAMETER_BARRIER_FREED,
    DT_PARAMETER_SEMAPHORE,
    DT_PARAMETER_SEMAPHORE_MADE,
    DT_PARAMETER_SEMAPHORE_FREED,
    DT_PARAMETER_HINT,
    DT_PARAMETER_CLOCK,
    DT_PARAMETER_TIMEOUT,

    /* What compilers hand to an OpenMP runtime. */
    DT_PARAMETER_LOCATION, /* in the source */
    DT_PARAMETER_GLOBAL_THREAD,
    DT_PARAMETER_THREAD_COUNT,
    DT_PARAMETER_SECTION_COUNT,
    DT_PARAMETER_SCHEDULE,
    DT_PARAMETER_DIRECTION,
    DT_PARAMETER_LOOP_FIRST,
    DT_PARAMETER_LOOP_END,
    DT_PARAMETER_LOOP_STEP,
    DT_PARAMETER_CHUNK,
    DT_PARAMETER_FIRST_OUT, /* of the part of a loop that the thread gets */
    DT_PARAMETER_END_OUT,
    DT_PARAMETER_STEP_OUT,
    DT_PARAMETER_LAST_OUT, /* whether it is the last part */
    DT_PARAMETER_TASK,
    DT_PARAMETER_DEPENDENCIES,
    DT_PARAMETER_REDUCTIONS,
    DT_PARAMETER_DEVICE,

    /* The rest. */
    DT_PARAMETER_NUMBER,
    DT_PARAMETER_NUMBER_OUT,
    DT_PARAMETER_NUMBERS,
    DT_PARAMETER_NUMBERS_OUT,
    DT_PARAMETER_TRUTH,
    DT_PARAMETER_TRUTH_OUT,
    DT_PARAMETER_FLAGS,
    DT_PARAMETER_SIZE,
    DT_PARAMETER_NARROW_SIZE, /* of 32 bits, but in the variant with large counts */
    DT_PARAMETER_SIZES,
    DT_PARAMETER_SIZE_OUT,
    DT_PARAMETER_ADDRESS,
    DT_PARAMETER_ADDRESS_OUT,
    DT_PARAMETER_ADDRESSES_OUT,
    DT_PARAMETER_MEMORY, /* that the call takes over, frees, or registers */
    DT_PARAMETER_MEMORY_AT,
    DT_PARAMETER_MEMORY_OUT,
    DT_PARAMETER_TEXT,
    DT_PARAMETER_TEXTS,
    DT_PARAMETER_TEXT_OUT,
    DT_PARAMETER_LENGTH_AT,
    DT_PARAMETER_LENGTH_OUT,
    DT_PARAMETER_FUNCTION,
    DT_PARAMETER_POINTER,
    DT_PARAMETER_POINTERS,
    DT_PARAMETER_VARIADIC /* any number of further ones */
};

enum { DT_CALL_MOST_PARAMETERS = 13, DT_CALL_NAME_BYTES = 48 };

struct dt_call {
    char name[DT_CALL_NAME_BYTES];                   /* MPI's without "MPI_" */
    uint8_t parameters[DT_CALL_MOST_PARAMETERS + 1]; /* enum dt_parameter_kind, up to DT_PARAMETER_NONE */
    uint32_t properties;                             /* enum dt_call_property */
};

/** True for "printf", "strcmp", "getenv", "malloc": what serves a program's own calls. Not in the tracer. */
bool dt_call_is_auxiliary(const char *name);
/** True for those of them that get, free, fill, copy or compare memory. Not in the tracer. */
bool dt_call_manages_memory(const char *name);
/** The class that a function's name gives it, also of functions that have no row: PMPI_Send, GOMP_of_tomorrow. */
enum dt_call_class dt_call_class(const char *name);
/** The row of a function, MPI's with or without P, and with _c if it has a variant of that name, others' also with
 * @plt; NULL: it has none. */
const struct dt_call *dt_call_find(const char *name);
/** True if the name is that of the variant with counts of 64 bits: MPI_Send_c. */
bool dt_call_is_large(const struct dt_call *call, const char *name);
/** The row of an MPI function in any spelling, without MPI_: of "comm_rank", "COMM_RANK", "send_c"; NULL: none. */
const struct dt_call *dt_call_find_mpi(const char *name);
/** DT_CALL_* of a function; 0: it has no row. */
uint32_t dt_call_properties(const char *name);
/** The class of a function whose calls are recorded by themselves, whoever makes them; else DT_CALL_UNKNOWN. */
enum dt_call_class dt_call_recorded(const char *name);
/** True if a parameter is of the kind. */
bool dt_call_has(const struct dt_call *call, enum dt_parameter_kind kind);
/** True unless an error of that class ("MPI_ERR_RANK") is about an argument that the call does not have. O(classes). */
bool dt_call_may_fail_with(const struct dt_call *call, const char *error_class);

/** Which processes make a call that makes a communicator, and so share its place in their order of such calls. */
enum dt_communicator_makers {
    DT_MADE_BY_PARENT,  /* all members of the communicator it is made from */
    DT_MADE_BY_MEMBERS, /* only those of the new one: MPI_Comm_create_group */
    DT_MADE_BY_HALVES,  /* those of both its groups, each from a communicator of its own: MPI_Intercomm_create */
    DT_MADE_BY_OTHERS   /* also processes that may be of another world: MPI_Comm_spawn, MPI_Comm_accept */
};
/** Of a call with a parameter COMM_MADE or COMM_MADE_LATER. */
enum dt_communicator_makers dt_call_makers(const struct dt_call *call);

/** The rows of a class, in the order of their names; MPI's without regard to case. */
struct dt_call_rows {
    const struct dt_call *calls;
    size_t count;
};
struct dt_call_rows dt_calls_of_class(enum dt_call_class call_class);

#ifdef __cplusplus
}
#endif

#endif
