/*
 * CRC-32 by carry-less multiplication: Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction (Intel, 2009), the reflected case.
 *
 *      uint32_t dt_crc32_fold(uint64_t low, uint64_t high, uint32_t next, const void *data, size_t bytes)
 *
 * of a first block, and `bytes` more, a multiple of 16, the first four of which count xor `next` (0 if there are none).
 * Keeps all vector registers: the tracer runs where the program's are live.
 */
#define FOUR_BLOCKS_PAY 112

.macro FOLD accumulator, next
    movdqa \accumulator, %xmm5
    pclmulqdq $0x00, %xmm0, %xmm5
    pclmulqdq $0x11, %xmm0, \accumulator
    pxor %xmm5, \accumulator
    movdqu \next, %xmm5
    pxor %xmm5, \accumulator
.endm

.macro FOLD_INTO_NEXT accumulator, next
    movdqa \accumulator, %xmm5
    pclmulqdq $0x00, %xmm0, %xmm5
    pclmulqdq $0x11, %xmm0, \accumulator
    pxor %xmm5, \next
    pxor \accumulator, \next
.endm

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

    movq %rdi, %xmm4
    movq %rsi, %xmm0
    punpcklqdq %xmm0, %xmm4
    movd %edx, %xmm5
    cmp $FOUR_BLOCKS_PAY, %r8
    jae .Lfour
    movdqa .Lby_128_bits(%rip), %xmm0
    test %r8, %r8
    jz .Lreduce
    movdqu (%rcx), %xmm1
    pxor %xmm5, %xmm1
    FOLD_INTO_NEXT %xmm4, %xmm1
    movdqa %xmm1, %xmm4
    add $16, %rcx
    sub $16, %r8
    jmp .Lrest

.Lfour:
    movdqa %xmm4, %xmm1
    movdqu (%rcx), %xmm2
    pxor %xmm5, %xmm2
    movdqu 16(%rcx), %xmm3
    movdqu 32(%rcx), %xmm4
    add $48, %rcx
    sub $48, %r8
    movdqa .Lby_512_bits(%rip), %xmm0
.Lfold_four:
    FOLD %xmm1, (%rcx)
    FOLD %xmm2, 16(%rcx)
    FOLD %xmm3, 32(%rcx)
    FOLD %xmm4, 48(%rcx)
    add $64, %rcx
    sub $64, %r8
    cmp $64, %r8
    jae .Lfold_four

    movdqa .Lby_128_bits(%rip), %xmm0
    FOLD_INTO_NEXT %xmm1, %xmm2
    FOLD_INTO_NEXT %xmm2, %xmm3
    FOLD_INTO_NEXT %xmm3, %xmm4
    jmp .Lrest
.Lfold_one:
    FOLD %xmm4, (%rcx)
    add $16, %rcx
    sub $16, %r8
.Lrest:
    test %r8, %r8
    jnz .Lfold_one

.Lreduce:                           /* 128 bits -> 96 -> 64 */
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
