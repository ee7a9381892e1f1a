/** Padding between functions: no-ops, int3, zeros. Jumps that have no room in their function find it there. */
#ifndef DT_X86_64_PADDING_H
#define DT_X86_64_PADDING_H

#include "native/x86_64/decode.h"

/** Bytes of padding behind a function, up to the next one, that no code jumps to. */
uint32_t dt_padding_behind(struct dt_disassembler *disassembler, const struct dt_elf_image *image, uint32_t index,
                           const struct dt_branch_targets *targets);

/**
 * Takes DT_JUMP_BYTES of padding that no code comes to, within reach of a two-byte jump at the function's start; in
 * `targets` they are marked as taken. Gives that jump's displacement, or 0: there is none.
 */
int8_t dt_padding_take(struct dt_disassembler *disassembler, const struct dt_elf_image *image, uint32_t index,
                       struct dt_branch_targets *targets);

#endif
