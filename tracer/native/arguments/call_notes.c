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

void dt_note_wildcard(struct dt_thread_state *thread, int source, int tag, uint32_t request, int64_t of)
{
    const int64_t values[] = {source, tag, request, of};
    dt_note(thread, DT_NOTE_WILDCARD, values, !request ? 2 : of < 0 ? 3 : 4);
}

void dt_note_lock(struct dt_thread_state *thread, uint32_t lock, int error)
{
    const int64_t values[] = {lock, error};
    dt_note(thread, DT_NOTE_LOCK, values, 2);
}

void dt_note_thread_level(struct dt_thread_state *thread, int provided)
{
    const int64_t values[] = {provided};
    dt_note(thread, DT_NOTE_THREAD_LEVEL, values, 1);
}

void dt_note_failed(struct dt_thread_state *thread, int error_class)
{
    const int64_t values[] = {error_class};
    dt_note(thread, DT_NOTE_FAILED, values, 1);
}

/* ---- live requests --------------------------------------------------------------------------- */

void dt_live_note_begin(struct dt_live_note *note, enum dt_live_event event)
{
    note->values[0] = event;
    note->count = 1;
}

void dt_live_note_add(struct dt_thread_state *thread, struct dt_live_note *note, int64_t position)
{
    if (note->count == sizeof note->values / sizeof *note->values) {
        dt_live_note_end(thread, note);
        note->count = 1;
    }
    note->values[note->count++] = position;
}

void dt_live_note_other(struct dt_thread_state *thread, struct dt_live_note *note, uint32_t of, uint32_t number)
{
    if (note->count + 2 > sizeof note->values / sizeof *note->values) {
        dt_live_note_end(thread, note);
        note->count = 1;
    }
    note->values[note->count++] = of;
    note->values[note->count++] = number;
}

void dt_live_note_end(struct dt_thread_state *thread, const struct dt_live_note *note)
{
    if (note->count > 1)
        dt_note(thread, DT_NOTE_LIVE, note->values, note->count);
}

void dt_note_live(struct dt_thread_state *thread, enum dt_live_event event)
{
    const int64_t values[] = {event};
    dt_note(thread, DT_NOTE_LIVE, values, 1);
}
