/* Polynomials in an odd base, modulo 2^64: what is behind what is a multiplication and an addition. */
#include "format/datatypes.h"

const char dt_datatype_names[][28] = {"",
                                      "CHAR",
                                      "SIGNED_CHAR",
                                      "UNSIGNED_CHAR",
                                      "BYTE",
                                      "WCHAR",
                                      "SHORT",
                                      "UNSIGNED_SHORT",
                                      "INT",
                                      "UNSIGNED",
                                      "LONG",
                                      "UNSIGNED_LONG",
                                      "LONG_LONG_INT",
                                      "LONG_LONG",
                                      "UNSIGNED_LONG_LONG",
                                      "FLOAT",
                                      "DOUBLE",
                                      "LONG_DOUBLE",
                                      "PACKED",
                                      "INT8_T",
                                      "INT16_T",
                                      "INT32_T",
                                      "INT64_T",
                                      "UINT8_T",
                                      "UINT16_T",
                                      "UINT32_T",
                                      "UINT64_T",
                                      "C_BOOL",
                                      "C_FLOAT_COMPLEX",
                                      "C_COMPLEX",
                                      "C_DOUBLE_COMPLEX",
                                      "C_LONG_DOUBLE_COMPLEX",
                                      "AINT",
                                      "OFFSET",
                                      "COUNT",
                                      "FLOAT_INT",
                                      "DOUBLE_INT",
                                      "LONG_INT",
                                      "2INT",
                                      "SHORT_INT",
                                      "LONG_DOUBLE_INT",
                                      "CHARACTER",
                                      "LOGICAL",
                                      "INTEGER",
                                      "REAL",
                                      "DOUBLE_PRECISION",
                                      "COMPLEX",
                                      "DOUBLE_COMPLEX",
                                      "INTEGER1",
                                      "INTEGER2",
                                      "INTEGER4",
                                      "INTEGER8",
                                      "INTEGER16",
                                      "REAL2",
                                      "REAL4",
                                      "REAL8",
                                      "REAL16",
                                      "COMPLEX4",
                                      "COMPLEX8",
                                      "COMPLEX16",
                                      "COMPLEX32",
                                      "2INTEGER",
                                      "2REAL",
                                      "2DOUBLE_PRECISION",
                                      "CXX_BOOL",
                                      "CXX_FLOAT_COMPLEX",
                                      "CXX_DOUBLE_COMPLEX",
                                      "CXX_LONG_DOUBLE_COMPLEX",
                                      "LB",
                                      "UB",
                                      "LOGICAL1",
                                      "LOGICAL2",
                                      "LOGICAL4",
                                      "LOGICAL8"};
const uint32_t dt_datatype_name_count = sizeof dt_datatype_names / sizeof *dt_datatype_names;

static const uint64_t base = 0x9e3779b97f4a7c15u;

uint64_t dt_datatype_hash(uint32_t number)
{
    uint64_t hash = (number + 1) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 33;
}

static uint64_t power(uint64_t exponent)
{
    uint64_t result = 1, square = base;
    for (; exponent; exponent >>= 1) {
        result *= exponent & 1 ? square : 1;
        square *= square;
    }
    return result;
}

uint64_t dt_datatype_hash_join(uint64_t first, uint64_t second, uint64_t second_length)
{
    return first * power(second_length) + second;
}

uint64_t dt_datatype_hash_repeat(uint64_t hash, uint64_t length, uint64_t times)
{
    uint64_t result = 0;
    for (; times; times >>= 1) {
        if (times & 1)
            result = dt_datatype_hash_join(result, hash, length);
        hash = dt_datatype_hash_join(hash, hash, length);
        length *= 2;
    }
    return result;
}
