#include "skeleton/recorded_calls.h"

#include <string.h>

#include "calls/calls.h"
#include "decoder/decoder.h"
#include "decoder/live_requests.h"
#include "format/arguments.h"
#include "skeleton/call_places.h"
#include "skeleton/fields.h"
#include "store/symbols/places.h"
#include "text/text.h"

enum { BATCH = 4096 };
#define NO_SLOT G_MAXUINT

/* ---- calls, numbered ------------------------------------------------------------------------- */

static guint hash_call(gconstpointer data)
{
    const DtRecordedCall *call = data;
    guint64 hash = call->function;
    for (guint i = 0; i < call->count; i++) {
        hash = (hash ^ call->fields[i].kind) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        hash = (hash ^ (guint64)call->fields[i].value) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    }
    return (guint)(hash >> 32);
}

static gboolean equal_calls(gconstpointer first, gconstpointer second)
{
    const DtRecordedCall *a = first, *b = second;
    if (a->function != b->function || a->count != b->count)
        return FALSE;
    for (guint i = 0; i < a->count; i++)
        if (a->fields[i].kind != b->fields[i].kind || a->fields[i].value != b->fields[i].value)
            return FALSE;
    return TRUE;
}

guint32 dt_recorded_calls_intern(DtRecordedCalls *calls, const DtRecordedCall *call)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(calls->numbers, call));
    if (number)
        return number - 1;
    DtRecordedCall *copy = g_memdup2(call, sizeof(*call));
    g_ptr_array_add(calls->calls, copy);
    g_hash_table_insert(calls->numbers, copy, GUINT_TO_POINTER(calls->calls->len));
    return calls->calls->len - 1;
}

static void add_field(DtRecordedCall *call, guint kind, DtValue value)
{
    if (call->count < DT_CALL_FIELDS)
        call->fields[call->count++] = (DtCallField){kind, value};
}

static void free_sequence(gpointer data)
{
    DtCallSequence *sequence = data;
    g_array_unref(sequence->calls);
    g_clear_pointer(&sequence->places, g_array_unref);
    g_free(sequence);
}

void dt_recorded_calls_free(DtRecordedCalls *calls)
{
    if (!calls)
        return;
    g_hash_table_unref(calls->numbers);
    g_ptr_array_unref(calls->calls);
    g_ptr_array_unref(calls->sequences);
    g_ptr_array_unref(calls->places);
    g_hash_table_unref(calls->between);
    g_free(calls);
}

/* ---- a thread, event by event ---------------------------------------------------------------- */

/* An open call; no slot: it is none of MPI, or is left out. */
typedef struct {
    guint slot; /* in the sequence */
    DtRecordedCall call;
    const DtCommunicator *communicator;
} Frame;

typedef struct {
    DtRecordedCalls *calls;
    DtSkeleton *skeleton;
    const DtSkeletonOptions *options;
    const DtRun *run;
    const DtTrace *trace;
    const DtFunctions *functions;
    DtNotes *notes;
    DtLiveRequests *live;
    GArray *frames;         /* Frame */
    GArray *sequence;       /* guint32 */
    GHashTable *made;       /* number of a request -> slot + 1 of the call that made it */
    GHashTable *of_slot;    /* slot + 1 -> its communicator */
    GHashTable *persistent; /* number of a persistent request -> its communicator, which may be NULL */
    GArray *completed;      /* gint64: positions that the notes of the last call that completed some have told */
    GArray *wanted;         /* by function: 0 not known, 1 no, 2 yes, with its index << 2 */
    DtCallPlaces *where;    /* NULL: lines are not looked up */
    GArray *places;         /* guint32, of the sequence */
    guint next_note;
} Reading;

static guint function_index(DtSkeleton *skeleton, const char *name)
{
    for (guint i = 0; i < skeleton->functions->len; i++)
        if (g_str_equal(skeleton->functions->pdata[i], name))
            return i;
    g_ptr_array_add(skeleton->functions, g_strdup(name));
    return skeleton->functions->len - 1;
}

gboolean dt_call_communicates(const char *name)
{
    const struct dt_call *call = dt_call_find(name);
    const guint32 kinds = DT_CALL_POINT_TO_POINT | DT_CALL_COLLECTIVE | DT_CALL_ONE_SIDED | DT_CALL_IO |
                          DT_CALL_BLOCKING | DT_CALL_ENDING;
    return !call || call->properties & kinds || dt_call_has(call, DT_PARAMETER_REQUEST_AT) ||
           dt_call_has(call, DT_PARAMETER_REQUESTS) || dt_call_has(call, DT_PARAMETER_REQUEST_FREED) ||
           dt_call_has(call, DT_PARAMETER_REQUEST_MADE) || dt_call_has(call, DT_PARAMETER_PERSISTENT_REQUEST_MADE);
}

/* FALSE: calls of the function are left out. */
static gboolean is_wanted(Reading *reading, guint32 function, guint *index)
{
    enum { NO = 1, YES = 2 };
    if (function >= reading->wanted->len)
        g_array_set_size(reading->wanted, function + 1);
    guint *known = &g_array_index(reading->wanted, guint, function);
    if (!*known) {
        const char *name = dt_functions_get(reading->functions, function)->name;
        gboolean wanted =
            dt_call_class(name) == DT_CALL_MPI && (!reading->options->communication_only || dt_call_communicates(name));
        *known = wanted ? function_index(reading->skeleton, name) << 2 | YES : NO;
    }
    *index = *known >> 2;
    return (*known & 3) == YES;
}

static DtValue value_of(Reading *reading, const DtArgument *argument, const char *communicator)
{
    DtAtoms *atoms = reading->skeleton->atoms;
    if (argument->special != DT_SPECIAL_NONE)
        return dt_atoms_intern(atoms, dt_special_word(argument->special));
    if (argument->numbers && argument->kind != DT_ARGUMENT_DATA && argument->kind != DT_ARGUMENT_OTHER_DATA)
        return dt_numbers_atom(atoms, argument->numbers->values, argument->numbers->count);
    if (argument->kind == DT_ARGUMENT_COMMUNICATOR)
        return dt_atoms_intern(atoms, communicator ? communicator : "#");
    if (argument->kind != DT_ARGUMENT_OPERATION)
        return argument->value;
    g_autofree char *text = dt_argument_text(argument, NULL);
    return dt_atoms_intern(atoms, g_strdelimit(text, " ", '_'));
}

static void add_data(Reading *reading, DtRecordedCall *call, const DtArgument *argument)
{
    gboolean other = argument->kind == DT_ARGUMENT_OTHER_DATA;
    gboolean known = argument->special == DT_SPECIAL_NONE;
    DtValue count = value_of(reading, argument, NULL);
    add_field(call, other ? DT_FIELD_OTHER_COUNT : DT_FIELD_COUNT, count);
    add_field(call, other ? DT_FIELD_OTHER_SIZE : DT_FIELD_SIZE, known ? argument->size : 0);
}

/* Kinds of later versions, or of a damaged file, have no words, or those of fields. */
static gboolean is_field(const DtArgument *argument)
{
    return argument->kind < DT_FIELD_COUNT && dt_field_word(argument->kind);
}

static void read_arguments(Reading *reading, DtRecordedCall *call, const DtSignature *signature)
{
    for (guint i = 0; i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if (argument->kind == DT_ARGUMENT_DATA || argument->kind == DT_ARGUMENT_OTHER_DATA)
            add_data(reading, call, argument);
        else if (is_field(argument))
            add_field(call, argument->kind, value_of(reading, argument, signature->communicator));
    }
}

/* What varies is in the note behind the call's word. */
static void fill_in(const Reading *reading, DtSignature *signature, guint64 position)
{
    for (guint i = reading->next_note; i < dt_notes_count(reading->notes); i++) {
        const DtNote *note = dt_notes_get(reading->notes, i);
        if (note->position > position)
            return;
        if (note->position == position)
            dt_signature_fill(signature, reading->notes, note);
    }
}

/* How many requests a call names says nothing where its array has no null handles. */
static void leave_out_count(DtRecordedCall *call, guint named)
{
    for (guint i = 0; i < call->count; i++)
        if (call->fields[i].kind == DT_ARGUMENT_REQUESTS && call->fields[i].value == named) {
            memmove(&call->fields[i], &call->fields[i + 1], (call->count - i - 1) * sizeof call->fields[0]);
            call->count--;
            return;
        }
}

static void enter(Reading *reading, guint32 event, guint32 id, guint64 position)
{
    guint32 function = dt_functions_base(reading->functions, event);
    const DtSignature *known = dt_functions_get(reading->functions, event)->signature;
    DtSignature signature = known ? *known : (DtSignature){0};
    Frame frame = {.slot = NO_SLOT};
    if (known)
        fill_in(reading, &signature, position);
    dt_live_requests_follow(reading->live, event, position, known ? &signature : NULL);
    if (is_wanted(reading, function, &frame.call.function)) {
        guint32 unknown = 0;
        frame.slot = reading->sequence->len;
        g_array_append_val(reading->sequence, unknown);
        guint32 place = reading->where ? dt_call_places_find(reading->where, reading->trace->process, id) : 0;
        g_array_append_val(reading->places, place);
        read_arguments(reading, &frame.call, &signature);
        if (signature.communicator)
            frame.communicator =
                dt_run_find_communicator(reading->run, reading->trace->process, signature.communicator);
        DtCallRequests requests;
        if (dt_live_requests_of_call(reading->live, &requests)) {
            if (requests.makes && requests.persistent)
                g_hash_table_insert(reading->persistent, GUINT_TO_POINTER(requests.made), (gpointer)frame.communicator);
            else if (requests.makes)
                g_hash_table_insert(reading->made, GUINT_TO_POINTER(requests.made), GUINT_TO_POINTER(frame.slot + 1));
            leave_out_count(&frame.call, requests.named_count);
        }
        if (frame.communicator)
            g_hash_table_insert(reading->of_slot, GUINT_TO_POINTER(frame.slot + 1), (gpointer)frame.communicator);
    }
    g_array_append_val(reading->frames, frame);
}

static void leave(Reading *reading, Frame *frame)
{
    if (frame->slot != NO_SLOT)
        g_array_index(reading->sequence, guint32, frame->slot) = dt_recorded_calls_intern(reading->calls, &frame->call);
    g_array_set_size(reading->frames, reading->frames->len - 1);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static gint64 distance(const DtCommunicator *communicator, gint64 rank)
{
    if (!communicator || communicator->size <= 0 || communicator->remote_size >= 0)
        return rank;
    gint64 steps = (rank - communicator->rank) % communicator->size;
    steps += steps < 0 ? communicator->size : 0;
    return 2 * steps > communicator->size ? steps - communicator->size : steps;
}

/* What was cancelled got nothing. */
static void add_source(DtRecordedCall *call, const DtCommunicator *communicator, const gint64 *values)
{
    if (values[0] < 0)
        return;
    add_field(call, DT_FIELD_SOURCE, distance(communicator, values[0]));
    add_field(call, DT_FIELD_GOT_TAG, values[1]);
}

/* What a request got belongs to the call that made it; a persistent one gets something again and again: to the call
 * that completes it. */
static void add_source_of_request(Reading *reading, Frame *frame, const gint64 *values)
{
    gpointer communicator;
    if (g_hash_table_lookup_extended(reading->persistent, GUINT_TO_POINTER((guint)values[2]), NULL, &communicator)) {
        if (frame && frame->slot != NO_SLOT)
            add_source(&frame->call, communicator, values);
        return;
    }
    guint slot = GPOINTER_TO_UINT(g_hash_table_lookup(reading->made, GUINT_TO_POINTER((guint)values[2])));
    if (!slot)
        return;
    guint32 *number = &g_array_index(reading->sequence, guint32, slot - 1);
    DtRecordedCall call = *dt_recorded_call(reading->calls, *number);
    add_source(&call, g_hash_table_lookup(reading->of_slot, GUINT_TO_POINTER(slot)), values);
    *number = dt_recorded_calls_intern(reading->calls, &call);
}

/* Several notes of one call are one. */
static void add_completed(Reading *reading, DtRecordedCall *call, const gint64 *positions, guint count)
{
    DtAtoms *atoms = reading->skeleton->atoms;
    guint at = 0;
    while (at < call->count && call->fields[at].kind != DT_FIELD_COMPLETED)
        at++;
    if (at == call->count) {
        g_array_set_size(reading->completed, 0);
        add_field(call, DT_FIELD_COMPLETED, 0);
    }
    g_array_append_vals(reading->completed, positions, count);
    if (at == DT_CALL_FIELDS)
        return;
    const gint64 *all = (const gint64 *)(gconstpointer)reading->completed->data;
    const guint length = reading->completed->len;
    call->fields[at].value = length == 0   ? dt_atoms_intern(atoms, "all")
                             : length == 1 ? all[0]
                                           : dt_numbers_atom(atoms, all, length);
}

static void take_note(Reading *reading, Frame *frame, const DtNote *note)
{
    const gint64 *values = dt_notes_values(reading->notes, note);
    if (note->kind == DT_NOTE_WILDCARD && note->count == 3)
        add_source_of_request(reading, frame, values);
    if (!frame || frame->slot == NO_SLOT)
        return;
    if (note->kind == DT_NOTE_WILDCARD && note->count == 2)
        add_source(&frame->call, frame->communicator, values);
    if (note->kind == DT_NOTE_FAILED && note->count >= 1)
        add_field(&frame->call, DT_FIELD_FAILED, values[0]);
    if (note->kind == DT_NOTE_THREAD_LEVEL && note->count >= 1)
        add_field(&frame->call, DT_FIELD_PROVIDED, values[0]);
    if (note->kind == DT_NOTE_LIVE && note->count >= 1 && values[0] == DT_LIVE_COMPLETED)
        add_completed(reading, &frame->call, values + 1, note->count - 1);
    if (note->kind == DT_NOTE_LIVE && note->count >= 1 && values[0] == DT_LIVE_NOT_MADE)
        add_field(&frame->call, DT_FIELD_NOT_MADE, 1);
}

/* Those behind the events that went by. */
static void take_notes(Reading *reading, guint64 before)
{
    Frame *frame = reading->frames->len > 0 ? &g_array_index(reading->frames, Frame, reading->frames->len - 1) : NULL;
    for (; reading->next_note < dt_notes_count(reading->notes); reading->next_note++) {
        const DtNote *note = dt_notes_get(reading->notes, reading->next_note);
        if (note->position >= before)
            return;
        take_note(reading, frame, note);
    }
}

/* `id`: of the call in the process's file, where lines are looked up. */
static void follow(Reading *reading, guint32 id, guint64 position)
{
    guint32 event = reading->where ? dt_run_signature_of_id(reading->run, reading->trace->process, id) : id;
    take_notes(reading, position);
    if (event != DT_EVENT_RETURN) {
        enter(reading, event, id, position);
        return;
    }
    dt_live_requests_follow(reading->live, event, position, NULL);
    if (reading->frames->len > 0)
        leave(reading, &g_array_index(reading->frames, Frame, reading->frames->len - 1));
}

/* Calls that never returned, innermost first. */
static void end(Reading *reading)
{
    take_notes(reading, G_MAXUINT64);
    while (reading->frames->len > 0) {
        Frame *frame = &g_array_index(reading->frames, Frame, reading->frames->len - 1);
        add_field(&frame->call, DT_FIELD_OPEN, 1);
        leave(reading, frame);
    }
}

static gboolean read_events(Reading *reading, GError **error)
{
    guint32 events[BATCH];
    guint64 positions[BATCH];
    gsize count;
    g_autoptr(DtReader) reader =
        dt_reader_open(reading->run, reading->trace, reading->where ? DT_FILE_IDS : DT_NAMES_WITH_ARGUMENTS, error);
    if (!reader)
        return FALSE;
    while ((count = dt_reader_next_at(reader, events, positions, BATCH)) > 0)
        for (gsize i = 0; i < count; i++)
            follow(reading, events[i], positions[i]);
    end(reading);
    return TRUE;
}

static gboolean read_trace(DtRecordedCalls *calls, DtSkeleton *skeleton, const DtSkeletonOptions *options,
                           const DtRun *run, const DtTrace *trace, DtCallPlaces *where, GError **error)
{
    g_autoptr(DtNotes) notes = dt_notes_open(run, trace, error);
    if (!notes)
        return FALSE;
    g_autoptr(DtLiveRequests) live = dt_live_requests_new(dt_run_functions(run), notes);
    g_autoptr(GHashTable) made = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) of_slot = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) persistent = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    g_autoptr(GArray) sequence = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) completed = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GArray) wanted = g_array_new(FALSE, TRUE, sizeof(guint));
    Reading reading = {.calls = calls,
                       .skeleton = skeleton,
                       .options = options,
                       .run = run,
                       .trace = trace,
                       .functions = dt_run_functions(run),
                       .notes = notes,
                       .live = live,
                       .frames = frames,
                       .sequence = sequence,
                       .made = made,
                       .of_slot = of_slot,
                       .persistent = persistent,
                       .completed = completed,
                       .wanted = wanted,
                       .where = where,
                       .places = places};
    if (!read_events(&reading, error))
        return FALSE;
    if (sequence->len == 0)
        return TRUE;
    DtCallSequence *read = g_new0(DtCallSequence, 1);
    read->thread = trace->thread;
    read->rank = (guint)trace->process->rank;
    read->calls = g_array_ref(sequence);
    read->places = where ? g_array_ref(places) : NULL;
    g_ptr_array_add(calls->sequences, read);
    return TRUE;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Of several processes with one rank the one that called MPI_Init has the rank as its label. */
gboolean dt_trace_is_of_rank(const DtTrace *trace)
{
    g_autofree char *label = g_strdup_printf("%d", trace->process->rank);
    return trace->process->rank >= 0 && !trace->library && trace->process->called_mpi_init &&
           g_str_equal(trace->process->label, label);
}

static guint count_ranks(const DtRun *run)
{
    gint ranks = 0;
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        if (dt_trace_is_of_rank(trace))
            ranks = MAX(ranks, MAX(trace->process->rank + 1, trace->process->world_size));
    }
    return (guint)ranks;
}

static DtSkeletonCommunicator *communicator_named(DtSkeleton *skeleton, const char *name)
{
    for (guint i = 0; i < skeleton->communicators->len; i++) {
        DtSkeletonCommunicator *known = skeleton->communicators->pdata[i];
        if (g_str_equal(known->name, name))
            return known;
    }
    DtSkeletonCommunicator *made = g_new0(DtSkeletonCommunicator, 1);
    made->name = g_strdup(name);
    made->groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_ptr_array_add(skeleton->communicators, made);
    return made;
}

static void add_group(DtSkeletonCommunicator *communicator, const gint *members, guint count)
{
    for (guint i = 0; i < communicator->groups->len; i++) {
        const GArray *known = communicator->groups->pdata[i];
        if (known->len == count && memcmp(known->data, members, count * sizeof(gint)) == 0)
            return;
    }
    GArray *group = g_array_sized_new(FALSE, FALSE, sizeof(gint), count);
    g_array_append_vals(group, members, count);
    g_ptr_array_add(communicator->groups, group);
}

static void read_communicators(DtRecordedCalls *calls, DtSkeleton *skeleton, const DtRun *run, const DtProcess *process)
{
    const GPtrArray *communicators = dt_run_communicators(run, process);
    for (guint i = 0; i < communicators->len; i++) {
        const DtCommunicator *communicator = communicators->pdata[i];
        if (communicator->remote_size >= 0)
            g_hash_table_add(calls->between, g_strdup(communicator->name));
        if (communicator->number > DT_COMMUNICATOR_SELF && communicator->size > 0)
            add_group(communicator_named(skeleton, communicator->name), communicator->members,
                      (guint)communicator->size);
    }
}

static gint compare_communicators(gconstpointer first, gconstpointer second)
{
    const DtSkeletonCommunicator *a = *(const DtSkeletonCommunicator *const *)first,
                                 *b = *(const DtSkeletonCommunicator *const *)second;
    return g_strcmp0(a->name, b->name);
}

static gint compare_groups(gconstpointer first, gconstpointer second)
{
    const GArray *a = *(const GArray *const *)first, *b = *(const GArray *const *)second;
    return a->len > 0 && b->len > 0 ? g_array_index(a, gint, 0) - g_array_index(b, gint, 0) : 0;
}

static gint compare_sequences(gconstpointer first, gconstpointer second)
{
    const DtCallSequence *a = *(const DtCallSequence *const *)first, *b = *(const DtCallSequence *const *)second;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

DtRecordedCalls *dt_recorded_calls_new(void)
{
    DtRecordedCalls *calls = g_new0(DtRecordedCalls, 1);
    calls->calls = g_ptr_array_new_with_free_func(g_free);
    calls->numbers = g_hash_table_new(hash_call, equal_calls);
    calls->sequences = g_ptr_array_new_with_free_func(free_sequence);
    calls->places = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(calls->places, NULL);
    calls->between = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return calls;
}

DtRecordedCalls *dt_recorded_calls_read(const DtRun *run, const DtSkeletonOptions *options, DtSkeleton *skeleton,
                                        GError **error)
{
    g_autoptr(DtRecordedCalls) calls = dt_recorded_calls_new();
    g_autoptr(DtCallPlaces) where = options->no_lines ? NULL : dt_call_places_new(run, calls->places);
    skeleton->ranks = count_ranks(run);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        if (!dt_trace_is_of_rank(trace))
            continue;
        if (!read_trace(calls, skeleton, options, run, trace, where, error))
            return NULL;
        if (trace->thread == 0)
            read_communicators(calls, skeleton, run, trace->process);
    }
    if (calls->sequences->len == 0) {
        dt_set_error(error, DT_SKELETON_ERROR, DT_SKELETON_ERROR_EMPTY,
                     "%s: no rank of it calls MPI: there is nothing to make a skeleton of", dt_run_path(run));
        return NULL;
    }
    g_ptr_array_sort(calls->sequences, compare_sequences);
    g_ptr_array_sort(skeleton->communicators, compare_communicators);
    for (guint i = 0; i < skeleton->communicators->len; i++)
        g_ptr_array_sort(((DtSkeletonCommunicator *)skeleton->communicators->pdata[i])->groups, compare_groups);
    return g_steal_pointer(&calls);
}
