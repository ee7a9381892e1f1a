/*
 * Going along a match, sixteen tokens at a time:
 *
 *      size_t dt_lz_along(uint16_t *to, const uint16_t *from, const uint16_t *tokens, size_t count, uint64_t *marks)
 *
 * copies tokens with their marks (0x4000) from `from` to `to` as far as they are `tokens` but for the marks; returns how
 * many, and adds how many marks there were. `count` is a multiple of 16 above 0 and below 65536; `from` does not lie
 * within the 16 tokens before `to`. Keeps all vector registers: the tracer runs where the program's are live.
 */
    .text
    .p2align 4
    .globl dt_lz_along
    .hidden dt_lz_along
    .type dt_lz_along, @function
dt_lz_along:
    .cfi_startproc
    sub $120, %rsp
    .cfi_adjust_cfa_offset 120
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    pxor %xmm6, %xmm6               /* marks, by their place */
    xor %r10d, %r10d                /* tokens, in bytes */
    add %rcx, %rcx
    .p2align 4
.Lnext:
    movdqu (%rsi,%r10), %xmm0
    movdqu 16(%rsi,%r10), %xmm1
    movdqu (%rdx,%r10), %xmm4
    movdqu 16(%rdx,%r10), %xmm5
    movdqa %xmm0, %xmm2
    movdqa %xmm1, %xmm3
    pand .Lmark(%rip), %xmm2
    pand .Lmark(%rip), %xmm3
    pxor %xmm0, %xmm4
    pxor %xmm1, %xmm5
    pxor %xmm2, %xmm4
    pxor %xmm3, %xmm5
    packsswb %xmm5, %xmm4           /* a byte is 0 if its token is the one foretold */
    pxor %xmm5, %xmm5
    pcmpeqb %xmm5, %xmm4
    pmovmskb %xmm4, %eax
    xor $0xffff, %eax
    jnz .Lsome
    movdqu %xmm0, (%rdi,%r10)
    movdqu %xmm1, 16(%rdi,%r10)
    paddw %xmm3, %xmm2
    psrlw $14, %xmm2
    paddw %xmm2, %xmm6
    add $32, %r10
    cmp %rcx, %r10
    jne .Lnext
.Ldone:
    movdqa %xmm6, %xmm0             /* the eight sums together */
    psrldq $8, %xmm0
    paddw %xmm6, %xmm0
    movq %xmm0, %rax
    movabs $0x0001000100010001, %rcx
    imul %rcx, %rax
    shr $48, %rax
    add %rax, (%r8)
    mov %r10, %rax
    shr $1, %rax
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    add $120, %rsp
    .cfi_remember_state
    .cfi_adjust_cfa_offset -120
    ret
    .cfi_restore_state

.Lsome:                             /* of sixteen those before the first that is another; behind it `to` stays */
    rep bsf %eax, %eax              /* tzcnt where there is one: bsf takes longer there */
    add %rax, %rax
    lea .Lkept+32(%rip), %rcx
    sub %rax, %rcx
    movdqu (%rcx), %xmm4
    movdqu (%rdi,%r10), %xmm5
    pand %xmm4, %xmm0
    pand %xmm4, %xmm2
    pandn %xmm5, %xmm4
    por %xmm4, %xmm0
    movdqu %xmm0, (%rdi,%r10)
    movdqu 16(%rcx), %xmm4
    movdqu 16(%rdi,%r10), %xmm5
    pand %xmm4, %xmm1
    pand %xmm4, %xmm3
    pandn %xmm5, %xmm4
    por %xmm4, %xmm1
    movdqu %xmm1, 16(%rdi,%r10)
    paddw %xmm3, %xmm2
    psrlw $14, %xmm2
    paddw %xmm2, %xmm6
    add %rax, %r10
    jmp .Ldone
    .cfi_endproc
    .size dt_lz_along, . - dt_lz_along

    .section .rodata
    .p2align 4
.Lmark:
    .fill 8, 2, 0x4000
.Lkept:
    .fill 16, 2, 0xffff
    .fill 16, 2, 0

    .section .note.GNU-stack,"",@progbits
