/* Calls that a thread makes again and again, polling above all: MPI_Test, MPI_Iprobe. */
#include "open_calls.h"

/* The same place in the program may call with some buffers and communicators in turn. */
static struct dt_known_call *place_of(struct dt_calls *calls, uint64_t site, const uint64_t *values, uint32_t count)
{
    uint64_t hash = site;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ values[i]) * 0x9e3779b97f4a7c15u;
    return &calls->known[(hash ^ hash >> 29) * 0x9e3779b97f4a7c15u >> 58];
}

_Static_assert(DT_KNOWN_CALLS == 1 << (64 - 58), "place_of() counts on it");

static bool is_same(const struct dt_known_call *known, const struct dt_entry_registers *registers,
                    const uint64_t *values, uint32_t count)
{
    struct dt_call_epochs now = dt_call_epochs_now();
    if (known->site != registers->return_address || known->function != registers->index ||
        known->value_count != count || known->epoch != now.signatures ||
        (known->open.named_count && known->requests_epoch != now.requests))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (known->open.values[i] != values[i])
            return false;
    for (uint32_t i = 0; i < known->open.named_count; i++)
        if (known->named[i].handle != dt_mpi_handle_at(known->named[i].place))
            return false;
    return true;
}

static void open_again(struct dt_calls *calls, const struct dt_known_call *known, uint64_t slot)
{
    struct dt_open_call *open = &calls->open[calls->depth++];
    open->slot = slot;
    open->call = known->open.call;
    dt_copy_words(open->values, known->open.values, known->value_count);
    open->communicator = known->open.communicator;
    open->creation = 0;
    open->wildcard = known->open.wildcard;
    open->known = known;
    open->first_named = calls->named_count;
    open->named_count = known->open.named_count;
}

const struct dt_known_call *dt_known_call_find(struct dt_calls *calls, struct dt_entry_registers *registers)
{
    uint64_t values[DT_MOST_PARAMETERS];
    uint32_t count = dt_call_parameters(dt_functions[registers->index].call);
    for (uint32_t i = 0; i < count; i++)
        values[i] = *dt_call_parameter(registers, i);
    const struct dt_known_call *known = place_of(calls, registers->return_address, values, count);
    return is_same(known, registers, values, count) ? known : NULL;
}

void dt_known_call_open(struct dt_calls *calls, const struct dt_known_call *known, uint64_t slot)
{
    if (calls->depth)
        dt_open_calls_drop(calls, slot);
    if (known->opened && calls->depth < DT_NESTED_CALLS)
        open_again(calls, known, slot);
}

/* Whether MPI was given something else than the program gave. */
static bool is_changed(const struct dt_open_call *open, const struct dt_reading *reading)
{
    for (uint32_t i = 0; reading->call->parameters[i]; i++)
        if (open->values[i] != reading->values[i])
            return true;
    return false;
}

void dt_known_call_keep(struct dt_calls *calls, const struct dt_entry_registers *registers,
                        const struct dt_reading *reading, const struct dt_open_call *open, uint32_t id,
                        struct dt_call_epochs epochs)
{
    uint32_t count = dt_call_parameters(dt_functions[registers->index].call);
    struct dt_known_call *known = place_of(calls, registers->return_address, reading->values, count);
    uint32_t named_count = open ? open->named_count : 0;
    /* An entry that a call below refers to must stay. */
    if (calls->depth > (open ? 1 : 0) || named_count > DT_KNOWN_REQUESTS || (open && is_changed(open, reading)))
        return;
    known->function = registers->index;
    known->site = registers->return_address;
    known->epoch = epochs.signatures;
    known->requests_epoch = epochs.requests;
    known->id = id;
    known->value_count = count;
    known->opened = open != NULL;
    known->open.call = reading->call;
    known->open.communicator = reading->communicator;
    known->open.wildcard = open ? open->wildcard : reading->wildcard;
    known->open.named_count = named_count;
    dt_copy_words(known->open.values, reading->values, known->value_count);
    for (uint32_t i = 0; i < named_count; i++)
        known->named[i] = dt_open_call_named(calls, open)[i];
}
