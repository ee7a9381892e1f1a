/*
 * CRC-32 by carry-less multiplication: Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction (Intel, 2009), the reflected case.
 *
 *      uint32_t dt_crc32_fold(uint32_t remainder, const void *data, size_t bytes)
 *
 * takes at least 64 bytes, a multiple of 16. Keeps all vector registers: the tracer runs where the program's are live.
 */
    .text
    .p2align 4
    .globl dt_crc32_fold
    .hidden dt_crc32_fold
    .type dt_crc32_fold, @function
dt_crc32_fold:
    .cfi_startproc
    sub $104, %rsp
    .cfi_adjust_cfa_offset 104
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)

    movdqu (%rsi), %xmm1
    movdqu 16(%rsi), %xmm2
    movdqu 32(%rsi), %xmm3
    movdqu 48(%rsi), %xmm4
    movd %edi, %xmm5
    pxor %xmm5, %xmm1
    add $64, %rsi
    sub $64, %rdx
    movdqa .Lby_512_bits(%rip), %xmm0
    cmp $64, %rdx
    jb .Ljoin

.macro FOLD accumulator, next
    movdqa \accumulator, %xmm5
    pclmulqdq $0x00, %xmm0, %xmm5
    pclmulqdq $0x11, %xmm0, \accumulator
    pxor %xmm5, \accumulator
    movdqu \next, %xmm5
    pxor %xmm5, \accumulator
.endm

.Lfold_four:
    FOLD %xmm1, (%rsi)
    FOLD %xmm2, 16(%rsi)
    FOLD %xmm3, 32(%rsi)
    FOLD %xmm4, 48(%rsi)
    add $64, %rsi
    sub $64, %rdx
    cmp $64, %rdx
    jae .Lfold_four

.macro FOLD_INTO_NEXT accumulator, next
    movdqa \accumulator, %xmm5
    pclmulqdq $0x00, %xmm0, %xmm5
    pclmulqdq $0x11, %xmm0, \accumulator
    pxor %xmm5, \next
    pxor \accumulator, \next
.endm

.Ljoin:
    movdqa .Lby_128_bits(%rip), %xmm0
    FOLD_INTO_NEXT %xmm1, %xmm2
    FOLD_INTO_NEXT %xmm2, %xmm3
    FOLD_INTO_NEXT %xmm3, %xmm4
    jmp .Lrest
.Lfold_one:
    FOLD %xmm4, (%rsi)
    add $16, %rsi
    sub $16, %rdx
.Lrest:
    cmp $16, %rdx
    jae .Lfold_one

    /* 128 bits -> 96 -> 64 */
    movdqa %xmm4, %xmm1
    pclmulqdq $0x10, %xmm0, %xmm4
    psrldq $8, %xmm1
    pxor %xmm4, %xmm1
    movdqa .Llow_words(%rip), %xmm3
    movq .Lby_64_bits(%rip), %xmm0
    movdqa %xmm1, %xmm2
    psrldq $4, %xmm2
    pand %xmm3, %xmm1
    pclmulqdq $0x00, %xmm0, %xmm1
    pxor %xmm2, %xmm1

    /* 64 -> 32, by Barrett reduction */
    movdqa .Lreduction(%rip), %xmm0
    movdqa %xmm1, %xmm2
    pand %xmm3, %xmm2
    pclmulqdq $0x10, %xmm0, %xmm2
    pand %xmm3, %xmm2
    pclmulqdq $0x00, %xmm0, %xmm2
    pxor %xmm2, %xmm1
    psrldq $4, %xmm1
    movd %xmm1, %eax

    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    add $104, %rsp
    .cfi_adjust_cfa_offset -104
    ret
    .cfi_endproc
    .size dt_crc32_fold, . - dt_crc32_fold

    /* Powers of x modulo the polynomial, bits reflected; the paper's k1 to k5, P' and mu. */
    .section .rodata
    .p2align 4
.Lby_512_bits: .quad 0x0154442bd4, 0x01c6e41596
.Lby_128_bits: .quad 0x01751997d0, 0x00ccaa009e
.Lreduction:   .quad 0x01db710641, 0x01f7011641
.Llow_words:   .long -1, 0, -1, 0
.Lby_64_bits:  .quad 0x0163cd6124

    .section .note.GNU-stack,"",@progbits
