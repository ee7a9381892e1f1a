/* Constants of the codec TZ: the logistic function and its inverse, so that no machine's floating point matters. */
#ifndef DT_CODEC_TZ_TABLES_H
#define DT_CODEC_TZ_TABLES_H

#include <stdint.h>

/** 256 ln(p / (1 - p)) for p = (i + 0.5) / 4096. */
extern const int16_t dt_tz_stretch[4096];

/** 65536 / (1 + exp(-(i - 2048) / 170)), from 6 to 65530. */
extern const uint16_t dt_tz_squash[4096];

/** A confidence's upper byte to its level, 0 to 31: even steps of the logarithm of the odds. */
extern const uint8_t dt_tz_level[256];

#endif
