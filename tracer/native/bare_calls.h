/**
 * The C library's syscall(), which syscall_stub.S hides: what that leaves to C, and what is of use there.
 */
#ifndef DT_NATIVE_BARE_CALLS_H
#define DT_NATIVE_BARE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/** The C library's own; NULL: not looked up yet. */
extern long (*dt_next_syscall)(long number, ...);
void *dt_find_syscall(void);

/** program_filters.c: may set a filter, or lose the way to the trace file. */
long dt_program_syscall(long number, long a, long b, long c, long d, long e, long f);

/** forks.c, of SYS_fork, SYS_clone and SYS_clone3: whether the call makes a child with a copy of the memory and of this
 * stack. Others do not come back to a function that was called, and go to the C library's. */
bool dt_syscall_forks(long number, long a, long b);
long dt_fork_syscall(long number, long a, long b, long c, long d, long e, long f);

/** Copies what the program has passed; false: nothing is at that address. */
bool dt_read_program(void *to, const void *from, size_t bytes);

#endif
