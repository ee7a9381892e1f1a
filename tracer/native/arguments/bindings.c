/* Calls that bindings of Fortran make on their own account: how many members a communicator has, to convert arrays of
 * counts, and how many dimensions. The binding that the program has called is told by the symbol around the call. */
#include <dlfcn.h>

#include "native/arguments/api_calls.h"
#include "record/loaded_images.h"

enum { MOST_CALLS = 256 };

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

static bool is_binding(uint32_t image)
{
    static const char *const libraries[] = {"libmpi_mpifh.", "libmpi_usempi", "libmpichfort.", "libmpifort."};
    const char *path = image == UINT32_MAX ? NULL : dt_image_path(image);
    const char *name = path ? path : "";
    for (const char *at = name; *at; at++)
        name = *at == '/' ? at + 1 : name;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (begins(name, libraries[i]))
            return true;
    return false;
}

static bool is_own_account(uint64_t return_address)
{
    Dl_info info;
    if (!is_binding(dt_image_at(return_address)) || !dladdr((void *)(return_address - 1), &info) || !info.dli_sname)
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
