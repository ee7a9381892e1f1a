/** How instructions are relocated: a function's first ones to its stub, and those before its returns. */
#ifndef DT_X86_64_RELOCATION_H
#define DT_X86_64_RELOCATION_H

#include <stdint.h>

/** Bytes that a jump to a stub takes, and one to a springboard. */
enum { DT_JUMP_BYTES = 5, DT_SHORT_JUMP_BYTES = 2, DT_MOST_STEPS = DT_JUMP_BYTES };

enum dt_step_kind {
    DT_STEP_END,
    DT_STEP_COPY,
    DT_STEP_COPY_RELATIVE, /* `place`: where its displacement is */
    DT_STEP_JUMP,          /* the next three: `place` = bytes of the displacement that ends it */
    DT_STEP_BRANCH,
    DT_STEP_CALL
};

/** One instruction to be relocated. */
struct dt_plan_step {
    uint8_t kind, length, place;
};

/** One of a function's returns, and the instructions before it that make room for a jump. */
struct dt_plan_return {
    uint16_t offset;    /* of the first of them, from the function's start */
    uint16_t relocated; /* their bytes, without the return */
    uint32_t hash;      /* of these */
};

/** Of all steps. */
uint32_t dt_plan_relocated_bytes(const struct dt_plan_step *steps);
/** FNV-1a of the instructions that the steps relocate. */
uint32_t dt_plan_code_hash(const uint8_t *code, const struct dt_plan_step *steps);

/** The same for a return; `code` is the function's. */
uint32_t dt_plan_return_hash(const uint8_t *code, const struct dt_plan_return *one);

#endif
