/* An image's functions: from .symtab and .dynsym, and from .eh_frame where those are stripped. The file may say
 * anything: every offset is checked. */
#include "images/elf_image.h"

#include <stdlib.h>

#include "calls/calls.h"
#include "images/function_filter.h"
#include "images/loaded_image.h"
#include "system/system.h"

/* ---- the file -------------------------------------------------------------------------------- */

static bool in_file(const struct dt_elf_image *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->file_bytes && bytes <= image->file_bytes - offset;
}

static const Elf64_Ehdr *elf_header(const struct dt_elf_image *image)
{
    return (const Elf64_Ehdr *)image->file;
}

static const Elf64_Shdr *section(const struct dt_elf_image *image, unsigned index)
{
    const Elf64_Ehdr *header = elf_header(image);
    uint64_t offset = header->e_shoff + (uint64_t)index * sizeof(Elf64_Shdr);
    if (index >= header->e_shnum || !in_file(image, offset, sizeof(Elf64_Shdr)))
        return NULL;
    return (const Elf64_Shdr *)(image->file + offset);
}

static const char *text_at(const struct dt_elf_image *image, const Elf64_Shdr *strings, uint64_t offset)
{
    if (!strings || offset >= strings->sh_size || !in_file(image, strings->sh_offset, strings->sh_size))
        return "";
    const char *text = (const char *)image->file + strings->sh_offset;
    return text[strings->sh_size - 1] ? "" : text + offset;
}

static bool map_file(struct dt_elf_image *image, const char *path)
{
    uint64_t bytes = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    if (dt_sys_is_regular(fd, &bytes) && bytes > sizeof(Elf64_Ehdr)) {
        image->file = dt_sys_mmap(bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        image->file_bytes = bytes;
    }
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    const Elf64_Ehdr *header = elf_header(image);
    return image->file && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_machine == EM_X86_64;
}

static void measure_segments(struct dt_elf_image *image)
{
    image->low = image->text_low = UINT64_MAX;
    for (int i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        uint64_t low = segment->p_vaddr, high = low + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        image->low = low < image->low ? low : image->low;
        image->high = high > image->high ? high : image->high;
        if (segment->p_flags & PF_X) {
            image->text_low = low < image->text_low ? low : image->text_low;
            image->text_high = high > image->text_high ? high : image->text_high;
        }
    }
}

static void find_text_sections(struct dt_elf_image *image)
{
    const Elf64_Ehdr *header = elf_header(image);
    const Elf64_Shdr *names = section(image, header->e_shstrndx);
    for (unsigned i = 0; i < header->e_shnum && image->text_count < DT_MOST_TEXT_SECTIONS; i++) {
        const Elf64_Shdr *here = section(image, i);
        if (!here || here->sh_type != SHT_PROGBITS || !(here->sh_flags & SHF_EXECINSTR))
            continue;
        const char *name = text_at(image, names, here->sh_name);
        if (memcmp(name, ".plt", strlen(name) < 4 ? strlen(name) : 4) == 0 || strcmp(name, ".init") == 0 ||
            strcmp(name, ".fini") == 0)
            continue;
        image->text[image->text_count++] = (struct dt_text_section){here->sh_addr, here->sh_addr + here->sh_size};
    }
}

bool dt_elf_open(struct dt_elf_image *image, const char *path, uint64_t bias, const Elf64_Phdr *segments, int count)
{
    memset(image, 0, sizeof *image);
    image->path = path;
    image->bias = bias;
    image->segments = segments;
    image->segment_count = count;
    measure_segments(image);
    if (image->text_low >= image->text_high || !map_file(image, path)) {
        dt_elf_close(image);
        return false;
    }
    image->entry = elf_header(image)->e_entry;
    find_text_sections(image);
    return true;
}

void dt_elf_close(struct dt_elf_image *image)
{
    if (image->file)
        dt_sys_munmap((void *)image->file, image->file_bytes);
    for (uint32_t i = 0; i < image->function_count; i++)
        if (image->functions[i].nameless)
            free((void *)image->functions[i].name);
    free(image->functions);
    image->file = NULL;
    image->functions = NULL;
    image->function_count = 0;
}

uint64_t dt_elf_text_end(const struct dt_elf_image *image, uint64_t address)
{
    for (int i = 0; i < image->text_count; i++)
        if (address >= image->text[i].low && address < image->text[i].high)
            return image->text[i].high;
    return 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

struct dt_elf_function *dt_elf_add_function(struct dt_elf_image *image, uint64_t address, uint64_t size)
{
    if (image->function_count == image->function_capacity) {
        uint32_t capacity = image->function_capacity ? image->function_capacity * 2 : 1024;
        struct dt_elf_function *grown = realloc(image->functions, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        image->functions = grown;
        image->function_capacity = capacity;
    }
    struct dt_elf_function *function = &image->functions[image->function_count++];
    memset(function, 0, sizeof *function);
    function->address = address;
    function->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    function->type = STT_FUNC;
    return function;
}

static bool is_symbol_table(const Elf64_Shdr *table)
{
    return table && (table->sh_type == SHT_SYMTAB || table->sh_type == SHT_DYNSYM);
}

static bool read_symbols(struct dt_elf_image *image, const Elf64_Shdr *table, bool (*wanted)(const char *name))
{
    const Elf64_Shdr *strings = section(image, table->sh_link);
    if (!in_file(image, table->sh_offset, table->sh_size))
        return true;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(image->file + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        int type = ELF64_ST_TYPE(symbols[i].st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbols[i].st_shndx == SHN_UNDEF || !symbols[i].st_value)
            continue;
        const char *name = text_at(image, strings, symbols[i].st_name);
        bool sanitizer = dt_is_sanitizer_function(name);
        if (!*name || (wanted && !sanitizer && !wanted(name)))
            continue;
        struct dt_elf_function *function = dt_elf_add_function(image, symbols[i].st_value, symbols[i].st_size);
        if (!function)
            return false;
        function->name = name;
        function->type = (uint8_t)type;
        function->reason = sanitizer ? DT_SKIP_EXCLUDED : DT_HOOKED;
    }
    return true;
}

static bool is_named(const char *symbol, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(symbol, *names) == 0)
            return true;
    return false;
}

bool dt_elf_defines(const struct dt_elf_image *image, const char *const *names)
{
    const Elf64_Ehdr *header = elf_header(image);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *table = section(image, i);
        if (!is_symbol_table(table) || !in_file(image, table->sh_offset, table->sh_size))
            continue;
        const Elf64_Shdr *strings = section(image, table->sh_link);
        const Elf64_Sym *symbols = (const Elf64_Sym *)(image->file + table->sh_offset);
        for (size_t j = 0; j < table->sh_size / sizeof *symbols; j++)
            if (symbols[j].st_shndx != SHN_UNDEF && is_named(text_at(image, strings, symbols[j].st_name), names))
                return true;
    }
    return false;
}

bool dt_elf_has_section(const struct dt_elf_image *image, const char *const *names)
{
    const Elf64_Ehdr *header = elf_header(image);
    const Elf64_Shdr *texts = section(image, header->e_shstrndx);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *here = section(image, i);
        if (here && is_named(text_at(image, texts, here->sh_name), names))
            return true;
    }
    return false;
}

/* ---- put in order ---------------------------------------------------------------------------- */

static bool or_makes(const struct dt_elf_function *function)
{
    const struct dt_call *call = dt_call_find(function->name);
    return call && call->properties & DT_CALL_OR_MAKES;
}

/* Of several names for one address the first in this order stays: named ones, without a leading underscore, those of
 * releases (pthread_spin_unlock, not pthread_spin_init), short ones (free, not cfree), then by text, so that every
 * process of a run chooses alike. */
static int by_address(const void *a, const void *b)
{
    const struct dt_elf_function *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->nameless != y->nameless)
        return x->nameless ? 1 : -1;
    bool x_plain = x->name[0] != '_', y_plain = y->name[0] != '_';
    if (x_plain != y_plain)
        return x_plain ? -1 : 1;
    const bool x_makes = or_makes(x), y_makes = or_makes(y);
    if (x_makes != y_makes)
        return x_makes ? -1 : 1;
    if (strlen(x->name) != strlen(y->name))
        return strlen(x->name) < strlen(y->name) ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void merge_aliases(struct dt_elf_image *image)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < image->function_count; i++) {
        struct dt_elf_function *function = &image->functions[i];
        struct dt_elf_function *last = kept ? &image->functions[kept - 1] : NULL;
        if (!last || last->address != function->address) {
            image->functions[kept++] = *function;
            continue;
        }
        if (function->type == STT_GNU_IFUNC)
            last->type = STT_GNU_IFUNC;
        if (function->size > last->size)
            last->size = function->size;
        if (function->reason == DT_SKIP_EXCLUDED)
            last->reason = DT_SKIP_EXCLUDED;
        if (function->nameless)
            free((void *)function->name);
    }
    image->function_count = kept;
}

/* Functions do not overlap: a symbol without a size ends where the next one starts. */
static void settle_sizes(struct dt_elf_image *image)
{
    for (uint32_t i = 0; i < image->function_count; i++) {
        struct dt_elf_function *function = &image->functions[i];
        uint64_t next = i + 1 < image->function_count ? function[1].address : image->text_high;
        uint64_t text_end = dt_elf_text_end(image, function->address);
        next = text_end && text_end < next ? text_end : next;
        uint64_t most = next > function->address ? next - function->address : 0;
        if (!function->size || function->size > most)
            function->size = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    }
}

static bool read_tables(struct dt_elf_image *image, bool (*wanted)(const char *name))
{
    const Elf64_Ehdr *header = elf_header(image);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *here = section(image, i);
        if (!is_symbol_table(here))
            continue;
        image->has_symbols |= here->sh_type == SHT_SYMTAB;
        if (!read_symbols(image, here, wanted))
            return false;
    }
    return true;
}

static void put_in_order(struct dt_elf_image *image)
{
    if (image->function_count)
        qsort(image->functions, image->function_count, sizeof *image->functions, by_address);
    merge_aliases(image);
}

/* ---- names from debug files ------------------------------------------------------------------- */

static void take_names(struct dt_elf_image *image, const struct dt_elf_image *debug)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < image->function_count; i++) {
        struct dt_elf_function *function = &image->functions[i];
        while (next < debug->function_count && debug->functions[next].address < function->address)
            next++;
        if (next == debug->function_count)
            break;
        if (!function->nameless || debug->functions[next].address != function->address)
            continue;
        char *name = strdup(debug->functions[next].name);
        if (name) {
            free((void *)function->name);
            function->name = name;
        }
    }
}

/* Names alone: which functions there are is the image's to say, so that all processes of a run number them alike. */
static void name_by_debug_file(struct dt_elf_image *image)
{
    char path[256];
    struct dt_elf_image debug = {0};
    if (!dt_image_debug_file(path, sizeof path, image->segments, image->segment_count, image->bias))
        return;
    if (map_file(&debug, path) && read_tables(&debug, NULL)) {
        put_in_order(&debug);
        take_names(image, &debug);
    }
    dt_elf_close(&debug);
}

/* ---- all ------------------------------------------------------------------------------------- */

bool dt_elf_read_functions(struct dt_elf_image *image, bool (*wanted)(const char *name))
{
    if (!read_tables(image, wanted))
        return false;
    bool stripped = !wanted && !image->has_symbols;
    if (stripped && !dt_elf_read_frame_descriptions(image))
        return false;
    put_in_order(image);
    if (stripped)
        name_by_debug_file(image);
    if (!wanted)
        settle_sizes(image);
    return true;
}
