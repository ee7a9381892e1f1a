/* Making a plan: reads the image's symbols, decodes its code, and decides for each function. */
#include <stdio.h>
#include <stdlib.h>

#include "native/plan/named_calls.h"
#include "native/plan/plan_names.h"
#include "native/plan/terminating.h"
#include "native/x86_64/padding.h"
#include "native/x86_64/returns.h"
#include "record/api_rules.h"

/* ---- by code --------------------------------------------------------------------------------- */

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
                                   const struct dt_elf_function *function, const struct dt_branch_targets *targets,
                                   uint32_t bytes)
{
    uint64_t low = function->address + 1, high = function->address + bytes;
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
    return dt_call_recorded(name) == DT_CALL_MPI;
}

/* Why a jump of `bytes` cannot be put there. */
static enum dt_skip_reason reason_by_code(struct dt_disassembler *disassembler, const struct dt_elf_image *image,
                                          uint32_t index, const struct dt_branch_targets *targets, uint32_t bytes)
{
    const struct dt_elf_function *function = &image->functions[index];
    if (!dt_elf_in_text(image, function->address) || function->address == image->entry)
        return DT_SKIP_STARTUP;
    if (function->size < bytes &&
        (!targets->bits || function->size + dt_padding_behind(disassembler, image, index, targets) < bytes))
        return DT_SKIP_TOO_SHORT;
    if (branches_into_prologue(disassembler, image, function, targets, bytes))
        return DT_SKIP_BRANCH_TARGET;
    if (targets->bits && dt_branch_targets_has(targets, function->address) &&
        loops_to_entry(disassembler, image, function))
        return DT_SKIP_BRANCH_TARGET;
    if (dt_plan_hook_of(function->name, true) == DT_HOOK_NONE && !is_mpi(function->name) &&
        dt_reads_return_address(disassembler, dt_elf_code(image, function->address), function->size))
        return DT_SKIP_RETURN_ADDRESS;
    return DT_HOOKED;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* What making the plan of one image takes. */
struct planner {
    struct dt_disassembler disassembler;
    struct dt_elf_image image;
    struct dt_branch_targets targets;
    struct dt_named_calls failing, reporting;
    struct dt_terminating_finder *terminating; /* NULL: they are not looked for */
    struct dt_plan_return *returns;
    uint32_t return_count, return_capacity;
    bool runtime_library;
};

static enum dt_terminating_kind find_terminating_kind(const struct planner *planner,
                                                      const struct dt_plan_function *planned)
{
    if (!planner->terminating || planned->reason != DT_HOOKED || planned->hook || planned->api_class != DT_CALL_UNKNOWN)
        return DT_NOT_TERMINATING;
    return dt_terminating_kind(planner->terminating, dt_elf_code(&planner->image, planned->address), planned->size);
}

static bool has_capacity(struct planner *planner, uint32_t more)
{
    if (planner->return_capacity - planner->return_count >= more)
        return true;
    uint32_t capacity = 2 * planner->return_capacity + more;
    struct dt_plan_return *grown = realloc(planner->returns, capacity * sizeof *grown);
    if (!grown)
        return false;
    planner->returns = grown;
    planner->return_capacity = capacity;
    return true;
}

/* Those of runtime libraries return as ever: programs start faster, and spend little in them. Those of a reporting
 * function are there for images in which it may be none, those of one that loops for runs with times of functions. */
static void plan_returns(struct planner *planner, struct dt_plan_function *planned, uint32_t index)
{
    bool returns_unseen = planned->terminating == DT_TERMINATING && !planned->loops;
    if (planned->reason != DT_HOOKED || returns_unseen || planned->hook || planned->api_class != DT_CALL_UNKNOWN ||
        planner->runtime_library || !planner->terminating || !has_capacity(planner, DT_MOST_RETURNS))
        return;
    const struct dt_elf_function *function = &planner->image.functions[index];
    uint64_t end = function->address + function->size;
    if (index + 1 < planner->image.function_count && function[1].address < end)
        return; /* one within the other */
    uint32_t padding = dt_padding_behind(&planner->disassembler, &planner->image, index, &planner->targets);
    if (padding > 0 && *dt_elf_code(&planner->image, end) == 0)
        padding = 0; /* zeros may be data */
    uint32_t found = dt_find_returns(&planner->terminating->flow, &planner->targets, planned->address,
                                     dt_elf_code(&planner->image, planned->address), planned->size, padding,
                                     dt_plan_relocated_bytes(planned->steps), planner->returns + planner->return_count);
    planned->first_return = planner->return_count;
    planned->return_count = (uint8_t)found;
    planner->return_count += found;
}

/* How the jump finds room at the function's start. */
static enum dt_skip_reason plan_jump(struct planner *planner, struct dt_plan_function *planned, uint32_t index,
                                     uint32_t bytes)
{
    enum dt_skip_reason reason =
        reason_by_code(&planner->disassembler, &planner->image, index, &planner->targets, bytes);
    if (reason == DT_HOOKED)
        reason =
            dt_plan_prologue(&planner->disassembler, planned->address + planner->image.bias, bytes, planned->steps);
    return reason;
}

/* Two bytes have room where five have none: they jump to a springboard in padding nearby. */
static enum dt_skip_reason plan_springboard(struct planner *planner, struct dt_plan_function *planned, uint32_t index)
{
    enum dt_skip_reason reason = plan_jump(planner, planned, index, DT_SHORT_JUMP_BYTES);
    uint32_t relocated = dt_plan_relocated_bytes(planned->steps);
    for (uint32_t i = 1; i < relocated && reason == DT_HOOKED; i++)
        if (dt_branch_targets_has(&planner->targets, planned->address + i))
            reason = DT_SKIP_BRANCH_TARGET;
    if (reason != DT_HOOKED)
        return reason;
    planned->springboard = dt_padding_take(&planner->disassembler, &planner->image, index, &planner->targets);
    return planned->springboard ? DT_HOOKED : DT_SKIP_BRANCH_TARGET;
}

static void plan_function(struct planner *planner, struct dt_plan_function *planned, uint32_t index)
{
    const struct dt_elf_function *function = &planner->image.functions[index];
    planned->address = function->address;
    planned->size = function->size;
    dt_plan_classify(planned, function->name, planner->runtime_library);
    enum dt_skip_reason reason = function->reason;
    if (reason == DT_HOOKED)
        reason = dt_plan_reason_by_name(function, planner->runtime_library);
    if (reason == DT_HOOKED) {
        reason = plan_jump(planner, planned, index, DT_JUMP_BYTES);
        if (reason == DT_SKIP_BRANCH_TARGET && planner->targets.bits)
            reason = plan_springboard(planner, planned, index);
    }
    planned->reason = (uint8_t)reason;
    planned->terminating = (uint8_t)find_terminating_kind(planner, planned);
    planned->loops = planned->terminating && planner->terminating->loops;
    plan_returns(planner, planned, index);
    if (reason == DT_HOOKED)
        planned->code_hash = dt_plan_code_hash(dt_elf_code(&planner->image, function->address), planned->steps);
}

/* The functions, then their names, in one block. */
static bool allocate(struct dt_plan *plan, const struct dt_elf_image *image)
{
    size_t name_bytes = 1;
    for (uint32_t i = 0; i < image->function_count; i++)
        name_bytes += strlen(image->functions[i].name) + 1;
    name_bytes = (name_bytes + 7) & ~(size_t)7;
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

static void fill(struct planner *planner, struct dt_plan *plan)
{
    struct dt_plan_function *functions = plan->memory;
    char *names = (char *)(functions + plan->count);
    uint32_t used = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const char *name = planner->image.functions[i].name;
        plan_function(planner, &functions[i], i);
        functions[i].name = used;
        memcpy(names + used, name, strlen(name) + 1);
        used += (uint32_t)strlen(name) + 1;
    }
}

/* Puts the returns behind the names. */
static bool add_returns(const struct planner *planner, struct dt_plan *plan)
{
    size_t bytes = planner->return_count * sizeof *planner->returns, before = plan->memory_bytes;
    uint8_t *memory = dt_sys_allocate(before + bytes);
    if (!memory)
        return false;
    memcpy(memory, plan->memory, before);
    memcpy(memory + before, planner->returns, bytes);
    plan->functions = (const struct dt_plan_function *)memory;
    plan->names = (const char *)memory + (plan->names - (const char *)plan->memory);
    plan->returns = (const struct dt_plan_return *)(memory + before);
    plan->return_count = planner->return_count;
    dt_sys_munmap(plan->memory, before);
    plan->memory = memory;
    plan->memory_bytes = before + bytes;
    return true;
}

/* Engines that read return addresses from the stack: of what their generated code calls (Java, V8), of their compiled
 * code, which is the image's (OCaml, Go), or of calls into tables that they complete (Mono). Stripping leaves Go's
 * sections; a linker that makes position-independent code merges the table of functions with others. */
static bool walks_its_stack(const struct dt_elf_image *image)
{
    static const char *const defined_by_engines[] = {"JNI_CreateJavaVM",   "_ZN2v87Isolate3NewERKNS0_12CreateParamsE",
                                                     "caml_start_program", "caml_plugin_header",
                                                     "mono_aot_file_info", NULL};
    static const char *const sections_of_go[] = {".gopclntab", ".go.buildinfo", ".note.go.buildid", NULL};
    return dt_elf_defines(image, defined_by_engines) || dt_elf_has_section(image, sections_of_go);
}

static void leave_alone(struct dt_plan *plan)
{
    struct dt_plan_function *functions = plan->memory;
    for (uint32_t i = 0; i < plan->count; i++)
        if (functions[i].reason == DT_HOOKED && !functions[i].hook)
            functions[i].reason = DT_SKIP_STACK_WALKER;
}

static void look_for_terminating(struct planner *planner, const struct dt_loaded_image *loaded)
{
    dt_named_calls_find(&planner->failing, loaded, dt_api_fails);
    dt_named_calls_find(&planner->reporting, loaded, dt_is_reporting_call);
    planner->terminating = malloc(sizeof *planner->terminating);
    if (!planner->terminating)
        return;
    planner->terminating->capstone = planner->disassembler.detailed;
    planner->terminating->insn = planner->disassembler.detailed_insn;
    planner->terminating->ends = planner->terminating->reports = dt_is_named_call;
    planner->terminating->ends_context = &planner->failing;
    planner->terminating->reports_context = &planner->reporting;
}

static bool build(struct planner *planner, struct dt_plan *plan, const struct dt_loaded_image *loaded)
{
    bool whole = loaded->role == DT_ROLE_WHOLE;
    planner->runtime_library = loaded->runtime_library || !whole;
    if (!dt_elf_read_functions(&planner->image, whole ? NULL : dt_plan_wants_in_library) ||
        (whole && !dt_branch_targets_find(&planner->targets, &planner->disassembler, &planner->image)) ||
        !allocate(plan, &planner->image))
        return false;
    if (whole)
        look_for_terminating(planner, loaded);
    fill(planner, plan);
    if (whole && walks_its_stack(&planner->image))
        leave_alone(plan);
    return planner->return_count == 0 || add_returns(planner, plan);
}

bool dt_plan_build(struct dt_plan *plan, const struct dt_loaded_image *loaded)
{
    struct planner planner = {.terminating = NULL};
    bool built = false;
    if (!dt_elf_open(&planner.image, loaded->path, loaded->bias, loaded->segments, loaded->segment_count))
        return false;
    if (dt_disassembler_open(&planner.disassembler)) {
        built = build(&planner, plan, loaded);
        free(planner.terminating);
        free(planner.returns);
        dt_branch_targets_free(&planner.targets);
        dt_disassembler_close(&planner.disassembler);
    }
    dt_elf_close(&planner.image);
    return built;
}
