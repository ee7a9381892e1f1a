/** Stacks, as the kernel lists them. */
#ifndef DT_PIN_PROCESS_H
#define DT_PIN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#define DT_LARGEST_STACK ((uint64_t)1 << 30)

/** Bounds of the stack that `sp` is on; that of the main thread with the room that it may grow into. */
bool dt_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high);

#endif
