/** Registers that the stubs save before they call C, in the order in which stubs.S pushes them. */
#ifndef DT_X86_64_REGISTERS_H
#define DT_X86_64_REGISTERS_H

#include <stdint.h>

/** Registers at a stub's entry, as stubs.S saves them. */
struct dt_entry_registers {
    uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
    uint64_t stub;
    uint64_t index;
    uint64_t return_address; /* its place is the slot */
};

struct dt_exit_registers {
    uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
    uint64_t index; /* its place is the slot; becomes the return address */
};

#endif
