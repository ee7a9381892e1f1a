/* Where between functions there is room for a jump. */
#include "native/x86_64/padding.h"

#include "native/x86_64/instruction_length.h"

enum { DT_MOST_PADDING = 64 };

uint32_t dt_padding_behind(struct dt_disassembler *disassembler, const struct dt_elf_image *image, uint32_t index,
                           const struct dt_branch_targets *targets)
{
    const struct dt_elf_function *function = &image->functions[index];
    uint64_t end = function->address + function->size;
    uint64_t next = index + 1 < image->function_count ? function[1].address : end;
    if (next <= end || next - end > DT_MOST_PADDING || !dt_elf_in_text(image, end))
        return 0;
    for (uint64_t address = end; address < next; address++)
        if (dt_branch_targets_has(targets, address))
            return 0;
    return dt_is_padding(disassembler, dt_elf_code(image, end), next - end) ? (uint32_t)(next - end) : 0;
}

/* A jump or a return: what lies behind it is come to by jumps alone. */
static bool goes_elsewhere(const uint8_t *code, unsigned length)
{
    if (*code == 0xf2 || *code == 0xf3) /* bnd, rep */
        return length > 1 && goes_elsewhere(code + 1, length - 1);
    return *code == 0xc3 || *code == 0xc2 || *code == 0xeb || *code == 0xe9 ||
           (*code == 0xff && length > 1 && (code[1] & 0x38) == 0x20);
}

static bool ends_elsewhere(const struct dt_elf_image *image, const struct dt_elf_function *function)
{
    const uint8_t *code = dt_elf_code(image, function->address), *end = code + function->size;
    bool elsewhere = false;
    while (code < end) {
        unsigned length = dt_instruction_length(code, (size_t)(end - code));
        if (!length)
            return false;
        elsewhere = goes_elsewhere(code, length);
        code += length;
    }
    return elsewhere;
}

/* In the padding behind a function: a place for the jump that one of two bytes, which ends at `from`, reaches. */
static bool find_place(uint64_t padding, uint32_t bytes, uint64_t from, uint64_t *place)
{
    uint64_t low = from - 128, high = from + 127;
    *place = padding > low ? padding : low;
    return *place <= high && *place + DT_JUMP_BYTES <= padding + bytes;
}

/* A function shorter than a jump may need the padding behind it for its own. Zeros alone may be data. */
static bool has_place(struct dt_disassembler *disassembler, const struct dt_elf_image *image, uint32_t index,
                      const struct dt_branch_targets *targets, uint64_t from, uint64_t *place)
{
    const struct dt_elf_function *function = &image->functions[index];
    uint64_t padding = function->address + function->size;
    uint32_t bytes = dt_padding_behind(disassembler, image, index, targets);
    return bytes >= DT_JUMP_BYTES && *dt_elf_code(image, padding) != 0 && function->size >= DT_JUMP_BYTES &&
           find_place(padding, bytes, from, place) && ends_elsewhere(image, function);
}

int8_t dt_padding_take(struct dt_disassembler *disassembler, const struct dt_elf_image *image, uint32_t index,
                       struct dt_branch_targets *targets)
{
    uint64_t from = image->functions[index].address + DT_SHORT_JUMP_BYTES, place;
    uint32_t first = index, last = index;
    while (first > 0 && image->functions[first].address + 256 > from)
        first--;
    while (last + 1 < image->function_count && image->functions[last].address < from + 128)
        last++;
    for (uint32_t i = first; i <= last; i++)
        if (has_place(disassembler, image, i, targets, from, &place)) {
            for (uint32_t k = 0; k < DT_JUMP_BYTES; k++)
                dt_branch_targets_mark(targets, place + k);
            return (int8_t)(int64_t)(place - from);
        }
    return 0;
}
