#include "export/otf2_calls.h"

#include "decoder/decoder.h"
#include "decoder/live_requests.h"
#include "format/arguments.h"
#include "payload/call_messages.h"
#include "store/symbols/places.h"

enum { UNKNOWN = -1, NO_OPERATION = -1 };

/* One side of a message; ranks are those in the communicator. */
typedef struct {
    gboolean there;
    gint64 peer, tag; /* UNKNOWN: from anybody, or any, until it is noted */
    gint64 bytes;
} Side;

typedef struct {
    Side send, receive;
    gint64 communicator;
    gboolean persistent;
} Request;

typedef struct {
    gboolean is_told, failed;
    Side receive; /* that it completes itself */
    gint64 communicator;
    gint64 operation, root, bytes; /* of a collective call; NO_OPERATION */
    GArray *tested;                /* guint32: numbers of requests; NULL: it tests none */
} Frame;

struct DtOtf2Calls {
    const DtRun *run;
    const DtTrace *trace;
    const DtNotes *notes;
    GHashTable *communicators;
    DtOtf2Stream *stream;
    guint64 *count;
    DtLiveRequests *live;
    guint next_note;
    GArray *frames;       /* Frame */
    GHashTable *requests; /* number -> Request */
};

static void clear_frame(gpointer data)
{
    Frame *frame = data;
    g_clear_pointer(&frame->tested, g_array_unref);
}

DtOtf2Calls *dt_otf2_calls_new(const DtRun *run, const DtTrace *trace, const DtNotes *notes, GHashTable *communicators,
                               DtOtf2Stream *stream, guint64 *count)
{
    DtOtf2Calls *calls = g_new0(DtOtf2Calls, 1);
    calls->run = run;
    calls->trace = trace;
    calls->notes = notes;
    calls->communicators = communicators;
    calls->stream = stream;
    calls->count = count;
    calls->live = dt_live_requests_new(dt_run_functions(run), notes);
    calls->frames = g_array_new(FALSE, TRUE, sizeof(Frame));
    g_array_set_clear_func(calls->frames, clear_frame);
    calls->requests = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return calls;
}

void dt_otf2_calls_free(DtOtf2Calls *calls)
{
    if (!calls)
        return;
    dt_live_requests_free(calls->live);
    g_array_unref(calls->frames);
    g_hash_table_unref(calls->requests);
    g_free(calls);
}

#define PUT(calls, kind, ...) (DT_OTF2_PUT((calls)->stream, kind, __VA_ARGS__), ++*(calls)->count)

/* ---- what calls are about --------------------------------------------------------------------- */

static gint64 operation_of(const struct dt_call *row)
{
    /* In the order of OTF2_CollectiveOp. */
    static const char *const names[] = {"Barrier",
                                        "Bcast",
                                        "Gather",
                                        "Gatherv",
                                        "Scatter",
                                        "Scatterv",
                                        "Allgather",
                                        "Allgatherv",
                                        "Alltoall",
                                        "Alltoallv",
                                        "Alltoallw",
                                        "Allreduce",
                                        "Reduce",
                                        "Reduce_scatter",
                                        "Scan",
                                        "Exscan",
                                        "Reduce_scatter_block"};
    enum { MAKES_HANDLE = 17, FREES_HANDLE = 18 };
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(row->name, names[i]))
            return i;
    if (dt_call_has(row, DT_PARAMETER_COMM_MADE))
        return MAKES_HANDLE;
    return dt_call_has(row, DT_PARAMETER_COMM_FREED) ? FREES_HANDLE : NO_OPERATION;
}

static gint64 rank_of(const DtCommunicator *communicator, const DtArgument *argument)
{
    const gint64 size = communicator->remote_size >= 0 ? communicator->remote_size : communicator->size;
    if (argument->special != DT_SPECIAL_NONE || size <= 0)
        return UNKNOWN;
    return ((communicator->rank + argument->value) % size + size) % size;
}

/* Arguments of a damaged or mistaken program may be anything. */
static gint64 product(gint64 count, gint64 size)
{
    gint64 bytes = 0;
    return __builtin_mul_overflow(count, size, &bytes) ? 0 : bytes;
}

static void read_sides(const DtSignature *signature, const DtCommunicator *communicator, Side *send, Side *receive)
{
    Side *side = NULL;
    gint64 bytes = 0;
    *send = *receive = (Side){.peer = UNKNOWN, .tag = UNKNOWN};
    for (guint i = 0; i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if (argument->kind == DT_ARGUMENT_TO || argument->kind == DT_ARGUMENT_FROM) {
            side = argument->kind == DT_ARGUMENT_TO ? send : receive;
            side->there = argument->special != DT_SPECIAL_PROC_NULL;
            side->peer = rank_of(communicator, argument);
        } else if (side && argument->kind == DT_ARGUMENT_TAG && argument->special == DT_SPECIAL_NONE) {
            side->tag = argument->value;
        } else if (argument->kind == DT_ARGUMENT_DATA && argument->special == DT_SPECIAL_NONE && argument->size > 0) {
            bytes = product(argument->value, argument->size);
        }
    }
    send->bytes = receive->bytes = bytes;
}

static gint64 bytes_of(const DtSignature *signature)
{
    for (guint i = 0; i < signature->argument_count; i++)
        if (signature->arguments[i].kind == DT_ARGUMENT_DATA && signature->arguments[i].special == DT_SPECIAL_NONE)
            return MAX(product(signature->arguments[i].value, signature->arguments[i].size), 0);
    return 0;
}

static gint64 root_of(const DtSignature *signature)
{
    for (guint i = 0; i < signature->argument_count; i++)
        if (signature->arguments[i].kind == DT_ARGUMENT_ROOT && signature->arguments[i].special == DT_SPECIAL_NONE)
            return signature->arguments[i].value;
    return UNKNOWN;
}

/* ---- telling ---------------------------------------------------------------------------------- */

static gboolean is_known(const Side *side)
{
    return side->there && side->peer >= 0 && side->tag >= 0;
}

static void tell_begun(DtOtf2Calls *calls, const Request *request, gint64 number, gint64 time)
{
    const Side *send = &request->send;
    if (is_known(send))
        PUT(calls, DT_OTF2_ISEND, time, send->peer, request->communicator, send->tag, send->bytes, number);
    if (request->receive.there)
        PUT(calls, DT_OTF2_IRECV_REQUEST, time, number);
}

static void begin_message(DtOtf2Calls *calls, Frame *frame, const DtCallRequests *requests, Side send, Side receive,
                          gint64 time)
{
    if (!requests->makes) {
        if (frame->is_told && is_known(&send))
            PUT(calls, DT_OTF2_SEND, time, send.peer, frame->communicator, send.tag, send.bytes);
        frame->receive = receive;
        return;
    }
    const Request request = {send, receive, frame->communicator, requests->persistent};
    g_hash_table_insert(calls->requests, GUINT_TO_POINTER(requests->made), g_memdup2(&request, sizeof(request)));
    if (frame->is_told && !request.persistent)
        tell_begun(calls, &request, requests->made, time);
}

static void use_requests(DtOtf2Calls *calls, Frame *frame, const struct dt_call *row, const DtCallRequests *requests,
                         gint64 time)
{
    const gboolean starts = g_str_equal(row->name, "Start") || g_str_equal(row->name, "Startall");
    for (guint i = 0; i < requests->named_count; i++) {
        const guint32 number = requests->named[i];
        Request *request = g_hash_table_lookup(calls->requests, GUINT_TO_POINTER(number));
        if (!request || !frame->is_told)
            continue;
        if (starts)
            tell_begun(calls, request, number, time);
        else if (g_str_equal(row->name, "Cancel"))
            PUT(calls, DT_OTF2_REQUEST_CANCELLED, time, number);
    }
    if (requests->tests && requests->named_count > 0) {
        frame->tested = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_array_append_vals(frame->tested, requests->named, requests->named_count);
    }
}

static void begin_call(DtOtf2Calls *calls, Frame *frame, const struct dt_call *row, const DtSignature *signature,
                       const DtCommunicator *communicator, gint64 time)
{
    DtCallRequests requests = {0};
    if (!dt_live_requests_of_call(calls->live, &requests))
        requests = (DtCallRequests){0};
    gpointer number = communicator ? g_hash_table_lookup(calls->communicators, &communicator->key) : NULL;
    frame->communicator = number ? GPOINTER_TO_INT(number) - 1 : UNKNOWN;
    if (number && row->properties & DT_CALL_POINT_TO_POINT && !(row->properties & DT_CALL_PROBING)) {
        Side send, receive;
        read_sides(signature, communicator, &send, &receive);
        begin_message(calls, frame, &requests, send, receive, time);
    } else if (number && row->properties & DT_CALL_COLLECTIVE && !requests.makes) {
        frame->operation = operation_of(row);
        frame->root = root_of(signature);
        frame->bytes = bytes_of(signature);
        if (frame->operation != NO_OPERATION && frame->is_told)
            PUT(calls, DT_OTF2_COLLECTIVE_BEGIN, time);
    }
    use_requests(calls, frame, row, &requests, time);
}

/* ---- notes ------------------------------------------------------------------------------------ */

static void take_wildcard(DtOtf2Calls *calls, const gint64 *values, guint count)
{
    enum { OF_CALL = 2, OF_REQUEST = 3 };
    Side *receive = NULL;
    if (count == OF_REQUEST) {
        Request *request = g_hash_table_lookup(calls->requests, GUINT_TO_POINTER((guint)values[OF_REQUEST - 1]));
        receive = request ? &request->receive : NULL;
    } else if (count == OF_CALL && calls->frames->len > 0) {
        receive = &g_array_index(calls->frames, Frame, calls->frames->len - 1).receive;
    }
    if (receive) {
        receive->peer = values[0];
        receive->tag = values[1];
    }
}

static void take_notes(DtOtf2Calls *calls, guint64 before)
{
    for (; calls->next_note < dt_notes_count(calls->notes); calls->next_note++) {
        const DtNote *note = dt_notes_get(calls->notes, calls->next_note);
        if (note->position >= before)
            return;
        if (note->kind == DT_NOTE_WILDCARD)
            take_wildcard(calls, dt_notes_values(calls->notes, note), note->count);
        if (note->kind == DT_NOTE_FAILED && calls->frames->len > 0)
            g_array_index(calls->frames, Frame, calls->frames->len - 1).failed = TRUE;
    }
}

/* What varies of a call is noted right behind its word. */
static void fill_in(const DtOtf2Calls *calls, DtSignature *signature, guint64 position)
{
    for (guint i = calls->next_note; i < dt_notes_count(calls->notes); i++) {
        const DtNote *note = dt_notes_get(calls->notes, i);
        if (note->position > position)
            return;
        if (note->position == position && note->kind == DT_NOTE_PARAMETER)
            dt_signature_fill(signature, calls->notes, note);
    }
}

/* ---- events ----------------------------------------------------------------------------------- */

void dt_otf2_calls_enter(DtOtf2Calls *calls, guint32 id, guint64 position, gint64 time, gboolean is_told)
{
    const DtProcess *process = calls->trace->process;
    const DtFunctions *functions = dt_run_functions(calls->run);
    const guint32 known = dt_run_signature_of_id(calls->run, process, id);
    const DtSignature *recorded = known ? dt_functions_get(functions, known)->signature : NULL;
    Frame frame = {.is_told = is_told, .operation = NO_OPERATION, .communicator = UNKNOWN};
    take_notes(calls, position);
    if (!recorded) {
        dt_live_requests_follow(calls->live, G_MAXUINT32, position, NULL);
    } else {
        DtSignature signature = *recorded;
        fill_in(calls, &signature, position);
        dt_live_requests_follow(calls->live, known, position, &signature);
        const char *name = dt_functions_get(functions, signature.function)->name;
        const struct dt_call *row = dt_call_class(name) == DT_CALL_MPI ? dt_call_find(name) : NULL;
        if (row)
            begin_call(calls, &frame, row, &signature,
                       signature.communicator ? dt_run_find_communicator(calls->run, process, signature.communicator)
                                              : NULL,
                       time);
    }
    g_array_append_val(calls->frames, frame);
}

static void complete(DtOtf2Calls *calls, const Frame *frame, guint32 number, gint64 time)
{
    Request *request = g_hash_table_lookup(calls->requests, GUINT_TO_POINTER(number));
    if (!request)
        return;
    const Side *receive = &request->receive;
    if (frame->is_told && is_known(&request->send))
        PUT(calls, DT_OTF2_ISEND_COMPLETE, time, number);
    if (frame->is_told && is_known(receive))
        PUT(calls, DT_OTF2_IRECV, time, receive->peer, request->communicator, receive->tag, receive->bytes, number);
    if (!request->persistent)
        g_hash_table_remove(calls->requests, GUINT_TO_POINTER(number));
}

static gboolean is_among(const guint32 *numbers, guint count, guint32 number)
{
    for (guint i = 0; i < count; i++)
        if (numbers[i] == number)
            return TRUE;
    return FALSE;
}

static void tell_tested(DtOtf2Calls *calls, const Frame *frame, const guint32 *completed, guint count, gint64 time)
{
    for (guint i = 0; frame->tested && i < frame->tested->len; i++) {
        const guint32 number = g_array_index(frame->tested, guint32, i);
        if (number != 0 && !is_among(completed, count, number))
            PUT(calls, DT_OTF2_REQUEST_TEST, time, number);
    }
}

void dt_otf2_calls_leave(DtOtf2Calls *calls, guint64 position, gint64 time)
{
    guint count;
    take_notes(calls, position);
    dt_live_requests_follow(calls->live, DT_EVENT_RETURN, position, NULL);
    const guint32 *completed = dt_live_requests_completed(calls->live, &count);
    if (calls->frames->len == 0)
        return;
    const Frame *frame = &g_array_index(calls->frames, Frame, calls->frames->len - 1);
    if (frame->is_told)
        tell_tested(calls, frame, completed, count, time);
    for (guint i = 0; i < count; i++)
        complete(calls, frame, completed[i], time);
    const Side *receive = &frame->receive;
    if (frame->is_told && !frame->failed && is_known(receive))
        PUT(calls, DT_OTF2_RECV, time, receive->peer, frame->communicator, receive->tag, receive->bytes);
    if (frame->is_told && frame->operation != NO_OPERATION)
        PUT(calls, DT_OTF2_COLLECTIVE_END, time, frame->operation, frame->communicator, frame->root, frame->bytes,
            frame->bytes);
    g_array_set_size(calls->frames, calls->frames->len - 1);
}
