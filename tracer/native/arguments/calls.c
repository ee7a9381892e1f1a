/* A call with arguments at its entry: its signature, and what has to be remembered of it. */
#include "native/arguments/calls.h"

#include "native/arguments/bindings.h"
#include "native/arguments/payload.h"

static void datatype_freed(uint64_t handle)
{
    if (dt_process.options.payload)
        dt_payload_type_freed(handle);
    dt_datatype_freed(handle);
}

/* What the call frees; whoever makes it. */
static void forget_freed(const struct dt_call *call, const uint64_t *values)
{
    for (uint32_t i = 0; i < DT_MOST_PARAMETERS && call->parameters[i]; i++) {
        uint8_t kind = call->parameters[i];
        if (kind == DT_PARAMETER_COMM_FREED)
            dt_communicator_freed(dt_mpi_handle_at(values[i]));
        else if (kind == DT_PARAMETER_DATATYPE_FREED)
            datatype_freed(dt_mpi_handle_at(values[i]));
        else if (kind == DT_PARAMETER_OPERATION_FREED)
            dt_operation_freed(dt_mpi_handle_at(values[i]));
        else if (kind == DT_PARAMETER_WINDOW_FREED)
            dt_window_freed(dt_mpi_handle_at(values[i]));
        else if (kind == DT_PARAMETER_FILE_FREED)
            dt_file_closed(values[i] ? *(const uint64_t *)values[i] : 0);
        else if (kind == DT_PARAMETER_LOCK_FREED || kind == DT_PARAMETER_CONDITION_FREED ||
                 kind == DT_PARAMETER_BARRIER_FREED)
            dt_lock_destroyed(values[i]);
    }
}

/* What was read and is not in the signature. */
static void find_varying(struct dt_parameter_note *note, const struct dt_signature *read,
                         const struct dt_signature *signature)
{
    note->count = 0;
    for (uint32_t i = 0; i < read->count; i++)
        if (signature->arguments[i] != read->arguments[i])
            dt_parameter_note_add(note, i, read->arguments[i]);
}

static struct dt_open_call *begin(struct dt_thread_state *thread, struct dt_reading *reading,
                                  struct dt_entry_registers *registers)
{
    struct dt_calls *calls = dt_calls_of(thread);
    struct dt_open_call *open = calls ? dt_open_call_begin(calls, (uint64_t)&registers->return_address) : NULL;
    if (!open) {
        if (calls)
            calls->unclear |= dt_call_shape_changes_requests(reading->shape);
        return NULL;
    }
    open->shape = reading->shape;
    open->communicator = reading->communicator;
    open->wildcard = reading->wildcard;
    open->creation = reading->datatype;
    dt_copy_words(open->values, reading->values, reading->shape->count);
    dt_open_call_name(thread, open);
    return open;
}

/* What is to be remembered of a call that will be looked at again; NULL: it will not. */
static struct dt_open_call *remember(struct dt_thread_state *thread, struct dt_reading *reading,
                                     struct dt_entry_registers *registers)
{
    uint8_t flags = reading->shape->flags;
    bool opens = flags & DT_CALL_LEAVES || (reading->wildcard && flags & DT_CALL_STATUS);
    struct dt_open_call *open = opens ? begin(thread, reading, registers) : NULL;
    int64_t live = open ? open->live
                   : reading->shape->requests != DT_REQUESTS_NONE
                       ? dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_UNKNOWN)
                       : 0;
    if (live && reading->signature.count < DT_FUNCTION_ARGUMENTS)
        reading->signature.arguments[reading->signature.count++] = live;
    return open;
}

/* Behind its word. */
static void open_call(struct dt_thread_state *thread, struct dt_open_call *open, struct dt_entry_registers *registers)
{
    if (open->shape->requests != DT_REQUESTS_TESTED)
        dt_open_call_note_others(thread, open, DT_LIVE_OTHERS);
    for (const uint8_t *kind = open->shape->call->parameters; *kind; kind++)
        if (*kind == DT_PARAMETER_COMM_MADE || *kind == DT_PARAMETER_COMM_MADE_LATER)
            open->creation = dt_communicator_creation(open->communicator);
    if (dt_process.options.payload)
        dt_payload_enter(thread, open, dt_functions[registers->index].call);
    dt_open_call_end(thread->calls, open, registers);
}

static void keep(struct dt_thread_state *thread, struct dt_entry_registers *registers, const struct dt_reading *reading,
                 const struct dt_open_call *open, uint32_t id, const struct dt_parameter_note *varying,
                 struct dt_call_epochs epochs)
{
    uint8_t flags = reading->shape->flags;
    bool opens = flags & DT_CALL_LEAVES || (reading->wildcard && flags & DT_CALL_STATUS);
    if (!dt_calls_of(thread))
        return;
    if (flags & DT_CALL_LOCKS && !varying->count)
        dt_cached_lock_add(&thread->calls->locks, registers->index, registers->return_address, registers->rdi,
                           epochs.signatures, id);
    else if (flags & DT_CALL_RECURS && flags & DT_CALL_OF_MPI && (open || !opens))
        dt_cached_call_keep(thread->calls, registers, reading, open, id, varying, epochs);
}

static void enter(struct dt_thread_state *thread, struct dt_entry_registers *registers,
                  const struct dt_hooked_function *function)
{
    struct dt_reading reading;
    struct dt_call_epochs epochs = dt_call_epochs_now();
    dt_call_read(&reading, registers, function->call);
    struct dt_open_call *open = remember(thread, &reading, registers);
    const struct dt_signature read = reading.signature;
    uint32_t id = dt_signature_id(registers->index, dt_call_site_of(registers), &reading.signature);
    dt_open_fast_path(thread);
    dt_record_id(id);
    dt_close_fast_path(thread);
    struct dt_parameter_note varying;
    find_varying(&varying, &read, &reading.signature);
    dt_parameter_note_end(thread, &varying);
    if (open)
        open_call(thread, open, registers);
    /* One signature too many: nobody can tell from the trace what the call was about. */
    if (open && id == dt_function_ids[registers->index])
        thread->calls->unclear |= dt_call_shape_changes_requests(open->shape);
    if (reading.shape->flags & DT_CALL_FREES)
        forget_freed(reading.shape->call, reading.values);
    keep(thread, registers, &reading, open, id, &varying, epochs);
}

void dt_call_enter(struct dt_thread_state *thread, struct dt_entry_registers *registers)
{
    const struct dt_hooked_function *function = &dt_functions[registers->index];
    if (!dt_call_is_ready(thread, function)) {
        dt_record_call(registers->index);
        return;
    }
    if (dt_call_enter_again(thread, registers))
        return;
    dt_close_fast_path(thread);
    enter(thread, registers, function);
    dt_open_fast_path(thread);
}

/* What another call of MPI frees is a reference of its own: that of MPI_File_set_view to the parts of a datatype. */
static bool frees_its_own(const struct dt_call *call, const struct dt_hooked_function *inside)
{
    return inside && inside->api_class == DT_CALL_MPI && dt_call_shape(inside->call)->call != call;
}

void dt_call_seen(const struct dt_thread_state *thread, const struct dt_entry_registers *registers,
                  const struct dt_hooked_function *inside)
{
    const struct dt_hooked_function *function = &dt_functions[registers->index];
    const uint64_t values[DT_MOST_PARAMETERS] = {registers->rdi};
    const struct dt_call_shape *shape = dt_call_shape(function->call);
    if (shape->flags & DT_CALL_FREES && !frees_its_own(shape->call, inside) && dt_call_is_ready(thread, function))
        forget_freed(shape->call, values);
}
