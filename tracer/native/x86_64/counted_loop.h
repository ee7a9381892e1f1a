/** Loops that count: their number of turns is fixed when they begin, whatever the memory that they read says. */
#ifndef DT_X86_64_COUNTED_LOOP_H
#define DT_X86_64_COUNTED_LOOP_H

#include <capstone/capstone.h>

#include "native/x86_64/control_flow.h"

/** Most instructions of such a loop. */
enum { DT_LARGEST_LOOP = 1024 };

/** A loop's instructions by number, and the branch or jump that begins the next turn. */
struct dt_loop {
    uint16_t header, latch;
    uint16_t count, body[DT_LARGEST_LOOP]; /* in ascending order */
    bool has[DT_LARGEST_FLOW + 1];         /* by number, the one behind the last too */
};

/** Finds the loop to which `latch` goes back. False: it is too long, or can be entered elsewhere than at its header. */
bool dt_loop_find(struct dt_loop *loop, const struct dt_control_flow *flow, uint16_t header, uint16_t latch);

/**
 * True if one branch out of the loop is come to in every turn and compares a register that every turn changes once, by
 * a constant, with a constant or a register that the loop does not change. `capstone` gives details, `insn` is its.
 */
bool dt_loop_counts(const struct dt_loop *loop, const struct dt_control_flow *flow, csh capstone, cs_insn *insn);

#endif
