/* Notes: coding and decoding one. */
#include "note.h"

#include "varint.h"

enum { DT_COUNT_FOLLOWS = 15 };

size_t dt_note_encode(const struct dt_note *note, uint8_t body[DT_NOTE_BODY])
{
    uint8_t scratch[DT_NOTE_BODY + DT_VARINT_BYTES];
    bool long_count = note->count >= DT_COUNT_FOLLOWS;
    size_t bytes = dt_varint_put(scratch, note->offset);
    bytes += dt_varint_put(scratch + bytes, (uint64_t)note->kind << 4 | (long_count ? DT_COUNT_FOLLOWS : note->count));
    if (long_count)
        bytes += dt_varint_put(scratch + bytes, note->count);
    for (uint32_t i = 0; i < note->count; i++) {
        bytes += dt_varint_put(scratch + bytes, dt_zigzag(note->values[i]));
        if (bytes > DT_NOTE_BODY)
            return 0;
    }
    for (size_t i = 0; i < note->text_bytes && bytes < DT_NOTE_BODY; i++)
        scratch[bytes++] = note->text[i];
    for (size_t i = 0; i < bytes; i++)
        body[i] = scratch[i];
    return bytes;
}

bool dt_note_decode(const uint8_t *body, size_t bytes, struct dt_note *note)
{
    const uint8_t *at = body, *end = body + bytes;
    uint64_t head, count, value;
    if (!dt_varint_get(&at, end, &note->offset) || !dt_varint_get(&at, end, &head) || head >> 4 > UINT32_MAX)
        return false;
    count = head & 15;
    if (count == DT_COUNT_FOLLOWS && !dt_varint_get(&at, end, &count))
        return false;
    if (count > DT_NOTE_VALUES)
        return false;
    note->kind = (uint32_t)(head >> 4);
    note->count = (uint32_t)count;
    for (uint32_t i = 0; i < note->count; i++) {
        if (!dt_varint_get(&at, end, &value))
            return false;
        note->values[i] = dt_zigzag_back(value);
    }
    note->text = at;
    note->text_bytes = (size_t)(end - at);
    return true;
}
