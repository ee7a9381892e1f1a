/*
 * Going along a match, 64 tokens at a time, where the processor has wide vectors (wide_vectors.h):
 *
 *      size_t dt_lz_along_wide(uint16_t *to, const uint16_t *from, const uint16_t *tokens, size_t count, uint64_t *marks)
 *
 * does what dt_lz_along does (lz_along.S), for any `count` above 0; `from` does not lie within the 64 tokens before `to`.
 * What is behind the `count` tokens is not touched.
 */
    .text
    .p2align 4
    .globl dt_lz_along_wide
    .hidden dt_lz_along_wide
    .type dt_lz_along_wide, @function

.macro MASKS_OF tokens              /* r9; k1 and k2, its halves: of the first so many of 64; changes r10 */
    mov $-1, %r9
    bzhi \tokens, %r9, %r9
    kmovd %r9d, %k1
    mov %r9, %r10
    shr $32, %r10
    kmovd %r10d, %k2
.endm

.macro LOOK offset, mask, old       /* the lowest bits of r10 and r11: marks, and tokens that are others */
    vmovdqu16 \offset(%rsi), \old{\mask}{z}
    vmovdqu16 \offset(%rdx), %zmm18{\mask}{z}
    vpxorq \old, %zmm18, %zmm18
    vptestmw .Lmark(%rip), \old, %k3
    vptestmw .Lall_but_mark(%rip), %zmm18, %k4
    kmovd %k3, %r10d
    kmovd %k4, %r11d
.endm

.macro COPY
    vmovdqu16 %zmm16, (%rdi){%k1}
    vmovdqu16 %zmm17, 64(%rdi){%k2}
.endm

dt_lz_along_wide:
    .cfi_startproc
    sub $232, %rsp
    .cfi_adjust_cfa_offset 232
    vmovdqu64 %zmm16, (%rsp)
    vmovdqu64 %zmm17, 64(%rsp)
    vmovdqu64 %zmm18, 128(%rsp)
    kmovq %k1, 192(%rsp)
    kmovq %k2, 200(%rsp)
    kmovq %k3, 208(%rsp)
    kmovq %k4, 216(%rsp)
    mov %rdx, 224(%rsp)
    cmp $64, %rcx
    jb .Lfew
    kxnord %k1, %k1, %k1
    kxnord %k2, %k2, %k2
.Lnext:
    LOOK 64, %k2, %zmm17
    mov %r10, %rax
    mov %r11, %r9
    LOOK 0, %k1, %zmm16
    shl $32, %rax
    shl $32, %r9
    or %rax, %r10
    or %r9, %r11
    jnz .Lothers
    COPY
    popcnt %r10, %r10
    add %r10, (%r8)
    add $128, %rdi
    add $128, %rsi
    add $128, %rdx
    sub $64, %rcx
    jbe .Ldone
    cmp $64, %rcx
    jae .Lnext
.Lfew:
    MASKS_OF %rcx
    jmp .Lnext
.Lothers:
    tzcnt %r11, %rcx
    mov %r10, %rax
    MASKS_OF %rcx
    COPY
    and %r9, %rax
    popcnt %rax, %rax
    add %rax, (%r8)
.Ldone:                             /* it has come this far, and rcx tokens more, which may be a negative number */
    mov %rdx, %rax
    sub 224(%rsp), %rax
    shr $1, %rax
    add %rcx, %rax
    vmovdqu64 (%rsp), %zmm16
    vmovdqu64 64(%rsp), %zmm17
    vmovdqu64 128(%rsp), %zmm18
    kmovq 192(%rsp), %k1
    kmovq 200(%rsp), %k2
    kmovq 208(%rsp), %k3
    kmovq 216(%rsp), %k4
    add $232, %rsp
    .cfi_adjust_cfa_offset -232
    ret
    .cfi_endproc
    .size dt_lz_along_wide, . - dt_lz_along_wide

    .section .rodata
    .p2align 6
.Lmark:
    .fill 32, 2, 0x4000
.Lall_but_mark:
    .fill 32, 2, 0xbfff

    .section .note.GNU-stack,"",@progbits
