/**
 * Notes: what is told beside a thread's words, each at a position among them. The body of one is
 *
 *     offset   varint: the note's position minus that of its chunk
 *     head     varint: kind * 16 + count of values; a count of 15 is followed by the true one as a varint
 *     values   zigzag varints
 *     text     the rest of the body
 *
 * Varints are LEB128. The body is preceded by one byte that tells its length; see docs/trace-format.md, section 8.
 */
#ifndef DT_FORMAT_NOTE_H
#define DT_FORMAT_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace_file.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    DT_NOTE_VALUES = 64, /* a note has at most so many */
    DT_NOTE_BODY = 127,  /* bytes, at most */
    DT_NOTE_UNFINISHED = 0x80
};

/** A note as it is read. */
struct dt_note {
    uint64_t offset;
    uint32_t kind; /* enum dt_note_kind, or one of a later version */
    uint32_t count;
    int64_t values[DT_NOTE_VALUES];
    const uint8_t *text; /* not terminated; in the body */
    size_t text_bytes;
};

/** Writes the body of `note`; returns its bytes, 0 if it is longer than DT_NOTE_BODY. Text is cut to what fits. */
size_t dt_note_encode(const struct dt_note *note, uint8_t body[DT_NOTE_BODY]);

/** Reads a body. False: it is damaged. Never reads outside it. */
bool dt_note_decode(const uint8_t *body, size_t bytes, struct dt_note *note);

#ifdef __cplusplus
}
#endif

#endif
