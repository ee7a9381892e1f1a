/*
 * No disassembler: four bytes behind an opcode that lead to exactly the start of the callee, or to its entry in the
 * procedure linkage table, are a call of it; that others do so by chance is as likely as to guess 32 bits.
 */
#include "store/symbols/image_calls.h"

#include <gelf.h>
#include <string.h>

enum { CALL = 0xe8, JUMP = 0xe9, CALL_BYTES = 5, INDIRECT_BYTES = 6, LONGEST_STUB = 16 };

typedef struct {
    Elf *elf;
    GElf_Addr bias;    /* what the module's addresses have more than the file's */
    GArray *targets;   /* (element-type guint64) where the callee starts */
    GHashTable *slots; /* addresses of its entries in the global offset table (set of guint64) */
    GArray *addresses; /* found so far */
} Search;

/* ---- bytes ---------------------------------------------------------------------------------------- */

/* What the image has at an address, and how much of it there is; NULL: nothing. `*is_linkage`: it is in the procedure
 * linkage table. */
static const guint8 *bytes_at(Elf *elf, guint64 address, gsize *count, gboolean *is_linkage)
{
    size_t names = 0;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) || header.sh_type == SHT_NOBITS ||
            address < header.sh_addr || address - header.sh_addr >= header.sh_size)
            continue;
        const Elf_Data *data = elf_getdata(section, NULL);
        const guint64 offset = address - header.sh_addr;
        if (!data || !data->d_buf || offset >= data->d_size)
            return NULL;
        const char *name = elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header.sh_name) : NULL;
        *is_linkage = name && g_str_has_prefix(name, ".plt");
        *count = data->d_size - (gsize)offset;
        return (const guint8 *)data->d_buf + offset;
    }
    return NULL;
}

static guint64 relative(const guint8 *bytes, guint64 next)
{
    gint32 offset;
    memcpy(&offset, bytes, sizeof offset);
    return next + (guint64)(gint64)GINT32_FROM_LE(offset);
}

/* ---- the callee ------------------------------------------------------------------------------------ */

/* "strcmp" of "strcmp@plt" and of "strcmp@@GLIBC_2.2.5". */
static gboolean is_name(const char *symbol, const char *wanted)
{
    const gsize length = strcspn(wanted, "@");
    return strncmp(symbol, wanted, length) == 0 && (symbol[length] == '\0' || symbol[length] == '@');
}

/* The name itself, or a part of it: "name.cold", "name.part.0", "name.constprop.0.isra.0". */
static gboolean is_part_of(const char *symbol, const char *wanted)
{
    static const char *const parts[] = {".cold", ".part.", ".constprop.", ".isra.", ".lto_priv.", ".llvm."};
    const gsize length = strcspn(wanted, "@");
    if (is_name(symbol, wanted))
        return TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (strncmp(symbol, wanted, length) == 0 && g_str_has_prefix(symbol + length, parts[i]))
            return TRUE;
    }
    return FALSE;
}

static void add_relocation(Search *search, Elf_Data *symbols, gsize strings, const GElf_Rela *relocation,
                           const char *callee)
{
    const guint64 type = GELF_R_TYPE(relocation->r_info);
    GElf_Sym symbol;
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
        !gelf_getsym(symbols, (int)GELF_R_SYM(relocation->r_info), &symbol))
        return;
    const char *name = elf_strptr(search->elf, strings, symbol.st_name);
    if (name && is_name(name, callee))
        g_hash_table_add(search->slots, g_memdup2(&relocation->r_offset, sizeof(guint64)));
}

static void find_slots(Search *search, const char *callee)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(search->elf, section))) {
        GElf_Shdr header, linked;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || header.sh_entsize == 0)
            continue;
        Elf_Scn *table = elf_getscn(search->elf, header.sh_link);
        Elf_Data *data = elf_getdata(section, NULL), *symbols = table ? elf_getdata(table, NULL) : NULL;
        if (!data || !symbols || !gelf_getshdr(table, &linked))
            continue;
        const gsize count = MIN(header.sh_size, data->d_size) / header.sh_entsize;
        for (gsize i = 0; i < count; i++) {
            GElf_Rela relocation;
            if (gelf_getrela(data, (int)i, &relocation))
                add_relocation(search, symbols, linked.sh_link, &relocation, callee);
        }
    }
}

/* A stub of the procedure linkage table: maybe endbr64, maybe a prefix, then a jump through a slot. */
static gboolean is_stub_of(const Search *search, guint64 target)
{
    gsize count = 0;
    gboolean is_linkage = FALSE;
    const guint8 *code = bytes_at(search->elf, target, &count, &is_linkage);
    for (gsize i = 0; code && is_linkage && i + INDIRECT_BYTES <= MIN(count, LONGEST_STUB); i++) {
        if (code[i] != 0xff || code[i + 1] != 0x25)
            continue;
        guint64 slot = relative(code + i + 2, target + i + INDIRECT_BYTES);
        return g_hash_table_contains(search->slots, &slot);
    }
    return FALSE;
}

static gboolean is_target(const Search *search, guint64 target)
{
    for (guint i = 0; i < search->targets->len; i++) {
        if (g_array_index(search->targets, guint64, i) == target)
            return TRUE;
    }
    return g_hash_table_size(search->slots) > 0 && is_stub_of(search, target);
}

/* ---- the caller ------------------------------------------------------------------------------------- */

/* The bytes of the call at `code`, 0: it is none. A jump to the callee is one if it is the last thing a function does.
 */
static gsize call_bytes(const Search *search, const guint8 *code, gsize count, guint64 address, gboolean may_jump)
{
    if (count >= CALL_BYTES && (code[0] == CALL || (may_jump && code[0] == JUMP)) &&
        is_target(search, relative(code + 1, address + CALL_BYTES)))
        return CALL_BYTES;
    if (count >= INDIRECT_BYTES && code[0] == 0xff && (code[1] == 0x15 || (may_jump && code[1] == 0x25))) {
        guint64 slot = relative(code + 2, address + INDIRECT_BYTES);
        return g_hash_table_contains(search->slots, &slot) ? INDIRECT_BYTES : 0;
    }
    return 0;
}

static void search_code(Search *search, guint64 start, guint64 size, gboolean may_jump)
{
    gsize count = 0;
    gboolean is_linkage;
    const guint8 *code = bytes_at(search->elf, start, &count, &is_linkage);
    count = code ? (gsize)MIN(count, size) : 0;
    for (gsize i = 0; i < count; i++) {
        gsize bytes = call_bytes(search, code + i, count - i, start + i, may_jump);
        guint64 next = start + i + bytes;
        if (bytes > 0)
            g_array_append_val(search->addresses, next);
    }
}

typedef void (*SymbolVisitor)(Search *search, const char *name, guint64 address, guint64 size, const char *wanted);

static void visit_functions(Search *search, Dwfl_Module *module, const char *wanted, SymbolVisitor visit)
{
    const int count = dwfl_module_getsymtab(module);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (!name || symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        guint64 in_file = address - search->bias;
        if (is_part_of(name, wanted) && g_hash_table_add(seen, g_memdup2(&in_file, sizeof in_file)))
            visit(search, name, in_file, symbol.st_size, wanted);
    }
}

static void add_target(Search *search, const char *name, guint64 address, guint64 size, const char *wanted)
{
    (void)name, (void)size, (void)wanted;
    g_array_append_val(search->targets, address);
}

static void search_function(Search *search, const char *name, guint64 address, guint64 size, const char *wanted)
{
    (void)name, (void)wanted;
    search_code(search, address, size, TRUE);
}

static gint compare_addresses(gconstpointer a, gconstpointer b)
{
    guint64 first = *(const guint64 *)a, second = *(const guint64 *)b;
    return first < second ? -1 : first > second;
}

void dt_image_calls_find(Dwfl_Module *module, const char *caller, const char *callee, GArray *addresses)
{
    GElf_Ehdr header;
    g_autoptr(GArray) targets = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GHashTable) slots = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    Search search = {.targets = targets, .slots = slots, .addresses = addresses};
    search.elf = dwfl_module_getelf(module, &search.bias);
    if (!search.elf || !gelf_getehdr(search.elf, &header) || header.e_machine != EM_X86_64)
        return;
    visit_functions(&search, module, callee, add_target);
    find_slots(&search, callee);
    visit_functions(&search, module, caller, search_function);
    g_array_sort(addresses, compare_addresses);
}
