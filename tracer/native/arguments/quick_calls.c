/* Known calls that api_stubs.S enters and leaves by itself. */
#include "native/arguments/open_calls.h"

_Static_assert(offsetof(struct dt_hot, calls) == 0x18 && offsetof(struct dt_hot, guard) == 0x20 &&
                   offsetof(struct dt_calls, depth) == DT_CALLS_DEPTH &&
                   offsetof(struct dt_calls, quick) == DT_CALLS_QUICK &&
                   offsetof(struct dt_calls, open[0].slot) == DT_CALLS_OPEN_SLOT &&
                   offsetof(struct dt_calls, open[0].lazy) == DT_CALLS_OPEN_LAZY &&
                   offsetof(struct dt_quick_call, site) == DT_KNOWN_SITE &&
                   offsetof(struct dt_quick_call, function) == DT_KNOWN_FUNCTION &&
                   offsetof(struct dt_quick_call, caller) == DT_KNOWN_CALLER &&
                   offsetof(struct dt_quick_call, epoch) == DT_KNOWN_EPOCH &&
                   offsetof(struct dt_quick_call, id) == DT_KNOWN_ID &&
                   offsetof(struct dt_quick_call, requests_epoch) == DT_KNOWN_REQUESTS_EPOCH &&
                   offsetof(struct dt_quick_call, named_bytes) == DT_KNOWN_NAMED_BYTES &&
                   offsetof(struct dt_quick_call, flag) == DT_KNOWN_FLAG &&
                   offsetof(struct dt_quick_call, parameter_count) == DT_KNOWN_PARAMETER_COUNT &&
                   offsetof(struct dt_known_call, parameters) == DT_KNOWN_PARAMETERS &&
                   offsetof(struct dt_known_lock, address) == DT_KNOWN_PARAMETERS &&
                   offsetof(struct dt_known_call, named) == DT_KNOWN_NAMED &&
                   offsetof(struct dt_named_request, handle) == 0 && offsetof(struct dt_named_request, place) == 8 &&
                   sizeof(struct dt_named_request) == DT_NAMED_BYTES,
               "api_stubs.S counts on it");

/* What is looked at when a call returns that has nothing to say then. */
static const int nothing = 0;

/* Of one that is not opened: whether its stub asks what to do at its return. */
static const int *flag_unopened(const struct dt_quick_call *quick)
{
    return dt_functions[quick->function].asks_at_return ? &nothing : NULL;
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
    return shape->call->requests == DT_REQUESTS_TESTED;
}

/* Fills in what depends on whether it is looked at again; false: it cannot be quick. */
static bool describe_return(struct dt_known_call *known, const struct dt_call_shape *shape,
                            struct dt_entry_registers *registers)
{
    bool tests = tests_requests(shape);
    if (!known->opened) {
        known->quick.parameter_count = shape->quick_count;
        known->quick.flag = flag_unopened(&known->quick);
        return true;
    }
    if (tests && (!dt_mpi.handles_are_pointers || !dt_known_call_names_the_same(known)))
        return false;
    known->quick.parameter_count = shape->count;
    known->quick.named_bytes = tests ? known->named_count * DT_NAMED_BYTES : 0;
    known->quick.flag = flag_of(shape, registers, tests ? known->named_wildcard : known->wildcard);
    return known->quick.flag != NULL;
}

static bool can_be_quick(const struct dt_quick_call *quick)
{
    return quick->id <= DT_TAIL_LAST_ID && !(dt_process.can_jump && dt_process.has_handlers);
}

static void show_to_stubs(struct dt_calls *calls, struct dt_quick_call *quick)
{
    quick->caller = (uint32_t)((const struct dt_frame *)dt_hot.top)[-1].index;
    calls->quick[quick->site & DT_QUICK_MASK] = quick;
    if (dt_hot.calls)
        return;
    for (uint32_t i = 0; i < DT_QUICK_CALLS; i++)
        if (!calls->quick[i])
            calls->quick[i] = quick;
    dt_compiler_barrier();
    dt_hot.calls = calls;
}

void dt_quick_call_make(struct dt_calls *calls, struct dt_known_call *known, const struct dt_call_shape *shape,
                        struct dt_entry_registers *registers)
{
    if (!can_be_quick(&known->quick) || !describe_return(known, shape, registers)) {
        known->quick.parameter_count = DT_NOT_QUICK;
        return;
    }
    for (uint32_t i = 0; i < known->quick.parameter_count; i++)
        known->parameters[i] = *dt_call_parameter(registers, i);
    show_to_stubs(calls, &known->quick);
}

void dt_quick_lock_make(struct dt_calls *calls, struct dt_known_lock *known)
{
    if (!can_be_quick(&known->quick))
        return;
    known->quick.parameter_count = 1;
    known->quick.flag = flag_unopened(&known->quick);
    show_to_stubs(calls, &known->quick);
}

void dt_call_classify(struct dt_hooked_function *function)
{
    function->encloses = function->api_class != DT_API_NONE && function->api_class != DT_API_END;
    /* A call that may switch the recording on is always looked at. */
    function->enclosed = function->action == DT_ACTION_NONE && !dt_process.switched &&
                         !(dt_call_shape(function->call)->flags & DT_CALL_FREES);
}

void dt_open_call_fill(struct dt_calls *calls)
{
    struct dt_open_call *open = &calls->open[0];
    const struct dt_known_call *known = (const struct dt_known_call *)open->lazy;
    calls->named_count = 0;
    if (open->lazy->flag == &nothing) {
        calls->depth = 0;
        return;
    }
    open->shape = dt_call_shape(dt_functions[known->quick.function].call);
    for (uint32_t i = 0; i < known->quick.parameter_count; i++)
        open->values[i] = known->parameters[i];
    bool names = tests_requests(open->shape);
    open->communicator = known->communicator;
    open->creation = 0;
    open->wildcard = names ? known->named_wildcard : known->wildcard;
    open->known = names ? known : NULL;
    open->first_named = 0;
    open->named_count = names ? known->named_count : 0;
    open->lazy = NULL;
}
