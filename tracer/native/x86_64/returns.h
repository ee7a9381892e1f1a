/** Where a function returns: found from its code, so that its returns can be hooked where they are. */
#ifndef DT_X86_64_RETURNS_H
#define DT_X86_64_RETURNS_H

#include "native/x86_64/control_flow.h"
#include "native/x86_64/decode.h"

/** Most returns that a function has. */
enum { DT_MOST_RETURNS = 32 };

/**
 * Finds all returns of the function at `address` whose code is `code`, and for each the last instructions before it
 * that together with it, and with no-ops behind, have room for a jump: `padding` bytes may be written behind the
 * function. Nothing comes to these but from the instruction before; none of them lies in the first `relocated` bytes.
 *
 * Gives how many there are, or 0: the function may leave in another way, or one of them has no room. The first five
 * bytes of each are marked in `targets`, as taken.
 */
uint32_t dt_find_returns(struct dt_control_flow *flow, struct dt_branch_targets *targets, uint64_t address,
                         const uint8_t *code, uint32_t bytes, uint32_t padding, uint32_t relocated,
                         struct dt_plan_return returns[DT_MOST_RETURNS]);

#endif
