#include "payload/data_events.h"

#include "decoder/decoder.h"
#include "decoder/live_requests.h"
#include "format/arguments.h"
#include "payload/call_messages.h"
#include "simulate/communicators.h"

enum { BATCH = 4096 };

/* ---- names ----------------------------------------------------------------------------------- */

DtDataNames *dt_data_names_new(void)
{
    DtDataNames *names = g_new0(DtDataNames, 1);
    names->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return names;
}

void dt_data_names_free(DtDataNames *names)
{
    if (!names)
        return;
    g_hash_table_unref(names->numbers);
    g_free(names);
}

static guint number_of(DtDataNames *names, char *name)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(names->numbers, name));
    if (number) {
        g_free(name);
        return number;
    }
    g_hash_table_insert(names->numbers, name, GUINT_TO_POINTER(++names->count));
    return names->count;
}

/* ---- a trace --------------------------------------------------------------------------------- */

/* A message or collective that a call, or a request, is about. */
typedef struct {
    gboolean there;
    gboolean collective, local, persistent;
    guint channel; /* 0: not known before the message has come */
    guint64 number;
    gint peer;
    gint64 tag;
    gboolean waits_for_all;
} Part;

/* A call that has data, open or to be completed by a request. */
typedef struct {
    gboolean there;
    guint32 function;
    guint64 nth, starts;
    guint family;
    const DtCallSite *site;
    const DtCommunicator *communicator;
    const struct dt_call *row;
    Part sent, received;
} Call;

typedef struct {
    const DtRun *run;
    const DtTrace *trace;
    const DtFunctions *functions;
    DtDataNames *names;
    DtNotes *notes;
    DtLiveRequests *live;
    guint next_note;
    GArray *frames;      /* Call */
    GArray *events;      /* DtDataEvent */
    GHashTable *pending; /* number of a request -> Call */
    GHashTable *numbers; /* channel -> how many, by kind of side */
    GHashTable *calls;   /* function -> how many */
} Reading;

static guint64 next_number(GHashTable *numbers, guint64 key)
{
    gpointer place = GSIZE_TO_POINTER(key);
    gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(numbers, place)) + 1;
    g_hash_table_insert(numbers, place, GSIZE_TO_POINTER(count));
    return count;
}

static guint64 number_on(Reading *reading, guint channel, gboolean sent)
{
    return next_number(reading->numbers, (guint64)channel * 2 + (sent ? 1 : 0));
}

static const char *name_of(const Call *call)
{
    return call->communicator ? call->communicator->name : "?";
}

static void number_message(Reading *reading, const Call *call, Part *part, gboolean sent)
{
    gint own = reading->trace->process->rank;
    part->channel =
        number_of(reading->names, g_strdup_printf("%s %d>%d tag %" G_GINT64_FORMAT, name_of(call),
                                                  sent ? own : part->peer, sent ? part->peer : own, part->tag));
    part->number = number_on(reading, part->channel, sent);
}

/* ---- what a call is about -------------------------------------------------------------------- */

static void find_message(Part *part, const DtCallMessage *message)
{
    part->there = message->there;
    part->peer = message->peer;
    part->tag = message->tag;
}

static void find_messages(Call *call, const DtSignature *signature)
{
    DtCallMessage sent, received;
    dt_call_messages(call->row, signature, call->communicator, &sent, &received);
    find_message(&call->sent, &sent);
    find_message(&call->received, &received);
}

static gboolean is_open_question(const Part *part)
{
    return part->peer == DT_ANY_RANK || part->tag == DT_NO_TAG;
}

static void find_collective(Reading *reading, Call *call, const DtSignature *signature)
{
    const char *function = dt_functions_get(reading->functions, call->function)->name;
    const DtCommunicator *communicator = call->communicator;
    DtDirection direction = dt_direction_of(function);
    gint root = dt_call_root(signature, communicator), own = reading->trace->process->rank;
    gint first = communicator && communicator->size > 0 ? communicator->members[0] : 0;
    guint row = number_of(reading->names, g_strdup_printf("%s of %d", name_of(call), first));
    Part part = {.there = TRUE, .collective = TRUE, .peer = DT_NO_RANK};
    part.number = number_on(reading, row, TRUE);
    part.channel = number_of(reading->names, g_strdup_printf("%s of %d %s", name_of(call), first, function));
    call->sent = call->received = part;
    call->received.waits_for_all = direction == DT_FROM_ALL || (direction == DT_TO_ROOT && root == own);
    if (direction == DT_FROM_ROOT && root != own)
        call->received.peer = root;
}

/* The calls from one place; of messages those with one tag, as one place may send all that a program sends. */
static guint family_of(Reading *reading, const Call *call, guint32 signature)
{
    const DtCallSite *site = call->site;
    const Part *part = call->sent.there ? &call->sent : &call->received;
    gint64 tag = call->row->properties & DT_CALL_POINT_TO_POINT ? part->tag : 0;
    return number_of(reading->names, site ? g_strdup_printf("at %s %" G_GINT64_MODIFIER "x %u %" G_GINT64_FORMAT,
                                                            site->place.key, site->place.address, call->function, tag)
                                          : g_strdup_printf("of %u", signature));
}

static void find_local(Reading *reading, Call *call)
{
    Part part = {.there = TRUE, .local = TRUE, .peer = DT_NO_RANK};
    part.channel = number_of(reading->names, g_strdup_printf("own %d %u", reading->trace->process->rank, call->family));
    part.number = number_on(reading, part.channel, TRUE);
    call->sent = call->received = part;
}

/* FALSE: it has no data. */
static gboolean describe(Reading *reading, Call *call, guint32 id, const DtSignature *signature)
{
    const DtProcess *process = reading->trace->process;
    guint32 of_id = dt_run_signature_of_id(reading->run, process, id);
    call->function = dt_functions_base(reading->functions, of_id);
    call->row = dt_call_find(dt_functions_get(reading->functions, call->function)->name);
    if (!call->row ||
        !(call->row->properties & (DT_CALL_POINT_TO_POINT | DT_CALL_EXCHANGE | DT_CALL_ONE_SIDED | DT_CALL_IO)) ||
        call->row->properties & DT_CALL_PROBING)
        return FALSE;
    call->site = dt_run_call_site(reading->run, process, id);
    call->nth = next_number(reading->calls, call->function);
    if (signature->communicator)
        call->communicator = dt_run_find_communicator(reading->run, process, signature->communicator);
    if (call->row->properties & DT_CALL_POINT_TO_POINT)
        find_messages(call, signature);
    else if (call->row->properties & DT_CALL_EXCHANGE)
        find_collective(reading, call, signature);
    call->family = family_of(reading, call, of_id);
    if (!(call->row->properties & (DT_CALL_POINT_TO_POINT | DT_CALL_EXCHANGE)))
        find_local(reading, call);
    return TRUE;
}

/* ---- events ---------------------------------------------------------------------------------- */

static DtDataEvent *add_event(Reading *reading, const Call *call, const Part *part, DtDataEventKind kind)
{
    DtDataEvent event = {.kind = kind,
                         .channel = part->channel,
                         .number = part->number,
                         .family = call->family,
                         .function = call->function,
                         .nth = call->nth,
                         .starts = call->starts,
                         .site = call->site,
                         .peer = part->peer >= 0 ? part->peer : DT_NO_RANK,
                         .waits_for_all = part->waits_for_all};
    g_array_append_val(reading->events, event);
    return &g_array_index(reading->events, DtDataEvent, reading->events->len - 1);
}

static void add_hashed(Reading *reading, const Call *call, const Part *part, DtDataEventKind kind, gint64 hash)
{
    DtDataEvent *event = add_event(reading, call, part, kind);
    event->known = TRUE;
    event->hash = (guint32)hash;
}

static DtDataEventKind kind_of(const Part *part, gboolean sent)
{
    return part->collective ? (sent ? DT_DATA_EVENT_GIVEN : DT_DATA_EVENT_GOT)
                            : (sent ? DT_DATA_EVENT_SENT : DT_DATA_EVENT_RECEIVED);
}

/* A receive takes its place in its row when it is posted, unless it is not known then whose row that is. */
static void post(Reading *reading, Call *call, gboolean sends, gboolean receives)
{
    if (sends && call->sent.there && !call->sent.collective && !call->sent.local)
        number_message(reading, call, &call->sent, TRUE);
    if (receives && call->received.there && !call->received.collective && !call->received.local &&
        !is_open_question(&call->received))
        number_message(reading, call, &call->received, FALSE);
}

static void enter(Reading *reading, guint32 id, guint64 position)
{
    Call call = {0};
    guint32 signature_id = dt_run_signature_of_id(reading->run, reading->trace->process, id);
    const DtSignature *known = signature_id ? dt_functions_get(reading->functions, signature_id)->signature : NULL;
    DtSignature signature = known ? *known : (DtSignature){0};
    for (guint i = reading->next_note; known && i < dt_notes_count(reading->notes); i++) {
        const DtNote *note = dt_notes_get(reading->notes, i);
        if (note->position > position)
            break;
        if (note->position == position)
            dt_signature_fill(&signature, reading->notes, note);
    }
    dt_live_requests_follow(reading->live, signature_id ? signature_id : G_MAXUINT32, position,
                            known ? &signature : NULL);
    call.there = known && describe(reading, &call, id, &signature);
    if (call.there) {
        DtCallRequests requests;
        gboolean makes = dt_live_requests_of_call(reading->live, &requests) && requests.makes;
        gboolean persistent = makes && requests.persistent;
        call.sent.persistent = call.received.persistent = persistent;
        post(reading, &call, !persistent, !persistent);
        if (call.sent.there && !call.sent.local && !persistent)
            add_event(reading, &call, &call.sent, kind_of(&call.sent, TRUE));
        if (makes)
            g_hash_table_insert(reading->pending, GUINT_TO_POINTER(requests.made), g_memdup2(&call, sizeof call));
        if (makes)
            call.received.there = FALSE; /* it is the request's */
    }
    g_array_append_val(reading->frames, call);
}

/* Of a call that has been made: its hash comes right behind. */
static void fill_in(Reading *reading, const Call *call, gint64 hash)
{
    for (guint i = reading->events->len; i-- > 0;) {
        DtDataEvent *event = &g_array_index(reading->events, DtDataEvent, i);
        if (event->kind != kind_of(&call->sent, TRUE) || event->channel != call->sent.channel ||
            event->number != call->sent.number)
            continue;
        event->known = TRUE;
        event->hash = (guint32)hash;
        return;
    }
}

static void leave(Reading *reading)
{
    if (reading->frames->len == 0)
        return;
    const Call *call = &g_array_index(reading->frames, Call, reading->frames->len - 1);
    /* What all have to do with, though nothing is told of its data: MPI_Barrier. */
    if (call->there && call->received.there && call->received.collective && !call->received.persistent)
        add_event(reading, call, &call->received, DT_DATA_EVENT_GOT);
    g_array_set_size(reading->frames, reading->frames->len - 1);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void got_from(Reading *reading, Call *call, gint64 source, gint64 tag)
{
    if (!call || !call->there || !call->received.there || call->received.collective)
        return;
    call->received.peer = dt_world_rank(call->communicator, source);
    call->received.tag = tag;
    number_message(reading, call, &call->received, FALSE);
}

static void take_sent(Reading *reading, Call *call, gboolean by_request, gint64 hash)
{
    if (!call || !call->there || !call->sent.there)
        return;
    call->starts += by_request && call->sent.persistent ? 1 : 0;
    if (by_request && call->sent.persistent && !call->sent.collective && !call->sent.local)
        number_message(reading, call, &call->sent, TRUE);
    if (!call->sent.local && !by_request)
        fill_in(reading, call, hash);
    else
        add_hashed(reading, call, &call->sent, kind_of(&call->sent, TRUE), hash);
}

static void take_received(Reading *reading, Call *call, gboolean by_request, gint64 hash)
{
    if (!call || !call->there || !call->received.there)
        return;
    call->starts += by_request && call->received.persistent && !call->sent.there ? 1 : 0;
    if (by_request && call->received.persistent && !call->received.collective && !call->received.local &&
        !is_open_question(&call->received))
        number_message(reading, call, &call->received, FALSE);
    if (call->received.channel)
        add_hashed(reading, call, &call->received, kind_of(&call->received, FALSE), hash);
    if (!by_request)
        call->received.there = FALSE; /* it is told */
}

static void take_note(Reading *reading, const DtNote *note)
{
    const gint64 *values = dt_notes_values(reading->notes, note);
    gboolean of_wildcard = note->kind == DT_NOTE_WILDCARD, of_data = note->kind == DT_NOTE_DATA;
    if ((!of_wildcard && !of_data) || note->count < 2 || note->count > 3)
        return;
    gboolean by_request = note->count == 3;
    Call *call = by_request                 ? g_hash_table_lookup(reading->pending, GUINT_TO_POINTER((guint)values[2]))
                 : reading->frames->len > 0 ? &g_array_index(reading->frames, Call, reading->frames->len - 1)
                                            : NULL;
    if (of_wildcard)
        got_from(reading, call, values[0], values[1]);
    else if (values[0] == DT_DATA_SENT)
        take_sent(reading, call, by_request, values[1]);
    else if (values[0] == DT_DATA_RECEIVED)
        take_received(reading, call, by_request, values[1]);
    else if (values[0] == DT_DATA_CHANGED && call && call->there && call->sent.there)
        add_hashed(reading, call, &call->sent, DT_DATA_EVENT_CHANGED, values[1]);
}

static void take_notes(Reading *reading, guint64 before)
{
    for (; reading->next_note < dt_notes_count(reading->notes); reading->next_note++) {
        const DtNote *note = dt_notes_get(reading->notes, reading->next_note);
        if (note->position >= before)
            return;
        take_note(reading, note);
    }
}

static gboolean read_events(Reading *reading, GError **error)
{
    guint32 events[BATCH];
    guint64 positions[BATCH];
    gsize count;
    g_autoptr(DtReader) reader = dt_reader_open(reading->run, reading->trace, DT_FILE_IDS, error);
    if (!reader)
        return FALSE;
    while ((count = dt_reader_next_at(reader, events, positions, BATCH)) > 0)
        for (gsize i = 0; i < count; i++) {
            take_notes(reading, positions[i]);
            if (events[i] != DT_EVENT_RETURN) {
                enter(reading, events[i], positions[i]);
                continue;
            }
            dt_live_requests_follow(reading->live, DT_EVENT_RETURN, positions[i], NULL);
            leave(reading);
        }
    take_notes(reading, G_MAXUINT64);
    return TRUE;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void free_rank(gpointer data)
{
    DtDataOfRank *of_rank = data;
    g_array_unref(of_rank->events);
    g_free(of_rank);
}

static gboolean read_trace(const DtRun *run, const DtTrace *trace, DtDataNames *names, GPtrArray *ranks, GError **error)
{
    g_autoptr(DtNotes) notes = dt_notes_open(run, trace, error);
    if (!notes)
        return FALSE;
    g_autoptr(DtLiveRequests) live = dt_live_requests_new(dt_run_functions(run), notes);
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Call));
    g_autoptr(GHashTable) pending = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) calls = g_hash_table_new(NULL, NULL);
    DtDataOfRank *of_rank = g_new0(DtDataOfRank, 1);
    of_rank->rank = trace->process->rank;
    of_rank->trace = trace;
    of_rank->events = g_array_new(FALSE, FALSE, sizeof(DtDataEvent));
    g_ptr_array_add(ranks, of_rank);
    Reading reading = {.run = run,
                       .trace = trace,
                       .functions = dt_run_functions(run),
                       .names = names,
                       .notes = notes,
                       .live = live,
                       .frames = frames,
                       .events = of_rank->events,
                       .pending = pending,
                       .numbers = numbers,
                       .calls = calls};
    return read_events(&reading, error);
}

gboolean dt_run_has_payload(const DtRun *run)
{
    for (guint i = 0; i < dt_run_process_count(run); i++)
        if (dt_run_process(run, i)->with_payload)
            return TRUE;
    return FALSE;
}

GPtrArray *dt_data_events_read(const DtRun *run, DtDataNames *names, GError **error)
{
    g_autoptr(GPtrArray) ranks = g_ptr_array_new_with_free_func(free_rank);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        if (trace->library || trace->thread != 0 || trace->process->rank < 0 || !trace->process->with_payload ||
            !trace->process->called_mpi_init)
            continue;
        if (!read_trace(run, trace, names, ranks, error))
            return NULL;
    }
    return g_steal_pointer(&ranks);
}
