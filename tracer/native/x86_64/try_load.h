/**
 * Reading where the program has pointed, when nothing may be there: a fault of this one instruction is no fault of the
 * program's. Costs no more than the load, so it serves where calls are frequent.
 */
#ifndef DT_X86_64_TRY_LOAD_H
#define DT_X86_64_TRY_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/** Loads the word at `address`; false: nothing can be read there. Where the program has blocked SIGSEGV, or set its
 * handler by a system call of its own, the fault is the program's after all. */
bool dt_try_load(uint64_t *to, uint64_t address);
/** For the handler of a fault: true if it was of that load at `*counter`, which then says where to go on. */
bool dt_try_load_failed(uint64_t *counter);

#endif
