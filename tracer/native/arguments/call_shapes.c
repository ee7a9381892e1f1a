/* What has to be done for a call with arguments, from its row in the table of calls. Worked out when its function is
 * hooked. */
#include "native/arguments/call_reading.h"
#include "native/arguments/payload.h"

enum { DT_MOST_SHAPES = 511 };

struct dt_call_shape dt_call_shapes[1 + DT_MOST_SHAPES];
static uint16_t shape_count;

/* What a parameter is to a call that is entered, and when it returns. */
enum use {
    IDENTIFIES = 1u << 0, /* the signature is made of it */
    RESULTS = 1u << 1,    /* looked at when the call returns */
    LEAVES = 1u << 2,     /* because of it the call is looked at again when it returns */
    FREES = 1u << 3,
    CHANGES = 1u << 4, /* it makes or frees an object of MPI's */
    READ = 1u << 5,    /* any of this, or something else */
    POINTS = 1u << 6   /* what it points to may be another in each call */
};

static unsigned use_of(uint8_t kind)
{
    switch ((enum dt_parameter_kind)kind) {
    case DT_PARAMETER_COMM:
    case DT_PARAMETER_WINDOW:
    case DT_PARAMETER_COUNT:
    case DT_PARAMETER_DATATYPE:
    case DT_PARAMETER_DESTINATION:
    case DT_PARAMETER_SOURCE:
    case DT_PARAMETER_TARGET:
    case DT_PARAMETER_TAG:
    case DT_PARAMETER_ROOT:
    case DT_PARAMETER_OPERATION:
    case DT_PARAMETER_COLOR:
    case DT_PARAMETER_SPLIT_TYPE:
    case DT_PARAMETER_REQUEST_COUNT:
    case DT_PARAMETER_OTHER_COUNT:
    case DT_PARAMETER_OTHER_DATATYPE:
    case DT_PARAMETER_TARGET_DISPLACEMENT:
    case DT_PARAMETER_DISPLACEMENT_UNIT:
    case DT_PARAMETER_SIZE:
    case DT_PARAMETER_NARROW_SIZE:
    case DT_PARAMETER_LOCK_TYPE:
    case DT_PARAMETER_ASSERTION:
    case DT_PARAMETER_FILE:
    case DT_PARAMETER_OFFSET:
    case DT_PARAMETER_WHENCE:
    case DT_PARAMETER_ACCESS_MODE:
    case DT_PARAMETER_ERROR_CODE:
    case DT_PARAMETER_THREAD_LEVEL:
    case DT_PARAMETER_LOCAL_LEADER:
    case DT_PARAMETER_REMOTE_LEADER:
    case DT_PARAMETER_LEADER_TAG:
    case DT_PARAMETER_ORDER_KEY:
    case DT_PARAMETER_RANK:
    case DT_PARAMETER_NUMBER:
    case DT_PARAMETER_PARTITION_COUNT:
    case DT_PARAMETER_PARTITION:
        return READ | IDENTIFIES;
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
        return READ | POINTS;
    case DT_PARAMETER_FILE_MADE:
    case DT_PARAMETER_COMM_MADE:
    case DT_PARAMETER_COMM_MADE_LATER:
    case DT_PARAMETER_WINDOW_MADE:
    case DT_PARAMETER_DATATYPE_MADE:
        return READ | RESULTS | LEAVES | CHANGES;
    case DT_PARAMETER_REQUEST_MADE:
    case DT_PARAMETER_PERSISTENT_REQUEST_MADE:
        return READ | RESULTS | LEAVES;
    case DT_PARAMETER_STATUS:
        return READ | RESULTS;
    case DT_PARAMETER_REQUEST_AT:
    case DT_PARAMETER_REQUESTS:
    case DT_PARAMETER_REQUEST_FREED:
        return READ | LEAVES;
    case DT_PARAMETER_COMM_FREED:
    case DT_PARAMETER_WINDOW_FREED:
    case DT_PARAMETER_FILE_FREED:
    case DT_PARAMETER_DATATYPE_FREED:
    case DT_PARAMETER_OPERATION_FREED:
        return READ | FREES | CHANGES;
    case DT_PARAMETER_LOCK_FREED:
    case DT_PARAMETER_CONDITION_FREED:
    case DT_PARAMETER_BARRIER_FREED:
        return READ | FREES;
    case DT_PARAMETER_LOCK:
    case DT_PARAMETER_LOCK_MADE:
    case DT_PARAMETER_CONDITION:
    case DT_PARAMETER_CONDITION_MADE:
    case DT_PARAMETER_BARRIER:
    case DT_PARAMETER_BARRIER_MADE:
    case DT_PARAMETER_STATUSES:
    case DT_PARAMETER_FLAG:
    case DT_PARAMETER_INDEX:
    case DT_PARAMETER_INDICES:
    case DT_PARAMETER_COMPLETED_COUNT:
    case DT_PARAMETER_DEGREE:
    case DT_PARAMETER_DIMENSION_COUNT:
        return READ;
    default:
        return 0;
    }
}

static enum dt_request_use find_request_use(const struct dt_call *call)
{
    if (dt_call_has(call, DT_PARAMETER_REQUEST_FREED))
        return DT_REQUESTS_FREED;
    if (!dt_call_has(call, DT_PARAMETER_REQUEST_AT) && !dt_call_has(call, DT_PARAMETER_REQUESTS))
        return DT_REQUESTS_NONE;
    return call->properties & DT_CALL_BLOCKING  ? DT_REQUESTS_AWAITED
           : call->properties & DT_CALL_POLLING ? DT_REQUESTS_TESTED
                                                : DT_REQUESTS_STARTED;
}

static void note_place(struct dt_call_shape *shape, uint8_t kind, uint8_t number)
{
    if (kind == DT_PARAMETER_STATUS)
        shape->status = number;
    else if (kind == DT_PARAMETER_STATUSES)
        shape->statuses = number;
    else if (kind == DT_PARAMETER_FLAG)
        shape->flag = number;
    else if (kind == DT_PARAMETER_INDEX)
        shape->one = number;
    else if (kind == DT_PARAMETER_COMPLETED_COUNT)
        shape->some = number;
    else if (kind == DT_PARAMETER_INDICES)
        shape->indices = number;
}

/* Gives its use. */
static unsigned add_parameter(struct dt_call_shape *shape, uint8_t number)
{
    uint8_t kind = shape->call->parameters[number];
    unsigned use = dt_parameter_is_in_place(shape->call, number) ? READ | IDENTIFIES : use_of(kind);
    if (use & READ)
        shape->count = (uint8_t)(number + 1);
    if (use & IDENTIFIES)
        shape->quick_count = (uint8_t)(number + 1);
    if (use & IDENTIFIES ||
        (shape->requests == DT_REQUESTS_TESTED && (kind == DT_PARAMETER_REQUEST_AT || kind == DT_PARAMETER_REQUESTS)))
        shape->identity[shape->identity_count++] = dt_parameter_place(number);
    if (use & RESULTS)
        shape->results |= (uint16_t)(1u << number);
    note_place(shape, kind, number);
    return use;
}

/* One whose parameters of interest are in registers: see api_stubs.S. */
static unsigned find_quick_flags(const struct dt_call_shape *shape)
{
    enum { IN_REGISTERS = 6 };
    bool asks = shape->requests == DT_REQUESTS_NONE || shape->requests == DT_REQUESTS_TESTED;
    return (shape->quick_count <= IN_REGISTERS ? DT_CALL_QUICK : 0) |
           (shape->count <= IN_REGISTERS && asks && shape->flag != DT_NO_PARAMETER ? DT_CALL_TESTS : 0);
}

static uint8_t find_flags(const struct dt_call_shape *shape, unsigned uses, bool of_mpi)
{
    const struct dt_call *call = shape->call;
    bool may_fail = call->properties & DT_CALL_MAY_FAIL;
    bool locks = shape->count == 1 && call->parameters[0] == DT_PARAMETER_LOCK && !may_fail;
    return (uint8_t)((uses & LEAVES || may_fail ? DT_CALL_LEAVES : 0) |
                     (shape->status != DT_NO_PARAMETER ? DT_CALL_STATUS : 0) | (uses & FREES ? DT_CALL_FREES : 0) |
                     (locks ? DT_CALL_LOCKS : 0) | (of_mpi ? DT_CALL_OF_MPI : 0) |
                     (uses & (CHANGES | POINTS) ? 0 : DT_CALL_RECURS | find_quick_flags(shape)));
}

/* Its data are looked at when it is entered and when it returns: the stubs cannot do that. */
static void look_at_data(struct dt_call_shape *shape)
{
    shape->payload = dt_payload_has(shape->call);
    if (shape->payload)
        shape->flags |= DT_CALL_LEAVES;
    if (shape->payload || shape->requests != DT_REQUESTS_NONE)
        shape->flags &= (uint8_t) ~(DT_CALL_QUICK | DT_CALL_TESTS);
}

static struct dt_call_shape find_shape(const struct dt_call *call, bool of_mpi)
{
    struct dt_call_shape shape = {.call = call,
                                  .requests = (uint8_t)find_request_use(call),
                                  .constructor = of_mpi ? dt_constructor_of(call) : 0,
                                  .status = DT_NO_PARAMETER,
                                  .statuses = DT_NO_PARAMETER,
                                  .flag = DT_NO_PARAMETER,
                                  .one = DT_NO_PARAMETER,
                                  .some = DT_NO_PARAMETER,
                                  .indices = DT_NO_PARAMETER};
    unsigned uses = 0;
    for (uint8_t i = 0; i < DT_MOST_PARAMETERS && call->parameters[i]; i++)
        uses |= add_parameter(&shape, i);
    shape.flags = find_flags(&shape, uses, of_mpi);
    if (dt_process.options.payload && of_mpi)
        look_at_data(&shape);
    return shape;
}

bool dt_call_shape_changes_requests(const struct dt_call_shape *shape)
{
    return (shape->requests != DT_REQUESTS_NONE && shape->requests != DT_REQUESTS_STARTED) ||
           dt_call_has(shape->call, DT_PARAMETER_REQUEST_MADE) ||
           dt_call_has(shape->call, DT_PARAMETER_PERSISTENT_REQUEST_MADE);
}

uint16_t dt_call_shape_find(const char *name)
{
    const struct dt_call *call = dt_call_find(name);
    if (!call || !(call->properties & DT_CALL_WITH_ARGUMENTS))
        return 0;
    uint16_t number = 1, large = dt_call_is_large(call, name) ? DT_CALL_LARGE : 0;
    while (number <= shape_count && dt_call_shapes[number].call != call)
        number++;
    if (number > DT_MOST_SHAPES)
        return 0;
    if (number > shape_count) /* else it may be in use */
        dt_call_shapes[++shape_count] = find_shape(call, dt_call_class(name) == DT_CALL_MPI);
    return number | large;
}
