/**
 * What is to be done with an image: its functions, which of them can be hooked, and how their first instructions are
 * relocated. Made once per image and kept in the user's cache, so that later processes neither read symbol tables nor
 * decode instructions.
 */
#ifndef DT_PLAN_PLAN_H
#define DT_PLAN_PLAN_H

#include "images/loaded_image.h"
#include "native/x86_64/relocation.h"

/** Functions that are watched and not traced: what they do. */
enum dt_runtime_hook {
    DT_HOOK_NONE,
    DT_HOOK_UNWIND,
    DT_HOOK_BACKTRACE,
    DT_HOOK_FIND_FDE,
    DT_HOOK_CATCH,
    DT_HOOK_JUMP,    /* longjmp(buffer, ...) */
    DT_HOOK_CONTEXT, /* setcontext(context) */
    DT_HOOK_SWAP,    /* swapcontext(own, context) */
    DT_HOOK_LOADER
};

struct dt_plan_function {
    uint64_t address; /* as linked */
    uint32_t size;
    uint32_t name;  /* offset into the names */
    uint8_t reason; /* enum dt_skip_reason */
    uint8_t hook;   /* enum dt_runtime_hook: not traced but watched */
    uint8_t api_class, action;
    struct dt_plan_step steps[DT_MOST_STEPS];
    uint8_t terminating;   /* enum dt_terminating_kind */
    int8_t springboard;    /* displacement of a two-byte jump to a springboard, the jump to the stub; 0: none */
    uint8_t return_count;  /* 0: they are not hooked where they are */
    bool loops;            /* a terminating one */
    uint32_t code_hash;    /* of the instructions to be relocated, as the plan found them */
    uint32_t first_return; /* number among the plan's */
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

/** Without the cache. */
bool dt_plan_build(struct dt_plan *plan, const struct dt_loaded_image *loaded);

#endif
