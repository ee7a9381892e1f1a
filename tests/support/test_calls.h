/** Synthetic runs: what the format can tell of calls of MPI, all kinds of it. */
#ifndef DT_SUPPORT_TEST_CALLS_H
#define DT_SUPPORT_TEST_CALLS_H

#include "test_run.h"

G_BEGIN_DECLS

/**
 * Appends calls of MPI to the thread, of rank 1 of 4: every kind of argument, special value, constructor of datatypes
 * and note, arrays, communicators, and call sites of the program and of an image in which nothing is hooked. Their
 * functions are libcalls.so's, and the notes take 700 bytes. Once a process.
 */
void dt_test_thread_calls(DtTestThread *thread);

G_END_DECLS

#endif
