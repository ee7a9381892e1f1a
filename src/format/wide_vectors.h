/** Wide vectors: what is used of AVX-512 where words are many, and when. */
#ifndef DT_FORMAT_WIDE_VECTORS_H
#define DT_FORMAT_WIDE_VECTORS_H

#include <stdbool.h>

/** 64 bytes at once, with AVX-512 BW and BMI2; not on the first processors that had them: these slow down for some time
 * after each use. Only registers 16 and up may be used: the other ones' upper halves must not be touched lightly,
 * where the program's own code runs on. */
static inline bool dt_has_wide_vectors(void)
{
    return __builtin_cpu_supports("avx512vbmi2");
}

#endif
