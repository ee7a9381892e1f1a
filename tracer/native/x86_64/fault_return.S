/* Where a handler returns to if it was shown another place than that of its fault (fault_places.c): puts that right,
 * and then does what the C library's own return from a signal does. The stack pointer is at the signal's context. */
#define GREG(number) (40 + 8 * (number))        /* in ucontext_t; numbers of REG_R8 and so on */
#define SIGRETURN    15

    /* Where a register of the interrupted code is; offsets from 64 on take two bytes. */
.macro NEAR_REGISTER dwarf, offset
    .cfi_escape 0x10, \dwarf, 2, 0x77, \offset
.endm
.macro REGISTER dwarf, offset
    .cfi_escape 0x10, \dwarf, 3, 0x77, 0x80 | (\offset & 0x7f), \offset >> 7
.endm

    .text
    .p2align 4
    .globl dt_fault_return
    .hidden dt_fault_return
    .type dt_fault_return, @function
    .cfi_startproc
    .cfi_signal_frame
    .cfi_escape 0x0f, 4, 0x77, 0x80 | (GREG(15) & 0x7f), GREG(15) >> 7, 0x06
    NEAR_REGISTER 8, GREG(0)
    NEAR_REGISTER 9, GREG(1)
    NEAR_REGISTER 10, GREG(2)
    REGISTER 11, GREG(3)
    REGISTER 12, GREG(4)
    REGISTER 13, GREG(5)
    REGISTER 14, GREG(6)
    REGISTER 15, GREG(7)
    REGISTER 5, GREG(8)
    REGISTER 4, GREG(9)
    REGISTER 6, GREG(10)
    REGISTER 3, GREG(11)
    REGISTER 1, GREG(12)
    REGISTER 0, GREG(13)
    REGISTER 2, GREG(14)
    REGISTER 7, GREG(15)
    REGISTER 16, GREG(16)
    nop                         /* unwinders look for a return address before it */
dt_fault_return:
    mov %rsp, %rdi
    cld
    call dt_fault_place_put_back
    mov $SIGRETURN, %eax
    syscall
    ud2
    .cfi_endproc
    .size dt_fault_return, .-dt_fault_return

    .section .note.GNU-stack,"",@progbits
