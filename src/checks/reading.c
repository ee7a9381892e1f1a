/* Goes through the traces of a run and tells the families of rules of each call. */
#include <string.h>

#include "checks/checking.h"
#include "times/timed_reader.h"

enum { BATCH = 4096 };

/* An id of the process's file. */
typedef struct {
    gboolean looked_up, is_told, varies;
    gboolean is_body; /* of a team of OpenMP, as compilers name it */
    enum dt_call_class of;
    const struct dt_call *row;
    guint32 function, signature; /* 0: none */
    const DtSignature *arguments;
    const DtCommunicator *communicator;
    const DtCallSite *site;
} Meaning;

/* An open call of the program, or one that is told. */
typedef struct {
    guint32 function;
    gboolean is_told; /* the last of the open ones then */
    gboolean is_body; /* the outermost of a team */
} Frame;

typedef struct {
    DtChecking *checking;
    const DtCheckFamily *const *families;
    gpointer *own;
    guint count;
    DtCheckedTrace trace;
    DtNotes *notes;
    guint next_note;
    GArray *meanings; /* Meaning, by id */
    GArray *frames;   /* Frame */
    DtCheckedObjects *objects;
    GPtrArray *calls; /* DtCheckedCall: open ones that are told, with spare ones behind them */
    guint open;       /* how many of them are open */
} Reading;

/* ---- what ids mean --------------------------------------------------------------------------- */

static void look_up(Reading *reading, guint32 id, Meaning *meaning)
{
    const DtRun *run = reading->checking->run;
    const DtProcess *process = reading->trace.process;
    meaning->looked_up = TRUE;
    meaning->function = dt_run_function_of_id(run, process, id);
    if (meaning->function == 0)
        return;
    const char *name = dt_check_function_name(reading->checking, meaning->function);
    meaning->of = dt_call_class(name);
    meaning->is_body = strstr(name, "._omp_fn") || strstr(name, "omp_outlined");
    meaning->is_told = meaning->of != DT_CALL_UNKNOWN && meaning->of != DT_CALL_SYSTEM;
    if (!meaning->is_told)
        return;
    meaning->row = dt_call_find(name);
    meaning->site = dt_run_call_site(run, process, id);
    guint32 signature = dt_run_signature_of_id(run, process, id);
    meaning->arguments = dt_run_exact_signature(run, process, id);
    if (!meaning->arguments)
        return;
    meaning->signature = signature;
    for (guint i = 0; i < meaning->arguments->argument_count; i++)
        meaning->varies |= meaning->arguments->arguments[i].special == DT_SPECIAL_VARIES;
    if (meaning->arguments->communicator)
        meaning->communicator = dt_run_find_communicator(run, process, meaning->arguments->communicator);
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

/* ---- calls ----------------------------------------------------------------------------------- */

static DtCheckedCall *top(Reading *reading)
{
    gboolean told = reading->frames->len > 0 && reading->open > 0 &&
                    g_array_index(reading->frames, Frame, reading->frames->len - 1).is_told;
    return told ? reading->calls->pdata[reading->open - 1] : NULL;
}

static DtCheckedCall *open_call(Reading *reading)
{
    if (reading->open == reading->calls->len)
        g_ptr_array_add(reading->calls, g_new(DtCheckedCall, 1));
    DtCheckedCall *call = reading->calls->pdata[reading->open++];
    memset(call, 0, offsetof(DtCheckedCall, own));
    return call;
}

static guint32 caller_of(const Reading *reading)
{
    for (guint i = reading->frames->len; i-- > 0;) {
        const Frame *frame = &g_array_index(reading->frames, Frame, i);
        if (!frame->is_told)
            return frame->function;
    }
    return 0;
}

static void fill_in(Reading *reading, DtCheckedCall *call, guint64 position)
{
    for (guint i = reading->next_note; i < dt_notes_count(reading->notes); i++) {
        const DtNote *note = dt_notes_get(reading->notes, i);
        if (note->position > position)
            break;
        if (note->position == position)
            dt_signature_fill(&call->own, reading->notes, note);
    }
    if (call->own.communicator && call->own.communicator != call->signature->communicator)
        call->communicator =
            dt_run_find_communicator(reading->checking->run, reading->trace.process, call->own.communicator);
    call->signature = &call->own;
}

static void look_at_requests(Reading *reading, DtCheckedCall *call)
{
    DtCallRequests requests = {0};
    reading->trace.knows_requests = dt_live_requests_of_call(reading->trace.live, &requests);
    reading->trace.named = NULL;
    reading->trace.named_count = 0;
    if (!reading->trace.knows_requests)
        return;
    reading->trace.named = requests.named;
    reading->trace.named_count = requests.named_count;
    call->makes = requests.makes;
    call->persistent = requests.persistent;
    call->frees = requests.frees;
    call->made = requests.makes ? requests.made : 0;
}

static void enter_body(Reading *reading, guint32 function)
{
    gpointer key = GUINT_TO_POINTER(function);
    guint64 *visits = g_hash_table_lookup(reading->trace.bodies, key);
    if (!visits) {
        visits = g_new0(guint64, 1);
        g_hash_table_insert(reading->trace.bodies, key, visits);
    }
    ++*visits;
    reading->trace.body = function;
}

static void enter(Reading *reading, const DtTimedEvent *event)
{
    const Meaning *meaning = meaning_of(reading, event->event);
    Frame frame = {meaning->function, meaning->is_told, FALSE};
    if (!meaning->is_told) {
        frame.is_body = meaning->is_body && reading->trace.body == 0;
        if (frame.is_body)
            enter_body(reading, meaning->function);
        dt_live_requests_follow(reading->trace.live, G_MAXUINT32, event->position, NULL);
        g_array_append_val(reading->frames, frame);
        return;
    }
    guint32 caller = caller_of(reading);
    DtCheckedCall *call = open_call(reading);
    call->row = meaning->row;
    call->of = meaning->of;
    call->function = meaning->function;
    call->caller = caller;
    call->site = meaning->site;
    call->signature = call->form = meaning->arguments;
    call->communicator = meaning->communicator;
    call->begin_ns = event->ns;
    if (meaning->varies) {
        call->own = *meaning->arguments;
        fill_in(reading, call, event->position);
    }
    dt_live_requests_follow(reading->trace.live, meaning->arguments ? meaning->signature : G_MAXUINT32, event->position,
                            call->signature);
    g_array_append_val(reading->frames, frame);
    reading->trace.depth = reading->open;
    look_at_requests(reading, call);
    for (guint i = 0; i < reading->count; i++)
        if (reading->families[i]->enter)
            reading->families[i]->enter(reading->own[i], &reading->trace, call);
}

static void leave(Reading *reading, const DtTimedEvent *event)
{
    dt_live_requests_follow(reading->trace.live, DT_EVENT_RETURN, event->position, NULL);
    if (reading->frames->len == 0)
        return;
    DtCheckedCall *call = top(reading);
    if (call) {
        reading->trace.completed = dt_live_requests_completed(reading->trace.live, &reading->trace.completed_count);
        reading->trace.depth = reading->open;
        call->end_ns = event->ns;
        if (call->of == DT_CALL_MPI && call->row && !call->failed && dt_checked_objects_made_by(call->row))
            dt_checked_objects_add(reading->objects, call->row, call->communicator);
        for (guint i = 0; i < reading->count; i++)
            if (reading->families[i]->leave)
                reading->families[i]->leave(reading->own[i], &reading->trace, call);
        reading->open--;
    }
    if (g_array_index(reading->frames, Frame, reading->frames->len - 1).is_body)
        reading->trace.body = 0;
    g_array_set_size(reading->frames, reading->frames->len - 1);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void tell_got(Reading *reading, const gint64 *values, guint count)
{
    enum { OF_CALL = 2, OF_REQUEST = 3 };
    DtCheckedCall *call = top(reading);
    guint32 request = count == OF_REQUEST ? (guint32)values[OF_REQUEST - 1] : 0;
    if (count != OF_REQUEST && (count != OF_CALL || !call))
        return;
    for (guint i = 0; i < reading->count; i++)
        if (reading->families[i]->got)
            reading->families[i]->got(reading->own[i], &reading->trace, request ? NULL : call, request, values[0],
                                      values[1]);
}

static void take_note(Reading *reading, const DtNote *note)
{
    const gint64 *values = dt_notes_values(reading->notes, note);
    DtCheckedCall *call = top(reading);
    if (note->kind == DT_NOTE_WILDCARD)
        tell_got(reading, values, note->count);
    else if (note->kind == DT_NOTE_RECORDING)
        reading->trace.is_complete = FALSE;
    else if (note->kind == DT_NOTE_FAILED && call && note->count > 0)
        call->failed = (gint)values[0];
    else if (note->kind == DT_NOTE_LOCK && call && note->count > 1)
        call->lock_error = (gint)values[1];
    else if (note->kind == DT_NOTE_THREAD_LEVEL && call && note->count > 0)
        call->marks[DT_MARK_OTHER] = (guint64)values[0] + 1;
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

/* ---- a trace --------------------------------------------------------------------------------- */

static gboolean read_events(Reading *reading, GError **error)
{
    DtTimedEvent events[BATCH];
    gsize count;
    g_autoptr(DtTimedReader) reader =
        dt_timed_reader_open(reading->checking->run, reading->trace.trace, DT_FILE_IDS, error);
    if (!reader)
        return FALSE;
    while ((count = dt_timed_reader_next(reader, events, BATCH)) > 0)
        for (gsize i = 0; i < count; i++) {
            take_notes(reading, events[i].position);
            if (events[i].event == DT_EVENT_RETURN)
                leave(reading, &events[i]);
            else
                enter(reading, &events[i]);
        }
    take_notes(reading, G_MAXUINT64);
    reading->trace.is_complete &= !dt_timed_reader_problem(reader) && !dt_notes_problem(reading->notes);
    return TRUE;
}

static void tell_end(Reading *reading)
{
    g_autoptr(GPtrArray) open = g_ptr_array_new();
    for (guint i = 0; i < reading->open; i++)
        g_ptr_array_add(open, reading->calls->pdata[i]);
    for (guint i = 0; i < reading->count; i++)
        if (reading->families[i]->end)
            reading->families[i]->end(reading->own[i], &reading->trace, open);
    DtCheckedProcess *process = &reading->checking->processes[reading->trace.process->index];
    process->is_complete &= reading->trace.is_complete;
}

static gboolean read_trace(Reading *reading, const DtTrace *trace, GError **error)
{
    DtChecking *checking = reading->checking;
    DtCheckedProcess *process = &checking->processes[trace->process->index];
    g_autoptr(DtNotes) notes = dt_notes_open(checking->run, trace, error);
    if (!notes)
        return FALSE;
    g_autoptr(DtLiveRequests) live = dt_live_requests_new(checking->functions, notes);
    g_autoptr(GHashTable) bodies = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    reading->notes = notes;
    reading->next_note = 0;
    reading->open = 0;
    g_array_set_size(reading->frames, 0);
    reading->trace = (DtCheckedTrace){.run = checking->run,
                                      .trace = trace,
                                      .process = trace->process,
                                      .is_first = !process->is_read,
                                      .is_complete = trace->dropped_words == 0 && trace->dropped_notes == 0 &&
                                                     !trace->process->stopped,
                                      .notes = notes,
                                      .live = live,
                                      .objects = reading->objects,
                                      .bodies = bodies};
    process->is_read = TRUE;
    for (guint i = 0; i < reading->count; i++)
        if (reading->families[i]->begin)
            reading->families[i]->begin(reading->own[i], &reading->trace);
    if (!read_events(reading, error))
        return FALSE;
    tell_end(reading);
    return TRUE;
}

static void tell_end_of_process(Reading *reading, const DtProcess *process)
{
    for (guint i = 0; process && i < reading->count; i++)
        if (reading->families[i]->end_process)
            reading->families[i]->end_process(reading->own[i], process,
                                              reading->checking->processes[process->index].is_complete);
    dt_checked_objects_clear(reading->objects);
    g_array_set_size(reading->meanings, 0);
}

gboolean dt_checking_read(DtChecking *checking, const DtCheckFamily *const *families, gpointer *own, guint count,
                          GError **error)
{
    g_autoptr(GArray) meanings = g_array_new(FALSE, TRUE, sizeof(Meaning));
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    g_autoptr(GPtrArray) calls = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtCheckedObjects) objects = dt_checked_objects_new();
    Reading reading = {.checking = checking,
                       .families = families,
                       .own = own,
                       .count = count,
                       .meanings = meanings,
                       .frames = frames,
                       .objects = objects,
                       .calls = calls};
    const DtProcess *before = NULL;
    for (guint t = 0; t < dt_run_trace_count(checking->run); t++) {
        const DtTrace *trace = dt_run_trace(checking->run, t);
        if (trace->library || !checking->processes[trace->process->index].is_wanted)
            continue;
        if (trace->process != before)
            tell_end_of_process(&reading, before);
        before = trace->process;
        if (!read_trace(&reading, trace, error))
            return FALSE;
    }
    tell_end_of_process(&reading, before);
    return TRUE;
}
