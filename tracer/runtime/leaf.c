/* What comes back at once: by its code, and by its name. */
#include "leaf.h"

#include <string.h>

#include "instruction_length.h"

/* ---- by code --------------------------------------------------------------------------------- */

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
           byte == 0x36 || byte == 0x3e || byte == 0x26 || (byte & 0xf0) == 0x40;
}

enum flow { GOES_ON, GOES_AHEAD, RETURNS, LEAVES };

/* Whether a jump of `displacement` from the instruction's end stays in the function and comes to something later. */
static enum flow jump(int64_t displacement, size_t bytes_behind)
{
    return displacement >= 0 && (uint64_t)displacement < bytes_behind ? GOES_AHEAD : LEAVES;
}

static enum flow flow_after_0f(const uint8_t *opcode, const uint8_t *end, size_t bytes_behind)
{
    int32_t displacement;
    switch (*opcode) {
    case 0x01: /* of virtual machines, protection keys, transactions */
    case 0x05: /* syscall */
    case 0x0b: /* ud2 */
    case 0x34: /* sysenter */
    case 0xb9: /* ud1 */
    case 0xff: /* ud0 */
        return LEAVES;
    default:
        if ((*opcode & 0xf0) != 0x80)
            return GOES_ON;
        memcpy(&displacement, end - 4, sizeof displacement);
        return jump(displacement, bytes_behind);
    }
}

static enum flow flow_of(const uint8_t *code, unsigned length, size_t bytes_behind)
{
    const uint8_t *opcode = code, *end = code + length;
    int32_t displacement;
    while (opcode < end && is_prefix(*opcode))
        opcode++;
    if (opcode == end)
        return LEAVES;
    switch (*opcode) {
    case 0x0f:
        return flow_after_0f(opcode + 1, end, bytes_behind);
    case 0xc2:
    case 0xc3:
        return RETURNS;
    case 0xe9:
        memcpy(&displacement, end - 4, sizeof displacement);
        return jump(displacement, bytes_behind);
    case 0xeb:
        return jump((int8_t)end[-1], bytes_behind);
    case 0xff: /* calls, jumps, also far ones; inc, dec and push are harmless */
        return (opcode[1] >> 3 & 7) >= 2 && (opcode[1] >> 3 & 7) <= 5 ? LEAVES : GOES_ON;
    case 0x90:
        return code[0] == 0xf3 ? LEAVES : GOES_ON; /* pause: somebody waits */
    case 0xc8:                                     /* enter */
    case 0xca:                                     /* far returns, interrupts */
    case 0xcb:
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
    case 0xe0: /* loops */
    case 0xe1:
    case 0xe2:
    case 0xe3:
    case 0xe8: /* call */
    case 0xf1:
    case 0xf4: /* hlt */
        return LEAVES;
    default:
        return (*opcode & 0xf0) == 0x70 ? jump((int8_t)end[-1], bytes_behind) : GOES_ON;
    }
}

bool dt_is_leaf(const uint8_t *code, size_t bytes)
{
    enum flow last = LEAVES;
    if (bytes > DT_LARGEST_LEAF)
        return false;
    while (bytes > 0) {
        unsigned length = dt_instruction_length(code, bytes);
        if (length == 0)
            return false;
        last = flow_of(code, length, bytes - length);
        if (last == LEAVES)
            return false;
        code += length;
        bytes -= length;
    }
    return last == RETURNS;
}

/* ---- by name --------------------------------------------------------------------------------- */

/* Functions of double: with an f or l behind, those of float and long double. */
static const char *const mathematical[] = {
    "acos",  "acosh", "asin",  "asinh",  "atan",  "atan2", "atanh", "cbrt",  "ceil",   "copysign", "cos",       "cosh",
    "erf",   "erfc",  "exp",   "exp10",  "exp2",  "expm1", "fabs",  "floor", "fma",    "fmax",     "fmin",      "fmod",
    "frexp", "hypot", "ldexp", "log",    "log10", "log1p", "log2",  "lrint", "lround", "modf",     "nearbyint", "pow",
    "rint",  "round", "sin",   "sincos", "sinh",  "sqrt",  "tan",   "tanh",  "trunc"};
static const char *const others[] = {"__ctype_b_loc",
                                     "__ctype_tolower_loc",
                                     "__ctype_toupper_loc",
                                     "__errno_location",
                                     "_gfortran_compare_string",
                                     "_gfortran_concat_string",
                                     "_gfortran_string_index",
                                     "_gfortran_string_len_trim",
                                     "abs",
                                     "bcmp",
                                     "bcopy",
                                     "bzero",
                                     "div",
                                     "drand48",
                                     "erand48",
                                     "ffs",
                                     "ffsl",
                                     "ffsll",
                                     "labs",
                                     "ldiv",
                                     "llabs",
                                     "lrand48",
                                     "memchr",
                                     "memcmp",
                                     "memcpy",
                                     "memmove",
                                     "mempcpy",
                                     "memrchr",
                                     "memset",
                                     "nrand48",
                                     "rand_r",
                                     "rawmemchr",
                                     "stpcpy",
                                     "stpncpy",
                                     "strcasecmp",
                                     "strcat",
                                     "strchr",
                                     "strchrnul",
                                     "strcmp",
                                     "strcpy",
                                     "strcspn",
                                     "strlen",
                                     "strncasecmp",
                                     "strncat",
                                     "strncmp",
                                     "strncpy",
                                     "strnlen",
                                     "strpbrk",
                                     "strrchr",
                                     "strspn",
                                     "strstr",
                                     "tolower",
                                     "toupper"};

static bool has(const char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

bool dt_is_leaf_import(const char *name)
{
    static const size_t mathematical_count = sizeof mathematical / sizeof *mathematical;
    size_t length = strlen(name);
    return strncmp(name, "_gfortran_pow_", 14) == 0 || has(others, sizeof others / sizeof *others, name, length) ||
           has(mathematical, mathematical_count, name, length) ||
           (length > 1 && (name[length - 1] == 'f' || name[length - 1] == 'l') &&
            has(mathematical, mathematical_count, name, length - 1));
}
