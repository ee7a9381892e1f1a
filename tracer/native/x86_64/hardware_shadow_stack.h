/** Shadow stacks of the processor (CET). */
#ifndef DT_X86_64_HARDWARE_SHADOW_STACK_H
#define DT_X86_64_HARDWARE_SHADOW_STACK_H

#include <stdbool.h>

/** True if the processor's own shadow stack is on in this process: it cannot be traced. */
bool dt_has_hardware_shadow_stack(void);

#endif
