/** The checksum of everything in a trace file. */
#ifndef DT_FORMAT_CRC32_H
#define DT_FORMAT_CRC32_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** IEEE CRC-32 (as zlib's crc32()): start with 0, feed on with the result. */
uint32_t dt_crc32(uint32_t crc, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
