/**
 * What messages and contributions to collectives hold, as hashes of 32 bits: `collect --payload`. Which parameters are
 * buffers, and how much is in them, is told by the kinds of the parameters alone.
 *
 *   payload.c        a call's buffers, at its entry and at its return; requests that are not complete
 *   payload_types.c  datatypes: how their elements lie in memory
 *   payload_hash.c   the hash: XXH64, the lower half
 */
#ifndef DT_ARGUMENTS_PAYLOAD_H
#define DT_ARGUMENTS_PAYLOAD_H

#include "native/arguments/open_calls.h"

/* ---- payload_hash.c -------------------------------------------------------------------------- */

/** The hash of bytes that come in pieces. */
struct dt_payload_hash {
    uint64_t lanes[4];
    uint64_t bytes; /* all that came */
    uint8_t rest[32];
};
void dt_payload_hash_begin(struct dt_payload_hash *hash);
void dt_payload_hash_add(struct dt_payload_hash *hash, const void *data, uint64_t bytes);
/** The lower 32 bits of XXH64 with the seed 0 (Collet, xxHash specification 0.1.1). */
uint32_t dt_payload_hash_end(const struct dt_payload_hash *hash);

/* ---- payload_types.c ------------------------------------------------------------------------- */

/** A datatype that outlives its handle while it has users. */
struct dt_payload_type {
    uint64_t handle; /* for MPI's functions */
    int64_t size, extent;
    uint32_t users; /* 1 more while the program has it */
    bool contiguous;
    bool own; /* the handle is of a copy of ours */
};
/** Finds MPI's functions; without them nothing is hashed. `library`: where they are if the program does not export
 * them. */
void dt_payload_initialised(void *library);
/** With one user more; NULL: nothing is known of it. */
struct dt_payload_type *dt_payload_type_use(uint64_t handle);
void dt_payload_type_leave(struct dt_payload_type *type);
void dt_payload_type_freed(uint64_t handle);
/** Adds `count` elements, in the order of the type map. False: they cannot be looked at. */
bool dt_payload_add(struct dt_payload_hash *hash, uint64_t address, int64_t count, const struct dt_payload_type *type);
/** Elements that a receive got by its status; -1: not known. */
int64_t dt_payload_received_count(uint64_t status, const struct dt_payload_type *type);

/* ---- payload.c ------------------------------------------------------------------------------- */

/** Of a call's row: whether it has data to be hashed. */
bool dt_payload_has(const struct dt_call *call);
/** Notes what the call sends, or its requests, if it starts them; the fast path is closed. */
void dt_payload_enter(struct dt_thread_state *thread, struct dt_open_call *open, uint16_t index);
/** The same where the fast path is open. */
void dt_payload_enter_openly(struct dt_thread_state *thread, struct dt_open_call *open, uint16_t index);
/** Notes what it got. */
void dt_payload_leave(struct dt_thread_state *thread, const struct dt_open_call *open);
/** The call has made a request: what it gets is hashed when that completes. */
void dt_payload_request_made(const struct dt_open_call *open, struct dt_request request);
/** `status`: 0 if it is not known. */
void dt_payload_completed(struct dt_thread_state *thread, struct dt_request request, uint64_t status);
void dt_payload_request_freed(struct dt_request request);

#endif
