/* Making a plan: reads the image's symbols, decodes its code, and decides for each function. */
#include <stdio.h>
#include <stdlib.h>

#include "decode.h"
#include "leaf.h"
#include "system.h"

/* ---- by name --------------------------------------------------------------------------------- */

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

static const struct {
    const char *name;
    enum dt_runtime_hook hook;
} runtime_hooks[] = {{"_Unwind_RaiseException", DT_HOOK_UNWIND},    {"_Unwind_Resume", DT_HOOK_UNWIND},
                     {"_Unwind_Resume_or_Rethrow", DT_HOOK_UNWIND}, {"_Unwind_ForcedUnwind", DT_HOOK_UNWIND},
                     {"_Unwind_Backtrace", DT_HOOK_BACKTRACE},      {"_Unwind_Find_FDE", DT_HOOK_FIND_FDE},
                     {"__cxa_begin_catch", DT_HOOK_CATCH}};

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

static enum dt_skip_reason reason_by_name(const struct dt_elf_function *function)
{
    const char *name = function->name;
    if (runtime_hook(name) != DT_HOOK_NONE)
        return DT_HOOKED;
    if (dt_is_startup_code(name))
        return DT_SKIP_STARTUP;
    if (function->type == STT_GNU_IFUNC)
        return DT_SKIP_RESOLVER;
    if (strstr(name, ".cold"))
        return DT_SKIP_COLD_PART;
    if (listed(name, unhookable) || has_prefix(name, "uw_") || has_prefix(name, "_Unwind_") ||
        has_prefix(name, "__gxx_") || has_prefix(name, "__gcc_personality"))
        return DT_SKIP_EXCLUDED;
    return DT_HOOKED;
}

/* MPI's calls are ours wherever they are defined; the others only in libraries: a program may have an `omp_` of its
 * own. */
static void classify(struct dt_plan_function *planned, const char *name, bool runtime_library)
{
    enum dt_api_action action;
    enum dt_api_class class = dt_api_classify(name, &action);
    if (!runtime_library && class != DT_API_MPI)
        class = DT_API_NONE;
    planned->api_class = (uint8_t) class;
    planned->action = class == DT_API_NONE ? DT_ACTION_NONE : (uint8_t)action;
    planned->hook = (uint8_t)runtime_hook(name);
}

/* ---- by code --------------------------------------------------------------------------------- */

static uint32_t filler_behind(struct dt_disassembler *disassembler, const struct dt_elf_image *image, uint32_t index,
                              const struct dt_branch_targets *targets)
{
    const struct dt_elf_function *function = &image->functions[index];
    uint64_t end = function->address + function->size;
    uint64_t next = index + 1 < image->function_count ? function[1].address : end;
    if (next <= end || next - end > 64 || !dt_elf_in_text(image, end))
        return 0;
    for (uint64_t address = end; address < next; address++)
        if (dt_branch_targets_has(targets, address))
            return 0;
    return dt_is_filler(disassembler, dt_elf_code(image, end), next - end) ? (uint32_t)(next - end) : 0;
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

/* MPI's functions are plain C and must not be missed: what looks like their return address is a guess that went wrong.
 */
static bool is_mpi(const char *name)
{
    enum dt_api_action action;
    return dt_api_classify(name, &action) == DT_API_MPI;
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
    if (runtime_hook(function->name) == DT_HOOK_NONE && !is_mpi(function->name) &&
        dt_reads_return_address(disassembler, dt_elf_code(image, function->address), function->size))
        return DT_SKIP_RETURN_ADDRESS;
    return DT_HOOKED;
}

uint32_t dt_plan_code_hash(const uint8_t *code, const struct dt_plan_step *steps)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < DT_MOST_STEPS && steps[i].kind != DT_STEP_END; i++)
        for (int k = 0; k < steps[i].length; k++)
            hash = (hash ^ *code++) * 16777619u;
    return hash;
}

/* ---- all together ---------------------------------------------------------------------------- */

static void plan_function(struct dt_plan_function *planned, struct dt_disassembler *disassembler,
                          const struct dt_elf_image *image, uint32_t index, const struct dt_branch_targets *targets,
                          bool runtime_library)
{
    const struct dt_elf_function *function = &image->functions[index];
    planned->address = function->address;
    planned->size = function->size;
    classify(planned, function->name, runtime_library);
    enum dt_skip_reason reason = function->reason;
    if (reason == DT_HOOKED)
        reason = reason_by_name(function);
    if (reason == DT_HOOKED)
        reason = reason_by_code(disassembler, image, index, targets);
    if (reason == DT_HOOKED)
        reason = dt_plan_prologue(disassembler, function->address + image->bias, planned->steps);
    planned->reason = (uint8_t)reason;
    planned->leaf = reason == DT_HOOKED && !planned->hook && planned->api_class == DT_API_NONE &&
                    dt_is_leaf(dt_elf_code(image, function->address), function->size);
    if (reason == DT_HOOKED)
        planned->code_hash = dt_plan_code_hash(dt_elf_code(image, function->address), planned->steps);
}

/* The functions, then their names, in one block. */
static bool allocate(struct dt_plan *plan, const struct dt_elf_image *image)
{
    size_t name_bytes = 1;
    for (uint32_t i = 0; i < image->function_count; i++)
        name_bytes += strlen(image->functions[i].name) + 1;
    size_t table_bytes = image->function_count * sizeof *plan->functions;
    plan->memory_bytes = table_bytes + name_bytes;
    plan->memory = dt_sys_allocate(plan->memory_bytes);
    if (!plan->memory)
        return false;
    plan->functions = plan->memory;
    plan->names = (const char *)plan->memory + table_bytes;
    plan->count = image->function_count;
    plan->name_bytes = (uint32_t)name_bytes;
    return true;
}

static void fill(struct dt_plan *plan, struct dt_disassembler *disassembler, const struct dt_elf_image *image,
                 const struct dt_branch_targets *targets, bool runtime_library)
{
    struct dt_plan_function *functions = plan->memory;
    char *names = (char *)(functions + plan->count);
    uint32_t used = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const char *name = image->functions[i].name;
        plan_function(&functions[i], disassembler, image, i, targets, runtime_library);
        functions[i].name = used;
        memcpy(names + used, name, strlen(name) + 1);
        used += (uint32_t)strlen(name) + 1;
    }
}

/* Engines whose generated code calls their own functions and whose garbage collectors read the return addresses of
 * these calls from the stack. */
static bool walks_its_stack(const struct dt_elf_image *image)
{
    static const char *const defined_by_engines[] = {"JNI_CreateJavaVM", "_ZN2v87Isolate3NewERKNS0_12CreateParamsE",
                                                     NULL};
    for (uint32_t i = 0; i < image->function_count; i++)
        if (listed(image->functions[i].name, defined_by_engines))
            return true;
    return false;
}

static void leave_alone(struct dt_plan *plan)
{
    struct dt_plan_function *functions = plan->memory;
    for (uint32_t i = 0; i < plan->count; i++)
        if (functions[i].reason == DT_HOOKED && !functions[i].hook)
            functions[i].reason = DT_SKIP_STACK_WALKER;
}

bool dt_plan_build(struct dt_plan *plan, const struct dt_loaded_image *loaded)
{
    struct dt_elf_image image;
    struct dt_disassembler disassembler;
    struct dt_branch_targets targets = {0, 0, NULL};
    bool whole = loaded->role == DT_ROLE_WHOLE, built = false;
    if (!dt_elf_open(&image, loaded->path, loaded->bias, loaded->segments, loaded->segment_count))
        return false;
    if (dt_disassembler_open(&disassembler)) {
        built = dt_elf_read_functions(&image, whole ? NULL : wanted_in_library) &&
                (!whole || dt_branch_targets_find(&targets, &disassembler, &image)) && allocate(plan, &image);
        if (built)
            fill(plan, &disassembler, &image, &targets, loaded->runtime_library || !whole);
        if (built && whole && walks_its_stack(&image))
            leave_alone(plan);
        dt_branch_targets_free(&targets);
        dt_disassembler_close(&disassembler);
    }
    dt_elf_close(&image);
    return built;
}
