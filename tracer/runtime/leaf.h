/**
 * Leaves: functions that come back at once whatever happens, so that their return need not be waited for. They are
 * recorded as called and returned by one look at their entry, and their return address stays the program's own.
 */
#ifndef DT_RUNTIME_LEAF_H
#define DT_RUNTIME_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most bytes that a leaf's code has. */
enum { DT_LARGEST_LEAF = 4096 };

/** True if the code calls nothing, never goes back, and leaves by returning. */
bool dt_is_leaf(const uint8_t *code, size_t bytes);

/** True for a function of the C or mathematical library that calls nothing of the program's and waits for nothing. */
bool dt_is_leaf_import(const char *name);

#endif
