#include "export/protobuf.h"

#include <string.h>

enum { VARINT = 0, FIXED = 1, BYTES = 2, TYPE_BITS = 3 };

static void put_varint(GString *message, guint64 value)
{
    enum { BITS = 7, MORE = 1 << BITS };
    for (; value >= MORE; value >>= BITS)
        g_string_append_c(message, (char)(value | MORE));
    g_string_append_c(message, (char)value);
}

static void put_key(GString *message, guint field, guint type)
{
    put_varint(message, (guint64)field << TYPE_BITS | type);
}

static void put_bytes(GString *message, guint field, const char *bytes, gsize count)
{
    put_key(message, field, BYTES);
    put_varint(message, count);
    g_string_append_len(message, bytes, (gssize)count);
}

void dt_protobuf_number(GString *message, guint field, guint64 value)
{
    put_key(message, field, VARINT);
    put_varint(message, value);
}

void dt_protobuf_fixed(GString *message, guint field, guint64 value)
{
    const guint64 little = GUINT64_TO_LE(value);
    put_key(message, field, FIXED);
    g_string_append_len(message, (const char *)&little, sizeof(little));
}

void dt_protobuf_text(GString *message, guint field, const char *text)
{
    put_bytes(message, field, text, strlen(text));
}

void dt_protobuf_message(GString *message, guint field, const GString *inner)
{
    put_bytes(message, field, inner->str, inner->len);
}
