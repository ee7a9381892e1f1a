/* Instructions: how to relocate a function's first ones to its stub, and whether code jumps in between them. */
#include "native/x86_64/decode.h"

#include <stdlib.h>
#include <string.h>

#include "native/x86_64/instruction_length.h"

bool dt_disassembler_open(struct dt_disassembler *disassembler)
{
    memset(disassembler, 0, sizeof *disassembler);
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler->detailed) != CS_ERR_OK ||
        cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler->plain) != CS_ERR_OK)
        return false;
    cs_option(disassembler->detailed, CS_OPT_DETAIL, CS_OPT_ON);
    disassembler->detailed_insn = cs_malloc(disassembler->detailed);
    disassembler->plain_insn = cs_malloc(disassembler->plain);
    return disassembler->detailed_insn && disassembler->plain_insn;
}

void dt_disassembler_close(struct dt_disassembler *disassembler)
{
    if (disassembler->detailed_insn)
        cs_free(disassembler->detailed_insn, 1);
    if (disassembler->plain_insn)
        cs_free(disassembler->plain_insn, 1);
    if (disassembler->detailed)
        cs_close(&disassembler->detailed);
    if (disassembler->plain)
        cs_close(&disassembler->plain);
}

enum { LONGEST_INSTRUCTION = 15 };

static const cs_insn *decode(struct dt_disassembler *disassembler, uint64_t address)
{
    const uint8_t *code = (const uint8_t *)address;
    size_t bytes = LONGEST_INSTRUCTION;
    return cs_disasm_iter(disassembler->detailed, &code, &bytes, &address, disassembler->detailed_insn)
               ? disassembler->detailed_insn
               : NULL;
}

static bool in_group(const cs_insn *insn, uint8_t group)
{
    for (int i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group)
            return true;
    return false;
}

/* ---- relocating ---------------------------------------------------------------------------------- */

static const cs_x86_op *rip_relative_operand(const cs_insn *insn)
{
    for (int i = 0; i < insn->detail->x86.op_count; i++) {
        const cs_x86_op *operand = &insn->detail->x86.operands[i];
        if (operand->type == X86_OP_MEM && (operand->mem.base == X86_REG_RIP || operand->mem.base == X86_REG_EIP))
            return operand;
    }
    return NULL;
}

/* The four bytes of displacement in an instruction, found by value: encodings differ in where they are, and one value
 * alone lies there. 0 if that is not so. */
static uint8_t find_displacement(const cs_insn *insn, int32_t displacement)
{
    uint8_t found = 0;
    for (uint8_t i = 1; i + 4 <= insn->size; i++)
        if (memcmp(insn->bytes + i, &displacement, 4) == 0) {
            if (found)
                return 0;
            found = i;
        }
    return found;
}

static bool has_relative_target(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    return (in_group(insn, CS_GRP_JUMP) || in_group(insn, CS_GRP_CALL) || insn->id == X86_INS_XBEGIN) &&
           x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
}

static bool plan_relative(struct dt_plan_step *step, const cs_insn *insn)
{
    const uint8_t *opcode = insn->detail->x86.opcode;
    if (insn->id == X86_INS_JMP)
        *step = (struct dt_plan_step){DT_STEP_JUMP, (uint8_t)insn->size, opcode[0] == 0xeb ? 1 : 4};
    else if (insn->id == X86_INS_CALL)
        *step = (struct dt_plan_step){DT_STEP_CALL, (uint8_t)insn->size, 4};
    else if ((opcode[0] & 0xf0) == 0x70)
        *step = (struct dt_plan_step){DT_STEP_BRANCH, (uint8_t)insn->size, 1};
    else if (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80)
        *step = (struct dt_plan_step){DT_STEP_BRANCH, (uint8_t)insn->size, 4};
    else
        return false; /* loop, jrcxz, xbegin */
    return true;
}

static bool plan_copy(struct dt_plan_step *step, const cs_insn *insn)
{
    const cs_x86_op *relative = rip_relative_operand(insn);
    *step = (struct dt_plan_step){DT_STEP_COPY, (uint8_t)insn->size, 0};
    if (!relative)
        return true;
    step->kind = DT_STEP_COPY_RELATIVE;
    step->place = find_displacement(insn, (int32_t)relative->mem.disp);
    return step->place && relative->mem.base == X86_REG_RIP;
}

enum dt_skip_reason dt_plan_prologue(struct dt_disassembler *disassembler, uint64_t from, uint32_t bytes,
                                     struct dt_plan_step *steps)
{
    uint64_t at = from;
    memset(steps, 0, DT_MOST_STEPS * sizeof *steps);
    for (int i = 0; at < from + bytes; i++) {
        const cs_insn *insn = decode(disassembler, at);
        if (!insn)
            return DT_SKIP_UNDECODABLE;
        if (has_relative_target(insn)) {
            uint64_t target = (uint64_t)insn->detail->x86.operands[0].imm;
            if (target > from && target < from + bytes)
                return DT_SKIP_BRANCH_TARGET;
            if (!plan_relative(&steps[i], insn))
                return DT_SKIP_UNMOVABLE;
        } else if (in_group(insn, CS_GRP_CALL) || !plan_copy(&steps[i], insn)) {
            return DT_SKIP_UNMOVABLE; /* an indirect call would leave a return address in the stub */
        }
        at += insn->size;
    }
    return DT_HOOKED;
}

/* ---- functions that use their own return address --------------------------------------------- */

static bool writes_stack_pointer(const cs_insn *insn)
{
    for (int i = 0; i < insn->detail->x86.op_count; i++) {
        const cs_x86_op *operand = &insn->detail->x86.operands[i];
        if (operand->type == X86_OP_REG && operand->reg == X86_REG_RSP && (operand->access & CS_AC_WRITE))
            return true;
    }
    return false;
}

/* Goes over to another stack. */
static bool replaces_stack_pointer(const cs_insn *insn)
{
    const cs_x86_op *operands = insn->detail->x86.operands;
    if (insn->id == X86_INS_LEAVE)
        return true;
    if (insn->id != X86_INS_MOV && insn->id != X86_INS_XCHG)
        return false;
    return operands[0].type == X86_OP_REG && operands[0].reg == X86_REG_RSP;
}

static bool touches_return_address(const cs_insn *insn)
{
    for (int i = 0; i < insn->detail->x86.op_count; i++) {
        const cs_x86_op *operand = &insn->detail->x86.operands[i];
        if (operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RSP && operand->mem.disp == 0 &&
            operand->mem.index == X86_REG_INVALID)
            return true;
    }
    return false;
}

/* What a function's first instructions do to the stack: how far its return address lies above the stack pointer when
 * they are done, and whether rbp has become the frame pointer. */
struct stack_layout {
    bool reads; /* the return address itself, before there is a frame */
    int64_t depth;
    bool has_frame_pointer;
};

static int64_t pushed_bytes(const cs_insn *insn)
{
    const cs_x86_op *operands = insn->detail->x86.operands;
    if (insn->id == X86_INS_PUSH)
        return 8;
    return insn->id == X86_INS_SUB && operands[0].type == X86_OP_REG && operands[0].reg == X86_REG_RSP &&
                   operands[1].type == X86_OP_IMM
               ? operands[1].imm
               : 0;
}

static bool sets_frame_pointer(const cs_insn *insn)
{
    const cs_x86_op *operands = insn->detail->x86.operands;
    return insn->id == X86_INS_MOV && operands[0].type == X86_OP_REG && operands[0].reg == X86_REG_RBP &&
           operands[1].type == X86_OP_REG && operands[1].reg == X86_REG_RSP;
}

static struct stack_layout read_prologue(struct dt_disassembler *disassembler, const uint8_t *code, size_t bytes)
{
    enum { LONGEST_PROLOGUE = 24 };
    struct stack_layout layout = {false, 0, false};
    uint64_t address = (uint64_t)code;
    for (int i = 0; i < LONGEST_PROLOGUE && bytes; i++) {
        if (!cs_disasm_iter(disassembler->detailed, &code, &bytes, &address, disassembler->detailed_insn))
            break;
        const cs_insn *insn = disassembler->detailed_insn;
        int64_t pushed = pushed_bytes(insn);
        if (layout.depth == 0 &&
            (insn->id == X86_INS_POP || replaces_stack_pointer(insn) || touches_return_address(insn)))
            layout.reads = true;
        if (sets_frame_pointer(insn))
            layout.has_frame_pointer = layout.depth == 8;
        layout.depth += pushed;
        if (layout.reads || in_group(insn, CS_GRP_CALL) || in_group(insn, CS_GRP_RET) || insn->id == X86_INS_JMP ||
            (!pushed && writes_stack_pointer(insn)))
            break;
    }
    return layout;
}

/* An instruction that loads, stores, compares, pushes or takes the address of the eight bytes at 8(%rbp), or at
 * depth(%rsp): the rest of it, from the opcode on. */
static bool is_access(const uint8_t *code, size_t bytes, const struct stack_layout *layout)
{
    /* With REX.B the base is r12 or r13, with REX.X there is an index. */
    bool wide = (code[-1] & 0xfb) == 0x48 &&
                (code[0] == 0x8b || code[0] == 0x89 || code[0] == 0x8d || code[0] == 0x3b || code[0] == 0x39);
    bool push = code[0] == 0xff && (code[1] & 0x38) == 0x30;
    int32_t displacement;
    if (!wide && !push)
        return false;
    if (layout->has_frame_pointer && (code[1] & 0xc7) == 0x45 && code[2] == 8)
        return true;
    if (bytes > 3 && (code[1] & 0xc7) == 0x44 && code[2] == 0x24)
        return code[3] < 0x80 && code[3] == layout->depth;
    if (bytes < 7 || (code[1] & 0xc7) != 0x84 || code[2] != 0x24)
        return false;
    memcpy(&displacement, code + 3, sizeof displacement);
    return displacement == layout->depth;
}

bool dt_reads_return_address(struct dt_disassembler *disassembler, const uint8_t *code, size_t bytes)
{
    struct stack_layout layout = read_prologue(disassembler, code, bytes);
    if (layout.reads || layout.depth == 0)
        return layout.reads;
    for (size_t i = 1; i + 3 <= bytes; i++)
        if (is_access(code + i, bytes - i, &layout))
            return true;
    return false;
}

/* ---- branch targets -------------------------------------------------------------------------- */

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e ||
           byte == 0x26 || byte == 0x36 || byte == 0x64 || byte == 0x65 || (byte & 0xf0) == 0x40;
}

/* Target of a jump with a displacement that ends the instruction; false for all else. */
static bool jump_target(const uint8_t *bytes, size_t size, uint64_t next, uint64_t *target)
{
    size_t at = 0;
    while (at < size && is_prefix(bytes[at]))
        at++;
    size_t rest = size - at;
    if (rest == 2 && ((bytes[at] & 0xf0) == 0x70 || bytes[at] == 0xeb || (bytes[at] & 0xfc) == 0xe0)) {
        *target = next + (uint64_t)(int64_t)(int8_t)bytes[at + 1];
        return true;
    }
    if ((rest == 5 && bytes[at] == 0xe9) || (rest == 6 && bytes[at] == 0x0f && (bytes[at + 1] & 0xf0) == 0x80)) {
        int32_t displacement;
        memcpy(&displacement, bytes + size - 4, 4);
        *target = next + (uint64_t)(int64_t)displacement;
        return true;
    }
    return false;
}

void dt_branch_targets_mark(struct dt_branch_targets *targets, uint64_t address)
{
    if (address >= targets->low && address < targets->high)
        targets->bits[(address - targets->low) >> 3] |= (uint8_t)(1u << ((address - targets->low) & 7));
}

/* Where decoding fails, anything may be a jump. */
static void mark_all_possible(struct dt_branch_targets *targets, const uint8_t *code, size_t bytes, uint64_t address)
{
    for (size_t i = 0; i + 2 <= bytes; i++)
        for (size_t size = 2; size <= 6 && i + size <= bytes; size++) {
            uint64_t target;
            if (!is_prefix(code[i]) && jump_target(code + i, size, address + i + size, &target))
                dt_branch_targets_mark(targets, target);
        }
}

void dt_branch_targets_sweep(struct dt_branch_targets *targets, struct dt_disassembler *disassembler,
                             const uint8_t *code, size_t bytes, uint64_t address)
{
    while (bytes) {
        const uint8_t *start = code;
        uint64_t target;
        unsigned length = dt_instruction_length(code, bytes);
        if (length) {
            code += length;
            bytes -= length;
            address += length;
        } else if (!cs_disasm_iter(disassembler->plain, &code, &bytes, &address, disassembler->plain_insn)) {
            mark_all_possible(targets, code, bytes, address);
            return;
        }
        if (jump_target(start, (size_t)(code - start), address, &target))
            dt_branch_targets_mark(targets, target);
    }
}

bool dt_branch_targets_find(struct dt_branch_targets *targets, struct dt_disassembler *disassembler,
                            const struct dt_elf_image *image)
{
    targets->low = image->text_low;
    targets->high = image->text_high;
    targets->bits = calloc((targets->high - targets->low) / 8 + 1, 1);
    if (!targets->bits)
        return false;
    for (uint32_t i = 0; i < image->function_count; i++) {
        const struct dt_elf_function *function = &image->functions[i];
        uint64_t end = function->address + function->size, text_end = dt_elf_text_end(image, function->address);
        /* Hand-written code of stripped images has pieces that no frame description covers. */
        if (!image->has_symbols && i + 1 < image->function_count && function[1].address - end < 4096)
            end = function[1].address;
        end = end < text_end ? end : text_end;
        if (end <= function->address)
            continue;
        dt_branch_targets_sweep(targets, disassembler, dt_elf_code(image, function->address), end - function->address,
                                function->address);
    }
    return true;
}

void dt_branch_targets_free(struct dt_branch_targets *targets)
{
    free(targets->bits);
}

bool dt_branch_targets_has(const struct dt_branch_targets *targets, uint64_t address)
{
    uint64_t bit = address - targets->low;
    return address >= targets->low && address < targets->high && (targets->bits[bit >> 3] >> (bit & 7) & 1);
}

bool dt_may_branch_into_prologue(const uint8_t *code, size_t bytes)
{
    uint64_t start = (uint64_t)code;
    for (size_t i = 0; i + 2 <= bytes; i++)
        for (size_t size = 2; size <= 6 && i + size <= bytes; size++) {
            uint64_t target;
            if (!is_prefix(code[i]) && jump_target(code + i, size, start + i + size, &target) && target > start &&
                target < start + DT_JUMP_BYTES)
                return true;
        }
    return false;
}

/* ---- padding ---------------------------------------------------------------------------------- */

bool dt_is_padding(struct dt_disassembler *disassembler, const uint8_t *code, size_t bytes)
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
