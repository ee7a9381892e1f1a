/* Datatypes: their sizes, and how the program has made them: a tree of constructors, of which each content is recorded
 * once, as an array. What a derived datatype is made of is taken from the call that makes it: asking MPI for it later
 * may end the program (MPICH, of datatypes with large counts). */
#include "format/datatypes.h"

#include "native/arguments/array_arguments.h"
#include "record/arrays.h"
#include "record/spin_lock.h"

enum { SIZE_BITS = 40, MOST_ELEMENTS = 1 << 16, FEW_ELEMENTS = 64, NAME_BYTES = 512 };
#define LARGE_SIZE (((uint64_t)1 << SIZE_BITS) - 1)

/* By handle: its number, and its size below; by the number of a derived one: hash and length of its signature. */
static struct dt_handles datatypes, hashes, lengths;
static uint32_t lock;

/* ---- signatures ------------------------------------------------------------------------------ */

/* Of the predefined datatypes that one consists of; length 0: not known. */
struct signature {
    uint64_t hash, length;
};

static struct signature signature_of(uint32_t number)
{
    struct signature signature = {0};
    if (number && number < DT_FIRST_DERIVED)
        return (struct signature){dt_datatype_hash(number), 1};
    if (number && dt_spin_lock(&lock)) {
        if (!dt_handles_get(&lengths, number, &signature.length) || !dt_handles_get(&hashes, number, &signature.hash))
            signature.length = 0;
        dt_spin_unlock(&lock);
    }
    return signature;
}

static void keep_signature(uint32_t number, struct signature signature)
{
    if (!dt_spin_lock(&lock))
        return;
    dt_handles_put(&hashes, number, signature.hash);
    dt_handles_put(&lengths, number, signature.length);
    dt_spin_unlock(&lock);
}

static struct signature repeat(struct signature one, int64_t times)
{
    if (!one.length || times <= 0)
        return (struct signature){0};
    return (struct signature){dt_datatype_hash_repeat(one.hash, one.length, (uint64_t)times),
                              one.length * (uint64_t)times};
}

/* ---- handles --------------------------------------------------------------------------------- */

static bool is_equal(const char *name, const char *other)
{
    while (*name && *name == *other)
        name++, other++;
    return *name == *other;
}

/* Of one that no call we know has made. */
static uint32_t predefined_number(uint64_t handle)
{
    char name[NAME_BYTES] = "";
    int length = 0;
    if (dt_mpi.type_get_name(handle, name, &length) != 0 || length < 4 || name[0] != 'M' || name[3] != '_')
        return 0;
    for (uint32_t i = 1; i < dt_datatype_name_count; i++)
        if (is_equal(name + 4, dt_datatype_names[i]))
            return i;
    return 0;
}

static bool get(uint64_t handle, uint64_t *known)
{
    if (!dt_spin_lock(&lock))
        return false;
    bool found = dt_handles_get(&datatypes, handle, known);
    dt_spin_unlock(&lock);
    return found;
}

static void put(uint64_t handle, uint32_t number, int64_t size)
{
    uint64_t shown = (uint64_t)size < LARGE_SIZE ? (uint64_t)size : LARGE_SIZE;
    if (!dt_spin_lock(&lock))
        return;
    dt_handles_put(&datatypes, handle, (uint64_t)number << SIZE_BITS | shown);
    dt_spin_unlock(&lock);
}

static int64_t ask_size(uint64_t handle)
{
    int64_t size = -1;
    return dt_mpi.type_size_x(handle, &size) == 0 ? size : -1;
}

struct dt_datatype dt_datatype_of(uint64_t handle)
{
    uint64_t known;
    if (!dt_mpi_is_datatype(handle))
        return (struct dt_datatype){-1, 0};
    if (get(handle, &known) && (known & LARGE_SIZE) != LARGE_SIZE)
        return (struct dt_datatype){(int64_t)(known & LARGE_SIZE), (uint32_t)(known >> SIZE_BITS)};
    struct dt_datatype datatype = {ask_size(handle), 0};
    datatype.number = get(handle, &known) ? (uint32_t)(known >> SIZE_BITS) : predefined_number(handle);
    if (datatype.size >= 0)
        put(handle, datatype.number, datatype.size);
    return datatype;
}

void dt_datatype_made(uint64_t handle, uint32_t number)
{
    int64_t size = number && dt_mpi_is_datatype(handle) ? ask_size(handle) : -1;
    if (size >= 0)
        put(handle, number, size);
}

void dt_datatype_freed(uint64_t handle)
{
    if (!dt_spin_lock(&lock))
        return;
    dt_handles_remove(&datatypes, handle);
    dt_spin_unlock(&lock);
    dt_signatures_changed();
}

/* ---- constructors ---------------------------------------------------------------------------- */

uint8_t dt_constructor_of(const struct dt_call *call)
{
    static const struct {
        char name[28];
        uint8_t constructor;
    } constructors[] = {{"Type_contiguous", DT_CONSTRUCTOR_CONTIGUOUS},
                        {"Type_vector", DT_CONSTRUCTOR_VECTOR},
                        {"Type_create_hvector", DT_CONSTRUCTOR_HVECTOR},
                        {"Type_hvector", DT_CONSTRUCTOR_HVECTOR},
                        {"Type_indexed", DT_CONSTRUCTOR_INDEXED},
                        {"Type_create_hindexed", DT_CONSTRUCTOR_HINDEXED},
                        {"Type_hindexed", DT_CONSTRUCTOR_HINDEXED},
                        {"Type_create_indexed_block", DT_CONSTRUCTOR_INDEXED_BLOCK},
                        {"Type_create_hindexed_block", DT_CONSTRUCTOR_HINDEXED_BLOCK},
                        {"Type_create_struct", DT_CONSTRUCTOR_STRUCT},
                        {"Type_struct", DT_CONSTRUCTOR_STRUCT},
                        {"Type_create_subarray", DT_CONSTRUCTOR_SUBARRAY},
                        {"Type_create_darray", DT_CONSTRUCTOR_DARRAY},
                        {"Type_create_resized", DT_CONSTRUCTOR_RESIZED},
                        {"Type_dup", DT_CONSTRUCTORS}};
    for (uint32_t i = 0; i < sizeof constructors / sizeof *constructors; i++)
        if (is_equal(call->name, constructors[i].name))
            return constructors[i].constructor;
    return 0;
}

/* A constructor's array while it is made. */
struct construction {
    const struct dt_reading *reading;
    uint8_t constructor;
    int64_t *elements;
    uint32_t count, most;
    int64_t parts;              /* of the arrays that it is given */
    uint32_t arrays;            /* of numbers, so far */
    int64_t total;              /* how often the datatype comes, or the last one of many */
    struct signature signature; /* of datatypes, so far */
    bool bad;
};

static void push(struct construction *made, int64_t element)
{
    if (made->count < made->most)
        made->elements[made->count++] = element;
    else
        made->bad = true;
}

static int64_t element_of(uint64_t address, bool wide, int64_t i)
{
    return wide ? ((const int64_t *)address)[i] : ((const int32_t *)address)[i];
}

static void push_array(struct construction *made, uint64_t address, bool wide)
{
    made->bad |= made->parts < 0 || made->parts > MOST_ELEMENTS || (!address && made->parts > 0);
    for (int64_t i = 0; !made->bad && i < made->parts; i++)
        push(made, element_of(address, wide, i));
}

static void push_datatype(struct construction *made, uint64_t handle, int64_t times)
{
    uint32_t number = dt_datatype_of(handle).number;
    struct signature behind = repeat(signature_of(number), times);
    push(made, number);
    if (times <= 0)
        return;
    if (!behind.length || (made->signature.hash && !made->signature.length)) {
        made->signature = (struct signature){1, 0}; /* not known any more */
        return;
    }
    made->signature.hash = dt_datatype_hash_join(made->signature.hash, behind.hash, behind.length);
    made->signature.length += behind.length;
}

/* How many of each are in all blocks together. */
static int64_t sum_of(const struct construction *made, uint64_t address, bool wide)
{
    int64_t sum = 0;
    for (int64_t i = 0; !made->bad && i < made->parts; i++)
        sum += element_of(address, wide, i);
    return sum;
}

static void push_datatypes(struct construction *made, uint64_t datatypes_at, uint64_t lengths_at)
{
    for (int64_t i = 0; datatypes_at && i < made->parts && !made->bad; i++)
        push_datatype(made, dt_mpi_handle_at(datatypes_at + (uint64_t)i * dt_mpi_handle_bytes()),
                      element_of(lengths_at, made->reading->large, i));
}

/* Sizes of a part of an array are the second of those that MPI_Type_create_subarray is given. */
static void push_numbers(struct construction *made, uint64_t address)
{
    bool wide = made->reading->large && (made->constructor == DT_CONSTRUCTOR_SUBARRAY || made->arrays == 0);
    push_array(made, address, wide);
    if (++made->arrays != 2 || made->constructor != DT_CONSTRUCTOR_SUBARRAY || made->bad)
        return;
    for (int64_t i = 0; i < made->parts; i++)
        made->total *= element_of(address, wide, i);
}

static int64_t order(int value)
{
    enum { MPICH_C = 56, MPICH_FORTRAN = 57 };
    return value == MPICH_C ? 0 : value == MPICH_FORTRAN ? 1 : value;
}

static void push_parameter(struct construction *made, uint32_t number)
{
    const struct dt_reading *reading = made->reading;
    uint64_t value = reading->values[number];
    int64_t counted = reading->large ? (int64_t)value : (int32_t)value;
    bool in_elements = made->constructor == DT_CONSTRUCTOR_INDEXED || made->constructor == DT_CONSTRUCTOR_INDEXED_BLOCK;
    switch ((enum dt_parameter_kind)reading->shape->call->parameters[number]) {
    case DT_PARAMETER_COUNT:
        push(made, made->parts = made->total = counted);
        break;
    case DT_PARAMETER_DIMENSION_COUNT:
        push(made, made->parts = (int32_t)value);
        break;
    case DT_PARAMETER_BLOCK_LENGTH:
        push(made, counted);
        made->total *= counted;
        break;
    case DT_PARAMETER_BLOCK_LENGTHS:
        push_array(made, value, reading->large);
        made->total = sum_of(made, value, reading->large);
        break;
    case DT_PARAMETER_DISPLACEMENTS:
        push_array(made, value, !in_elements || reading->large);
        break;
    case DT_PARAMETER_STRIDE:
        push(made, made->constructor == DT_CONSTRUCTOR_VECTOR ? counted : (int64_t)value);
        break;
    case DT_PARAMETER_SIZE:
        push(made, made->constructor == DT_CONSTRUCTOR_DARRAY ? (int32_t)value : (int64_t)value);
        break;
    case DT_PARAMETER_RANK:
        push(made, (int32_t)value);
        break;
    case DT_PARAMETER_NUMBER:
        push(made, order((int)value));
        break;
    case DT_PARAMETER_NUMBERS:
        push_numbers(made, value);
        break;
    case DT_PARAMETER_DATATYPE:
    case DT_PARAMETER_OTHER_DATATYPE:
        push_datatype(made, dt_mpi_handle(value), made->total);
        break;
    case DT_PARAMETER_DATATYPES:
        push_datatypes(made, value, reading->values[1]);
        break;
    default:
        break;
    }
}

static uint32_t construct(struct construction *made)
{
    for (uint32_t i = 0; i < DT_DATATYPE_PARAMETERS; i++)
        push(made, i == 0 ? DT_DATATYPE_MARK - made->constructor : 0);
    for (uint32_t i = 0; !made->bad && i < made->reading->shape->count; i++)
        push_parameter(made, i);
    if (made->bad)
        return 0;
    bool known = made->signature.length && made->constructor != DT_CONSTRUCTOR_DARRAY;
    if (known) {
        made->elements[DT_DATATYPE_HASH] = (int64_t)made->signature.hash;
        made->elements[DT_DATATYPE_LENGTH] = (int64_t)made->signature.length;
    }
    int64_t array = dt_array_number(made->elements, made->count);
    if (array < 0 || array + DT_FIRST_DERIVED >= 1 << (64 - SIZE_BITS))
        return 0;
    uint32_t number = DT_FIRST_DERIVED + (uint32_t)array;
    if (known)
        keep_signature(number, made->signature);
    return number;
}

/* How many elements there may be: a bound. */
static uint32_t elements_of(const struct dt_reading *reading)
{
    int64_t parts = 0;
    for (uint32_t i = 0; i < reading->shape->count; i++) {
        uint8_t kind = reading->shape->call->parameters[i];
        if (kind == DT_PARAMETER_COUNT || kind == DT_PARAMETER_DIMENSION_COUNT)
            parts = (int32_t)reading->values[i];
    }
    bool has_arrays = dt_call_has(reading->shape->call, DT_PARAMETER_DISPLACEMENTS) ||
                      dt_call_has(reading->shape->call, DT_PARAMETER_NUMBERS);
    return FEW_ELEMENTS / 2 + (has_arrays && parts > 0 && parts <= MOST_ELEMENTS ? 4 * (uint32_t)parts : 0);
}

uint32_t dt_datatype_constructed(const struct dt_reading *reading)
{
    int64_t few[FEW_ELEMENTS];
    if (reading->shape->constructor == DT_CONSTRUCTORS) /* MPI_Type_dup */
        return dt_datatype_of(dt_mpi_handle(reading->values[0])).number;
    struct construction made = {.reading = reading,
                                .constructor = reading->shape->constructor,
                                .elements = few,
                                .most = elements_of(reading),
                                .total = 1};
    if (made.most > FEW_ELEMENTS)
        made.elements = dt_sys_allocate(made.most * sizeof *made.elements);
    uint32_t number = made.elements ? construct(&made) : 0;
    if (made.elements && made.elements != few)
        dt_sys_munmap(made.elements, made.most * sizeof *made.elements);
    return number;
}
