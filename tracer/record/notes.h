/** Notes: what is told beside the words, at positions among them. */
#ifndef DT_RECORD_NOTES_H
#define DT_RECORD_NOTES_H

#include "format/note.h"
#include "record/thread.h"

/** Notes something about the calling thread, at its present position. Safe in signal handlers, needs no libc. False: it
 * did not fit, or the thread's notes have reached their bound; counted in the file. */
bool dt_note(struct dt_thread_state *thread, uint32_t kind, const int64_t *values, uint32_t count);
/** The same with a text, which is cut where a note ends. */
bool dt_note_text(struct dt_thread_state *thread, uint32_t kind, const int64_t *values, uint32_t count,
                  const char *text);
void dt_notes_release(struct dt_thread_state *thread);

#endif
