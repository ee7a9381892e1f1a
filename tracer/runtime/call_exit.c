/* A call with arguments at its return: what it has made, what it received and from whom, which requests are complete.
 */
#include "call_notes.h"
#include "open_calls.h"

static void note_status(struct dt_thread_state *thread, uint64_t status, uint64_t position, uint32_t request)
{
    if (status <= dt_mpi.ignored_status)
        return;
    const int *ints = (const int *)status + position * (uint64_t)dt_mpi.status_ints;
    dt_note_wildcard(thread, ints[dt_mpi.source_place], ints[dt_mpi.tag_place], request);
}

/* What a letter of the call points to, or `otherwise` if the call has none such. */
static int pointed(const struct dt_open_call *open, char letter, int otherwise)
{
    for (uint32_t i = 0; open->call->parameters[i]; i++)
        if (open->call->parameters[i] == letter)
            return open->values[i] ? *(const int *)open->values[i] : otherwise;
    return otherwise;
}

static uint64_t value_of(const struct dt_open_call *open, char letter)
{
    for (uint32_t i = 0; open->call->parameters[i]; i++)
        if (open->call->parameters[i] == letter)
            return open->values[i];
    return 0;
}

/* The requests that have completed, one after the other. */
struct completion {
    struct dt_thread_state *thread;
    const struct dt_open_call *open;
    struct dt_request_note note;
    bool tell; /* that they have is not clear from the call having returned */
};

static void complete(struct completion *completion, int index, uint64_t status_position)
{
    const struct dt_open_call *open = completion->open;
    if (index < 0 || (uint32_t)index >= open->named_count)
        return;
    const struct dt_named_request *named = &dt_open_call_named(completion->thread->calls, open)[index];
    if (!named->request.number)
        return;
    uint64_t statuses = value_of(open, 'S');
    if (named->request.wildcard)
        note_status(completion->thread, statuses ? statuses : value_of(open, 's'), statuses ? status_position : 0,
                    named->request.number);
    if (completion->tell)
        dt_request_note_add(completion->thread, &completion->note, named->request.number);
    if (!named->request.persistent)
        dt_request_gone(named->handle, named->place, named->request.number);
}

static void complete_requests(struct dt_thread_state *thread, const struct dt_open_call *open)
{
    struct completion completion;
    if (!pointed(open, 'f', 1))
        return;
    completion.thread = thread;
    completion.open = open;
    int some = pointed(open, 'm', -1), one = pointed(open, 'i', -1);
    const int *indices = (const int *)value_of(open, 'x');
    completion.tell = open->call->requests == DT_REQUESTS_TESTED || indices || value_of(open, 'i');
    dt_request_note_begin(&completion.note, DT_REQUEST_COMPLETED);
    if (indices)
        for (int i = 0; i < some; i++)
            complete(&completion, indices[i], (uint64_t)i);
    else if (value_of(open, 'i'))
        complete(&completion, one, 0);
    else
        for (uint32_t i = 0; i < open->named_count; i++)
            complete(&completion, (int)i, i);
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
    char letter = open->call->parameters[number];
    switch (letter) {
    case 'C':
    case 'P':
        dt_communicator_made(dt_mpi_handle_at(value), open->communicator, open->creation, letter == 'P');
        break;
    case 'V':
        dt_window_made(dt_mpi_handle_at(value), open->communicator);
        break;
    case 'q':
    case 'Q':
        request_made(thread, open, value, letter == 'Q');
        break;
    case 's':
        if (open->wildcard && open->call->requests == DT_REQUESTS_NONE && pointed(open, 'f', 1))
            note_status(thread, value, 0, 0);
        break;
    default:
        break;
    }
}

static void leave_mpi(struct dt_thread_state *thread, const struct dt_open_call *open)
{
    if (open->call->requests == DT_REQUESTS_AWAITED || open->call->requests == DT_REQUESTS_TESTED) {
        complete_requests(thread, open);
        return;
    }
    for (uint32_t i = 0; open->call->parameters[i]; i++)
        leave_parameter(thread, open, i);
    if (open->call->requests == DT_REQUESTS_FREED)
        for (uint32_t i = 0; i < open->named_count; i++) {
            const struct dt_named_request *named = &dt_open_call_named(thread->calls, open)[i];
            dt_request_gone(named->handle, named->place, named->request.number);
        }
}

static void leave(struct dt_thread_state *thread, const struct dt_open_call *open, bool of_mpi, int result)
{
    if (!of_mpi) {
        if (result != 0)
            dt_note_lock(thread, dt_lock_number(open->values[0]), result);
    } else if (result == 0 && dt_mpi.ready) {
        dt_close_fast_path();
        leave_mpi(thread, open);
        dt_open_fast_path(thread);
    }
}

static void leave_open(struct dt_thread_state *thread, const struct dt_exit_registers *registers, bool of_mpi)
{
    struct dt_calls *calls = thread->calls;
    uint64_t slot = (uint64_t)&registers->index;
    while (calls && calls->depth && calls->open[calls->depth - 1].slot < slot)
        calls->depth--;
    if (!calls || !calls->depth || calls->open[calls->depth - 1].slot != slot)
        return;
    leave(thread, &calls->open[calls->depth - 1], of_mpi, (int)registers->rax);
    calls->depth--;
    dt_open_calls_drop(calls, slot);
}

void dt_call_leave(const struct dt_exit_registers *registers, const struct dt_hooked_function *function)
{
    struct dt_thread_state *thread = dt_self;
    if (!thread || !dt_process.options.arguments)
        return;
    dt_guard++;
    if (function->action == DT_ACTION_MPI_INIT && (int)registers->rax == 0) {
        dt_close_fast_path();
        dt_mpi_initialised(function->image);
        dt_open_fast_path(thread);
    } else if (dt_call_flags(function->call) & (DT_CALL_LEAVES | DT_CALL_STATUS)) {
        leave_open(thread, registers, function->api_class == DT_API_MPI);
    }
    dt_guard--;
}
