/**
 * Lengths of x86-64 instructions, by opcode tables: fifty times faster than decoding them, and enough to walk code from
 * one instruction to the next. tests/runtime compares it with Capstone.
 */
#ifndef DT_X86_64_INSTRUCTION_LENGTH_H
#define DT_X86_64_INSTRUCTION_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/**
 * Length in bytes of the instruction at `code`, of which `bytes` may be read; 0 if it is longer than that, invalid, or
 * rare: then a real decoder is to be asked.
 */
unsigned dt_instruction_length(const uint8_t *code, size_t bytes);

#endif
