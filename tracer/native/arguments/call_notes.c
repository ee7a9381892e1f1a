/* Notes about calls. */
#include "native/arguments/call_notes.h"

#include "format/arguments.h"
#include "record/notes.h"

void dt_parameter_note_add(struct dt_parameter_note *note, uint32_t number, int64_t argument)
{
    note->values[note->count++] = number;
    note->values[note->count++] = dt_argument_value(argument);
}

void dt_parameter_note_end(struct dt_thread_state *thread, const struct dt_parameter_note *note)
{
    if (note->count)
        dt_note(thread, DT_NOTE_PARAMETER, note->values, note->count);
}

void dt_note_wildcard(struct dt_thread_state *thread, int source, int tag, uint32_t request)
{
    const int64_t values[] = {source, tag, request};
    dt_note(thread, DT_NOTE_WILDCARD, values, request ? 3 : 2);
}

void dt_note_lock(struct dt_thread_state *thread, uint32_t lock, int error)
{
    const int64_t values[] = {lock, error};
    dt_note(thread, DT_NOTE_LOCK, values, 2);
}

void dt_request_note_begin(struct dt_request_note *note, enum dt_request_event event)
{
    note->values[0] = event;
    note->count = 1;
}

void dt_request_note_add(struct dt_thread_state *thread, struct dt_request_note *note, uint32_t request)
{
    if (!request)
        return;
    note->values[note->count++] = request;
    if (note->count < sizeof note->values / sizeof *note->values)
        return;
    dt_request_note_end(thread, note);
    note->count = 1;
}

void dt_request_note_end(struct dt_thread_state *thread, struct dt_request_note *note)
{
    if (note->count > 1)
        dt_note(thread, DT_NOTE_REQUEST, note->values, note->count);
}
