/*
 * Messages: matched as MPI does, by communicator, sender, receiver and tag in the order in which they were sent and in
 * which their receives were posted. Both sides of a channel are kept as rows of equal calls, so that memory does not
 * grow with a loop.
 */
#include "checks/checking.h"
#include "checks/types.h"
#include "format/arguments.h"
#include "payload/call_messages.h"

/* What calls of a place send or receive. */
typedef struct {
    DtKeptCall call;
    DtCheckedData data;
} Form;

enum { MOST_READY = 4 };

/* Where a call stands to those that all ranks meet in. */
typedef struct {
    guint64 meetings; /* that the thread had come out of */
    gboolean heard;   /* since then something of another rank may have come */
} Standing;

/* A ready send. */
typedef struct {
    guint64 index; /* among the sends of the channel */
    Standing at;
    guint form;
} Ready;

/* So many calls of a form, one after the other. */
typedef struct {
    guint form;
    gboolean open; /* the last of them never returned, or was never waited for */
    guint64 calls;
} Stretch;

typedef struct {
    GArray *stretches; /* Stretch */
    guint64 calls;
    const DtTrace *trace; /* that made them */
    gboolean mixed;       /* several threads did: their order is not known */
} Side;

typedef struct {
    guint64 communicator;
    gint64 tag;
    gint from, to; /* ranks in the world */
} Key;

typedef struct {
    Key key;
    const char *name; /* of the communicator */
    Side sent, received;
    guint64 posted_after[MOST_READY]; /* of the first receives: meetings */
    GArray *ready;                    /* Ready: the first ones; NULL: none */
} Channel;

/* A receive that was posted, while it, or one before it, is not known. */
typedef struct {
    guint form;
    const DtCommunicator *communicator;
    gint peer;
    gint64 tag;
    guint64 meetings; /* that the thread had come out of when it was posted */
    gboolean settled; /* nothing more will be told */
    gboolean gone, done;
} Posted;

typedef struct {
    gboolean sends, receives; /* a persistent one: what a start begins */
    Key send;
    const DtCommunicator *communicator;
    guint form;
    guint64 posted; /* number of the posted receive + 1; 0: none */
    gboolean persistent, is_ready;
    Posted form_of_receive;
} Request;

typedef struct {
    DtChecking *checking;
    GArray *forms;          /* Form */
    GHashTable *form_index; /* of the process: text of what it is -> index + 1 */
    GHashTable *channels;   /* Key -> Channel */
    GHashTable *unsure;     /* rank of a receiver: some of what it received is not known */
    GHashTable *found;      /* pairs of forms that were told */
    /* Of the thread. */
    GQueue posted;        /* Posted, the oldest first */
    guint64 first_posted; /* number of the oldest */
    GHashTable *requests; /* number -> Request */
    Standing at;
    const DtTrace *trace;
    Channel *last[2]; /* of sends, of receives */
} Messages;

/* ---- tables ---------------------------------------------------------------------------------- */

static guint hash_key(gconstpointer data)
{
    const Key *key = data;
    guint64 hash = key->communicator * 31 + (guint64)key->tag;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)key->from;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)key->to;
    return (guint)(hash >> 32);
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
    const Key *one = a, *other = b;
    return one->communicator == other->communicator && one->tag == other->tag && one->from == other->from &&
           one->to == other->to;
}

static void free_channel(gpointer data)
{
    Channel *channel = data;
    g_array_unref(channel->sent.stretches);
    g_array_unref(channel->received.stretches);
    g_clear_pointer(&channel->ready, g_array_unref);
    g_free(channel);
}

static guint hash_form(gconstpointer data)
{
    const Form *form = data;
    guint64 hash = (guint64)(gsize)form->call.site ^ (guint64)(gsize)form->data.derived;
    hash = hash * 31 + form->call.function;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)form->data.count;
    hash = hash * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + (guint64)form->data.size * 256 + form->data.datatype;
    return (guint)(hash >> 32);
}

static gboolean equal_forms(gconstpointer a, gconstpointer b)
{
    const Form *one = a, *other = b;
    return one->call.site == other->call.site && one->call.function == other->call.function &&
           one->data.count == other->data.count && one->data.size == other->data.size &&
           one->data.datatype == other->data.datatype && one->data.derived == other->data.derived;
}

static gpointer start(DtChecking *checking)
{
    Messages *own = g_new0(Messages, 1);
    own->checking = checking;
    own->forms = g_array_new(FALSE, FALSE, sizeof(Form));
    own->form_index = g_hash_table_new_full(hash_form, equal_forms, g_free, NULL);
    own->channels = g_hash_table_new_full(hash_key, equal_keys, NULL, free_channel);
    own->unsure = g_hash_table_new(NULL, NULL);
    own->found = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    own->requests = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_queue_init(&own->posted);
    return own;
}

static void stop(gpointer family)
{
    Messages *own = family;
    g_array_unref(own->forms);
    g_hash_table_unref(own->form_index);
    g_hash_table_unref(own->channels);
    g_hash_table_unref(own->unsure);
    g_hash_table_unref(own->found);
    g_hash_table_unref(own->requests);
    g_queue_clear_full(&own->posted, g_free);
    g_free(own);
}

/* Forms of one process are found again in the next one by other call sites. */
static guint form_of(Messages *own, const DtCheckedTrace *trace, const DtCheckedCall *call, const DtCheckedData *data)
{
    Form form = {dt_check_keep(trace, call), *data};
    gpointer known = g_hash_table_lookup(own->form_index, &form);
    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    g_array_append_val(own->forms, form);
    g_hash_table_insert(own->form_index, g_memdup2(&form, sizeof form), GUINT_TO_POINTER(own->forms->len));
    return own->forms->len - 1;
}

static Channel *channel_of(Messages *own, const Key *key, const DtCommunicator *communicator, gboolean sends)
{
    if (own->last[sends] && equal_keys(&own->last[sends]->key, key))
        return own->last[sends];
    Channel *channel = g_hash_table_lookup(own->channels, key);
    if (!channel) {
        channel = g_new0(Channel, 1);
        channel->key = *key;
        channel->name = communicator->name;
        channel->sent.stretches = g_array_new(FALSE, FALSE, sizeof(Stretch));
        channel->received.stretches = g_array_new(FALSE, FALSE, sizeof(Stretch));
        g_hash_table_insert(own->channels, &channel->key, channel);
    }
    own->last[sends] = channel;
    return channel;
}

static void add_to_side(Messages *own, Side *side, guint form, gboolean open)
{
    side->mixed |= side->trace && side->trace != own->trace;
    side->trace = own->trace;
    side->calls++;
    Stretch *last =
        side->stretches->len > 0 ? &g_array_index(side->stretches, Stretch, side->stretches->len - 1) : NULL;
    if (last && last->form == form && last->open == open) {
        last->calls++;
        return;
    }
    Stretch stretch = {form, open, 1};
    g_array_append_val(side->stretches, stretch);
}

static void mark_unsure(Messages *own, gint rank)
{
    g_hash_table_add(own->unsure, GINT_TO_POINTER(rank));
}

/* ---- receives in the order in which they were posted ----------------------------------------- */

static gboolean is_known(const Posted *posted)
{
    return posted->communicator && posted->peer >= 0 && posted->tag != DT_NO_TAG;
}

static void flush_posted(Messages *own, gboolean all)
{
    Posted *oldest;
    const gint rank = own->trace->process->rank;
    while ((oldest = g_queue_peek_head(&own->posted)) && (oldest->settled || all)) {
        if (!oldest->gone && is_known(oldest)) {
            const Key key = {oldest->communicator->key, oldest->tag, oldest->peer, rank};
            Channel *channel = channel_of(own, &key, oldest->communicator, FALSE);
            if (channel->received.calls < MOST_READY)
                channel->posted_after[channel->received.calls] = oldest->meetings;
            add_to_side(own, &channel->received, oldest->form, !oldest->done);
        } else if (!oldest->gone) {
            mark_unsure(own, rank);
        }
        g_free(g_queue_pop_head(&own->posted));
        own->first_posted++;
    }
}

static Posted *posted_at(Messages *own, guint64 number)
{
    if (number == 0 || number - 1 < own->first_posted)
        return NULL;
    return g_queue_peek_nth(&own->posted, (guint)(number - 1 - own->first_posted));
}

/* Its number + 1. */
static guint64 post(Messages *own, const Posted *form)
{
    Posted *posted = g_memdup2(form, sizeof *form);
    posted->meetings = own->at.meetings;
    g_queue_push_tail(&own->posted, posted);
    return own->first_posted + own->posted.length;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static gboolean is_messages(const DtCheckedCall *call)
{
    return call->of == DT_CALL_MPI && dt_check_has(call, DT_CALL_POINT_TO_POINT);
}

/* The call's data, of which a call that sends and receives may have two. */
static void find_data(const DtSignature *signature, DtCheckedData *sent, DtCheckedData *received)
{
    DtCheckedData *of = sent;
    *sent = *received = (DtCheckedData){.count = -1};
    gboolean any = FALSE;
    for (guint i = 0; i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if (argument->kind == DT_ARGUMENT_TO)
            of = sent;
        else if (argument->kind == DT_ARGUMENT_FROM)
            of = received;
        else if (argument->kind == DT_ARGUMENT_DATA) {
            *of = dt_checked_data(argument);
            any = TRUE;
        }
    }
    if (any && sent->count < 0 && !dt_check_argument(signature, DT_ARGUMENT_TO))
        return;
    if (any && sent->count < 0)
        *sent = *received; /* MPI_Sendrecv_replace */
}

static void begin_send(Messages *own, const Request *request)
{
    Channel *channel = channel_of(own, &request->send, request->communicator, TRUE);
    const Ready ready = {channel->sent.calls, own->at, request->form};
    if (request->is_ready && ready.index < MOST_READY) {
        channel->ready = channel->ready ? channel->ready : g_array_new(FALSE, FALSE, sizeof(Ready));
        g_array_append_val(channel->ready, ready);
    }
    add_to_side(own, &channel->sent, request->form, FALSE);
}

static gboolean hides(const DtCheckedCall *call)
{
    return call->row->properties & DT_CALL_PROBING ? dt_call_has(call->row, DT_PARAMETER_MESSAGE_MADE)
                                                   : dt_call_has(call->row, DT_PARAMETER_MESSAGE_AT) ||
                                                         dt_call_has(call->row, DT_PARAMETER_PARTITION_COUNT);
}

static void enter_message(Messages *own, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    DtCallMessage sent, received;
    DtCheckedData sent_data, received_data;
    const gint rank = trace->process->rank;
    if (call->communicator && !call->communicator->is_sure)
        return; /* its messages match none of other communicators */
    dt_call_messages(call->row, call->signature, call->communicator, &sent, &received);
    if (hides(call)) {
        mark_unsure(own, rank);
        if (sent.there && sent.peer >= 0)
            mark_unsure(own, sent.peer);
    }
    if (call->row->properties & DT_CALL_PROBING || hides(call))
        return;
    find_data(call->signature, &sent_data, &received_data);
    Request request = {.communicator = call->communicator, .persistent = call->persistent};
    if (sent.there && call->communicator && sent.peer >= 0 && sent.tag != DT_NO_TAG) {
        request.sends = TRUE;
        request.is_ready = g_str_has_prefix(call->row->name, "Rsend") || g_str_has_prefix(call->row->name, "Irsend");
        request.send = (Key){call->communicator->key, sent.tag, rank, sent.peer};
        request.form = form_of(own, trace, call, &sent_data);
    }
    if (received.there) {
        request.receives = TRUE;
        request.form_of_receive = (Posted){.form = form_of(own, trace, call, &received_data),
                                           .communicator = call->communicator,
                                           .peer = received.peer,
                                           .tag = received.tag};
    }
    if (request.receives && !request.persistent)
        request.posted = post(own, &request.form_of_receive);
    if (call->made)
        g_hash_table_insert(own->requests, GUINT_TO_POINTER(call->made), g_memdup2(&request, sizeof request));
    call->marks[DT_MARK_RECEIVE] = request.posted;
    if (request.sends && !request.persistent) {
        call->marks[DT_MARK_SEND] = request.form + 1;
        begin_send(own, &request);
    }
}

static void start_requests(Messages *own, const DtCheckedTrace *trace)
{
    for (guint i = 0; i < trace->named_count; i++) {
        Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(trace->named[i]));
        if (!request || !request->persistent)
            continue;
        if (request->sends)
            begin_send(own, request);
        if (request->receives)
            request->posted = post(own, &request->form_of_receive);
    }
}

/* It may have been too late: nobody knows whether the message came. */
static void cancel_requests(Messages *own, const DtCheckedTrace *trace)
{
    for (guint i = 0; i < trace->named_count; i++) {
        const Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(trace->named[i]));
        if (request && request->receives)
            mark_unsure(own, trace->process->rank);
        if (request && request->sends)
            mark_unsure(own, request->send.to);
    }
}

static void enter(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Messages *own = family;
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    if (is_messages(call)) {
        if (call->signature)
            enter_message(own, trace, call);
        else
            mark_unsure(own, trace->process->rank);
    } else if (dt_check_is(call, "Start") || dt_check_is(call, "Startall")) {
        if (trace->knows_requests)
            start_requests(own, trace);
        else
            mark_unsure(own, trace->process->rank);
    } else if (dt_check_is(call, "Cancel")) {
        if (trace->knows_requests)
            cancel_requests(own, trace);
        else
            mark_unsure(own, trace->process->rank);
    }
}

static void complete(Messages *own, guint32 number)
{
    Request *request = g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number));
    Posted *posted = request ? posted_at(own, request->posted) : NULL;
    if (posted)
        posted->settled = posted->done = TRUE;
    if (request && !request->persistent)
        g_hash_table_remove(own->requests, GUINT_TO_POINTER(number));
}

/* All ranks are in the call at the same time once: what each did before it comes before what others do behind it. */
static gboolean is_meeting(const DtCheckedCall *call)
{
    static const char *const names[] = {"Barrier",  "Allreduce", "Allgather",      "Allgatherv",
                                        "Alltoall", "Alltoallv", "Reduce_scatter", "Reduce_scatter_block",
                                        "Alltoallw"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(call->row->name, names[i]))
            return call->communicator && g_str_equal(call->communicator->name, "world");
    return FALSE;
}

/* Whether the call can have brought anything from another rank: that it has come as far as this. */
static gboolean may_hear(const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    static const char *const prefixes[] = {"Wait", "Test", "Ssend", "Mrecv"};
    const guint32 others = DT_CALL_COLLECTIVE | DT_CALL_ONE_SIDED | DT_CALL_IO | DT_CALL_PROBING;
    for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_str_has_prefix(call->row->name, prefixes[i]))
            return TRUE;
    return call->row->properties & others || trace->completed_count > 0 ||
           (dt_call_has(call->row, DT_PARAMETER_SOURCE) && !call->makes);
}

static void pass(Messages *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    if (dt_check_is(call, "Init") || dt_check_is(call, "Init_thread"))
        return;
    if (is_meeting(call))
        own->at = (Standing){own->at.meetings + 1, FALSE};
    else
        own->at.heard |= may_hear(trace, call);
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Messages *own = family;
    if (call->of != DT_CALL_MPI || !call->row)
        return;
    pass(own, trace, call);
    for (guint i = 0; i < trace->completed_count; i++)
        complete(own, trace->completed[i]);
    Posted *posted = posted_at(own, call->marks[DT_MARK_RECEIVE]);
    if (posted && call->failed) {
        posted->settled = posted->gone = TRUE;
        mark_unsure(own, trace->process->rank);
    } else if (posted && !call->made) {
        posted->settled = posted->done = TRUE;
    } else if (posted && is_known(posted) && !posted->settled && !call->made) {
        posted->settled = TRUE;
    }
    if (own->posted.length > 0)
        flush_posted(own, FALSE);
}

static void got(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call, guint32 number, gint64 source,
                gint64 tag)
{
    Messages *own = family;
    (void)trace;
    const Request *request = number ? g_hash_table_lookup(own->requests, GUINT_TO_POINTER(number)) : NULL;
    Posted *posted = posted_at(own, request ? request->posted : call ? call->marks[DT_MARK_RECEIVE] : 0);
    if (!posted)
        return;
    posted->peer = dt_world_rank(posted->communicator, source);
    posted->tag = tag < 0 ? DT_NO_TAG : tag;
}

static void begin(gpointer family, const DtCheckedTrace *trace)
{
    Messages *own = family;
    own->trace = trace->trace;
    own->first_posted = 0;
    own->at = (Standing){0, FALSE};
    own->last[0] = own->last[1] = NULL;
    g_hash_table_remove_all(own->requests);
}

static void end(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open)
{
    Messages *own = family;
    (void)open;
    if (!trace->is_complete)
        mark_unsure(own, trace->process->rank);
    flush_posted(own, TRUE);
}

/* ---- pairs of calls that matched ------------------------------------------------------------- */

static const Form *form_at(const Messages *own, guint form)
{
    return &g_array_index(own->forms, Form, form);
}

static void tell_pair(Messages *own, const Channel *channel, const Form *sent, const Form *received, DtCheckRule rule,
                      DtCheckLevel level, const char *expected)
{
    DtCheckFinding *finding;
    g_autofree char *variant = dt_checked_data_text(&sent->data);
    const gboolean is_new = dt_check_report_kept(own->checking, rule, level, &received->call, NULL, &finding);
    if (is_new || (finding && finding->evidence->len < 2)) { /* MPI may have told of it already */
        g_autofree char *send = dt_kept_call_text(own->checking, &sent->call);
        g_autofree char *data = dt_checked_data_text(&received->data);
        dt_check_expect(finding, "%s", expected);
        dt_check_add_evidence(finding, "rank %d sends %s to rank %d: %s", channel->key.from, variant, channel->key.to,
                              send);
        dt_check_add_evidence(finding, "rank %d receives it as %s", channel->key.to, data);
    }
    if (finding)
        dt_check_add_trace(own->checking, finding, sent->call.trace);
}

static void look_at_pair(Messages *own, const Channel *channel, guint send, guint receive)
{
    const Form *sent = form_at(own, send), *received = form_at(own, receive);
    const gint64 bytes = dt_checked_bytes(&sent->data), room = dt_checked_bytes(&received->data);
    gint64 pair = (gint64)send << 32 | receive;
    if (g_hash_table_contains(own->found, &pair))
        return;
    g_hash_table_add(own->found, g_memdup2(&pair, sizeof pair));
    if (bytes < 0 || room < 0)
        return;
    if (bytes > room)
        tell_pair(own, channel, sent, received, DT_CHECK_MESSAGE_TRUNCATED, DT_CHECK_ERROR,
                  "a receive buffer that is at least as large as the message");
    DtTypeMatch match = dt_checked_types_match(&sent->data, &received->data);
    if (match != DT_TYPES_AGREE)
        tell_pair(own, channel, sent, received, DT_CHECK_MESSAGE_TYPE,
                  match == DT_TYPES_CLASH ? DT_CHECK_ERROR : DT_CHECK_WARNING,
                  "the same datatypes in the same order on both sides");
}

static gboolean is_uniform(const Side *side)
{
    return side->stretches->len == 1;
}

static void match_channel(Messages *own, const Channel *channel)
{
    const GArray *sent = channel->sent.stretches, *received = channel->received.stretches;
    if (g_hash_table_contains(own->unsure, GINT_TO_POINTER(channel->key.to)))
        return;
    if ((channel->sent.mixed && !is_uniform(&channel->sent)) ||
        (channel->received.mixed && !is_uniform(&channel->received)))
        return;
    guint s = 0, r = 0;
    guint64 of_s = 0, of_r = 0;
    while (s < sent->len && r < received->len) {
        const Stretch *one = &g_array_index(sent, Stretch, s), *other = &g_array_index(received, Stretch, r);
        guint64 step = MIN(one->calls - of_s, other->calls - of_r);
        look_at_pair(own, channel, one->form, other->form);
        of_s += step;
        of_r += step;
        if (of_s == one->calls) {
            s++;
            of_s = 0;
        }
        if (of_r == other->calls) {
            r++;
            of_r = 0;
        }
    }
}

/* ---- ready sends ----------------------------------------------------------------------------- */

static void tell_ready(Messages *own, const Channel *channel, const Ready *ready)
{
    const guint64 posted_after = channel->posted_after[ready->index];
    const gboolean is_sure = ready->at.meetings < posted_after;
    DtCheckFinding *finding;
    if (ready->at.meetings > posted_after || (ready->at.heard && !is_sure) ||
        !dt_check_report_kept(own->checking, DT_CHECK_READY_SEND, is_sure ? DT_CHECK_ERROR : DT_CHECK_WARNING,
                              &form_at(own, ready->form)->call, NULL, &finding))
        return;
    dt_check_expect(finding, "a message or a barrier that says the receive is posted, or MPI_Send");
    dt_check_add_evidence(finding,
                          is_sure ? "rank %d posts the receive behind a collective call that rank %d meets after the "
                                    "send"
                                  : "nothing that comes behind the receive of rank %d came to rank %d before the send",
                          channel->key.to, channel->key.from);
}

static void look_at_ready(Messages *own, const Channel *channel)
{
    const DtProcess *from = g_hash_table_lookup(own->checking->by_rank, GINT_TO_POINTER(channel->key.from));
    const DtProcess *to = g_hash_table_lookup(own->checking->by_rank, GINT_TO_POINTER(channel->key.to));
    if (!channel->ready || !from || !to || from == to || /* to itself: in its own order */ channel->sent.mixed ||
        channel->received.mixed || own->checking->processes[from->index].is_shared ||
        own->checking->processes[to->index].is_shared || !own->checking->processes[from->index].is_complete ||
        !own->checking->processes[to->index].is_complete ||
        g_hash_table_contains(own->unsure, GINT_TO_POINTER(channel->key.to)))
        return;
    for (guint i = 0; i < channel->ready->len; i++) {
        const Ready *ready = &g_array_index(channel->ready, Ready, i);
        if (ready->index < channel->received.calls)
            tell_ready(own, channel, ready);
    }
}

/* ---- what has no other side ------------------------------------------------------------------ */

static const DtCheckedProcess *process_of(const Messages *own, gint rank)
{
    const DtProcess *process = g_hash_table_lookup(own->checking->by_rank, GINT_TO_POINTER(rank));
    return process ? &own->checking->processes[process->index] : NULL;
}

static gboolean is_told_whole(const DtCheckedProcess *process)
{
    return process && process->is_read && process->is_complete && !process->lacks_arguments && process->has_ended;
}

/* What both sides did is all there: what is left over has no other side. */
static gboolean is_sure(const Messages *own, const Channel *channel)
{
    return is_told_whole(process_of(own, channel->key.from)) && is_told_whole(process_of(own, channel->key.to)) &&
           !g_hash_table_contains(own->unsure, GINT_TO_POINTER(channel->key.to));
}

static const Form *last_form(const Messages *own, const Side *side)
{
    return form_at(own, g_array_index(side->stretches, Stretch, side->stretches->len - 1).form);
}

static gboolean is_left_over(const Channel *channel, gboolean sent)
{
    return sent ? channel->sent.calls > channel->received.calls : channel->received.calls > channel->sent.calls;
}

static gboolean is_between_same(const Channel *one, const Channel *other)
{
    return one->key.from == other->key.from && one->key.to == other->key.to;
}

/* Another channel between the two on which the other side is left over; `left` is in the order of the two. */
static const Channel *partner_of(const GPtrArray *left, guint index, gboolean sent)
{
    const Channel *channel = left->pdata[index];
    for (guint i = index; i-- > 0 && is_between_same(channel, left->pdata[i]);)
        if (is_left_over(left->pdata[i], sent))
            return left->pdata[i];
    for (guint i = index + 1; i < left->len && is_between_same(channel, left->pdata[i]); i++)
        if (is_left_over(left->pdata[i], sent))
            return left->pdata[i];
    return NULL;
}

/* A sender that stands still may have the right message behind that call: then the order is wrong, not the tag. */
static void tell_mismatch(Messages *own, const Channel *waiting, const Channel *sent)
{
    const Form *receive = last_form(own, &waiting->received), *send = last_form(own, &sent->sent);
    const char *what = waiting->key.tag != sent->key.tag ? "tag" : "communicator";
    const gboolean is_sure = process_of(own, sent->key.from)->finalized;
    DtCheckFinding *finding;
    if (dt_check_report_kept(own->checking, DT_CHECK_MESSAGE_MISMATCH, is_sure ? DT_CHECK_ERROR : DT_CHECK_WARNING,
                             &receive->call, NULL, &finding)) {
        g_autofree char *text = dt_kept_call_text(own->checking, &send->call);
        dt_check_expect(finding, "the same %s on both sides%s", what, is_sure ? "" : ", or the same order");
        dt_check_add_evidence(finding, "rank %d waits for a message of rank %d with tag %" G_GINT64_FORMAT " in %s",
                              waiting->key.to, waiting->key.from, waiting->key.tag, waiting->name);
        dt_check_add_evidence(finding, "rank %d sent one with tag %" G_GINT64_FORMAT " in %s that nobody received: %s",
                              sent->key.from, sent->key.tag, sent->name, text);
    }
    if (finding)
        dt_check_add_trace(own->checking, finding, send->call.trace);
}

static void tell_unreceived(Messages *own, const Channel *channel)
{
    const Form *send = last_form(own, &channel->sent);
    const guint64 left = channel->sent.calls - channel->received.calls;
    DtCheckFinding *finding;
    if (!dt_check_report_kept(own->checking, DT_CHECK_MESSAGE_UNRECEIVED, DT_CHECK_ERROR, &send->call, NULL, &finding))
        return;
    dt_check_expect(finding, "a receive of rank %d for each message, before MPI_Finalize", channel->key.to);
    dt_check_add_evidence(finding,
                          "rank %d sent %" G_GUINT64_FORMAT " messages with tag %" G_GINT64_FORMAT
                          " in %s to rank %d, which received %" G_GUINT64_FORMAT " of them and came to MPI_Finalize",
                          channel->key.from, channel->sent.calls, channel->key.tag, channel->name, channel->key.to,
                          channel->sent.calls - left);
}

static void tell_unsent(Messages *own, const Channel *channel)
{
    const Form *receive = last_form(own, &channel->received);
    DtCheckFinding *finding;
    if (!dt_check_report_kept(own->checking, DT_CHECK_RECEIVE_UNSENT, DT_CHECK_ERROR, &receive->call, NULL, &finding))
        return;
    dt_check_expect(finding, "a send of rank %d for each receive", channel->key.from);
    dt_check_add_evidence(finding,
                          "rank %d receives %" G_GUINT64_FORMAT " messages with tag %" G_GINT64_FORMAT
                          " in %s from rank %d, which sent %" G_GUINT64_FORMAT " and ended",
                          channel->key.to, channel->received.calls, channel->key.tag, channel->name, channel->key.from,
                          channel->sent.calls);
}

/* A rank that came to MPI_Finalize, or that stands still for ever, sends nothing more. */
static gboolean sends_no_more(const Messages *own, gint rank)
{
    const DtCheckedProcess *process = process_of(own, rank);
    return process->finalized || process->status == DT_STATUS_STUCK;
}

static void look_at_rest(Messages *own, const GPtrArray *left, guint index)
{
    const Channel *channel = left->pdata[index];
    const DtCheckedProcess *from = process_of(own, channel->key.from), *to = process_of(own, channel->key.to);
    if (is_left_over(channel, FALSE)) {
        const Channel *sent = partner_of(left, index, TRUE);
        if (sent && sends_no_more(own, channel->key.from))
            tell_mismatch(own, channel, sent);
        else if (!sent && from->finalized)
            tell_unsent(own, channel);
    } else if (to->finalized && from->finalized && !partner_of(left, index, FALSE)) {
        tell_unreceived(own, channel);
    }
}

static gint compare_channels(gconstpointer a, gconstpointer b)
{
    const Key *one = &(*(const Channel *const *)a)->key, *other = &(*(const Channel *const *)b)->key;
    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    if (one->to != other->to)
        return one->to < other->to ? -1 : 1;
    if (one->tag != other->tag)
        return one->tag < other->tag ? -1 : 1;
    return one->communicator < other->communicator ? -1 : one->communicator > other->communicator;
}

static void finish(gpointer family)
{
    Messages *own = family;
    g_autoptr(GPtrArray) channels = g_ptr_array_new(), left = g_ptr_array_new();
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, own->channels);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        g_ptr_array_add(channels, value);
    g_ptr_array_sort(channels, compare_channels);
    for (guint i = 0; i < channels->len; i++) {
        const Channel *channel = channels->pdata[i];
        match_channel(own, channel);
        look_at_ready(own, channel);
        if (channel->sent.calls != channel->received.calls && is_sure(own, channel))
            g_ptr_array_add(left, channels->pdata[i]);
    }
    for (guint i = 0; i < left->len; i++)
        look_at_rest(own, left, i);
}

const DtCheckFamily dt_check_messages = {.start = start,
                                         .begin = begin,
                                         .enter = enter,
                                         .leave = leave,
                                         .got = got,
                                         .end = end,
                                         .finish = finish,
                                         .stop = stop};
