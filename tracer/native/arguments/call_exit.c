/* A call with arguments at its return: what it has made, what it received and from whom, which requests are complete.
 */
#include "native/arguments/payload.h"

static void note_status(struct dt_thread_state *thread, uint64_t status, uint64_t position, struct dt_request request)
{
    if (status <= dt_mpi.ignored_status)
        return;
    const int *ints = (const int *)status + position * (uint64_t)dt_mpi.status_ints;
    bool own = !request.number || dt_request_is_own(&thread->calls->live, request);
    dt_note_wildcard(thread, ints[dt_mpi.source_place], ints[dt_mpi.tag_place], request.number,
                     own ? -1 : request.thread);
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

/* ---- requests -------------------------------------------------------------------------------- */

/* Of those that the call names, one that has completed: an index among them, and which status is its. */
struct completed {
    const struct dt_named_request *named;
    uint64_t status;
};

/* How many of the named have completed; -1: all. */
static int completed_count(const struct dt_open_call *open)
{
    int some = pointed(open, open->shape->some, 0);
    if (value_of(open, open->shape->indices))
        return some < 0 ? 0 : some; /* MPI_UNDEFINED: none was active */
    return value_of(open, open->shape->one) ? 1 : -1;
}

/* The how manieth of them. `named` NULL: it is none of those that are known. */
static struct completed find_completed(const struct dt_calls *calls, const struct dt_open_call *open, uint32_t number)
{
    const int *indices = (const int *)value_of(open, open->shape->indices);
    int index = indices                            ? indices[number]
                : value_of(open, open->shape->one) ? pointed(open, open->shape->one, -1)
                                                   : (int)number;
    uint64_t status = value_of(open, open->shape->one) ? 0 : number;
    if (index < 0 || (uint32_t)index >= open->named_count)
        return (struct completed){0};
    return (struct completed){&dt_open_call_named(calls, open)[index], status};
}

static void note_what_it_got(struct dt_thread_state *thread, const struct dt_open_call *open,
                             struct completed completed)
{
    uint64_t statuses = value_of(open, open->shape->statuses);
    if (completed.named && completed.named->request.wildcard)
        note_status(thread, statuses ? statuses : value_of(open, open->shape->status), statuses ? completed.status : 0,
                    completed.named->request);
}

/* Where the call's return does not say it of all requests named. */
static void note_completed(struct dt_thread_state *thread, const struct dt_open_call *open, int count)
{
    const struct dt_calls *calls = thread->calls;
    struct dt_live_note own, others;
    dt_live_note_begin(&own, DT_LIVE_COMPLETED);
    dt_live_note_begin(&others, DT_LIVE_OTHERS_COMPLETED);
    for (uint32_t i = 0; count >= 0 && i < (uint32_t)count; i++) {
        const struct dt_named_request *named = find_completed(calls, open, i).named;
        if (!named || !named->request.number)
            continue;
        if (dt_request_is_own(&calls->live, named->request))
            dt_live_note_add(thread, &own, dt_live_position(&calls->live, named->request.number));
        else
            dt_live_note_other(thread, &others, named->request.thread, named->request.number);
    }
    dt_live_note_end(thread, &own);
    dt_live_note_end(thread, &others);
    if (count < 0 && open->shape->requests == DT_REQUESTS_TESTED &&
        dt_argument_special_of(open->live) != DT_SPECIAL_NO_HANDLE) {
        dt_note_live(thread, DT_LIVE_COMPLETED);
        dt_open_call_note_others(thread, open, DT_LIVE_OTHERS_COMPLETED);
    }
}

static void look_at_data(struct dt_thread_state *thread, const struct dt_open_call *open, struct completed completed)
{
    uint64_t statuses = value_of(open, open->shape->statuses), status = value_of(open, open->shape->status);
    if (statuses > dt_mpi.ignored_status)
        status = statuses + completed.status * (uint64_t)dt_mpi.status_ints * sizeof(int);
    if (completed.named)
        dt_payload_completed(thread, completed.named->request, status);
}

static void complete_requests(struct dt_thread_state *thread, const struct dt_open_call *open)
{
    struct dt_calls *calls = thread->calls;
    int count = completed_count(open);
    uint32_t all = count < 0 ? open->named_count : (uint32_t)count;
    if (!open->named_count)
        return;
    for (uint32_t i = 0; open->wildcard && i < all; i++)
        note_what_it_got(thread, open, find_completed(calls, open, i));
    for (uint32_t i = 0; dt_process.options.payload && i < all; i++)
        look_at_data(thread, open, find_completed(calls, open, i));
    note_completed(thread, open, count);
    if (count < 0) {
        dt_requests_completed(&calls->live, dt_open_call_named(calls, open), open->named_count);
        return;
    }
    for (uint32_t i = 0; i < all; i++) {
        const struct dt_named_request *named = find_completed(calls, open, i).named;
        if (named)
            dt_requests_completed(&calls->live, named, 1);
    }
}

static void request_made(struct dt_thread_state *thread, const struct dt_open_call *open, uint64_t place,
                         bool persistent)
{
    uint64_t handle = dt_mpi_handle_at(place);
    uint32_t kind = (persistent ? DT_REQUEST_PERSISTENT : 0u) | (open->wildcard ? DT_REQUEST_WILDCARD : 0u);
    struct dt_request request = {0};
    if (handle && handle != dt_mpi.no_request)
        request = dt_request_made(&thread->calls->live, thread->index, handle, place, kind);
    if (!request.number)
        dt_note_live(thread, DT_LIVE_NOT_MADE);
    else if (open->shape->payload)
        dt_payload_request_made(open, request);
}

static void communicator_made(const struct dt_thread_state *thread, const struct dt_open_call *open, uint64_t handle,
                              bool pending)
{
    const struct dt_call *call = open->shape->call;
    struct dt_communicator_origin origin = {call, open->communicator, open->creation, thread->index, 0};
    for (uint32_t i = 0; i < DT_MOST_PARAMETERS && call->parameters[i]; i++)
        if (call->parameters[i] == DT_PARAMETER_TAG)
            origin.tag = (int)open->values[i];
    dt_communicator_made(handle, &origin, pending);
}

static void leave_parameter(struct dt_thread_state *thread, const struct dt_open_call *open, uint32_t number)
{
    uint64_t value = open->values[number];
    uint8_t kind = open->shape->call->parameters[number];
    switch ((enum dt_parameter_kind)kind) {
    case DT_PARAMETER_COMM_MADE:
    case DT_PARAMETER_COMM_MADE_LATER:
        communicator_made(thread, open, dt_mpi_handle_at(value), kind == DT_PARAMETER_COMM_MADE_LATER);
        break;
    case DT_PARAMETER_WINDOW_MADE:
        dt_window_made(dt_mpi_handle_at(value), open->communicator);
        break;
    case DT_PARAMETER_DATATYPE_MADE:
        dt_datatype_made(dt_mpi_handle_at(value), open->creation);
        break;
    case DT_PARAMETER_FILE_MADE:
        dt_file_opened(value ? *(const uint64_t *)value : 0);
        break;
    case DT_PARAMETER_REQUEST_MADE:
    case DT_PARAMETER_PERSISTENT_REQUEST_MADE:
        request_made(thread, open, value, kind == DT_PARAMETER_PERSISTENT_REQUEST_MADE);
        break;
    case DT_PARAMETER_STATUS:
        if (open->wildcard && open->shape->requests == DT_REQUESTS_NONE)
            note_status(thread, value, 0, (struct dt_request){0});
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
    if (open->shape->payload)
        dt_payload_leave(thread, open);
    for (uint32_t i = 0; dt_process.options.payload && requests == DT_REQUESTS_FREED && i < open->named_count; i++)
        dt_payload_request_freed(dt_open_call_named(thread->calls, open)[i].request);
    if (requests == DT_REQUESTS_FREED)
        dt_requests_freed(&thread->calls->live, dt_open_call_named(thread->calls, open), open->named_count);
}

/* Apart, so that what is done most often is short: finding that a call has nothing. */
__attribute__((noinline)) static void leave(struct dt_thread_state *thread, const struct dt_open_call *open,
                                            bool of_mpi, int result)
{
    if (!of_mpi) {
        if (result != 0)
            dt_note_lock(thread, dt_lock_number(open->values[0]), result);
    } else if (!dt_mpi.ready) {
        thread->calls->unclear |= dt_call_shape_changes_requests(open->shape);
    } else {
        dt_close_fast_path(thread);
        if (result == 0)
            leave_mpi(thread, open);
        else
            dt_note_failed(thread, dt_mpi_error_class(result));
        dt_open_fast_path(thread);
    }
}

/* It has tested for something that has not happened. */
static bool has_nothing(const struct dt_open_call *open, int result)
{
    return result == 0 && !pointed(open, open->shape->flag, 1);
}

/* False: the call is none that was to be looked at. */
static bool leave_open(struct dt_thread_state *thread, const struct dt_exit_registers *registers,
                       const struct dt_hooked_function *function)
{
    struct dt_calls *calls = thread->calls;
    uint64_t slot = (uint64_t)&registers->index;
    dt_open_calls_settle(calls);
    for (; calls->depth && calls->open[calls->depth - 1].slot < slot; calls->depth--)
        calls->unclear |= dt_call_shape_changes_requests(calls->open[calls->depth - 1].shape);
    const struct dt_open_call *open = &calls->open[calls->depth - 1];
    if (!calls->depth || open->slot != slot)
        return false;
    int result = (int)registers->rax;
    if (!has_nothing(open, result))
        leave(thread, open, function->api_class == DT_CALL_MPI, result);
    dt_open_call_close(calls);
    return true;
}

__attribute__((noinline)) static void note_failed(struct dt_thread_state *thread, int result)
{
    dt_close_fast_path(thread);
    dt_note_failed(thread, dt_mpi_error_class(result));
    dt_open_fast_path(thread);
}

__attribute__((noinline)) static void mpi_initialised(struct dt_thread_state *thread, uint32_t image)
{
    dt_close_fast_path(thread);
    dt_mpi_initialised(image);
    int level = 0;
    if (dt_mpi.ready && dt_mpi_required_level >= 0 && dt_mpi.query_thread(&level) == 0 &&
        level != dt_mpi_required_level)
        dt_note_thread_level(thread, level);
    dt_open_fast_path(thread);
}

void dt_call_leave(const struct dt_exit_registers *registers, const struct dt_hooked_function *function)
{
    struct dt_thread_state *thread = dt_self;
    dt_guard_raise();
    bool was_open = thread->calls && thread->calls->depth && leave_open(thread, registers, function);
    if (!was_open && function->tells_failure && (int)registers->rax != 0 && dt_mpi.ready)
        note_failed(thread, (int)registers->rax);
    if (function->action == DT_ACTION_MPI_INIT && (int)registers->rax == 0)
        mpi_initialised(thread, function->image);
    dt_guard_lower();
}
