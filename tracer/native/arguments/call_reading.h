/** A call as it is made: its parameters, and what they say as arguments of a signature. */
#ifndef DT_ARGUMENTS_CALL_READING_H
#define DT_ARGUMENTS_CALL_READING_H

#include "native/arguments/calls.h"
#include "record/signatures.h"

/** A call being read. */
struct dt_reading {
    const struct dt_call_shape *shape;
    bool large; /* counts of 64 bits */
    uint64_t values[DT_MOST_PARAMETERS];
    uint64_t communicator; /* handle; 0: the call has none */
    const struct dt_known_communicator *of;
    uint32_t window; /* number */
    bool wildcard, no_data;
    bool is_root;
    int64_t data;       /* to be added behind peer and tag; 0: none */
    int64_t main_data;  /* its value, of the last such pair */
    uint32_t main_type; /* the number of its datatype; 0: not known */
    uint32_t datatype;  /* that the call makes: its number */
    struct dt_signature signature;
};

/** The number of the datatype that a call of a constructor makes; 0: unknown. */
uint32_t dt_datatype_constructed(const struct dt_reading *reading);
void dt_call_read(struct dt_reading *reading, struct dt_entry_registers *registers, uint16_t index);

/** Where a parameter is, in words from the registers' start. */
static inline uint8_t dt_parameter_place(uint32_t number)
{
    enum { AFTER = sizeof(struct dt_entry_registers) / 8 };
    static const uint8_t places[DT_MOST_PARAMETERS] = {offsetof(struct dt_entry_registers, rdi) / 8,
                                                       offsetof(struct dt_entry_registers, rsi) / 8,
                                                       offsetof(struct dt_entry_registers, rdx) / 8,
                                                       offsetof(struct dt_entry_registers, rcx) / 8,
                                                       offsetof(struct dt_entry_registers, r8) / 8,
                                                       offsetof(struct dt_entry_registers, r9) / 8,
                                                       AFTER,
                                                       AFTER + 1,
                                                       AFTER + 2,
                                                       AFTER + 3,
                                                       AFTER + 4,
                                                       AFTER + 5,
                                                       AFTER + 6};
    return places[number];
}

/** Where the caller put the parameter: in a register, or on its stack. */
static inline uint64_t *dt_call_parameter(struct dt_entry_registers *registers, uint32_t number)
{
    return (uint64_t *)registers + dt_parameter_place(number);
}

/** True of a buffer that MPI_IN_PLACE may stand for: then what is behind it says nothing. */
static inline bool dt_parameter_is_in_place(const struct dt_call *call, uint32_t number)
{
    uint8_t kind = call->parameters[number], behind = call->parameters[number + 1];
    return (kind == DT_PARAMETER_SENT_OR_IN_PLACE || kind == DT_PARAMETER_RECEIVED_OR_IN_PLACE) &&
           (behind == DT_PARAMETER_COUNT || behind == DT_PARAMETER_OTHER_COUNT || behind == DT_PARAMETER_COUNTS);
}

/** memcpy() and memset() of this library take their time to start. */
static inline void dt_copy_words(uint64_t *to, const uint64_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        *(volatile uint64_t *)&to[i] = from[i];
}

#endif
