/* One load that may fault: signals/own_faults.c goes on behind it then, with the answer that it failed. */
    .text
    .p2align 4
    .globl dt_try_load, dt_try_load_failed
    .hidden dt_try_load, dt_try_load_failed
    .type dt_try_load, @function
    .type dt_try_load_failed, @function
dt_try_load:
    .cfi_startproc
.Lload:
    mov (%rsi), %rax
    mov %rax, (%rdi)
    mov $1, %eax
    ret
.Lfailed:
    xor %eax, %eax
    ret
    .cfi_endproc
    .size dt_try_load, .-dt_try_load

dt_try_load_failed:
    .cfi_startproc
    lea .Lload(%rip), %rax
    cmp %rax, (%rdi)
    jne .Lfailed
    lea .Lfailed(%rip), %rax
    mov %rax, (%rdi)
    mov $1, %eax
    ret
    .cfi_endproc
    .size dt_try_load_failed, .-dt_try_load_failed

    .section .note.GNU-stack,"",@progbits
