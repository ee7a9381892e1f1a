#include "store/packed/symbol_columns.h"

#include <string.h>

#include "format/crc32.h"
#include "format/trace_file.h"
#include "store/packed/number_row.h"

/* The smallest bytes that a symbol takes in columns: an address, a size, flags, a reason, and the end of its name. */
enum { LEAST_BYTES = 5 };

static struct dt_symbols_header header_of(guint16 minor, const GByteArray *behind, guint32 count, guint32 text_bytes)
{
    struct dt_symbols_header header = {.major = 1, .minor = minor, .endian = DT_ENDIAN_MARK};
    memcpy(header.magic, DT_SYMBOLS_MAGIC, sizeof(header.magic));
    header.count = count;
    header.text_bytes = text_bytes;
    header.crc32 = dt_crc32(0, behind->data, behind->len);
    return header;
}

/* Where compilers put the function behind this one. */
static guint64 expected_behind(const struct dt_symbol *symbol)
{
    return (symbol->address + symbol->size + 15) & ~(guint64)15;
}

/* ---- packing ------------------------------------------------------------------------------------ */

static struct dt_symbol symbol_at(const guint8 *file, guint32 index)
{
    struct dt_symbol symbol;
    memcpy(&symbol, file + sizeof(struct dt_symbols_header) + index * sizeof(symbol), sizeof(symbol));
    return symbol;
}

GByteArray *dt_symbol_columns_pack(const guint8 *file, gsize bytes)
{
    struct dt_symbols_header header;
    if (bytes < sizeof(header))
        return NULL;
    memcpy(&header, file, sizeof(header));
    const guint64 rows = header.count * (guint64)sizeof(struct dt_symbol);
    if (sizeof(header) + rows + header.text_bytes != bytes)
        return NULL;
    g_autoptr(GByteArray) out = g_byte_array_new();
    dt_row_put(out, header.minor);
    dt_row_put(out, header.count);
    for (guint32 i = 0; i < header.count; i++)
        dt_row_put(out, symbol_at(file, i).size);
    struct dt_symbol before = {0};
    for (guint32 i = 0; i < header.count; i++) {
        struct dt_symbol symbol = symbol_at(file, i);
        dt_row_put_difference(out, symbol.address, expected_behind(&before));
        before = symbol;
    }
    for (guint32 i = 0; i < header.count; i++)
        dt_row_put(out, symbol_at(file, i).flags);
    for (guint32 i = 0; i < header.count; i++)
        dt_row_put(out, symbol_at(file, i).reason);
    g_byte_array_append(out, file + sizeof(header) + rows, header.text_bytes);
    g_autoptr(GByteArray) again = dt_symbol_columns_unpack(out->data, out->len);
    gboolean same = again && again->len == bytes && memcmp(again->data, file, bytes) == 0;
    return same ? g_steal_pointer(&out) : NULL;
}

/* ---- unpacking ------------------------------------------------------------------------------------ */

static gboolean get_small(const guint8 **at, const guint8 *end, guint32 *value)
{
    guint64 number;
    gboolean good = dt_row_get(at, end, &number) && number <= G_MAXUINT32;
    *value = good ? (guint32)number : 0;
    return good;
}

static gboolean get_columns(struct dt_symbol *symbols, guint32 count, const guint8 **at, const guint8 *end)
{
    struct dt_symbol before = {0};
    gboolean good = TRUE;
    for (guint32 i = 0; i < count && good; i++)
        good = get_small(at, end, &symbols[i].size);
    for (guint32 i = 0; i < count && good; i++) {
        good = dt_row_get_difference(at, end, expected_behind(&before), &symbols[i].address);
        before = symbols[i];
    }
    for (guint32 i = 0; i < count && good; i++)
        good = get_small(at, end, &symbols[i].flags);
    for (guint32 i = 0; i < count && good; i++)
        good = get_small(at, end, &symbols[i].reason);
    return good;
}

/* Names follow each other in the order of the symbols. */
static gboolean set_names(struct dt_symbol *symbols, guint32 count, const guint8 *texts, gsize bytes)
{
    gsize at = 0;
    for (guint32 i = 0; i < count; i++) {
        const guint8 *end = at < bytes ? memchr(texts + at, 0, bytes - at) : NULL;
        if (!end)
            return FALSE;
        symbols[i].name = (guint32)at;
        at = (gsize)(end - texts) + 1;
    }
    while (at < bytes && texts[at] == 0) /* what fills the file up */
        at++;
    return at == bytes;
}

GByteArray *dt_symbol_columns_unpack(const guint8 *columns, gsize bytes)
{
    const guint8 *at = columns, *end = columns + bytes;
    guint32 minor, count;
    if (bytes > G_MAXINT32 / 8 || !get_small(&at, end, &minor) || minor > G_MAXUINT16 || !get_small(&at, end, &count) ||
        count > bytes / LEAST_BYTES)
        return NULL;
    g_autofree struct dt_symbol *symbols = g_new0(struct dt_symbol, count + (gsize)1);
    if (!get_columns(symbols, count, &at, end) || !set_names(symbols, count, at, (gsize)(end - at)))
        return NULL;
    g_autoptr(GByteArray) behind = g_byte_array_new();
    g_byte_array_append(behind, (const guint8 *)symbols, count * (guint)sizeof(*symbols));
    g_byte_array_append(behind, at, (guint)(end - at));
    struct dt_symbols_header header = header_of((guint16)minor, behind, count, (guint32)(end - at));
    g_byte_array_prepend(behind, (const guint8 *)&header, sizeof(header));
    return g_steal_pointer(&behind);
}
