/* One image: decides for each of its functions, writes their stubs, and puts the jumps into the code. */
#include "images.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include "system.h"

/* ---- which functions ------------------------------------------------------------------------- */

/* Their return address, or the stack they return on, is part of what they do. */
static const char *const unhookable[] = {"setjmp",
                                         "_setjmp",
                                         "__sigsetjmp",
                                         "sigsetjmp",
                                         "savectx",
                                         "vfork",
                                         "__vfork",
                                         "getcontext",
                                         "swapcontext",
                                         "makecontext",
                                         "setcontext",
                                         "__getcontext",
                                         "__setcontext",
                                         "longjmp",
                                         "siglongjmp",
                                         "_longjmp",
                                         "__longjmp_chk",
                                         "dlopen",
                                         "dlsym",
                                         "dlvsym",
                                         "dlmopen",
                                         "dlclose",
                                         "dladdr",
                                         "dladdr1",
                                         "dlinfo",
                                         "clone",
                                         "__clone",
                                         "__clone3",
                                         "fork",
                                         "__libc_fork",
                                         "__fork",
                                         "_Fork",
                                         "backtrace",
                                         "__restore_rt",
                                         "__start_context",
                                         "__tls_get_addr",
                                         "___tls_get_addr",
                                         "_dl_runtime_resolve",
                                         "__morestack",
                                         "mcount",
                                         "_mcount",
                                         "__fentry__",
                                         "__cyg_profile_func_enter",
                                         "__cyg_profile_func_exit",
                                         NULL};

static const char *const startup[] = {"_start",
                                      "_init",
                                      "_fini",
                                      "__libc_start_main",
                                      "__gmon_start__",
                                      "monstartup",
                                      "__monstartup",
                                      "_dl_relocate_static_pie",
                                      "frame_dummy",
                                      "register_tm_clones",
                                      "deregister_tm_clones",
                                      "__do_global_dtors_aux",
                                      NULL};

static const struct {
    const char *name;
    enum dt_runtime_hook hook;
} runtime_hooks[] = {{"_Unwind_RaiseException", DT_HOOK_UNWIND},    {"_Unwind_Resume", DT_HOOK_UNWIND},
                     {"_Unwind_Resume_or_Rethrow", DT_HOOK_UNWIND}, {"_Unwind_ForcedUnwind", DT_HOOK_UNWIND},
                     {"_Unwind_Backtrace", DT_HOOK_UNWIND},         {"__cxa_begin_catch", DT_HOOK_CATCH}};

static bool listed(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static enum dt_runtime_hook runtime_hook(const char *name)
{
    for (size_t i = 0; i < sizeof runtime_hooks / sizeof *runtime_hooks; i++)
        if (strcmp(name, runtime_hooks[i].name) == 0)
            return runtime_hooks[i].hook;
    return DT_HOOK_NONE;
}

/* In images that are not traced as a whole. */
static bool wanted_in_library(const char *name)
{
    enum dt_api_action action;
    return runtime_hook(name) != DT_HOOK_NONE || dt_api_classify(name, &action) != DT_API_NONE;
}

static bool matches(const char *expression, const char *name)
{
    regex_t compiled;
    if (!*expression || regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool found = regexec(&compiled, name, 0, NULL, 0) == 0;
    regfree(&compiled);
    return found;
}

bool dt_is_filtered_out(const char *name)
{
    const struct dt_options *options = &dt_process.options;
    return (*options->include && !matches(options->include, name)) || matches(options->exclude, name);
}

static enum dt_skip_reason reason_by_name(const struct dt_elf_function *function)
{
    const char *name = function->name;
    if (function->hook)
        return DT_HOOKED;
    if (listed(name, startup))
        return DT_SKIP_STARTUP;
    if (function->type == STT_GNU_IFUNC)
        return DT_SKIP_RESOLVER;
    if (strstr(name, ".cold"))
        return DT_SKIP_COLD_PART;
    if (listed(name, unhookable) || has_prefix(name, "uw_") || has_prefix(name, "_Unwind_") ||
        has_prefix(name, "__gxx_") || has_prefix(name, "__gcc_personality"))
        return DT_SKIP_EXCLUDED;
    return dt_is_filtered_out(name) && !function->api_class ? DT_SKIP_UNWANTED : DT_HOOKED;
}

/* MPI's calls are ours wherever they are defined; the others only in libraries: a program may have an `omp_` of its
 * own. */
static void classify(struct dt_elf_function *function, bool runtime_library)
{
    enum dt_api_action action;
    enum dt_api_class class = dt_api_classify(function->name, &action);
    if (!runtime_library && class != DT_API_MPI)
        class = DT_API_NONE;
    function->api_class = (uint8_t) class;
    function->action = class == DT_API_NONE ? DT_ACTION_NONE : (uint8_t)action;
    function->hook = (uint8_t)runtime_hook(function->name);
}

/* ---- whether they can be hooked -------------------------------------------------------------- */

/* Filler between functions: no-ops, int3, zeros. */
static bool is_filler(struct dt_disassembler *disassembler, const uint8_t *code, size_t bytes)
{
    uint64_t address = 0;
    while (bytes) {
        if (*code == 0xcc || *code == 0x90 || *code == 0) {
            code++;
            bytes--;
        } else if (!cs_disasm_iter(disassembler->plain, &code, &bytes, &address, disassembler->plain_insn) ||
                   disassembler->plain_insn->id != X86_INS_NOP) {
            return false;
        }
    }
    return true;
}

static uint32_t filler_behind(struct dt_disassembler *disassembler, const struct dt_elf_image *image, uint32_t index,
                              const struct dt_branch_targets *targets)
{
    const struct dt_elf_function *function = &image->functions[index];
    uint64_t end = function->address + function->size;
    uint64_t next = index + 1 < image->own_functions ? function[1].address : end;
    if (next <= end || next - end > 64 || !dt_elf_in_text(image, end))
        return 0;
    for (uint64_t address = end; address < next; address++)
        if (dt_branch_targets_has(targets, address))
            return 0;
    return is_filler(disassembler, dt_elf_code(image, end), next - end) ? (uint32_t)(next - end) : 0;
}

/* True if the function has a branch to low..high within itself. */
static bool branches_within(struct dt_disassembler *disassembler, const struct dt_elf_image *image,
                            const struct dt_elf_function *function, uint64_t low, uint64_t high)
{
    uint8_t bits = 0;
    struct dt_branch_targets own = {low, high, &bits};
    dt_branch_targets_sweep(&own, disassembler, dt_elf_code(image, function->address), function->size,
                            function->address);
    return bits != 0;
}

static bool branches_into_prologue(struct dt_disassembler *disassembler, const struct dt_elf_image *image,
                                   const struct dt_elf_function *function, const struct dt_branch_targets *targets)
{
    uint64_t low = function->address + 1, high = function->address + DT_JUMP_BYTES;
    if (!targets->bits)
        return dt_may_branch_into_prologue(dt_elf_code(image, function->address), function->size) &&
               branches_within(disassembler, image, function, low, high);
    for (uint64_t address = low; address < high; address++)
        if (dt_branch_targets_has(targets, address))
            return true;
    return false;
}

/* A branch back to the entry itself would run the hook once an iteration. */
static bool loops_to_entry(struct dt_disassembler *disassembler, const struct dt_elf_image *image,
                           const struct dt_elf_function *function)
{
    return branches_within(disassembler, image, function, function->address, function->address + 1);
}

static enum dt_skip_reason reason_by_code(struct dt_disassembler *disassembler, const struct dt_elf_image *image,
                                          uint32_t index, const struct dt_branch_targets *targets)
{
    const struct dt_elf_function *function = &image->functions[index];
    if (!dt_elf_in_text(image, function->address) || function->address == image->entry)
        return DT_SKIP_STARTUP;
    if (function->size < DT_JUMP_BYTES &&
        (!targets->bits || function->size + filler_behind(disassembler, image, index, targets) < DT_JUMP_BYTES))
        return DT_SKIP_TOO_SHORT;
    if (branches_into_prologue(disassembler, image, function, targets))
        return DT_SKIP_BRANCH_TARGET;
    if (targets->bits && dt_branch_targets_has(targets, function->address) &&
        loops_to_entry(disassembler, image, function))
        return DT_SKIP_BRANCH_TARGET;
    if (!function->hook && dt_reads_return_address(disassembler, dt_elf_code(image, function->address), function->size))
        return DT_SKIP_RETURN_ADDRESS;
    return DT_HOOKED;
}

/* ---- hooking --------------------------------------------------------------------------------- */

static uint64_t *import_slot(const struct dt_arena *arena, const struct dt_elf_image *image,
                             const struct dt_elf_function *function)
{
    return arena->slots + (function - image->functions - image->own_functions);
}

static void register_function(const struct dt_elf_image *image, const struct dt_elf_function *function,
                              uint32_t image_index, bool own_image, uint64_t exit_address)
{
    dt_functions[dt_function_count++] = (struct dt_hooked_function){.exit_address = exit_address,
                                                                    .image = image_index,
                                                                    .symbol = (uint32_t)(function - image->functions),
                                                                    .api_class = function->api_class,
                                                                    .action = function->action,
                                                                    .own_image = own_image,
                                                                    .import = function->import != NULL};
}

/* Writes the stub; the jump to it comes last, when all stubs of the image stand. */
static enum dt_skip_reason write_stub(struct dt_disassembler *disassembler, struct dt_arena *arena,
                                      const struct dt_elf_image *image, struct dt_elf_function *function,
                                      uint32_t image_index, bool own_image)
{
    uint8_t *start = arena->next;
    uint64_t exit_address = 0;
    enum dt_skip_reason reason = DT_HOOKED;
    if (arena->end - arena->next < 256)
        return DT_SKIP_OUT_OF_REACH;
    if (function->hook)
        dt_arena_hook_stub(arena, function->hook);
    else
        exit_address = dt_arena_function_stub(arena, dt_function_count, function->api_class != DT_API_NONE);
    if (function->import)
        dt_arena_jump_through(arena, import_slot(arena, image, function));
    else
        reason = dt_relocate_prologue(disassembler, arena, function->address + image->bias);
    if (reason != DT_HOOKED) {
        arena->next = start;
        return reason;
    }
    if (!function->hook)
        register_function(image, function, image_index, own_image, exit_address);
    arena->next = (uint8_t *)(((uint64_t)arena->next + 15) & ~15ul);
    return DT_HOOKED;
}

static void make_writable(const struct dt_elf_image *image, bool writable)
{
    for (int i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uint64_t low = (segment->p_vaddr + image->bias) & ~4095ul;
        uint64_t high = (segment->p_vaddr + image->bias + segment->p_memsz + 4095) & ~4095ul;
        mprotect((void *)low, high - low, PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0));
    }
}

static void put_jump(uint64_t address, uint64_t stub)
{
    uint8_t jump[DT_JUMP_BYTES] = {0xe9};
    dt_write_displacement(jump + 1, address + DT_JUMP_BYTES, stub);
    memcpy((void *)address, jump, sizeof jump);
}

void dt_write_jump(uint64_t address, uint64_t stub)
{
    uint64_t low = address & ~4095ul, bytes = ((address + DT_JUMP_BYTES + 4095) & ~4095ul) - low;
    if (mprotect((void *)low, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    put_jump(address, stub);
    mprotect((void *)low, bytes, PROT_READ | PROT_EXEC);
}

bool dt_is_empty_function(struct dt_disassembler *disassembler, const uint8_t *code)
{
    static const uint8_t branch_mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    if (memcmp(code, branch_mark, sizeof branch_mark) == 0)
        code += sizeof branch_mark;
    return *code == 0xc3 && is_filler(disassembler, code + 1, DT_JUMP_BYTES - 1);
}

static void count_hooks(const struct dt_elf_image *image, struct dt_image *record)
{
    for (uint32_t i = 0; i < image->function_count; i++) {
        if (image->functions[i].hook)
            continue;
        if (image->functions[i].reason == DT_HOOKED)
            record->hooked++;
        else
            record->skipped++;
    }
}

/* Decides, and writes the stubs of those that can be hooked. */
static void write_stubs(struct dt_elf_image *image, struct dt_disassembler *disassembler,
                        const struct dt_branch_targets *targets, struct dt_arena *arena, uint64_t *stubs,
                        uint32_t image_index, bool own_image)
{
    for (uint32_t i = 0; i < image->function_count; i++) {
        struct dt_elf_function *function = &image->functions[i];
        if (function->reason == DT_HOOKED && !function->import)
            function->reason = (uint8_t)reason_by_name(function);
        if (function->reason == DT_HOOKED && !function->import)
            function->reason = (uint8_t)reason_by_code(disassembler, image, i, targets);
        if (function->reason != DT_HOOKED)
            continue;
        stubs[i] = (uint64_t)arena->next;
        function->reason = (uint8_t)write_stub(disassembler, arena, image, function, image_index, own_image);
    }
}

static void write_jumps(const struct dt_elf_image *image, const struct dt_arena *arena, const uint64_t *stubs,
                        bool unrelocated)
{
    make_writable(image, true);
    for (uint32_t i = 0; i < image->own_functions; i++)
        if (image->functions[i].reason == DT_HOOKED)
            put_jump(image->functions[i].address + image->bias, stubs[i]);
    make_writable(image, false);
    for (uint32_t i = image->own_functions; i < image->function_count; i++)
        if (image->functions[i].reason == DT_HOOKED)
            dt_import_divert(image, &image->functions[i], stubs[i], import_slot(arena, image, &image->functions[i]),
                             unrelocated);
}

static void hook_functions(struct dt_elf_image *image, struct dt_disassembler *disassembler,
                           const struct dt_branch_targets *targets, uint32_t image_index,
                           const struct dt_loaded_image *loaded)
{
    struct dt_arena arena;
    bool own_image = loaded->role == DT_ROLE_WHOLE && !loaded->runtime_library;
    uint64_t *stubs = calloc(image->function_count, sizeof *stubs);
    if (stubs && dt_functions_reserve(image->function_count) &&
        dt_arena_create(&arena, image->low + image->bias, image->high + image->bias,
                        (size_t)image->function_count * 128 + 4096, image->function_count - image->own_functions)) {
        write_stubs(image, disassembler, targets, &arena, stubs, image_index, own_image);
        dt_arena_seal(&arena);
        write_jumps(image, &arena, stubs, loaded->unrelocated);
    } else {
        for (uint32_t i = 0; i < image->function_count; i++)
            image->functions[i].reason = DT_SKIP_OUT_OF_REACH;
    }
    free(stubs);
}

static void copy_path(struct dt_image *record, const char *path)
{
    size_t length = strlen(path), room = sizeof record->path - 1;
    if (length <= room)
        memcpy(record->path, path, length);
    else
        snprintf(record->path, sizeof record->path, "...%s", path + length - room + 3);
}

bool dt_hook_image(const struct dt_loaded_image *loaded, uint32_t image_index, struct dt_disassembler *disassembler,
                   struct dt_image *record)
{
    struct dt_elf_image image;
    struct dt_branch_targets targets = {0, 0, NULL};
    bool whole = loaded->role == DT_ROLE_WHOLE, hooked = false;
    memset(record, 0, sizeof *record);
    if (!dt_elf_open(&image, loaded->path, loaded->bias, loaded->segments, loaded->segment_count))
        return false;
    if (!whole)
        strncat(image.key, "-api", sizeof image.key - strlen(image.key) - 1);
    if (dt_elf_read_functions(&image, whole ? NULL : wanted_in_library) && image.function_count &&
        (!whole ||
         (dt_branch_targets_find(&targets, disassembler, &image) && dt_imports_read(&image, loaded->dynamic)))) {
        for (uint32_t i = 0; i < image.own_functions; i++)
            classify(&image.functions[i], loaded->runtime_library || !whole);
        hook_functions(&image, disassembler, &targets, image_index, loaded);
        count_hooks(&image, record);
        hooked = record->hooked + record->skipped > 0;
    }
    if (hooked) {
        dt_symbol_file_write(&image);
        record->index = image_index + 1;
        record->flags = (loaded->main_image ? DT_IMAGE_MAIN : 0) | (whole ? 0 : DT_IMAGE_API_ONLY);
        record->load_bias = loaded->bias;
        memcpy(record->key, image.key, sizeof record->key);
        copy_path(record, loaded->path);
    }
    dt_branch_targets_free(&targets);
    dt_elf_close(&image);
    return hooked;
}
