/*
 * Entry and exit of hooked functions: copied to the head of every arena by arena.c, which puts the thread-local offset
 * of dt_hot where DT_HOT is and the pointers into the table at the end.
 *
 * A function's own stub records the call, then
 *      add  $8, %rsp           the return address is in the frame (its place is the slot)
 *      call relocated_prologue     the return address that the function sees: the next instruction
 *      push $index             `exit address`; the push lands in the slot again
 *      jmp  exit
 * What is seldom is left to `entry`, by which the stack is: stub return, index, return address.
 *
 * The stub of a function of an API, which may be left alone (api_stubs.S):
 *      push $index
 *      call api_entry          stack then: return address (its place is the slot)
 *      jnz  relocated_prologue     left alone: the return address stays
 *      add  $8, %rsp
 *      call relocated_prologue     and so on
 *
 * A function that is hooked at both ends, at its start and at its returns, keeps its return address: its stub pushes a
 * frame that has none, and goes on with the relocated prologue. In place of a return is a jump to what was relocated from there,
 * and that goes on to `return`, where the return address is at the top of the stack.
 *
 * A terminating function's stub records it and goes on with the relocated prologue; the function's return address stays. It only asks
 * whether a batch is due: where more is to be asked, one seems to be (dt_terminating_are_watched). Branches taken are what
 * bounds the cost of a call: so most of it is there for every function. A function's word is part of its stub's
 * code; until there is one, the stub begins with a jump to `new` (stub_words.c).
 *
 * Every call has its return, so the processor's return predictor stays right. All general registers are preserved (gcc
 * keeps values in caller-saved ones across calls to local functions, -fipa-ra); flags are not. Vector registers are not
 * touched: the C code behind is built without them.
 *
 * Signals: a word is stored, then the place behind it becomes the next one; what a handler interrupts between these is
 * done before it begins (interrupted_word.c). A frame is filled before it is pushed, its slot first: that shows whether a
 * handler has used the place meanwhile.
 *
 * Unwinding from a handler that interrupted this code: the call frame information here serves the copies too
 * (unwind_info.c). The return address is at its usual place, but on the way out: there it is in rcx, and before that
 * only in the frame, from where unwind_info.c puts it back.
 */
#include "native/x86_64/stub_layout.h"
#include "record/frame_layout.h"

#define HOT_TOP   %fs:0x7e570000
#define HOT_LIMIT %fs:0x7e570008
#define HOT_NEXT  %fs:0x7e570010
#define HOT_CALLS %fs:0x7e570018
#define HOT_GUARD %fs:0x7e570020
#define HOT_STAMP %fs:0x7e570028

    .text
    .p2align 6
    .globl dt_stub_template, dt_stub_template_end, dt_stub_of_function, dt_stub_of_api
    .globl dt_stub_entry, dt_stub_exit, dt_stub_terminating, dt_stub_api_entry, dt_stub_api_exit, dt_stub_failure_exit, dt_stub_timed_exit, dt_stub_runtime_hook, dt_stub_pointers
    .globl dt_stub_of_terminating, dt_terminating_index, dt_terminating_called, dt_terminating_new, dt_terminating_entry, dt_terminating_word, dt_terminating_relocated
    .globl dt_plain_new, dt_plain_entry, dt_plain_frame, dt_plain_word, dt_plain_call, dt_plain_returned, dt_plain_index, dt_plain_left, dt_plain_else, dt_plain_entered, dt_plain_relocated
    .globl dt_api_call, dt_api_returned, dt_api_index, dt_api_left
    .hidden dt_plain_new, dt_plain_entry, dt_plain_frame, dt_plain_word, dt_plain_call, dt_plain_returned, dt_plain_index, dt_plain_left, dt_plain_else, dt_plain_entered, dt_plain_relocated
    .hidden dt_api_call, dt_api_returned, dt_api_index, dt_api_left
    .globl dt_stub_of_both, dt_stub_both, dt_stub_return, dt_both_index, dt_both_called, dt_both_new, dt_both_entry, dt_both_frame, dt_both_word, dt_both_relocated
    .hidden dt_stub_of_both, dt_stub_both, dt_stub_return, dt_both_index, dt_both_called, dt_both_new, dt_both_entry, dt_both_frame, dt_both_word, dt_both_relocated
    .hidden dt_stub_template, dt_stub_template_end, dt_stub_of_function, dt_stub_of_api
    .hidden dt_stub_entry, dt_stub_exit, dt_stub_terminating, dt_stub_api_entry, dt_stub_api_exit, dt_stub_failure_exit, dt_stub_timed_exit, dt_stub_runtime_hook, dt_stub_pointers
    .hidden dt_stub_of_terminating, dt_terminating_index, dt_terminating_called, dt_terminating_new, dt_terminating_entry, dt_terminating_word, dt_terminating_relocated

.macro PUSH_REG register
    push \register
    .cfi_adjust_cfa_offset 8
.endm

.macro POP_REG register
    pop \register
    .cfi_adjust_cfa_offset -8
.endm

.macro SAVE_REST        /* after rax, rcx, rdx: struct dt_entry_registers, dt_exit_registers */
    PUSH_REG %rsi
    PUSH_REG %rdi
    PUSH_REG %r8
    PUSH_REG %r9
    PUSH_REG %r10
    PUSH_REG %r11
    PUSH_REG %rbp
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
.endm

.macro RESTORE_ALL
    mov %rbp, %rsp
    .cfi_def_cfa_register %rsp
    POP_REG %rbp
    .cfi_restore %rbp
    POP_REG %r11
    POP_REG %r10
    POP_REG %r9
    POP_REG %r8
    POP_REG %rdi
    POP_REG %rsi
    POP_REG %rdx
    POP_REG %rcx
    POP_REG %rax
.endm

.macro CALL_C pointer
    and $-16, %rsp
    cld
    call *\pointer(%rip)
.endm

.macro CALL_C_BY_ABI pointer    /* where a function of C is entered or left: DF is clear, and cld takes its time */
    and $-16, %rsp
    call *\pointer(%rip)
.endm

.macro STORE_WORD word, label   /* interrupted_word.c knows these three instructions; the word: cx, dx, a number */
    mov HOT_NEXT, %rax
    movw \word, (%rax)
    .ifnb \label
\label:
    .endif
    addq $2, HOT_NEXT
.endm

.macro RECORD_WORD word, batch, label   /* changes rax */
    STORE_WORD \word, \label
    test $8, %ah                    /* 0x800: more than DT_TAIL_WORDS words are in the tail */
    jnz \batch
.endm

.macro TAIL_HAS_CAPACITY batch          /* a terminating function's word goes into a batch only when the function is done */
    testb $8, HOT_NEXT + 1
    jnz \batch
.endm

.macro STORE_TERMINATING word, batch, label    /* both at once; interrupted_word.c knows these five */
    mov HOT_NEXT, %rax
    test $8, %ah
    jnz \batch                      /* two bytes */
    movw \word, (%rax)
\label:
    addq $2, HOT_NEXT
.endm

dt_stub_template:

/* ---- entry ---- */
dt_stub_entry:                      /* CF = ZF = 0: it is recorded, and a batch is due */
    .cfi_startproc
    .cfi_def_cfa_offset 24
    lea -16(%rsp), %rsp             /* rax and rcx */
    .cfi_adjust_cfa_offset 16
    PUSH_REG %rdx
    ja .Lbatch_entry
    mov HOT_TOP, %rax
    cmp HOT_LIMIT, %rax
    jae .Lslow_entry
    lea 40(%rsp), %rdx              /* slot */
    cmp %rdx, -16(%rax)             /* the frame below lies further up the stack? */
    jbe .Lshared_slot
.Lfill_frame:
    mov %rdx, 8(%rax)
    mov 40(%rsp), %rcx
    mov %rcx, (%rax)
    mov 32(%rsp), %rcx              /* index */
    mov %rcx, 16(%rax)
    addq $24, HOT_TOP
    cmp %rdx, 8(%rax)               /* a signal handler used the place meanwhile? */
    jne .Lfill_again
    mov .Lwords(%rip), %rdx
    movzwl (%rdx,%rcx,2), %ecx
    test %ecx, %ecx
    jz .Lslow_id
    RECORD_WORD %cx, .Lbatch_entry
    .cfi_remember_state
    POP_REG %rdx
    POP_REG %rcx
    POP_REG %rax
    ret $16
    .cfi_restore_state
.Lfill_again:                       /* a second one may have dropped what the first left there */
    mov %rax, HOT_TOP
    jmp .Lfill_frame
.Lshared_slot:                      /* a tail call, if it returns where the frame below does */
    jb .Lslow_entry
    cmp %rdx, -16 - DT_MOST_TAIL_CALLS * DT_FRAME_BYTES(%rax)
    je .Lslow_entry                 /* too many of them */
    mov -8(%rax), %rcx
    lea (%rcx,%rcx,2), %rcx         /* struct dt_hooked_function: 24 bytes, the exit address first */
    mov .Lfunctions(%rip), %rdx
    mov (%rdx,%rcx,8), %rcx
    cmp %rcx, 40(%rsp)
    lea 40(%rsp), %rdx
    je .Lfill_frame
.Lslow_entry:
    .cfi_remember_state
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_slow_entry
    test %eax, %eax
    RESTORE_ALL
    jnz .Luntraced
    ret $16
.Luntraced:                         /* to the relocated prologue without a call, the return address stays */
    addq $2, (%rsp)
    ret $8
    .cfi_restore_state
.Lslow_id:
    .cfi_remember_state
    SAVE_REST
    mov 88(%rsp), %rdi              /* index */
    CALL_C .Lp_record_call
    RESTORE_ALL
    ret $16
    .cfi_restore_state
.Lbatch_entry:
    SAVE_REST
    CALL_C .Lp_batch
    RESTORE_ALL
    ret $16
    .cfi_endproc

/* A function's stub. What is below rsp when a function is entered is nobody's. All stubs lie in their lines as arena.c
 * places their copies, and so that the assembler need not make room to keep their branches clear of multiples of 32. */
    .p2align 6
    .skip 38
dt_stub_of_function:
    .cfi_startproc
dt_plain_new:
    mov %rax, -24(%rsp)
    mov %rcx, -32(%rsp)
    jmp .Lnot_recorded
.Lundo_function:
    mov %rax, HOT_TOP
.Lnot_recorded:
    cmp %eax, %eax
.Lelse_function:
    pushq $0x12345678
dt_plain_else:                      /* arena.c fills in what ends at such a label */
    .cfi_def_cfa_offset 16
    call dt_stub_entry
dt_plain_entered:
    .cfi_def_cfa_offset 0
    jmp dt_plain_call
    .cfi_def_cfa_offset 8
    {disp32} jmp dt_plain_relocated     /* two bytes behind `entered`: it goes on untraced */
dt_plain_entry:
    mov %rax, -24(%rsp)             /* where dt_stub_entry has it */
    mov %rcx, -32(%rsp)
    mov HOT_TOP, %rax
    cmp %rax, HOT_LIMIT
    jbe .Lelse_function
    cmp %rsp, -16(%rax)             /* the frame below lies further up the stack? */
    jbe .Lelse_function
    mov %rsp, 8(%rax)
    mov (%rsp), %rcx
    mov %rcx, (%rax)
    mov -32(%rsp), %rcx
    movq $0x12345678, 16(%rax)
dt_plain_frame:
    addq $24, HOT_TOP
    cmp %rsp, 8(%rax)               /* a signal handler used the place meanwhile? */
    jne .Lundo_function
    RECORD_WORD $0x1234, .Lelse_function, dt_plain_word
    mov -24(%rsp), %rax
    add $8, %rsp
    .cfi_def_cfa_offset 0           /* the return address is gone, but not overwritten yet */
dt_plain_call:
    call dt_plain_relocated
dt_plain_returned:
    pushq $0x12345678
dt_plain_index:
    .cfi_def_cfa_offset 8
    {disp32} jmp dt_stub_exit
dt_plain_left:
dt_plain_relocated:
    .cfi_endproc

/* ---- exit ---- */
    .p2align 6
dt_stub_exit:
    .cfi_startproc
    PUSH_REG %rax
    PUSH_REG %rcx
.Lexit:
    mov HOT_TOP, %rax
    lea 16(%rsp), %rcx              /* slot */
    cmp %rcx, -16(%rax)
    jne .Lslow_exit
    mov 16(%rsp), %rcx              /* index */
    cmp %rcx, -8(%rax)
    jne .Lslow_exit
    .cfi_remember_state
    mov -24(%rax), %rcx
    .cfi_register %rip, %rcx
    subq $24, HOT_TOP
    mov %rcx, 16(%rsp)
    .cfi_offset %rip, -8
    RECORD_WORD $0, .Lbatch_exit
    POP_REG %rcx
    POP_REG %rax
    ret
    .cfi_restore_state
.Lslow_exit:
    .cfi_remember_state
    PUSH_REG %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_slow_exit
    RESTORE_ALL
    ret
    .cfi_restore_state
.Lbatch_exit:
    PUSH_REG %rdx
    SAVE_REST
    CALL_C .Lp_batch
    RESTORE_ALL
    ret
    .cfi_endproc

/* ---- terminating functions: called and returned, in one word ---- */
    .p2align 6
dt_stub_terminating:                       /* CF = ZF = 0: a batch is due first */
    .cfi_startproc
    .cfi_def_cfa_offset 24
    lea -8(%rsp), %rsp              /* rax */
    .cfi_adjust_cfa_offset 8
    PUSH_REG %rcx
    ja .Lbatch_terminating
    mov HOT_TOP, %rax
    cmp HOT_LIMIT, %rax
    jae .Lslow_terminating
    lea 32(%rsp), %rcx              /* slot */
    cmp %rcx, -16(%rax)
    jne .Lslow_terminating
    mov -8(%rax), %rcx              /* a tail call, if it returns where the frame below does */
    lea (%rcx,%rcx,2), %rcx
    mov .Lfunctions(%rip), %rax
    mov (%rax,%rcx,8), %rcx
    cmp %rcx, 32(%rsp)
    jne .Lslow_terminating
    mov 24(%rsp), %ecx              /* index */
    mov .Lwords(%rip), %rax
    movzwl (%rax,%rcx,2), %ecx
    test %ecx, %ecx
    jz .Lslow_terminating
    TAIL_HAS_CAPACITY .Lbatch_terminating
    STORE_WORD %cx
    .cfi_remember_state
    POP_REG %rcx
    POP_REG %rax
    ret $8
    .cfi_restore_state
.Lslow_terminating:
    .cfi_remember_state
    PUSH_REG %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_slow_terminating
    RESTORE_ALL
    ret $8
    .cfi_restore_state
.Lbatch_terminating:
    PUSH_REG %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_batched_terminating
    RESTORE_ALL
    ret $8
    .cfi_endproc

/* A terminating function's stub. */
    .p2align 6
    .skip 53
dt_stub_of_terminating:
    .cfi_startproc
dt_terminating_new:
    mov %rax, -24(%rsp)
    cmp %eax, %eax                  /* it is not recorded, and no batch is known to be due */
.Lelse_terminating:
    pushq $0x12345678
dt_terminating_index:
    .cfi_def_cfa_offset 16
    call dt_stub_terminating
dt_terminating_called:
    .cfi_def_cfa_offset 8
    jmp .Lrelocated_terminating
dt_terminating_entry:
    mov %rax, -24(%rsp)             /* where dt_stub_terminating has it */
    STORE_TERMINATING $0x1234, .Lelse_terminating, dt_terminating_word
    mov -24(%rsp), %rax
.Lrelocated_terminating:
dt_terminating_relocated:
    .cfi_endproc

/* ---- functions hooked at both ends ---- */
    .p2align 6
dt_stub_both:                       /* CF = ZF = 0: it is recorded, and a batch is due */
    .cfi_startproc
    .cfi_def_cfa_offset 24
    lea -8(%rsp), %rsp              /* rax */
    .cfi_adjust_cfa_offset 8
    PUSH_REG %rcx
    PUSH_REG %rdx
    ja .Lbatch_both
    mov HOT_TOP, %rax
    cmp HOT_LIMIT, %rax
    jae .Lslow_both
    lea 40(%rsp), %rdx              /* slot */
    cmp %rdx, -16(%rax)
    jne .Lslow_both
    mov -8(%rax), %rcx              /* a tail call, if it returns where the frame below does */
    lea (%rcx,%rcx,2), %rcx
    mov .Lfunctions(%rip), %rax
    mov (%rax,%rcx,8), %rcx
    cmp %rcx, 40(%rsp)
    jne .Lslow_both
    mov HOT_TOP, %rax
    mov %rdx, 8(%rax)
    movq $0, (%rax)
    mov 32(%rsp), %rcx              /* index */
    mov %rcx, 16(%rax)
    mov .Lwords(%rip), %rdx
    movzwl (%rdx,%rcx,2), %ecx
    test %ecx, %ecx
    jz .Lslow_both
    addq $24, HOT_TOP
    lea 40(%rsp), %rdx
    cmp %rdx, 8(%rax)               /* a signal handler used the place meanwhile? */
    jne .Lundo_tail_call
    RECORD_WORD %cx, .Lbatch_both
    .cfi_remember_state
    POP_REG %rdx
    POP_REG %rcx
    POP_REG %rax
    ret $8
    .cfi_restore_state
.Lundo_tail_call:
    mov %rax, HOT_TOP
.Lslow_both:
    .cfi_remember_state
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_slow_entry
    RESTORE_ALL
    ret $8
    .cfi_restore_state
.Lbatch_both:
    SAVE_REST
    CALL_C .Lp_batch
    RESTORE_ALL
    ret $8
    .cfi_endproc

/* In place of a return. What is below rsp then is nobody's. */
    .p2align 6
dt_stub_return:
    .cfi_startproc
    mov %rax, -16(%rsp)
    mov HOT_TOP, %rax
    cmp %rsp, -16(%rax)
    jne .Lslow_return
    cmpq $0, -24(%rax)              /* another one's, that has its return address? */
    jne .Lslow_return
    subq $24, HOT_TOP
    RECORD_WORD $0, .Lbatch_return
    mov -16(%rsp), %rax
    ret
.Lslow_return:
    .cfi_remember_state
    mov -16(%rsp), %rax
    PUSH_REG %rax
    PUSH_REG %rcx
    PUSH_REG %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_slow_return
    RESTORE_ALL
    ret
    .cfi_restore_state
.Lbatch_return:
    mov -16(%rsp), %rax
    PUSH_REG %rax
    PUSH_REG %rcx
    PUSH_REG %rdx
    SAVE_REST
    CALL_C .Lp_batch
    RESTORE_ALL
    ret
    .cfi_endproc

/* The stub. */
    .p2align 6
    .skip 60
dt_stub_of_both:
    .cfi_startproc
dt_both_new:
    mov %rax, -24(%rsp)
    jmp .Lnot_recorded_both
.Lundo_both:
    mov %rax, HOT_TOP
.Lnot_recorded_both:
    cmp %eax, %eax
.Lelse_both:
    pushq $0x12345678
dt_both_index:
    .cfi_def_cfa_offset 16
    call dt_stub_both
dt_both_called:
    .cfi_def_cfa_offset 8
    jmp .Lrelocated_both
dt_both_entry:
    mov %rax, -24(%rsp)             /* where dt_stub_both has it */
    mov HOT_TOP, %rax
    cmp %rax, HOT_LIMIT
    jbe .Lelse_both
    cmp %rsp, -16(%rax)             /* the frame below lies further up the stack? */
    jbe .Lelse_both
    mov %rsp, 8(%rax)
    movq $0, (%rax)
    movq $0x12345678, 16(%rax)
dt_both_frame:
    addq $24, HOT_TOP
    cmp %rsp, 8(%rax)               /* a signal handler used the place meanwhile? */
    jne .Lundo_both
    RECORD_WORD $0x1234, .Lelse_both, dt_both_word
    mov -24(%rsp), %rax
.Lrelocated_both:
dt_both_relocated:
    .cfi_endproc

#include "native/x86_64/api_stubs.S"

/* ---- the runtime's own hooks: not traced, only told; C may answer in the function's stead ---- */
    .p2align 4
dt_stub_runtime_hook:
    .cfi_startproc
    .cfi_def_cfa_offset 24
    PUSH_REG %rax
    PUSH_REG %rcx
    PUSH_REG %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_runtime_hook
    test %eax, %eax
    RESTORE_ALL
    jnz .Lanswered
    ret $8
.Lanswered:
    lea 16(%rsp), %rsp
    .cfi_adjust_cfa_offset -16
    ret
    .cfi_endproc

    .p2align 3
dt_stub_pointers:                   /* order: enum in arena.c */
.Lwords:          .quad 0
.Lfunctions:      .quad 0
.Lp_slow_entry:   .quad 0
.Lp_slow_exit:    .quad 0
.Lp_record_call:  .quad 0
.Lp_batch:        .quad 0
.Lp_api_entry:    .quad 0
.Lp_api_exit:     .quad 0
.Lp_runtime_hook: .quad 0
.Lp_slow_terminating:    .quad 0
.Lsignatures:     .quad 0
.Lrequests:       .quad 0
.Lp_slow_return:  .quad 0
.Lp_batched_terminating: .quad 0
.Ltimed:          .quad 0
.Lp_timed_exit:   .quad 0
dt_stub_template_end:

/* ---- never run: the stub of a function of an API as arena.c writes it, for its call frame information ---- */
dt_stub_of_api:
    .cfi_startproc
    push $0x12345678
    .cfi_def_cfa_offset 16
    call dt_stub_api_entry
    .cfi_def_cfa_offset 8
    jnz .Lrelocated_of_api
    add $8, %rsp
    .cfi_def_cfa_offset 0
dt_api_call:
    call .Lrelocated_of_api
dt_api_returned:
    push $0x12345678
dt_api_index:
    .cfi_def_cfa_offset 8
    jmp dt_stub_api_exit
dt_api_left:
.Lrelocated_of_api:
    ud2
    .cfi_endproc

    .section .note.GNU-stack,"",@progbits
