/* Calls of an image into libraries that are not traced: through its PLT, at the entries of its global offset table. */
#include "native/plan/imports.h"

#include <stdlib.h>
#include <strings.h>
#include <sys/mman.h>

#include "images/function_filter.h"
#include "record/api_rules.h"
#include "record/process.h"
#include "record/signatures.h"

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

static enum dt_skip_reason reason_not_to_hook(const char *name, bool (*is_traced)(const char *name))
{
    if (is_one_of(name, passed_through) || strncmp(name, "_Unwind_", 8) == 0 || dt_is_sanitizer_function(name))
        return DT_SKIP_EXCLUDED;
    /* Recorded at the function itself, or, Fortran's MPI, at the C function that it calls. */
    if (strncasecmp(name + (*name == 'P' || *name == 'p'), "mpi_", 4) == 0 ||
        dt_call_recorded(name) != DT_CALL_UNKNOWN || is_traced(name))
        return DT_SKIP_UNWANTED;
    return dt_is_filtered_out(name) ? DT_SKIP_UNWANTED : DT_HOOKED;
}

static void note_jump(const char *name)
{
    if (dt_process.can_jump || !jumps(name))
        return;
    dt_process.can_jump = true;
    dt_signatures_changed(); /* if the program has handlers, no call is shown to the stubs any more */
}

bool dt_imports_read(struct dt_imports *imports, const struct dt_loaded_image *loaded,
                     bool (*is_traced)(const char *name))
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
        enum dt_skip_reason reason = *name ? reason_not_to_hook(name, is_traced) : DT_SKIP_UNWANTED;
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
