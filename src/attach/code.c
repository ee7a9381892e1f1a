#include "attach/code.h"

#include <string.h>

#include "base/modules.h"

enum { LARGEST_FUNCTION = 1 << 18 };

/* ---- bytes ------------------------------------------------------------------------------------------- */

gboolean dt_code_read(const DtAttachedImage *image, guint64 address, void *to, gsize bytes)
{
    size_t count;
    if (elf_getphdrnum(image->elf, &count) != 0)
        return FALSE;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD || header.p_flags & PF_W ||
            address < header.p_vaddr || address - header.p_vaddr > header.p_filesz ||
            bytes > header.p_filesz - (address - header.p_vaddr))
            continue;
        Elf_Data *data =
            elf_getdata_rawchunk(image->elf, (gint64)(header.p_offset + (address - header.p_vaddr)), bytes, ELF_T_BYTE);
        if (data && data->d_size == bytes)
            memcpy(to, data->d_buf, bytes);
        return data && data->d_size == bytes;
    }
    return FALSE;
}

gboolean dt_code_linkage(const DtAttachedImage *image, guint64 stub, guint64 *slot)
{
    enum { BEGIN = 4, JUMP = 6 };
    static const guint8 end_branch[BEGIN] = {0xf3, 0x0f, 0x1e, 0xfa};
    guint8 bytes[BEGIN + 1 + JUMP];
    gint32 offset;
    if (!dt_code_read(image, stub, bytes, sizeof bytes))
        return FALSE;
    gsize at = memcmp(bytes, end_branch, BEGIN) == 0 ? BEGIN : 0;
    at += bytes[at] == 0xf2 ? 1 : 0;
    if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
        return FALSE;
    memcpy(&offset, bytes + at + 2, sizeof offset);
    *slot = stub + at + JUMP + (guint64)(gint64)offset;
    return TRUE;
}

/* ---- the parts of a function ---------------------------------------------------------------------------- */

static guint8 *read_bytes(const DtAttachedImage *image, guint64 start, guint64 end)
{
    if (end <= start || end - start > LARGEST_FUNCTION)
        return NULL;
    guint8 *bytes = g_malloc(end - start);
    if (dt_code_read(image, start, bytes, end - start))
        return bytes;
    g_free(bytes);
    return NULL;
}

/* NAME is that function, NAME.cold and NAME.cold.1 are parts that jump into it, and it is one that they jump into. */
static gboolean is_part_of(const char *name, const char *function)
{
    gsize length = strcspn(function, ".");
    gboolean begins_so = strncmp(name, function, length) == 0 && (name[length] == '\0' || name[length] == '.');
    return begins_so && strcmp(name, function) != 0;
}

/* Parts of the function that stand elsewhere; *lacks_one: the code of one cannot be had. */
static void add_parts(const DtAttachedImage *image, const char *name, GArray *parts, gboolean *lacks_one)
{
    guint64 bias;
    Dwfl_Module *module = dt_image_lines_module(image->lines, &bias);
    int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *other = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (!other || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || !is_part_of(other, name))
            continue;
        DtCodePart part = {.address = address - bias, .count = symbol.st_size};
        part.bytes = read_bytes(image, part.address, part.address + part.count);
        *lacks_one = *lacks_one || !part.bytes;
        if (part.bytes)
            g_array_append_val(parts, part);
    }
}

/* Without a table of all symbols, local ones among them, its other parts are not known, nor where it really ends. */
static gboolean has_all_symbols(DtImageLines *lines)
{
    enum { LOCALS_OF_EXPORTS = 2 };
    guint64 bias;
    Dwfl_Module *module = dt_image_lines_module(lines, &bias);
    return dwfl_module_getsymtab(module) > 0 && dwfl_module_getsymtab_first_global(module) > LOCALS_OF_EXPORTS;
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

void dt_code_free(DtCode *code)
{
    if (!code)
        return;
    g_array_unref(code->steps);
    g_free(code);
}

static void clear_part(gpointer data)
{
    g_free((guint8 *)((DtCodePart *)data)->bytes);
}

/* NULL: the module is not there. */
static DtDecode find_decoder(void)
{
    void *opened = dt_module_open(DT_MODULE_DECODE, NULL);
    gpointer function = opened ? dt_module_function(DT_MODULE_DECODE, opened, DT_DECODE_NAME, NULL) : NULL;
    DtDecode decode;
    memcpy(&decode, &function, sizeof decode);
    return decode;
}

static DtCode *decode(const GArray *parts, guint64 call_end, gboolean is_doubtful)
{
    DtDecode decoder = find_decoder();
    DtDecoding decoding = {.parts = (const DtCodePart *)(const void *)parts->data,
                           .part_count = parts->len,
                           .call_end = call_end,
                           .is_doubtful = is_doubtful,
                           .steps = g_array_new(FALSE, FALSE, sizeof(DtStep))};
    if (!decoder || !decoder(&decoding)) {
        g_array_unref(decoding.steps);
        return NULL;
    }
    DtCode *code = g_new0(DtCode, 1);
    *code = (DtCode){decoding.steps, decoding.target};
    return code;
}

DtCode *dt_code_before(DtAttachedImage *image, guint64 return_address)
{
    GElf_Sym symbol;
    DtImageLines *lines = dt_images_lines(image);
    const char *name = lines ? dt_image_lines_symbol(lines, return_address - 1, &symbol) : NULL;
    if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || return_address > symbol.st_value + symbol.st_size)
        return NULL;
    DtCodePart first = {.address = symbol.st_value, .count = symbol.st_size};
    first.bytes = read_bytes(image, first.address, first.address + first.count);
    if (!first.bytes)
        return NULL;
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(DtCodePart));
    g_array_set_clear_func(parts, clear_part);
    g_array_append_val(parts, first);
    gboolean lacks_one = !has_all_symbols(lines);
    add_parts(image, name, parts, &lacks_one);
    return decode(parts, return_address, lacks_one);
}
