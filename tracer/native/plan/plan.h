/**
 * What is to be done with an image: its functions, which of them can be hooked, and how their first instructions move.
 * Made once per image and kept in the user's cache, so that later processes neither read symbol tables nor decode
 * instructions.
 */
#ifndef DT_PLAN_PLAN_H
#define DT_PLAN_PLAN_H

#include "record/image_list.h"

/** Bytes that a jump to a stub takes, and one to filler nearby. */
enum { DT_JUMP_BYTES = 5, DT_SHORT_JUMP_BYTES = 2, DT_MOST_STEPS = DT_JUMP_BYTES };

enum dt_step_kind {
    DT_STEP_END,
    DT_STEP_COPY,
    DT_STEP_COPY_RELATIVE, /* `place`: where its displacement is */
    DT_STEP_JUMP,          /* the next three: `place` = bytes of the displacement that ends it */
    DT_STEP_BRANCH,
    DT_STEP_CALL
};

/** One instruction to be moved. */
struct dt_plan_step {
    uint8_t kind, length, place;
};

struct dt_plan_function {
    uint64_t address; /* as linked */
    uint32_t size;
    uint32_t name;  /* offset into the names */
    uint8_t reason; /* enum dt_skip_reason */
    uint8_t hook;   /* enum dt_runtime_hook: not traced but watched */
    uint8_t api_class, action;
    struct dt_plan_step steps[DT_MOST_STEPS];
    uint8_t leaf;          /* enum dt_leaf_kind */
    int8_t relay;          /* displacement of a two-byte jump to filler, where the jump to the stub is; 0: none */
    uint8_t return_count;  /* 0: they are not hooked where they are */
    uint32_t code_hash;    /* of the instructions to be moved, as the plan found them */
    uint32_t first_return; /* number among the plan's */
};

/** One of a function's returns, and the instructions before it that make room for a jump. */
struct dt_plan_return {
    uint16_t offset; /* of the first of them, from the function's start */
    uint16_t moved;  /* their bytes, without the return */
    uint32_t hash;   /* of these */
};

struct dt_plan {
    char key[88];                             /* of image, kind of plan; also names the symbol file */
    const struct dt_plan_function *functions; /* by address */
    uint32_t count;
    const char *names;
    uint32_t name_bytes; /* a multiple of 8 */
    const struct dt_plan_return *returns;
    uint32_t return_count;
    void *memory; /* what they lie in: functions, names, returns */
    size_t memory_bytes;
};

/** From the cache, or made and put there. False: the image cannot be read. */
bool dt_plan_get(struct dt_plan *plan, const struct dt_loaded_image *loaded);
void dt_plan_release(struct dt_plan *plan);

/** Of all steps. */
uint32_t dt_plan_moved_bytes(const struct dt_plan_step *steps);
/** FNV-1a of the instructions that the steps move. */
uint32_t dt_plan_code_hash(const uint8_t *code, const struct dt_plan_step *steps);

/** The same for a return; `code` is the function's. */
uint32_t dt_plan_return_hash(const uint8_t *code, const struct dt_plan_return *one);

/** Without the cache. */
bool dt_plan_build(struct dt_plan *plan, const struct dt_loaded_image *loaded);

#endif
