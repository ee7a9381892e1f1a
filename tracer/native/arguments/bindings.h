/** Libraries that call C's MPI for programs in Fortran. */
#ifndef DT_ARGUMENTS_BINDINGS_H
#define DT_ARGUMENTS_BINDINGS_H

#include "images/loaded_image.h"
#include "native/x86_64/registers.h"

/** What lies between the first and the last byte of all of them: others may, too. */
struct dt_binding_span {
    uint64_t low, bytes; /* 0: there are none */
};
extern struct dt_binding_span dt_binding_span;

/** Looks whether the image, which has just been loaded at [low, high), is such a library. */
void dt_binding_look(uint32_t image, const struct dt_loaded_image *loaded, uint64_t low, uint64_t high);

static inline bool dt_binding_has(uint64_t address)
{
    return address - dt_binding_span.low < dt_binding_span.bytes;
}

/** Where the program has called the binding that makes the call. O(1) but for the first call from an address. */
uint64_t dt_binding_caller(const struct dt_entry_registers *registers);

/** Where the program calls from: that is the return address, unless a binding calls for it. */
static inline uint64_t dt_call_site_of(const struct dt_entry_registers *registers)
{
    return __builtin_expect(dt_binding_has(registers->return_address), 0) ? dt_binding_caller(registers)
                                                                          : registers->return_address;
}

#endif
