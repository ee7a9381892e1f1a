/* Memory for stubs within a jump's reach of the image, and the stubs themselves. */
#include "native/patch/arena.h"

#include "native/arguments/api_calls.h"
#include "native/arguments/live_requests.h"
#include "native/stack/open_terminating.h"
#include "native/stack/shadow_stack.h"
#include "record/recorder.h"
#include "record/signatures.h"
#include "record/stub_words.h"
#include "record/timed_functions.h"
#include "system/reserved_memory.h"

extern const uint8_t dt_stub_template[], dt_stub_template_end[], dt_stub_entry[], dt_stub_exit[], dt_stub_api_entry[],
    dt_stub_api_exit[], dt_stub_failure_exit[], dt_stub_timed_exit[], dt_stub_runtime_hook[], dt_stub_pointers[];
extern const uint8_t dt_stub_of_function[], dt_plain_new[], dt_plain_entry[], dt_plain_frame[], dt_plain_word[],
    dt_plain_returned[], dt_plain_index[], dt_plain_left[], dt_plain_else[], dt_plain_entered[], dt_plain_relocated[];
extern const uint8_t dt_stub_terminating[], dt_stub_of_terminating[], dt_terminating_index[], dt_terminating_called[],
    dt_terminating_new[], dt_terminating_entry[], dt_terminating_word[], dt_terminating_relocated[];
extern const uint8_t dt_stub_both[], dt_stub_of_both[], dt_both_index[], dt_both_called[], dt_both_new[],
    dt_both_entry[], dt_both_frame[], dt_both_word[], dt_both_relocated[], dt_stub_return[];

enum {
    DT_USUAL_STUB = 224,     /* bytes, more than enough on average */
    DT_POPULATION = 1 << 16, /* bytes of stubs whose pages are put there at once */
    DT_HOT_MARK = 0x7e570000 /* + offset in struct dt_hot: what stubs.S has for thread-local places */
};

_Static_assert(sizeof(struct dt_hooked_function) == 24 && offsetof(struct dt_hooked_function, exit_address) == 0 &&
                   offsetof(struct dt_hooked_function, action) == 17,
               "stubs.S counts on it");

/* Writes a 32-bit displacement at `place`, counted from `from`; false: too far. */
static bool write_displacement(uint8_t *place, uint64_t from, uint64_t target)
{
    int64_t distance = (int64_t)(target - from);
    int32_t narrow = (int32_t)distance;
    memcpy(place, &narrow, sizeof narrow);
    return narrow == distance;
}

void dt_put_jump(uint64_t address, uint64_t stub)
{
    uint8_t jump[DT_JUMP_BYTES] = {0xe9};
    write_displacement(jump + 1, address + DT_JUMP_BYTES, stub);
    memcpy((void *)address, jump, sizeof jump);
}

/* Puts this process's thread-local offsets where the template has marks. */
static void place_thread_locals(uint8_t *code, size_t bytes)
{
    uint64_t thread_pointer;
    __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
    int64_t offset = (int64_t)((uint64_t)&dt_hot - thread_pointer);
    for (size_t i = 0; i + 4 <= bytes; i++) {
        uint32_t word;
        memcpy(&word, code + i, 4);
        if ((word & ~0x39u) != DT_HOT_MARK)
            continue;
        word = (uint32_t)(offset + (int64_t)(word & 0x39));
        memcpy(code + i, &word, 4);
        i += 3;
    }
}

static uint8_t *in_copy(const struct dt_arena *arena, const uint8_t *label)
{
    return arena->start + (label - dt_stub_template);
}

/* Pages up to `end`, and some more. */
static void populate(struct dt_arena *arena, const uint8_t *end)
{
    while (arena->populated < end && arena->populated < arena->end) {
        size_t left = (size_t)(arena->end - arena->populated);
        size_t bytes = ((left < arena->population ? left : arena->population) + 4095) & ~(size_t)4095;
        dt_sys_populate(arena->populated, bytes);
        arena->populated += bytes;
    }
}

bool dt_arena_create(struct dt_arena *arena, uint64_t low, uint64_t high, const struct dt_arena_contents *contents)
{
    size_t template_bytes = (size_t)(dt_stub_template_end - dt_stub_template);
    size_t stubs = contents->stubs, slots = contents->slots, places = stubs + contents->returns;
    size_t data_bytes = slots * sizeof *arena->slots + places * sizeof *arena->places;
    data_bytes = (data_bytes + 0xfff) & ~(size_t)0xfff;
    size_t code_bytes = stubs * DT_USUAL_STUB + contents->returns * DT_LARGEST_RETURN;
    size_t bytes = (code_bytes + 4096 + template_bytes + data_bytes + 0xffff) & ~(size_t)0xffff;
    arena->start = dt_memory_near(low, high, bytes);
    if (!arena->start)
        return false;
    arena->end = arena->start + bytes - data_bytes;
    arena->slots = (uint64_t *)arena->end;
    arena->places = (struct dt_stub_place *)(arena->slots + slots);
    arena->place_count = 0;
    arena->populated = arena->start;
    arena->population = code_bytes < DT_POPULATION ? template_bytes + code_bytes : DT_POPULATION;
    dt_sys_populate(arena->slots, data_bytes);
    populate(arena, arena->start + template_bytes);
    memcpy(arena->start, dt_stub_template, template_bytes);
    place_thread_locals(arena->start, template_bytes);
    void *const pointers[] = {/* in the order of stubs.S; first what stubs of terminating functions read */
                              dt_function_words,
                              dt_functions,
                              (void *)dt_slow_entry,
                              (void *)dt_slow_exit,
                              (void *)dt_record_pushed_call,
                              (void *)dt_recorder_batch,
                              (void *)dt_api_entry,
                              (void *)dt_api_exit,
                              (void *)dt_runtime_hook,
                              (void *)dt_slow_terminating,
                              &dt_signature_epoch,
                              &dt_requests_epoch,
                              (void *)dt_slow_return,
                              (void *)dt_batched_terminating,
                              dt_timed_functions,
                              (void *)dt_timed_exit};
    memcpy(in_copy(arena, dt_stub_pointers), pointers, sizeof pointers);
    arena->exit = in_copy(arena, dt_stub_exit);
    arena->api_entry = in_copy(arena, dt_stub_api_entry);
    arena->exits[DT_RETURN_PLAIN] = arena->exit;
    arena->exits[DT_RETURN_FAILED] = in_copy(arena, dt_stub_failure_exit);
    arena->exits[DT_RETURN_ASKS] = in_copy(arena, dt_stub_api_exit);
    arena->runtime_hook = in_copy(arena, dt_stub_runtime_hook);
    arena->next = arena->start + ((template_bytes + 63) & ~(size_t)63);
    return true;
}

void dt_arena_seal(const struct dt_arena *arena)
{
    size_t bytes = (size_t)(arena->end - arena->start);
    if (mprotect(arena->start, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        mprotect(arena->start, bytes, PROT_READ | PROT_EXEC);
        dt_stub_words_stop();
    }
    dt_keep_mapped(arena->start, bytes); /* the first instructions of functions are nowhere else */
}

/* ---- stubs ----------------------------------------------------------------------------------- */

static uint8_t *emit_push(uint8_t *at, uint32_t value)
{
    *at++ = 0x68;
    memcpy(at, &value, sizeof value);
    return at + 4;
}

/* Within an arena everything is in reach. */
static uint8_t *emit_branch(uint8_t *at, uint8_t opcode, const uint8_t *target)
{
    *at = opcode;
    write_displacement(at + 1, (uint64_t)at + 5, (uint64_t)target);
    return at + 5;
}

enum { CALL = 0xe8, JUMP = 0xe9, DT_API_STUB_BYTES = 31, DT_HOOK_STUB_BYTES = 10 };

/* No branch of a stub, nor the jump behind the usual five to eleven bytes of relocated instructions, may cross a
 * multiple of 32 or end there: processors from Skylake to Cascade Lake decode it anew every time (erratum JCC). And a
 * stub is to lie within as few lines of the cache as it can. */
static uint32_t place_stub(uint32_t offset, uint32_t bytes)
{
    enum { LINE = 64, FUNCTION = 38, TERMINATING = 53, BOTH = 60 };
    uint32_t place = 0;
    if (bytes == (uint32_t)(dt_plain_relocated - dt_stub_of_function))
        place = FUNCTION;
    else if (bytes == (uint32_t)(dt_terminating_relocated - dt_stub_of_terminating))
        place = TERMINATING;
    else if (bytes == (uint32_t)(dt_both_relocated - dt_stub_of_both))
        place = BOTH;
    return ((offset - place + LINE - 1) & ~(uint32_t)(LINE - 1)) + place;
}

/* The place of the stub begun last, if it came to nothing, is used again. */
static void begin_stub(struct dt_arena *arena, uint32_t bytes)
{
    uint32_t offset = (uint32_t)(arena->next - arena->start);
    if (arena->place_count && arena->places[arena->place_count - 1].stub >= offset)
        arena->place_count--;
    offset = place_stub(offset, bytes);
    arena->next = arena->last = arena->start + offset;
    populate(arena, arena->next + DT_LARGEST_STUB);
    arena->places[arena->place_count++] = (struct dt_stub_place){offset, bytes, 0};
}

/* The call may be left alone: then it goes straight on, and the return address stays. */
static uint8_t *emit_choice(uint8_t *at, const uint8_t *relocated)
{
    static const uint8_t drop[] = {0x48, 0x83, 0xc4, 0x08}; /* add $8, %rsp */
    *at++ = 0x75;                                           /* jnz */
    *at = (uint8_t)(relocated - at - 1);
    memcpy(at + 1, drop, sizeof drop);
    return at + 1 + sizeof drop;
}

uint64_t dt_arena_api_stub(struct dt_arena *arena, uint32_t index, enum dt_api_return at_return)
{
    begin_stub(arena, DT_API_STUB_BYTES);
    dt_stub_word_forget(index);
    const uint8_t *relocated = arena->next + DT_API_STUB_BYTES;
    uint8_t *at = emit_push(arena->next, index);
    at = emit_branch(at, CALL, arena->api_entry);
    at = emit_choice(at, relocated);
    at = emit_branch(at, CALL, relocated);
    uint64_t exit_address = (uint64_t)at;
    at = emit_push(at, index);
    arena->next = emit_branch(at, JUMP, arena->exits[at_return]);
    return exit_address;
}

void dt_arena_jump_through(struct dt_arena *arena, const uint64_t *slot)
{
    arena->next[0] = 0xff; /* jmp *slot(%rip) */
    arena->next[1] = 0x25;
    write_displacement(arena->next + 2, (uint64_t)arena->next + 6, (uint64_t)slot);
    arena->next += 6;
}

/* A copy of what the template has from `start` to `end`. */
struct copy {
    uint8_t *stub;
    const uint8_t *start;
};

static struct copy begin_copy(struct dt_arena *arena, const uint8_t *start, const uint8_t *end)
{
    uint32_t bytes = (uint32_t)(end - start);
    begin_stub(arena, bytes);
    memcpy(arena->next, in_copy(arena, start), bytes);
    arena->next += bytes;
    return (struct copy){arena->last, start};
}

/* What ends at a label of the template. */
static void fill_in(struct copy copy, const uint8_t *label, uint32_t value)
{
    memcpy(copy.stub + (label - copy.start) - sizeof value, &value, sizeof value);
}

static void fill_in_distance(struct copy copy, const uint8_t *label, const uint8_t *target)
{
    fill_in(copy, label, (uint32_t)(target - (copy.stub + (label - copy.start))));
}

/* The function's word is still to come: where it ends, and where calls go until then. */
static void expect_word(struct copy copy, uint32_t index, const uint8_t *entry, const uint8_t *word, const uint8_t *new)
{
    const struct dt_stub_word expected = {copy.stub + (entry - copy.start), (int8_t)(word - entry),
                                          (int8_t)(new - entry)};
    dt_stub_word_expect(index, &expected);
}

uint64_t dt_arena_function_stub(struct dt_arena *arena, uint32_t index)
{
    struct copy copy = begin_copy(arena, dt_stub_of_function, dt_plain_relocated);
    fill_in(copy, dt_plain_frame, index);
    expect_word(copy, index, dt_plain_entry, dt_plain_word, dt_plain_new);
    arena->last = copy.stub + (dt_plain_entry - dt_stub_of_function);
    fill_in(copy, dt_plain_index, index);
    fill_in_distance(copy, dt_plain_left, dt_timed_functions ? in_copy(arena, dt_stub_timed_exit) : arena->exit);
    dt_timed_function_begin(index);
    fill_in(copy, dt_plain_else, index);
    fill_in_distance(copy, dt_plain_entered, in_copy(arena, dt_stub_entry));
    return (uint64_t)copy.stub + (uint64_t)(dt_plain_returned - dt_stub_of_function);
}

void dt_arena_terminating_stub(struct dt_arena *arena, uint32_t index)
{
    struct copy copy = begin_copy(arena, dt_stub_of_terminating, dt_terminating_relocated);
    fill_in(copy, dt_terminating_index, index);
    fill_in_distance(copy, dt_terminating_called, in_copy(arena, dt_stub_terminating));
    expect_word(copy, index, dt_terminating_entry, dt_terminating_word, dt_terminating_new);
    arena->last = copy.stub + (dt_terminating_entry - dt_stub_of_terminating);
}

void dt_arena_both_stub(struct dt_arena *arena, uint32_t index)
{
    struct copy copy = begin_copy(arena, dt_stub_of_both, dt_both_relocated);
    fill_in(copy, dt_both_index, index);
    fill_in_distance(copy, dt_both_called, in_copy(arena, dt_stub_both));
    fill_in(copy, dt_both_frame, index);
    expect_word(copy, index, dt_both_entry, dt_both_word, dt_both_new);
    dt_timed_function_begin(index);
    arena->last = copy.stub + (dt_both_entry - dt_stub_of_both);
}

/* Told, and not diverted. */
void dt_arena_hook_stub(struct dt_arena *arena, uint32_t hook)
{
    begin_stub(arena, DT_HOOK_STUB_BYTES);
    uint8_t *at = emit_push(arena->next, hook);
    arena->next = emit_branch(at, CALL, arena->runtime_hook);
}

/* ---- relocated instructions ---------------------------------------------------------------------- */

const uint8_t dt_relocated_call[DT_RELOCATED_CALL_ADDS] = {0xe8, 1,    0,    0,   0, /* call, over one byte */
                                                           0xcc,                     /* int3 */
                                                           0x48, 0x81, 0x04, 0x24};  /* addq $distance, (%rsp) */

static bool emit_jump(struct dt_arena *arena, uint64_t target)
{
    *arena->next = JUMP;
    bool near = write_displacement(arena->next + 1, (uint64_t)arena->next + 5, target);
    arena->next += 5;
    return near;
}

static bool emit_conditional_jump(struct dt_arena *arena, uint8_t condition, uint64_t target)
{
    arena->next[0] = 0x0f;
    arena->next[1] = 0x80 | condition;
    bool near = write_displacement(arena->next + 2, (uint64_t)arena->next + 6, target);
    arena->next += 6;
    return near;
}

/* A call of the next instruction but one, whose return address is made the original one: so the callee and unwinders
 * see the program's own address. The callee's return is not foreseen, but those of its callers are; and one store has
 * the whole address, because processors do not forward two to the load that a return is, but let it wait until all
 * stores before them are done. */
static bool emit_call(struct dt_arena *arena, uint64_t target, uint64_t return_address)
{
    uint8_t *at = arena->next;
    memcpy(at, dt_relocated_call, DT_RELOCATED_CALL_ADDS);
    bool near =
        write_displacement(at + DT_RELOCATED_CALL_ADDS, (uint64_t)at + DT_RELOCATED_CALL_RETURNS, return_address);
    arena->next = at + DT_RELOCATED_CALL_JUMPS;
    return emit_jump(arena, target) && near;
}

static bool emit_copy(struct dt_arena *arena, const uint8_t *code, const struct dt_plan_step *step)
{
    uint8_t *at = arena->next;
    memcpy(at, code, step->length);
    arena->next += step->length;
    if (step->kind == DT_STEP_COPY)
        return true;
    int32_t displacement;
    memcpy(&displacement, code + step->place, sizeof displacement);
    uint64_t target = (uint64_t)code + step->length + (uint64_t)(int64_t)displacement;
    return write_displacement(at + step->place, (uint64_t)arena->next, target);
}

/* Where a jump, branch or call goes: its displacement ends it. */
static uint64_t branch_target(const uint8_t *code, const struct dt_plan_step *step)
{
    uint64_t next = (uint64_t)code + step->length;
    int32_t displacement;
    if (step->place == 1)
        return next + (uint64_t)(int64_t)(int8_t)code[step->length - 1];
    memcpy(&displacement, code + step->length - 4, sizeof displacement);
    return next + (uint64_t)(int64_t)displacement;
}

static bool emit_step(struct dt_arena *arena, const uint8_t *code, const struct dt_plan_step *step)
{
    switch (step->kind) {
    case DT_STEP_JUMP:
        return emit_jump(arena, branch_target(code, step));
    case DT_STEP_BRANCH:
        return emit_conditional_jump(arena, code[step->length - step->place - 1] & 15, branch_target(code, step));
    default:
        return emit_copy(arena, code, step);
    }
}

bool dt_arena_relocated_code(struct dt_arena *arena, uint64_t from, const struct dt_plan_step *steps)
{
    bool near = true;
    arena->places[arena->place_count - 1].function = (int32_t)((int64_t)from - (int64_t)arena->start);
    for (int i = 0; i < DT_MOST_STEPS && steps[i].kind != DT_STEP_END; i++) {
        const uint8_t *code = (const uint8_t *)from;
        from += steps[i].length;
        if (steps[i].kind == DT_STEP_CALL) /* nothing comes behind it */
            return emit_call(arena, branch_target(code, &steps[i]), from) && near;
        near &= emit_step(arena, code, &steps[i]);
    }
    return emit_jump(arena, from) && near;
}

uint64_t dt_arena_relocated_return(struct dt_arena *arena, uint64_t from, uint32_t relocated)
{
    uint8_t *start = arena->next;
    populate(arena, start + DT_LARGEST_RETURN);
    arena->places[arena->place_count++] =
        (struct dt_stub_place){(uint32_t)(start - arena->start), 0, (int32_t)((int64_t)from - (int64_t)arena->start)};
    memcpy(start, (const void *)from, relocated);
    arena->next = emit_branch(start + relocated, JUMP, in_copy(arena, dt_stub_return));
    return (uint64_t)start;
}
