/* Calls that a thread makes again and again, with the same arguments and from the same place: of these all is known
 * already but what is only seen when they are made, such as requests. */
#include "open_calls.h"

enum { DT_PLACE_BITS = 7 };
_Static_assert(DT_KNOWN_CALLS == 1 << DT_PLACE_BITS, "place_of() counts on it");

/* What tells a call of the function from others of it. */
struct identity {
    uint64_t function, site;
    uint32_t count;
    uint64_t values[DT_MOST_PARAMETERS];
};

static inline void identify(struct identity *identity, const struct dt_call_shape *shape,
                            struct dt_entry_registers *registers)
{
    identity->function = registers->index;
    identity->site = registers->return_address;
    identity->count = 0;
    for (uint32_t left = shape->signature; left; left &= left - 1)
        identity->values[identity->count++] = *dt_call_parameter(registers, (uint32_t)__builtin_ctz(left));
}

/* The same place in the program may call with some communicators and peers in turn. */
static inline uint32_t place_of(const struct identity *identity)
{
    uint64_t hash = identity->site;
    for (uint32_t i = 0; i < identity->count; i++)
        hash = (hash << 11 | hash >> 53) + identity->values[i];
    hash *= 0x9e3779b97f4a7c15u;
    return (uint32_t)((hash ^ hash >> 29) * 0x9e3779b97f4a7c15u >> (64 - DT_PLACE_BITS));
}

static inline bool is_same(const struct dt_known_call *known, const struct identity *identity)
{
    if (known->site != identity->site || known->function != identity->function)
        return false;
    for (uint32_t i = 0; i < identity->count; i++)
        if (known->values[i] != identity->values[i])
            return false;
    return true;
}

/* NULL: it is not known. */
static inline struct dt_known_call *find(struct dt_calls *calls, const struct dt_call_shape *shape,
                                         struct dt_entry_registers *registers)
{
    struct identity identity;
    identify(&identity, shape, registers);
    uint32_t place = place_of(&identity);
    struct dt_known_call *known = &calls->known[place];
    if (!is_same(known, &identity) && !is_same(known = &calls->known[place ^ 1], &identity))
        return NULL;
    return known->epoch == __atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE) ? known : NULL;
}

/* ---- entry ----------------------------------------------------------------------------------- */

static bool names_the_same(const struct dt_known_call *known)
{
    if (!known->named_count || known->requests_epoch != __atomic_load_n(&dt_requests_epoch, __ATOMIC_ACQUIRE))
        return false;
    for (uint32_t i = 0; i < known->named_count; i++)
        if (known->named[i].handle != dt_mpi_handle_at(known->named[i].place))
            return false;
    return true;
}

static void keep_named(struct dt_known_call *known, const struct dt_calls *calls, const struct dt_open_call *open,
                       uint32_t epoch)
{
    known->named_count = 0;
    if (open->shape->call->requests != DT_REQUESTS_TESTED || open->named_count > DT_KNOWN_REQUESTS)
        return;
    for (uint32_t i = 0; i < open->named_count; i++)
        known->named[i] = dt_open_call_named(calls, open)[i];
    known->named_count = open->named_count;
    known->named_wildcard = open->wildcard;
    known->requests_epoch = epoch;
}

static void open_again(struct dt_thread_state *thread, const struct dt_call_shape *shape, struct dt_known_call *known,
                       struct dt_entry_registers *registers)
{
    struct dt_open_call *open = dt_open_call_begin(thread->calls, (uint64_t)&registers->return_address);
    if (!open)
        return;
    open->shape = shape;
    open->communicator = known->communicator;
    open->wildcard = known->wildcard;
    for (uint32_t i = 0; i < shape->count; i++)
        open->values[i] = *dt_call_parameter(registers, i);
    if (names_the_same(known)) {
        open->known = known;
        open->named_count = known->named_count;
        open->wildcard = known->named_wildcard;
    } else {
        uint32_t epoch = __atomic_load_n(&dt_requests_epoch, __ATOMIC_ACQUIRE);
        dt_open_call_name(thread, open);
        if (!thread->calls->depth)
            keep_named(known, thread->calls, open, epoch);
    }
    dt_open_call_end(thread->calls, open, registers);
}

static inline void push_if(bool push, const struct dt_entry_registers *registers)
{
    if (push)
        dt_shadow_push_frame((uint64_t)&registers->return_address, registers->return_address, registers->index);
}

static inline bool enter_lock(struct dt_calls *calls, const struct dt_entry_registers *registers, bool push)
{
    uint32_t id = dt_known_lock_id(&calls->locks, registers->index, registers->return_address, registers->rdi);
    if (!id)
        return false;
    push_if(push, registers);
    dt_record_id(id);
    return true;
}

bool dt_call_enter_again(struct dt_thread_state *thread, struct dt_entry_registers *registers, bool push)
{
    const struct dt_hooked_function *function = &dt_functions[registers->index];
    const struct dt_call_shape *shape = dt_call_shape(function->call);
    struct dt_calls *calls = thread->calls;
    if (!calls || !(shape->flags & (DT_CALL_LOCKS | DT_CALL_RECURS)) || !dt_call_is_ready(thread, function))
        return false;
    if (shape->flags & DT_CALL_LOCKS)
        return enter_lock(calls, registers, push);
    struct dt_known_call *known = function->api_class == DT_API_MPI ? find(calls, shape, registers) : NULL;
    if (!known)
        return false;
    push_if(push, registers);
    dt_record_id(known->id);
    if (known->opened)
        open_again(thread, shape, known, registers);
    else if (calls->depth)
        dt_open_calls_drop(calls, (uint64_t)&registers->return_address);
    return true;
}

/* ---- keeping --------------------------------------------------------------------------------- */

void dt_known_call_keep(struct dt_calls *calls, struct dt_entry_registers *registers, const struct dt_reading *reading,
                        const struct dt_open_call *open, uint32_t id, struct dt_call_epochs epochs)
{
    struct identity identity;
    /* Entries that calls below refer to must stay. */
    if (calls->depth > (open ? 1 : 0))
        return;
    identify(&identity, reading->shape, registers);
    uint32_t place = place_of(&identity);
    struct dt_known_call *known = &calls->known[place];
    /* What was there goes to the next place, unless it is the same call of another epoch. */
    if (!is_same(known, &identity))
        calls->known[place ^ 1] = *known;
    known->function = identity.function;
    known->site = identity.site;
    known->epoch = epochs.signatures;
    known->id = id;
    known->communicator = reading->communicator;
    known->opened = open != NULL;
    known->wildcard = reading->wildcard;
    known->named_count = 0;
    dt_copy_words(known->values, identity.values, identity.count);
    if (open)
        keep_named(known, calls, open, epochs.requests);
}
