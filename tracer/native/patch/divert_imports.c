/* Imports sent to their stubs, by the entries of the offset table.
 *
 * Lazily bound entries stay lazy: the stub jumps to where a slot of ours says, at first the loader's resolver, and the
 * relocation is changed so that the loader writes the resolved address into that slot and not over our hook. Versions,
 * interposition and the order of binding stay what they were. Entries for functions whose address is taken are left
 * alone, so that function pointers compare equal. */
#include <string.h>
#include <sys/mman.h>

#include "native/patch/images.h"

/* What the loader left the page of an address: relocations may lie among code, and tables are read-only once bound. */
static int protection(const struct dt_loaded_image *loaded, uint64_t address)
{
    int found = PROT_READ;
    for (int i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        if (address < segment->p_vaddr || address >= segment->p_vaddr + segment->p_memsz)
            continue;
        if (segment->p_type == PT_GNU_RELRO && !loaded->unrelocated)
            return PROT_READ;
        if (segment->p_type == PT_LOAD)
            found = PROT_READ | (segment->p_flags & PF_W ? PROT_WRITE : 0) | (segment->p_flags & PF_X ? PROT_EXEC : 0);
    }
    return found;
}

/* Pages being written to, as they were before. */
struct window {
    const struct dt_loaded_image *loaded;
    uint64_t low, high;
    int before;
};

static void close_window(struct window *window)
{
    if (window->low < window->high && !(window->before & PROT_WRITE))
        mprotect((void *)window->low, window->high - window->low, window->before);
    window->low = window->high = 0;
}

static bool open_window(struct window *window, uint64_t place)
{
    close_window(window);
    uint64_t low = place & ~4095ul, high = (place + sizeof(uint64_t) + 4095) & ~4095ul;
    window->before = protection(window->loaded, place - window->loaded->bias);
    if (!(window->before & PROT_WRITE) && mprotect((void *)low, high - low, window->before | PROT_WRITE) != 0)
        return false;
    window->low = low;
    window->high = high;
    return true;
}

static void write_word(struct window *window, uint64_t place, uint64_t value)
{
    if ((place >= window->low && place + sizeof value <= window->high) || open_window(window, place))
        memcpy((void *)place, &value, sizeof value);
}

static bool is_within(const struct dt_loaded_image *loaded, uint64_t address)
{
    for (int i = 0; i < loaded->segment_count; i++)
        if (loaded->segments[i].p_type == PT_LOAD && address - loaded->bias >= loaded->segments[i].p_vaddr &&
            address - loaded->bias < loaded->segments[i].p_vaddr + loaded->segments[i].p_memsz)
            return true;
    return false;
}

/* The loader will still add the load bias to the entries, or bind them: to slots of ours, which start as the entries.
 */
static void redirect_loader(const struct dt_imports *imports, const struct dt_loaded_image *loaded,
                            const uint8_t *reasons, uint64_t *slots)
{
    struct window window = {.loaded = loaded};
    for (uint32_t i = 0; i < imports->count; i++) {
        const struct dt_import *import = &imports->list[i];
        if (reasons[i] != DT_HOOKED)
            continue;
        slots[i] = *(const uint64_t *)(import->place + loaded->bias);
        if (loaded->unrelocated || is_within(loaded, slots[i]))
            write_word(&window, (uint64_t)&import->relocation->r_offset, (uint64_t)&slots[i] - loaded->bias);
    }
    close_window(&window);
}

void dt_imports_divert(const struct dt_imports *imports, const struct dt_loaded_image *loaded, const uint8_t *reasons,
                       const uint64_t *stubs, uint64_t *slots)
{
    struct window window = {.loaded = loaded};
    redirect_loader(imports, loaded, reasons, slots);
    for (uint32_t i = 0; i < imports->count; i++)
        if (reasons[i] == DT_HOOKED)
            write_word(&window, imports->list[i].place + loaded->bias, stubs[i]);
    close_window(&window);
}
