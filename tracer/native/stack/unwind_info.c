/* Which frame description holds for an address in an arena. */
#include "native/stack/unwind_info.h"

#include "images/frame_rules.h"
#include "images/loaded_image.h"
#include "native/stack/shadow_stack.h"

extern const uint8_t dt_stub_template[], dt_stub_exit[], dt_stub_terminating[], dt_stub_api_exit[],
    dt_stub_runtime_hook[], dt_stub_of_function[], dt_plain_call[], dt_plain_returned[], dt_plain_index[],
    dt_plain_left[], dt_plain_relocated[], dt_stub_of_both[], dt_both_relocated[], dt_stub_of_api[], dt_api_call[],
    dt_api_returned[], dt_api_index[], dt_api_left[], dt_stub_of_terminating[];

enum { DT_MOST_ARENAS = DT_MOST_IMAGES + 1 };

/* Where things happen in a function's stub. */
struct model {
    const uint8_t *code, *call, *returned, *index_pushed, *left;
};
static const struct model of_function = {dt_stub_of_function, dt_plain_call, dt_plain_returned, dt_plain_index,
                                         dt_plain_left},
                          of_api = {dt_stub_of_api, dt_api_call, dt_api_returned, dt_api_index, dt_api_left},
                          of_terminating = {dt_stub_of_terminating, NULL, NULL, NULL, NULL},
                          of_both = {dt_stub_of_both, NULL, NULL, NULL, NULL};

struct known_arena {
    struct dt_arena arena;
    struct dt_described_image image;
};

/* Only ever added to. */
static struct known_arena arenas[DT_MOST_ARENAS];
static uint32_t arena_count;
static const uint8_t *own_frame_table;

/* The description of `like`, shifted so that it holds for `address`. */
static const uint8_t *describe_like(const uint8_t *table, uint64_t like, uint64_t address,
                                    struct dt_unwind_bases *bases)
{
    uint64_t start = 0;
    const uint8_t *description = dt_frame_description_find(table, like, &start);
    *bases = (struct dt_unwind_bases){NULL, NULL, (void *)(address - (like - start))};
    return description;
}

/* ---- arenas ---------------------------------------------------------------------------------- */

static const struct known_arena *find_arena(uint64_t address)
{
    uint32_t count = __atomic_load_n(&arena_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (address >= (uint64_t)arenas[i].arena.start && address < (uint64_t)arenas[i].arena.end)
            return &arenas[i];
    return NULL;
}

static const struct dt_stub_place *find_stub(const struct dt_arena *arena, uint64_t address)
{
    uint32_t low = 0, high = arena->place_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uint64_t)arena->start + arena->places[middle].stub <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &arena->places[low - 1] : NULL;
}

static bool is_on_the_way_out(const uint8_t *in_template)
{
    return (in_template >= dt_stub_exit && in_template < dt_stub_terminating) ||
           (in_template >= dt_stub_api_exit && in_template < dt_stub_runtime_hook);
}

static const uint8_t *describe_template(const struct known_arena *known, uint64_t address,
                                        struct dt_unwind_bases *bases)
{
    const uint8_t *original = dt_stub_template + (address - (uint64_t)known->arena.start);
    if (is_on_the_way_out(original))
        dt_shadow_put_back_leaving();
    return describe_like(own_frame_table, (uint64_t)original, address, bases);
}

static const struct model *model_of(const struct dt_stub_place *place)
{
    if (place->relocated == (uint32_t)(dt_plain_relocated - dt_stub_of_function))
        return &of_function;
    if (place->relocated == (uint32_t)(dt_both_relocated - dt_stub_of_both))
        return &of_both;
    return place->relocated == (uint32_t)(dt_api_left - dt_stub_of_api) ? &of_api : &of_terminating; /* or a hook's */
}

/* The relocated call that the instruction at `address` is of; NULL: it is none's. */
static const uint8_t *find_relocated_call(uint64_t relocated, uint64_t address)
{
    for (uint64_t at = address; at >= relocated && address - at < DT_RELOCATED_CALL_BYTES; at--)
        if (memcmp((const uint8_t *)at, dt_relocated_call, sizeof dt_relocated_call) == 0)
            return (const uint8_t *)at;
    return NULL;
}

/* Within relocated instructions. A relocated call has pushed an address before it is through: then it is as if just
 * called. */
static const uint8_t *describe_relocated(const struct known_arena *known, const struct dt_stub_place *place,
                                         uint64_t relocated, uint64_t address, struct dt_unwind_bases *bases)
{
    uint64_t function = (uint64_t)((int64_t)known->arena.start + place->function);
    const uint8_t *call = find_relocated_call(relocated, address);
    uint64_t like = call ? (uint64_t)call : address;
    if (address > like + DT_RELOCATED_CALL_RETURNS)
        return describe_like(own_frame_table, (uint64_t)dt_stub_of_function, address, bases);
    return describe_like(known->image.frame_table, function + (like - relocated), address, bases);
}

static const uint8_t *describe_stub(const struct known_arena *known, const struct dt_stub_place *place,
                                    uint64_t address, struct dt_unwind_bases *bases)
{
    uint64_t stub = (uint64_t)known->arena.start + place->stub, offset = address - stub;
    const struct model *model = model_of(place);
    if (offset < place->relocated) {
        const uint8_t *original = model->code + offset;
        if (original >= model->index_pushed && original < model->left)
            dt_shadow_put_back_leaving();
        else if (original > model->call && original < model->left)
            dt_shadow_put_back_returned(stub + (uint64_t)(model->returned - model->code));
        return describe_like(own_frame_table, (uint64_t)original, address, bases);
    }
    if (!place->function) /* an import: as if just called */
        return describe_like(own_frame_table, (uint64_t)model->code, address, bases);
    return describe_relocated(known, place, stub + place->relocated, address, bases);
}

void dt_unwind_info_add(const struct dt_arena *arena, const struct dt_described_image *image)
{
    if (arena_count == DT_MOST_ARENAS)
        return;
    arenas[arena_count] = (struct known_arena){*arena, *image};
    __atomic_store_n(&arena_count, arena_count + 1, __ATOMIC_RELEASE);
}

static const struct known_arena *find_image(uint64_t address)
{
    uint32_t count = __atomic_load_n(&arena_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (address >= arenas[i].image.code_low && address < arenas[i].image.code_high &&
            arenas[i].image.code_high - address >= DT_JUMP_BYTES)
            return &arenas[i];
    return NULL;
}

/* At a jump to a stub, which may lie in padding: as at the function's start. */
static const uint8_t *describe_jump(uint64_t address, struct dt_unwind_bases *bases)
{
    const struct known_arena *known = find_image(address);
    const uint8_t *code = (const uint8_t *)address;
    int32_t displacement;
    if (!known || *code != 0xe9)
        return NULL;
    memcpy(&displacement, code + 1, sizeof displacement);
    uint64_t stub = address + DT_JUMP_BYTES + (uint64_t)(int64_t)displacement;
    bool is_stub = stub >= (uint64_t)known->arena.start && stub < (uint64_t)known->arena.end;
    const struct dt_stub_place *place = is_stub ? find_stub(&known->arena, stub) : NULL;
    if (!place || !place->function)
        return NULL;
    uint64_t function = (uint64_t)((int64_t)known->arena.start + place->function);
    return describe_like(known->image.frame_table, function, address, bases);
}

const uint8_t *dt_unwind_info_find(uint64_t address, struct dt_unwind_bases *bases)
{
    const struct known_arena *known = find_arena(address);
    if (!known)
        return describe_jump(address, bases);
    const struct dt_stub_place *place = find_stub(&known->arena, address);
    return place ? describe_stub(known, place, address, bases) : describe_template(known, address, bases);
}

const uint8_t *dt_arena_start(uint64_t address)
{
    const struct known_arena *known = find_arena(address);
    return known ? known->arena.start : NULL;
}

bool dt_relocated_code_at(uint64_t address, uint64_t *relocated, uint64_t *original)
{
    const struct known_arena *known = find_arena(address);
    const struct dt_stub_place *place = known ? find_stub(&known->arena, address) : NULL;
    if (!place || !place->function)
        return false;
    *relocated = (uint64_t)known->arena.start + place->stub + place->relocated;
    *original = (uint64_t)((int64_t)known->arena.start + place->function);
    return address >= *relocated;
}

uint64_t dt_relocated_from(uint64_t address)
{
    uint64_t relocated, original;
    return dt_relocated_code_at(address, &relocated, &original) ? original + (address - relocated) : address;
}

/* ---- start ----------------------------------------------------------------------------------- */

static int find_own_table(struct dl_phdr_info *info, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    const uint8_t *table = NULL;
    bool own = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *segment = &info->dlpi_phdr[i];
        uint64_t low = info->dlpi_addr + segment->p_vaddr;
        own |= segment->p_type == PT_LOAD && (uint64_t)dt_stub_template - low < segment->p_memsz;
        if (segment->p_type == PT_GNU_EH_FRAME)
            table = (const uint8_t *)low;
    }
    if (own)
        own_frame_table = table;
    return own;
}

void dt_unwind_info_start(void)
{
    dl_iterate_phdr(find_own_table, NULL);
}
