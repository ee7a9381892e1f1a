/* Symbol files: the names of an image's functions and why some have no hook. */
#include "store/symbols/symbols.h"

#include <string.h>

#include "format/crc32.h"

static char *check_header(const struct dt_symbols_header *header, const guint8 *data, gsize bytes)
{
    if (bytes < sizeof(*header) || memcmp(header->magic, DT_SYMBOLS_MAGIC, sizeof(header->magic)) != 0)
        return g_strdup("not a symbol file");
    if (header->endian != DT_ENDIAN_MARK)
        return g_strdup("not little endian");
    if (header->major != DT_FORMAT_MAJOR)
        return g_strdup_printf("version %u.%u is not known to this difftrace", header->major, header->minor);
    gsize needed = (gsize)header->count * sizeof(struct dt_symbol) + header->text_bytes;
    if (needed > bytes - sizeof(*header))
        return g_strdup_printf("%" G_GSIZE_FORMAT " bytes are missing at the end", needed - (bytes - sizeof(*header)));
    if (dt_crc32(0, data + sizeof(*header), needed) != header->crc32)
        return g_strdup("its checksum is wrong");
    return NULL;
}

/* Static namesakes are told apart by their order in the file. */
static void count_namesakes(DtSymbols *symbols, const struct dt_symbol *records)
{
    g_autoptr(GHashTable) own = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) imports = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint32 i = 0; i < symbols->count; i++) {
        GHashTable *same = records[i].flags & DT_FUNCTION_IMPORT ? imports : own;
        guint before = GPOINTER_TO_UINT(g_hash_table_lookup(same, symbols->names[i]));
        symbols->ordinals[i] = before;
        g_hash_table_insert(same, (gpointer)symbols->names[i], GUINT_TO_POINTER(before + 1));
    }
}

static void read_records(DtSymbols *symbols, const struct dt_symbol *records, gsize text_bytes)
{
    for (guint32 i = 0; i < symbols->count; i++) {
        symbols->addresses[i] = records[i].flags & DT_FUNCTION_IMPORT ? 0 : records[i].address;
        symbols->names[i] = records[i].name < text_bytes ? symbols->text + records[i].name : "";
        DtSkippedSymbol skipped = {i, records[i].reason};
        if (skipped.reason >= DT_SKIP_REASONS || (records[i].flags & DT_FUNCTION_IMPORT) != 0)
            continue;
        symbols->reasons[skipped.reason]++;
        if (skipped.reason != 0)
            g_array_append_val(symbols->skipped, skipped);
    }
    count_namesakes(symbols, records);
}

DtSymbols *dt_symbols_parse(const guint8 *data, gsize bytes, char **problem)
{
    DtSymbols *symbols = g_new0(DtSymbols, 1);
    symbols->skipped = g_array_new(FALSE, FALSE, sizeof(DtSkippedSymbol));
    struct dt_symbols_header header = {0};
    if (bytes > 0)
        memcpy(&header, data, MIN(bytes, sizeof(header)));
    *problem = check_header(&header, data, bytes);
    if (*problem)
        return symbols;

    gsize record_bytes = header.count * sizeof(struct dt_symbol);
    g_autofree struct dt_symbol *records = g_memdup2(data + sizeof(header), record_bytes);
    symbols->count = header.count;
    symbols->text = g_malloc(header.text_bytes + (gsize)1);
    memcpy(symbols->text, data + sizeof(header) + record_bytes, header.text_bytes);
    symbols->text[header.text_bytes] = 0;
    symbols->names = g_new0(const char *, header.count);
    symbols->addresses = g_new0(guint64, header.count);
    symbols->ordinals = g_new0(guint32, header.count);
    symbols->function_ids[0] = g_new0(guint32, header.count);
    symbols->function_ids[1] = g_new0(guint32, header.count);
    read_records(symbols, records, header.text_bytes);
    return symbols;
}

void dt_symbols_free(DtSymbols *symbols)
{
    if (!symbols)
        return;
    g_array_unref(symbols->skipped);
    g_free(symbols->names);
    g_free(symbols->addresses);
    g_free(symbols->ordinals);
    g_free(symbols->function_ids[0]);
    g_free(symbols->function_ids[1]);
    g_free(symbols->text);
    g_free(symbols);
}
