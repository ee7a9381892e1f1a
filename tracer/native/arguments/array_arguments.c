#include "native/arguments/array_arguments.h"

#include "record/arrays.h"

enum { DT_MOST_ELEMENTS = 1 << 20, DT_FEW_ELEMENTS = 64 };

int64_t dt_array_argument(enum dt_argument_kind kind, const int64_t *elements, uint32_t count)
{
    int64_t number = dt_array_number(elements, count);
    return number < 0 ? dt_argument_special(kind, DT_SPECIAL_UNKNOWN)
                      : dt_argument(kind, dt_argument_first_array(kind) + number);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* How a parameter's elements are to be taken. */
struct source {
    enum dt_argument_kind kind;
    const int32_t *narrow; /* where they are; NULL: `wide` */
    const int64_t *wide;
    const uint8_t *types; /* datatypes: handles, of which the sizes are taken; NULL: numbers */
    int64_t count;
};

static int64_t distance(const struct dt_known_communicator *of, int64_t rank)
{
    if (!of || rank < 0 || rank >= of->size)
        return rank;
    int64_t steps = (rank - of->rank) % of->size;
    steps += steps < 0 ? of->size : 0;
    return 2 * steps > of->size ? steps - of->size : steps;
}

static int64_t element_at(const struct dt_reading *reading, const struct source *source, int64_t i)
{
    if (source->types)
        return dt_datatype_size(dt_mpi_handle_at((uint64_t)source->types + (uint64_t)i * dt_mpi_handle_bytes()));
    int64_t value = source->narrow ? source->narrow[i] : source->wide ? source->wide[i] : 0;
    return source->kind == DT_ARGUMENT_NEIGHBOURS                                    ? distance(reading->of, value)
           : source->kind == DT_ARGUMENT_PERIODS || source->kind == DT_ARGUMENT_KEPT ? value != 0
                                                                                     : value;
}

static int64_t array_of(const struct dt_reading *reading, const struct source *source)
{
    bool there = source->narrow || source->wide || source->types;
    if (source->count < 0 || source->count > DT_MOST_ELEMENTS || (!there && source->count > 0))
        return dt_argument_special(source->kind, DT_SPECIAL_UNKNOWN);
    uint32_t count = (uint32_t)source->count;
    int64_t few[DT_FEW_ELEMENTS] = {0};
    int64_t *elements = count <= DT_FEW_ELEMENTS ? few : dt_sys_allocate(count * sizeof *elements);
    if (!elements)
        return dt_argument_special(source->kind, DT_SPECIAL_UNKNOWN);
    for (uint32_t i = 0; i < count; i++)
        elements[i] = element_at(reading, source, i);
    int64_t argument = dt_array_argument(source->kind, elements, count);
    if (elements != few)
        dt_sys_munmap(elements, count * sizeof *elements);
    return argument;
}

/* ---- how many -------------------------------------------------------------------------------- */

static uint8_t parameter(const struct dt_reading *reading, uint32_t number)
{
    return reading->shape->call->parameters[number];
}

/* A number before the parameter, of one of two kinds. */
static int64_t number_before(const struct dt_reading *reading, uint32_t number, uint8_t kind, uint8_t other)
{
    while (number-- > 0)
        if (parameter(reading, number) == kind || parameter(reading, number) == other)
            return (int32_t)reading->values[number];
    return -1;
}

/* The nearest array of that kind before the parameter. */
static const int32_t *array_before(const struct dt_reading *reading, uint32_t number, uint8_t kind)
{
    while (number-- > 0)
        if (parameter(reading, number) == kind)
            return (const int32_t *)reading->values[number];
    return NULL;
}

static int64_t sum(const int32_t *numbers, int64_t count)
{
    int64_t all = 0;
    for (int64_t i = 0; numbers && i < count && i < DT_MOST_ELEMENTS; i++)
        all += numbers[i];
    return all;
}

/* Neighbours that a process sends to, or receives from; -1: not known. */
static int64_t neighbours(const struct dt_reading *reading, bool sent)
{
    int in = 0, out = 0;
    return reading->of && dt_communicator_degrees(reading->communicator, &in, &out) ? (sent ? out : in) : -1;
}

/* One a member of the communicator, or a neighbour. */
static int64_t member_count(const struct dt_reading *reading, uint32_t number)
{
    if (reading->shape->call->properties & DT_CALL_NEIGHBOURHOOD) {
        bool sent = true;
        for (uint32_t i = 0; i < number; i++)
            sent &= parameter(reading, i) != DT_PARAMETER_RECEIVED;
        return neighbours(reading, sent);
    }
    return !reading->of ? -1 : reading->of->remote_size >= 0 ? reading->of->remote_size : reading->of->size;
}

/* Sources, or, behind degrees, all destinations. */
static int64_t rank_count(const struct dt_reading *reading, uint32_t number)
{
    int64_t count = number_before(reading, number, DT_PARAMETER_DEGREE, DT_PARAMETER_NUMBER);
    const int32_t *degrees = array_before(reading, number, DT_PARAMETER_DEGREES);
    return degrees ? sum(degrees, count) : count;
}

static int64_t edge_count(const struct dt_reading *reading, uint32_t number)
{
    int64_t nodes = number_before(reading, number, DT_PARAMETER_NUMBER, DT_PARAMETER_NUMBER);
    const int32_t *index = array_before(reading, number, DT_PARAMETER_GRAPH_INDEX);
    return index && nodes > 0 && nodes <= DT_MOST_ELEMENTS ? index[nodes - 1] : -1;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* The buffer that counts are of is MPI_IN_PLACE: then they say nothing, and may be anywhere. */
static bool is_of_no_buffer(const struct dt_reading *reading, uint32_t number)
{
    return number > 0 && dt_parameter_is_in_place(reading->shape->call, number - 1) &&
           reading->values[number - 1] == dt_mpi.in_place;
}

static int64_t in_place_before(const struct dt_reading *reading, uint32_t number)
{
    for (uint32_t i = number; i-- > 0;) {
        uint8_t kind = parameter(reading, i);
        if (kind == DT_PARAMETER_COUNTS)
            return is_of_no_buffer(reading, i);
        if (kind == DT_PARAMETER_RECEIVED || kind == DT_PARAMETER_SENT)
            return false;
    }
    return false;
}

static int64_t counts(const struct dt_reading *reading, uint32_t number)
{
    struct source source = {.kind = DT_ARGUMENT_COUNTS, .count = member_count(reading, number)};
    if (is_of_no_buffer(reading, number))
        return dt_argument_special(DT_ARGUMENT_COUNTS, DT_SPECIAL_IN_PLACE);
    if (reading->large)
        source.wide = (const int64_t *)reading->values[number];
    else
        source.narrow = (const int32_t *)reading->values[number];
    return source.count < 0 ? 0 : array_of(reading, &source);
}

static int64_t types(const struct dt_reading *reading, uint32_t number)
{
    const struct source source = {.kind = DT_ARGUMENT_ELEMENTS,
                                  .types = (const uint8_t *)reading->values[number],
                                  .count = member_count(reading, number)};
    if (in_place_before(reading, number))
        return dt_argument_special(DT_ARGUMENT_ELEMENTS, DT_SPECIAL_IN_PLACE);
    return source.count < 0 ? 0 : array_of(reading, &source);
}

static int64_t numbers(const struct dt_reading *reading, uint32_t number, enum dt_argument_kind kind, int64_t count)
{
    const struct source source = {.kind = kind, .narrow = (const int32_t *)reading->values[number], .count = count};
    return array_of(reading, &source);
}

static int64_t group(uint64_t handle)
{
    int few[DT_FEW_ELEMENTS];
    int64_t members[DT_FEW_ELEMENTS];
    int64_t count = dt_group_members(handle, NULL, 0);
    if (count < 0 || count > DT_MOST_ELEMENTS)
        return dt_argument_special(DT_ARGUMENT_GROUP, count < 0 ? DT_SPECIAL_NO_HANDLE : DT_SPECIAL_UNKNOWN);
    size_t bytes = (size_t)count * (sizeof(int) + sizeof(int64_t));
    int64_t *elements = count <= DT_FEW_ELEMENTS ? members : dt_sys_allocate(bytes);
    int *ranks = count <= DT_FEW_ELEMENTS ? few : (int *)(elements + count);
    if (!elements || dt_group_members(handle, ranks, (uint32_t)count) != count)
        return dt_argument_special(DT_ARGUMENT_GROUP, DT_SPECIAL_UNKNOWN);
    for (int64_t i = 0; i < count; i++)
        elements[i] = ranks[i];
    int64_t argument = dt_array_argument(DT_ARGUMENT_GROUP, elements, (uint32_t)count);
    if (elements != members)
        dt_sys_munmap(elements, bytes);
    return argument;
}

int64_t dt_call_array(const struct dt_reading *reading, uint32_t number)
{
    int64_t dimensions = number_before(reading, number, DT_PARAMETER_DIMENSION_COUNT, DT_PARAMETER_DIMENSION_COUNT);
    switch ((enum dt_parameter_kind)parameter(reading, number)) {
    case DT_PARAMETER_COUNTS:
        return counts(reading, number);
    case DT_PARAMETER_DATATYPES:
        return types(reading, number);
    case DT_PARAMETER_DIMENSIONS:
        return numbers(reading, number, DT_ARGUMENT_DIMENSIONS, dimensions);
    case DT_PARAMETER_PERIODS:
        return numbers(reading, number, DT_ARGUMENT_PERIODS, dimensions);
    case DT_PARAMETER_DIMENSIONS_KEPT:
        return numbers(reading, number, DT_ARGUMENT_KEPT, dt_communicator_dimensions(reading->communicator));
    case DT_PARAMETER_RANKS:
        return numbers(reading, number, reading->of ? DT_ARGUMENT_NEIGHBOURS : DT_ARGUMENT_RANKS,
                       rank_count(reading, number));
    case DT_PARAMETER_DEGREES:
        return numbers(reading, number, DT_ARGUMENT_DEGREES,
                       number_before(reading, number, DT_PARAMETER_NUMBER, DT_PARAMETER_DEGREE));
    case DT_PARAMETER_GRAPH_INDEX:
        return numbers(reading, number, DT_ARGUMENT_GRAPH_INDEX,
                       number_before(reading, number, DT_PARAMETER_NUMBER, DT_PARAMETER_NUMBER));
    case DT_PARAMETER_GRAPH_EDGES:
        return numbers(reading, number, DT_ARGUMENT_GRAPH_EDGES, edge_count(reading, number));
    case DT_PARAMETER_COORDINATES:
        return numbers(reading, number, DT_ARGUMENT_COORDINATES, dt_communicator_dimensions(reading->communicator));
    case DT_PARAMETER_PARTITIONS:
        return numbers(reading, number, DT_ARGUMENT_PARTITION_LIST,
                       number_before(reading, number, DT_PARAMETER_NUMBER, DT_PARAMETER_NUMBER));
    case DT_PARAMETER_RANK_RANGES:
        return numbers(reading, number, DT_ARGUMENT_RANGES,
                       3 * number_before(reading, number, DT_PARAMETER_NUMBER, DT_PARAMETER_NUMBER));
    case DT_PARAMETER_GROUP:
        return group(dt_mpi_handle(reading->values[number]));
    default:
        return 0;
    }
}
