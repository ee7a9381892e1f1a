/* What calls send and receive, as hashes. Found by the kinds of their parameters: a buffer, then how much is in it,
 * then of which type. */
#include "native/arguments/payload.h"
#include "record/notes.h"
#include "record/spin_lock.h"
#include "system/reserved_memory.h"

/* A call whose data are looked at: one that is open, or one that has made a request. */
struct data_call {
    const struct dt_call *call;
    bool large;
    uint64_t communicator;
    uint64_t values[DT_MOST_PARAMETERS];
};

/* ---- which parameters ------------------------------------------------------------------------ */

enum { NONE = DT_NO_PARAMETER };

/* A buffer and what is said of it. */
struct buffer {
    uint8_t at, count, displacements, type;
};

static bool is_count(uint8_t kind)
{
    return kind == DT_PARAMETER_COUNT || kind == DT_PARAMETER_OTHER_COUNT || kind == DT_PARAMETER_COUNTS;
}

static bool is_type(uint8_t kind)
{
    return kind == DT_PARAMETER_DATATYPE || kind == DT_PARAMETER_OTHER_DATATYPE || kind == DT_PARAMETER_DATATYPES;
}

static bool is_sent(uint8_t kind)
{
    return kind == DT_PARAMETER_SENT || kind == DT_PARAMETER_SENT_OR_IN_PLACE;
}

static bool is_received(uint8_t kind)
{
    return kind == DT_PARAMETER_RECEIVED || kind == DT_PARAMETER_RECEIVED_OR_IN_PLACE;
}

static bool is_buffer(uint8_t kind)
{
    return kind == DT_PARAMETER_BUFFER;
}

/* What is behind a buffer, or, of two buffers with one count, behind the second. */
static struct buffer describe(const struct dt_call *call, uint8_t at)
{
    struct buffer buffer = {at, NONE, NONE, NONE};
    for (uint8_t i = (uint8_t)(at + 1); i < DT_MOST_PARAMETERS && buffer.type == NONE; i++) {
        uint8_t kind = call->parameters[i];
        if (is_count(kind) && buffer.count == NONE)
            buffer.count = i;
        else if (kind == DT_PARAMETER_DISPLACEMENTS && buffer.count != NONE)
            buffer.displacements = i;
        else if (is_type(kind))
            buffer.type = i;
    }
    return buffer;
}

static uint8_t first(const struct dt_call *call, bool (*is)(uint8_t))
{
    for (uint8_t i = 0; i < DT_MOST_PARAMETERS && call->parameters[i]; i++)
        if (is(call->parameters[i]))
            return i;
    return NONE;
}

static uint8_t parameter(const struct dt_call *call, enum dt_parameter_kind kind)
{
    for (uint8_t i = 0; i < DT_MOST_PARAMETERS && call->parameters[i]; i++)
        if (call->parameters[i] == kind)
            return i;
    return NONE;
}

/* What it sends; a buffer that is received into and has a destination is sent before. */
static uint8_t sent_buffer(const struct dt_call *call)
{
    uint8_t at = first(call, is_sent);
    if (at == NONE)
        at = first(call, is_buffer);
    return at == NONE && dt_call_has(call, DT_PARAMETER_DESTINATION) ? first(call, is_received) : at;
}

static uint8_t received_buffer(const struct dt_call *call)
{
    uint8_t at = first(call, is_received);
    return at == NONE ? first(call, is_buffer) : at;
}

bool dt_payload_has(const struct dt_call *call)
{
    const uint32_t moving = DT_CALL_POINT_TO_POINT | DT_CALL_EXCHANGE | DT_CALL_ONE_SIDED | DT_CALL_IO;
    uint8_t sent = sent_buffer(call), received = received_buffer(call);
    return call->properties & moving && !dt_call_has(call, DT_PARAMETER_PARTITION_COUNT) &&
           ((sent != NONE && describe(call, sent).type != NONE) ||
            (received != NONE && describe(call, received).type != NONE));
}

/* ---- how much -------------------------------------------------------------------------------- */

static bool is_sent_in_place(const struct data_call *call)
{
    uint8_t at = sent_buffer(call->call);
    return at != NONE && call->call->properties & DT_CALL_EXCHANGE && !is_buffer(call->call->parameters[at]) &&
           call->values[at] == dt_mpi.in_place;
}

/* The part of a buffer that is looked at: elements one behind the other, or blocks of them. */
struct extent {
    uint64_t address;
    int64_t count; /* of elements in a block */
    uint32_t first, blocks;
    struct buffer of; /* its counts and displacements, where blocks differ */
    bool by_block;
};

/* The caller's part in a communicator. */
struct place {
    int64_t members, in, out; /* of neighbours, if the call is with these */
    int rank;
    bool known, is_root, has_root;
};

static struct place find_place(const struct data_call *call)
{
    struct place place = {0};
    const struct dt_known_communicator *of = call->communicator ? dt_communicator_get(call->communicator) : NULL;
    uint8_t root = parameter(call->call, DT_PARAMETER_ROOT);
    int in = 0, out = 0;
    if (!of || of->remote_size >= 0)
        return place;
    place.known = true;
    place.rank = of->rank;
    place.members = place.in = place.out = of->size;
    place.has_root = root != NONE;
    place.is_root = place.has_root && (int)call->values[root] == of->rank;
    if (call->call->properties & DT_CALL_NEIGHBOURHOOD) {
        place.known = dt_communicator_degrees(call->communicator, &in, &out);
        place.in = in;
        place.out = out;
    }
    return place;
}

static int64_t number_at(const struct data_call *call, uint8_t array, uint32_t index)
{
    uint64_t place = call->values[array];
    return !place ? -1 : call->large ? ((const int64_t *)place)[index] : ((const int32_t *)place)[index];
}

static int64_t count_of(const struct data_call *call, const struct buffer *buffer)
{
    if (buffer->count == NONE)
        return 1;
    int64_t value = (int64_t)call->values[buffer->count];
    return call->large ? value : (int32_t)value;
}

static bool counts_differ(const struct data_call *call, const struct buffer *buffer)
{
    return buffer->count != NONE && call->call->parameters[buffer->count] == DT_PARAMETER_COUNTS;
}

/* Only the root's: where it passes other counts than the rest, and the result of a reduction. */
static bool is_roots_alone(const struct data_call *call, const struct buffer *buffer)
{
    uint8_t count = buffer->count == NONE ? 0 : call->call->parameters[buffer->count];
    return count == DT_PARAMETER_OTHER_COUNT || count == DT_PARAMETER_COUNTS ||
           (dt_call_has(call->call, DT_PARAMETER_OPERATION) && is_received(call->call->parameters[buffer->at]));
}

/* All of a buffer on one side of a collective. */
static bool whole(const struct data_call *call, const struct buffer *buffer, bool sent, const struct place *place,
                  struct extent *extent)
{
    uint32_t each = sent ? DT_CALL_SENT_TO_EACH : DT_CALL_RECEIVED_FROM_EACH;
    int64_t blocks = sent ? place->out : place->in;
    *extent = (struct extent){.address = call->values[buffer->at], .of = *buffer, .blocks = 1};
    if (counts_differ(call, buffer)) {
        bool scattered = buffer->displacements == NONE && !sent; /* of all blocks that are sent it gets its own */
        extent->by_block = true;
        extent->first = scattered ? (uint32_t)place->rank : 0;
        extent->blocks = scattered ? 1 : (uint32_t)blocks;
        return true;
    }
    extent->count = count_of(call, buffer) * (call->call->properties & each ? blocks : 1);
    return extent->count >= 0;
}

/* What it contributes stands where the result will be: its own block, if others get the same from it, else all. */
static bool in_place(const struct data_call *call, const struct place *place, struct extent *extent,
                     const struct dt_payload_type *type)
{
    uint8_t at = received_buffer(call->call);
    struct buffer got = describe(call->call, at), sent = describe(call->call, sent_buffer(call->call));
    if (at == NONE || dt_call_has(call->call, DT_PARAMETER_OPERATION))
        return at != NONE && whole(call, &got, true, place, extent);
    if (!whole(call, &got, false, place, extent))
        return false;
    if (call->call->properties & DT_CALL_SENT_TO_EACH || counts_differ(call, &sent))
        return true;
    if (extent->by_block) {
        extent->first = (uint32_t)place->rank;
        extent->blocks = 1;
    } else if (type) {
        extent->count = count_of(call, &got);
        extent->address += (uint64_t)(place->rank * extent->count * type->extent);
    }
    return true;
}

/* False: nothing of the call is sent, or received, here. */
static bool find_extent(const struct data_call *call, bool sent, const struct dt_payload_type *type,
                        struct extent *extent)
{
    uint8_t at = sent ? sent_buffer(call->call) : received_buffer(call->call);
    struct buffer buffer = describe(call->call, at);
    if (!(call->call->properties & DT_CALL_EXCHANGE)) {
        *extent =
            (struct extent){.address = call->values[at], .count = count_of(call, &buffer), .of = buffer, .blocks = 1};
        return extent->count >= 0;
    }
    struct place place = find_place(call);
    if (!place.known)
        return false;
    if (call->call->parameters[at] == DT_PARAMETER_BUFFER && sent != place.is_root)
        return false;
    if (sent ? is_sent_in_place(call) : call->values[at] == dt_mpi.in_place)
        return sent && in_place(call, &place, extent, type);
    if (place.has_root && !place.is_root && is_roots_alone(call, &buffer))
        return false;
    return whole(call, &buffer, sent, &place, extent);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

/* Elements of the how manieth block; types may differ, too. */
static bool add_block(struct dt_payload_hash *hash, const struct data_call *call, const struct extent *extent,
                      uint32_t block, const struct dt_payload_type *type)
{
    const struct buffer *of = &extent->of;
    int64_t count = number_at(call, of->count, block);
    int64_t unit = call->call->parameters[of->type] == DT_PARAMETER_DATATYPES ? 1 : type->extent;
    int64_t offset = of->displacements == NONE ? 0 : number_at(call, of->displacements, block) * unit;
    return dt_payload_add(hash, extent->address + (uint64_t)offset, count, type);
}

static bool add_blocks(struct dt_payload_hash *hash, const struct data_call *call, struct extent *extent,
                       struct dt_payload_type *type)
{
    const struct buffer *of = &extent->of;
    bool types = call->call->parameters[of->type] == DT_PARAMETER_DATATYPES, added = true;
    for (uint32_t i = extent->first; added && i < extent->first + extent->blocks; i++) {
        struct dt_payload_type *own = type;
        if (types)
            own = dt_payload_type_use(dt_mpi_handle_at(call->values[of->type] + i * dt_mpi_handle_bytes()));
        added = own && add_block(hash, call, extent, i, own);
        if (added && of->displacements == NONE && extent->blocks > 1)
            extent->address += (uint64_t)(number_at(call, of->count, i) * own->extent);
        if (types)
            dt_payload_type_leave(own);
    }
    return added;
}

/* `most`: elements of a message that was shorter than its buffer; -1: all. */
static bool hash_side(const struct data_call *call, bool sent, struct dt_payload_type *type, int64_t most,
                      uint32_t *sum)
{
    struct extent extent;
    struct dt_payload_hash hash;
    if (!find_extent(call, sent, type, &extent))
        return false;
    dt_payload_hash_begin(&hash);
    if (most >= 0 && !extent.by_block && most < extent.count)
        extent.count = most;
    bool added = extent.by_block ? add_blocks(&hash, call, &extent, type)
                                 : type && dt_payload_add(&hash, extent.address, extent.count, type);
    if (added)
        *sum = dt_payload_hash_end(&hash);
    return added && hash.bytes > 0;
}

/* The type of a side's elements, with one user more; NULL: unknown, or each block has its own. */
static struct dt_payload_type *use_type(const struct data_call *call, bool sent)
{
    uint8_t at = sent && !is_sent_in_place(call) ? sent_buffer(call->call) : received_buffer(call->call);
    struct buffer buffer = at == NONE ? (struct buffer){NONE, NONE, NONE, NONE} : describe(call->call, at);
    if (buffer.type == NONE || call->call->parameters[buffer.type] == DT_PARAMETER_DATATYPES)
        return NULL;
    return dt_payload_type_use(dt_mpi_handle(call->values[buffer.type]));
}

static bool has_side(const struct data_call *call, bool sent)
{
    uint8_t at = sent ? sent_buffer(call->call) : received_buffer(call->call);
    return at != NONE && describe(call->call, at).type != NONE;
}

/* A message of nobody, or of somebody who is not there. */
static bool has_peer(const struct data_call *call, bool sent)
{
    uint8_t at = parameter(call->call, sent ? DT_PARAMETER_DESTINATION : DT_PARAMETER_SOURCE);
    const struct dt_known_communicator *of = call->communicator ? dt_communicator_get(call->communicator) : NULL;
    if (at == NONE)
        return true;
    int rank = (int)call->values[at];
    return of && rank != dt_mpi.proc_null &&
           ((!sent && rank == dt_mpi.any_source) ||
            (rank >= 0 && rank < (of->remote_size >= 0 ? of->remote_size : of->size)));
}

static bool hash_now(const struct data_call *call, bool sent, uint64_t status, uint32_t *sum)
{
    if (!has_side(call, sent) || !has_peer(call, sent))
        return false;
    struct dt_payload_type *type = use_type(call, sent);
    int64_t most =
        type && status && !(call->call->properties & DT_CALL_EXCHANGE) ? dt_payload_received_count(status, type) : -1;
    bool known = hash_side(call, sent, type, most, sum);
    dt_payload_type_leave(type);
    return known;
}

static void note(struct dt_thread_state *thread, enum dt_data_event event, uint32_t sum, struct dt_request request)
{
    int64_t values[] = {event, sum, request.number, request.thread};
    bool own = !request.number || dt_request_is_own(&thread->calls->live, request);
    dt_note(thread, DT_NOTE_DATA, values, !request.number ? 2 : own ? 3 : 4);
}

/* ---- requests that are not complete ---------------------------------------------------------- */

/* What a request will have received, or sends each time it is started. */
struct pending {
    struct data_call call;
    struct dt_payload_type *sent_type, *received_type;
    struct pending *next; /* of those not in use */
    uint32_t sum;         /* of what was sent, */
    bool sent;            /* if it was */
    bool persistent, active;
};

enum { PENDINGS_AT_ONCE = 256 };
static struct dt_handles pendings;
static struct pending *unused;
static uint32_t lock;

static uint64_t key_of(struct dt_request request)
{
    return ((uint64_t)request.thread + 1) << 32 | request.number;
}

/* Under the lock. */
static struct pending *take_unused(void)
{
    if (!unused) {
        struct pending *more = dt_kept_allocate(PENDINGS_AT_ONCE * sizeof *more);
        for (uint32_t i = 0; more && i < PENDINGS_AT_ONCE; i++) {
            more[i].next = unused;
            unused = &more[i];
        }
    }
    struct pending *taken = unused;
    if (taken)
        unused = taken->next;
    return taken;
}

static struct pending *find_pending(struct dt_request request)
{
    uint64_t place = 0;
    if (!request.number || !dt_spin_lock(&lock))
        return NULL;
    bool known = dt_handles_get(&pendings, key_of(request), &place);
    dt_spin_unlock(&lock);
    return known ? (struct pending *)place : NULL;
}

static void drop_pending(struct dt_request request, struct pending *pending)
{
    dt_payload_type_leave(pending->sent_type);
    dt_payload_type_leave(pending->received_type);
    if (!dt_spin_lock(&lock))
        return;
    dt_handles_remove(&pendings, key_of(request));
    pending->next = unused;
    unused = pending;
    dt_spin_unlock(&lock);
}

static struct pending *add_pending(struct dt_request request)
{
    if (!request.number || !dt_spin_lock(&lock))
        return NULL;
    struct pending *pending = take_unused();
    if (pending && !dt_handles_put(&pendings, key_of(request), (uint64_t)pending)) {
        pending->next = unused;
        unused = pending;
        pending = NULL;
    }
    dt_spin_unlock(&lock);
    return pending;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct data_call data_of(const struct dt_open_call *open)
{
    struct data_call call = {.call = open->shape->call, .large = open->large, .communicator = open->communicator};
    dt_copy_words(call.values, open->values, open->shape->count);
    return call;
}

/* A persistent request sends when it is started. */
static bool sends_at_once(const struct dt_call *call)
{
    return !dt_call_has(call, DT_PARAMETER_PERSISTENT_REQUEST_MADE);
}

static void start(struct dt_thread_state *thread, struct dt_request request)
{
    struct pending *pending = find_pending(request);
    if (!pending || !pending->persistent || pending->active)
        return;
    pending->active = true;
    pending->sent = has_side(&pending->call, true) && has_peer(&pending->call, true) &&
                    hash_side(&pending->call, true, pending->sent_type, -1, &pending->sum);
    if (pending->sent)
        note(thread, DT_DATA_SENT, pending->sum, request);
}

void dt_payload_enter(struct dt_thread_state *thread, struct dt_open_call *open, uint16_t index)
{
    open->large = index & DT_CALL_LARGE;
    open->data_sent = false;
    if (open->shape->requests == DT_REQUESTS_STARTED) {
        const struct dt_named_request *named = dt_open_call_named(thread->calls, open);
        for (uint32_t i = 0; i < open->named_count; i++)
            start(thread, named[i].request);
        return;
    }
    if (!open->shape->payload || !sends_at_once(open->shape->call))
        return;
    const struct data_call call = data_of(open);
    open->data_sent = hash_now(&call, true, 0, &open->data_sum);
    if (open->data_sent)
        note(thread, DT_DATA_SENT, open->data_sum, (struct dt_request){0});
}

void dt_payload_enter_openly(struct dt_thread_state *thread, struct dt_open_call *open, uint16_t index)
{
    dt_close_fast_path(thread);
    dt_payload_enter(thread, open, index);
    dt_open_fast_path(thread);
}

void dt_payload_leave(struct dt_thread_state *thread, const struct dt_open_call *open)
{
    const struct data_call call = data_of(open);
    uint32_t sum;
    uint8_t status = open->shape->status;
    if (dt_call_has(call.call, DT_PARAMETER_REQUEST_MADE) ||
        dt_call_has(call.call, DT_PARAMETER_PERSISTENT_REQUEST_MADE) || call.call->properties & DT_CALL_ONE_SIDED)
        return;
    if (hash_now(&call, false, status == DT_NO_PARAMETER ? 0 : open->values[status], &sum))
        note(thread, DT_DATA_RECEIVED, sum, (struct dt_request){0});
}

void dt_payload_request_made(const struct dt_open_call *open, struct dt_request request)
{
    const struct data_call call = data_of(open);
    struct pending *pending = add_pending(request);
    if (!pending)
        return;
    bool persistent = !sends_at_once(call.call);
    *pending = (struct pending){
        .call = call, .persistent = persistent, .active = !persistent, .sent = open->data_sent, .sum = open->data_sum};
    if (has_side(&call, true) && (persistent || open->data_sent))
        pending->sent_type = use_type(&call, true);
    if (has_side(&call, false))
        pending->received_type = use_type(&call, false);
}

void dt_payload_completed(struct dt_thread_state *thread, struct dt_request request, uint64_t status)
{
    struct pending *pending = find_pending(request);
    uint32_t sum;
    if (!pending || !pending->active)
        return;
    const struct data_call *call = &pending->call;
    struct dt_payload_type *type = pending->received_type;
    int64_t most =
        type && status && !(call->call->properties & DT_CALL_EXCHANGE) ? dt_payload_received_count(status, type) : -1;
    if (type && has_peer(call, false) && hash_side(call, false, type, most, &sum))
        note(thread, DT_DATA_RECEIVED, sum, request);
    /* What is sent must not be changed meanwhile, unless it is where it is received, too. */
    if (pending->sent && pending->sent_type && !is_sent_in_place(call) &&
        sent_buffer(call->call) != received_buffer(call->call) && hash_side(call, true, pending->sent_type, -1, &sum) &&
        sum != pending->sum)
        note(thread, DT_DATA_CHANGED, sum, request);
    pending->active = false;
    if (!pending->persistent)
        drop_pending(request, pending);
}

void dt_payload_request_freed(struct dt_request request)
{
    struct pending *pending = find_pending(request);
    if (pending)
        drop_pending(request, pending);
}
