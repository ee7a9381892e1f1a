/* Functions of stripped images: those that .eh_frame describes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images/elf_image.h"

#include "format/trace_file.h"

/* True if the frame description starts in mid function: its first rule is not that of a fresh call. Parts of functions
 * that the compiler moved away (.cold) look like that. */
static bool starts_in_mid_function(const uint8_t *program, const uint8_t *end)
{
    enum { DEF_CFA = 0x0c, DEF_CFA_OFFSET = 0x0e, UNDEFINED = 0x07, GNU_ARGS_SIZE = 0x2e, OFFSET = 0x80 };
    enum { ADVANCE_BY_ONE = 0x41, AFTER_ONE_PUSH = 16 };
    bool cold = false;
    /* A landing pad may not come first: gcc puts a no-op before it. A function's first byte pushes one register at
     * most. */
    if (program + 2 < end && program[0] == ADVANCE_BY_ONE && program[1] == DEF_CFA_OFFSET)
        return program[2] > AFTER_ONE_PUSH;
    while (program + 1 < end) {
        uint8_t operation = *program;
        if (operation == DEF_CFA_OFFSET) {
            cold = program[1] != 8;
            program += 2;
        } else if (operation == GNU_ARGS_SIZE) {
            program += 2;
        } else if ((operation & 0xc0) == OFFSET || operation == DEF_CFA ||
                   (operation == UNDEFINED && program[1] == 16)) {
            return true;
        } else {
            break;
        }
    }
    return cold;
}

static bool is_signal_frame(const uint8_t *cie)
{
    for (const char *augmentation = (const char *)cie + 9; *augmentation; augmentation++)
        if (*augmentation == 'S')
            return true;
    return false;
}

static bool add_frame_description(struct dt_elf_image *image, const uint8_t *fde, uint64_t address)
{
    /* length, CIE pointer, start, size, augmentation length: as gcc and clang write it (pcrel sdata4). */
    uint32_t length, cie_distance, size;
    memcpy(&length, fde, 4);
    memcpy(&cie_distance, fde + 4, 4);
    memcpy(&size, fde + 12, 4);
    const uint8_t *program = fde + 17 + fde[16];
    struct dt_elf_function *function = dt_elf_add_function(image, address, size);
    if (!function)
        return false;
    function->nameless = true;
    char name[40];
    snprintf(name, sizeof name, "function@0x%lx", address);
    function->name = strdup(name);
    if (is_signal_frame(fde + 4 - cie_distance) || starts_in_mid_function(program, fde + 4 + length))
        function->reason = DT_SKIP_COLD_PART;
    return function->name != NULL;
}

bool dt_elf_read_frame_descriptions(struct dt_elf_image *image)
{
    for (int i = 0; i < image->segment_count; i++) {
        if (image->segments[i].p_type != PT_GNU_EH_FRAME)
            continue;
        const uint8_t *header = dt_elf_code(image, image->segments[i].p_vaddr);
        /* Version 1, table of sdata4 relative to the header: what every linker writes. */
        if (header[0] != 1 || header[2] != 3 || header[3] != 0x3b)
            return true;
        uint32_t count;
        memcpy(&count, header + 8, 4);
        for (uint32_t k = 0; k < count; k++) {
            int32_t entry[2];
            memcpy(entry, header + 12 + 8 * (size_t)k, sizeof entry);
            uint64_t address = (uint64_t)header + (uint64_t)(int64_t)entry[0] - image->bias;
            if (!add_frame_description(image, header + entry[1], address))
                return false;
        }
    }
    return true;
}
