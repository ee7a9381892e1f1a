/* The instructions of .eh_frame, as far as they say where a frame ends and where rbp is kept. */
#include "images/frame_rules.h"

#include <string.h>

enum { DT_RBP = 6, DT_RSP = 7, DT_DEEPEST = 8 };

const uint8_t *dt_frame_description_find(const uint8_t *table, uint64_t address, uint64_t *start)
{
    /* Version 1, entries of sdata4 relative to the table: what every linker writes. */
    if (!table || table[0] != 1 || table[2] != 3 || table[3] != 0x3b)
        return NULL;
    int32_t entry[2] = {0, 0};
    uint32_t low = 0, high;
    memcpy(&high, table + 8, sizeof high);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        memcpy(entry, table + 12 + 8 * (size_t)middle, sizeof entry);
        if ((uint64_t)table + (uint64_t)(int64_t)entry[0] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    memcpy(entry, table + 12 + 8 * (size_t)(low - 1), sizeof entry);
    *start = (uint64_t)table + (uint64_t)(int64_t)entry[0];
    return table + entry[1];
}

/* ---- reading --------------------------------------------------------------------------------- */

struct rules {
    uint64_t frame_register;
    int64_t frame, saved; /* saved: from the frame's end, in words of the data alignment; 0: not saved */
};

struct program {
    const uint8_t *at, *end;
    uint64_t place, wanted; /* rules hold from `place` on */
    int64_t code_step, data_step;
    struct rules rules, kept[DT_DEEPEST];
    uint32_t depth;
    bool unknown;
};

static uint64_t read_unsigned(struct program *program)
{
    uint64_t value = 0;
    uint32_t shift = 0;
    while (program->at < program->end) {
        uint8_t byte = *program->at++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static int64_t read_signed(struct program *program)
{
    const uint8_t *from = program->at;
    uint64_t value = read_unsigned(program);
    uint32_t bits = 7 * (uint32_t)(program->at - from);
    bool negative = program->at > from && program->at[-1] & 0x40;
    return (int64_t)(negative && bits < 64 ? value | UINT64_MAX << bits : value);
}

static uint32_t read_fixed(struct program *program, uint32_t bytes)
{
    uint32_t value = 0;
    if (program->end - program->at < (int64_t)bytes) {
        program->unknown = true;
        return 0;
    }
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint32_t)*program->at++ << 8 * i;
    return value;
}

static void skip_block(struct program *program)
{
    uint64_t bytes = read_unsigned(program);
    uint64_t left = (uint64_t)(program->end - program->at);
    program->at += bytes < left ? bytes : left;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void save_register(struct program *program, uint64_t number, int64_t where)
{
    if (number == DT_RBP)
        program->rules.saved = where;
}

static void keep_or_restore(struct program *program, bool keep)
{
    if (keep ? program->depth == DT_DEEPEST : program->depth == 0)
        program->unknown = true;
    else if (keep)
        program->kept[program->depth++] = program->rules;
    else
        program->rules = program->kept[--program->depth];
}

static void define_frame(struct program *program, uint64_t number, int64_t frame)
{
    program->rules.frame_register = number;
    program->rules.frame = frame;
}

/* Those whose operands are in bytes of their own; `initial` is what the description that is shared says of rbp. */
static void step_extended(struct program *program, uint8_t operation, const struct rules *initial)
{
    enum {
        NOP = 0x00,
        ADVANCE_1 = 0x02,
        ADVANCE_2 = 0x03,
        ADVANCE_4 = 0x04,
        OFFSET_EXTENDED = 0x05,
        RESTORE_EXTENDED = 0x06,
        UNDEFINED = 0x07,
        SAME_VALUE = 0x08,
        REMEMBER = 0x0a,
        RESTORE = 0x0b,
        DEF_CFA = 0x0c,
        DEF_CFA_REGISTER = 0x0d,
        DEF_CFA_OFFSET = 0x0e,
        EXPRESSION = 0x10,
        OFFSET_EXTENDED_SIGNED = 0x11,
        DEF_CFA_SIGNED = 0x12,
        DEF_CFA_OFFSET_SIGNED = 0x13,
        VALUE_EXPRESSION = 0x16,
        GNU_ARGUMENTS_SIZE = 0x2e
    };
    uint64_t number;
    switch (operation) {
    case NOP:
        break;
    case ADVANCE_1:
    case ADVANCE_2:
    case ADVANCE_4:
        program->place +=
            read_fixed(program, operation == ADVANCE_4 ? 4 : operation - 1u) * (uint64_t)program->code_step;
        break;
    case OFFSET_EXTENDED:
        number = read_unsigned(program);
        save_register(program, number, (int64_t)read_unsigned(program));
        break;
    case OFFSET_EXTENDED_SIGNED:
        number = read_unsigned(program);
        save_register(program, number, read_signed(program));
        break;
    case RESTORE_EXTENDED:
        save_register(program, read_unsigned(program), initial->saved);
        break;
    case UNDEFINED:
    case SAME_VALUE:
        save_register(program, read_unsigned(program), 0);
        break;
    case REMEMBER:
    case RESTORE:
        keep_or_restore(program, operation == REMEMBER);
        break;
    case DEF_CFA:
        number = read_unsigned(program);
        define_frame(program, number, (int64_t)read_unsigned(program));
        break;
    case DEF_CFA_SIGNED:
        number = read_unsigned(program);
        define_frame(program, number, read_signed(program) * program->data_step);
        break;
    case DEF_CFA_REGISTER:
        program->rules.frame_register = read_unsigned(program);
        break;
    case DEF_CFA_OFFSET:
        program->rules.frame = (int64_t)read_unsigned(program);
        break;
    case DEF_CFA_OFFSET_SIGNED:
        program->rules.frame = read_signed(program) * program->data_step;
        break;
    case EXPRESSION:
    case VALUE_EXPRESSION:
        program->unknown |= read_unsigned(program) == DT_RBP;
        skip_block(program);
        break;
    case GNU_ARGUMENTS_SIZE:
        read_unsigned(program);
        break;
    default:
        program->unknown = true;
        break;
    }
}

/* Up to the rules that hold at the wanted place. */
static void run(struct program *program)
{
    enum { KIND = 0xc0, ADVANCE = 0x40, OFFSET = 0x80, RESTORE = 0xc0 };
    const struct rules initial = program->rules;
    while (program->at < program->end && !program->unknown) {
        const struct rules before = program->rules;
        uint8_t operation = *program->at++, low = operation & 0x3f;
        if ((operation & KIND) == ADVANCE)
            program->place += low * (uint64_t)program->code_step;
        else if ((operation & KIND) == OFFSET)
            save_register(program, low, (int64_t)read_unsigned(program));
        else if ((operation & KIND) == RESTORE)
            save_register(program, low, initial.saved);
        else
            step_extended(program, operation, &initial);
        if (program->place > program->wanted) {
            program->rules = before;
            return;
        }
    }
}

/* ---- descriptions ---------------------------------------------------------------------------- */

/* What comes behind the length of the description; 64-bit lengths are not written. */
static const uint8_t *end_of(const uint8_t *description)
{
    uint32_t length;
    memcpy(&length, description, sizeof length);
    return length < UINT32_MAX - 16 ? description + 4 + length : description;
}

/* The part that descriptions share: false: it is not as gcc and clang write it. */
static bool run_shared(struct program *program, const uint8_t *description)
{
    program->at = description + 8;
    program->end = end_of(description);
    if (program->end < program->at + 4 || (*program->at != 1 && *program->at != 3) || program->at[1] != 'z')
        return false;
    uint8_t version = *program->at++;
    while (program->at < program->end && *program->at)
        program->at++;
    program->at++;
    program->code_step = (int64_t)read_unsigned(program);
    program->data_step = read_signed(program);
    if (version == 1)
        program->at++;
    else
        read_unsigned(program);
    skip_block(program);
    uint64_t wanted = program->wanted;
    program->wanted = UINT64_MAX;
    run(program);
    program->wanted = wanted;
    return program->data_step == -8;
}

static struct dt_frame_rule rule_of(const struct program *program)
{
    const struct rules *rules = &program->rules;
    struct dt_frame_rule rule = {.by_frame_pointer = rules->frame_register == DT_RBP};
    bool known = !program->unknown && (rules->frame_register == DT_RBP || rules->frame_register == DT_RSP);
    if (known && rules->frame > 0 && rules->frame < INT32_MAX && rules->frame % 8 == 0 && rules->saved >= 0 &&
        rules->saved < INT16_MAX) {
        rule.frame = (uint32_t)rules->frame;
        rule.saved = (uint32_t)rules->saved * 8;
    }
    return rule;
}

struct dt_frame_rule dt_frame_rule_find(const uint8_t *table, uint64_t address)
{
    struct program program = {.wanted = address - 1}; /* in the call: one that does not come back may come last */
    uint64_t start;
    const uint8_t *description = dt_frame_description_find(table, address - 1, &start);
    uint32_t shared, size;
    if (!description)
        return (struct dt_frame_rule){0};
    memcpy(&shared, description + 4, sizeof shared);
    memcpy(&size, description + 12, sizeof size);
    if (address - 1 - start >= size || !run_shared(&program, description + 4 - shared))
        return (struct dt_frame_rule){0};
    program.at = description + 16;
    program.end = end_of(description);
    program.place = start;
    program.depth = 0;
    skip_block(&program);
    run(&program);
    return rule_of(&program);
}
