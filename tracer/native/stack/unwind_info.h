/**
 * Call frame information for arenas, so that unwinding from a signal handler works wherever the signal hit: in a stub,
 * in the code that all stubs share, or in the instructions that were relocated out of a function.
 *
 * The unwinder asks `_Unwind_Find_FDE`, which is hooked in every image that has one. What it gets are the descriptions
 * that are there already, those of stubs.S and of the function whose instructions were relocated, with a start that
 * makes them fit the address.
 */
#ifndef DT_STACK_UNWIND_INFO_H
#define DT_STACK_UNWIND_INFO_H

#include "native/plan/plan.h"
#include "native/x86_64/arena_layout.h"

/** libgcc's struct dwarf_eh_bases. */
struct dt_unwind_bases {
    void *text, *data, *function;
};

/** Finds our own descriptions; before the first arena is added. */
void dt_unwind_info_start(void);
/** What is needed of an image: its code, where jumps may lie in padding, and its .eh_frame_hdr or NULL. */
struct dt_described_image {
    uint64_t code_low, code_high;
    const uint8_t *frame_table;
};
/** Makes a finished arena known. */
void dt_unwind_info_add(const struct dt_arena *arena, const struct dt_described_image *image);
/** With DIFFTRACE_PERF_MAP=1: names the arena's stubs after their functions in /tmp/perf-PID.map (perf_map.c). */
void dt_perf_map_add(const struct dt_arena *arena, const struct dt_plan *plan, uint64_t bias);
/** The frame description for an address in an arena, and its bases; NULL: not ours. May be called by signal handlers.
 */
const uint8_t *dt_unwind_info_find(uint64_t address, struct dt_unwind_bases *bases);
/** The start of the arena that an address is in, or NULL. */
const uint8_t *dt_arena_start(uint64_t address);
/** For an address among the relocated instructions of a stub: where these begin, and where they did; false: it is
 * elsewhere.
 */
bool dt_relocated_code_at(uint64_t address, uint64_t *relocated, uint64_t *original);
/** Where an instruction was before it was relocated; other addresses are themselves. */
uint64_t dt_relocated_from(uint64_t address);

#endif
