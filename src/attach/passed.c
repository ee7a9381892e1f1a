#include "attach/passed.h"

#include <dwarf.h>
#include <string.h>
#include <sys/uio.h>

enum { MOST_DEPTH = 12, MOST_OPERATIONS = 32, DEEPEST_STACK = 16 };

typedef DtArgumentWord Word;

static const Word nothing = {0};

static Word number(guint64 value)
{
    return (Word){.known = TRUE, .value = value};
}

/* A value made of two: what was read for one of them was read for it. */
static Word made_of(guint64 value, const Word *one, const Word *other)
{
    Word word = {.known = one->known && other->known, .value = value};
    guint count = 0;
    for (guint i = 0; i < 2; i++) {
        if (one->read[i] != 0 && count < G_N_ELEMENTS(word.read))
            word.read[count++] = one->read[i];
        else if (one->read[i] != 0)
            return nothing;
        if (other->read[i] != 0 && count < G_N_ELEMENTS(word.read))
            word.read[count++] = other->read[i];
        else if (other->read[i] != 0)
            return nothing;
    }
    return word;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

gboolean dt_process_read(pid_t pid, guint64 address, void *to, gsize bytes)
{
    struct iovec own = {to, bytes}, its = {(void *)(guintptr)address, bytes}; /* NOLINT(performance-no-int-to-ptr) */
    return process_vm_readv(pid, &own, 1, &its, 1, 0) == (gssize)bytes;
}

const DtMappedImage *dt_mapped_at(const GPtrArray *mapped, guint64 address)
{
    for (guint i = 0; i < mapped->len; i++) {
        const DtMappedImage *image = mapped->pdata[i];
        if (address >= image->start && address < image->end)
            return image;
    }
    return NULL;
}

/* Nobody writes there once the program has been loaded: code, constants, tables of the linker's. */
static gboolean is_constant(const DtMappedImage *mapped, guint64 address)
{
    Elf_Scn *section = NULL;
    size_t names;
    if (elf_getshdrstrndx(mapped->image->elf, &names) != 0)
        return FALSE;
    while ((section = elf_nextscn(mapped->image->elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
            address - mapped->bias < header.sh_addr || address - mapped->bias - header.sh_addr >= header.sh_size)
            continue;
        const char *name = elf_strptr(mapped->image->elf, names, header.sh_name);
        return !(header.sh_flags & SHF_WRITE) ||
               (name && (g_str_has_prefix(name, ".got") || g_str_has_prefix(name, ".data.rel.ro")));
    }
    return FALSE;
}

static gboolean is_in_own_frame(const DtCallerFrame *frame, guint64 address, guint bytes)
{
    guint64 start = frame->caller->registers[DT_RSP];
    return frame->caller->known & 1u << DT_RSP && frame->frame_end > start && address >= start &&
           address <= frame->frame_end - bytes;
}

Word dt_passed_memory(const DtCallerFrame *frame, guint64 address, guint bytes)
{
    guint64 value = 0;
    const DtMappedImage *mapped = dt_mapped_at(frame->mapped, address);
    gboolean constant = mapped && is_constant(mapped, address);
    if (bytes > sizeof value || (!constant && !frame->is_alone && !is_in_own_frame(frame, address, bytes)) ||
        !dt_process_read(frame->pid, address, &value, bytes))
        return nothing;
    Word word = number(value);
    word.read[0] = constant ? 0 : address;
    return word;
}

/* ---- debug information --------------------------------------------------------------------------------- */

/* Of those that a call leaves as they were. */
static gboolean is_kept(guint number_of_register)
{
    return number_of_register == DT_RBX || number_of_register == DT_RBP || number_of_register == DT_RSP ||
           (number_of_register >= DT_R12 && number_of_register < DT_REGISTERS);
}

static Word kept_register(const DtCallerFrame *frame, guint number_of_register)
{
    if (!is_kept(number_of_register) || !(frame->caller->known & 1u << number_of_register))
        return nothing;
    return number(frame->caller->registers[number_of_register]);
}

static Word evaluate(const DtCallerFrame *frame, const DtExpression *expression, gboolean is_base);

static Word frame_base(const DtCallerFrame *frame)
{
    const DtExpression *base = &frame->origin->frame_base;
    if (base->count == 1 && base->operations[0].atom >= DW_OP_reg0 && base->operations[0].atom <= DW_OP_reg31)
        return kept_register(frame, base->operations[0].atom - DW_OP_reg0);
    return evaluate(frame, base, TRUE);
}

/* What an operation puts on the stack; FALSE in *is_leaf: it is one on what is there. */
static Word leaf(const DtCallerFrame *frame, const Dwarf_Op *operation, gboolean is_base, gboolean *is_leaf)
{
    Word base;
    *is_leaf = TRUE;
    if (operation->atom >= DW_OP_lit0 && operation->atom <= DW_OP_lit31)
        return number(operation->atom - DW_OP_lit0);
    if (operation->atom >= DW_OP_breg0 && operation->atom <= DW_OP_breg31) {
        base = kept_register(frame, operation->atom - DW_OP_breg0);
        base.value += operation->number;
        return base;
    }
    switch (operation->atom) {
    case DW_OP_addr:
        return number(operation->number + frame->caller->bias);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return number(operation->number);
    case DW_OP_call_frame_cfa:
        return frame->frame_end != 0 ? number(frame->frame_end) : nothing;
    case DW_OP_fbreg:
        base = is_base ? nothing : frame_base(frame);
        base.value += operation->number;
        return base;
    default:
        *is_leaf = FALSE;
        return nothing;
    }
}

/* FALSE: it is no operation on one value. */
static gboolean apply_to_one(const DtCallerFrame *frame, const Dwarf_Op *operation, Word *top)
{
    Word read;
    switch (operation->atom) {
    case DW_OP_plus_uconst:
        top->value += operation->number;
        return TRUE;
    case DW_OP_neg:
        top->value = -top->value;
        return TRUE;
    case DW_OP_not:
        top->value = ~top->value;
        return TRUE;
    case DW_OP_deref:
    case DW_OP_deref_size:
        read = top->known
                   ? dt_passed_memory(frame, top->value, operation->atom == DW_OP_deref ? 8 : (guint)operation->number)
                   : nothing;
        *top = made_of(read.value, &read, top);
        return TRUE;
    case DW_OP_stack_value:
        return TRUE;
    default:
        return FALSE;
    }
}

static gboolean apply_to_two(unsigned atom, const Word *one, const Word *other, Word *result)
{
    guint64 value;
    switch (atom) {
    case DW_OP_plus:
        value = one->value + other->value;
        break;
    case DW_OP_minus:
        value = one->value - other->value;
        break;
    case DW_OP_mul:
        value = one->value * other->value;
        break;
    case DW_OP_and:
        value = one->value & other->value;
        break;
    case DW_OP_or:
        value = one->value | other->value;
        break;
    case DW_OP_xor:
        value = one->value ^ other->value;
        break;
    case DW_OP_shl:
        value = other->value < 64 ? one->value << other->value : 0;
        break;
    case DW_OP_shr:
        value = other->value < 64 ? one->value >> other->value : 0;
        break;
    case DW_OP_shra:
        value = (guint64)((gint64)one->value >> MIN(other->value, 63));
        break;
    default:
        return FALSE;
    }
    *result = made_of(value, one, other);
    return TRUE;
}

/* Operations that are not among these, such as the value of a register when the caller was called, make it unknown. */
static Word evaluate(const DtCallerFrame *frame, const DtExpression *expression, gboolean is_base)
{
    Word stack[DEEPEST_STACK];
    guint depth = 0;
    if (expression->count == 0 || expression->count > MOST_OPERATIONS)
        return nothing;
    for (size_t i = 0; i < expression->count; i++) {
        const Dwarf_Op *operation = &expression->operations[i];
        gboolean is_leaf;
        Word word = leaf(frame, operation, is_base, &is_leaf);
        if (is_leaf && depth == DEEPEST_STACK)
            return nothing;
        if (is_leaf)
            stack[depth++] = word;
        else if (depth >= 2 && apply_to_two(operation->atom, &stack[depth - 2], &stack[depth - 1], &word))
            stack[--depth - 1] = word;
        else if (depth == 0 || !apply_to_one(frame, operation, &stack[depth - 1]))
            return nothing;
    }
    return depth == 1 ? stack[0] : nothing;
}

/* ---- code ------------------------------------------------------------------------------------------------ */

static const DtStep *step_at(const DtCallerFrame *frame, guint place)
{
    return &g_array_index(frame->origin->code->steps, DtStep, place);
}

static guint step_count(const DtCallerFrame *frame)
{
    return frame->origin->code ? frame->origin->code->steps->len : 0;
}

static gboolean writes_register(const DtStep *step, guint8 wanted)
{
    if (step->kind == DT_STEP_PUSH)
        return wanted == DT_RSP;
    return step->kind != DT_STEP_NOTHING && step->to.kind == DT_OPERAND_REGISTER && step->to.register_number == wanted;
}

static Word register_before(const DtCallerFrame *frame, guint place, guint8 wanted, guint depth);

static Word cut(Word word, guint bytes, gboolean with_sign)
{
    if (bytes == 0 || bytes > 8)
        return nothing;
    guint unused = 64 - 8 * bytes;
    word.value = with_sign ? (guint64)((gint64)(word.value << unused) >> unused) : word.value << unused >> unused;
    return word;
}

static Word address_before(const DtCallerFrame *frame, guint place, const DtOperand *operand, guint depth)
{
    Word word = number((guint64)operand->number + (operand->is_in_file ? frame->caller->bias : 0));
    if (operand->base != DT_NO_REGISTER) {
        Word base = register_before(frame, place, operand->base, depth + 1);
        word = made_of(word.value + base.value, &word, &base);
    }
    if (operand->index != DT_NO_REGISTER) {
        Word index = register_before(frame, place, operand->index, depth + 1);
        word = made_of(word.value + index.value * operand->scale, &word, &index);
    }
    return word;
}

/* Where a step writes to memory, before it is done; FALSE: it does not. */
static gboolean store_of(const DtCallerFrame *frame, guint place, Word *address, guint *bytes, guint depth)
{
    const DtStep *step = step_at(frame, place);
    if (step->kind == DT_STEP_PUSH) {
        *address = register_before(frame, place, DT_RSP, depth + 1);
        address->value -= 8;
        *bytes = 8;
        return TRUE;
    }
    if (step->kind == DT_STEP_NOTHING || step->to.kind != DT_OPERAND_MEMORY)
        return FALSE;
    *address = address_before(frame, place, &step->to, depth);
    *bytes = step->to.bytes;
    return TRUE;
}

/* What a load found is still there if no step behind it may have written there. */
static Word load_before(const DtCallerFrame *frame, guint place, const DtOperand *operand, guint depth)
{
    Word address = address_before(frame, place, operand, depth);
    for (guint i = place; address.known && i < step_count(frame); i++) {
        Word other;
        guint bytes;
        if (!store_of(frame, i, &other, &bytes, depth))
            continue;
        if (!other.known || (other.value < address.value + operand->bytes && address.value < other.value + bytes))
            return nothing;
    }
    Word word = address.known ? dt_passed_memory(frame, address.value, operand->bytes) : nothing;
    return made_of(word.value, &word, &address);
}

static Word operand_before(const DtCallerFrame *frame, guint place, const DtOperand *operand, guint depth)
{
    if (depth > MOST_DEPTH)
        return nothing;
    switch (operand->kind) {
    case DT_OPERAND_NUMBER:
        return number((guint64)operand->number);
    case DT_OPERAND_REGISTER:
        return cut(register_before(frame, place, operand->register_number, depth + 1), operand->bytes, FALSE);
    case DT_OPERAND_MEMORY:
        return load_before(frame, place, operand, depth + 1);
    case DT_OPERAND_NONE:
        break;
    }
    return nothing;
}

/* What a step leaves in the register that it writes. */
static Word result_of(const DtCallerFrame *frame, guint place, guint depth)
{
    const DtStep *step = step_at(frame, place);
    if (step->kind == DT_STEP_ADDRESS)
        return cut(address_before(frame, place, &step->from, depth + 1), step->to.bytes, FALSE);
    Word from = step->kind == DT_STEP_CLOBBER ? nothing : operand_before(frame, place, &step->from, depth + 1);
    if (step->kind == DT_STEP_MOVE)
        return cut(from, step->to.bytes, FALSE);
    if (step->kind == DT_STEP_EXTEND)
        return cut(cut(from, step->from.bytes, TRUE), step->to.bytes, FALSE);
    if (step->kind != DT_STEP_ADD && step->kind != DT_STEP_SUBTRACT && step->kind != DT_STEP_SHIFT)
        return nothing;
    Word old = register_before(frame, place, step->to.register_number, depth + 1);
    guint64 value = step->kind == DT_STEP_ADD        ? old.value + from.value
                    : step->kind == DT_STEP_SUBTRACT ? old.value - from.value
                    : from.value < 64                ? old.value << from.value
                                                     : 0;
    return cut(made_of(value, &old, &from), step->to.bytes, FALSE);
}

/* How much less the stack pointer is after a step than before it; FALSE: not known. */
static gboolean lowers_stack(const DtStep *step, gint64 *by)
{
    gboolean of_pointer = step->to.kind == DT_OPERAND_REGISTER && step->to.register_number == DT_RSP;
    *by = 0;
    if (step->kind == DT_STEP_PUSH)
        *by = 8;
    else if (step->kind == DT_STEP_NOTHING || !of_pointer)
        return TRUE;
    else if (step->kind == DT_STEP_SUBTRACT && step->from.kind == DT_OPERAND_NUMBER)
        *by = step->from.number;
    else if (step->kind == DT_STEP_ADD && step->from.kind == DT_OPERAND_NUMBER)
        *by = -step->from.number;
    else
        return FALSE;
    return TRUE;
}

static Word stack_pointer_before(const DtCallerFrame *frame, guint place)
{
    Word word = kept_register(frame, DT_RSP);
    for (guint i = place; i < step_count(frame); i++) {
        gint64 by;
        if (!lowers_stack(step_at(frame, i), &by))
            return nothing;
        word.value += (guint64)by;
    }
    return word;
}

/* A register before a step: as it is now, if it is kept and nothing wrote to it since; else from what last did. */
static Word register_before(const DtCallerFrame *frame, guint place, guint8 wanted, guint depth)
{
    gboolean written_since = FALSE;
    if (depth > MOST_DEPTH)
        return nothing;
    if (wanted == DT_RSP)
        return stack_pointer_before(frame, place);
    for (guint i = place; i < step_count(frame); i++)
        written_since = written_since || writes_register(step_at(frame, i), wanted);
    if (!written_since && is_kept(wanted))
        return kept_register(frame, wanted);
    for (guint i = place; i > 0; i--)
        if (writes_register(step_at(frame, i - 1), wanted))
            return result_of(frame, i - 1, depth + 1);
    return nothing;
}

/* The callee may use the place of an argument on the stack as its own: only what was put there is certain. */
static Word word_on_stack(const DtCallerFrame *frame, guint place_on_stack)
{
    Word slot = kept_register(frame, DT_RSP);
    slot.value += 8 * (guint64)place_on_stack;
    for (guint i = step_count(frame); slot.known && i > 0; i--) {
        Word address;
        guint bytes;
        if (!store_of(frame, i - 1, &address, &bytes, 0))
            continue;
        if (!address.known)
            return nothing;
        if (address.value >= slot.value + 8 || address.value + bytes <= slot.value)
            continue;
        const DtStep *step = step_at(frame, i - 1);
        gboolean is_whole = address.value == slot.value && bytes >= 4 && step->kind != DT_STEP_CLOBBER &&
                            (step->kind == DT_STEP_PUSH || step->kind == DT_STEP_MOVE);
        return is_whole ? cut(operand_before(frame, i - 1, &step->from, 0), bytes, FALSE) : nothing;
    }
    return nothing;
}

static Word word_by_code(const DtCallerFrame *frame, guint parameter)
{
    if (!frame->origin->code)
        return nothing;
    return parameter < DT_REGISTER_PARAMETERS
               ? register_before(frame, step_count(frame), dt_parameter_register(parameter), 0)
               : word_on_stack(frame, parameter - DT_REGISTER_PARAMETERS);
}

/* ---- both -------------------------------------------------------------------------------------------------- */

/* An int is in the lower half; what the other half holds is luck. */
static gboolean contradict(const Word *one, const Word *other)
{
    return one->known && other->known && (guint32)one->value != (guint32)other->value;
}

Word dt_passed_word(const DtCallerFrame *frame, guint parameter)
{
    Word by_code = word_by_code(frame, parameter);
    Word by_information =
        parameter < DT_REGISTER_PARAMETERS ? evaluate(frame, &frame->origin->values[parameter], FALSE) : nothing;
    if (contradict(&by_code, &by_information))
        return nothing;
    return by_code.known ? by_code : by_information;
}

gboolean dt_passed_target(const DtCallerFrame *frame, guint64 *target)
{
    const DtCode *code = frame->origin->code;
    guint64 slot = 0;
    if (!code || code->target.kind == DT_OPERAND_NONE)
        return FALSE;
    Word word;
    if (code->target.kind != DT_OPERAND_NUMBER)
        word = operand_before(frame, step_count(frame), &code->target, 0);
    else if (dt_code_linkage(frame->caller->image, (guint64)code->target.number, &slot))
        word = dt_passed_memory(frame, slot + frame->caller->bias, 8);
    else
        word = number((guint64)code->target.number + frame->caller->bias);
    *target = word.value;
    return word.known;
}
