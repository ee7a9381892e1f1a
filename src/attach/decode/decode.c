#include "attach/decode/decode.h"

#include <capstone/capstone.h>
#include <gmodule.h>
#include <string.h>

enum { MOST_STEPS = 200 };

/* ---- jumps of a function --------------------------------------------------------------------------------- */

/* The function that a call is in. */
typedef struct {
    const DtCodePart *main;
    guint64 call, call_end;
    guint64 block;        /* where the last straight line before the call begins */
    gboolean is_found;    /* the call */
    gboolean is_doubtful; /* it jumps to where nobody knows */
} Function;

static gboolean is_jump(unsigned id)
{
    return (id >= X86_INS_JAE && id <= X86_INS_JS && id != X86_INS_LJMP) || id == X86_INS_LOOP || id == X86_INS_LOOPE ||
           id == X86_INS_LOOPNE;
}

static gsize prefixes(const cs_insn *instruction)
{
    gsize at = 0;
    while (at + 1 < instruction->size &&
           (instruction->bytes[at] == 0xf2 || instruction->bytes[at] == 0x3e || instruction->bytes[at] == 0x2e ||
            instruction->bytes[at] == 0x66 || (instruction->bytes[at] & 0xf0) == 0x40))
        at++;
    return at;
}

/* FALSE: it goes to an address that is read from somewhere, in `*by_linkage` from a slot of the linker's. */
static gboolean jump_target(const cs_insn *instruction, guint64 *target, gboolean *by_linkage)
{
    gsize at = prefixes(instruction);
    guint8 opcode = instruction->bytes[at];
    *by_linkage = opcode == 0xff && instruction->bytes[at + 1] == 0x25;
    if (opcode == 0xff)
        return FALSE;
    gint64 distance;
    if (opcode == 0xe9 || opcode == 0x0f) {
        gint32 wide;
        memcpy(&wide, instruction->bytes + instruction->size - sizeof wide, sizeof wide);
        distance = wide;
    } else {
        guint8 narrow = instruction->bytes[instruction->size - 1];
        distance = narrow < 0x80 ? narrow : (gint64)narrow - 0x100;
    }
    *target = instruction->address + instruction->size + (guint64)distance;
    return TRUE;
}

static gboolean ends_line(unsigned id)
{
    return id == X86_INS_CALL || id == X86_INS_JMP || id == X86_INS_RET || id == X86_INS_UD2 || id == X86_INS_HLT ||
           id == X86_INS_SYSCALL || id == X86_INS_INT3;
}

/* A jump into the line before the call cuts it: only what is behind is certain. */
static void note_jump(Function *function, const cs_insn *instruction)
{
    guint64 target;
    gboolean by_linkage;
    if (!jump_target(instruction, &target, &by_linkage))
        function->is_doubtful = function->is_doubtful || !by_linkage;
    else if (target > function->block && target < function->call_end)
        function->block = target;
}

/* Jumps of a stretch of code; one that is not decoded to its end is in doubt. */
static void sweep_jumps(Function *function, csh capstone, const guint8 *code, gsize bytes, guint64 address)
{
    cs_insn *instruction = cs_malloc(capstone);
    while (instruction && bytes > 0 && cs_disasm_iter(capstone, &code, &bytes, &address, instruction))
        if (is_jump(instruction->id))
            note_jump(function, instruction);
    function->is_doubtful = function->is_doubtful || bytes > 0;
    if (instruction)
        cs_free(instruction, 1);
}

/* Where the line begins that the call ends, apart from jumps into it. */
static void find_line(Function *function, csh capstone)
{
    const guint8 *code = function->main->bytes;
    gsize bytes = (gsize)(function->call_end - function->main->address);
    guint64 address = function->main->address;
    cs_insn *instruction = cs_malloc(capstone);
    function->block = function->main->address;
    while (instruction && bytes > 0 && cs_disasm_iter(capstone, &code, &bytes, &address, instruction)) {
        gboolean is_last = address == function->call_end;
        if (is_last) {
            function->is_found = instruction->id == X86_INS_CALL;
            function->call = instruction->address;
        } else if (ends_line(instruction->id)) {
            function->block = address;
        }
    }
    if (instruction)
        cs_free(instruction, 1);
}

/* ---- instructions -------------------------------------------------------------------------------------------- */

/* DWARF's number and bytes of a general register; FALSE: it is none. */
static gboolean register_of(x86_reg given, DtOperand *operand)
{
    static const struct {
        guint8 number;
        x86_reg names[4]; /* of 8, 4, 2 and 1 bytes */
    } registers[] = {
        {0, {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL}},
        {1, {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL}},
        {2, {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL}},
        {3, {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL}},
        {4, {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL}},
        {5, {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL}},
        {6, {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL}},
        {7, {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL}},
        {8, {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B}},
        {9, {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B}},
        {10, {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B}},
        {11, {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B}},
        {12, {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B}},
        {13, {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B}},
        {14, {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B}},
        {15, {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}},
    };
    static const x86_reg second_bytes[] = {X86_REG_AH, X86_REG_DH, X86_REG_CH, X86_REG_BH};
    for (guint i = 0; i < G_N_ELEMENTS(registers); i++)
        for (guint size = 0; size < 4; size++)
            if (registers[i].names[size] == given) {
                operand->register_number = registers[i].number;
                operand->bytes = (guint8)(8u >> size);
                return TRUE;
            }
    for (guint i = 0; i < G_N_ELEMENTS(second_bytes); i++)
        if (second_bytes[i] == given) {
            operand->register_number = (guint8)i;
            operand->bytes = 0; /* not its lowest: nothing is known of its value */
            return TRUE;
        }
    return FALSE;
}

static guint8 number_of(x86_reg given)
{
    DtOperand operand = {0};
    return register_of(given, &operand) && operand.bytes == 8 ? operand.register_number : DT_NO_REGISTER;
}

/* FALSE: of a kind that nothing here knows how to read. */
static gboolean read_operand(const cs_insn *instruction, guint place, DtOperand *operand)
{
    const cs_x86_op *given = &instruction->detail->x86.operands[place];
    operand->bytes = given->size;
    switch (given->type) {
    case X86_OP_REG:
        operand->kind = DT_OPERAND_REGISTER;
        return register_of(given->reg, operand);
    case X86_OP_IMM:
        operand->kind = DT_OPERAND_NUMBER;
        operand->number = given->imm;
        return TRUE;
    case X86_OP_MEM:
        operand->kind = DT_OPERAND_MEMORY;
        operand->number = given->mem.disp;
        operand->scale = (guint8)given->mem.scale;
        operand->is_in_file = given->mem.base == X86_REG_RIP ||
                              (given->mem.base == X86_REG_INVALID && given->mem.index == X86_REG_INVALID);
        operand->base = number_of(given->mem.base);
        operand->index = number_of(given->mem.index);
        if (given->mem.base == X86_REG_RIP)
            operand->number += (gint64)(instruction->address + instruction->size);
        return given->mem.segment == X86_REG_INVALID &&
               (given->mem.base == X86_REG_INVALID || operand->is_in_file || operand->base != DT_NO_REGISTER) &&
               (given->mem.index == X86_REG_INVALID || operand->index != DT_NO_REGISTER);
    default:
        return FALSE;
    }
}

/* Instructions that write nothing but what their first operand is, to a value that does not matter here; or nothing. */
static gboolean is_plain(unsigned id)
{
    static const unsigned ids[] = {
        X86_INS_IMUL,     X86_INS_AND,      X86_INS_OR,        X86_INS_XOR,      X86_INS_NEG,        X86_INS_NOT,
        X86_INS_INC,      X86_INS_DEC,      X86_INS_SHR,       X86_INS_SAR,      X86_INS_SHL,        X86_INS_ADD,
        X86_INS_SUB,      X86_INS_LEA,      X86_INS_MOV,       X86_INS_MOVABS,   X86_INS_MOVSX,      X86_INS_MOVSXD,
        X86_INS_MOVZX,    X86_INS_CMOVA,    X86_INS_CMOVAE,    X86_INS_CMOVB,    X86_INS_CMOVBE,     X86_INS_CMOVE,
        X86_INS_CMOVG,    X86_INS_CMOVGE,   X86_INS_CMOVL,     X86_INS_CMOVLE,   X86_INS_CMOVNE,     X86_INS_CMOVNS,
        X86_INS_CMOVS,    X86_INS_SETA,     X86_INS_SETAE,     X86_INS_SETB,     X86_INS_SETBE,      X86_INS_SETE,
        X86_INS_SETG,     X86_INS_SETGE,    X86_INS_SETL,      X86_INS_SETLE,    X86_INS_SETNE,      X86_INS_SETNS,
        X86_INS_SETS,     X86_INS_SBB,      X86_INS_ADC,       X86_INS_MOVAPS,   X86_INS_MOVAPD,     X86_INS_MOVUPS,
        X86_INS_MOVUPD,   X86_INS_MOVSS,    X86_INS_MOVSD,     X86_INS_MOVDQA,   X86_INS_MOVDQU,     X86_INS_MOVQ,
        X86_INS_MOVD,     X86_INS_PXOR,     X86_INS_XORPS,     X86_INS_XORPD,    X86_INS_ADDSD,      X86_INS_ADDSS,
        X86_INS_SUBSD,    X86_INS_SUBSS,    X86_INS_MULSD,     X86_INS_MULSS,    X86_INS_DIVSD,      X86_INS_DIVSS,
        X86_INS_CVTSI2SD, X86_INS_CVTSI2SS, X86_INS_CVTTSD2SI, X86_INS_CVTSS2SD, X86_INS_CVTSD2SS,   X86_INS_CVTTSS2SI,
        X86_INS_MOVHPS,   X86_INS_MOVHPD,   X86_INS_MOVLPD,    X86_INS_MOVLPS,   X86_INS_PUNPCKLQDQ, X86_INS_UNPCKLPD,
        X86_INS_PSHUFD,   X86_INS_SQRTSD,
    };
    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        if (ids[i] == id)
            return TRUE;
    return FALSE;
}

static gboolean writes_nothing(unsigned id)
{
    return id == X86_INS_CMP || id == X86_INS_TEST || id == X86_INS_NOP || id == X86_INS_UCOMISD ||
           id == X86_INS_COMISD || id == X86_INS_UCOMISS || id == X86_INS_COMISS || id == X86_INS_ENDBR64 ||
           (is_jump(id) && id != X86_INS_JMP);
}

/* What it does to its first operand, if that is known; else the operand is clobbered. */
static DtStepKind kind_of(const cs_insn *instruction, const DtOperand *to, const DtOperand *from)
{
    gboolean wide = to->kind == DT_OPERAND_REGISTER && to->bytes >= 4;
    switch (instruction->id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
        return wide || to->kind == DT_OPERAND_MEMORY ? DT_STEP_MOVE : DT_STEP_CLOBBER;
    case X86_INS_MOVZX:
        return wide ? DT_STEP_MOVE : DT_STEP_CLOBBER;
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
        return wide ? DT_STEP_EXTEND : DT_STEP_CLOBBER;
    case X86_INS_LEA:
        return wide ? DT_STEP_ADDRESS : DT_STEP_CLOBBER;
    case X86_INS_ADD:
        return wide ? DT_STEP_ADD : DT_STEP_CLOBBER;
    case X86_INS_SUB:
        return wide ? DT_STEP_SUBTRACT : DT_STEP_CLOBBER;
    case X86_INS_SHL:
        return wide && from->kind == DT_OPERAND_NUMBER ? DT_STEP_SHIFT : DT_STEP_CLOBBER;
    default:
        return DT_STEP_CLOBBER;
    }
}

/* xor eax, eax: 0, whatever was there. */
static gboolean clears(const cs_insn *instruction, const DtStep *step)
{
    return instruction->id == X86_INS_XOR && step->to.kind == DT_OPERAND_REGISTER &&
           step->from.kind == DT_OPERAND_REGISTER && step->to.register_number == step->from.register_number &&
           step->to.bytes >= 4 && step->from.bytes == step->to.bytes;
}

static DtStep push_of(const cs_insn *instruction)
{
    DtStep step = {.kind = DT_STEP_PUSH};
    gboolean is_read = instruction->detail->x86.op_count == 1 && read_operand(instruction, 0, &step.from);
    if (step.from.kind == DT_OPERAND_NUMBER)
        step.from.bytes = 8;
    return is_read && step.from.bytes == 8 ? step : (DtStep){.kind = DT_STEP_UNKNOWN};
}

static gboolean is_vector_register(const cs_x86_op *operand)
{
    return operand->type == X86_OP_REG && operand->reg >= X86_REG_XMM0 && operand->reg <= X86_REG_ZMM31;
}

static DtStep sign_extension(void)
{
    DtOperand whole = {.kind = DT_OPERAND_REGISTER, .register_number = 0, .bytes = 8}, half = whole;
    half.bytes = 4;
    return (DtStep){DT_STEP_EXTEND, whole, half};
}

static DtStep upper_half_clobbered(void)
{
    return (DtStep){.kind = DT_STEP_CLOBBER, .to = {.kind = DT_OPERAND_REGISTER, .register_number = 1, .bytes = 8}};
}

static DtStep step_of(const cs_insn *instruction)
{
    const cs_x86 *detail = &instruction->detail->x86;
    DtStep step = {.kind = DT_STEP_UNKNOWN};
    if (writes_nothing(instruction->id))
        return (DtStep){.kind = DT_STEP_NOTHING};
    if (instruction->id == X86_INS_PUSH)
        return push_of(instruction);
    if (instruction->id == X86_INS_CDQE)
        return sign_extension();
    if (instruction->id == X86_INS_CDQ || instruction->id == X86_INS_CQO)
        return upper_half_clobbered();
    gboolean one_factor = instruction->id == X86_INS_IMUL && detail->op_count == 1;
    gboolean of_strings =
        detail->op_count == 2 && detail->operands[0].type == X86_OP_MEM && detail->operands[1].type == X86_OP_MEM;
    if (!is_plain(instruction->id) || one_factor || of_strings || detail->op_count == 0 || detail->prefix[0] != 0)
        return step;
    if (is_vector_register(&detail->operands[0]))
        return (DtStep){.kind = DT_STEP_NOTHING};
    if (!read_operand(instruction, 0, &step.to))
        return step;
    gboolean source_is_known = detail->op_count == 2 && read_operand(instruction, 1, &step.from);
    step.kind = source_is_known ? kind_of(instruction, &step.to, &step.from) : DT_STEP_CLOBBER;
    if (clears(instruction, &step)) {
        step.kind = DT_STEP_MOVE;
        step.from = (DtOperand){.kind = DT_OPERAND_NUMBER, .bytes = step.to.bytes};
    }
    return step;
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

static void read_steps(const Function *function, csh capstone, DtDecoding *decoding)
{
    const guint8 *bytes = function->main->bytes + (function->block - function->main->address);
    gsize left = (gsize)(function->call_end - function->block);
    guint64 address = function->block;
    cs_insn *instruction = cs_malloc(capstone);
    while (instruction && left > 0 && cs_disasm_iter(capstone, &bytes, &left, &address, instruction)) {
        if (address == function->call_end) {
            if (instruction->detail->x86.op_count != 1 || !read_operand(instruction, 0, &decoding->target))
                decoding->target = (DtOperand){0};
            break;
        }
        DtStep step = step_of(instruction);
        if (step.kind == DT_STEP_UNKNOWN)
            g_array_set_size(decoding->steps, 0);
        else
            g_array_append_val(decoding->steps, step);
    }
    if (instruction)
        cs_free(instruction, 1);
    if (decoding->steps->len > MOST_STEPS)
        g_array_remove_range(decoding->steps, 0, decoding->steps->len - MOST_STEPS);
}

static gboolean decode(DtDecoding *decoding, csh plain, csh detailed)
{
    Function function = {
        .main = &decoding->parts[0], .call_end = decoding->call_end, .is_doubtful = decoding->is_doubtful};
    find_line(&function, plain);
    for (guint i = 0; i < decoding->part_count; i++) {
        const DtCodePart *part = &decoding->parts[i];
        sweep_jumps(&function, plain, part->bytes, part->count, part->address);
    }
    if (!function.is_found)
        return FALSE;
    if (function.is_doubtful)
        function.block = function.call;
    read_steps(&function, detailed, decoding);
    return TRUE;
}

G_MODULE_EXPORT gboolean dt_decode_before_call(DtDecoding *decoding);

gboolean dt_decode_before_call(DtDecoding *decoding)
{
    csh plain, detailed;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &plain) != CS_ERR_OK)
        return FALSE;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &detailed) != CS_ERR_OK) {
        cs_close(&plain);
        return FALSE;
    }
    cs_option(detailed, CS_OPT_DETAIL, CS_OPT_ON);
    gboolean good = decode(decoding, plain, detailed);
    cs_close(&detailed);
    cs_close(&plain);
    return good;
}
