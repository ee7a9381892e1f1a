/** Memory for stubs within a jump's reach of an image, and writing them. */
#ifndef DT_PATCH_ARENA_H
#define DT_PATCH_ARENA_H

#include "native/plan/plan.h"

/** Where a stub is and whose first instructions were moved to its end. */
struct dt_stub_place {
    uint32_t stub;    /* from the arena's start */
    uint32_t moved;   /* from the stub's start; tells what kind of stub it is */
    int32_t function; /* from the arena's start; 0 = an import's stub */
};

struct dt_arena {
    uint8_t *start, *end;         /* of the code */
    uint8_t *next;                /* where the next stub goes */
    uint8_t *populated;           /* the end of the pages that are there for stubs */
    size_t population;            /* bytes that are added to them at once */
    uint64_t *slots;              /* behind the code, always writable: where import stubs go on to */
    struct dt_stub_place *places; /* in the order of addresses */
    uint32_t place_count;
    uint8_t *last; /* the entry of the stub begun last */
    uint8_t *exit, *api_entry, *api_exit, *runtime_hook;
};

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
uint64_t dt_arena_api_stub(struct dt_arena *arena, uint32_t index, bool returns);
/** The same for a leaf. */
void dt_arena_leaf_stub(struct dt_arena *arena, uint32_t index);
/** The same for a function that is hooked at both ends. */
void dt_arena_both_stub(struct dt_arena *arena, uint32_t index);
/** The same for a function that is watched and not traced. */
void dt_arena_hook_stub(struct dt_arena *arena, uint32_t hook);
/** Appends the instructions at `from`, moved, and a jump to what follows them; false: out of reach. */
bool dt_arena_moved_code(struct dt_arena *arena, uint64_t from, const struct dt_plan_step *steps);
/** Appends the jump by which an import's stub goes on. */
void dt_arena_jump_through(struct dt_arena *arena, const uint64_t *slot);

/** How a call that was moved begins, and where what follows is: what is added to its return address, the address that
 * it pushes first, the jump to the callee. */
enum { DT_MOVED_CALL_RETURNS = 5, DT_MOVED_CALL_ADDS = 10, DT_MOVED_CALL_JUMPS = 14, DT_MOVED_CALL_BYTES = 19 };
extern const uint8_t dt_moved_call[DT_MOVED_CALL_ADDS];

/** Appends the instructions before a return of such a function, and what records it; gives where a jump is to go. */
uint64_t dt_arena_moved_return(struct dt_arena *arena, uint64_t from, uint32_t moved);

/** Most bytes that one stub takes, its alignment included, and a moved return. */
enum { DT_LARGEST_STUB = 320, DT_LARGEST_RETURN = 4 * DT_JUMP_BYTES };

/** Overwrites DT_JUMP_BYTES at `address`, which are writable, by a jump to a stub within reach. */
void dt_put_jump(uint64_t address, uint64_t stub);
/** Writes a 32-bit displacement at `place`, counted from `from`; false: too far. */
bool dt_write_displacement(uint8_t *place, uint64_t from, uint64_t target);

#endif
