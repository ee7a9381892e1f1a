#include "times/message_reading.h"

#include "decoder/live_requests.h"
#include "format/arguments.h"
#include "payload/call_messages.h"
#include "times/timed_reader.h"

enum { BATCH = 4096 };

/* An id of the process's file. */
typedef struct {
    gboolean looked_up;
    guint32 function;
    guint32 signature; /* 0: none */
    enum dt_call_class call_class;
    const struct dt_call *row; /* of calls with times */
    const DtCommunicator *communicator;
    const DtCallSite *site;
} Meaning;

/* What a request is about. */
typedef struct {
    guint send, receive, attendance; /* DT_NO_CALL: none */
    gboolean persistent;
    DtMessageSide send_form, receive_form; /* of a persistent one, what each start begins */
    DtAttendance attendance_form;
    guint64 starts;
} Request;

typedef struct {
    guint32 function;
    guint call; /* DT_NO_CALL: it has no times */
    const struct dt_call *row;
    const DtCommunicator *communicator;
    guint send, receive, attendance; /* which it completes itself */
    guint32 made;                    /* number of the request that it makes; 0: none */
    gboolean probes, failed;
} Frame;

/* A message that a probe has found. */
typedef struct {
    guint call;
    DtMessageSide side;
    gboolean certain; /* MPI_Mprobe came back with it */
} Found;

typedef struct {
    DtMessageReading *all;
    guint row;
    const DtRun *run;
    const DtTrace *trace;
    guint rank;
    gint64 base;
    DtNotes *notes;
    DtLiveRequests *live;
    guint next_note;
    GArray *meanings;       /* Meaning, by id */
    GArray *frames;         /* Frame */
    GHashTable *requests;   /* number -> Request */
    GHashTable *persistent; /* communicator -> how many persistent collective calls were made */
    GArray *found;          /* Found: messages that no MPI_Mrecv has received */
    Found probed;           /* by the last MPI_Probe; its call is DT_NO_CALL if a receive has got it */
} Reading;

/* ---- what ids mean --------------------------------------------------------------------------- */

static gboolean has_times(enum dt_call_class call_class)
{
    return call_class == DT_CALL_MPI || call_class == DT_CALL_OPENMP;
}

static void look_up(Reading *reading, guint32 id, Meaning *meaning)
{
    const DtProcess *process = reading->trace->process;
    const DtFunctions *functions = dt_run_functions(reading->run);
    meaning->looked_up = TRUE;
    meaning->function = dt_run_function_of_id(reading->run, process, id);
    if (meaning->function == 0)
        return;
    const char *name = dt_functions_get(functions, meaning->function)->name;
    meaning->call_class = dt_call_class(name);
    if (!has_times(meaning->call_class))
        return;
    meaning->row = dt_call_find(name);
    meaning->site = dt_run_call_site(reading->run, process, id);
    guint32 signature = dt_run_signature_of_id(reading->run, process, id);
    if (signature == 0 || !dt_functions_get(functions, signature)->signature)
        return;
    meaning->signature = signature;
    const char *communicator = dt_functions_get(functions, signature)->signature->communicator;
    if (communicator)
        meaning->communicator = dt_run_find_communicator(reading->run, process, communicator);
}

static const Meaning *meaning_of(Reading *reading, guint32 id)
{
    if (id >= reading->meanings->len)
        g_array_set_size(reading->meanings, id + 1);
    Meaning *meaning = &g_array_index(reading->meanings, Meaning, id);
    if (!meaning->looked_up)
        look_up(reading, id, meaning);
    return meaning;
}

/* ---- sides ----------------------------------------------------------------------------------- */

static DtMessageSide *send_at(Reading *reading, guint send)
{
    return &g_array_index(reading->all->sends, DtMessageSide, send);
}

static DtMessageSide *receive_at(Reading *reading, guint receive)
{
    return &g_array_index(reading->all->receives, DtMessageSide, receive);
}

static DtAttendance *attendance_at(Reading *reading, guint attendance)
{
    return &g_array_index(reading->all->attendances, DtAttendance, attendance);
}

static void find_out(DtMessageSide *side)
{
    side->known =
        side->communicator != 0 && side->peer != DT_NO_RANK && side->peer != DT_ANY_RANK && side->tag != DT_NO_TAG;
}

static DtMessageSide side_of(const Reading *reading, const DtCommunicator *communicator, const DtCallMessage *message)
{
    DtMessageSide side = {.part = {DT_NO_CALL, DT_NO_CALL, DT_NO_CALL},
                          .probe = DT_NO_CALL,
                          .communicator = communicator && communicator->is_sure ? communicator->key : 0,
                          .rank = reading->rank,
                          .peer = message->peer,
                          .tag = message->tag};
    find_out(&side);
    return side;
}

static guint64 bytes_of(const DtSignature *signature)
{
    for (guint i = 0; i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if (argument->kind == DT_ARGUMENT_DATA && argument->special == DT_SPECIAL_NONE && argument->value > 0 &&
            argument->size > 0)
            return (guint64)argument->value * (guint64)argument->size;
    }
    return 0;
}

static guint begin_side(GArray *sides, const DtMessageSide *form, guint call, gboolean completes)
{
    DtMessageSide side = *form;
    side.part = (DtPart){call, completes ? call : DT_NO_CALL, completes ? call : DT_NO_CALL};
    g_array_append_val(sides, side);
    return sides->len - 1;
}

static guint begin_attendance(Reading *reading, const DtAttendance *form, guint call, gboolean completes)
{
    DtAttendance attendance = *form;
    attendance.part = (DtPart){call, completes ? call : DT_NO_CALL, completes ? call : DT_NO_CALL};
    g_array_append_val(reading->all->attendances, attendance);
    return reading->all->attendances->len - 1;
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* A receive gets what the last probe has found. */
static void follow_probe(Reading *reading, DtMessageSide *receive)
{
    const Found *probed = &reading->probed;
    if (probed->call == DT_NO_CALL || !receive->known || !probed->side.known ||
        receive->communicator != probed->side.communicator || receive->peer != probed->side.peer ||
        receive->tag != probed->side.tag)
        return;
    receive->probe = probed->call;
    reading->probed.call = DT_NO_CALL;
}

/* The message of MPI_Mrecv: the oldest that MPI_Mprobe has found, or else what MPI_Improbe looked for last. */
static void take_found(Reading *reading, DtMessageSide *receive)
{
    GArray *found = reading->found;
    if (found->len == 0)
        return;
    guint chosen = found->len - 1;
    for (guint i = 0; i < found->len; i++)
        if (g_array_index(found, Found, i).certain) {
            chosen = i;
            break;
        }
    const Found *message = &g_array_index(found, Found, chosen);
    guint64 bytes = receive->bytes;
    guint call = message->certain ? message->call : DT_NO_CALL;
    *receive = message->side;
    receive->bytes = bytes;
    receive->probe = call;
    g_array_remove_index(found, chosen);
}

static void end_probe(Reading *reading, const Frame *frame)
{
    gboolean matches = dt_call_has(frame->row, DT_PARAMETER_MESSAGE_MADE);
    gboolean waits = frame->row->properties & DT_CALL_BLOCKING;
    reading->probed.certain |= waits;
    if (!matches) {
        if (!waits)
            reading->probed.call = DT_NO_CALL;
        return;
    }
    GArray *found = reading->found;
    if (found->len > 0 && !g_array_index(found, Found, found->len - 1).certain)
        g_array_set_size(found, found->len - 1); /* it found nothing: nobody has received it */
    g_array_append_val(found, reading->probed);
    reading->probed.call = DT_NO_CALL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* By the first host's clock. What no clock tells is not known: sums stay far from where they overflow. */
static gint64 time_of(const Reading *reading, guint64 ns)
{
    return ns > 0 && ns < G_MAXINT64 / 4 ? (gint64)ns + reading->base : DT_NO_TIME;
}

static guint add_call(Reading *reading, const Meaning *meaning, guint64 ns)
{
    DtTimedCall call = {.row = reading->row,
                        .function = meaning->function,
                        .site = meaning->site,
                        .begin = time_of(reading, ns),
                        .end = DT_NO_TIME};
    for (guint i = reading->frames->len; call.caller == 0 && i-- > 0;) {
        const Frame *frame = &g_array_index(reading->frames, Frame, i);
        if (frame->call == DT_NO_CALL)
            call.caller = frame->function;
    }
    g_array_append_val(reading->all->calls, call);
    return reading->all->calls->len - 1;
}

static gboolean is_named(const struct dt_call *row, const char *name)
{
    return g_str_equal(row->name, name);
}

static void begin_point_to_point(Reading *reading, Frame *frame, const DtSignature *signature,
                                 const DtCallRequests *requests, Request *request)
{
    DtCallMessage sent, received;
    dt_call_messages(frame->row, signature, frame->communicator, &sent, &received);
    DtMessageSide send = side_of(reading, frame->communicator, &sent);
    DtMessageSide receive = side_of(reading, frame->communicator, &received);
    send.bytes = receive.bytes = bytes_of(signature);
    if (frame->row->properties & DT_CALL_PROBING) {
        reading->probed = (Found){.call = frame->call, .side = receive};
        frame->probes = TRUE;
        return;
    }
    if (received.there && !dt_call_has(frame->row, DT_PARAMETER_SOURCE))
        take_found(reading, &receive);
    else if (received.there)
        follow_probe(reading, &receive);
    gboolean completes = !requests->makes;
    if (requests->persistent) {
        request->send_form = send;
        request->receive_form = receive;
        request->send = sent.there ? 0 : DT_NO_CALL;
        request->receive = received.there ? 0 : DT_NO_CALL;
        return;
    }
    if (sent.there)
        request->send = begin_side(reading->all->sends, &send, frame->call, completes);
    if (received.there)
        request->receive = begin_side(reading->all->receives, &receive, frame->call, completes);
}

static void begin_collective(Reading *reading, Frame *frame, const DtSignature *signature,
                             const DtCallRequests *requests, Request *request)
{
    const DtCommunicator *communicator = frame->communicator;
    DtAttendance attendance = {
        .communicator = communicator,
        .rank = reading->rank,
        .function = frame->function,
        .root = dt_call_root(signature, communicator),
    };
    if (requests->persistent) {
        gsize made = GPOINTER_TO_SIZE(g_hash_table_lookup(reading->persistent, communicator)) + 1;
        g_hash_table_insert(reading->persistent, (gpointer)communicator, GSIZE_TO_POINTER(made));
        attendance.persistent = made;
        request->attendance_form = attendance;
        request->attendance = 0;
        return;
    }
    request->attendance = begin_attendance(reading, &attendance, frame->call, !requests->makes);
}

static void start_request(Reading *reading, guint32 number, guint call)
{
    enum { STARTS = 32 };
    Request *request = g_hash_table_lookup(reading->requests, GUINT_TO_POINTER(number));
    if (!request || !request->persistent)
        return;
    request->starts++;
    if (request->send != DT_NO_CALL)
        request->send = begin_side(reading->all->sends, &request->send_form, call, FALSE);
    if (request->receive != DT_NO_CALL)
        request->receive = begin_side(reading->all->receives, &request->receive_form, call, FALSE);
    if (request->attendance != DT_NO_CALL) {
        DtAttendance form = request->attendance_form;
        form.persistent = form.persistent << STARTS | request->starts;
        request->attendance = begin_attendance(reading, &form, call, FALSE);
    }
}

static gboolean is_under_way(const Request *request)
{
    return request && (!request->persistent || request->starts > 0);
}

static void ask_for(DtPart *part, guint call)
{
    if (part->asked == DT_NO_CALL)
        part->asked = call;
}

static void name_request(Reading *reading, guint32 number, guint call, gboolean cancels)
{
    Request *request = g_hash_table_lookup(reading->requests, GUINT_TO_POINTER(number));
    if (!is_under_way(request))
        return;
    if (request->send != DT_NO_CALL) {
        ask_for(&send_at(reading, request->send)->part, call);
        send_at(reading, request->send)->gone |= cancels;
    }
    if (request->receive != DT_NO_CALL) {
        ask_for(&receive_at(reading, request->receive)->part, call);
        receive_at(reading, request->receive)->gone |= cancels;
    }
    if (request->attendance != DT_NO_CALL)
        ask_for(&attendance_at(reading, request->attendance)->part, call);
}

static void use_requests(Reading *reading, const Frame *frame, const DtCallRequests *requests)
{
    gboolean starts = is_named(frame->row, "Start") || is_named(frame->row, "Startall");
    for (guint i = 0; i < requests->named_count; i++)
        if (starts)
            start_request(reading, requests->named[i], frame->call);
        else if (!requests->frees)
            name_request(reading, requests->named[i], frame->call, is_named(frame->row, "Cancel"));
}

static void note_ends(Reading *reading, const Frame *frame)
{
    DtTimedRow *row = &g_array_index(reading->all->messages->rows, DtTimedRow, reading->row);
    if (is_named(frame->row, "Init") || is_named(frame->row, "Init_thread"))
        row->init = frame->call;
    else if (is_named(frame->row, "Finalize"))
        row->finalize = frame->call;
}

static void begin_call(Reading *reading, Frame *frame, const DtSignature *signature)
{
    DtCallRequests requests = {0};
    if (!dt_live_requests_of_call(reading->live, &requests))
        requests = (DtCallRequests){0};
    Request request = {DT_NO_CALL, DT_NO_CALL, DT_NO_CALL, .persistent = requests.persistent};
    if (frame->row->properties & DT_CALL_POINT_TO_POINT)
        begin_point_to_point(reading, frame, signature, &requests, &request);
    else if (frame->row->properties & DT_CALL_COLLECTIVE && frame->communicator && frame->communicator->is_sure &&
             (dt_is_met(frame->row) || requests.persistent))
        begin_collective(reading, frame, signature, &requests, &request);
    if (requests.makes) {
        frame->made = requests.made;
        g_hash_table_insert(reading->requests, GUINT_TO_POINTER(requests.made), g_memdup2(&request, sizeof request));
    } else {
        frame->send = request.send;
        frame->receive = request.receive;
        frame->attendance = request.attendance;
        use_requests(reading, frame, &requests);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static void fill_in(const Reading *reading, DtSignature *signature, guint64 position)
{
    for (guint i = reading->next_note; i < dt_notes_count(reading->notes); i++) {
        const DtNote *note = dt_notes_get(reading->notes, i);
        if (note->position > position)
            break;
        if (note->position == position)
            dt_signature_fill(signature, reading->notes, note);
    }
}

/* The communicator of a signature may vary, too. */
static const DtCommunicator *communicator_of(const Reading *reading, const Meaning *meaning,
                                             const DtSignature *signature)
{
    const char *before = dt_functions_get(dt_run_functions(reading->run), meaning->signature)->signature->communicator;
    return signature->communicator == before || !signature->communicator
               ? meaning->communicator
               : dt_run_find_communicator(reading->run, reading->trace->process, signature->communicator);
}

static void enter(Reading *reading, const DtTimedEvent *event)
{
    const Meaning *meaning = meaning_of(reading, event->event);
    Frame frame = {.function = meaning->function,
                   .call = DT_NO_CALL,
                   .row = meaning->row,
                   .send = DT_NO_CALL,
                   .receive = DT_NO_CALL,
                   .attendance = DT_NO_CALL};
    if (has_times(meaning->call_class))
        frame.call = add_call(reading, meaning, event->ns);
    if (meaning->row && frame.call != DT_NO_CALL)
        note_ends(reading, &frame);
    if (meaning->signature == 0) {
        dt_live_requests_follow(reading->live, G_MAXUINT32, event->position, NULL);
    } else {
        DtSignature signature = *dt_functions_get(dt_run_functions(reading->run), meaning->signature)->signature;
        fill_in(reading, &signature, event->position);
        dt_live_requests_follow(reading->live, meaning->signature, event->position, &signature);
        frame.communicator = communicator_of(reading, meaning, &signature);
        if (meaning->row && meaning->call_class == DT_CALL_MPI)
            begin_call(reading, &frame, &signature);
    }
    g_array_append_val(reading->frames, frame);
}

static void complete_request(Reading *reading, guint32 number, guint call)
{
    Request *request = g_hash_table_lookup(reading->requests, GUINT_TO_POINTER(number));
    if (!is_under_way(request))
        return;
    if (request->send != DT_NO_CALL)
        send_at(reading, request->send)->part.done = call;
    if (request->receive != DT_NO_CALL)
        receive_at(reading, request->receive)->part.done = call;
    if (request->attendance != DT_NO_CALL)
        attendance_at(reading, request->attendance)->part.done = call;
    if (!request->persistent)
        g_hash_table_remove(reading->requests, GUINT_TO_POINTER(number));
}

/* What others take part in, and what does not only ask. */
static gboolean is_of_others(const struct dt_call *row)
{
    return row && row->properties & (DT_CALL_POINT_TO_POINT | DT_CALL_COLLECTIVE) &&
           !(row->properties & DT_CALL_POLLING);
}

/* It has done nothing. */
static void undo(Reading *reading, const Frame *frame)
{
    const Request *request = frame->made ? g_hash_table_lookup(reading->requests, GUINT_TO_POINTER(frame->made)) : NULL;
    guint send = request ? request->send : frame->send, receive = request ? request->receive : frame->receive;
    guint attendance = request ? request->attendance : frame->attendance;
    if (request && request->persistent)
        return;
    if (send != DT_NO_CALL)
        send_at(reading, send)->gone = TRUE;
    if (receive != DT_NO_CALL)
        receive_at(reading, receive)->gone = TRUE;
    if (attendance != DT_NO_CALL)
        attendance_at(reading, attendance)->gone = TRUE;
}

static void leave(Reading *reading, const DtTimedEvent *event)
{
    guint completed;
    dt_live_requests_follow(reading->live, DT_EVENT_RETURN, event->position, NULL);
    const guint32 *numbers = dt_live_requests_completed(reading->live, &completed);
    if (reading->frames->len == 0)
        return;
    const Frame *frame = &g_array_index(reading->frames, Frame, reading->frames->len - 1);
    if (frame->call != DT_NO_CALL) {
        DtTimedCall *call = &g_array_index(reading->all->calls, DtTimedCall, frame->call);
        call->end = time_of(reading, event->ns);
        if (is_of_others(frame->row) && (call->begin == DT_NO_TIME || call->end == DT_NO_TIME))
            reading->all->messages->unmatched.untimed++;
        for (guint i = 0; i < completed; i++)
            complete_request(reading, numbers[i], frame->call);
        if (frame->failed)
            undo(reading, frame);
        else if (frame->probes)
            end_probe(reading, frame);
    }
    g_array_set_size(reading->frames, reading->frames->len - 1);
}

/* What did not return has completed nothing. */
static void end_open_calls(Reading *reading)
{
    for (guint i = 0; i < reading->frames->len; i++) {
        const Frame *frame = &g_array_index(reading->frames, Frame, i);
        if (frame->send != DT_NO_CALL)
            send_at(reading, frame->send)->part.done = DT_NO_CALL;
        if (frame->receive != DT_NO_CALL)
            receive_at(reading, frame->receive)->part.done = DT_NO_CALL;
        if (frame->attendance != DT_NO_CALL)
            attendance_at(reading, frame->attendance)->part.done = DT_NO_CALL;
    }
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void got(DtMessageSide *side, const DtCommunicator *communicator, const gint64 *values)
{
    side->peer = dt_world_rank(communicator, values[0]);
    side->tag = values[1];
    find_out(side);
}

static const DtCommunicator *communicator_by_key(const Reading *reading, guint64 key)
{
    const GPtrArray *communicators = dt_run_communicators(reading->run, reading->trace->process);
    for (guint i = 0; i < communicators->len; i++)
        if (((const DtCommunicator *)communicators->pdata[i])->key == key)
            return communicators->pdata[i];
    return NULL;
}

/* What a receive or probe from anybody has got. */
static void take_wildcard(Reading *reading, const gint64 *values, guint count)
{
    enum { OF_CALL = 2, OF_REQUEST = 3 };
    if (count == OF_REQUEST) {
        const Request *request =
            g_hash_table_lookup(reading->requests, GUINT_TO_POINTER((guint)values[OF_REQUEST - 1]));
        if (is_under_way(request) && request->receive != DT_NO_CALL) {
            DtMessageSide *side = receive_at(reading, request->receive);
            got(side, communicator_by_key(reading, side->communicator), values);
        }
    } else if (count == OF_CALL && reading->frames->len > 0) {
        const Frame *frame = &g_array_index(reading->frames, Frame, reading->frames->len - 1);
        if (frame->probes) {
            reading->probed.certain = TRUE;
            got(&reading->probed.side, frame->communicator, values);
        }
        if (frame->receive != DT_NO_CALL) {
            DtMessageSide *side = receive_at(reading, frame->receive);
            got(side, communicator_by_key(reading, side->communicator), values);
            follow_probe(reading, side);
        }
    }
}

static void take_notes(Reading *reading, guint64 before)
{
    for (; reading->next_note < dt_notes_count(reading->notes); reading->next_note++) {
        const DtNote *note = dt_notes_get(reading->notes, reading->next_note);
        if (note->position >= before)
            return;
        if (note->kind == DT_NOTE_WILDCARD)
            take_wildcard(reading, dt_notes_values(reading->notes, note), note->count);
        if (note->kind == DT_NOTE_FAILED && reading->frames->len > 0)
            g_array_index(reading->frames, Frame, reading->frames->len - 1).failed = TRUE;
    }
}

/* ---- a trace --------------------------------------------------------------------------------- */

static void take_event(Reading *reading, const DtTimedEvent *event)
{
    take_notes(reading, event->position);
    if (event->event == DT_EVENT_RETURN)
        leave(reading, event);
    else
        enter(reading, event);
}

static gboolean read_events(Reading *reading, GError **error)
{
    DtTimedEvent events[BATCH];
    gsize count;
    g_autoptr(DtTimedReader) reader = dt_timed_reader_open(reading->run, reading->trace, DT_FILE_IDS, error);
    if (!reader)
        return FALSE;
    DtTimedRow *row = &g_array_index(reading->all->messages->rows, DtTimedRow, reading->row);
    row->begin = time_of(reading, dt_timed_reader_first_ns(reader));
    row->end = time_of(reading, dt_timed_reader_last_ns(reader));
    while ((count = dt_timed_reader_next(reader, events, BATCH)) > 0)
        for (gsize i = 0; i < count; i++)
            take_event(reading, &events[i]);
    take_notes(reading, G_MAXUINT64);
    end_open_calls(reading);
    row->calls = reading->all->calls->len - row->first_call;
    return TRUE;
}

gboolean dt_message_reading_add(DtMessageReading *all, guint row, GError **error)
{
    DtTimedRow *of_row = &g_array_index(all->messages->rows, DtTimedRow, row);
    const DtRun *run = all->messages->run;
    g_autoptr(DtNotes) notes = dt_notes_open(run, of_row->trace, error);
    if (!notes)
        return FALSE;
    of_row->first_call = all->calls->len;
    of_row->init = of_row->finalize = DT_NO_CALL;
    g_autoptr(DtLiveRequests) live = dt_live_requests_new(dt_run_functions(run), notes);
    g_autoptr(GArray) meanings = g_array_new(FALSE, TRUE, sizeof(Meaning));
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(Found));
    g_autoptr(GHashTable) persistent = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) requests = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    Reading reading = {.all = all,
                       .row = row,
                       .run = run,
                       .trace = of_row->trace,
                       .rank = of_row->rank,
                       .base = g_array_index(all->messages->ranks, DtTimedRank, of_row->rank).base,
                       .notes = notes,
                       .live = live,
                       .meanings = meanings,
                       .frames = frames,
                       .requests = requests,
                       .persistent = persistent,
                       .found = found,
                       .probed = {.call = DT_NO_CALL}};
    return read_events(&reading, error);
}
