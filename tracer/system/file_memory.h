/**
 * Which memory is mapped from the trace file, and what becomes of it when the file is cut short, or the memory
 * unmapped, while it is recorded: other memory takes its place, and the program goes on.
 */
#ifndef DT_SYSTEM_FILE_MEMORY_H
#define DT_SYSTEM_FILE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The memory is mapped from the file now. Safe in signal handlers, and so is all the rest. */
void dt_file_memory_add(const void *memory, size_t bytes);
/** Unmaps what was added, all of it. */
void dt_file_memory_unmap(void *memory, size_t bytes);
/** For the handler of a fault at that address: true if it is of this memory. Then its page is there again, all zero; if
 * the file was cut, everything from there to the end of what was mapped with it. Where it was unmapped, the next page
 * may be somebody else's by now. */
bool dt_file_memory_replace(uint64_t address, bool is_cut);

#endif
