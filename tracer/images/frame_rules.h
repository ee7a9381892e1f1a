/** Where a function's caller is found on the stack, by .eh_frame. */
#ifndef DT_IMAGES_FRAME_RULES_H
#define DT_IMAGES_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

/** While a call that a function has made is open. Places are in bytes, and multiples of 8. */
struct dt_frame_rule {
    bool by_frame_pointer; /* `frame` is counted from rbp; else from rsp, as it is when the call has returned */
    uint32_t frame;        /* to behind the function's return address; 0: not known */
    uint32_t saved;        /* from there down to the caller's rbp; 0: rbp is what it was */
};

/** The description in an .eh_frame_hdr that starts last at or before `address`; *start: where. NULL: none, or the table
 * is not as every linker writes it. O(log n). */
const uint8_t *dt_frame_description_find(const uint8_t *table, uint64_t address, uint64_t *start);

/** The rule for the call that returns to `address`. Reads no more than the frame description. May be asked by signal
 * handlers. Source: DWARF 5, 6.4.2. */
struct dt_frame_rule dt_frame_rule_find(const uint8_t *table, uint64_t address);

#endif
