#include "otf2/records.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PART = 1 << 16, MOST_VALUES = 1 << 24, MOST_TEXT = 1 << 26, VARINT_BITS = 7, MOST_SHIFT = 63 };

struct DtOtf2Stream {
    int descriptor;
    gboolean gone; /* the other side */
    GByteArray *out;
    guint8 *in;
    gsize next, end; /* of what was read */
    GArray *values;
    GString *texts;
    DtOtf2Record record;
};

DtOtf2Stream *dt_otf2_stream_new(int descriptor)
{
    DtOtf2Stream *stream = g_new0(DtOtf2Stream, 1);
    stream->descriptor = descriptor;
    stream->out = g_byte_array_new();
    stream->in = g_malloc(PART);
    stream->values = g_array_new(FALSE, FALSE, sizeof(gint64));
    stream->texts = g_string_new(NULL);
    return stream;
}

void dt_otf2_stream_free(DtOtf2Stream *stream)
{
    if (!stream)
        return;
    close(stream->descriptor);
    g_byte_array_unref(stream->out);
    g_free(stream->in);
    g_array_unref(stream->values);
    g_string_free(stream->texts, TRUE);
    g_free(stream);
}

/* ---- sending ---------------------------------------------------------------------------------- */

gboolean dt_otf2_flush(DtOtf2Stream *stream)
{
    gsize sent = 0;
    while (!stream->gone && sent < stream->out->len) {
        ssize_t count = send(stream->descriptor, stream->out->data + sent, stream->out->len - sent, MSG_NOSIGNAL);
        if (count > 0)
            sent += (gsize)count;
        else if (count == 0 || errno != EINTR)
            stream->gone = TRUE;
    }
    g_byte_array_set_size(stream->out, 0);
    return !stream->gone;
}

static guint8 *put_varint(guint8 *at, guint64 value)
{
    for (; value >> VARINT_BITS; value >>= VARINT_BITS)
        *at++ = (guint8)(value | 1 << VARINT_BITS);
    *at++ = (guint8)value;
    return at;
}

static guint64 zigzag(gint64 value)
{
    return (guint64)value << 1 ^ (guint64)(value >> 63);
}

gboolean dt_otf2_put(DtOtf2Stream *stream, DtOtf2Kind kind, const gint64 *values, guint count, const char *const *texts,
                     guint text_count)
{
    enum { VARINT_MOST = 10 };
    const guint before = stream->out->len;
    g_byte_array_set_size(stream->out, before + VARINT_MOST * (3 + count + text_count));
    guint8 *at = stream->out->data + before;
    *at++ = (guint8)kind;
    at = put_varint(at, count);
    for (guint i = 0; i < count; i++)
        at = put_varint(at, zigzag(values[i]));
    at = put_varint(at, text_count);
    for (guint i = 0; i < text_count; i++)
        at = put_varint(at, texts[i] ? strlen(texts[i]) : 0);
    g_byte_array_set_size(stream->out, (guint)(at - stream->out->data));
    for (guint i = 0; i < text_count; i++)
        if (texts[i])
            g_byte_array_append(stream->out, (const guint8 *)texts[i], (guint)strlen(texts[i]));
    return stream->out->len < PART ? !stream->gone : dt_otf2_flush(stream);
}

/* ---- receiving -------------------------------------------------------------------------------- */

static gboolean fill(DtOtf2Stream *stream)
{
    ssize_t count;
    do
        count = recv(stream->descriptor, stream->in, PART, 0);
    while (count < 0 && errno == EINTR);
    stream->next = 0;
    stream->end = count > 0 ? (gsize)count : 0;
    return count > 0;
}

static gboolean take_byte(DtOtf2Stream *stream, guint8 *byte)
{
    if (stream->next == stream->end && !fill(stream))
        return FALSE;
    *byte = stream->in[stream->next++];
    return TRUE;
}

static gboolean take_varint(DtOtf2Stream *stream, guint64 *value)
{
    guint8 byte;
    *value = 0;
    for (guint shift = 0; shift <= MOST_SHIFT; shift += VARINT_BITS) {
        if (!take_byte(stream, &byte))
            return FALSE;
        *value |= (guint64)(byte & ((1 << VARINT_BITS) - 1)) << shift;
        if (byte >> VARINT_BITS == 0)
            return TRUE;
    }
    return FALSE;
}

static gboolean take_values(DtOtf2Stream *stream)
{
    guint64 count, value;
    g_array_set_size(stream->values, 0);
    if (!take_varint(stream, &count) || count > MOST_VALUES)
        return FALSE;
    for (guint64 i = 0; i < count; i++) {
        if (!take_varint(stream, &value))
            return FALSE;
        const gint64 number = (gint64)(value >> 1) ^ -(gint64)(value & 1);
        g_array_append_val(stream->values, number);
    }
    return TRUE;
}

static gboolean take_text(DtOtf2Stream *stream, guint64 bytes)
{
    while (bytes > 0) {
        if (stream->next == stream->end && !fill(stream))
            return FALSE;
        gsize part = MIN(bytes, stream->end - stream->next);
        g_string_append_len(stream->texts, (const char *)stream->in + stream->next, (gssize)part);
        stream->next += part;
        bytes -= part;
    }
    g_string_append_c(stream->texts, '\0');
    return TRUE;
}

static gboolean take_texts(DtOtf2Stream *stream, DtOtf2Record *record)
{
    guint64 count, bytes[DT_OTF2_MOST_TEXTS] = {0};
    gsize starts[DT_OTF2_MOST_TEXTS] = {0};
    g_string_truncate(stream->texts, 0);
    if (!take_varint(stream, &count) || count > DT_OTF2_MOST_TEXTS)
        return FALSE;
    for (guint64 i = 0; i < count; i++)
        if (!take_varint(stream, &bytes[i]) || bytes[i] > MOST_TEXT)
            return FALSE;
    for (guint64 i = 0; i < count; i++) {
        starts[i] = stream->texts->len;
        if (!take_text(stream, bytes[i]))
            return FALSE;
    }
    record->texts = (guint)count;
    for (guint64 i = 0; i < count; i++)
        record->text[i] = stream->texts->str + starts[i];
    return TRUE;
}

const DtOtf2Record *dt_otf2_next(DtOtf2Stream *stream)
{
    DtOtf2Record *record = &stream->record;
    guint8 kind;
    *record = (DtOtf2Record){0};
    if (!take_byte(stream, &kind) || kind == 0 || kind >= DT_OTF2_KINDS || !take_values(stream) ||
        !take_texts(stream, record))
        return NULL;
    record->kind = kind;
    record->count = stream->values->len;
    record->values = (const gint64 *)(gconstpointer)stream->values->data;
    return record;
}
