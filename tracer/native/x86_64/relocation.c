/* Relocated instructions: how many bytes they are, and whether they are still those that a plan found. */
#include "native/x86_64/relocation.h"

uint32_t dt_plan_relocated_bytes(const struct dt_plan_step *steps)
{
    uint32_t relocated = 0;
    for (int i = 0; i < DT_MOST_STEPS && steps[i].kind != DT_STEP_END; i++)
        relocated += steps[i].length;
    return relocated;
}

static uint32_t hash_bytes(const uint8_t *code, uint32_t bytes)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < bytes; i++)
        hash = (hash ^ code[i]) * 16777619u;
    return hash;
}

uint32_t dt_plan_code_hash(const uint8_t *code, const struct dt_plan_step *steps)
{
    return hash_bytes(code, dt_plan_relocated_bytes(steps));
}

uint32_t dt_plan_return_hash(const uint8_t *code, const struct dt_plan_return *one)
{
    return hash_bytes(code + one->offset, one->relocated + 1u);
}
