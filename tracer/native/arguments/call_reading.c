/* What a call is given: its parameters, as arguments of a signature. */
#include "native/arguments/call_reading.h"

static void add(struct dt_reading *reading, int64_t argument)
{
    struct dt_signature *signature = &reading->signature;
    if (signature->count < DT_FUNCTION_ARGUMENTS)
        signature->arguments[signature->count++] = argument;
}

static void add_data(struct dt_reading *reading)
{
    if (reading->data)
        add(reading, reading->data);
    reading->data = 0;
}

static int64_t peer(const struct dt_reading *reading, enum dt_argument_kind kind, int rank)
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

static int64_t data(const struct dt_reading *reading, uint32_t type)
{
    bool in_place = type >= 2 && dt_parameter_is_in_place(reading->shape->call, type - 2) &&
                    reading->values[type - 2] == dt_mpi.in_place;
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

/* What later parameters need to know: communicator, root without data. */
static void find_communicator(struct dt_reading *reading)
{
    for (uint32_t i = 0; i < reading->shape->count; i++) {
        uint64_t value = reading->values[i];
        uint8_t kind = reading->shape->call->parameters[i];
        if (kind == DT_PARAMETER_COMM)
            reading->communicator = dt_mpi_handle(value);
        else if (kind == DT_PARAMETER_COMM_FREED)
            reading->communicator = dt_mpi_handle_at(value);
        else if (kind == DT_PARAMETER_ROOT)
            reading->no_data = (int)value == dt_mpi.root || (int)value == dt_mpi.proc_null;
        else if (kind == DT_PARAMETER_WINDOW || kind == DT_PARAMETER_WINDOW_FREED) {
            uint64_t window = kind == DT_PARAMETER_WINDOW ? dt_mpi_handle(value) : dt_mpi_handle_at(value);
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

static void add_parameter(struct dt_reading *reading, uint32_t number)
{
    uint64_t value = reading->values[number];
    switch ((enum dt_parameter_kind)reading->shape->call->parameters[number]) {
    case DT_PARAMETER_DESTINATION:
        add(reading, peer(reading, DT_ARGUMENT_TO, (int)value));
        break;
    case DT_PARAMETER_SOURCE:
        reading->wildcard = (int)value == dt_mpi.any_source || (int)reading->values[number + 1] == -1;
        add(reading, peer(reading, DT_ARGUMENT_FROM, (int)value));
        break;
    case DT_PARAMETER_TARGET:
        add(reading, peer(reading, DT_ARGUMENT_TARGET, (int)value));
        break;
    case DT_PARAMETER_TAG:
        add(reading, tag((int)value));
        break;
    case DT_PARAMETER_DATATYPE:
        add_data(reading);
        reading->data = data(reading, number);
        break;
    case DT_PARAMETER_ROOT:
        add(reading, root((int)value));
        break;
    case DT_PARAMETER_OPERATION:
        add(reading, dt_argument(DT_ARGUMENT_OPERATION, dt_operation_number(dt_mpi_handle(value))));
        break;
    case DT_PARAMETER_COLOR:
    case DT_PARAMETER_SPLIT_TYPE:
        add(reading, color((int)value));
        break;
    case DT_PARAMETER_REQUEST_COUNT:
        add(reading, dt_argument(DT_ARGUMENT_REQUESTS, (int)value));
        break;
    default:
        break;
    }
}

static void add_lock(struct dt_reading *reading, uint32_t number)
{
    uint64_t value = reading->values[number];
    uint8_t kind = reading->shape->call->parameters[number];
    if (kind == DT_PARAMETER_LOCK_MADE || kind == DT_PARAMETER_CONDITION_MADE || kind == DT_PARAMETER_BARRIER_MADE)
        dt_lock_destroyed(value); /* whatever was there */
    switch ((enum dt_parameter_kind)kind) {
    case DT_PARAMETER_LOCK:
    case DT_PARAMETER_LOCK_MADE:
    case DT_PARAMETER_LOCK_FREED:
        add(reading, lock(DT_ARGUMENT_LOCK, value));
        break;
    case DT_PARAMETER_CONDITION:
    case DT_PARAMETER_CONDITION_MADE:
    case DT_PARAMETER_CONDITION_FREED:
        add(reading, lock(DT_ARGUMENT_CONDITION, value));
        break;
    case DT_PARAMETER_BARRIER:
    case DT_PARAMETER_BARRIER_MADE:
    case DT_PARAMETER_BARRIER_FREED:
        add(reading, lock(DT_ARGUMENT_BARRIER, value));
        break;
    default:
        break;
    }
}

static void add_locks(struct dt_reading *reading)
{
    static const char unnamed_critical_section;
    for (uint32_t i = 0; i < reading->shape->count; i++)
        add_lock(reading, i);
    if (reading->shape->call->properties & DT_CALL_UNNAMED_LOCK)
        add(reading, lock(DT_ARGUMENT_LOCK, (uint64_t)&unnamed_critical_section));
}

void dt_call_read(struct dt_reading *reading, struct dt_entry_registers *registers, uint16_t index)
{
    reading->shape = dt_call_shape(index);
    reading->large = index & DT_CALL_LARGE;
    reading->communicator = 0;
    reading->of = NULL;
    reading->window = 0;
    reading->wildcard = reading->no_data = false;
    reading->data = 0;
    reading->signature.count = 0;
    for (uint32_t i = 0; i < reading->shape->count; i++)
        reading->values[i] = *dt_call_parameter(registers, i);
    if (!(reading->shape->flags & DT_CALL_OF_MPI)) {
        add_locks(reading);
        return;
    }
    find_communicator(reading);
    for (uint32_t i = 0; i < reading->shape->count; i++)
        add_parameter(reading, i);
    add_data(reading);
}
