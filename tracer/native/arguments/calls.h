/**
 * Arguments of MPI calls and of calls that lock: call signatures. What is recorded of a call is an event id of its own
 * for each combination of arguments; what does not fit into ids is noted beside the words.
 *
 *   call_shapes.c       what the table of calls (src/calls) says, as the others need it
 *   call_reading.c      a call's parameters -> arguments
 *   calls.c             a call at its entry
 *   open_calls.c        what has to be remembered of it until it returns
 *   call_exit.c         what it found out, at its exit
 *   signatures.c        arguments -> event id; parameters that vary too much
 *   mpi_library.c       which MPI it is, its constants, the functions that we ask
 *   mpi_datatypes.c     datatypes: sizes, trees of constructors
 *   mpi_objects.c       operations, windows, files
 *   mpi_communicators.c communicators and their records
 *   mpi_requests.c      requests: made, waited for, completed; live_requests.h
 *   named_requests.c    the requests that a call names
 *   handles.c           handle -> what we know of it
 *   locks.c             addresses of locks -> numbers
 *   lock_site_cache.c   the same for the calls that a thread makes again and again
 *   payload.c           what is sent and received, as hashes; payload.h
 *   call_site_cache.c   calls of MPI that a thread makes again and again
 *   call_site_stubs.c   those of both that api_stubs.S enters and leaves by itself
 *
 * All of it runs with dt_guard raised, so that no signal handler of the program can come back into it.
 */
#ifndef DT_ARGUMENTS_CALLS_H
#define DT_ARGUMENTS_CALLS_H

#include "calls/calls.h"
#include "format/arguments.h"
#include "native/x86_64/registers.h"
#include "record/functions.h"
#include "record/process.h"

/* ---- call_shapes.c --------------------------------------------------------------------------- */

/** Of calls with arguments: DT_CALL_WITH_ARGUMENTS. */
enum { DT_MOST_PARAMETERS = DT_CALL_MOST_PARAMETERS };

/** What becomes of the requests that a call names. */
enum dt_request_use {
    DT_REQUESTS_NONE,
    DT_REQUESTS_STARTED,
    DT_REQUESTS_AWAITED,
    DT_REQUESTS_TESTED,
    DT_REQUESTS_FREED
};

/** What has to be done for a call beside its signature. */
enum dt_call_flags {
    DT_CALL_LEAVES = 1u << 0, /* it is looked at again when it returns */
    DT_CALL_STATUS = 1u << 1, /* the same if it receives from anybody */
    DT_CALL_FREES = 1u << 2,  /* it frees what we know of */
    DT_CALL_LOCKS = 1u << 3,  /* its one parameter is a lock */
    DT_CALL_RECURS = 1u << 4, /* made again, it may have the same signature: it makes and frees no object of MPI's */
    DT_CALL_QUICK = 1u << 5,  /* and what it is known by is in registers, */
    DT_CALL_TESTS = 1u << 6,  /* and all of it, and a flag tells whether there is anything to look at */
    DT_CALL_OF_MPI = 1u << 7
};
/** What a row of the table of calls says, worked out once for each function. Parameters by their numbers; sets of them:
 * a bit each. */
struct dt_call_shape {
    const struct dt_call *call;
    uint16_t results;    /* looked at when the call returns, where they are not of completed requests */
    uint8_t flags;       /* enum dt_call_flags */
    uint8_t requests;    /* enum dt_request_use */
    uint8_t constructor; /* dt_constructor_of() */
    bool payload;        /* it has data to be hashed: --payload */
    uint8_t count;       /* of parameters, up to the last of interest */
    uint8_t status, statuses, flag, one, some, indices; /* or DT_NO_PARAMETER */
    uint8_t quick_count; /* of parameters, up to the last that the signature is made of */
    uint8_t identity_count;
    uint8_t identity[DT_MOST_PARAMETERS]; /* places of what the signature is made of, and of requests that are tested */
};
enum {
    DT_NO_PARAMETER = DT_MOST_PARAMETERS,
    DT_CALL_LARGE = 1 << 15 /* counts of 64 bits (MPI_Send_c) */
};
/** The index of a function's shape, with DT_CALL_LARGE; 0: its arguments are not recorded. Under the lock of hooks. */
uint16_t dt_call_shape_find(const char *name);
/** True if a call of the shape makes requests, or may end some that it names. */
bool dt_call_shape_changes_requests(const struct dt_call_shape *shape);
extern struct dt_call_shape dt_call_shapes[];
/** Of index 0: has no flags. */
static inline const struct dt_call_shape *dt_call_shape(uint16_t index)
{
    return &dt_call_shapes[index & ~DT_CALL_LARGE];
}

/* ---- handles.c ------------------------------------------------------------------------------- */

/** 64-bit handles or addresses, not 0, to values. All zero: empty. Has no lock. */
struct dt_handles {
    struct dt_handle_entry *entries;
    uint32_t count;
};
bool dt_handles_get(const struct dt_handles *handles, uint64_t handle, uint64_t *value);
/** False: no room. */
bool dt_handles_put(struct dt_handles *handles, uint64_t handle, uint64_t value);
void dt_handles_remove(struct dt_handles *handles, uint64_t handle);
/** Removes it if its value is one of first...last. */
void dt_handles_remove_if(struct dt_handles *handles, uint64_t handle, uint64_t first, uint64_t last);

/* ---- mpi_library.c --------------------------------------------------------------------------- */

enum { DT_ASSERTIONS = 5 };

/** The process's MPI; all zero before MPI_Init has returned and after MPI_Finalize was called. */
struct dt_mpi {
    bool ready;
    bool handles_are_pointers;
    uint64_t world, self;
    uint64_t no_communicator, no_request, no_datatype;
    uint64_t operations[DT_OPERATION_NO_OP + 1];
    int any_source, proc_null, root;
    uint64_t in_place, ignored_status;
    int source_place, tag_place, status_ints; /* of MPI_Status, in ints */
    uint64_t no_group;
    int lock_exclusive, lock_shared;
    int assertions[DT_ASSERTIONS]; /* no check, no precede, no put, no store, no succeed */
    int cartesian, graph, distributed_graph;
    /* Handles are passed as 64 bits: MPIs whose handles are ints look at the lower half. */
    int (*comm_rank)(uint64_t, int *), (*comm_size)(uint64_t, int *);
    int (*comm_test_inter)(uint64_t, int *), (*comm_remote_size)(uint64_t, int *);
    int (*comm_group)(uint64_t, uint64_t *), (*comm_remote_group)(uint64_t, uint64_t *);
    int (*group_translate_ranks)(uint64_t, int, const int *, uint64_t, int *);
    int (*group_free)(uint64_t *);
    int (*type_size_x)(uint64_t, int64_t *);
    int (*type_get_name)(uint64_t, char *, int *);
    int (*error_class)(int, int *);
    int (*group_size)(uint64_t, int *);
    int (*topo_test)(uint64_t, int *), (*cartdim_get)(uint64_t, int *);
    int (*graph_neighbors_count)(uint64_t, int, int *), (*dist_graph_neighbors_count)(uint64_t, int *, int *, int *);
    int (*query_thread)(int *);
    int (*comm_get_parent)(uint64_t *); /* NULL: MPI has none */
};
extern struct dt_mpi dt_mpi;

/** That MPI_Init_thread was asked for; -1: it was not. */
extern int dt_mpi_required_level;
void dt_mpi_initialised(uint32_t image);
void dt_mpi_finalizing(void);
/** Finds a function of MPI's, and stores it at `to`; false: there is none. */
bool dt_mpi_function(void *library, const char *name, void *to);
/** Of an error that a call has returned; the error itself if MPI does not tell. */
int dt_mpi_error_class(int error);
/** A handle as it stands in memory. */
static inline uint64_t dt_mpi_handle_at(uint64_t place)
{
    if (!place)
        return 0;
    return dt_mpi.handles_are_pointers ? *(const uint64_t *)place : *(const uint32_t *)place;
}
static inline uint64_t dt_mpi_handle(uint64_t passed)
{
    return dt_mpi.handles_are_pointers ? passed : (uint32_t)passed;
}
static inline size_t dt_mpi_handle_bytes(void)
{
    return dt_mpi.handles_are_pointers ? 8 : 4;
}

/* Whether MPI's functions may be asked about a handle: anything else may be a reason for them to end the program. */
bool dt_mpi_is_communicator(uint64_t handle);
bool dt_mpi_is_datatype(uint64_t handle);
bool dt_mpi_is_group(uint64_t handle);

/* ---- mpi_communicators.c --------------------------------------------------------------------- */

struct dt_known_communicator {
    uint64_t handle;
    uint64_t key;     /* 0: not sure */
    uint64_t family;  /* hash of how it was made, of what and of whom; 0: not known */
    uint64_t members; /* hash of both groups; 0: not known yet */
    uint32_t number, parent, creation, children;
    uint32_t maker; /* index of the thread that made it */
    int32_t rank, size, remote_size;
    bool asked; /* rank and sizes are known */
};
/** How a communicator was made. */
struct dt_communicator_origin {
    const struct dt_call *call;
    uint64_t parent;   /* handle */
    uint32_t creation; /* the how manieth call that makes communicators from the parent */
    uint32_t thread;   /* index of the caller */
    int tag;           /* 0: the call has none that all members give alike */
};

/** NULL: not valid, or one too many. */
struct dt_known_communicator *dt_communicator_get(uint64_t handle);
/** The next creation from that parent; the same on all members. */
uint32_t dt_communicator_creation(uint64_t parent);
/** A new one; `pending`: MPI may be asked for its members later only, which are its parent's. */
void dt_communicator_made(uint64_t handle, const struct dt_communicator_origin *origin, bool pending);
void dt_communicator_freed(uint64_t handle);
/** Ranks in MPI_COMM_WORLD of a group's members, if they are `most` at most; gives how many there are, -1: it is none.
 */
int64_t dt_group_members(uint64_t handle, int *ranks, uint32_t most);
/** Of one with a Cartesian topology; -1: it has none. */
int64_t dt_communicator_dimensions(uint64_t handle);
/** How many neighbours a process receives from and sends to in the communicator's topology; false: it has none. */
bool dt_communicator_degrees(uint64_t handle, int *in, int *out);

/* ---- mpi_datatypes.c ------------------------------------------------------------------------- */

struct dt_datatype {
    int64_t size;    /* in bytes; -1: unknown */
    uint32_t number; /* format/datatypes.h */
};
struct dt_datatype dt_datatype_of(uint64_t handle);
static inline int64_t dt_datatype_size(uint64_t handle)
{
    return dt_datatype_of(handle).size;
}
/** A call has made one, whose number dt_datatype_constructed() has told when the call was entered. */
void dt_datatype_made(uint64_t handle, uint32_t number);
void dt_datatype_freed(uint64_t handle);
/** enum dt_constructor that a call stands for, DT_CONSTRUCTORS: of a copy; 0: it makes no datatype. */
uint8_t dt_constructor_of(const struct dt_call *call);

/* ---- mpi_objects.c --------------------------------------------------------------------------- */

/** enum dt_operation, or the number of one of the program's. */
int64_t dt_operation_number(uint64_t handle);
void dt_operation_freed(uint64_t handle);
/** Number of a window, and the handle of the communicator it was made on; false: unknown. */
bool dt_window_get(uint64_t handle, uint32_t *number, uint64_t *communicator);
void dt_window_made(uint64_t handle, uint64_t communicator);
void dt_window_freed(uint64_t handle);
/** A file as an argument; it is numbered by opening. */
int64_t dt_file_argument(uint64_t handle);
void dt_file_opened(uint64_t handle);
void dt_file_closed(uint64_t handle);

/* ---- locks.c --------------------------------------------------------------------------------- */

/** 0: one too many. */
uint32_t dt_lock_number(uint64_t address);
void dt_lock_destroyed(uint64_t address);

/* ---- calls.c, call_exit.c --------------------------------------------------------------------- */

/** Records the entry of a function that has arguments. */
void dt_call_enter(struct dt_thread_state *thread, struct dt_entry_registers *registers);
/** The same for one with arguments that the thread has made before, with the same arguments and from the same place;
 * false: it is not in the cache. */
bool dt_call_enter_again(struct dt_thread_state *thread, struct dt_entry_registers *registers);
/** The whole entry of a call, where the function below on the shadow stack answers the questions: one of the program,
 * and the call is cached or has no arguments; or another call of ours, which this one is a part of. */
enum dt_answer { DT_TRACED, DT_LEFT_ALONE, DT_UNCLEAR };
enum dt_answer dt_call_enter_quickly(struct dt_entry_registers *registers);
/** The same for calls that are not recorded, because a library makes them: they may free what we know. `inside`: the
 * call that this one is a part of, or NULL. */
void dt_call_seen(const struct dt_thread_state *thread, const struct dt_entry_registers *registers,
                  const struct dt_hooked_function *inside);
/** True if calls of the function are to be looked at when they return. */
static inline bool dt_call_leaves(const struct dt_hooked_function *function)
{
    return dt_process.options.arguments && (function->action == DT_ACTION_MPI_INIT ||
                                            dt_call_shape(function->call)->flags & (DT_CALL_LEAVES | DT_CALL_STATUS));
}
/** A call right inside another one of ours is that one's business, if there is nothing in it that we have to know. And
 * whether its result says that it has failed. */
void dt_call_classify(struct dt_hooked_function *function, const char *name);
void dt_call_leave(const struct dt_exit_registers *registers, const struct dt_hooked_function *function);
void dt_calls_release(struct dt_thread_state *thread);

#endif
