/** What lies in an arena: the code that all stubs share, the stubs, and the relocated instructions at their ends. */
#ifndef DT_X86_64_ARENA_LAYOUT_H
#define DT_X86_64_ARENA_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/** Where a stub is and whose first instructions were relocated to its end. */
struct dt_stub_place {
    uint32_t stub;      /* from the arena's start */
    uint32_t relocated; /* from the stub's start; tells what kind of stub it is */
    int32_t function;   /* from the arena's start; 0 = an import's stub */
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
    uint8_t *exit, *api_entry, *runtime_hook;
    uint8_t *exits[3]; /* of functions of APIs, by enum dt_api_return */
};

/** How a call that was relocated begins, and where what follows is: what is added to its return address, the address
 * that it pushes first, the jump to the callee. */
enum {
    DT_RELOCATED_CALL_RETURNS = 5,
    DT_RELOCATED_CALL_ADDS = 10,
    DT_RELOCATED_CALL_JUMPS = 14,
    DT_RELOCATED_CALL_BYTES = 19
};
extern const uint8_t dt_relocated_call[DT_RELOCATED_CALL_ADDS];

#endif
