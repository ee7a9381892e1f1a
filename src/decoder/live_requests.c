#include "decoder/live_requests.h"

#include <string.h>

#include "calls/calls.h"
#include "decoder/decoder.h"
#include "format/arguments.h"

enum { WORDS_OF_ESCAPE = 3 };

/* What a function does with requests. */
typedef enum {
    MAKES = 1 << 0,
    MAKES_PERSISTENT = 1 << 1,
    NAMES = 1 << 2,
    COMPLETES = 1 << 3,  /* those that it names, */
    SAYS_WHICH = 1 << 4, /* of which a note tells */
    FREES = 1 << 5,
    TESTS = 1 << 6,
    LOOKED_UP = 1 << 7
} Role;

/* An open call. */
typedef struct {
    guint roles;
    gboolean failed, made_none, told_all;
    GArray *named;     /* guint32: numbers, 0 for those that are not known; NULL: it has no roles */
    GArray *completed; /* guint32: of which notes told so far */
} Frame;

struct DtLiveRequests {
    const DtFunctions *functions;
    const DtNotes *notes;
    guint next;       /* note */
    guint64 position; /* of the event before */
    gboolean known;   /* the list is that of the thread */
    guint32 last;     /* number given out */
    GArray *numbers;  /* guint32 */
    GHashTable *persistent;
    GArray *frames; /* Frame */
    GArray *roles;  /* guint8, by function */
    GArray *done;   /* guint32: numbers that the last event has completed */
};

static void clear_frame(gpointer data)
{
    Frame *frame = data;
    g_clear_pointer(&frame->named, g_array_unref);
    g_clear_pointer(&frame->completed, g_array_unref);
}

/* Before format 1.8 notes told of requests by number. */
static gboolean has_old_notes(const DtNotes *notes)
{
    for (guint i = 0; i < dt_notes_count(notes); i++)
        if (dt_notes_get(notes, i)->kind == DT_NOTE_REQUEST)
            return TRUE;
    return FALSE;
}

DtLiveRequests *dt_live_requests_new(const DtFunctions *functions, const DtNotes *notes)
{
    DtLiveRequests *live = g_new0(DtLiveRequests, 1);
    live->functions = functions;
    live->notes = notes;
    live->known = !has_old_notes(notes) && !dt_notes_problem(notes);
    live->numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
    live->persistent = g_hash_table_new(NULL, NULL);
    live->frames = g_array_new(FALSE, TRUE, sizeof(Frame));
    g_array_set_clear_func(live->frames, clear_frame);
    live->roles = g_array_new(FALSE, TRUE, sizeof(guint8));
    live->done = g_array_new(FALSE, FALSE, sizeof(guint32));
    return live;
}

void dt_live_requests_free(DtLiveRequests *live)
{
    if (!live)
        return;
    g_array_unref(live->numbers);
    g_hash_table_unref(live->persistent);
    g_array_unref(live->frames);
    g_array_unref(live->roles);
    g_array_unref(live->done);
    g_free(live);
}

/* ---- roles ----------------------------------------------------------------------------------- */

static guint find_roles(const char *name)
{
    const struct dt_call *call = dt_call_find(name);
    if (!call || dt_call_class(name) != DT_CALL_MPI)
        return 0;
    gboolean names = dt_call_has(call, DT_PARAMETER_REQUEST_AT) || dt_call_has(call, DT_PARAMETER_REQUESTS);
    gboolean frees = dt_call_has(call, DT_PARAMETER_REQUEST_FREED);
    gboolean tests = names && call->properties & DT_CALL_POLLING && !(call->properties & DT_CALL_BLOCKING);
    gboolean says = tests || dt_call_has(call, DT_PARAMETER_INDEX) || dt_call_has(call, DT_PARAMETER_INDICES);
    return (dt_call_has(call, DT_PARAMETER_REQUEST_MADE) ? MAKES : 0u) |
           (dt_call_has(call, DT_PARAMETER_PERSISTENT_REQUEST_MADE) ? MAKES | MAKES_PERSISTENT : 0u) |
           (names || frees ? NAMES : 0u) | (frees ? FREES : 0u) |
           (names && (tests || call->properties & DT_CALL_BLOCKING) ? COMPLETES : 0u) | (says ? SAYS_WHICH : 0u) |
           (tests ? TESTS : 0u);
}

static guint roles_of(DtLiveRequests *live, guint32 function)
{
    if (function >= live->roles->len)
        g_array_set_size(live->roles, function + 1);
    guint8 *roles = &g_array_index(live->roles, guint8, function);
    if (!*roles)
        *roles = (guint8)(LOOKED_UP | find_roles(dt_functions_get(live->functions, function)->name));
    return *roles & ~(guint)LOOKED_UP;
}

/* ---- the list -------------------------------------------------------------------------------- */

guint32 dt_live_requests_at(const DtLiveRequests *live, gint64 position)
{
    return live->known && position >= 0 && position < live->numbers->len
               ? g_array_index(live->numbers, guint32, position)
               : 0;
}

static void remove_numbers(DtLiveRequests *live, const GArray *numbers, gboolean persistent_too)
{
    g_autoptr(GHashTable) gone = g_hash_table_new(NULL, NULL);
    guint kept = 0;
    for (guint i = 0; i < numbers->len; i++) {
        gpointer number = GUINT_TO_POINTER(g_array_index(numbers, guint32, i));
        if (persistent_too || !g_hash_table_contains(live->persistent, number))
            g_hash_table_add(gone, number);
    }
    for (guint i = 0; i < live->numbers->len; i++) {
        guint32 number = g_array_index(live->numbers, guint32, i);
        if (!g_hash_table_contains(gone, GUINT_TO_POINTER(number)))
            g_array_index(live->numbers, guint32, kept++) = number;
    }
    g_array_set_size(live->numbers, kept);
}

static GArray *numbers_at(const DtLiveRequests *live, const gint64 *positions, guint count)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < count; i++) {
        guint32 number = dt_live_requests_at(live, positions[i]);
        g_array_append_val(numbers, number);
    }
    return numbers;
}

static GArray *named_by(const DtLiveRequests *live, const DtArgument *argument)
{
    if (argument->special == DT_SPECIAL_ALL) {
        GArray *all = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_array_append_vals(all, live->numbers->data, live->known ? live->numbers->len : 0);
        return all;
    }
    if (argument->special != DT_SPECIAL_NONE)
        return numbers_at(live, NULL, 0);
    return argument->numbers ? numbers_at(live, argument->numbers->values, argument->numbers->count)
                             : numbers_at(live, &argument->value, 1);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void append_completed(DtLiveRequests *live, Frame *frame, const gint64 *positions, guint count)
{
    g_autoptr(GArray) numbers = numbers_at(live, positions, count);
    if (!frame->completed)
        frame->completed = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_append_vals(frame->completed, numbers->data, numbers->len);
    frame->told_all |= count == 0;
}

static void read_list(DtLiveRequests *live, const gint64 *values, guint count, gboolean anew)
{
    if (anew && count > 0) {
        g_array_set_size(live->numbers, 0);
        live->last = (guint32)values[0];
        live->known = TRUE;
    }
    for (guint i = anew ? 1 : 0; i < count; i++) {
        guint32 number = (guint32)values[i];
        g_array_append_val(live->numbers, number);
    }
}

static void take_live_note(DtLiveRequests *live, Frame *frame, const gint64 *values, guint count)
{
    if (count == 0)
        return;
    if (values[0] == DT_LIVE_COMPLETED && frame) {
        append_completed(live, frame, values + 1, count - 1);
    } else if (values[0] == DT_LIVE_NOT_MADE && frame) {
        frame->made_none = TRUE;
    } else if (values[0] == DT_LIVE_GONE) {
        g_autoptr(GArray) gone = numbers_at(live, values + 1, count - 1);
        remove_numbers(live, gone, TRUE);
    } else if (values[0] == DT_LIVE_ARE || values[0] == DT_LIVE_ARE_ALSO) {
        read_list(live, values + 1, count - 1, values[0] == DT_LIVE_ARE);
    }
}

/* Those behind the events that went by. */
static void take_notes(DtLiveRequests *live, guint64 before)
{
    Frame *frame = live->frames->len > 0 ? &g_array_index(live->frames, Frame, live->frames->len - 1) : NULL;
    for (; live->next < dt_notes_count(live->notes); live->next++) {
        const DtNote *note = dt_notes_get(live->notes, live->next);
        if (note->position >= before)
            return;
        if (note->kind == DT_NOTE_LIVE)
            take_live_note(live, frame, dt_notes_values(live->notes, note), note->count);
        if (note->kind == DT_NOTE_FAILED && frame)
            frame->failed = TRUE;
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static void complete(DtLiveRequests *live, const GArray *numbers)
{
    g_array_append_vals(live->done, numbers->data, numbers->len);
    remove_numbers(live, numbers, FALSE);
}

static void return_from(DtLiveRequests *live, Frame *frame)
{
    if (frame->failed || !live->known)
        return;
    if (frame->roles & MAKES && !frame->made_none) {
        live->last++;
        g_array_append_val(live->numbers, live->last);
        if (frame->roles & MAKES_PERSISTENT)
            g_hash_table_add(live->persistent, GUINT_TO_POINTER(live->last));
    }
    if (frame->roles & FREES)
        remove_numbers(live, frame->named, TRUE);
    else if (frame->roles & COMPLETES && (!(frame->roles & SAYS_WHICH) || frame->told_all))
        complete(live, frame->named);
    else if (frame->roles & COMPLETES && frame->completed)
        complete(live, frame->completed);
}

static void enter(DtLiveRequests *live, const DtSignature *signature)
{
    Frame frame = {.roles = signature ? roles_of(live, signature->function) : 0};
    if (frame.roles & NAMES) {
        const DtArgument *last =
            signature->argument_count > 0 ? &signature->arguments[signature->argument_count - 1] : NULL;
        frame.named = last && last->kind == DT_ARGUMENT_LIVE ? named_by(live, last) : numbers_at(live, NULL, 0);
        /* Without the argument nobody knows which of them are no longer there. */
        live->known = live->known && last && last->kind == DT_ARGUMENT_LIVE;
    }
    g_array_append_val(live->frames, frame);
}

void dt_live_requests_follow(DtLiveRequests *live, guint32 event, guint64 position, const DtSignature *signature)
{
    guint64 step = position - live->position;
    if (step != 1 && step != WORDS_OF_ESCAPE)
        live->known = FALSE;
    take_notes(live, position);
    live->position = position;
    g_array_set_size(live->done, 0);
    if (event != DT_EVENT_RETURN) {
        enter(live, signature);
    } else if (live->frames->len > 0) {
        return_from(live, &g_array_index(live->frames, Frame, live->frames->len - 1));
        g_array_set_size(live->frames, live->frames->len - 1);
    }
}

gboolean dt_live_requests_of_call(const DtLiveRequests *live, DtCallRequests *requests)
{
    if (!live->known || live->frames->len == 0)
        return FALSE;
    const Frame *frame = &g_array_index(live->frames, Frame, live->frames->len - 1);
    *requests = (DtCallRequests){.makes = (frame->roles & MAKES) != 0,
                                 .persistent = (frame->roles & MAKES_PERSISTENT) != 0,
                                 .frees = (frame->roles & FREES) != 0,
                                 .made = live->last + 1};
    requests->tests = (frame->roles & TESTS) != 0;
    if (frame->named) {
        requests->named = (const guint32 *)(gconstpointer)frame->named->data;
        requests->named_count = frame->named->len;
    }
    return frame->roles != 0;
}

const guint32 *dt_live_requests_completed(const DtLiveRequests *live, guint *count)
{
    *count = live->done->len;
    return (const guint32 *)(gconstpointer)live->done->data;
}
