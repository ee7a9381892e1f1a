/** Notes about calls: what does not fit into event ids. Values are those of docs/trace-format.md, section 8. */
#ifndef DT_ARGUMENTS_CALL_NOTES_H
#define DT_ARGUMENTS_CALL_NOTES_H

#include "record/thread.h"

/** Arguments that vary: which of the call's, and their values without the kind. */
struct dt_parameter_note {
    uint32_t count; /* of values */
    int64_t values[2 * DT_FUNCTION_ARGUMENTS];
};
void dt_parameter_note_add(struct dt_parameter_note *note, uint32_t number, int64_t argument);
void dt_parameter_note_end(struct dt_thread_state *thread, const struct dt_parameter_note *note);
/** What a receive from anybody, or of any tag, has got; request 0: in this call itself. */
void dt_note_wildcard(struct dt_thread_state *thread, int source, int tag, uint32_t request);
/** A lock that was not taken, and the error that says why. */
void dt_note_lock(struct dt_thread_state *thread, uint32_t lock, int error);

/** Requests, as many notes as they need. */
struct dt_request_note {
    uint32_t count; /* of values, the event's first */
    int64_t values[20];
};
void dt_request_note_begin(struct dt_request_note *note, enum dt_request_event event);
void dt_request_note_add(struct dt_thread_state *thread, struct dt_request_note *note, uint32_t request);
void dt_request_note_end(struct dt_thread_state *thread, struct dt_request_note *note);

#endif
