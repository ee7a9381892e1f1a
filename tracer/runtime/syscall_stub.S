/* The C library's syscall(), replaced: what may set a filter or lose the way to the trace file goes through C
 * (program_filters.c), all else is a jump. */
#include <sys/syscall.h>

    .text
    .globl syscall
    .type syscall, @function
    .p2align 4
syscall:
    .cfi_startproc
    endbr64
    cmpq $SYS_seccomp, %rdi
    je dt_program_syscall
    cmpq $SYS_prctl, %rdi
    je dt_program_syscall
    .irp number, SYS_setuid, SYS_setreuid, SYS_setresuid, SYS_setfsuid, SYS_chroot, SYS_pivot_root, SYS_unshare, SYS_setns
    cmpq $\number, %rdi
    je dt_program_syscall
    .endr
    movq dt_next_syscall(%rip), %rax
    testq %rax, %rax
    je 1f
    jmp *%rax
1:  /* the first call of all */
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    pushq %rcx
    .cfi_adjust_cfa_offset 8
    pushq %r8
    .cfi_adjust_cfa_offset 8
    pushq %r9
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call dt_find_syscall
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %r9
    .cfi_adjust_cfa_offset -8
    popq %r8
    .cfi_adjust_cfa_offset -8
    popq %rcx
    .cfi_adjust_cfa_offset -8
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp *%rax
    .cfi_endproc
    .size syscall, . - syscall

    .section .note.GNU-stack, "", @progbits
