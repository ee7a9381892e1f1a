/** Memory whose addresses are reserved whole, and that is committed as far as it is needed: only that counts against
 * RLIMIT_DATA. */
#ifndef DT_SYSTEM_RESERVED_MEMORY_H
#define DT_SYSTEM_RESERVED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** `bytes`, or less where RLIMIT_AS is set: that part of the limit, in whole pages. */
size_t dt_reservation_bytes(size_t bytes, uint64_t part);
/** The first `needed` bytes of `*memory`, which is reserved with `most` bytes at the first call, can be written;
 * `*committed` says how many can. False: there is no memory. */
bool dt_reserved_commit(void **memory, size_t most, size_t *committed, size_t needed);
/** From now on nobody can unmap or protect the pages, or map something over them: a program that tries, with memory
 * that it does not know, gets an error. Before Linux 6.10 nothing prevents it. */
void dt_keep_mapped(void *memory, size_t bytes);
/** Like dt_reserved_commit(), and keeps mapped what it commits. */
bool dt_kept_commit(void **memory, size_t most, size_t *committed, size_t needed);
/** Zeroed memory that is kept mapped; NULL: there is none. */
void *dt_kept_allocate(size_t bytes);
/** It is not unmapped: its pages go back to the system, its addresses to the next call that allocates as many bytes. */
void dt_kept_free(void *memory, size_t bytes);
/** False: RLIMIT_AS or RLIMIT_DATA leaves the process too little for the program and for us. */
bool dt_memory_is_enough(void);

#endif
