/* Opcode maps: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A. */
#include "native/x86_64/instruction_length.h"

#include <stdbool.h>

enum { LONGEST_INSTRUCTION = 15 };

/* What follows an opcode. */
enum {
    N = 0,  /* nothing */
    M = 1,  /* ModRM, and what that asks for */
    B = 2,  /* an immediate byte */
    W = 4,  /* two bytes */
    D = 8,  /* four bytes, or two with an operand size prefix */
    T = 16, /* four bytes; a branch, whose length with an operand size prefix depends on the processor */
    X = 32, /* another question: see special() */
    U = 64, /* unknown or invalid */
    MB = M | B,
    MD = M | D
};

/* clang-format off */
static const uint8_t one_byte[256] = {
    /*        0  1  2  3  4  5  6  7   8  9  a  b  c  d  e  f */
    /* 00 */  M, M, M, M, B, D, U, U,  M, M, M, M, B, D, U, X,
    /* 10 */  M, M, M, M, B, D, U, U,  M, M, M, M, B, D, U, U,
    /* 20 */  M, M, M, M, B, D, U, U,  M, M, M, M, B, D, U, U,
    /* 30 */  M, M, M, M, B, D, U, U,  M, M, M, M, B, D, U, U,
    /* 40 */  U, U, U, U, U, U, U, U,  U, U, U, U, U, U, U, U,
    /* 50 */  N, N, N, N, N, N, N, N,  N, N, N, N, N, N, N, N,
    /* 60 */  U, U, X, M, U, U, U, U,  D, MD, B, MB, N, N, N, N,
    /* 70 */  B, B, B, B, B, B, B, B,  B, B, B, B, B, B, B, B,
    /* 80 */  MB, MD, U, MB, M, M, M, M,  M, M, M, M, M, M, M, X,
    /* 90 */  N, N, N, N, N, N, N, N,  N, N, U, N, N, N, N, N,
    /* a0 */  U, U, U, U, N, N, N, N,  B, D, N, N, N, N, N, N,
    /* b0 */  B, B, B, B, B, B, B, B,  X, X, X, X, X, X, X, X,
    /* c0 */  MB, MB, W, N, X, X, X, X,  W | B, N, W, N, N, B, U, N,
    /* d0 */  M, M, M, M, U, U, U, N,  M, M, M, M, M, M, M, M,
    /* e0 */  B, B, B, B, B, B, B, B,  T, T, U, B, N, N, N, N,
    /* f0 */  U, N, U, U, N, N, X, X,  N, N, N, N, N, N, X, X,
};

static const uint8_t after_0f[256] = {
    /*        0  1  2  3  4  5  6  7   8  9  a  b  c  d  e  f */
    /* 00 */  M, M, M, M, U, N, N, N,  N, N, U, N, U, M, U, U,
    /* 10 */  M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
    /* 20 */  U, U, U, U, U, U, U, U,  M, M, M, M, M, M, M, M,
    /* 30 */  N, N, N, N, N, N, U, N,  X, U, X, U, U, U, U, U,
    /* 40 */  M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
    /* 50 */  M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
    /* 60 */  M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
    /* 70 */  MB, MB, MB, MB, M, M, M, N,  U, U, U, U, M, M, M, M,
    /* 80 */  T, T, T, T, T, T, T, T,  T, T, T, T, T, T, T, T,
    /* 90 */  M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
    /* a0 */  N, N, N, M, MB, M, U, U,  N, N, N, M, MB, M, M, M,
    /* b0 */  M, M, M, M, M, M, M, M,  U, U, MB, M, M, M, M, M,
    /* c0 */  M, M, MB, M, MB, MB, MB, M,  N, N, N, N, N, N, N, N,
    /* d0 */  M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
    /* e0 */  M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M,
    /* f0 */  M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, U,
};
/* clang-format on */

struct reader {
    const uint8_t *code;
    size_t bytes, at;
    bool short_operands, wide, repeated, prefixed;
};

/* The byte at `at`, or 0 behind the end, which dt_instruction_length() finds out. */
static uint8_t peek(const struct reader *reader)
{
    return reader->at < reader->bytes ? reader->code[reader->at] : 0;
}

static void skip_prefixes(struct reader *reader)
{
    for (;; reader->at++) {
        uint8_t byte = peek(reader);
        if (byte == 0x66)
            reader->short_operands = true;
        else if (byte == 0xf2 || byte == 0xf3)
            reader->repeated |= byte == 0xf3;
        else if (byte != 0xf0 && byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26 && byte != 0x64 &&
                 byte != 0x65 && byte != 0x67)
            break;
        reader->prefixed |= byte != 0x67 && (byte & 0xe7) != 0x26 && byte != 0x64 && byte != 0x65;
    }
    if ((peek(reader) & 0xf0) == 0x40) {
        reader->wide = peek(reader) & 8;
        reader->prefixed = true;
        reader->at++;
    }
}

static void skip_modrm(struct reader *reader)
{
    uint8_t modrm = peek(reader), mode = modrm >> 6, base = modrm & 7;
    reader->at++;
    if (mode == 3)
        return;
    if (base == 4) {
        base = peek(reader) & 7;
        reader->at++;
    }
    reader->at += mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0;
}

/* Opcodes of VEX and EVEX: by map, 1 for 0f, 2 for 0f 38, 3 for 0f 3a. */
static uint8_t of_vector_map(uint8_t map, uint8_t opcode)
{
    if (map == 1)
        return opcode == 0x77 || after_0f[opcode] == MB ? after_0f[opcode] : M;
    return map == 2 ? M : map == 3 ? MB : U;
}

static uint8_t vector_opcode(struct reader *reader, uint8_t first)
{
    uint8_t map = first == 0xc5 ? 1 : peek(reader) & (first == 0xc4 ? 0x1f : 7);
    if (reader->prefixed)
        return U;
    reader->at += first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;
    uint8_t opcode = peek(reader);
    reader->at++;
    return of_vector_map(map, opcode);
}

static uint8_t special(struct reader *reader, uint8_t opcode)
{
    uint8_t extension = peek(reader) >> 3 & 7;
    switch (opcode) {
    case 0x62:
    case 0xc4:
    case 0xc5:
        return vector_opcode(reader, opcode);
    case 0x8f: /* XOP else */
        return extension == 0 ? M : U;
    case 0xc6:
    case 0xc7: /* xabort, xbegin else */
        return extension != 0 ? U : opcode == 0xc6 ? MB : MD;
    case 0xf6:
        return extension < 2 ? MB : M;
    case 0xf7:
        return extension < 2 ? MD : M;
    case 0xfe:
        return extension < 2 ? M : U;
    case 0xff:
        return extension < 7 ? M : U;
    default: /* mov of an immediate into a register */
        reader->at += reader->wide ? 4 : 0;
        return D;
    }
}

static uint8_t two_byte_opcode(struct reader *reader)
{
    uint8_t opcode = peek(reader);
    reader->at++;
    if (opcode == 0x38 || opcode == 0x3a) {
        reader->at++;
        return opcode == 0x38 ? M : MB;
    }
    return opcode == 0xb8 && reader->repeated ? M : after_0f[opcode];
}

unsigned dt_instruction_length(const uint8_t *code, size_t bytes)
{
    struct reader reader = {.code = code, .bytes = bytes < LONGEST_INSTRUCTION ? bytes : LONGEST_INSTRUCTION};
    skip_prefixes(&reader);
    uint8_t opcode = peek(&reader), follows = one_byte[opcode];
    reader.at++;
    if (follows == X)
        follows = opcode == 0x0f ? two_byte_opcode(&reader) : special(&reader, opcode);
    if (follows & U || (follows == T && reader.short_operands && !reader.wide))
        return 0;
    if (follows & M)
        skip_modrm(&reader);
    if (follows & B)
        reader.at += 1;
    if (follows & W)
        reader.at += 2;
    if (follows & (D | T))
        reader.at += follows & D && reader.short_operands && !reader.wide ? 2 : 4;
    return reader.at <= reader.bytes ? (unsigned)reader.at : 0;
}
