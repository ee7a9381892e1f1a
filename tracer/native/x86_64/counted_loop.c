/* Natural loops, and whether they count (Aho, Lam, Sethi, Ullman, Compilers, 2nd edition, 9.6.6; induction variables,
 * 9.1.8). */
#include "native/x86_64/counted_loop.h"

#include <string.h>

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Adds what comes to the loop's instructions without passing the header; false: nothing was added. */
static bool grow(struct dt_loop *loop, const struct dt_control_flow *flow)
{
    bool grown = false;
    for (uint16_t i = flow->count; i-- > 0;) {
        uint16_t next[2];
        int count = loop->has[i] ? 0 : dt_successors(flow, i, next);
        for (int k = 0; k < count; k++)
            if (next[k] != loop->header && loop->has[next[k]])
                loop->has[i] = grown = true;
    }
    return grown;
}

bool dt_loop_find(struct dt_loop *loop, const struct dt_control_flow *flow, uint16_t header, uint16_t latch)
{
    memset(loop, 0, sizeof *loop);
    loop->header = header;
    loop->latch = latch;
    loop->has[header] = loop->has[latch] = true;
    while (grow(loop, flow))
        ;
    for (uint16_t i = 0; i < flow->count; i++) {
        if (loop->has[i] && loop->count == DT_LARGEST_LOOP)
            return false;
        if (loop->has[i])
            loop->body[loop->count++] = i;
    }
    return header == 0 || !loop->has[0];
}

/* True if no turn leaves the instruction out: without it, the latch is out of the header's reach. */
static bool is_in_every_turn(const struct dt_loop *loop, const struct dt_control_flow *flow, uint16_t number)
{
    uint8_t seen[DT_LARGEST_FLOW] = {0};
    uint16_t stack[2 * DT_LARGEST_LOOP], next[2];
    int depth = 0;
    if (number == loop->header || number == loop->latch)
        return true;
    seen[number] = 1;
    seen[loop->header] = 1;
    stack[depth++] = loop->header;
    while (depth > 0) {
        uint16_t here = stack[--depth];
        if (here == loop->latch)
            return false;
        for (int k = dt_successors(flow, here, next); k-- > 0;)
            if (loop->has[next[k]] && !seen[next[k]]) {
                seen[next[k]] = 1;
                stack[depth++] = next[k];
            }
    }
    return true;
}

/* ---- what the instructions do ------------------------------------------------------------------ */

enum { REGISTERS = 16, NO_REGISTER = REGISTERS };

/* Of a general register, whatever part of it; NO_REGISTER: it is another one. */
static unsigned number_of(unsigned reg)
{
    static const uint16_t names[REGISTERS][5] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
        {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
        {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
        {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
        {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
        {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
        {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
        {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
        {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
    };
    for (unsigned i = 0; i < REGISTERS; i++)
        for (int k = 0; k < 5; k++)
            if (reg != X86_REG_INVALID && names[i][k] == reg)
                return i;
    return NO_REGISTER;
}

/* What the loop does with the general registers. */
struct effects {
    uint8_t writes[REGISTERS];  /* instructions that write it; many are a few */
    uint16_t writer[REGISTERS]; /* one of them */
    bool steps[REGISTERS];      /* by a constant, once in every turn */
    bool sets_flags[DT_LARGEST_LOOP];
};

struct reading {
    const struct dt_loop *loop;
    const struct dt_control_flow *flow;
    csh capstone;
    cs_insn *insn;
    struct effects effects;
};

static bool decode(struct reading *reading, uint16_t number)
{
    const struct dt_instruction *instruction = &reading->flow->list[number];
    const uint8_t *code = reading->flow->code + instruction->offset;
    size_t bytes = instruction->length;
    uint64_t address = (uint64_t)code;
    return cs_disasm_iter(reading->capstone, &code, &bytes, &address, reading->insn) && bytes == 0;
}

/* The general registers that the instruction in `insn` writes, as a set of bits: those that Capstone says, and the
 * first operand unless it is known to be read alone. */
static bool written_registers(struct reading *reading, uint32_t *set, bool *flags)
{
    const cs_x86 *x86 = &reading->insn->detail->x86;
    unsigned id = reading->insn->id;
    cs_regs read, written;
    uint8_t read_count, written_count;
    if (cs_regs_access(reading->capstone, reading->insn, read, &read_count, written, &written_count) != CS_ERR_OK)
        return false;
    *set = 0;
    *flags = false;
    for (int i = 0; i < written_count; i++) {
        *set |= 1u << number_of(written[i]);
        *flags |= written[i] == X86_REG_EFLAGS;
    }
    if (x86->op_count > 0 && x86->operands[0].type == X86_OP_REG && id != X86_INS_CMP && id != X86_INS_TEST &&
        id != X86_INS_PUSH)
        *set |= 1u << number_of(x86->operands[0].reg);
    return true;
}

static bool read_effects(struct reading *reading)
{
    struct effects *effects = &reading->effects;
    for (uint16_t i = 0; i < reading->loop->count; i++) {
        uint32_t set;
        if (!decode(reading, reading->loop->body[i]) || !written_registers(reading, &set, &effects->sets_flags[i]))
            return false;
        for (unsigned reg = 0; reg < REGISTERS; reg++)
            if (set >> reg & 1) {
                effects->writes[reg] = effects->writes[reg] < 2 ? effects->writes[reg] + 1 : 2;
                effects->writer[reg] = reading->loop->body[i];
            }
    }
    return true;
}

static bool is_whole_register(const cs_x86_op *operand, unsigned *reg)
{
    *reg = operand->type == X86_OP_REG && operand->size >= 4 ? number_of(operand->reg) : NO_REGISTER;
    return *reg != NO_REGISTER;
}

/* lea of a register and a constant: that register; else NO_REGISTER. */
static unsigned shifted_register(const cs_insn *insn)
{
    const cs_x86_op *source = &insn->detail->x86.operands[1];
    if (insn->id != X86_INS_LEA || source->mem.index != X86_REG_INVALID || source->mem.segment != X86_REG_INVALID)
        return NO_REGISTER;
    return number_of(source->mem.base);
}

static bool adds_constant(const cs_insn *insn, unsigned to)
{
    const cs_x86_op *operands = insn->detail->x86.operands;
    unsigned reg;
    if (insn->detail->x86.op_count == 0 || !is_whole_register(&operands[0], &reg) || reg != to)
        return false;
    if (insn->id == X86_INS_INC || insn->id == X86_INS_DEC)
        return true;
    if (insn->id == X86_INS_ADD || insn->id == X86_INS_SUB)
        return operands[1].type == X86_OP_IMM && operands[1].imm != 0;
    return shifted_register(insn) == to && operands[1].mem.disp != 0;
}

static void find_steps(struct reading *reading)
{
    struct effects *effects = &reading->effects;
    for (unsigned reg = 0; reg < REGISTERS; reg++)
        effects->steps[reg] = effects->writes[reg] == 1 && decode(reading, effects->writer[reg]) &&
                              adds_constant(reading->insn, reg) &&
                              is_in_every_turn(reading->loop, reading->flow, effects->writer[reg]);
}

/* A register that steps, or is a copy of one, taken once in every turn. */
static bool follows_step(struct reading *reading, unsigned reg)
{
    const struct effects *effects = &reading->effects;
    unsigned source = NO_REGISTER;
    if (effects->steps[reg])
        return true;
    if (effects->writes[reg] != 1 || !decode(reading, effects->writer[reg]))
        return false;
    if (reading->insn->id == X86_INS_MOV)
        is_whole_register(&reading->insn->detail->x86.operands[1], &source);
    else
        source = shifted_register(reading->insn);
    return source != NO_REGISTER && effects->steps[source] &&
           is_in_every_turn(reading->loop, reading->flow, effects->writer[reg]);
}

/* ---- the branch out ---------------------------------------------------------------------------- */

static bool is_fixed(const struct reading *reading, const cs_x86_op *operand)
{
    unsigned reg;
    return operand->type == X86_OP_IMM || (is_whole_register(operand, &reg) && reading->effects.writes[reg] == 0);
}

/* The instruction in `insn` compares what counts. */
static bool compares_count(struct reading *reading)
{
    const cs_x86 x86 = reading->insn->detail->x86;
    unsigned id = reading->insn->id, first = NO_REGISTER, second = NO_REGISTER;
    if (x86.op_count == 0)
        return false;
    is_whole_register(&x86.operands[0], &first);
    if (id == X86_INS_ADD || id == X86_INS_SUB || id == X86_INS_INC || id == X86_INS_DEC)
        return first != NO_REGISTER && reading->effects.steps[first];
    is_whole_register(&x86.operands[1], &second);
    if (id == X86_INS_TEST)
        return first != NO_REGISTER && first == second && follows_step(reading, first);
    if (id != X86_INS_CMP)
        return false;
    return (first != NO_REGISTER && is_fixed(reading, &x86.operands[1]) && follows_step(reading, first)) ||
           (second != NO_REGISTER && is_fixed(reading, &x86.operands[0]) && follows_step(reading, second));
}

static bool is_jumped_to(const struct dt_control_flow *flow, uint16_t number)
{
    for (uint16_t i = 0; i < flow->count; i++)
        if ((flow->list[i].flow == DT_FLOW_JUMP || flow->list[i].flow == DT_FLOW_BRANCH) &&
            flow->list[i].target == number)
            return true;
    return false;
}

/* What sets the flags that body[at] branches by, on the only way there; it is decoded then. */
static bool find_comparison(struct reading *reading, uint16_t at)
{
    const struct dt_loop *loop = reading->loop;
    while (at > 0 && loop->body[at - 1] == loop->body[at] - 1 && !is_jumped_to(reading->flow, loop->body[at]) &&
           reading->flow->list[loop->body[at - 1]].flow == DT_FLOW_ON) {
        at--;
        if (reading->effects.sets_flags[at])
            return decode(reading, loop->body[at]);
    }
    return false;
}

static bool leaves_by_count(struct reading *reading, uint16_t at)
{
    uint16_t number = reading->loop->body[at], next[2];
    if (reading->flow->list[number].flow != DT_FLOW_BRANCH || dt_successors(reading->flow, number, next) != 2 ||
        (reading->loop->has[next[0]] && reading->loop->has[next[1]]))
        return false;
    return is_in_every_turn(reading->loop, reading->flow, number) && find_comparison(reading, at) &&
           compares_count(reading);
}

bool dt_loop_counts(const struct dt_loop *loop, const struct dt_control_flow *flow, csh capstone, cs_insn *insn)
{
    struct reading reading = {.loop = loop, .flow = flow, .capstone = capstone, .insn = insn};
    if (!read_effects(&reading))
        return false;
    find_steps(&reading);
    for (uint16_t at = 0; at < loop->count; at++)
        if (leaves_by_count(&reading, at))
            return true;
    return false;
}
