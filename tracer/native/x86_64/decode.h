/**
 * What only decoding instructions can tell (Capstone). Used when an image is met for the first time; what comes out is
 * kept in its plan.
 */
#ifndef DT_X86_64_DECODE_H
#define DT_X86_64_DECODE_H

#include <capstone/capstone.h>

#include "format/trace_file.h"
#include "images/elf_image.h"
#include "native/x86_64/relocation.h"

struct dt_disassembler {
    csh detailed, plain;
    cs_insn *detailed_insn, *plain_insn;
};

bool dt_disassembler_open(struct dt_disassembler *disassembler);
void dt_disassembler_close(struct dt_disassembler *disassembler);

/** How to relocate the instructions at `from` that a jump of `bytes` would overwrite: DT_MOST_STEPS steps. */
enum dt_skip_reason dt_plan_prologue(struct dt_disassembler *disassembler, uint64_t from, uint32_t bytes,
                                     struct dt_plan_step *steps);

/** True if the function uses its own return address: before it has a frame, as setjmp does, or where its first
 * instructions say that it lies, as __builtin_return_address does. */
bool dt_reads_return_address(struct dt_disassembler *disassembler, const uint8_t *code, size_t bytes);

/** Branch targets of an image's text, one bit a byte. */
struct dt_branch_targets {
    uint64_t low, high;
    uint8_t *bits;
};
bool dt_branch_targets_find(struct dt_branch_targets *targets, struct dt_disassembler *disassembler,
                            const struct dt_elf_image *image);
/** Adds those of one stretch of code. */
void dt_branch_targets_sweep(struct dt_branch_targets *targets, struct dt_disassembler *disassembler,
                             const uint8_t *code, size_t bytes, uint64_t address);
void dt_branch_targets_mark(struct dt_branch_targets *targets, uint64_t address);
void dt_branch_targets_free(struct dt_branch_targets *targets);
bool dt_branch_targets_has(const struct dt_branch_targets *targets, uint64_t address);
/** The same question for one function, from its own bytes alone: never false when true. */
bool dt_may_branch_into_prologue(const uint8_t *code, size_t bytes);

/** No-ops, int3, zeros. */
bool dt_is_padding(struct dt_disassembler *disassembler, const uint8_t *code, size_t bytes);

#endif
