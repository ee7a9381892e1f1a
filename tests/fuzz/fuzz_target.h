/** The entry of every fuzz target, as libFuzzer calls it. Always returns 0. */
#ifndef DT_FUZZ_FUZZ_TARGET_H
#define DT_FUZZ_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
