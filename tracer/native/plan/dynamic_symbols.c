/* Looking up dynamic symbols. dlsym() would do, but it is ten times slower, dearer still for names that it does not
 * find, and does not find what only plugins opened for themselves define. The tables: System V ABI, "Hash Table";
 * https://flapenguin.me/elf-dt-gnu-hash. */
#include "native/plan/dynamic_symbols.h"

#include <string.h>

struct dt_dynamic_symbols dt_dynamic_symbols(const Elf64_Dyn *dynamic)
{
    struct dt_dynamic_symbols found = {NULL, NULL, NULL, NULL};
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_GNU_HASH)
            found.gnu_hash = (const uint32_t *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_HASH)
            found.sysv_hash = (const uint32_t *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_SYMTAB)
            found.symbols = (const Elf64_Sym *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_STRTAB)
            found.names = (const char *)dynamic->d_un.d_ptr;
    }
    return found;
}

struct dt_symbol_name dt_symbol_name(const char *text)
{
    struct dt_symbol_name name = {text, 5381, 0};
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        name.gnu_hash = name.gnu_hash * 33 + *at;
        name.sysv_hash = (name.sysv_hash << 4) + *at;
        name.sysv_hash = (name.sysv_hash ^ (name.sysv_hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    return name;
}

static bool is_definition(const struct dt_dynamic_symbols *image, uint32_t number, const char *name)
{
    const Elf64_Sym *symbol = &image->symbols[number];
    return symbol->st_shndx != SHN_UNDEF && strcmp(image->names + symbol->st_name, name) == 0;
}

static bool is_in_gnu_table(const struct dt_dynamic_symbols *image, const struct dt_symbol_name *name)
{
    const uint32_t *table = image->gnu_hash;
    const uint32_t bucket_count = table[0], first = table[1], filter_words = table[2], shift = table[3];
    const uint64_t *filter = (const uint64_t *)(table + 4);
    const uint32_t *buckets = (const uint32_t *)(filter + filter_words), *chains = buckets + bucket_count;
    if (!bucket_count || !filter_words)
        return false;
    uint64_t bits = 1ul << name->gnu_hash % 64 | 1ul << (name->gnu_hash >> shift) % 64;
    if ((filter[name->gnu_hash / 64 % filter_words] & bits) != bits)
        return false;
    for (uint32_t i = buckets[name->gnu_hash % bucket_count]; i >= first; i++) {
        uint32_t hash = chains[i - first];
        if ((hash | 1) == (name->gnu_hash | 1) && is_definition(image, i, name->text))
            return true;
        if (hash & 1)
            return false;
    }
    return false;
}

static bool is_in_sysv_table(const struct dt_dynamic_symbols *image, const struct dt_symbol_name *name)
{
    const uint32_t bucket_count = image->sysv_hash[0];
    const uint32_t *buckets = image->sysv_hash + 2, *chains = buckets + bucket_count;
    for (uint32_t i = bucket_count ? buckets[name->sysv_hash % bucket_count] : 0; i; i = chains[i])
        if (is_definition(image, i, name->text))
            return true;
    return false;
}

bool dt_image_defines(const struct dt_dynamic_symbols *image, const struct dt_symbol_name *name)
{
    if (!image->symbols || !image->names)
        return false;
    if (image->gnu_hash)
        return is_in_gnu_table(image, name);
    return image->sysv_hash && is_in_sysv_table(image, name);
}
