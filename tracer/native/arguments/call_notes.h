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
/** What a receive from anybody, or of any tag, has got; request 0: in this call itself, else its number in the thread
 * of that index, -1 being this one. */
void dt_note_wildcard(struct dt_thread_state *thread, int source, int tag, uint32_t request, int64_t of);
/** A lock that was not taken, and the error that says why. */
void dt_note_lock(struct dt_thread_state *thread, uint32_t lock, int error);
/** How threads may call MPI, where that is not what was required. */
void dt_note_thread_level(struct dt_thread_state *thread, int provided);
/** A call that has returned an error of that class. */
void dt_note_failed(struct dt_thread_state *thread, int error_class);

/** Live requests, as many notes as they need. */
struct dt_live_note {
    uint32_t count; /* of values, the event's first */
    int64_t values[20];
};
void dt_live_note_begin(struct dt_live_note *note, enum dt_live_event event);
void dt_live_note_add(struct dt_thread_state *thread, struct dt_live_note *note, int64_t position);
void dt_live_note_other(struct dt_thread_state *thread, struct dt_live_note *note, uint32_t of, uint32_t number);
/** Writes what there is, if anything. */
void dt_live_note_end(struct dt_thread_state *thread, const struct dt_live_note *note);
/** The event by itself. */
void dt_note_live(struct dt_thread_state *thread, enum dt_live_event event);

#endif
