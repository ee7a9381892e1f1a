/* A call with arguments: what it is given at its entry, what it found out at its exit. */
#include "calls.h"

#include "call_notes.h"
#include "system.h"

enum {
    DT_NESTED_CALLS = 8, /* MPI calls from callbacks of MPI calls, or from signal handlers */
    DT_MOST_NAMED = 1 << 20,
    DT_STATUS_INTS = 8
};

/* A request that a call names, as it was at the entry. */
struct named {
    uint64_t handle, place;
    struct dt_request request;
};

/* A call that will be looked at again when it returns. */
struct pending {
    uint64_t slot; /* of the return address: which call it is */
    const struct dt_call *call;
    uint64_t values[DT_MOST_PARAMETERS];
    uint64_t communicator;
    uint32_t creation;
    bool wildcard;
    uint32_t first_named, named_count;
    int status[DT_STATUS_INTS]; /* in place of MPI_STATUS_IGNORE */
};

struct dt_calls {
    uint32_t depth;
    struct pending pending[DT_NESTED_CALLS];
    struct named *named;
    uint32_t named_count, named_capacity;
    struct dt_known_locks locks;
};

static bool is_one_of(const char *letters, char letter)
{
    for (; *letters; letters++)
        if (*letters == letter)
            return true;
    return false;
}

/* memcpy() and memset() of this library take their time to start. */
static void copy_words(uint64_t *to, const uint64_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        *(volatile uint64_t *)&to[i] = from[i];
}

static struct dt_calls *calls_of(struct dt_thread_state *thread)
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

/* ---- parameters ------------------------------------------------------------------------------ */

/* A call being read. */
struct reading {
    const struct dt_call *call;
    bool large; /* counts of 64 bits */
    uint64_t values[DT_MOST_PARAMETERS];
    uint64_t communicator; /* handle; 0: the call has none */
    const struct dt_known_communicator *of;
    uint32_t window; /* number */
    bool wildcard, no_data;
    int64_t data; /* to be added behind peer and tag; 0: none */
    struct dt_signature signature;
};

static uint64_t *parameter_place(struct dt_entry_registers *registers, uint32_t number)
{
    switch (number) {
    case 0:
        return &registers->rdi;
    case 1:
        return &registers->rsi;
    case 2:
        return &registers->rdx;
    case 3:
        return &registers->rcx;
    case 4:
        return &registers->r8;
    case 5:
        return &registers->r9;
    default:
        return &registers->return_address + 1 + (number - 6);
    }
}

static void add(struct reading *reading, int64_t argument)
{
    struct dt_signature *signature = &reading->signature;
    if (signature->count < DT_FUNCTION_ARGUMENTS)
        signature->arguments[signature->count++] = argument;
}

static void add_data(struct reading *reading)
{
    if (reading->data)
        add(reading, reading->data);
    reading->data = 0;
}

static int64_t peer(const struct reading *reading, enum dt_argument_kind kind, int rank)
{
    const struct dt_known_communicator *of = reading->of;
    if (kind == DT_ARGUMENT_FROM && rank == dt_mpi.any_source)
        return dt_argument_special(kind, DT_SPECIAL_ANY);
    if (rank == dt_mpi.proc_null)
        return dt_argument_special(kind, DT_SPECIAL_PROC_NULL);
    int64_t size = !of ? 0 : of->remote_size >= 0 ? of->remote_size : of->size;
    if (rank < 0 || rank >= size)
        return dt_argument_special(kind, DT_SPECIAL_UNKNOWN);
    int64_t distance = ((int64_t)rank - of->rank) % size;
    distance += distance < 0 ? size : 0;
    return dt_argument(kind, 2 * distance > size ? distance - size : distance);
}

static int64_t root(int rank)
{
    if (rank == dt_mpi.root)
        return dt_argument_special(DT_ARGUMENT_ROOT, DT_SPECIAL_ROOT);
    if (rank == dt_mpi.proc_null)
        return dt_argument_special(DT_ARGUMENT_ROOT, DT_SPECIAL_PROC_NULL);
    return dt_argument(DT_ARGUMENT_ROOT, rank);
}

static int64_t tag(int value)
{
    return value == -1 ? dt_argument_special(DT_ARGUMENT_TAG, DT_SPECIAL_ANY) : dt_argument(DT_ARGUMENT_TAG, value);
}

static int64_t color(int value)
{
    return value == -32766 ? dt_argument_special(DT_ARGUMENT_COLOR, DT_SPECIAL_UNDEFINED)
                           : dt_argument(DT_ARGUMENT_COLOR, value);
}

static int64_t data(const struct reading *reading, uint32_t type)
{
    const char *letters = reading->call->parameters;
    bool in_place = type >= 2 && letters[type - 2] == 'b' && reading->values[type - 2] == dt_mpi.in_place;
    uint64_t count = reading->values[type - 1];
    if (in_place)
        return dt_argument_special(DT_ARGUMENT_DATA, DT_SPECIAL_IN_PLACE);
    int64_t size = reading->no_data ? -1 : dt_datatype_size(dt_mpi_handle(reading->values[type]));
    return dt_argument_data(reading->large ? (int64_t)count : (int32_t)count, size);
}

static int64_t lock(enum dt_argument_kind kind, uint64_t address)
{
    uint32_t number = dt_lock_number(address);
    return number ? dt_argument(kind, number) : dt_argument_special(kind, DT_SPECIAL_UNKNOWN);
}

static bool is_thread_call(const struct dt_call *call)
{
    return call->name[0] == 'p' || call->name[0] == 'o' || call->name[0] == '_' || call->name[1] == 'O';
}

/* What later parameters need to know: communicator, root without data. */
static void find_communicator(struct reading *reading)
{
    const char *letters = reading->call->parameters;
    for (uint32_t i = 0; letters[i]; i++) {
        uint64_t value = reading->values[i];
        if (letters[i] == 'c')
            reading->communicator = dt_mpi_handle(value);
        else if (letters[i] == 'F')
            reading->communicator = dt_mpi_handle_at(value);
        else if (letters[i] == 'r')
            reading->no_data = (int)value == dt_mpi.root || (int)value == dt_mpi.proc_null;
        else if (letters[i] == 'v' || letters[i] == 'X') {
            uint64_t window = letters[i] == 'v' ? dt_mpi_handle(value) : dt_mpi_handle_at(value);
            bool known = dt_window_get(window, &reading->window, &reading->communicator);
            add(reading, known ? dt_argument(DT_ARGUMENT_WINDOW, reading->window)
                               : dt_argument_special(DT_ARGUMENT_WINDOW, DT_SPECIAL_UNKNOWN));
        }
    }
    if (!reading->communicator)
        return;
    reading->of = dt_communicator_get(reading->communicator);
    if (reading->signature.count == 0)
        add(reading, reading->of ? dt_argument(DT_ARGUMENT_COMMUNICATOR, reading->of->number)
                                 : dt_argument_special(DT_ARGUMENT_COMMUNICATOR, DT_SPECIAL_UNKNOWN));
}

static void add_parameter(struct reading *reading, uint32_t number)
{
    uint64_t value = reading->values[number];
    switch (reading->call->parameters[number]) {
    case '>':
        add(reading, peer(reading, DT_ARGUMENT_TO, (int)value));
        break;
    case '<':
        reading->wildcard = (int)value == dt_mpi.any_source || (int)reading->values[number + 1] == -1;
        add(reading, peer(reading, DT_ARGUMENT_FROM, (int)value));
        break;
    case '@':
        add(reading, peer(reading, DT_ARGUMENT_TARGET, (int)value));
        break;
    case 't':
        add(reading, tag((int)value));
        break;
    case 'd':
        add_data(reading);
        reading->data = data(reading, number);
        break;
    case 'r':
        add(reading, root((int)value));
        break;
    case 'o':
        add(reading, dt_argument(DT_ARGUMENT_OPERATION, dt_operation_number(dt_mpi_handle(value))));
        break;
    case 'k':
        add(reading, color((int)value));
        break;
    case 'N':
        add(reading, dt_argument(DT_ARGUMENT_REQUESTS, (int)value));
        break;
    default:
        break;
    }
}

static void add_lock(struct reading *reading, uint32_t number)
{
    static const char unnamed_critical_section;
    char letter = reading->call->parameters[number];
    if (is_one_of("LKB", letter))
        dt_lock_destroyed(reading->values[number]); /* whatever was there */
    switch (letter) {
    case 'l':
    case 'L':
    case 'D':
        add(reading, lock(DT_ARGUMENT_LOCK, reading->values[number]));
        break;
    case 'k':
    case 'K':
    case 'E':
        add(reading, lock(DT_ARGUMENT_CONDITION, reading->values[number]));
        break;
    case 'b':
    case 'B':
    case 'Y':
        add(reading, lock(DT_ARGUMENT_BARRIER, reading->values[number]));
        break;
    case '*':
        add(reading, lock(DT_ARGUMENT_LOCK, (uint64_t)&unnamed_critical_section));
        break;
    default:
        break;
    }
}

static void read_call(struct reading *reading, struct dt_entry_registers *registers, uint16_t index)
{
    reading->call = dt_call_get(index);
    reading->large = dt_call_is_large(index);
    reading->communicator = 0;
    reading->of = NULL;
    reading->wildcard = reading->no_data = false;
    reading->data = 0;
    reading->signature.count = 0;
    const char *letters = reading->call->parameters;
    for (uint32_t i = 0; letters[i] && letters[i] != '?' && letters[i] != '*'; i++)
        reading->values[i] = *parameter_place(registers, i);
    bool threads = is_thread_call(reading->call);
    if (!threads)
        find_communicator(reading);
    for (uint32_t i = 0; letters[i]; i++)
        if (threads)
            add_lock(reading, i);
        else
            add_parameter(reading, i);
    add_data(reading);
}

/* ---- entry ----------------------------------------------------------------------------------- */

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
        else if (is_one_of("DEY", call->parameters[i]))
            dt_lock_destroyed(values[i]);
    }
}

static void note_varying(struct dt_thread_state *thread, const struct reading *reading, const int64_t *arguments)
{
    struct dt_parameter_note note;
    note.count = 0;
    for (uint32_t i = 0; i < reading->signature.count; i++)
        if (reading->signature.arguments[i] != arguments[i])
            dt_parameter_note_add(&note, i, arguments[i]);
    dt_parameter_note_end(thread, &note);
}

/* Room for `more` named requests. */
static bool reserve_named(struct dt_calls *calls, uint32_t more)
{
    if (calls->named_count + more <= calls->named_capacity)
        return true;
    uint32_t capacity = 2 * (calls->named_count + more) + 256;
    struct named *larger = capacity <= DT_MOST_NAMED ? dt_sys_allocate(capacity * sizeof *larger) : NULL;
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

static void name_requests(struct dt_calls *calls, struct pending *pending)
{
    const char *letters = pending->call->parameters;
    const uint64_t *values = pending->values;
    bool single = letters[0] == 'w';
    int count = single ? 1 : (int)values[0];
    uint64_t array = single ? values[0] : values[1];
    pending->first_named = calls->named_count;
    pending->named_count = 0;
    if (count <= 0 || !array || !reserve_named(calls, (uint32_t)count))
        return;
    for (int i = 0; i < count; i++) {
        struct named *named = &calls->named[calls->named_count + (uint32_t)i];
        named->place = array + (uint64_t)i * dt_mpi_handle_bytes();
        named->handle = dt_mpi_handle_at(named->place);
        named->request = dt_request_get(named->handle, named->place);
        pending->wildcard |= named->request.wildcard;
    }
    calls->named_count += (uint32_t)count;
    pending->named_count = (uint32_t)count;
}

static void note_named(struct dt_thread_state *thread, const struct pending *pending)
{
    struct dt_request_note note;
    enum dt_request_event event = pending->call->requests == DT_REQUESTS_FREED ? DT_REQUEST_FREED : DT_REQUEST_NAMED;
    if (pending->call->requests == DT_REQUESTS_TESTED)
        return;
    dt_request_note_begin(&note, event);
    for (uint32_t i = 0; i < pending->named_count; i++)
        dt_request_note_add(thread, &note, thread->calls->named[pending->first_named + i].request.number);
    dt_request_note_end(thread, &note);
}

/* Calls that were left by longjmp, or whose frame is gone. */
static void drop_stale(struct dt_calls *calls, uint64_t slot)
{
    while (calls->depth && calls->pending[calls->depth - 1].slot <= slot)
        calls->depth--;
    const struct pending *below = calls->depth ? &calls->pending[calls->depth - 1] : NULL;
    calls->named_count = below ? below->first_named + below->named_count : 0;
}

/* A place for the status of a wildcard receive where the program wants none: MPI fills it, and nobody is the wiser. */
static void substitute_status(struct pending *pending, struct dt_entry_registers *registers)
{
    const char *letters = pending->call->parameters;
    for (uint32_t i = 0; letters[i]; i++) {
        if (letters[i] != 's' || !pending->wildcard || pending->values[i] != dt_mpi.ignored_status)
            continue;
        pending->values[i] = (uint64_t)pending->status;
        *parameter_place(registers, i) = (uint64_t)pending->status;
    }
}

static void remember(struct dt_thread_state *thread, const struct reading *reading,
                     struct dt_entry_registers *registers)
{
    struct dt_calls *calls = calls_of(thread);
    uint64_t slot = (uint64_t)&registers->return_address;
    if (!calls)
        return;
    drop_stale(calls, slot);
    if (calls->depth == DT_NESTED_CALLS)
        return;
    struct pending *pending = &calls->pending[calls->depth];
    pending->slot = slot;
    pending->call = reading->call;
    pending->communicator = reading->communicator;
    pending->creation = 0;
    pending->wildcard = reading->wildcard;
    pending->first_named = calls->named_count;
    pending->named_count = 0;
    copy_words(pending->values, reading->values, (uint32_t)strlen(reading->call->parameters));
    if (reading->call->requests != DT_REQUESTS_NONE) {
        name_requests(calls, pending);
        note_named(thread, pending);
    }
    for (const char *letter = reading->call->parameters; *letter; letter++)
        if (*letter == 'C' || *letter == 'P')
            pending->creation = dt_communicator_creation(reading->communicator);
    substitute_status(pending, registers);
    calls->depth++;
}

static void enter(struct dt_thread_state *thread, struct dt_entry_registers *registers,
                  const struct dt_hooked_function *function)
{
    struct reading reading = {0};
    int64_t arguments[DT_FUNCTION_ARGUMENTS] = {0};
    uint32_t epoch = __atomic_load_n(&dt_signature_epoch, __ATOMIC_ACQUIRE);
    read_call(&reading, registers, function->call);
    copy_words((uint64_t *)arguments, (const uint64_t *)reading.signature.arguments, reading.signature.count);
    uint32_t id = dt_signature_id(registers->index, registers->return_address, &reading.signature);
    dt_record_id(id);
    if (dt_call_flags(function->call) & DT_CALL_LOCKS && reading.signature.arguments[0] == arguments[0] &&
        calls_of(thread))
        dt_known_lock_add(&thread->calls->locks, registers->index, registers->return_address, registers->rdi, epoch,
                          id);
    note_varying(thread, &reading, arguments);
    if (dt_call_flags(function->call) & DT_CALL_LEAVES ||
        (reading.wildcard && dt_call_flags(function->call) & DT_CALL_STATUS))
        remember(thread, &reading, registers);
    if (dt_call_flags(function->call) & DT_CALL_FREES)
        forget_freed(reading.call, reading.values);
}

/* MPI's own functions are called from here on and may be hooked: the fast path is closed to them. */
static void close_fast_path(void)
{
    dt_hot.limit = 0;
    dt_compiler_barrier();
}

static void open_fast_path(const struct dt_thread_state *thread)
{
    dt_compiler_barrier();
    if (!thread->unwinding)
        dt_switch_open(thread);
}

/* What libraries lock in their own threads would only take numbers from the program's locks. */
static bool is_ready(const struct dt_thread_state *thread, const struct dt_hooked_function *function)
{
    if (!dt_process.options.arguments || !function->call)
        return false;
    return function->api_class == DT_API_MPI ? dt_mpi.ready : thread->kind == DT_THREAD_APP;
}

static bool enter_known(const struct dt_thread_state *thread, const struct dt_entry_registers *registers)
{
    const struct dt_calls *calls = thread->calls;
    uint32_t id =
        calls ? dt_known_lock_id(&calls->locks, registers->index, registers->return_address, registers->rdi) : 0;
    if (id)
        dt_record_id(id);
    return id != 0;
}

void dt_call_enter(struct dt_thread_state *thread, struct dt_entry_registers *registers)
{
    const struct dt_hooked_function *function = &dt_functions[registers->index];
    if (!is_ready(thread, function)) {
        dt_record_call(registers->index);
        return;
    }
    if (dt_call_flags(function->call) & DT_CALL_LOCKS && enter_known(thread, registers))
        return;
    close_fast_path();
    enter(thread, registers, function);
    open_fast_path(thread);
}

void dt_call_seen(const struct dt_thread_state *thread, const struct dt_entry_registers *registers)
{
    const struct dt_hooked_function *function = &dt_functions[registers->index];
    const uint64_t values[DT_MOST_PARAMETERS] = {registers->rdi};
    if (dt_call_flags(function->call) & DT_CALL_FREES && is_ready(thread, function))
        forget_freed(dt_call_get(function->call), values);
}

/* ---- exit ------------------------------------------------------------------------------------ */

static void note_status(struct dt_thread_state *thread, uint64_t status, uint64_t position, uint32_t request)
{
    if (status <= dt_mpi.ignored_status)
        return;
    const int *ints = (const int *)status + position * (uint64_t)dt_mpi.status_ints;
    dt_note_wildcard(thread, ints[dt_mpi.source_place], ints[dt_mpi.tag_place], request);
}

/* What a letter of the call points to, or `otherwise` if the call has none such. */
static int pointed(const struct pending *pending, char letter, int otherwise)
{
    for (uint32_t i = 0; pending->call->parameters[i]; i++)
        if (pending->call->parameters[i] == letter)
            return pending->values[i] ? *(const int *)pending->values[i] : otherwise;
    return otherwise;
}

static uint64_t value_of(const struct pending *pending, char letter)
{
    for (uint32_t i = 0; pending->call->parameters[i]; i++)
        if (pending->call->parameters[i] == letter)
            return pending->values[i];
    return 0;
}

/* The requests that have completed, one after the other. */
struct completion {
    struct dt_thread_state *thread;
    const struct pending *pending;
    struct dt_request_note note;
    bool tell; /* that they have is not clear from the call having returned */
};

static void complete(struct completion *completion, int index, uint64_t status_position)
{
    const struct pending *pending = completion->pending;
    if (index < 0 || (uint32_t)index >= pending->named_count)
        return;
    const struct named *named = &completion->thread->calls->named[pending->first_named + (uint32_t)index];
    if (!named->request.number)
        return;
    uint64_t statuses = value_of(pending, 'S');
    if (named->request.wildcard)
        note_status(completion->thread, statuses ? statuses : value_of(pending, 's'), statuses ? status_position : 0,
                    named->request.number);
    if (completion->tell)
        dt_request_note_add(completion->thread, &completion->note, named->request.number);
    if (!named->request.persistent)
        dt_request_gone(named->handle, named->place, named->request.number);
}

static void complete_requests(struct dt_thread_state *thread, const struct pending *pending)
{
    struct completion completion;
    completion.thread = thread;
    completion.pending = pending;
    int some = pointed(pending, 'm', -1), one = pointed(pending, 'i', -1);
    const int *indices = (const int *)value_of(pending, 'x');
    if (!pointed(pending, 'f', 1))
        return;
    completion.tell = pending->call->requests == DT_REQUESTS_TESTED || indices || value_of(pending, 'i');
    dt_request_note_begin(&completion.note, DT_REQUEST_COMPLETED);
    if (indices)
        for (int i = 0; i < some; i++)
            complete(&completion, indices[i], (uint64_t)i);
    else if (value_of(pending, 'i'))
        complete(&completion, one, 0);
    else
        for (uint32_t i = 0; i < pending->named_count; i++)
            complete(&completion, (int)i, i);
    dt_request_note_end(thread, &completion.note);
}

static void request_made(struct dt_thread_state *thread, const struct pending *pending, uint64_t place, bool persistent)
{
    struct dt_request_note note;
    uint64_t handle = dt_mpi_handle_at(place);
    if (!handle || handle == dt_mpi.no_request)
        return;
    dt_request_note_begin(&note, persistent ? DT_REQUEST_MADE_PERSISTENT : DT_REQUEST_MADE);
    dt_request_note_add(thread, &note, dt_request_made(handle, place, persistent, pending->wildcard).number);
    dt_request_note_end(thread, &note);
}

static void leave_parameter(struct dt_thread_state *thread, const struct pending *pending, uint32_t number)
{
    uint64_t value = pending->values[number];
    char letter = pending->call->parameters[number];
    switch (letter) {
    case 'C':
    case 'P':
        dt_communicator_made(dt_mpi_handle_at(value), pending->communicator, pending->creation, letter == 'P');
        break;
    case 'V':
        dt_window_made(dt_mpi_handle_at(value), pending->communicator);
        break;
    case 'q':
    case 'Q':
        request_made(thread, pending, value, letter == 'Q');
        break;
    case 's':
        if (pending->wildcard && pending->call->requests == DT_REQUESTS_NONE && pointed(pending, 'f', 1))
            note_status(thread, value, 0, 0);
        break;
    default:
        break;
    }
}

static void leave_mpi(struct dt_thread_state *thread, const struct pending *pending)
{
    for (uint32_t i = 0; pending->call->parameters[i]; i++)
        leave_parameter(thread, pending, i);
    if (pending->call->requests == DT_REQUESTS_AWAITED || pending->call->requests == DT_REQUESTS_TESTED)
        complete_requests(thread, pending);
    else if (pending->call->requests == DT_REQUESTS_FREED)
        for (uint32_t i = 0; i < pending->named_count; i++) {
            const struct named *named = &thread->calls->named[pending->first_named + i];
            dt_request_gone(named->handle, named->place, named->request.number);
        }
}

static void leave(struct dt_thread_state *thread, const struct pending *pending, int result)
{
    if (is_thread_call(pending->call)) {
        if (result != 0)
            dt_note_lock(thread, dt_lock_number(pending->values[0]), result);
    } else if (result == 0 && dt_mpi.ready) {
        close_fast_path();
        leave_mpi(thread, pending);
        open_fast_path(thread);
    }
}

static void leave_pending(struct dt_thread_state *thread, const struct dt_exit_registers *registers)
{
    struct dt_calls *calls = thread->calls;
    uint64_t slot = (uint64_t)&registers->index;
    while (calls && calls->depth && calls->pending[calls->depth - 1].slot < slot)
        calls->depth--;
    if (!calls || !calls->depth || calls->pending[calls->depth - 1].slot != slot)
        return;
    leave(thread, &calls->pending[calls->depth - 1], (int)registers->rax);
    calls->depth--;
    drop_stale(calls, slot);
}

void dt_call_leave(const struct dt_exit_registers *registers, const struct dt_hooked_function *function)
{
    struct dt_thread_state *thread = dt_self;
    if (!thread || !dt_process.options.arguments)
        return;
    dt_guard++;
    if (function->action == DT_ACTION_MPI_INIT && (int)registers->rax == 0) {
        close_fast_path();
        dt_mpi_initialised(function->image);
        open_fast_path(thread);
    } else if (dt_call_flags(function->call) & (DT_CALL_LEAVES | DT_CALL_STATUS)) {
        leave_pending(thread, registers);
    }
    dt_guard--;
}
