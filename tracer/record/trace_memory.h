/**
 * Which memory is mapped from the trace file, and what becomes of it when the file is cut short, or the memory
 * unmapped, while it is recorded: other memory takes its place, recording ends with a reason, and the program goes on.
 */
#ifndef DT_RECORD_TRACE_MEMORY_H
#define DT_RECORD_TRACE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The memory is mapped from the file now. Safe in signal handlers, and so is all the rest. */
void dt_trace_memory_add(const void *memory, size_t bytes);
/** Unmaps what was added, all of it. */
void dt_trace_memory_unmap(void *memory, size_t bytes);
/** For the handler of a fault at that address: true if it is of this memory. Then there is memory again from its page
 * on, all zero, and recording has ended (dt_writer_lost()). */
bool dt_trace_memory_lost(uint64_t address);

#endif
