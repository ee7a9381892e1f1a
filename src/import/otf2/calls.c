/*
 * Calls of MPI, as OTF2 tells them: what a call sends, receives and completes comes between its beginning and its end.
 * So the beginning waits for the end, or the next call, and then has its arguments, as the tracer would have recorded
 * them.
 */
#include <string.h>

#include "import/otf2/otf2.h"

enum { MOST_SIGNATURES = 1 << 16, NOT_LIVE = -1 };

typedef struct {
    gboolean there;
    gint64 peer, communicator, tag, bytes;
} Side;

/* What happened in the call that is held. */
typedef struct {
    gint64 region, tick;
    const struct dt_call *row; /* NULL: no call is held */
    Side sent, received;
    gboolean makes;
    guint64 made;
    gint64 operation, communicator, root, bytes; /* of a collective call; operation -1: it is none */
} Held;

struct DtOtf2Thread {
    Held held;
    GArray *completed; /* guint64: requests, in the call that is open */
    GArray *tested;    /* guint64 */
    GArray *live;      /* guint64: requests in the order in which they were made */
};

DtOtf2Thread *dt_otf2_thread_new(void)
{
    DtOtf2Thread *thread = g_new0(DtOtf2Thread, 1);
    thread->completed = g_array_new(FALSE, FALSE, sizeof(guint64));
    thread->tested = g_array_new(FALSE, FALSE, sizeof(guint64));
    thread->live = g_array_new(FALSE, FALSE, sizeof(guint64));
    return thread;
}

void dt_otf2_thread_free(DtOtf2Thread *thread)
{
    if (!thread)
        return;
    g_array_unref(thread->completed);
    g_array_unref(thread->tested);
    g_array_unref(thread->live);
    g_free(thread);
}

/* ---- communicators ---------------------------------------------------------------------------- */

static const DtOtf2Communicator *find(const DtOtf2Import *import, gint64 number)
{
    for (guint i = 0; i < import->communicators->len; i++) {
        const DtOtf2Communicator *communicator = import->communicators->pdata[i];
        if (communicator->number == number)
            return communicator;
    }
    return NULL;
}

static gint rank_in(const DtOtf2Communicator *communicator, guint first, guint end, gint rank)
{
    for (guint i = first; i < end; i++)
        if (communicator->members[i] == rank)
            return (gint)(i - first);
    return -1;
}

static gboolean has(const DtOtf2Communicator *communicator, gint rank)
{
    return communicator->kind == DT_OTF2_SELF || rank_in(communicator, 0, communicator->count, rank) >= 0;
}

static gboolean is_world(const DtOtf2Import *import, const DtOtf2Communicator *communicator)
{
    if (communicator->kind != DT_OTF2_GROUP || communicator->parent >= 0 || communicator->first != import->ranks->len)
        return FALSE;
    for (guint i = 0; i < communicator->first; i++)
        if (communicator->members[i] != (gint32)i)
            return FALSE;
    return TRUE;
}

/* How many of the same parent the rank made before it. */
static guint creation_of(const DtOtf2Import *import, const DtOtf2Communicator *made)
{
    guint creation = 1;
    for (guint i = 0; i < import->communicators->len; i++) {
        const DtOtf2Communicator *other = import->communicators->pdata[i];
        if (other == made)
            break;
        creation += other->parent == made->parent && has(other, import->process.rank);
    }
    return creation;
}

/* The first group is that of the rank. */
static void write_communicator(DtOtf2Import *import, const DtOtf2Communicator *from, guint number, guint parent)
{
    const guint second = from->count - from->first;
    const gint rank = import->process.rank;
    const gboolean in_second = from->kind == DT_OTF2_TWO_GROUPS && rank_in(from, 0, from->first, rank) < 0;
    g_autofree gint32 *members = g_new0(gint32, (gsize)from->count + 1);
    struct dt_communicator communicator = {.number = number,
                                           .parent = parent,
                                           .creation = parent != DT_COMMUNICATOR_NONE ? creation_of(import, from) : 0,
                                           .key = (guint64)from->number + 1,
                                           .size = (gint32)from->first,
                                           .remote_size = -1};
    memcpy(members, from->members, sizeof(*members) * from->count);
    communicator.rank = rank_in(from, 0, from->first, rank);
    if (from->kind == DT_OTF2_TWO_GROUPS)
        communicator.remote_size = (gint32)second;
    if (in_second) {
        memcpy(members, from->members + from->first, sizeof(*members) * second);
        memcpy(members + second, from->members, sizeof(*members) * from->first);
        communicator.size = (gint32)second;
        communicator.remote_size = (gint32)from->first;
        communicator.rank = rank_in(from, from->first, from->count, rank);
    }
    if (from->kind == DT_OTF2_SELF) {
        members[0] = rank;
        communicator.size = 1;
        communicator.rank = 0;
        communicator.key |= (guint64)(rank + 1) << 32;
    }
    dt_process_writer_communicator(import->process.writer, &communicator, members);
}

/* Its number in the process; -1: the rank is not in it. `depth` bounds a ring of parents. */
static gint number_of(DtOtf2Import *import, gint64 number, guint depth)
{
    enum { DEEPEST = 64 };
    gpointer known = g_hash_table_lookup(import->process.communicators, &number);
    const DtOtf2Communicator *communicator = known ? NULL : find(import, number);
    if (known)
        return GPOINTER_TO_INT(known) - 1;
    if (!communicator || depth > DEEPEST || import->process.rank < 0 || !has(communicator, import->process.rank))
        return -1;
    gint parent = communicator->parent >= 0 ? number_of(import, communicator->parent, depth + 1) : -1;
    if (g_hash_table_contains(import->process.communicators, &number))
        return -1;
    guint own = is_world(import, communicator)       ? DT_COMMUNICATOR_WORLD
                : communicator->kind == DT_OTF2_SELF ? DT_COMMUNICATOR_SELF
                                                     : import->process.next_communicator++;
    g_hash_table_insert(import->process.communicators, g_memdup2(&number, sizeof(number)),
                        GINT_TO_POINTER((gint)own + 1));
    write_communicator(import, communicator, own, parent >= 0 ? (guint)parent : DT_COMMUNICATOR_NONE);
    return (gint)own;
}

/* ---- arguments -------------------------------------------------------------------------------- */

typedef struct {
    gint64 values[DT_FUNCTION_ARGUMENTS];
    guint count;
} Arguments;

static void append(Arguments *arguments, gint64 argument)
{
    if (arguments->count < DT_FUNCTION_ARGUMENTS)
        arguments->values[arguments->count++] = argument;
}

static void append_communicator(DtOtf2Import *import, Arguments *arguments, gint64 communicator)
{
    gint number = number_of(import, communicator, 0);
    append(arguments, number >= 0 ? dt_argument(DT_ARGUMENT_COMMUNICATOR, number)
                                  : dt_argument_special(DT_ARGUMENT_COMMUNICATOR, DT_SPECIAL_UNKNOWN));
}

/* Ranks are told less the own one, modulo the size, centred on 0. */
static void append_peer(DtOtf2Import *import, Arguments *arguments, enum dt_argument_kind kind, const Side *side)
{
    const DtOtf2Communicator *communicator = find(import, side->communicator);
    gint own = communicator ? rank_in(communicator, 0, communicator->first, import->process.rank) : -1;
    gint64 size = communicator ? communicator->first : 0;
    if (communicator && communicator->kind == DT_OTF2_TWO_GROUPS) {
        size = own >= 0 ? communicator->count - communicator->first : communicator->first;
        own = own >= 0 ? own : rank_in(communicator, communicator->first, communicator->count, import->process.rank);
    } else if (communicator && communicator->kind == DT_OTF2_SELF) {
        own = 0;
        size = 1;
    }
    if (own < 0 || size <= 0 || side->peer < 0 || side->peer >= size) {
        append(arguments, dt_argument_special(kind, DT_SPECIAL_UNKNOWN));
        return;
    }
    gint64 less = ((side->peer - own) % size + size) % size;
    append(arguments, dt_argument(kind, less > size / 2 ? less - size : less));
}

static void append_data(DtOtf2Import *import, Arguments *arguments, enum dt_argument_kind kind, gint64 bytes)
{
    if (dt_argument_data_fits(bytes, 1)) {
        append(arguments, dt_argument_data(kind, bytes, 1));
        return;
    }
    const gint64 values[] = {bytes, 1};
    guint32 array = dt_process_writer_array(import->process.writer, values, 2);
    append(arguments, dt_argument(kind, dt_argument_first_array(kind) + array));
}

static void append_side(DtOtf2Import *import, Arguments *arguments, enum dt_argument_kind kind, const Side *side)
{
    append_peer(import, arguments, kind, side);
    append(arguments, dt_argument(DT_ARGUMENT_TAG, side->tag));
}

static void describe_message(DtOtf2Import *import, const Held *held, Arguments *arguments)
{
    const Side *sent = &held->sent, *received = &held->received;
    const Side *any = sent->there ? sent : received;
    if (!any->there)
        return;
    append_communicator(import, arguments, any->communicator);
    if (sent->there) {
        append_side(import, arguments, DT_ARGUMENT_TO, sent);
        append_data(import, arguments, DT_ARGUMENT_DATA, sent->bytes);
    }
    if (received->there) {
        append_side(import, arguments, DT_ARGUMENT_FROM, received);
        if (!sent->there)
            append_data(import, arguments, DT_ARGUMENT_DATA, received->bytes);
        else if (sent->bytes != received->bytes)
            append_data(import, arguments, DT_ARGUMENT_OTHER_DATA, received->bytes);
    }
}

static void describe_collective(DtOtf2Import *import, const Held *held, Arguments *arguments)
{
    append_communicator(import, arguments, held->communicator);
    if (dt_call_has(held->row, DT_PARAMETER_COUNT) && held->bytes > 0)
        append_data(import, arguments, DT_ARGUMENT_DATA, held->bytes);
    if (dt_call_has(held->row, DT_PARAMETER_ROOT) && held->root >= 0)
        append(arguments, dt_argument(DT_ARGUMENT_ROOT, held->root));
}

/* ---- requests --------------------------------------------------------------------------------- */

static gint position_of(const DtOtf2Thread *thread, guint64 request)
{
    for (guint i = 0; i < thread->live->len; i++)
        if (g_array_index(thread->live, guint64, i) == request)
            return (gint)i;
    return NOT_LIVE;
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
    const gint64 first = *(const gint64 *)a, second = *(const gint64 *)b;
    return (first > second) - (first < second);
}

/* Positions of the requests of both, in order; (element-type gint64). */
static GArray *positions_of(const DtOtf2Thread *thread, const GArray *requests, const GArray *more)
{
    GArray *positions = g_array_new(FALSE, FALSE, sizeof(gint64));
    const GArray *const both[] = {requests, more};
    for (guint k = 0; k < G_N_ELEMENTS(both); k++)
        for (guint i = 0; both[k] && i < both[k]->len; i++) {
            const gint64 position = position_of(thread, g_array_index(both[k], guint64, i));
            if (position != NOT_LIVE)
                g_array_append_val(positions, position);
        }
    g_array_sort(positions, compare_numbers);
    return positions;
}

static guint32 array_of(DtOtf2Import *import, const GArray *values)
{
    g_autoptr(GString) key = g_string_new(NULL);
    for (guint i = 0; i < values->len; i++)
        g_string_append_printf(key, "%" G_GINT64_FORMAT " ", g_array_index(values, gint64, i));
    guint32 known = GPOINTER_TO_UINT(g_hash_table_lookup(import->process.arrays, key->str));
    if (known > 0)
        return known - 1;
    known = dt_process_writer_array(import->process.writer, (const gint64 *)(gconstpointer)values->data, values->len);
    g_hash_table_insert(import->process.arrays, g_strdup(key->str), GUINT_TO_POINTER(known + 1));
    return known;
}

static gboolean names_requests(const struct dt_call *row)
{
    return dt_call_has(row, DT_PARAMETER_REQUEST_AT) || dt_call_has(row, DT_PARAMETER_REQUESTS) ||
           dt_call_has(row, DT_PARAMETER_REQUEST_FREED);
}

static gboolean makes_requests(const struct dt_call *row)
{
    return dt_call_has(row, DT_PARAMETER_REQUEST_MADE) || dt_call_has(row, DT_PARAMETER_PERSISTENT_REQUEST_MADE);
}

/* As decoder/live_requests.c sees it: a note tells which of those that the call names have completed. */
static gboolean says_which(const struct dt_call *row)
{
    return (row->properties & DT_CALL_POLLING && !(row->properties & DT_CALL_BLOCKING)) ||
           dt_call_has(row, DT_PARAMETER_INDEX) || dt_call_has(row, DT_PARAMETER_INDICES);
}

static void describe_requests(DtOtf2Import *import, const Held *held, Arguments *arguments)
{
    const DtOtf2Thread *thread = import->mpi;
    g_autoptr(GArray) positions = positions_of(thread, thread->completed, thread->tested);
    if (dt_call_has(held->row, DT_PARAMETER_REQUEST_COUNT))
        append(arguments, dt_argument(DT_ARGUMENT_REQUESTS, thread->completed->len + thread->tested->len));
    if (positions->len == 0)
        append(arguments, dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_UNKNOWN));
    else if (!dt_call_has(held->row, DT_PARAMETER_REQUESTS))
        append(arguments, dt_argument(DT_ARGUMENT_LIVE, g_array_index(positions, gint64, 0)));
    else if (positions->len == thread->live->len)
        append(arguments, dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_ALL));
    else
        append(arguments,
               dt_argument(DT_ARGUMENT_LIVE, dt_argument_first_array(DT_ARGUMENT_LIVE) + array_of(import, positions)));
}

/* ---- the call that is held -------------------------------------------------------------------- */

static guint32 signature_of(DtOtf2Import *import, guint32 function, const Arguments *arguments)
{
    GHashTable *known = import->process.signatures;
    g_autoptr(GString) key = g_string_new(NULL);
    g_string_printf(key, "%u", function);
    for (guint i = 0; i < arguments->count; i++)
        g_string_append_printf(key, " %" G_GINT64_FORMAT, arguments->values[i]);
    guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(known, key->str));
    if (id > 0)
        return id;
    if (g_hash_table_size(known) >= MOST_SIGNATURES)
        return function;
    id = dt_process_writer_signature(import->process.writer, function, arguments->values, arguments->count);
    g_hash_table_insert(known, g_strdup(key->str), GUINT_TO_POINTER(id));
    return id;
}

static void put_call(DtOtf2Import *import, gint64 tick, guint32 id)
{
    dt_otf2_time(import, tick);
    dt_thread_writer_event(import->thread, id);
    import->open++;
}

/* Tells the beginning of the call that is held, with what is known of it by now. */
static void release(DtOtf2Import *import)
{
    Held *held = &import->mpi->held;
    Arguments arguments = {.count = 0};
    guint32 id = dt_otf2_function(import, held->region);
    if (held->row->properties & DT_CALL_POINT_TO_POINT && !(held->row->properties & DT_CALL_PROBING))
        describe_message(import, held, &arguments);
    else if (names_requests(held->row))
        describe_requests(import, held, &arguments);
    else if (held->operation >= 0)
        describe_collective(import, held, &arguments);
    if (arguments.count > 0)
        id = signature_of(import, id, &arguments);
    put_call(import, held->tick, id);
}

static void note_positions(DtOtf2Import *import, enum dt_live_event event, const GArray *positions)
{
    enum { MOST = DT_OTF2_NOTE_VALUES - 1 };
    for (guint first = 0; first < positions->len; first += MOST) {
        gint64 values[1 + MOST] = {event};
        guint count = MIN(positions->len - first, (guint)MOST);
        memcpy(values + 1, &g_array_index(positions, gint64, first), count * sizeof(*values));
        dt_thread_writer_note(import->thread, DT_NOTE_LIVE, values, 1 + count, NULL);
    }
}

static void forget(DtOtf2Thread *thread, const GArray *positions)
{
    for (guint i = positions->len; i > 0; i--)
        g_array_remove_index(thread->live, (guint)g_array_index(positions, gint64, i - 1));
}

/* What the call has done to the thread's requests, as notes where its row does not say it. */
static void settle(DtOtf2Import *import, const struct dt_call *row, gboolean makes, guint64 made)
{
    DtOtf2Thread *thread = import->mpi;
    g_autoptr(GArray) positions = positions_of(thread, thread->completed, NULL);
    if (makes_requests(row) && !makes) {
        const gint64 none = DT_LIVE_NOT_MADE;
        dt_thread_writer_note(import->thread, DT_NOTE_LIVE, &none, 1, NULL);
    }
    if (names_requests(row) && says_which(row))
        note_positions(import, DT_LIVE_COMPLETED, positions);
    else if (!names_requests(row))
        note_positions(import, DT_LIVE_GONE, positions);
    forget(thread, positions);
    if (makes)
        g_array_append_val(thread->live, made);
}

static void begin_next(DtOtf2Thread *thread)
{
    thread->held = (Held){.operation = -1};
    g_array_set_size(thread->completed, 0);
    g_array_set_size(thread->tested, 0);
}

/* ---- events ----------------------------------------------------------------------------------- */

void dt_otf2_thread_enter(DtOtf2Import *import, gint64 tick, gint64 number)
{
    DtOtf2Thread *thread = import->mpi;
    const DtOtf2Region *region = g_hash_table_lookup(import->regions, &number);
    if (thread->held.row)
        release(import);
    begin_next(thread);
    if (!region) {
        import->unknown++;
        return;
    }
    if (region->row && region->row->properties & DT_CALL_WITH_ARGUMENTS) {
        thread->held.region = number;
        thread->held.tick = tick;
        thread->held.row = region->row;
        return;
    }
    put_call(import, tick, dt_otf2_function(import, number));
}

void dt_otf2_thread_leave(DtOtf2Import *import, gint64 tick)
{
    DtOtf2Thread *thread = import->mpi;
    if (thread->held.row) {
        release(import);
        settle(import, thread->held.row, thread->held.makes, thread->held.made);
    }
    begin_next(thread);
    if (import->open == 0)
        return;
    dt_otf2_time(import, tick);
    dt_thread_writer_event(import->thread, DT_WORD_RETURN);
    import->open--;
}

static Side side_of(const DtOtf2Record *record, guint first)
{
    if (record->count < first + 4)
        return (Side){0};
    return (Side){TRUE, record->values[first], record->values[first + 1], record->values[first + 2],
                  record->values[first + 3]};
}

void dt_otf2_thread_event(DtOtf2Import *import, const DtOtf2Record *record)
{
    DtOtf2Thread *thread = import->mpi;
    Held *held = &thread->held;
    const guint64 last = record->count > 0 ? (guint64)record->values[record->count - 1] : 0;
    const guint64 second = record->count > 1 ? (guint64)record->values[1] : 0;
    switch (record->kind) {
    case DT_OTF2_SEND:
        held->sent = side_of(record, 1);
        break;
    case DT_OTF2_ISEND:
        held->sent = side_of(record, 1);
        held->makes = TRUE;
        held->made = last;
        break;
    case DT_OTF2_RECV:
        held->received = side_of(record, 1);
        break;
    case DT_OTF2_IRECV_REQUEST:
        held->received = side_of(record, 2);
        held->makes = TRUE;
        held->made = second;
        break;
    case DT_OTF2_ISEND_COMPLETE:
        g_array_append_val(thread->completed, second);
        break;
    case DT_OTF2_IRECV:
        g_array_append_val(thread->completed, last);
        break;
    case DT_OTF2_REQUEST_TEST:
        g_array_append_val(thread->tested, second);
        break;
    case DT_OTF2_COLLECTIVE_END:
        if (record->count < 6)
            break;
        held->operation = record->values[1];
        held->communicator = record->values[2];
        held->root = record->values[3];
        held->bytes = record->values[4] > 0 ? record->values[4] : record->values[5];
        break;
    default:
        break;
    }
}

void dt_otf2_thread_end(DtOtf2Import *import)
{
    if (import->mpi && import->mpi->held.row)
        release(import);
}
