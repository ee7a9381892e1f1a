/** A thread's live requests: those that it has made and that have neither completed nor been freed. What calls name is
 * told by places among them, which are the same in each iteration of a program; docs/trace-format.md, section 8. */
#ifndef DT_ARGUMENTS_LIVE_REQUESTS_H
#define DT_ARGUMENTS_LIVE_REQUESTS_H

#include "native/arguments/calls.h"

/** What of an entry of the list is the number; the rest are flags of mpi_requests.c. */
#define DT_LIVE_NUMBER (((uint32_t)1 << 30) - 1)

/** What the program knew a request by when it was made. */
struct dt_birth {
    uint64_t handle, place;
};
/** All zero: none yet. */
struct dt_live_requests {
    uint32_t *numbers;       /* ascending, so the oldest first; with flags */
    struct dt_birth *births; /* of each of them */
    uint32_t count, capacity;
    uint32_t last;  /* number given out */
    uint32_t gone;  /* of those in the list: other threads have completed or freed them */
    uint32_t owner; /* index of the thread, plus 1, if others can find the list */
};

/** What is known of a request. */
struct dt_request {
    uint32_t number; /* in the thread that made it, from 1; 0: unknown */
    uint16_t thread; /* its index */
    bool persistent, wildcard;
};
static inline bool dt_request_is_own(const struct dt_live_requests *live, struct dt_request request)
{
    return request.thread + 1u == live->owner;
}
/** A request that a call names, as it was at the entry. */
struct dt_named_request {
    uint64_t handle, place;
    struct dt_request request;
};

enum { DT_REQUEST_PERSISTENT = 1, DT_REQUEST_WILDCARD = 2 };
/** `place`: where the program keeps the handle; `kind`: of the two above. Number 0: it cannot be told of. */
struct dt_request dt_request_made(struct dt_live_requests *live, uint32_t thread, uint64_t handle, uint64_t place,
                                  uint32_t kind);
/** Fills in what is known of them, by handles and places; `own`: of the caller. */
void dt_requests_get(const struct dt_live_requests *own, struct dt_named_request *named, uint32_t count);
/** They have completed: those that are not persistent are no more. */
void dt_requests_completed(struct dt_live_requests *live, const struct dt_named_request *named, uint32_t count);
void dt_requests_freed(struct dt_live_requests *live, const struct dt_named_request *named, uint32_t count);
/** Changes when a handle may no longer be the request that it was. */
extern uint32_t dt_requests_epoch;

/** Of an own request by its number; -1: it is not live. O(log live). */
int64_t dt_live_position(const struct dt_live_requests *live, uint32_t number);
/** Takes off those that other threads have completed or freed, at most so many: their positions before. */
uint32_t dt_live_take_gone(struct dt_live_requests *live, int64_t *positions, uint32_t most);
void dt_live_release(struct dt_live_requests *live);

#endif
