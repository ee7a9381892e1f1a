/** Memory for stubs within a jump's reach of an image, and writing them. */
#ifndef DT_PATCH_ARENA_H
#define DT_PATCH_ARENA_H

#include <stdbool.h>

#include "native/arguments/api_calls.h"
#include "native/x86_64/arena_layout.h"
#include "native/x86_64/relocation.h"

/** Writable memory within a jump's reach of everything in low..high, whole pages, or NULL. */
uint8_t *dt_memory_near(uint64_t low, uint64_t high, size_t bytes);

/** How much goes into an arena. */
struct dt_arena_contents {
    size_t stubs, slots, returns;
};

/** Near low..high. */
bool dt_arena_create(struct dt_arena *arena, uint64_t low, uint64_t high, const struct dt_arena_contents *contents);
/** Executable, for good. Still writable, for the words of stubs (stub_words.h), unless the system forbids that. */
void dt_arena_seal(const struct dt_arena *arena);

/** Writes the head of a function's stub; what was overwritten, or the jump to an import, comes next. Returns the
 * address that the function returns to. */
uint64_t dt_arena_function_stub(struct dt_arena *arena, uint32_t index);
/** The same for a function of which api_calls.c is told, that it is called and maybe that it returns, too. */
uint64_t dt_arena_api_stub(struct dt_arena *arena, uint32_t index, enum dt_api_return at_return);
/** The same for a terminating function. */
void dt_arena_terminating_stub(struct dt_arena *arena, uint32_t index);
/** The same for a function that is hooked at both ends. */
void dt_arena_both_stub(struct dt_arena *arena, uint32_t index);
/** The same for a function that is watched and not traced. */
void dt_arena_hook_stub(struct dt_arena *arena, uint32_t hook);
/** Appends the instructions at `from`, relocated, and a jump to what follows them; false: out of reach. */
bool dt_arena_relocated_code(struct dt_arena *arena, uint64_t from, const struct dt_plan_step *steps);
/** Appends the jump by which an import's stub goes on. */
void dt_arena_jump_through(struct dt_arena *arena, const uint64_t *slot);

/** False: the system forbids memory that is writable and executable at once, and code cannot be hooked. */
bool dt_memory_may_change_as_code(void);
/** Appends the instructions before a return of such a function, and what records it; gives where a jump is to go. */
uint64_t dt_arena_relocated_return(struct dt_arena *arena, uint64_t from, uint32_t relocated);

/** Most bytes that one stub takes, its alignment included, and a relocated return. */
enum { DT_LARGEST_STUB = 320, DT_LARGEST_RETURN = 4 * DT_JUMP_BYTES };

/** Overwrites DT_JUMP_BYTES at `address`, which are writable, by a jump to a stub within reach. */
void dt_put_jump(uint64_t address, uint64_t stub);

#endif
