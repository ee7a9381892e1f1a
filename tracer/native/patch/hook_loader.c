/* ld.so's function for debuggers, hooked in place: the loader has no plan. */
#include <string.h>
#include <sys/mman.h>

#include "native/patch/arena.h"
#include "native/patch/images.h"
#include "native/stack/unwind_info.h"
#include "native/x86_64/decode.h"

static bool is_empty_function(struct dt_disassembler *disassembler, const uint8_t *code)
{
    static const uint8_t branch_mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    if (memcmp(code, branch_mark, sizeof branch_mark) == 0)
        code += sizeof branch_mark;
    /* The padding may be one long instruction. */
    for (size_t bytes = DT_JUMP_BYTES - 1; *code == 0xc3 && bytes < 16; bytes++)
        if (dt_is_padding(disassembler, code + 1, bytes))
            return true;
    return false;
}

static bool write_jump(uint64_t address, uint64_t stub)
{
    uint64_t low = address & ~4095ul, bytes = ((address + DT_JUMP_BYTES + 4095) & ~4095ul) - low;
    if (mprotect((void *)low, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    dt_put_jump(address, stub);
    mprotect((void *)low, bytes, PROT_READ | PROT_EXEC);
    return true;
}

bool dt_hook_loader(uint64_t address)
{
    struct dt_arena arena;
    struct dt_disassembler disassembler;
    struct dt_plan_step steps[DT_MOST_STEPS];
    if (!address || !dt_disassembler_open(&disassembler))
        return false;
    bool hooked = is_empty_function(&disassembler, (const uint8_t *)address) &&
                  dt_plan_prologue(&disassembler, address, DT_JUMP_BYTES, steps) == DT_HOOKED &&
                  dt_arena_create(&arena, address & ~0xffffful, address | 0xfffff,
                                  &(const struct dt_arena_contents){.stubs = 1, .slots = 0});
    if (hooked) {
        dt_arena_hook_stub(&arena, DT_HOOK_LOADER);
        uint64_t stub = (uint64_t)arena.last;
        hooked = dt_arena_relocated_code(&arena, address, steps);
        dt_arena_seal(&arena);
        dt_unwind_info_add(&arena, &(struct dt_described_image){0, 0, NULL});
        hooked = hooked && write_jump(address, stub);
    }
    dt_disassembler_close(&disassembler);
    return hooked;
}
