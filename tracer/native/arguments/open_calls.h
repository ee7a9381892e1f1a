/**
 * A thread's calls with arguments: those that are looked at again when they return, and those that it makes again and
 * again: the call-site cache.
 */
#ifndef DT_ARGUMENTS_OPEN_CALLS_H
#define DT_ARGUMENTS_OPEN_CALLS_H

#include "native/arguments/call_notes.h"
#include "native/arguments/call_reading.h"
#include "native/arguments/live_requests.h"
#include "native/arguments/lock_site_cache.h"
#include "native/x86_64/stub_layout.h"
#include "record/switch.h"

enum {
    DT_NESTED_CALLS = 8, /* MPI calls from callbacks of MPI calls, or from signal handlers */
    DT_STATUS_INTS = 8,
    DT_CACHED_CALLS = 128,
    DT_CACHED_REQUESTS = 8, /* that a cached call may name */
    DT_SHOWN_CALLS = DT_SHOWN_MASK + 1,
    DT_CACHED_PARAMETERS_MOST = 6
};

/** A call that will be looked at again when it returns. */
struct dt_open_call {
    uint64_t slot;                     /* of the return address: which call it is */
    const struct dt_cached_head *lazy; /* one that the stub entered: the rest is to be filled in from there; or NULL */
    const struct dt_call_shape *shape;
    uint64_t values[DT_MOST_PARAMETERS];
    uint64_t communicator;
    uint32_t creation; /* of a communicator: the how manieth; of a datatype: its number */
    bool wildcard;
    const struct dt_cached_call *cached; /* it has the named requests; NULL: they are among the thread's */
    uint32_t first_named, named_count;
    int64_t live;               /* argument: which of the thread's live requests; 0: the call names none */
    int status[DT_STATUS_INTS]; /* in place of MPI_STATUS_IGNORE */
    bool large;                 /* counts of 64 bits; this and the next are known with --payload */
    bool data_sent;
    uint32_t data_sum; /* hash of what it sent */
};

/** A call as the thread made it lately: made again with the same parameters, it has the same id as long as signatures
 * have not changed, and names the same requests as long as these have not either. */
struct dt_cached_call {
    struct dt_cached_head head;
    uint64_t parameters[DT_CACHED_PARAMETERS_MOST];
    struct dt_named_request named[DT_CACHED_REQUESTS];
    uint32_t named_count;
    bool opened;         /* it is looked at again when it returns */
    bool wildcard;       /* by its parameters */
    bool named_wildcard; /* or by the requests in `named`, if it tests any */
    uint64_t communicator;
    int64_t live;                        /* argument */
    uint64_t values[DT_MOST_PARAMETERS]; /* those that the signature is made of, one behind the other */
    struct dt_parameter_note varying;    /* noted each time */
};

struct dt_calls {
    uint32_t depth;
    const struct dt_cached_head *shown[DT_SHOWN_CALLS]; /* by site, see api_stubs.S; none is NULL if dt_hot has these */
    struct dt_open_call open[DT_NESTED_CALLS];
    struct dt_named_request *named;
    uint32_t named_count, named_capacity;
    struct dt_live_requests live;
    bool unclear; /* what the trace says of live requests is no longer right: they are to be told anew */
    struct dt_cached_locks locks;
    struct dt_cached_call cached[DT_CACHED_CALLS];
    uint64_t varied[DT_CACHED_CALLS]; /* hashes of calls whose arguments vary, that came last */
};

/** The thread's, made now if there were none; NULL: no memory. */
struct dt_calls *dt_calls_of(struct dt_thread_state *thread);

static inline const struct dt_named_request *dt_open_call_named(const struct dt_calls *calls,
                                                                const struct dt_open_call *open)
{
    return open->cached ? open->cached->named : &calls->named[open->first_named];
}

/* ---- call_site_stubs.c --------------------------------------------------------------------------- */

/** Calls that api_stubs.S enters: cached ones that the same function makes with the same parameters, as far as these
 * are of interest, all of them in registers. Makes the call one if it can be; it is about to be entered, inside no
 * other that is open. */
void dt_cached_call_show(struct dt_calls *calls, struct dt_cached_call *cached, const struct dt_call_shape *shape,
                         struct dt_entry_registers *registers);
void dt_cached_lock_show(struct dt_calls *calls, struct dt_cached_lock *cached);
/** Fills in the lazy one. */
void dt_open_call_fill(struct dt_calls *calls);
/** Whether the requests that it names are the same as when it was kept. */
bool dt_cached_call_names_the_same(const struct dt_cached_call *cached);

static inline void dt_open_calls_settle(struct dt_calls *calls)
{
    if (calls->depth && calls->open[0].lazy)
        dt_open_call_fill(calls);
}

/* ---- open_calls.c ---------------------------------------------------------------------------- */

/** Forgets calls that were left by longjmp, or whose frame is gone: those at `slot` and below. */
void dt_open_calls_drop(struct dt_calls *calls, uint64_t slot);

/* ---- named_requests.c ------------------------------------------------------------------------ */

/** Finds the requests that the call names, before it is recorded, and says which they are in `open->live`. */
void dt_open_call_name(struct dt_thread_state *thread, struct dt_open_call *open);
/** When it has been recorded: notes those of other threads. */
void dt_open_call_note_others(struct dt_thread_state *thread, const struct dt_open_call *open,
                              enum dt_live_event event);

/* ---- a call that opens ----------------------------------------------------------------------- */

/** The place of one that returns to `slot`, to be filled in; NULL: there are too many, and it will not be looked at
 * again. It is open when dt_open_call_end() has been called. */
static inline struct dt_open_call *dt_open_call_begin(struct dt_calls *calls, uint64_t slot)
{
    if (calls->depth)
        dt_open_calls_drop(calls, slot);
    else
        calls->named_count = 0;
    if (calls->depth == DT_NESTED_CALLS)
        return NULL;
    struct dt_open_call *open = &calls->open[calls->depth];
    open->slot = slot;
    open->lazy = NULL;
    open->creation = 0;
    open->cached = NULL;
    open->first_named = calls->named_count;
    open->named_count = 0;
    open->live = 0;
    return open;
}

static inline void dt_open_call_end(struct dt_calls *calls, struct dt_open_call *open,
                                    struct dt_entry_registers *registers)
{
    /* A place for the status of a wildcard receive, or where lengths are asked for, where the program wants none: MPI
     * fills it, and nobody is the wiser. */
    uint8_t status = open->shape->status;
    if ((open->wildcard || dt_process.options.payload) && status != DT_NO_PARAMETER &&
        open->values[status] == dt_mpi.ignored_status) {
        open->values[status] = (uint64_t)open->status;
        *dt_call_parameter(registers, status) = (uint64_t)open->status;
    }
    calls->depth++;
}

/** The topmost has returned. */
static inline void dt_open_call_close(struct dt_calls *calls)
{
    calls->depth--;
    calls->named_count = calls->open[calls->depth].first_named;
}

/** What libraries lock in their own threads would only take numbers from the program's locks. */
static inline bool dt_call_is_ready(const struct dt_thread_state *thread, const struct dt_hooked_function *function)
{
    if (!dt_process.options.arguments || !function->call)
        return false;
    if (function->api_class == DT_CALL_MPI)
        return dt_mpi.ready || function->action == DT_ACTION_MPI_INIT;
    return thread->kind == DT_THREAD_APP;
}

/* MPI's own functions are called from here on and may be hooked: the fast path is closed to them. */
static inline void dt_close_fast_path(struct dt_thread_state *thread)
{
    dt_switch_close(thread);
    dt_compiler_barrier();
}

static inline void dt_open_fast_path(struct dt_thread_state *thread)
{
    dt_compiler_barrier();
    if (!thread->unwinding)
        dt_switch_open(thread);
}

/* ---- call_site_cache.c --------------------------------------------------------------------------- */

/** What has to be the same when a call is to be found in the cache. */
struct dt_call_epochs {
    uint32_t signatures, requests;
};
static inline struct dt_call_epochs dt_call_epochs_now(void)
{
    return (struct dt_call_epochs){__atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE),
                                   __atomic_load_n(&dt_requests_epoch, __ATOMIC_ACQUIRE)};
}

/** Keeps a call that was read and recorded, if it can be found again. `open`: as it was opened, or NULL; `varying`:
 * what was noted of its arguments; `epochs`: from before it was read. */
void dt_cached_call_keep(struct dt_calls *calls, struct dt_entry_registers *registers, const struct dt_reading *reading,
                         const struct dt_open_call *open, uint32_t id, const struct dt_parameter_note *varying,
                         struct dt_call_epochs epochs);

#endif
