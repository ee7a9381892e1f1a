/* Where the kernel goes instead of to the program's handler of a watched signal: notes it and jumps to the handler,
 * which has the arguments, the stack and the return address that the kernel gave. */
    .text
    .p2align 4
    .globl dt_signal_stub
    .hidden dt_signal_stub
    .type dt_signal_stub, @function
dt_signal_stub:
    .cfi_startproc
    push %rdi
    .cfi_adjust_cfa_offset 8
    push %rsi
    .cfi_adjust_cfa_offset 8
    push %rdx
    .cfi_adjust_cfa_offset 8
    call dt_signal_seen
    pop %rdx
    .cfi_adjust_cfa_offset -8
    pop %rsi
    .cfi_adjust_cfa_offset -8
    pop %rdi
    .cfi_adjust_cfa_offset -8
    jmp *%rax
    .cfi_endproc
    .size dt_signal_stub, .-dt_signal_stub

    .section .note.GNU-stack,"",@progbits
