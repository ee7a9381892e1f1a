/* Fuzzes the symbol files' reader. The checksum is made right, or nothing behind it would be reached. */
#include <string.h>

#include "format/crc32.h"
#include "fuzz_target.h"
#include "store/symbols/symbols.h"

static void parse(const guint8 *data, gsize size)
{
    g_autofree char *problem = NULL;
    DtSymbols *symbols = dt_symbols_parse(data, size, &problem);
    for (guint32 i = 0; i < symbols->count; i++) {
        if (!symbols->names[i] || symbols->ordinals[i] >= symbols->count)
            g_error("symbol %u has no name or an impossible ordinal", i);
    }
    dt_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dt_symbols_header header;
    parse(data, size);
    if (size < sizeof(header))
        return 0;
    g_autofree guint8 *repaired = g_memdup2(data, size);
    memcpy(&header, data, sizeof(header));
    gsize content = header.count * sizeof(struct dt_symbol) + header.text_bytes;
    header.crc32 = dt_crc32(0, data + sizeof(header), MIN(content, size - sizeof(header)));
    memcpy(repaired, &header, sizeof(header));
    parse(repaired, size);
    return 0;
}
