/* One image: writes the stubs of its functions and imports by its plan, and puts the jumps into the code. */
#include <stdio.h>
#include <stdlib.h>

#include "images/function_filter.h"
#include "native/arguments/api_calls.h"
#include "native/arguments/calls.h"
#include "native/patch/arena.h"
#include "native/patch/images.h"
#include "native/plan/symbol_file.h"
#include "native/plan/terminating.h"
#include "native/stack/open_terminating.h"
#include "native/stack/unwind_info.h"
#include "native/x86_64/returns.h"
#include "record/debug.h"
#include "record/switch.h"

/* ---- stubs ----------------------------------------------------------------------------------- */

/* What is being hooked: the plan's functions, then the imports, numbered alike. */
struct work {
    const struct dt_loaded_image *loaded;
    struct dt_plan plan;
    struct dt_imports imports;
    uint32_t image_index;
    struct dt_arena arena;
    uint64_t *returns; /* by number among the plan's: where they jump to; 0: they stay as they are */
    uint64_t *stubs;   /* by number; only where the reason is DT_HOOKED */
    uint8_t *reasons;  /* by number; enum dt_skip_reason */
    bool reports_seen; /* reporting functions may terminate */
};

static uint32_t count_all(const struct work *work)
{
    return work->plan.count + work->imports.count;
}

static struct dt_hooked_function describe_function(const struct work *work, uint32_t number)
{
    struct dt_hooked_function function = {
        .image = work->image_index,
        .symbol = number,
        .own_image = work->loaded->role == DT_ROLE_WHOLE && !work->loaded->runtime_library,
        .import = number >= work->plan.count,
    };
    if (!function.import) {
        const char *name = work->plan.names + work->plan.functions[number].name;
        function.api_class = work->plan.functions[number].api_class;
        function.action = work->plan.functions[number].action;
        dt_switch_classify(&function, name);
        function.call = function.api_class == DT_CALL_UNKNOWN ? 0 : dt_call_shape_find(name);
        dt_call_classify(&function, name);
    }
    return function;
}

static void describe_terminating(struct dt_hooked_function *function, uint64_t address, uint32_t bytes)
{
    function->terminating = true;
    function->terminating_address = address;
    function->terminating_bytes = (uint16_t)bytes;
}

/* The plan's steps, or new ones where somebody else has patched the code meanwhile (UCX does, for memory calls). */
static enum dt_skip_reason find_steps(const struct dt_plan_function *function, uint64_t address,
                                      struct dt_plan_step *steps, bool *as_planned)
{
    struct dt_disassembler disassembler;
    memcpy(steps, function->steps, sizeof function->steps);
    *as_planned = dt_plan_code_hash((const uint8_t *)address, steps) == function->code_hash;
    if (*as_planned)
        return DT_HOOKED;
    if (function->springboard)
        return DT_SKIP_BRANCH_TARGET;
    if (!dt_disassembler_open(&disassembler))
        return DT_SKIP_UNDECODABLE;
    enum dt_skip_reason reason = dt_plan_prologue(&disassembler, address, DT_JUMP_BYTES, steps);
    dt_disassembler_close(&disassembler);
    return reason;
}

static bool has_planned_returns(const struct work *work, const struct dt_plan_function *planned)
{
    const uint8_t *code = (const uint8_t *)(planned->address + work->loaded->bias);
    const struct dt_plan_return *returns = work->plan.returns + planned->first_return;
    for (uint32_t i = 0; i < planned->return_count; i++)
        if (dt_plan_return_hash(code, &returns[i]) != returns[i].hash)
            return false;
    return planned->return_count > 0;
}

static void write_returns(struct work *work, const struct dt_plan_function *planned)
{
    uint64_t address = planned->address + work->loaded->bias;
    for (uint32_t i = 0; i < planned->return_count; i++) {
        const struct dt_plan_return *one = &work->plan.returns[planned->first_return + i];
        work->returns[planned->first_return + i] =
            dt_arena_relocated_return(&work->arena, address + one->offset, one->relocated);
    }
}

/* One that loops may take long: where functions are timed its return has to be seen. */
static bool is_terminating(const struct work *work, const struct dt_plan_function *planned)
{
    if (planned->loops && dt_process.options.function_times)
        return false;
    return planned->terminating == DT_TERMINATING || (planned->terminating == DT_TERMINATING_REPORTING &&
                                                      work->reports_seen && dt_terminating_reports(dt_function_count));
}

static void write_head(struct work *work, const struct dt_plan_function *planned, struct dt_hooked_function *function,
                       bool as_planned)
{
    if (planned->hook) {
        dt_arena_hook_stub(&work->arena, planned->hook);
    } else if (as_planned && !function->switches && is_terminating(work, planned)) {
        dt_arena_terminating_stub(&work->arena, dt_function_count);
        describe_terminating(function, planned->address + work->loaded->bias, planned->size);
    } else if (as_planned && !function->switches && has_planned_returns(work, planned)) {
        dt_arena_both_stub(&work->arena, dt_function_count);
        function->both_ends = true;
    } else if (function->api_class == DT_CALL_UNKNOWN) {
        function->exit_address = dt_arena_function_stub(&work->arena, dt_function_count);
    } else {
        enum dt_api_return at_return = dt_api_returns(function);
        function->asks_at_return = at_return == DT_RETURN_ASKS;
        function->exit_address = dt_arena_api_stub(&work->arena, dt_function_count, at_return);
    }
}

static enum dt_skip_reason write_function_stub(struct work *work, uint32_t number)
{
    const struct dt_plan_function *planned = &work->plan.functions[number];
    struct dt_hooked_function function = describe_function(work, number);
    uint64_t address = planned->address + work->loaded->bias;
    struct dt_plan_step steps[DT_MOST_STEPS];
    bool as_planned;
    enum dt_skip_reason reason = find_steps(planned, address, steps, &as_planned);
    if (reason != DT_HOOKED)
        return reason;
    write_head(work, planned, &function, as_planned);
    if (!dt_arena_relocated_code(&work->arena, address, steps))
        return DT_SKIP_OUT_OF_REACH;
    if (function.both_ends)
        write_returns(work, planned);
    if (!planned->hook)
        dt_functions[dt_function_count++] = function;
    return DT_HOOKED;
}

static void write_import_stub(struct work *work, uint32_t number)
{
    struct dt_hooked_function function = describe_function(work, number);
    const uint64_t *slot = &work->arena.slots[number - work->plan.count];
    const char *name = work->imports.list[number - work->plan.count].name;
    if (dt_is_terminating_import(name) && dt_is_name_of_c_library(name)) {
        dt_arena_terminating_stub(&work->arena, dt_function_count);
        describe_terminating(&function, (uint64_t)slot, 0);
    } else {
        function.exit_address = dt_arena_function_stub(&work->arena, dt_function_count);
        function.reports = work->reports_seen && dt_is_reporting_call(name);
    }
    dt_arena_jump_through(&work->arena, slot);
    dt_functions[dt_function_count++] = function;
}

static enum dt_skip_reason first_reason(const struct work *work, uint32_t number)
{
    if (number >= work->plan.count)
        return work->imports.list[number - work->plan.count].reason;
    const struct dt_plan_function *function = &work->plan.functions[number];
    if (function->reason == DT_HOOKED && !function->hook && function->api_class == DT_CALL_UNKNOWN &&
        dt_is_filtered_out(work->plan.names + function->name))
        return DT_SKIP_UNWANTED;
    return function->reason;
}

/* What reporting functions call is recorded where they call it: then it can open them again. There is one, for the
 * calls take longer then. */
static bool are_reports_seen(const struct work *work)
{
    bool any = false;
    for (uint32_t i = 0; i < work->plan.count; i++)
        any |= work->plan.functions[i].terminating == DT_TERMINATING_REPORTING;
    for (uint32_t i = 0; any && i < work->imports.count; i++)
        if (work->imports.list[i].reason != DT_HOOKED && dt_is_reporting_call(work->imports.list[i].name))
            return false;
    return any;
}

static void write_stubs(struct work *work)
{
    work->reports_seen = are_reports_seen(work);
    for (uint32_t number = 0; number < count_all(work); number++) {
        uint8_t *start = work->arena.next;
        enum dt_skip_reason reason = first_reason(work, number);
        if (reason == DT_HOOKED && work->arena.end - start < DT_LARGEST_STUB + DT_MOST_RETURNS * DT_LARGEST_RETURN)
            reason = DT_SKIP_OUT_OF_REACH;
        if (reason == DT_HOOKED && number < work->plan.count)
            reason = write_function_stub(work, number);
        else if (reason == DT_HOOKED)
            write_import_stub(work, number);
        work->reasons[number] = (uint8_t)reason;
        if (reason == DT_HOOKED)
            work->stubs[number] = (uint64_t)work->arena.last;
        else
            work->arena.next = start;
    }
}

/* ---- jumps ----------------------------------------------------------------------------------- */

/* False: the system forbids it. */
static bool make_writable(const struct dt_loaded_image *loaded, bool writable)
{
    bool done = true;
    for (int i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uint64_t low = (segment->p_vaddr + loaded->bias) & ~4095ul;
        uint64_t high = (segment->p_vaddr + loaded->bias + segment->p_memsz + 4095) & ~4095ul;
        done &= mprotect((void *)low, high - low, PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0)) == 0;
    }
    return done;
}

/* Where the last jump of the function is, from its start. */
static uint64_t last_jump(const struct dt_plan *plan, const struct dt_plan_function *planned)
{
    return planned->return_count ? plan->returns[planned->first_return + planned->return_count - 1u].offset : 0;
}

/* The pages of jumps, and those between a function's. */
static void copy_pages(const struct work *work)
{
    uint64_t low = 0, high = 0;
    for (uint32_t i = 0; i < work->plan.count; i++) {
        if (first_reason(work, i) != DT_HOOKED)
            continue;
        const struct dt_plan_function *planned = &work->plan.functions[i];
        uint64_t address = planned->address + work->loaded->bias;
        uint64_t first = address & ~4095ul;
        uint64_t end = (address + last_jump(&work->plan, planned) + DT_JUMP_BYTES + 4095) & ~4095ul;
        if (first > high) {
            dt_sys_populate((void *)low, high - low);
            low = first;
        }
        high = end > high ? end : high;
    }
    dt_sys_populate((void *)low, high - low);
}

static void divert_function(const struct dt_plan_function *planned, uint64_t bias, uint64_t stub)
{
    uint64_t address = planned->address + bias;
    if (!planned->springboard) {
        dt_put_jump(address, stub);
        return;
    }
    const uint8_t jump[DT_SHORT_JUMP_BYTES] = {0xeb, (uint8_t)planned->springboard};
    dt_put_jump(address + DT_SHORT_JUMP_BYTES + (uint64_t)(int64_t)planned->springboard, stub);
    memcpy((void *)address, jump, sizeof jump);
}

static void divert_return(const struct work *work, const struct dt_plan_function *planned, uint32_t number)
{
    if (work->returns[number])
        dt_put_jump(planned->address + work->loaded->bias + work->plan.returns[number].offset, work->returns[number]);
}

static void divert(const struct work *work)
{
    for (uint32_t i = 0; i < work->plan.count; i++)
        if (work->reasons[i] == DT_HOOKED)
            divert_function(&work->plan.functions[i], work->loaded->bias, work->stubs[i]);
    for (uint32_t i = 0; i < work->plan.count; i++)
        for (uint32_t k = 0; k < work->plan.functions[i].return_count; k++)
            divert_return(work, &work->plan.functions[i], work->plan.functions[i].first_return + k);
    dt_imports_divert(&work->imports, work->loaded, work->reasons + work->plan.count, work->stubs + work->plan.count,
                      work->arena.slots);
}

/* ---- an image -------------------------------------------------------------------------------- */

static bool create_arena(struct work *work)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (int i = 0; i < work->loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &work->loaded->segments[i];
        if (segment->p_type != PT_LOAD)
            continue;
        low = segment->p_vaddr < low ? segment->p_vaddr : low;
        high = segment->p_vaddr + segment->p_memsz > high ? segment->p_vaddr + segment->p_memsz : high;
    }
    const struct dt_arena_contents contents = {count_all(work), work->imports.count, work->plan.return_count};
    return dt_arena_create(&work->arena, low + work->loaded->bias, high + work->loaded->bias, &contents);
}

static struct dt_described_image describe_image(const struct dt_loaded_image *loaded)
{
    struct dt_described_image image = {0, 0, NULL};
    for (int i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        uint64_t start = segment->p_vaddr + loaded->bias;
        if (segment->p_type == PT_GNU_EH_FRAME) {
            image.frame_table = (const uint8_t *)start;
        } else if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) {
            image.code_low = start;
            image.code_high = start + segment->p_memsz;
        }
    }
    return image;
}

static void hook_writable(struct work *work)
{
    copy_pages(work);
    write_stubs(work);
    dt_arena_seal(&work->arena);
    struct dt_described_image image = describe_image(work->loaded);
    dt_unwind_info_add(&work->arena, &image);
    dt_perf_map_add(&work->arena, &work->plan, work->loaded->bias);
    divert(work);
}

static void hook_all(struct work *work)
{
    if (!dt_functions_reserve(count_all(work)) || !create_arena(work)) {
        memset(work->reasons, DT_SKIP_OUT_OF_REACH, count_all(work));
        return;
    }
    if (make_writable(work->loaded, true))
        hook_writable(work);
    else
        memset(work->reasons, DT_SKIP_WRITE_PROTECTED, count_all(work));
    make_writable(work->loaded, false);
}

static void describe(const struct work *work, struct dt_image *record)
{
    for (uint32_t number = 0; number < count_all(work); number++) {
        if (number < work->plan.count && work->plan.functions[number].hook)
            continue;
        if (work->reasons[number] == DT_HOOKED)
            record->hooked++;
        else if (work->reasons[number] != DT_SKIP_UNWANTED)
            record->skipped++;
    }
    record->index = work->image_index + 1;
    record->flags =
        (work->loaded->main_image ? DT_IMAGE_MAIN : 0) | (work->loaded->role == DT_ROLE_WHOLE ? 0 : DT_IMAGE_API_ONLY);
    record->load_bias = work->loaded->bias;
    memcpy(record->key, work->plan.key, sizeof record->key);
    dt_image_set_path(record, work->loaded->path);
}

bool dt_hook_image(const struct dt_loaded_image *loaded, uint32_t image_index, struct dt_image *record)
{
    struct work work = {.loaded = loaded, .image_index = image_index};
    memset(record, 0, sizeof *record);
    if (dt_image_is_go(loaded))
        dt_process.has_go = true;
    if (!dt_plan_get(&work.plan, loaded))
        return false;
    bool ready = loaded->role != DT_ROLE_WHOLE || dt_imports_read(&work.imports, loaded, dt_is_traced_name);
    if (ready && count_all(&work)) {
        work.stubs = calloc(count_all(&work), sizeof *work.stubs);
        work.reasons = calloc(count_all(&work), sizeof *work.reasons);
        work.returns = calloc(work.plan.return_count + 1, sizeof *work.returns);
        if (work.stubs && work.reasons && work.returns) {
            hook_all(&work);
            describe(&work, record);
            dt_debug(DT_DEBUG_PATCH, "functions hooked:", record->hooked, loaded->path);
            dt_symbol_file_write(&work.plan, work.reasons, &work.imports);
        }
    }
    free(work.stubs);
    free(work.returns);
    free(work.reasons);
    dt_imports_free(&work.imports);
    dt_plan_release(&work.plan);
    return record->hooked + record->skipped > 0;
}
