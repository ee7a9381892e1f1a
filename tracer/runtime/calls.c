/* A call with arguments at its entry: its signature, and what has to be remembered of it. */
#include "call_notes.h"
#include "open_calls.h"
#include "system.h"

enum { DT_MOST_NAMED = 1 << 20 };

struct dt_calls *dt_calls_of(struct dt_thread_state *thread)
{
    if (!thread->calls)
        thread->calls = dt_sys_allocate(sizeof *thread->calls);
    return thread->calls;
}

void dt_calls_release(struct dt_thread_state *thread)
{
    if (!thread->calls)
        return;
    if (thread->calls->named)
        dt_sys_munmap(thread->calls->named, thread->calls->named_capacity * sizeof *thread->calls->named);
    dt_sys_munmap(thread->calls, sizeof *thread->calls);
    thread->calls = NULL;
}

/* What the call frees; whoever makes it. */
static void forget_freed(const struct dt_call *call, const uint64_t *values)
{
    for (uint32_t i = 0; call->parameters[i]; i++) {
        if (call->parameters[i] == 'F')
            dt_communicator_freed(dt_mpi_handle_at(values[i]));
        else if (call->parameters[i] == 'T')
            dt_datatype_freed(dt_mpi_handle_at(values[i]));
        else if (call->parameters[i] == 'O')
            dt_operation_freed(dt_mpi_handle_at(values[i]));
        else if (call->parameters[i] == 'X')
            dt_window_freed(dt_mpi_handle_at(values[i]));
        else if (dt_letter_is_one_of("DEY", call->parameters[i]))
            dt_lock_destroyed(values[i]);
    }
}

/* True if any do. */
static bool note_varying(struct dt_thread_state *thread, const struct dt_reading *reading, const int64_t *arguments)
{
    struct dt_parameter_note note;
    note.count = 0;
    for (uint32_t i = 0; i < reading->signature.count; i++)
        if (reading->signature.arguments[i] != arguments[i])
            dt_parameter_note_add(&note, i, arguments[i]);
    dt_parameter_note_end(thread, &note);
    return note.count > 0;
}

/* Room for `more` named requests. */
static bool reserve_named(struct dt_calls *calls, uint32_t more)
{
    if (calls->named_count + more <= calls->named_capacity)
        return true;
    uint32_t capacity = 2 * (calls->named_count + more) + 256;
    struct dt_named_request *larger = capacity <= DT_MOST_NAMED ? dt_sys_allocate(capacity * sizeof *larger) : NULL;
    if (!larger)
        return false;
    if (calls->named) {
        memcpy(larger, calls->named, calls->named_count * sizeof *larger);
        dt_sys_munmap(calls->named, calls->named_capacity * sizeof *larger);
    }
    calls->named = larger;
    calls->named_capacity = capacity;
    return true;
}

static void name_requests(struct dt_calls *calls, struct dt_open_call *open)
{
    const char *letters = open->call->parameters;
    const uint64_t *values = open->values;
    bool single = letters[0] == 'w';
    int count = single ? 1 : (int)values[0];
    uint64_t array = single ? values[0] : values[1];
    open->first_named = calls->named_count;
    open->named_count = 0;
    if (count <= 0 || !array || !reserve_named(calls, (uint32_t)count))
        return;
    for (int i = 0; i < count; i++) {
        struct dt_named_request *named = &calls->named[calls->named_count + (uint32_t)i];
        named->place = array + (uint64_t)i * dt_mpi_handle_bytes();
        named->handle = dt_mpi_handle_at(named->place);
        named->request = dt_request_get(named->handle, named->place);
        open->wildcard |= named->request.wildcard;
    }
    calls->named_count += (uint32_t)count;
    open->named_count = (uint32_t)count;
}

static void note_named(struct dt_thread_state *thread, const struct dt_open_call *open)
{
    struct dt_request_note note;
    enum dt_request_event event = open->call->requests == DT_REQUESTS_FREED ? DT_REQUEST_FREED : DT_REQUEST_NAMED;
    if (open->call->requests == DT_REQUESTS_TESTED)
        return;
    dt_request_note_begin(&note, event);
    for (uint32_t i = 0; i < open->named_count; i++)
        dt_request_note_add(thread, &note, dt_open_call_named(thread->calls, open)[i].request.number);
    dt_request_note_end(thread, &note);
}

void dt_open_calls_drop(struct dt_calls *calls, uint64_t slot)
{
    while (calls->depth && calls->open[calls->depth - 1].slot <= slot)
        calls->depth--;
    const struct dt_open_call *below = calls->depth ? &calls->open[calls->depth - 1] : NULL;
    calls->named_count = !below ? 0 : below->first_named + (below->known ? 0 : below->named_count);
}

/* A place for the status of a wildcard receive where the program wants none: MPI fills it, and nobody is the wiser. */
static void substitute_status(struct dt_open_call *open, struct dt_entry_registers *registers)
{
    const char *letters = open->call->parameters;
    for (uint32_t i = 0; letters[i]; i++) {
        if (letters[i] != 's' || !open->wildcard || open->values[i] != dt_mpi.ignored_status)
            continue;
        open->values[i] = (uint64_t)open->status;
        *dt_call_parameter(registers, i) = (uint64_t)open->status;
    }
}

/* NULL: it will not be looked at again. */
static const struct dt_open_call *remember(struct dt_thread_state *thread, const struct dt_reading *reading,
                                           struct dt_entry_registers *registers)
{
    struct dt_calls *calls = dt_calls_of(thread);
    uint64_t slot = (uint64_t)&registers->return_address;
    if (!calls)
        return NULL;
    dt_open_calls_drop(calls, slot);
    if (calls->depth == DT_NESTED_CALLS)
        return NULL;
    struct dt_open_call *open = &calls->open[calls->depth];
    open->slot = slot;
    open->call = reading->call;
    open->communicator = reading->communicator;
    open->creation = 0;
    open->wildcard = reading->wildcard;
    open->known = NULL;
    open->first_named = calls->named_count;
    open->named_count = 0;
    dt_copy_words(open->values, reading->values, (uint32_t)strlen(reading->call->parameters));
    if (reading->call->requests != DT_REQUESTS_NONE) {
        name_requests(calls, open);
        note_named(thread, open);
    }
    for (const char *letter = reading->call->parameters; *letter; letter++)
        if (*letter == 'C' || *letter == 'P')
            open->creation = dt_communicator_creation(reading->communicator);
    substitute_status(open, registers);
    calls->depth++;
    return open;
}

static void enter(struct dt_thread_state *thread, struct dt_entry_registers *registers,
                  const struct dt_hooked_function *function)
{
    struct dt_reading reading = {0};
    int64_t arguments[DT_FUNCTION_ARGUMENTS] = {0};
    struct dt_call_epochs epochs = dt_call_epochs_now();
    uint8_t flags = dt_call_flags(function->call);
    const struct dt_open_call *open = NULL;
    dt_call_read(&reading, registers, function->call);
    dt_copy_words((uint64_t *)arguments, (const uint64_t *)reading.signature.arguments, reading.signature.count);
    uint32_t id = dt_signature_id(registers->index, registers->return_address, &reading.signature);
    dt_record_id(id);
    bool varies = note_varying(thread, &reading, arguments);
    bool opens = flags & DT_CALL_LEAVES || (reading.wildcard && flags & DT_CALL_STATUS);
    if (opens)
        open = remember(thread, &reading, registers);
    if (flags & DT_CALL_FREES)
        forget_freed(reading.call, reading.values);
    if (varies || !dt_calls_of(thread))
        return;
    if (flags & DT_CALL_LOCKS)
        dt_known_lock_add(&thread->calls->locks, registers->index, registers->return_address, registers->rdi,
                          epochs.signatures, id);
    else if (flags & DT_CALL_RECURS && function->api_class == DT_API_MPI && (open || !opens))
        dt_known_call_keep(thread->calls, registers, &reading, open, id, epochs);
}

/* What libraries lock in their own threads would only take numbers from the program's locks. */
static bool is_ready(const struct dt_thread_state *thread, const struct dt_hooked_function *function)
{
    if (!dt_process.options.arguments || !function->call)
        return false;
    return function->api_class == DT_API_MPI ? dt_mpi.ready : thread->kind == DT_THREAD_APP;
}

bool dt_call_find_again(const struct dt_thread_state *thread, struct dt_entry_registers *registers,
                        struct dt_call_again *again)
{
    const struct dt_hooked_function *function = &dt_functions[registers->index];
    struct dt_calls *calls = thread->calls;
    again->known = NULL;
    uint8_t flags = dt_call_flags(function->call);
    if (!calls || !(flags & (DT_CALL_LOCKS | DT_CALL_RECURS)) || !is_ready(thread, function))
        return false;
    if (flags & DT_CALL_LOCKS) {
        again->id = dt_known_lock_id(&calls->locks, registers->index, registers->return_address, registers->rdi);
        return again->id != 0;
    }
    again->known = function->api_class == DT_API_MPI ? dt_known_call_find(calls, registers) : NULL;
    again->id = again->known ? again->known->id : 0;
    return again->known != NULL;
}

void dt_call_enter_again(const struct dt_thread_state *thread, const struct dt_call_again *again, uint64_t slot)
{
    dt_record_id(again->id);
    if (again->known)
        dt_known_call_open(thread->calls, again->known, slot);
}

void dt_call_enter(struct dt_thread_state *thread, struct dt_entry_registers *registers)
{
    const struct dt_hooked_function *function = &dt_functions[registers->index];
    struct dt_call_again again;
    if (!is_ready(thread, function)) {
        dt_record_call(registers->index);
        return;
    }
    if (dt_call_find_again(thread, registers, &again)) {
        dt_call_enter_again(thread, &again, (uint64_t)&registers->return_address);
        return;
    }
    dt_close_fast_path();
    enter(thread, registers, function);
    dt_open_fast_path(thread);
}

void dt_call_seen(const struct dt_thread_state *thread, const struct dt_entry_registers *registers)
{
    const struct dt_hooked_function *function = &dt_functions[registers->index];
    const uint64_t values[DT_MOST_PARAMETERS] = {registers->rdi};
    if (dt_call_flags(function->call) & DT_CALL_FREES && is_ready(thread, function))
        forget_freed(dt_call_get(function->call), values);
}
