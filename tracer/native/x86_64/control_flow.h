/** Where a function's instructions go: found from its code alone, without a decoder of operands. */
#ifndef DT_X86_64_CONTROL_FLOW_H
#define DT_X86_64_CONTROL_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most bytes that the code has. */
enum { DT_LARGEST_FLOW = 8192 };

enum dt_flow {
    DT_FLOW_ON,     /* to the next instruction */
    DT_FLOW_JUMP,   /* to another one of the function */
    DT_FLOW_BRANCH, /* to either */
    DT_FLOW_RETURN,
    DT_FLOW_CALL,         /* a direct one */
    DT_FLOW_CALL_THROUGH, /* an indirect one */
    DT_FLOW_LEAVES /* anything else: jumps out of the function, system calls, what waits, what cannot be decoded */
};

struct dt_instruction {
    uint16_t offset, target; /* in bytes; number of the instruction that a jump or branch goes to */
    uint8_t length, flow;    /* enum dt_flow */
};

struct dt_control_flow {
    const uint8_t *code;
    uint16_t count;
    struct dt_instruction list[DT_LARGEST_FLOW];
    uint16_t number_at[DT_LARGEST_FLOW]; /* by offset; scratch */
};

/** Walks the code from its first byte to its last. False: it is too long, or not whole instructions. */
bool dt_control_flow_read(struct dt_control_flow *flow, const uint8_t *code, size_t bytes);

/** Where instruction `number` may go: fills up to two numbers, returns how many. What falls out of the code behind its
 * last instruction goes to number `count`. */
static inline int dt_successors(const struct dt_control_flow *flow, uint16_t number, uint16_t next[2])
{
    const struct dt_instruction *instruction = &flow->list[number];
    int count = 0;
    if (instruction->flow == DT_FLOW_ON || instruction->flow == DT_FLOW_BRANCH)
        next[count++] = (uint16_t)(number + 1);
    if (instruction->flow == DT_FLOW_JUMP || instruction->flow == DT_FLOW_BRANCH)
        next[count++] = instruction->target;
    return count;
}

#endif
