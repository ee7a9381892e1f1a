/**
 * A thread's calls with arguments: those that are looked at again when they return, and those that it makes again and
 * again, of which all is known already.
 */
#ifndef DT_RUNTIME_OPEN_CALLS_H
#define DT_RUNTIME_OPEN_CALLS_H

#include "call_reading.h"

enum {
    DT_NESTED_CALLS = 8, /* MPI calls from callbacks of MPI calls, or from signal handlers */
    DT_STATUS_INTS = 8,
    DT_KNOWN_CALLS = 64,
    DT_KNOWN_REQUESTS = 8 /* that a known call may name */
};

/** A request that a call names, as it was at the entry. */
struct dt_named_request {
    uint64_t handle, place;
    struct dt_request request;
};

/** A call that will be looked at again when it returns. */
struct dt_open_call {
    uint64_t slot; /* of the return address: which call it is */
    const struct dt_call *call;
    uint64_t values[DT_MOST_PARAMETERS];
    uint64_t communicator;
    uint32_t creation;
    bool wildcard;
    const struct dt_known_call *known; /* it has the named requests; NULL: they are among the thread's */
    uint32_t first_named, named_count;
    int status[DT_STATUS_INTS]; /* in place of MPI_STATUS_IGNORE */
};

/** A call as the thread made it lately: made again with the same parameters, it is the same call as long as neither
 * signatures nor, if it names any, requests have changed. */
struct dt_known_call {
    uint64_t function, site;
    uint32_t epoch, requests_epoch, id;
    uint32_t value_count;
    bool opened; /* it is looked at again when it returns: as `open` */
    struct dt_open_call open;
    struct dt_named_request named[DT_KNOWN_REQUESTS];
};

struct dt_calls {
    uint32_t depth;
    struct dt_open_call open[DT_NESTED_CALLS];
    struct dt_named_request *named;
    uint32_t named_count, named_capacity;
    struct dt_known_locks locks;
    struct dt_known_call known[DT_KNOWN_CALLS];
};

/** The thread's, made now if there were none; NULL: no memory. */
struct dt_calls *dt_calls_of(struct dt_thread_state *thread);

static inline const struct dt_named_request *dt_open_call_named(const struct dt_calls *calls,
                                                                const struct dt_open_call *open)
{
    return open->known ? open->known->named : &calls->named[open->first_named];
}

/** Forgets calls that were left by longjmp, or whose frame is gone: those at `slot` and below. */
void dt_open_calls_drop(struct dt_calls *calls, uint64_t slot);

/* MPI's own functions are called from here on and may be hooked: the fast path is closed to them. */
static inline void dt_close_fast_path(void)
{
    dt_hot.limit = 0;
    dt_compiler_barrier();
}

static inline void dt_open_fast_path(const struct dt_thread_state *thread)
{
    dt_compiler_barrier();
    if (!thread->unwinding)
        dt_switch_open(thread);
}

/* ---- known_calls.c --------------------------------------------------------------------------- */

/** What has to be the same when a call is to be known again. */
struct dt_call_epochs {
    uint32_t signatures, requests;
};
static inline struct dt_call_epochs dt_call_epochs_now(void)
{
    return (struct dt_call_epochs){__atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE),
                                   __atomic_load_n(&dt_requests_epoch, __ATOMIC_ACQUIRE)};
}

/** NULL: it is not known. */
const struct dt_known_call *dt_known_call_find(struct dt_calls *calls, struct dt_entry_registers *registers);
/** Opens it, if it is to be looked at again when it returns. */
void dt_known_call_open(struct dt_calls *calls, const struct dt_known_call *known, uint64_t slot);
/** Keeps a call that was read and recorded, if it can be known again. `open`: as it was opened, or NULL; `epochs`: from
 * before it was read. */
void dt_known_call_keep(struct dt_calls *calls, const struct dt_entry_registers *registers,
                        const struct dt_reading *reading, const struct dt_open_call *open, uint32_t id,
                        struct dt_call_epochs epochs);

#endif
