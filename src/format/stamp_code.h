/** Times as bytes: on a scale of eight steps an octave, so that a time is off by 4.5 % at most of what passed since the
 * one before. Writers code what passed since the time that readers have, so that errors do not add up. */
#ifndef DT_FORMAT_STAMP_CODE_H
#define DT_FORMAT_STAMP_CODE_H

#include <stdint.h>

#include "trace_file.h"

/* What the first DT_TIME_STEPS of an octave are, in units of 2^-16 of it, and where one becomes the next. */
enum { DT_TIME_STEPS = 8, DT_TIME_UNIT_BITS = 16 };

/** Ticks of a code from DT_TIME_NONE_PASSED to below DT_TIME_LONG. */
static inline uint64_t dt_time_ticks(uint8_t code)
{
    static const uint32_t steps[DT_TIME_STEPS] = {65536, 71468, 77936, 84990, 92682, 101070, 110218, 120194};
    if (code <= DT_TIME_NONE_PASSED)
        return 0;
    uint32_t octave = (code - DT_TIME_NONE_PASSED - 1u) / DT_TIME_STEPS;
    uint64_t scaled = (uint64_t)steps[(code - DT_TIME_NONE_PASSED - 1u) % DT_TIME_STEPS] << octave;
    return (scaled + (1u << (DT_TIME_UNIT_BITS - 1))) >> DT_TIME_UNIT_BITS;
}

/** DT_TIME_LONG where it is more than the scale has. */
static inline uint8_t dt_time_code(uint64_t ticks)
{
    static const uint32_t bounds[DT_TIME_STEPS] = {68438, 74632, 81386, 88752, 96785, 105545, 115098, 125515};
    if (ticks == 0)
        return DT_TIME_NONE_PASSED;
    uint32_t octave = 63 - (uint32_t)__builtin_clzll(ticks), step = 0;
    uint64_t unit =
        octave > DT_TIME_UNIT_BITS ? ticks >> (octave - DT_TIME_UNIT_BITS) : ticks << (DT_TIME_UNIT_BITS - octave);
    while (step < DT_TIME_STEPS && unit >= bounds[step])
        step++;
    uint32_t code = DT_TIME_NONE_PASSED + 1 + octave * DT_TIME_STEPS + step;
    return (uint8_t)(code < DT_TIME_LONG ? code : DT_TIME_LONG);
}

#endif
