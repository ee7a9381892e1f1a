/* Notes: coding and decoding one. */
#include "note.h"

enum { DT_COUNT_FOLLOWS = 15, DT_VARINT_BYTES = 10 };

static size_t put_varint(uint8_t *out, uint64_t value)
{
    size_t bytes = 0;
    while (value >= 0x80) {
        out[bytes++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[bytes++] = (uint8_t)value;
    return bytes;
}

static uint64_t to_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? ~(uint64_t)0 : 0);
}

static int64_t from_zigzag(uint64_t value)
{
    return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}

size_t dt_note_encode(const struct dt_note *note, uint8_t body[DT_NOTE_BODY])
{
    uint8_t scratch[DT_NOTE_BODY + DT_VARINT_BYTES];
    bool long_count = note->count >= DT_COUNT_FOLLOWS;
    size_t bytes = put_varint(scratch, note->offset);
    bytes += put_varint(scratch + bytes, (uint64_t)note->kind << 4 | (long_count ? DT_COUNT_FOLLOWS : note->count));
    if (long_count)
        bytes += put_varint(scratch + bytes, note->count);
    for (uint32_t i = 0; i < note->count; i++) {
        bytes += put_varint(scratch + bytes, to_zigzag(note->values[i]));
        if (bytes > DT_NOTE_BODY)
            return 0;
    }
    for (size_t i = 0; i < note->text_bytes && bytes < DT_NOTE_BODY; i++)
        scratch[bytes++] = note->text[i];
    for (size_t i = 0; i < bytes; i++)
        body[i] = scratch[i];
    return bytes;
}

static bool get_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

bool dt_note_decode(const uint8_t *body, size_t bytes, struct dt_note *note)
{
    const uint8_t *at = body, *end = body + bytes;
    uint64_t head, count, value;
    if (!get_varint(&at, end, &note->offset) || !get_varint(&at, end, &head) || head >> 4 > UINT32_MAX)
        return false;
    count = head & 15;
    if (count == DT_COUNT_FOLLOWS && !get_varint(&at, end, &count))
        return false;
    if (count > DT_NOTE_VALUES)
        return false;
    note->kind = (uint32_t)(head >> 4);
    note->count = (uint32_t)count;
    for (uint32_t i = 0; i < note->count; i++) {
        if (!get_varint(&at, end, &value))
            return false;
        note->values[i] = from_zigzag(value);
    }
    note->text = at;
    note->text_bytes = (size_t)(end - at);
    return true;
}
