/* Cached calls that api_stubs.S enters and leaves by itself. */
#include "native/arguments/open_calls.h"

_Static_assert(offsetof(struct dt_hot, calls) == 0x18 && offsetof(struct dt_hot, guard) == 0x20 &&
                   offsetof(struct dt_calls, depth) == DT_CALLS_DEPTH &&
                   offsetof(struct dt_calls, shown) == DT_CALLS_SHOWN &&
                   offsetof(struct dt_calls, open[0].slot) == DT_CALLS_OPEN_SLOT &&
                   offsetof(struct dt_calls, open[0].lazy) == DT_CALLS_OPEN_LAZY &&
                   offsetof(struct dt_cached_head, site) == DT_CACHED_SITE &&
                   offsetof(struct dt_cached_head, function) == DT_CACHED_FUNCTION &&
                   offsetof(struct dt_cached_head, caller) == DT_CACHED_CALLER &&
                   offsetof(struct dt_cached_head, epoch) == DT_CACHED_EPOCH &&
                   offsetof(struct dt_cached_head, id) == DT_CACHED_ID &&
                   offsetof(struct dt_cached_head, requests_epoch) == DT_CACHED_REQUESTS_EPOCH &&
                   offsetof(struct dt_cached_head, named_bytes) == DT_CACHED_NAMED_BYTES &&
                   offsetof(struct dt_cached_head, flag) == DT_CACHED_FLAG &&
                   offsetof(struct dt_cached_head, parameter_count) == DT_CACHED_PARAMETER_COUNT &&
                   offsetof(struct dt_cached_head, tests) == DT_CACHED_TESTS &&
                   offsetof(struct dt_cached_head, untimed) == DT_CACHED_UNTIMED &&
                   offsetof(struct dt_cached_head, is_test) == DT_CACHED_IS_TEST &&
                   offsetof(struct dt_cached_call, parameters) == DT_CACHED_PARAMETERS &&
                   offsetof(struct dt_cached_lock, address) == DT_CACHED_PARAMETERS &&
                   offsetof(struct dt_cached_call, named) == DT_CACHED_NAMED &&
                   offsetof(struct dt_named_request, handle) == 0 && offsetof(struct dt_named_request, place) == 8 &&
                   sizeof(struct dt_named_request) == DT_NAMED_BYTES,
               "api_stubs.S counts on it");

/* What is looked at when a call returns that has nothing to say then. */
static const int nothing = 0;

/* Of one that is not opened: whether its stub asks what to do at its return. */
static const int *flag_unopened(const struct dt_cached_head *head)
{
    return dt_functions[head->function].asks_at_return ? &nothing : NULL;
}

/* What tells that it has found nothing when it returns; NULL: it cannot be told so easily. */
static const int *flag_of(const struct dt_call_shape *shape, struct dt_entry_registers *registers, bool wildcard)
{
    if (shape->flag == DT_NO_PARAMETER)
        return NULL;
    /* MPI gets another status than the program's: dt_open_call_end(). */
    if (wildcard && shape->status != DT_NO_PARAMETER &&
        *dt_call_parameter(registers, shape->status) == dt_mpi.ignored_status)
        return NULL;
    return (const int *)*dt_call_parameter(registers, shape->flag);
}

static bool tests_requests(const struct dt_call_shape *shape)
{
    return shape->requests == DT_REQUESTS_TESTED;
}

/* Fills in what depends on whether it is looked at again; false: it cannot be shown to the stubs. */
static bool describe_return(struct dt_cached_call *cached, const struct dt_call_shape *shape,
                            struct dt_entry_registers *registers)
{
    bool tests = tests_requests(shape);
    cached->head.is_test = cached->opened;
    if (!cached->opened) {
        cached->head.parameter_count = shape->quick_count;
        cached->head.flag = flag_unopened(&cached->head);
        return true;
    }
    if (tests && (!dt_mpi.handles_are_pointers || !dt_cached_call_names_the_same(cached)))
        return false;
    cached->head.parameter_count = shape->count;
    cached->head.named_bytes = tests ? cached->named_count * DT_NAMED_BYTES : 0;
    cached->head.flag = flag_of(shape, registers, tests ? cached->named_wildcard : cached->wildcard);
    return cached->head.flag != NULL;
}

static bool can_be_shown(const struct dt_cached_head *head)
{
    return head->id <= DT_TAIL_LAST_ID && !(dt_process.can_jump && dt_process.has_handlers);
}

static void show_to_stubs(struct dt_calls *calls, struct dt_cached_head *head)
{
    head->untimed = !dt_functions[head->function].timed;
    head->caller = (uint32_t)((const struct dt_frame *)dt_hot.top)[-1].index;
    calls->shown[head->site & DT_SHOWN_MASK] = head;
    if (dt_hot.calls)
        return;
    for (uint32_t i = 0; i < DT_SHOWN_CALLS; i++)
        if (!calls->shown[i])
            calls->shown[i] = head;
    dt_compiler_barrier();
    dt_hot.calls = calls;
}

void dt_cached_call_show(struct dt_calls *calls, struct dt_cached_call *cached, const struct dt_call_shape *shape,
                         struct dt_entry_registers *registers)
{
    if (!can_be_shown(&cached->head) || !describe_return(cached, shape, registers)) {
        cached->head.parameter_count = DT_NOT_SHOWN;
        return;
    }
    for (uint32_t i = 0; i < cached->head.parameter_count; i++)
        cached->parameters[i] = *dt_call_parameter(registers, i);
    show_to_stubs(calls, &cached->head);
}

void dt_cached_lock_show(struct dt_calls *calls, struct dt_cached_lock *cached)
{
    if (!can_be_shown(&cached->head))
        return;
    cached->head.parameter_count = 1;
    cached->head.flag = flag_unopened(&cached->head);
    show_to_stubs(calls, &cached->head);
}

void dt_call_classify(struct dt_hooked_function *function, const char *name)
{
    const struct dt_call *call =
        dt_process.options.arguments && function->api_class == DT_CALL_MPI ? dt_call_find(name) : NULL;
    function->tells_failure = call && !(call->properties & DT_CALL_VALUE);
    function->encloses = function->api_class != DT_CALL_UNKNOWN && function->api_class != DT_CALL_END;
    /* A call that may switch the recording on is always looked at. */
    function->enclosed = function->action == DT_ACTION_NONE && !dt_process.switched &&
                         !(dt_call_shape(function->call)->flags & DT_CALL_FREES);
}

void dt_open_call_fill(struct dt_calls *calls)
{
    struct dt_open_call *open = &calls->open[0];
    const struct dt_cached_call *cached = (const struct dt_cached_call *)open->lazy;
    calls->named_count = 0;
    if (open->lazy->flag == &nothing) {
        calls->depth = 0;
        return;
    }
    open->shape = dt_call_shape(dt_functions[cached->head.function].call);
    for (uint32_t i = 0; i < cached->head.parameter_count; i++)
        open->values[i] = cached->parameters[i];
    bool names = tests_requests(open->shape);
    open->communicator = cached->communicator;
    open->creation = 0;
    open->wildcard = names ? cached->named_wildcard : cached->wildcard;
    open->cached = names ? cached : NULL;
    open->first_named = 0;
    open->named_count = names ? cached->named_count : 0;
    open->lazy = NULL;
}
