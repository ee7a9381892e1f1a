/* Instructions by length and opcode, and where they go. */
#include "native/x86_64/control_flow.h"

#include <string.h>

#include "native/x86_64/instruction_length.h"

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
           byte == 0x36 || byte == 0x3e || byte == 0x26 || (byte & 0xf0) == 0x40;
}

static int64_t displacement_of(const uint8_t *end)
{
    int32_t displacement;
    memcpy(&displacement, end - 4, sizeof displacement);
    return displacement;
}

static int64_t short_displacement_of(const uint8_t *end)
{
    return end[-1] < 0x80 ? end[-1] : end[-1] - 0x100;
}

static enum dt_flow flow_after_0f(const uint8_t *opcode, const uint8_t *end, int64_t *displacement)
{
    switch (*opcode) {
    case 0x01: /* of virtual machines, protection keys, transactions */
    case 0x05: /* syscall */
    case 0x0b: /* ud2 */
    case 0x34: /* sysenter */
    case 0xb9: /* ud1 */
    case 0xff: /* ud0 */
        return DT_FLOW_LEAVES;
    default:
        if ((*opcode & 0xf0) != 0x80)
            return DT_FLOW_ON;
        *displacement = displacement_of(end);
        return DT_FLOW_BRANCH;
    }
}

/* `*displacement` of a jump or branch counts from the instruction's end. */
static enum dt_flow flow_of(const uint8_t *code, unsigned length, int64_t *displacement)
{
    const uint8_t *opcode = code, *end = code + length;
    while (opcode < end && is_prefix(*opcode))
        opcode++;
    if (opcode == end)
        return DT_FLOW_LEAVES;
    switch (*opcode) {
    case 0x0f:
        return flow_after_0f(opcode + 1, end, displacement);
    case 0xc2:
    case 0xc3:
        return DT_FLOW_RETURN;
    case 0xe8:
        return DT_FLOW_CALL;
    case 0xe9:
        *displacement = displacement_of(end);
        return DT_FLOW_JUMP;
    case 0xeb:
        *displacement = short_displacement_of(end);
        return DT_FLOW_JUMP;
    case 0xff: /* calls, jumps, also far ones; inc, dec and push are harmless */
        if ((opcode[1] >> 3 & 7) == 2)
            return DT_FLOW_CALL_THROUGH;
        return (opcode[1] >> 3 & 7) >= 3 && (opcode[1] >> 3 & 7) <= 5 ? DT_FLOW_LEAVES : DT_FLOW_ON;
    case 0x90:
        return code[0] == 0xf3 ? DT_FLOW_LEAVES : DT_FLOW_ON; /* pause: somebody waits */
    case 0xc8:                                                /* enter */
    case 0xca:                                                /* far returns, interrupts */
    case 0xcb:
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
    case 0xe0: /* loops */
    case 0xe1:
    case 0xe2:
    case 0xe3:
    case 0xf1:
    case 0xf4: /* hlt */
        return DT_FLOW_LEAVES;
    default:
        *displacement = short_displacement_of(end);
        return (*opcode & 0xf0) == 0x70 ? DT_FLOW_BRANCH : DT_FLOW_ON;
    }
}

/* Jumps out of the function, or in between two instructions of it, leave it. */
static void find_target(struct dt_control_flow *flow, struct dt_instruction *instruction, size_t bytes)
{
    int64_t displacement = 0, end = instruction->offset + instruction->length;
    instruction->flow = (uint8_t)flow_of(flow->code + instruction->offset, instruction->length, &displacement);
    if (instruction->flow != DT_FLOW_JUMP && instruction->flow != DT_FLOW_BRANCH)
        return;
    int64_t target = end + displacement;
    if (target < 0 || target >= (int64_t)bytes || flow->number_at[target] == UINT16_MAX)
        instruction->flow = DT_FLOW_LEAVES;
    else
        instruction->target = flow->number_at[target];
}

bool dt_control_flow_read(struct dt_control_flow *flow, const uint8_t *code, size_t bytes)
{
    flow->code = code;
    flow->count = 0;
    if (bytes > DT_LARGEST_FLOW)
        return false;
    memset(flow->number_at, 0xff, bytes * sizeof *flow->number_at);
    for (size_t offset = 0; offset < bytes;) {
        unsigned length = dt_instruction_length(code + offset, bytes - offset);
        if (length == 0)
            return false;
        flow->number_at[offset] = flow->count;
        flow->list[flow->count++] = (struct dt_instruction){.offset = (uint16_t)offset, .length = (uint8_t)length};
        offset += length;
    }
    for (uint16_t i = 0; i < flow->count; i++)
        find_target(flow, &flow->list[i], bytes);
    return true;
}
