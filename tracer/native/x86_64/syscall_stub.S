/* The C library's syscall(), replaced: what may set a filter or lose the way to the trace file goes through C
 * (program_filters.c), so does what makes a child (forks.c), all else is a jump. */
#include <sys/syscall.h>

.macro PUSH_ARGUMENTS
    .irp register, %rdi, %rsi, %rdx, %rcx, %r8, %r9
    pushq \register
    .cfi_adjust_cfa_offset 8
    .endr
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
.endm

.macro POP_ARGUMENTS
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    .irp register, %r9, %r8, %rcx, %rdx, %rsi, %rdi
    popq \register
    .cfi_adjust_cfa_offset -8
    .endr
.endm

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
    .irp number, SYS_fork, SYS_clone, SYS_clone3
    cmpq $\number, %rdi
    je .Lmakes_child
    .endr
.Lpass_on:
    movq dt_next_syscall(%rip), %rax
    testq %rax, %rax
    je .Lfirst
    jmp *%rax
.Lfirst:
    PUSH_ARGUMENTS
    call dt_find_syscall
    POP_ARGUMENTS
    jmp *%rax
.Lmakes_child:
    PUSH_ARGUMENTS
    call dt_syscall_forks
    POP_ARGUMENTS
    testb %al, %al
    jne dt_fork_syscall
    jmp .Lpass_on
    .cfi_endproc
    .size syscall, . - syscall

    .section .note.GNU-stack, "", @progbits
