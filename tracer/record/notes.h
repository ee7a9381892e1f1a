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
/** A new chunk for what a place is of, notes or times, not published yet; NULL: there is none. How a run began stays,
 * and how it ended; of what is too much, the middle goes. */
struct dt_chunk_header *dt_row_chunk(struct dt_thread_state *thread, struct dt_note_place *place, uint32_t type);
/** Of the chunk that it is in, if it is in one. */
void dt_row_unmap(const struct dt_note_place *place);
void dt_notes_release(struct dt_thread_state *thread);

#endif
