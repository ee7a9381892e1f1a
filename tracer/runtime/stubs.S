/*
 * Entry and exit of hooked functions: copied to the head of every arena by arena.c, which puts the thread-local offset
 * of dt_hot where DT_HOT is and the pointers into the table at the end.
 *
 * A function's own stub (arena.c):
 *      push $index
 *      call entry              stack then: stub return, index, return address (its place is the slot)
 *      call moved_prologue     the return address that the function sees: the next instruction
 *      push $index             `exit address`; the push lands in the slot again
 *      jmp  exit
 *
 * Every call has its return, so the processor's return predictor stays right. All general registers are preserved (gcc
 * keeps values in caller-saved ones across calls to local functions, -fipa-ra); flags are not. Vector registers are not
 * touched: the C code behind is built without them.
 *
 * Signals: a word's place is taken by one instruction (xadd), so a handler that records between it and the store gets
 * the places after it. A frame's slot is written before and after it is pushed, for the same reason.
 */
#define HOT_TOP   %fs:0x7e570000
#define HOT_LIMIT %fs:0x7e570008
#define HOT_NEXT  %fs:0x7e570010

    .text
    .p2align 6
    .globl dt_stub_template, dt_stub_template_end
    .globl dt_stub_entry, dt_stub_exit, dt_stub_api_entry, dt_stub_api_exit, dt_stub_runtime_hook, dt_stub_pointers
    .hidden dt_stub_template, dt_stub_template_end
    .hidden dt_stub_entry, dt_stub_exit, dt_stub_api_entry, dt_stub_api_exit, dt_stub_runtime_hook, dt_stub_pointers

.macro SAVE_REST        /* after rax, rcx, rdx: struct dt_entry_registers, dt_exit_registers */
    push %rsi
    push %rdi
    push %r8
    push %r9
    push %r10
    push %r11
    push %rbp
    mov %rsp, %rbp
.endm

.macro RESTORE_ALL
    mov %rbp, %rsp
    pop %rbp
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rax
.endm

.macro CALL_C pointer
    and $-16, %rsp
    cld
    call *\pointer(%rip)
.endm

dt_stub_template:

/* ---- entry ---- */
dt_stub_entry:
    push %rax
    push %rcx
    push %rdx
    mov HOT_TOP, %rax
    cmp HOT_LIMIT, %rax
    jae .Lslow_entry
    lea 40(%rsp), %rdx              /* slot */
    cmp %rdx, -16(%rax)             /* the frame below lies further up the stack? */
    jbe .Lshared_slot
.Lpush_frame:
    mov %rdx, 8(%rax)
    addq $24, HOT_TOP
    mov %rdx, 8(%rax)
    mov 40(%rsp), %rcx
    mov %rcx, (%rax)
    mov 32(%rsp), %rcx              /* index */
    mov %rcx, 16(%rax)
    mov .Lids(%rip), %rdx
    mov (%rdx,%rcx,4), %ecx
    lea -1(%rcx), %edx
    cmp $65533, %edx
    jae .Lslow_id                   /* none yet, or larger than a word */
    mov $2, %eax
    xadd %rax, HOT_NEXT
    mov %cx, (%rax)
    lea 2(%rax), %ecx
    test $0x600, %ecx               /* DT_TAIL_WORDS words or more are in the tail */
    jnz .Lbatch_entry
    pop %rdx
    pop %rcx
    pop %rax
    ret $16
.Lshared_slot:                      /* a tail call, if it returns where the frame below does; chains of them go to C */
    jb .Lslow_entry
    cmp %rdx, -40(%rax)
    je .Lslow_entry
    mov -8(%rax), %rcx
    lea (%rcx,%rcx,2), %rcx         /* struct dt_hooked_function: 24 bytes, the exit address first */
    mov .Lfunctions(%rip), %rdx
    mov (%rdx,%rcx,8), %rcx
    cmp %rcx, 40(%rsp)
    lea 40(%rsp), %rdx
    je .Lpush_frame
.Lslow_entry:
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_slow_entry
    test %eax, %eax
    RESTORE_ALL
    jnz .Luntraced
    ret $16
.Luntraced:                         /* straight to the moved prologue, the return address stays */
    addq $15, (%rsp)
    ret $8
.Lslow_id:
    SAVE_REST
    mov 88(%rsp), %rdi              /* index */
    CALL_C .Lp_record_call
    RESTORE_ALL
    ret $16
.Lbatch_entry:
    SAVE_REST
    CALL_C .Lp_batch
    RESTORE_ALL
    ret $16

/* ---- exit ---- */
    .p2align 6
dt_stub_exit:
    push %rax
    push %rcx
    mov HOT_TOP, %rax
    lea 16(%rsp), %rcx              /* slot */
    cmp %rcx, -16(%rax)
    jne .Lslow_exit
    mov 16(%rsp), %rcx              /* index */
    cmp %rcx, -8(%rax)
    jne .Lslow_exit
    mov -24(%rax), %rcx
    subq $24, HOT_TOP
    mov %rcx, 16(%rsp)
    mov $2, %eax
    xadd %rax, HOT_NEXT
    movw $0, (%rax)
    lea 2(%rax), %ecx
    test $0x600, %ecx
    jnz .Lbatch_exit
    pop %rcx
    pop %rax
    ret
.Lslow_exit:
    push %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_slow_exit
    RESTORE_ALL
    ret
.Lbatch_exit:
    push %rdx
    SAVE_REST
    CALL_C .Lp_batch
    RESTORE_ALL
    ret

/* ---- calls of MPI, OpenMP, pthreads: C decides ---- */
    .p2align 6
dt_stub_api_entry:
    push %rax
    push %rcx
    push %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_api_entry
    test %eax, %eax
    RESTORE_ALL
    jnz .Luntraced
    ret $16
    .p2align 4
dt_stub_api_exit:
    push %rax
    push %rcx
    push %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_api_exit
    RESTORE_ALL
    ret

/* ---- the runtime's own hooks (unwinders): not traced, only told; stack: stub return, hook, return address ---- */
    .p2align 4
dt_stub_runtime_hook:
    push %rax
    push %rcx
    push %rdx
    SAVE_REST
    lea 96(%rsp), %rdi
    mov 88(%rsp), %rsi
    CALL_C .Lp_runtime_hook
    RESTORE_ALL
    ret $8

    .p2align 3
dt_stub_pointers:                   /* order: enum in arena.c */
.Lids:            .quad 0
.Lfunctions:      .quad 0
.Lp_slow_entry:   .quad 0
.Lp_slow_exit:    .quad 0
.Lp_record_call:  .quad 0
.Lp_batch:        .quad 0
.Lp_api_entry:    .quad 0
.Lp_api_exit:     .quad 0
.Lp_runtime_hook: .quad 0
dt_stub_template_end:

    .section .note.GNU-stack,"",@progbits
