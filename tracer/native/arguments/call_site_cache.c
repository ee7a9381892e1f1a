/* Calls that a thread makes again and again, with the same arguments and from the same call site: of these all is known
 * already but what is only seen when they are made, such as requests. */
#include "native/arguments/bindings.h"
#include "native/arguments/payload.h"
#include "native/stack/shadow_stack.h"
#include "record/api_rules.h"
#include "record/held_signals.h"
#include "record/times.h"

enum { DT_PLACE_BITS = 7 };
_Static_assert(DT_CACHED_CALLS == 1 << DT_PLACE_BITS, "identify() counts on it");

/* What tells a call of the function from others of it. */
struct identity {
    uint64_t site, hash;
    uint32_t function, count;
    int64_t live;
    uint64_t values[DT_MOST_PARAMETERS];
};

/* Gives its place in the table, too: the same place in the program may call with some communicators and peers in turn,
 * or for some requests, which are known later if it only tests them. */
static inline uint32_t identify(struct identity *identity, const struct dt_call_shape *shape,
                                const struct dt_entry_registers *registers, int64_t live)
{
    identity->site = dt_call_site_of(registers);
    uint64_t hash = identity->site + (shape->requests == DT_REQUESTS_TESTED ? 0 : (uint64_t)live);
    identity->live = live;
    identity->function = (uint32_t)registers->index;
    identity->count = shape->identity_count;
    for (uint32_t i = 0; i < shape->identity_count; i++) {
        uint64_t value = ((const uint64_t *)registers)[shape->identity[i]];
        identity->values[i] = value;
        hash = (hash << 11 | hash >> 53) + value;
    }
    identity->hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(identity->hash >> (64 - DT_PLACE_BITS));
}

static inline bool is_same(const struct dt_cached_call *cached, const struct identity *identity, bool tests)
{
    if (cached->head.site != identity->site || cached->head.function != identity->function ||
        (!tests && cached->live != identity->live))
        return false;
    for (uint32_t i = 0; i < identity->count; i++)
        if (cached->values[i] != identity->values[i])
            return false;
    return true;
}

/* NULL: it is not cached. */
static inline struct dt_cached_call *find_cached_call(struct dt_calls *calls, const struct dt_call_shape *shape,
                                                      struct dt_entry_registers *registers, int64_t live)
{
    struct identity identity;
    uint32_t place = identify(&identity, shape, registers, live);
    struct dt_cached_call *cached = &calls->cached[place];
    bool tests = shape->requests == DT_REQUESTS_TESTED;
    if (!is_same(cached, &identity, tests) && !is_same(cached = &calls->cached[place ^ 1], &identity, tests))
        return NULL;
    return cached->head.epoch == __atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE) ? cached : NULL;
}

/* ---- entry ----------------------------------------------------------------------------------- */

bool dt_cached_call_names_the_same(const struct dt_cached_call *cached)
{
    if (!cached->named_count || cached->head.requests_epoch != __atomic_load_n(&dt_requests_epoch, __ATOMIC_ACQUIRE))
        return false;
    for (uint32_t i = 0; i < cached->named_count; i++)
        if (cached->named[i].handle != dt_mpi_handle_at(cached->named[i].place))
            return false;
    return true;
}

static void keep_named(struct dt_cached_call *cached, const struct dt_calls *calls, const struct dt_open_call *open,
                       uint32_t epoch)
{
    cached->named_count = 0;
    if (open->shape->requests != DT_REQUESTS_TESTED)
        return;
    cached->head.parameter_count = DT_NOT_SHOWN;
    if (open->named_count > DT_CACHED_REQUESTS)
        return;
    for (uint32_t i = 0; i < open->named_count; i++)
        cached->named[i] = dt_open_call_named(calls, open)[i];
    cached->named_count = open->named_count;
    cached->named_wildcard = open->wildcard;
    cached->head.requests_epoch = epoch;
}

/* Begins the call once more; NULL: there are too many. */
static struct dt_open_call *begin_again(struct dt_calls *calls, const struct dt_call_shape *shape,
                                        struct dt_entry_registers *registers)
{
    struct dt_open_call *open = dt_open_call_begin(calls, (uint64_t)&registers->return_address);
    if (!open)
        return NULL;
    open->shape = shape;
    open->wildcard = false;
    for (uint32_t i = 0; i < shape->count; i++)
        open->values[i] = *dt_call_parameter(registers, i);
    return open;
}

static void open_again(struct dt_thread_state *thread, struct dt_open_call *open, const struct dt_cached_call *cached,
                       struct dt_entry_registers *registers)
{
    open->communicator = cached->communicator;
    open->wildcard |= cached->wildcard;
    if (open->shape->requests != DT_REQUESTS_NONE && open->shape->requests != DT_REQUESTS_TESTED)
        dt_open_call_note_others(thread, open, DT_LIVE_OTHERS);
    if (dt_process.options.payload)
        dt_payload_enter_openly(thread, open, dt_functions[registers->index].call);
    dt_open_call_end(thread->calls, open, registers);
}

/* One that names requests: which they are is a part of what tells it from others. */
static struct dt_cached_call *find_naming(struct dt_thread_state *thread, struct dt_open_call *open,
                                          struct dt_entry_registers *registers)
{
    struct dt_calls *calls = thread->calls;
    const struct dt_call_shape *shape = open->shape;
    bool tests = shape->requests == DT_REQUESTS_TESTED;
    struct dt_cached_call *cached = tests ? find_cached_call(calls, shape, registers, 0) : NULL;
    if (cached && dt_cached_call_names_the_same(cached)) {
        open->cached = cached;
        open->named_count = cached->named_count;
        open->wildcard = cached->named_wildcard;
        open->live = cached->live;
        return cached;
    }
    uint32_t epoch = __atomic_load_n(&dt_requests_epoch, __ATOMIC_ACQUIRE);
    dt_open_call_name(thread, open);
    if (!tests)
        cached = find_cached_call(calls, shape, registers, open->live);
    if (!cached || cached->live != open->live)
        return NULL;
    if (!calls->depth)
        keep_named(cached, calls, open, epoch);
    return cached;
}

static inline void push_if(bool push, const struct dt_entry_registers *registers)
{
    if (push)
        dt_shadow_push_frame((uint64_t)&registers->return_address, registers->return_address, registers->index);
}

static inline bool enter_lock(struct dt_calls *calls, const struct dt_entry_registers *registers, bool push)
{
    struct dt_cached_lock *cached =
        dt_cached_lock_find(&calls->locks, registers->index, registers->return_address, registers->rdi);
    if (!cached)
        return false;
    if (push && !calls->depth)
        dt_cached_lock_show(calls, cached);
    push_if(push, registers);
    dt_record_id(cached->head.id);
    return true;
}

static inline void record_again(struct dt_thread_state *thread, const struct dt_cached_call *cached,
                                const struct dt_entry_registers *registers, bool push)
{
    if (push)
        dt_stamp();
    push_if(push, registers);
    dt_record_id(cached->head.id);
    dt_parameter_note_end(thread, &cached->varying);
}

/* Shows it to the stubs, if they can enter it by themselves from now on. They know a call by its return address. */
static inline void show(struct dt_calls *calls, struct dt_cached_call *cached, const struct dt_call_shape *shape,
                        struct dt_entry_registers *registers)
{
    if (!calls->depth && !cached->varying.count && cached->head.site == registers->return_address &&
        shape->flags & (cached->opened ? DT_CALL_TESTS : DT_CALL_QUICK))
        dt_cached_call_show(calls, cached, shape, registers);
}

static bool enter_naming(struct dt_thread_state *thread, const struct dt_call_shape *shape,
                         struct dt_entry_registers *registers, bool push)
{
    struct dt_open_call *open = begin_again(thread->calls, shape, registers);
    struct dt_cached_call *cached = open ? find_naming(thread, open, registers) : NULL;
    if (!cached)
        return false;
    if (push)
        show(thread->calls, cached, shape, registers);
    record_again(thread, cached, registers, push);
    open_again(thread, open, cached, registers);
    return true;
}

static inline bool enter_nameless(struct dt_thread_state *thread, const struct dt_call_shape *shape,
                                  struct dt_entry_registers *registers, bool push)
{
    struct dt_calls *calls = thread->calls;
    struct dt_cached_call *cached = find_cached_call(calls, shape, registers, 0);
    if (!cached)
        return false;
    if (push)
        show(calls, cached, shape, registers);
    record_again(thread, cached, registers, push);
    struct dt_open_call *open = cached->opened ? begin_again(calls, shape, registers) : NULL;
    if (open)
        open_again(thread, open, cached, registers);
    else if (cached->opened)
        calls->unclear |= dt_call_shape_changes_requests(shape);
    else if (calls->depth)
        dt_open_calls_drop(calls, (uint64_t)&registers->return_address);
    return true;
}

/* Records the entry of a call with arguments that is cached; false: it is not. */
static inline bool enter_again(struct dt_thread_state *thread, const struct dt_hooked_function *function,
                               struct dt_entry_registers *registers, bool push)
{
    const struct dt_call_shape *shape = dt_call_shape(function->call);
    struct dt_calls *calls = thread->calls;
    if (!calls || !(shape->flags & (DT_CALL_LOCKS | DT_CALL_RECURS)))
        return false;
    if (shape->flags & DT_CALL_LOCKS)
        return enter_lock(calls, registers, push);
    if (function->api_class != DT_CALL_MPI)
        return false;
    return shape->requests != DT_REQUESTS_NONE ? enter_naming(thread, shape, registers, push)
                                               : enter_nameless(thread, shape, registers, push);
}

bool dt_call_enter_again(struct dt_thread_state *thread, struct dt_entry_registers *registers)
{
    return enter_again(thread, &dt_functions[registers->index], registers, false);
}

/* ---- the same without asking who called ------------------------------------------------------ */

/* True if nothing was left behind on the shadow stack: the frame below is that of a caller, or of the function that
 * ends with this call, and those of its place are not too many. As stubs.S asks. */
static inline bool is_in_order(const struct dt_frame *below, const struct dt_entry_registers *registers)
{
    uint64_t slot = (uint64_t)&registers->return_address;
    return below->slot > slot || (below->slot == slot && below[-DT_MOST_TAIL_CALLS].slot != slot &&
                                  registers->return_address == dt_functions[below->index].exit_address);
}

/* A call without arguments. Asking whether a library makes it is all that is left to do. */
static inline enum dt_answer enter_by_name(const struct dt_hooked_function *function,
                                           const struct dt_entry_registers *registers)
{
    if (function->action != DT_ACTION_NONE || function->api_class == DT_CALL_END)
        return DT_UNCLEAR;
    if (dt_api_is_inner(function, NULL, registers->return_address))
        return DT_LEFT_ALONE;
    if (function->timed)
        dt_stamp();
    push_if(true, registers);
    dt_record_call(registers->index);
    return DT_TRACED;
}

enum dt_answer dt_call_enter_quickly(struct dt_entry_registers *registers)
{
    struct dt_thread_state *thread = dt_self;
    const struct dt_frame *below = (const struct dt_frame *)dt_hot.top - 1;
    /* The fast path is open: nothing is in the way of recording. */
    if (!thread || dt_guard || dt_hot.top >= dt_hot.limit || dt_process.switched || !is_in_order(below, registers))
        return DT_UNCLEAR;
    const struct dt_hooked_function *function = &dt_functions[registers->index], *caller = &dt_functions[below->index];
    if (below != thread->frames && caller->encloses && function->enclosed)
        return DT_LEFT_ALONE;
    if (!caller->own_image || caller->api_class != DT_CALL_UNKNOWN)
        return DT_UNCLEAR;
    bool held = dt_signals_hold();
    dt_guard_raise();
    enum dt_answer answer = !dt_call_is_ready(thread, function)              ? enter_by_name(function, registers)
                            : enter_again(thread, function, registers, true) ? DT_TRACED
                                                                             : DT_UNCLEAR;
    dt_guard_lower();
    dt_signals_let(held);
    return answer;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Of calls whose arguments vary those that come again are few, and are not to drive out others. */
static bool came_before(struct dt_calls *calls, uint32_t place, uint64_t hash)
{
    bool before = calls->varied[place] == hash;
    calls->varied[place] = hash;
    return before;
}

void dt_cached_call_keep(struct dt_calls *calls, struct dt_entry_registers *registers, const struct dt_reading *reading,
                         const struct dt_open_call *open, uint32_t id, const struct dt_parameter_note *varying,
                         struct dt_call_epochs epochs)
{
    struct identity identity;
    /* Entries that calls below refer to must stay. */
    if (calls->depth > (open ? 1 : 0))
        return;
    uint32_t place = identify(&identity, reading->shape, registers, open ? open->live : 0);
    if (varying->count && !came_before(calls, place, identity.hash))
        return;
    struct dt_cached_call *cached = &calls->cached[place];
    /* What was there goes to the next place, unless it is the same call of another epoch. */
    if (!is_same(cached, &identity, reading->shape->requests == DT_REQUESTS_TESTED))
        calls->cached[place ^ 1] = *cached;
    cached->head.function = identity.function;
    cached->head.site = identity.site;
    cached->head.epoch = epochs.signatures;
    cached->head.id = id;
    cached->varying.count = varying->count;
    for (uint32_t i = 0; i < varying->count; i++)
        cached->varying.values[i] = varying->values[i];
    cached->communicator = reading->communicator;
    cached->live = identity.live;
    cached->opened = open != NULL;
    cached->wildcard = reading->wildcard;
    cached->named_count = 0;
    cached->head.named_bytes = 0;
    cached->head.parameter_count = DT_NOT_SHOWN;
    dt_copy_words(cached->values, identity.values, identity.count);
    if (open)
        keep_named(cached, calls, open, epochs.requests);
}
