/* Calls of an image into libraries that are not traced: through its PLT, at the entries of its global offset table.
 *
 * Lazily bound entries stay lazy: the stub jumps to where a slot of ours says, at first the loader's resolver, and the
 * relocation is changed so that the loader writes the resolved address into that slot and not over our hook. Versions,
 * interposition and the order of binding stay what they were. Entries for functions whose address is taken are left
 * alone, so that function pointers compare equal. */
#include <stdlib.h>
#include <strings.h>
#include <sys/mman.h>

#include "native/arguments/calls.h"
#include "native/patch/images.h"

/* They look at their return address or caller, come back twice, or never. */
static const char *const passed_through[] = {
    "setjmp",         "_setjmp",           "__sigsetjmp",    "sigsetjmp",   "savectx",     "vfork",
    "__vfork",        "getcontext",        "setcontext",     "swapcontext", "makecontext", "longjmp",
    "siglongjmp",     "_longjmp",          "__longjmp_chk",  "dlopen",      "dlsym",       "dlvsym",
    "dlmopen",        "dlclose",           "dladdr",         "dladdr1",     "dlinfo",      "fork",
    "clone",          "__libc_start_main", "__tls_get_addr", "mcount",      "_mcount",     "__fentry__",
    "__gmon_start__", "__cxa_finalize",    "backtrace",      NULL};

struct relocations {
    Elf64_Rela *first;
    size_t count;
    const Elf64_Sym *symbols;
    const char *names;
};

static struct relocations plt_relocations(const Elf64_Dyn *dynamic)
{
    struct relocations found = {NULL, 0, NULL, NULL};
    bool with_addends = false;
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_JMPREL)
            found.first = (Elf64_Rela *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_PLTRELSZ)
            found.count = dynamic->d_un.d_val / sizeof(Elf64_Rela);
        else if (dynamic->d_tag == DT_PLTREL)
            with_addends = dynamic->d_un.d_val == DT_RELA;
        else if (dynamic->d_tag == DT_SYMTAB)
            found.symbols = (const Elf64_Sym *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_STRTAB)
            found.names = (const char *)dynamic->d_un.d_ptr;
    }
    if (!found.first || !found.symbols || !found.names || !with_addends)
        found.count = 0;
    return found;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (**names == *name && strcmp(name, *names) == 0)
            return true;
    return false;
}

static bool jumps(const char *name)
{
    static const char *const known[] = {"longjmp", "siglongjmp", "_longjmp", "__longjmp_chk", NULL};
    return is_one_of(name, known);
}

static enum dt_skip_reason reason_not_to_hook(const char *name)
{
    enum dt_api_action action;
    if (is_one_of(name, passed_through) || strncmp(name, "_Unwind_", 8) == 0 || dt_is_sanitizer_function(name))
        return DT_SKIP_EXCLUDED;
    /* Recorded at the function itself, or, Fortran's MPI, at the C function that it calls. */
    if (strncasecmp(name + (*name == 'P' || *name == 'p'), "mpi_", 4) == 0 ||
        dt_api_classify(name, &action) != DT_API_NONE || dt_is_traced_name(name))
        return DT_SKIP_UNWANTED;
    return dt_is_filtered_out(name) ? DT_SKIP_UNWANTED : DT_HOOKED;
}

static void note_jump(const char *name)
{
    if (dt_process.can_jump || !jumps(name))
        return;
    dt_process.can_jump = true;
    dt_signatures_changed(); /* if the program has handlers, no call is quick any more */
}

bool dt_imports_read(struct dt_imports *imports, const struct dt_loaded_image *loaded)
{
    struct relocations plt = plt_relocations(loaded->dynamic);
    imports->count = 0;
    imports->list = calloc(plt.count + 1, sizeof *imports->list);
    for (size_t i = 0; imports->list && i < plt.count; i++) {
        Elf64_Rela *relocation = &plt.first[i];
        if (ELF64_R_TYPE(relocation->r_info) != R_X86_64_JUMP_SLOT)
            continue;
        const char *name = plt.names + plt.symbols[ELF64_R_SYM(relocation->r_info)].st_name;
        note_jump(name);
        /* All of them, wanted or not, so that numbers mean the same in every process of the run. */
        enum dt_skip_reason reason = *name ? reason_not_to_hook(name) : DT_SKIP_UNWANTED;
        imports->list[imports->count++] = (struct dt_import){name, relocation->r_offset, relocation, (uint8_t)reason};
    }
    return imports->list != NULL;
}

uint32_t dt_imports_find(const struct dt_loaded_image *loaded, bool (*wanted)(const char *name), uint64_t *places,
                         uint32_t most)
{
    struct relocations plt = plt_relocations(loaded->dynamic);
    uint32_t count = 0;
    for (size_t i = 0; i < plt.count && count < most; i++)
        if (ELF64_R_TYPE(plt.first[i].r_info) == R_X86_64_JUMP_SLOT &&
            wanted(plt.names + plt.symbols[ELF64_R_SYM(plt.first[i].r_info)].st_name))
            places[count++] = plt.first[i].r_offset;
    return count;
}

void dt_imports_free(struct dt_imports *imports)
{
    free(imports->list);
    imports->list = NULL;
    imports->count = 0;
}

/* What the loader left the page of an address: relocations may lie among code, and tables are read-only once bound. */
static int protection(const struct dt_loaded_image *loaded, uint64_t address)
{
    int found = PROT_READ;
    for (int i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        if (address < segment->p_vaddr || address >= segment->p_vaddr + segment->p_memsz)
            continue;
        if (segment->p_type == PT_GNU_RELRO && !loaded->unrelocated)
            return PROT_READ;
        if (segment->p_type == PT_LOAD)
            found = PROT_READ | (segment->p_flags & PF_W ? PROT_WRITE : 0) | (segment->p_flags & PF_X ? PROT_EXEC : 0);
    }
    return found;
}

/* Pages being written to, as they were before. */
struct window {
    const struct dt_loaded_image *loaded;
    uint64_t low, high;
    int before;
};

static void close_window(struct window *window)
{
    if (window->low < window->high && !(window->before & PROT_WRITE))
        mprotect((void *)window->low, window->high - window->low, window->before);
    window->low = window->high = 0;
}

static bool open_window(struct window *window, uint64_t place)
{
    close_window(window);
    uint64_t low = place & ~4095ul, high = (place + sizeof(uint64_t) + 4095) & ~4095ul;
    window->before = protection(window->loaded, place - window->loaded->bias);
    if (!(window->before & PROT_WRITE) && mprotect((void *)low, high - low, window->before | PROT_WRITE) != 0)
        return false;
    window->low = low;
    window->high = high;
    return true;
}

static void write_word(struct window *window, uint64_t place, uint64_t value)
{
    if ((place >= window->low && place + sizeof value <= window->high) || open_window(window, place))
        memcpy((void *)place, &value, sizeof value);
}

static bool is_within(const struct dt_loaded_image *loaded, uint64_t address)
{
    for (int i = 0; i < loaded->segment_count; i++)
        if (loaded->segments[i].p_type == PT_LOAD && address - loaded->bias >= loaded->segments[i].p_vaddr &&
            address - loaded->bias < loaded->segments[i].p_vaddr + loaded->segments[i].p_memsz)
            return true;
    return false;
}

/* The loader will still add the load bias to the entries, or bind them: to slots of ours, which start as the entries.
 */
static void redirect_loader(const struct dt_imports *imports, const struct dt_loaded_image *loaded,
                            const uint8_t *reasons, uint64_t *slots)
{
    struct window window = {.loaded = loaded};
    for (uint32_t i = 0; i < imports->count; i++) {
        const struct dt_import *import = &imports->list[i];
        if (reasons[i] != DT_HOOKED)
            continue;
        slots[i] = *(const uint64_t *)(import->place + loaded->bias);
        if (loaded->unrelocated || is_within(loaded, slots[i]))
            write_word(&window, (uint64_t)&import->relocation->r_offset, (uint64_t)&slots[i] - loaded->bias);
    }
    close_window(&window);
}

void dt_imports_divert(const struct dt_imports *imports, const struct dt_loaded_image *loaded, const uint8_t *reasons,
                       const uint64_t *stubs, uint64_t *slots)
{
    struct window window = {.loaded = loaded};
    redirect_loader(imports, loaded, reasons, slots);
    for (uint32_t i = 0; i < imports->count; i++)
        if (reasons[i] == DT_HOOKED)
            write_word(&window, imports->list[i].place + loaded->bias, stubs[i]);
    close_window(&window);
}
