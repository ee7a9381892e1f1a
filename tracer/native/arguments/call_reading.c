/* What a call is given: its parameters, as arguments of a signature. */
#include "format/datatypes.h"
#include "native/arguments/array_arguments.h"

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

static bool is_in_place(const struct dt_reading *reading, uint32_t buffer)
{
    return dt_parameter_is_in_place(reading->shape->call, buffer) && reading->values[buffer] == dt_mpi.in_place;
}

/* Of the datatype that is parameter `type`, and the count before it: how much, not of what. */
static int64_t amount(const struct dt_reading *reading, enum dt_argument_kind kind, uint32_t type)
{
    int64_t count = (int64_t)reading->values[type - 1];
    if (type >= 2 && is_in_place(reading, type - 2))
        return dt_argument_special(kind, DT_SPECIAL_IN_PLACE);
    count = reading->large ? count : (int32_t)count;
    int64_t size = reading->no_data ? -1 : dt_datatype_size(dt_mpi_handle(reading->values[type]));
    if (size < 0)
        return dt_argument_special(kind, DT_SPECIAL_UNKNOWN);
    if (dt_argument_data_fits(count, size))
        return dt_argument_data(kind, count, size);
    return dt_array_argument(kind, (const int64_t[]){count, size}, 2);
}

/* The same with the datatype: of data of a predefined one it is in the value, of a derived one, and of what the other
 * side of the call describes, an array has all three. */
static int64_t data(const struct dt_reading *reading, enum dt_argument_kind kind, uint32_t type)
{
    int64_t plain = amount(reading, kind, type), value = dt_argument_value(plain);
    if (dt_argument_special_of(plain) != DT_SPECIAL_NONE)
        return plain;
    struct dt_datatype datatype = dt_datatype_of(dt_mpi_handle(reading->values[type]));
    int64_t count = (int64_t)reading->values[type - 1];
    count = reading->large ? count : (int32_t)count;
    if (datatype.number >= DT_FIRST_DERIVED || (kind == DT_ARGUMENT_OTHER_DATA && datatype.number))
        return dt_array_argument(kind, (const int64_t[]){count, datatype.size, datatype.number}, 3);
    bool fits = kind == DT_ARGUMENT_DATA && datatype.number && datatype.size < 256 && count >= 0 && count <= UINT32_MAX;
    return fits ? dt_argument(DT_ARGUMENT_TYPED_DATA, value | (int64_t)datatype.number << 40) : plain;
}

/* Where only the root passes them, what others pass says nothing. */
static bool tells_other_side(const struct dt_reading *reading)
{
    return !dt_call_has(reading->shape->call, DT_PARAMETER_ROOT) || reading->is_root;
}

/* As much of another datatype: it may hold something else, or lie otherwise in memory. */
static bool is_of_other_type(const struct dt_reading *reading, int64_t plain, uint32_t type)
{
    if (dt_argument_special_of(plain) != DT_SPECIAL_NONE || !reading->main_type)
        return false;
    uint32_t number = dt_datatype_of(dt_mpi_handle(reading->values[type])).number;
    return number && number != reading->main_type;
}

/* The other pair of count and datatype, where it differs: mostly it says the same. */
static void add_other_data(struct dt_reading *reading, uint32_t type)
{
    uint8_t before = type > 0 ? reading->shape->call->parameters[type - 1] : 0;
    if (!tells_other_side(reading))
        return;
    if (before == DT_PARAMETER_OTHER_COUNT) {
        int64_t plain = amount(reading, DT_ARGUMENT_OTHER_DATA, type);
        if (dt_argument_value(plain) != reading->main_data || is_of_other_type(reading, plain, type))
            add(reading, data(reading, DT_ARGUMENT_OTHER_DATA, type));
    } else {
        int64_t size = dt_datatype_size(dt_mpi_handle(reading->values[type]));
        add(reading, size < 0 ? dt_argument_special(DT_ARGUMENT_ELEMENT, DT_SPECIAL_UNKNOWN)
                              : dt_argument(DT_ARGUMENT_ELEMENT, size));
        uint32_t number = reading->shape->call->properties & DT_CALL_IO
                              ? dt_datatype_of(dt_mpi_handle(reading->values[type])).number
                              : 0;
        if (number >= DT_FIRST_DERIVED) /* of a file's view: it may have holes */
            add(reading, dt_argument(DT_ARGUMENT_DATATYPE, number));
    }
}

static void add_array(struct dt_reading *reading, uint32_t number)
{
    int64_t argument = tells_other_side(reading) ? dt_call_array(reading, number) : 0;
    if (argument)
        add(reading, argument);
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
        else if (kind == DT_PARAMETER_FILE)
            add(reading, dt_file_argument(value));
        else if (kind == DT_PARAMETER_FILE_FREED)
            add(reading, dt_file_argument(value ? *(const uint64_t *)value : 0));
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

static void find_main_data(struct dt_reading *reading, uint32_t type)
{
    int64_t plain = amount(reading, DT_ARGUMENT_DATA, type);
    bool is_known = dt_argument_special_of(plain) == DT_SPECIAL_NONE;
    reading->main_data = dt_argument_value(plain);
    reading->main_type = is_known ? dt_datatype_of(dt_mpi_handle(reading->values[type])).number : 0;
}

/* Who the root is, and the data that the other side is compared with. */
static void find_sides(struct dt_reading *reading)
{
    for (uint32_t i = 0; i < reading->shape->count; i++) {
        uint8_t kind = reading->shape->call->parameters[i];
        int value = (int)reading->values[i];
        if (kind == DT_PARAMETER_ROOT)
            reading->is_root =
                reading->of && (value == dt_mpi.root || (value == reading->of->rank && reading->of->remote_size < 0));
        else if (kind == DT_PARAMETER_DATATYPE && i > 0)
            find_main_data(reading, i);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int64_t lock_type(int value)
{
    return value == dt_mpi.lock_exclusive ? 1 : value == dt_mpi.lock_shared ? 2 : value;
}

static int64_t assertion(int value)
{
    int64_t bits = 0;
    for (int i = 0; i < DT_ASSERTIONS; i++)
        bits |= value & dt_mpi.assertions[i] ? (int64_t)1 << i : 0;
    return bits;
}

/* As MPI_SEEK_SET and the next two are in all MPIs that we know. */
static int64_t whence(int value)
{
    return value == 600 ? 0 : value == 602 ? 1 : value == 604 ? 2 : value;
}

/* How many there are in the array behind it: the array says it. */
static bool is_length(const struct dt_call *call, uint32_t number)
{
    uint8_t behind = call->parameters[number + 1];
    return behind == DT_PARAMETER_RANKS || behind == DT_PARAMETER_RANKS_OUT || behind == DT_PARAMETER_RANK_RANGES ||
           behind == DT_PARAMETER_GRAPH_INDEX || behind == DT_PARAMETER_PARTITIONS;
}

/* One that is recorded as it is, or nearly so. */
static void add_number(struct dt_reading *reading, uint32_t number)
{
    uint64_t value = reading->values[number];
    int narrow = (int)value;
    switch ((enum dt_parameter_kind)reading->shape->call->parameters[number]) {
    case DT_PARAMETER_TARGET_DISPLACEMENT:
        add(reading, dt_argument(DT_ARGUMENT_DISPLACEMENT, (int64_t)value));
        break;
    case DT_PARAMETER_DISPLACEMENT_UNIT:
        add(reading, dt_argument(DT_ARGUMENT_UNIT, reading->large ? (int64_t)value : narrow));
        break;
    case DT_PARAMETER_SIZE:
        add(reading, dt_argument(DT_ARGUMENT_SIZE, (int64_t)value));
        break;
    case DT_PARAMETER_NARROW_SIZE:
        add(reading, dt_argument(DT_ARGUMENT_SIZE, reading->large ? (int64_t)value : narrow));
        break;
    case DT_PARAMETER_OFFSET:
        add(reading, dt_argument(DT_ARGUMENT_OFFSET, (int64_t)value));
        break;
    case DT_PARAMETER_LOCK_TYPE:
        add(reading, dt_argument(DT_ARGUMENT_LOCK_TYPE, lock_type(narrow)));
        break;
    case DT_PARAMETER_ASSERTION:
        add(reading, dt_argument(DT_ARGUMENT_ASSERTION, assertion(narrow)));
        break;
    case DT_PARAMETER_WHENCE:
        add(reading, dt_argument(DT_ARGUMENT_WHENCE, whence(narrow)));
        break;
    case DT_PARAMETER_ACCESS_MODE:
        add(reading, dt_argument(DT_ARGUMENT_ACCESS_MODE, narrow));
        break;
    case DT_PARAMETER_ERROR_CODE:
        add(reading, dt_argument(DT_ARGUMENT_CODE, narrow));
        break;
    case DT_PARAMETER_THREAD_LEVEL:
        dt_mpi_required_level = narrow;
        add(reading, dt_argument(DT_ARGUMENT_THREAD_LEVEL, narrow));
        break;
    case DT_PARAMETER_NUMBER:
        if (!is_length(reading->shape->call, number))
            add(reading, dt_argument(DT_ARGUMENT_NUMBER, narrow));
        break;
    case DT_PARAMETER_PARTITION_COUNT:
        add(reading, dt_argument(DT_ARGUMENT_PARTITIONS, narrow));
        break;
    case DT_PARAMETER_PARTITION:
        add(reading, dt_argument(DT_ARGUMENT_PARTITION, narrow));
        break;
    case DT_PARAMETER_RANK:
    case DT_PARAMETER_LOCAL_LEADER:
    case DT_PARAMETER_REMOTE_LEADER:
        add(reading, dt_argument(DT_ARGUMENT_RANK, narrow));
        break;
    case DT_PARAMETER_ORDER_KEY:
        add(reading, dt_argument(DT_ARGUMENT_KEY, (int64_t)narrow - (reading->of ? reading->of->rank : 0)));
        break;
    case DT_PARAMETER_LEADER_TAG:
        add(reading, dt_argument(DT_ARGUMENT_TAG, narrow));
        break;
    default:
        break;
    }
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
        reading->data = data(reading, DT_ARGUMENT_DATA, number);
        break;
    case DT_PARAMETER_OTHER_DATATYPE:
        add_other_data(reading, number);
        break;
    case DT_PARAMETER_COUNTS:
    case DT_PARAMETER_DATATYPES:
    case DT_PARAMETER_DIMENSIONS:
    case DT_PARAMETER_PERIODS:
    case DT_PARAMETER_DIMENSIONS_KEPT:
    case DT_PARAMETER_RANKS:
    case DT_PARAMETER_DEGREES:
    case DT_PARAMETER_GRAPH_INDEX:
    case DT_PARAMETER_GRAPH_EDGES:
    case DT_PARAMETER_GROUP:
    case DT_PARAMETER_COORDINATES:
    case DT_PARAMETER_PARTITIONS:
    case DT_PARAMETER_RANK_RANGES:
        add_array(reading, number);
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
        add_number(reading, number);
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

static void add_constructed(struct dt_reading *reading)
{
    reading->datatype = dt_datatype_constructed(reading);
    add(reading, reading->datatype ? dt_argument(DT_ARGUMENT_DATATYPE, reading->datatype)
                                   : dt_argument_special(DT_ARGUMENT_DATATYPE, DT_SPECIAL_UNKNOWN));
}

void dt_call_read(struct dt_reading *reading, struct dt_entry_registers *registers, uint16_t index)
{
    reading->shape = dt_call_shape(index);
    reading->large = index & DT_CALL_LARGE;
    reading->communicator = 0;
    reading->of = NULL;
    reading->window = 0;
    reading->wildcard = reading->no_data = reading->is_root = false;
    reading->data = reading->main_data = 0;
    reading->main_type = 0;
    reading->datatype = 0;
    reading->signature.count = 0;
    for (uint32_t i = 0; i < reading->shape->count; i++)
        reading->values[i] = *dt_call_parameter(registers, i);
    if (!(reading->shape->flags & DT_CALL_OF_MPI)) {
        add_locks(reading);
        return;
    }
    if (reading->shape->constructor) {
        add_constructed(reading);
        return;
    }
    find_communicator(reading);
    find_sides(reading);
    for (uint32_t i = 0; i < reading->shape->count; i++)
        add_parameter(reading, i);
    add_data(reading);
}
