/* What the notes of a trace say about its calls, as text. */
#include "decoder/decoder.h"
#include "decoder/live_requests.h"
#include "store/arguments/note_communicators.h"

struct DtCallDetails {
    const DtFunctions *functions;
    DtNotes *notes;
    DtLiveRequests *live;
    guint next; /* the first note that is not before the position asked for last */
};

DtCallDetails *dt_call_details_open(const DtRun *run, const DtTrace *trace, GError **error)
{
    g_autoptr(DtNotes) notes = dt_notes_open(run, trace, error);
    if (!notes)
        return NULL;
    DtCallDetails *details = g_new0(DtCallDetails, 1);
    details->functions = dt_run_functions(run);
    details->notes = g_steal_pointer(&notes);
    details->live = dt_live_requests_new(details->functions, details->notes);
    return details;
}

void dt_call_details_free(DtCallDetails *details)
{
    if (!details)
        return;
    dt_live_requests_free(details->live);
    dt_notes_free(details->notes);
    g_free(details);
}

/* The first note at `position`, and how many there are. */
static guint notes_at(DtCallDetails *details, guint64 position, guint *count)
{
    guint notes = dt_notes_count(details->notes);
    while (details->next < notes && dt_notes_get(details->notes, details->next)->position < position)
        details->next++;
    for (*count = 0; details->next + *count < notes; ++*count)
        if (dt_notes_get(details->notes, details->next + *count)->position != position)
            break;
    return details->next;
}

static void set_argument(DtSignature *signature, gint64 number, gint64 value, const DtNotes *notes)
{
    if (number < 0 || number >= signature->argument_count)
        return;
    DtArgument *argument = &signature->arguments[number];
    guint kind = argument->recorded_kind ? argument->recorded_kind : argument->kind;
    *argument = dt_argument_read(dt_argument(kind, value), dt_notes_arrays(notes));
    if (argument->kind != DT_ARGUMENT_COMMUNICATOR || argument->special != DT_SPECIAL_NONE)
        return;
    const DtCommunicator *communicator = dt_notes_communicator(notes, argument->value);
    signature->communicator = communicator ? communicator->name : NULL;
    argument->value = 0;
}

void dt_signature_fill(DtSignature *signature, const DtNotes *notes, const DtNote *note)
{
    const gint64 *values = dt_notes_values(notes, note);
    for (guint k = 0; note->kind == DT_NOTE_PARAMETER && k + 1 < note->count; k += 2)
        set_argument(signature, values[k], values[k + 1], notes);
}

/* Puts what the arguments were where the signature says that they vary. */
static void fill_in(DtCallDetails *details, DtSignature *signature, guint64 position)
{
    guint count, first = notes_at(details, position, &count);
    for (guint i = first; i < first + count; i++)
        dt_signature_fill(signature, details->notes, dt_notes_get(details->notes, i));
}

/* TRUE if the note tells of the arguments of the signature that vary, and of no others. */
static gboolean is_of(const DtNote *note, const gint64 *values, const DtSignature *signature)
{
    guint varying = 0, noted = 0;
    for (guint i = 0; i < signature->argument_count; i++)
        varying += signature->arguments[i].special == DT_SPECIAL_VARIES;
    for (guint k = 0; k + 1 < note->count; k += 2)
        noted += values[k] >= 0 && values[k] < signature->argument_count &&
                 signature->arguments[values[k]].special == DT_SPECIAL_VARIES;
    return varying == noted && note->count == 2 * noted;
}

void dt_signature_fill_last(DtSignature *signature, const DtNotes *notes)
{
    guint last = dt_notes_count(notes);
    while (last > 0 && dt_notes_get(notes, last - 1)->kind != DT_NOTE_PARAMETER)
        --last;
    if (last == 0)
        return;
    const DtNote *note = dt_notes_get(notes, last - 1);
    const gint64 *values = dt_notes_values(notes, note);
    if (is_of(note, values, signature))
        dt_signature_fill(signature, notes, note);
}

void dt_call_details_follow(DtCallDetails *details, guint32 event, guint64 position)
{
    const DtFunction *known = event == DT_EVENT_RETURN || event > dt_functions_count(details->functions)
                                  ? NULL
                                  : dt_functions_get(details->functions, event);
    if (!known || !known->signature) {
        dt_live_requests_follow(details->live, event, position, NULL);
        return;
    }
    DtSignature signature = *known->signature;
    fill_in(details, &signature, position);
    dt_live_requests_follow(details->live, event, position, &signature);
}

char *dt_call_details_name(DtCallDetails *details, guint32 function, guint64 position)
{
    const DtFunction *known = dt_functions_get(details->functions, function);
    if (!known->signature)
        return g_strdup(known->name);
    DtSignature signature = *known->signature;
    fill_in(details, &signature, position);
    g_autofree char *arguments = dt_signature_text(&signature);
    return g_strdup_printf("%s(%s)", dt_functions_get(details->functions, signature.function)->name, arguments);
}

char *dt_call_details_last_name(const DtCallDetails *details, guint32 function)
{
    const DtFunction *known = dt_functions_get(details->functions, function);
    if (!known->signature)
        return g_strdup(known->name);
    DtSignature signature = *known->signature;
    dt_signature_fill_last(&signature, details->notes);
    g_autofree char *arguments = dt_signature_text(&signature);
    return g_strdup_printf("%s(%s)", dt_functions_get(details->functions, signature.function)->name, arguments);
}

/* Before format 1.8: by number in the process. */
static void append_old_requests(GString *text, const gint64 *values, guint count)
{
    static const char *const events[] = {
        [DT_REQUEST_MADE] = "request",      [DT_REQUEST_MADE_PERSISTENT] = "persistent request",
        [DT_REQUEST_NAMED] = "of requests", [DT_REQUEST_COMPLETED] = "completed",
        [DT_REQUEST_FREED] = "freed",
    };
    gboolean known = values[0] > 0 && values[0] < (gint64)G_N_ELEMENTS(events);
    g_string_append(text, known ? events[values[0]] : "requests");
    for (guint i = 1; i < count; i++)
        g_string_append_printf(text, " %" G_GINT64_FORMAT, values[i]);
}

static void append_others(GString *text, const gint64 *values, guint count)
{
    for (guint i = 0; i + 1 < count; i += 2)
        g_string_append_printf(text, " %" G_GINT64_FORMAT " of thread #%" G_GINT64_FORMAT, values[i + 1], values[i]);
}

/* Positions that cannot be told by number say nothing here: the signature has them. */
static void append_numbers(GString *text, const char *what, const guint32 *numbers, guint count)
{
    gsize before = text->len;
    g_string_append(text, what);
    gsize start = text->len;
    for (guint i = 0; i < count; i++)
        if (numbers[i])
            g_string_append_printf(text, " %u", numbers[i]);
    if (text->len == start)
        g_string_truncate(text, before);
}

/* `goes_on`: the note before told of the same, but had no more room. */
static void append_live(const DtCallDetails *details, GString *text, const gint64 *values, guint count,
                        gboolean goes_on)
{
    if (values[0] == DT_LIVE_OTHERS || values[0] == DT_LIVE_OTHERS_COMPLETED) {
        if (!goes_on)
            g_string_append(text, values[0] == DT_LIVE_OTHERS ? "of requests" : "completed");
        append_others(text, values + 1, count - 1);
        return;
    }
    if (values[0] != DT_LIVE_COMPLETED)
        return;
    g_autofree guint32 *numbers = g_new0(guint32, count + 1);
    for (guint i = 1; i < count; i++)
        numbers[i - 1] = dt_live_requests_at(details->live, values[i]);
    if (count == 1)
        g_string_append(text, "completed");
    else
        append_numbers(text, goes_on ? "" : "completed", numbers, count - 1);
}

static gboolean is_live(const DtCallDetails *details, const DtNote *note, gint64 event)
{
    return note && note->kind == DT_NOTE_LIVE && note->count > 0 && *dt_notes_values(details->notes, note) == event;
}

static void append_request_of(GString *text, const DtNote *note, const gint64 *values)
{
    if (note->count >= 3)
        g_string_append_printf(text, " by request %" G_GINT64_FORMAT, values[2]);
    if (note->count >= 4)
        g_string_append_printf(text, " of thread #%" G_GINT64_FORMAT, values[3]);
}

static void append_data(GString *text, const DtNote *note, const gint64 *values)
{
    static const char *const events[] = {
        [DT_DATA_SENT] = "data", [DT_DATA_RECEIVED] = "got data", [DT_DATA_CHANGED] = "data changed to"};
    if (values[0] <= 0 || values[0] >= (gint64)G_N_ELEMENTS(events))
        return;
    g_string_append_printf(text, "%s %08x", events[values[0]], (guint32)values[1]);
    append_request_of(text, note, values);
}

static void append_thread_level(GString *text, gint64 level)
{
    const DtArgument argument = {.kind = DT_ARGUMENT_THREAD_LEVEL, .value = level};
    g_autofree char *provided = dt_argument_text(&argument, NULL);
    g_string_append_printf(text, "provided %s", provided);
}

static void append_note(const DtCallDetails *details, GString *text, const DtNote *last, const DtNote *note)
{
    const gint64 *values = dt_notes_values(details->notes, note);
    gboolean goes_on = note->count > 0 && note->kind == DT_NOTE_LIVE && is_live(details, last, values[0]);
    gsize before = text->len;
    if (before > 0 && !goes_on)
        g_string_append(text, "; ");
    gsize start = text->len;
    if (note->kind == DT_NOTE_WILDCARD && note->count >= 2) {
        g_string_append_printf(text, "got source %" G_GINT64_FORMAT ", tag %" G_GINT64_FORMAT, values[0], values[1]);
        append_request_of(text, note, values);
    }
    if (note->kind == DT_NOTE_REQUEST && note->count >= 2)
        append_old_requests(text, values, note->count);
    if (note->kind == DT_NOTE_DATA && note->count >= 2)
        append_data(text, note, values);
    if (note->kind == DT_NOTE_LIVE && note->count >= 1)
        append_live(details, text, values, note->count, goes_on);
    if (note->kind == DT_NOTE_THREAD_LEVEL && note->count >= 1)
        append_thread_level(text, values[0]);
    if (note->kind == DT_NOTE_FAILED && note->count >= 1)
        g_string_append_printf(text, "failed: error class %" G_GINT64_FORMAT, values[0]);
    if (note->kind == DT_NOTE_LOCK && note->count >= 2)
        g_string_append_printf(text, "lock %" G_GINT64_FORMAT " not taken: error %" G_GINT64_FORMAT, values[0],
                               values[1]);
    if (text->len == start)
        g_string_truncate(text, before);
}

static gboolean makes_none(DtCallDetails *details, guint first, guint count)
{
    for (guint i = first; i < first + count; i++) {
        const DtNote *note = dt_notes_get(details->notes, i);
        if (note->kind == DT_NOTE_FAILED || is_live(details, note, DT_LIVE_NOT_MADE))
            return TRUE;
    }
    return FALSE;
}

static void append_requests(DtCallDetails *details, GString *text, guint first, guint count)
{
    DtCallRequests requests;
    if (!dt_live_requests_of_call(details->live, &requests))
        return;
    if (requests.makes && !makes_none(details, first, count))
        g_string_append_printf(text, "%s %u", requests.persistent ? "persistent request" : "request", requests.made);
    if (!requests.tests)
        append_numbers(text, requests.frees ? "freed" : "of requests", requests.named, requests.named_count);
}

char *dt_call_details_text(DtCallDetails *details, guint64 position)
{
    guint count, first = notes_at(details, position, &count);
    GString *text = g_string_new(NULL);
    append_requests(details, text, first, count);
    for (guint i = first; i < first + count; i++) {
        const DtNote *note = dt_notes_get(details->notes, i);
        append_note(details, text, i > first ? dt_notes_get(details->notes, i - 1) : NULL, note);
    }
    return g_string_free(text, text->len == 0);
}
