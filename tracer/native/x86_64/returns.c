/* The ends of functions: `add $24, %rsp; pop %rbx; ret`. */
#include "native/x86_64/returns.h"

/* ---- instructions ---------------------------------------------------------------------------- */

/* Of an operand whose ModRM byte this is: not relative to the instruction's address. */
static bool is_absolute(uint8_t modrm)
{
    return (modrm & 0xc7) != 0x05;
}

static bool can_move_after_0f(const uint8_t *opcode)
{
    switch (*opcode) {
    case 0x10: /* movups and the like, movaps, cmov, setcc, movzx, movsx, imul */
    case 0x11:
    case 0x28:
    case 0x29:
    case 0x57:
    case 0xaf:
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf:
        return is_absolute(opcode[1]);
    default:
        return ((*opcode & 0xf0) == 0x40 || (*opcode & 0xf0) == 0x90) && is_absolute(opcode[1]);
    }
}

/* True for what does the same wherever it is, and goes on to the next instruction. Not all that does. */
static bool can_move(const uint8_t *code, uint32_t length)
{
    const uint8_t *opcode = code, *end = code + length;
    while (opcode < end && (*opcode == 0x66 || *opcode == 0xf2 || *opcode == 0xf3 || (*opcode & 0xf0) == 0x40))
        opcode++;
    if (opcode == end)
        return false;
    if ((*opcode & 0xf8) == 0x58 || (*opcode & 0xf8) == 0xb8 || *opcode == 0xc9) /* pop, mov, leave */
        return true;
    if (*opcode == 0xc5 && length == 3 && code[1] == 0xf8 && code[2] == 0x77) /* vzeroupper */
        return true;
    if (opcode + 1 == end)
        return false;
    switch (*opcode) {
    case 0x0f:
        return opcode + 2 < end && can_move_after_0f(opcode + 1);
    case 0x63: /* movslq, mov, lea, and arithmetic */
    case 0x81:
    case 0x83:
    case 0x84:
    case 0x85:
    case 0x88:
    case 0x89:
    case 0x8a:
    case 0x8b:
    case 0x8d:
    case 0xc1:
    case 0xd1:
        return is_absolute(opcode[1]);
    case 0xc6:
    case 0xc7: /* not a transaction's */
        return (opcode[1] & 0x38) == 0 && is_absolute(opcode[1]);
    default: /* add, or, adc, sbb, and, sub, xor, cmp */
        return *opcode < 0x40 && (*opcode & 7) < 4 && is_absolute(opcode[1]);
    }
}

static bool is_no_op(const uint8_t *code, uint32_t length)
{
    const uint8_t *opcode = code, *end = code + length;
    while (opcode < end && (*opcode == 0x66 || *opcode == 0x2e))
        opcode++;
    return opcode < end &&
           (*opcode == 0x90 || *opcode == 0xcc || (opcode + 1 < end && *opcode == 0x0f && opcode[1] == 0x1f));
}

/* ---- one return ------------------------------------------------------------------------------ */

struct search {
    const struct dt_control_flow *flow;
    const struct dt_branch_targets *targets;
    uint64_t address;
    uint32_t bytes, padding;
};

static bool is_target(const struct search *search, uint32_t offset)
{
    return dt_branch_targets_has(search->targets, search->address + offset);
}

/* The end of the no-ops behind instruction `number`: nothing comes to these. */
static uint32_t end_of_space(const struct search *search, uint16_t number)
{
    const struct dt_control_flow *flow = search->flow;
    for (uint16_t i = (uint16_t)(number + 1); i < flow->count; i++) {
        const struct dt_instruction *instruction = &flow->list[i];
        if (is_target(search, instruction->offset) || !is_no_op(flow->code + instruction->offset, instruction->length))
            return instruction->offset;
    }
    return search->bytes + search->padding;
}

/* The return is instruction `number`; nothing of what was found may lie before `low`. */
static bool find_return(const struct search *search, uint16_t number, uint32_t low, struct dt_plan_return *found)
{
    const struct dt_control_flow *flow = search->flow;
    uint32_t end = end_of_space(search, number), ret = flow->list[number].offset;
    uint16_t first = number;
    while (end - flow->list[first].offset < DT_JUMP_BYTES) {
        if (first == 0 || is_target(search, flow->list[first].offset))
            return false;
        const struct dt_instruction *before = &flow->list[--first];
        if (before->flow != DT_FLOW_ON || !can_move(flow->code + before->offset, before->length))
            return false;
    }
    uint32_t offset = flow->list[first].offset;
    *found = (struct dt_plan_return){(uint16_t)offset, (uint16_t)(ret - offset), 0};
    return offset >= low;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Without operands: those with one take more off the stack than their address. */
static bool is_plain(const struct dt_control_flow *flow, uint16_t number)
{
    const struct dt_instruction *instruction = &flow->list[number];
    return flow->code[instruction->offset + instruction->length - 1] == 0xc3 && instruction->length <= 2;
}

uint32_t dt_find_returns(struct dt_control_flow *flow, struct dt_branch_targets *targets, uint64_t address,
                         const uint8_t *code, uint32_t bytes, uint32_t padding, uint32_t relocated,
                         struct dt_plan_return returns[DT_MOST_RETURNS])
{
    const struct search search = {flow, targets, address, bytes, padding};
    uint32_t count = 0, low = relocated < DT_JUMP_BYTES ? DT_JUMP_BYTES : relocated;
    if (!dt_control_flow_read(flow, code, bytes))
        return 0;
    for (uint16_t i = 0; i < flow->count; i++) {
        if (flow->list[i].flow == DT_FLOW_LEAVES)
            return 0;
        if (flow->list[i].flow != DT_FLOW_RETURN)
            continue;
        if (count == DT_MOST_RETURNS || !is_plain(flow, i) || !find_return(&search, i, low, &returns[count]))
            return 0;
        low = (uint32_t)returns[count++].offset + DT_JUMP_BYTES;
    }
    for (uint32_t i = 0; i < count; i++) {
        returns[i].hash = dt_plan_return_hash(code, &returns[i]);
        for (uint32_t k = 0; k < DT_JUMP_BYTES; k++)
            dt_branch_targets_mark(targets, address + returns[i].offset + k);
    }
    return count;
}
