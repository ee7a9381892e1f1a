/* A call with arguments at its return: what it has made, what it received and from whom, which requests are complete.
 */
#include "native/arguments/open_calls.h"

static void note_status(struct dt_thread_state *thread, uint64_t status, uint64_t position, uint32_t request)
{
    if (status <= dt_mpi.ignored_status)
        return;
    const int *ints = (const int *)status + position * (uint64_t)dt_mpi.status_ints;
    dt_note_wildcard(thread, ints[dt_mpi.source_place], ints[dt_mpi.tag_place], request);
}

/* A parameter's value; 0: the call has none such. */
static uint64_t value_of(const struct dt_open_call *open, uint8_t parameter)
{
    return parameter == DT_NO_PARAMETER ? 0 : open->values[parameter];
}

/* What it points to, or `otherwise` if the call has none such. */
static int pointed(const struct dt_open_call *open, uint8_t parameter, int otherwise)
{
    const int *place = (const int *)value_of(open, parameter);
    return place ? *place : otherwise;
}

/* The requests that have completed, one after the other. */
struct completion {
    struct dt_thread_state *thread;
    const struct dt_open_call *open;
    struct dt_request_note note;
    bool tell; /* that they have is not clear from the call having returned */
};

static void note_completed(struct completion *completion, const struct dt_named_request *named,
                           uint64_t status_position)
{
    const struct dt_open_call *open = completion->open;
    if (!named->request.number)
        return;
    uint64_t statuses = value_of(open, open->shape->statuses);
    if (named->request.wildcard)
        note_status(completion->thread, statuses ? statuses : value_of(open, open->shape->status),
                    statuses ? status_position : 0, named->request.number);
    if (completion->tell)
        dt_request_note_add(completion->thread, &completion->note, named->request.number);
}

static void complete_one(struct completion *completion, int index, uint64_t status_position)
{
    if (index < 0 || (uint32_t)index >= completion->open->named_count)
        return;
    const struct dt_named_request *named = &dt_open_call_named(completion->thread->calls, completion->open)[index];
    note_completed(completion, named, status_position);
    dt_requests_completed(named, 1);
}

static void complete_all(struct completion *completion)
{
    const struct dt_named_request *named = dt_open_call_named(completion->thread->calls, completion->open);
    for (uint32_t i = 0; i < completion->open->named_count; i++)
        note_completed(completion, &named[i], i);
    dt_requests_completed(named, completion->open->named_count);
}

static void complete_requests(struct dt_thread_state *thread, const struct dt_open_call *open)
{
    const struct dt_call_shape *shape = open->shape;
    struct completion completion;
    if (!open->named_count)
        return;
    completion.thread = thread;
    completion.open = open;
    const int *indices = (const int *)value_of(open, shape->indices);
    completion.tell = shape->requests == DT_REQUESTS_TESTED || indices || value_of(open, shape->one);
    dt_request_note_begin(&completion.note, DT_REQUEST_COMPLETED);
    if (indices)
        for (int i = 0, some = pointed(open, shape->some, -1); i < some; i++)
            complete_one(&completion, indices[i], (uint64_t)i);
    else if (value_of(open, shape->one))
        complete_one(&completion, pointed(open, shape->one, -1), 0);
    else
        complete_all(&completion);
    dt_request_note_end(thread, &completion.note);
}

static void request_made(struct dt_thread_state *thread, const struct dt_open_call *open, uint64_t place,
                         bool persistent)
{
    struct dt_request_note note;
    uint64_t handle = dt_mpi_handle_at(place);
    if (!handle || handle == dt_mpi.no_request)
        return;
    dt_request_note_begin(&note, persistent ? DT_REQUEST_MADE_PERSISTENT : DT_REQUEST_MADE);
    dt_request_note_add(thread, &note, dt_request_made(handle, place, persistent, open->wildcard).number);
    dt_request_note_end(thread, &note);
}

static void leave_parameter(struct dt_thread_state *thread, const struct dt_open_call *open, uint32_t number)
{
    uint64_t value = open->values[number];
    uint8_t kind = open->shape->call->parameters[number];
    switch ((enum dt_parameter_kind)kind) {
    case DT_PARAMETER_COMM_MADE:
    case DT_PARAMETER_COMM_MADE_LATER:
        dt_communicator_made(dt_mpi_handle_at(value), open->communicator, open->creation,
                             kind == DT_PARAMETER_COMM_MADE_LATER);
        break;
    case DT_PARAMETER_WINDOW_MADE:
        dt_window_made(dt_mpi_handle_at(value), open->communicator);
        break;
    case DT_PARAMETER_REQUEST_MADE:
    case DT_PARAMETER_PERSISTENT_REQUEST_MADE:
        request_made(thread, open, value, kind == DT_PARAMETER_PERSISTENT_REQUEST_MADE);
        break;
    case DT_PARAMETER_STATUS:
        if (open->wildcard && open->shape->requests == DT_REQUESTS_NONE)
            note_status(thread, value, 0, 0);
        break;
    default:
        break;
    }
}

static void leave_mpi(struct dt_thread_state *thread, const struct dt_open_call *open)
{
    uint8_t requests = open->shape->requests;
    if (requests == DT_REQUESTS_AWAITED || requests == DT_REQUESTS_TESTED) {
        complete_requests(thread, open);
        return;
    }
    for (uint32_t left = open->shape->results; left; left &= left - 1)
        leave_parameter(thread, open, (uint32_t)__builtin_ctz(left));
    if (requests == DT_REQUESTS_FREED)
        dt_requests_freed(dt_open_call_named(thread->calls, open), open->named_count);
}

/* Apart, so that what is done most often is short: finding that a call has nothing. */
__attribute__((noinline)) static void leave(struct dt_thread_state *thread, const struct dt_open_call *open,
                                            bool of_mpi, int result)
{
    if (!of_mpi) {
        if (result != 0)
            dt_note_lock(thread, dt_lock_number(open->values[0]), result);
    } else if (result == 0 && dt_mpi.ready) {
        dt_close_fast_path(thread);
        leave_mpi(thread, open);
        dt_open_fast_path(thread);
    }
}

/* It has tested for something that has not happened. */
static bool has_nothing(const struct dt_open_call *open, int result)
{
    return result == 0 && !pointed(open, open->shape->flag, 1);
}

static void leave_open(struct dt_thread_state *thread, const struct dt_exit_registers *registers,
                       const struct dt_hooked_function *function)
{
    struct dt_calls *calls = thread->calls;
    uint64_t slot = (uint64_t)&registers->index;
    dt_open_calls_settle(calls);
    while (calls->depth && calls->open[calls->depth - 1].slot < slot)
        calls->depth--;
    const struct dt_open_call *open = &calls->open[calls->depth - 1];
    if (!calls->depth || open->slot != slot)
        return;
    int result = (int)registers->rax;
    if (!has_nothing(open, result))
        leave(thread, open, function->api_class == DT_CALL_MPI, result);
    dt_open_call_close(calls);
}

__attribute__((noinline)) static void mpi_initialised(struct dt_thread_state *thread, uint32_t image)
{
    dt_close_fast_path(thread);
    dt_mpi_initialised(image);
    dt_open_fast_path(thread);
}

void dt_call_leave(const struct dt_exit_registers *registers, const struct dt_hooked_function *function)
{
    struct dt_thread_state *thread = dt_self;
    dt_guard_raise();
    if (thread->calls && thread->calls->depth)
        leave_open(thread, registers, function);
    if (function->action == DT_ACTION_MPI_INIT && (int)registers->rax == 0)
        mpi_initialised(thread, function->image);
    dt_guard_lower();
}
