/*
 * Calls of MPI, OpenMP, pthreads: C decides; part of stubs.S. Calls of MPI that the thread has just made from the same
 * place and with the same parameters are recorded here (call_site_stubs.c): then all that C would ask has its answer, and a
 * program whose data sweeps the caches has few instructions between one miss and the next.
 */
#include "native/x86_64/stub_layout.h"

.macro COMPARE_PARAMETER register, number
    cmp \register, DT_CACHED_PARAMETERS + 8 * (\number - 1)(%rcx)
    jne .Lother_call
.endm

/* As dt_stamp(): of the word that is recorded next. Changes rax and rdx. */
.macro STAMP label
    cmpq $0, HOT_STAMP
    je .L\label
    rdtsc
    shl $32, %rdx
    or %rdx, %rax
    shl $12, %rax
    mov HOT_NEXT, %rdx
    shr $1, %rdx
    and $0xfff, %edx
    or %rdx, %rax
    mov $8, %edx
    xadd %rdx, HOT_STAMP
    mov %rax, (%rdx)
.L\label:
.endm

/* Bits of struct dt_hooked_function behind its action. */
#define FUNCTION_ENCLOSES 0x10
#define FUNCTION_ENCLOSED 0x20
/* Its action itself. */
#define FUNCTION_ACTION 17

    .p2align 6
dt_stub_api_entry:                  /* ZF afterwards: the call is traced */
    .cfi_startproc
    .cfi_def_cfa_offset 24
    PUSH_REG %rax
    PUSH_REG %rcx
    PUSH_REG %rdx
    mov HOT_CALLS, %rcx
    test %rcx, %rcx
    jz .Lapi_entry
    cmpl $0, HOT_GUARD
    jne .Lapi_entry
    cmpl $0, DT_CALLS_DEPTH(%rcx)
    jne .Lapi_entry
    movl $1, HOT_GUARD              /* handlers leave the calls alone */
    mov 40(%rsp), %rdx              /* site */
    mov %edx, %eax
    and $DT_SHOWN_MASK, %eax
    mov DT_CALLS_SHOWN(%rcx,%rax,8), %rcx
    cmp %rdx, DT_CACHED_SITE(%rcx)
    jne .Lother_call
    mov 32(%rsp), %edx              /* index */
    cmp %edx, DT_CACHED_FUNCTION(%rcx)
    jne .Lother_call
    mov HOT_TOP, %rax
    cmp HOT_LIMIT, %rax
    jae .Lother_call
    lea 40(%rsp), %rdx              /* slot */
    cmp %rdx, -16(%rax)             /* the frame below lies further up the stack? */
    jbe .Lother_call
    mov -8(%rax), %edx
    cmp %edx, DT_CACHED_CALLER(%rcx)
    jne .Lother_call

    mov DT_CACHED_PARAMETER_COUNT(%rcx), %eax
    cmp $4, %eax
    je .Lparameters_4
    jb .Lfew_parameters
    cmp $6, %eax
    jb .Lparameters_5
    ja .Lother_call
    COMPARE_PARAMETER %r9, 6
.Lparameters_5:
    COMPARE_PARAMETER %r8, 5
.Lparameters_4:
    mov 8(%rsp), %rdx               /* rcx */
    COMPARE_PARAMETER %rdx, 4
.Lparameters_3:
    mov (%rsp), %rdx                /* rdx */
    COMPARE_PARAMETER %rdx, 3
.Lparameters_2:
    COMPARE_PARAMETER %rsi, 2
.Lparameters_1:
    COMPARE_PARAMETER %rdi, 1
.Lsame_parameters:
    mov .Lsignatures(%rip), %rdx
    mov (%rdx), %edx
    cmp %edx, DT_CACHED_EPOCH(%rcx)
    jne .Lother_call
    mov DT_CACHED_NAMED_BYTES(%rcx), %eax
    test %eax, %eax
    jnz .Lnamed

.Lcached_call:
    mov HOT_TOP, %rax
.Lfill_api_frame:
    lea 40(%rsp), %rdx
    mov %rdx, 8(%rax)
    mov 40(%rsp), %rdx
    mov %rdx, (%rax)
    mov 32(%rsp), %rdx
    mov %rdx, 16(%rax)
    addq $24, HOT_TOP
    lea 40(%rsp), %rdx
    cmp %rdx, 8(%rax)               /* a signal handler used the place meanwhile? */
    jne .Lfill_api_frame_again
    cmpq $0, HOT_STAMP
    je .Lentry_stamped
    cmpb $0, DT_CACHED_UNTIMED(%rcx)
    jne .Lentry_stamped
    cmpb $0, DT_CACHED_IS_TEST(%rcx)
    je .Lentry_stamps
    incb DT_CACHED_TESTS(%rcx)
    testb $DT_UNTIMED_TESTS, DT_CACHED_TESTS(%rcx)
    jnz .Lentry_stamped
.Lentry_stamps:
    STAMP entry_stamped
    mov DT_CACHED_ID(%rcx), %edx
    STORE_WORD %dx
    cmpq $0, DT_CACHED_FLAG(%rcx)
    je .Lcached_call_done
    mov HOT_CALLS, %rdx             /* it is looked at again when it returns */
    mov %rcx, DT_CALLS_OPEN_LAZY(%rdx)
    lea 40(%rsp), %rcx
    mov %rcx, DT_CALLS_OPEN_SLOT(%rdx)
    movl $1, DT_CALLS_DEPTH(%rdx)
.Lcached_call_done:
    movl $0, HOT_GUARD
    test $8, %ah
    jnz .Lbatch_api_entry
    .cfi_remember_state
    POP_REG %rdx
    POP_REG %rcx
    POP_REG %rax
    cmp %esp, %esp                  /* traced */
    ret $8
    .cfi_restore_state

.Lfill_api_frame_again:
    mov %rax, HOT_TOP
    jmp .Lfill_api_frame
.Lfew_parameters:
    cmp $2, %eax
    je .Lparameters_2
    ja .Lparameters_3
    test %eax, %eax
    jnz .Lparameters_1
    jmp .Lsame_parameters
.Lnamed:                            /* the same requests, at the same places? */
    mov .Lrequests(%rip), %rdx
    mov (%rdx), %edx
    cmp %edx, DT_CACHED_REQUESTS_EPOCH(%rcx)
    jne .Lother_call
.Lnext_named:
    mov DT_CACHED_NAMED + 8 - DT_NAMED_BYTES(%rcx,%rax), %rdx
    mov (%rdx), %rdx
    cmp %rdx, DT_CACHED_NAMED - DT_NAMED_BYTES(%rcx,%rax)
    jne .Lother_call
    sub $DT_NAMED_BYTES, %eax
    jnz .Lnext_named
    jmp .Lcached_call

.Lother_call:
    movl $0, HOT_GUARD
.Lapi_entry:                        /* right inside another call, whose business it is? */
    mov HOT_TOP, %rax
    cmp HOT_LIMIT, %rax
    jae .Lask
    lea 40(%rsp), %rdx
    cmp %rdx, -16(%rax)
    jbe .Lask
    cmpq $-1, -16(%rax)             /* the lowest frame is no call */
    je .Lask
    mov -8(%rax), %rcx
    lea (%rcx,%rcx,2), %rcx         /* struct dt_hooked_function */
    mov .Lfunctions(%rip), %rdx
    testb $FUNCTION_ENCLOSES, 18(%rdx,%rcx,8)
    jz .Lask
    mov 32(%rsp), %ecx
    lea (%rcx,%rcx,2), %rcx
    testb $FUNCTION_ENCLOSED, 18(%rdx,%rcx,8)
    jz .Lask
    .cfi_remember_state
    POP_REG %rdx
    POP_REG %rcx
    POP_REG %rax
    test %rsp, %rsp                 /* left alone */
    ret $8
    .cfi_restore_state
.Lask:
    .cfi_remember_state
    SAVE_REST
    mov %rsp, %rdi
    CALL_C_BY_ABI .Lp_api_entry
    test %eax, %eax
    RESTORE_ALL
    ret $8
    .cfi_restore_state
.Lbatch_api_entry:
    SAVE_REST
    CALL_C .Lp_batch
    RESTORE_ALL
    cmp %esp, %esp
    ret $8
    .cfi_endproc

    .p2align 6
dt_stub_api_exit:
    .cfi_startproc
    PUSH_REG %rax
    PUSH_REG %rcx
    test %eax, %eax
    jnz .Lapi_exit
    mov HOT_CALLS, %rcx
    test %rcx, %rcx
    jz .Lapi_exit
    cmpl $1, DT_CALLS_DEPTH(%rcx)
    jb .Lapi_exit_with_nothing_open
    ja .Lapi_exit
    lea 16(%rsp), %rax              /* slot */
    cmp %rax, DT_CALLS_OPEN_SLOT(%rcx)
    jne .Lapi_exit
    mov DT_CALLS_OPEN_LAZY(%rcx), %rax
    test %rax, %rax
    jz .Lapi_exit
    mov DT_CACHED_FLAG(%rax), %rax
    cmpl $0, (%rax)                 /* it has tested for something that has happened? */
    jne .Lapi_exit
    movl $0, DT_CALLS_DEPTH(%rcx)
    mov DT_CALLS_OPEN_LAZY(%rcx), %rcx
    testb $DT_UNTIMED_TESTS, DT_CACHED_TESTS(%rcx)
    jnz .Lexit
.Lapi_exit_stamps:
    mov %rdx, %rcx
    STAMP exit_stamped
    mov %rcx, %rdx
    jmp .Lexit
.Lapi_exit_with_nothing_open:       /* of a call with times: nobody looks at it again? */
    mov HOT_TOP, %rax
    mov 16(%rsp), %rcx
    cmp %rcx, -8(%rax)              /* no index: an unwinder in a handler has been here (dt_shadow_leaving_index()) */
    jne .Lapi_exit
    lea (%rcx,%rcx,2), %rcx         /* struct dt_hooked_function */
    mov .Lfunctions(%rip), %rax
    cmpb $0, FUNCTION_ACTION(%rax,%rcx,8)
    je .Lapi_exit_stamps
.Lapi_exit:
    PUSH_REG %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C_BY_ABI .Lp_api_exit
    RESTORE_ALL
    ret
    .cfi_endproc

    .p2align 4
dt_stub_timed_exit:                 /* where functions may be timed: is this one? */
    .cfi_startproc
    PUSH_REG %rax
    PUSH_REG %rcx
    mov HOT_TOP, %rax
    mov 16(%rsp), %rcx              /* index */
    cmp %rcx, -8(%rax)
    jne .Ltimed_exit                /* or what an unwinder in a handler has left there */
    mov .Ltimed(%rip), %rax
    cmpb $0, (%rax,%rcx)
    je .Lexit
.Ltimed_exit:
    PUSH_REG %rdx
    SAVE_REST
    mov %rsp, %rdi
    CALL_C .Lp_timed_exit
    RESTORE_ALL
    ret
    .cfi_endproc

    .p2align 4
dt_stub_failure_exit:               /* only a call that has failed is of interest */
    .cfi_startproc
    PUSH_REG %rax
    PUSH_REG %rcx
    test %eax, %eax
    jz .Lexit
    jmp .Lapi_exit
    .cfi_endproc
