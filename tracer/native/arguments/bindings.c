/* Bindings of Fortran. They call C's functions, for the program: where it has called them is found on the stack. And
 * some on their own account: how many members a communicator has, to convert arrays of counts, and how many dimensions.
 * The binding that the program has called is told by the symbol around the call. */
#include "native/arguments/bindings.h"

#include <dlfcn.h>

#include "images/frame_rules.h"
#include "native/arguments/api_calls.h"
#include "record/loaded_images.h"

enum { MOST_CALLS = 256, MOST_BINDINGS = 8, DEEPEST = 4 };

/* By where the call returns to: that address, and in the lowest bit above it whether it is the binding's own. */
static uint64_t verdicts[MOST_CALLS];

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + 'a' - 'A') : letter;
}

static bool begins(const char *text, const char *with)
{
    while (*with && lower(*text) == *with)
        text++, with++;
    return !*with;
}

static bool contains(const char *text, const char *part)
{
    while (*text && !begins(text, part))
        text++;
    return *text;
}

/* ---- libraries of bindings ------------------------------------------------------------------- */

static struct binding {
    uint32_t image;
    const uint8_t *frame_table;
} bindings[MOST_BINDINGS];
static uint32_t binding_count;

struct dt_binding_span dt_binding_span;

static bool is_named_as_binding(const char *path)
{
    static const char *const libraries[] = {"libmpi_mpifh.", "libmpi_mpifh-", "libmpi_usempi",
                                            "libmpichfort.", "libmpifort.",   "libmpichf08"};
    const char *name = path;
    for (const char *at = path; *at; at++)
        name = *at == '/' ? at + 1 : name;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (begins(name, libraries[i]))
            return true;
    return false;
}

static void widen(uint64_t low, uint64_t high)
{
    struct dt_binding_span *span = &dt_binding_span;
    uint64_t first = span->bytes && span->low < low ? span->low : low;
    uint64_t last = span->bytes && span->low + span->bytes > high ? span->low + span->bytes : high;
    span->low = first;
    span->bytes = last - first;
}

void dt_binding_look(uint32_t image, const struct dt_loaded_image *loaded, uint64_t low, uint64_t high)
{
    if (binding_count == MOST_BINDINGS || !is_named_as_binding(loaded->path))
        return;
    struct binding *binding = &bindings[binding_count];
    binding->image = image;
    for (int i = 0; i < loaded->segment_count; i++)
        if (loaded->segments[i].p_type == PT_GNU_EH_FRAME)
            binding->frame_table = (const uint8_t *)(loaded->bias + loaded->segments[i].p_vaddr);
    __atomic_store_n(&binding_count, binding_count + 1, __ATOMIC_RELEASE);
    widen(low, high);
}

static const struct binding *find_binding(uint64_t address)
{
    uint32_t image = dt_image_at(address), count = __atomic_load_n(&binding_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (bindings[i].image == image)
            return &bindings[i];
    return NULL;
}

/* ---- where the program has called -------------------------------------------------------------- */

/* By the lower half of where the call returns to, the frame's rule in 32 bits: in words, the last bit by rbp. 0: free;
 * a rule of 0: none, the address is the call site. */
static uint64_t rules[MOST_CALLS];

static uint32_t pack_rule(struct dt_frame_rule rule)
{
    enum { MOST_FRAME = 1 << 20, MOST_SAVED = 1 << 11 };
    uint32_t frame = rule.frame / 8, saved = rule.saved / 8;
    return frame < MOST_FRAME && saved < MOST_SAVED ? frame << 12 | saved << 1 | rule.by_frame_pointer : 0;
}

static uint32_t rule_at(uint64_t return_address)
{
    uint64_t *place = &rules[(return_address ^ return_address >> 8) % MOST_CALLS];
    uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (known >> 32 == (uint32_t)return_address)
        return (uint32_t)known;
    const struct binding *binding = find_binding(return_address);
    uint32_t rule = binding ? pack_rule(dt_frame_rule_find(binding->frame_table, return_address)) : 0;
    __atomic_store_n(place, return_address << 32 | rule, __ATOMIC_RELAXED);
    return rule;
}

uint64_t dt_binding_caller(const struct dt_entry_registers *registers)
{
    const uint64_t *slot = &registers->return_address;
    uint64_t rbp = registers->rbp, address = *slot;
    uint32_t rule;
    /* A binding may call another one: that of the module that of C's conventions. */
    for (int i = 0; i < DEEPEST && dt_binding_has(address) && (rule = rule_at(address)) >> 12; i++) {
        const uint64_t *end = (rule & 1 ? (const uint64_t *)rbp : slot + 1) + (rule >> 12);
        uint32_t saved = rule >> 1 & 0x7ff;
        rbp = saved ? end[-(int32_t)saved] : rbp;
        slot = end - 1;
        address = *slot;
    }
    return address;
}

/* ---- what bindings ask ------------------------------------------------------------------------- */

static bool is_own_account(uint64_t return_address)
{
    Dl_info info;
    if (!find_binding(return_address) || !dladdr((void *)(return_address - 1), &info) || !info.dli_sname)
        return false;
    return !contains(info.dli_sname, "comm_size") && !contains(info.dli_sname, "cartdim_get");
}

bool dt_binding_asks(const struct dt_hooked_function *function, uint64_t return_address)
{
    if (function->action != DT_ACTION_ASKED)
        return false;
    uint64_t *place = &verdicts[(return_address ^ return_address >> 8) % MOST_CALLS];
    uint64_t verdict = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (verdict >> 1 == return_address)
        return verdict & 1;
    bool asks = is_own_account(return_address);
    __atomic_store_n(place, return_address << 1 | asks, __ATOMIC_RELAXED);
    return asks;
}
