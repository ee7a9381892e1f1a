/* The images of the process and whose they are. Nothing is hooked and no instruction decoded: the engine asks by
 * address. */
#include <string.h>

#include "engine.h"
#include "engine_image.h"
#include "images/loaded_image.h"
#include "record/functions.h"
#include "record/loaded_images.h"
#include "record/process.h"
#include "record/stub_words.h"
#include "system/options.h"
#include "system/system.h"

/* In the order of discovery; never moved, as other threads look while images come. */
static struct dt_engine_image *known;
static struct dt_image *records;
static uint32_t known_count;

bool dt_image_has(uint32_t image, uint64_t address)
{
    return image < known_count && known[image].mapped && address >= known[image].low && address < known[image].high;
}

uint32_t dt_image_at(uint64_t address)
{
    uint32_t image = 0;
    while (image < known_count && !dt_image_has(image, address))
        image++;
    return image < known_count ? image : UINT32_MAX;
}

uint64_t dt_image_bias(uint32_t image)
{
    return known[image].loaded.bias;
}

/* No call has arguments, and so none a site. */
bool dt_image_describe(uint32_t image, struct dt_image *record)
{
    (void)image, (void)record;
    return false;
}

void dt_images_record_again(void)
{
    for (uint32_t i = 0; i < known_count; i++)
        if (records[i].index)
            dt_function_image_record(&records[i]);
}

/* There are no stubs. */
bool dt_stub_words_reserve(uint32_t most, uint32_t needed)
{
    (void)most, (void)needed;
    return true;
}

void dt_stub_word_set(uint64_t index, uint16_t word)
{
    (void)index, (void)word;
}

void dt_stub_word_clear(uint64_t index)
{
    (void)index;
}

/* ---- roles ----------------------------------------------------------------------------------- */

/* The loader may not have made it absolute yet. */
static const char *dynamic_strings(const struct dt_loaded_image *loaded)
{
    for (const Elf64_Dyn *entry = loaded->dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            return (const char *)(entry->d_un.d_ptr < loaded->bias ? entry->d_un.d_ptr + loaded->bias
                                                                   : entry->d_un.d_ptr);
    return NULL;
}

static bool needs(const struct dt_loaded_image *loaded, const char *name)
{
    const char *strings = dynamic_strings(loaded);
    for (const Elf64_Dyn *entry = loaded->dynamic; strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strcmp(dt_base_name(strings + entry->d_un.d_val), name) == 0)
            return true;
    return false;
}

static const char *soname(const struct dt_loaded_image *loaded)
{
    const char *strings = dynamic_strings(loaded);
    for (const Elf64_Dyn *entry = loaded->dynamic; strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            return strings + entry->d_un.d_val;
    return dt_base_name(loaded->path);
}

/* The program's own: needed by an image of its own, or opened by name. The loader maps who needs a library before it.
 */
static bool is_own_library(const struct dt_loaded_image *loaded)
{
    const char *name = soname(loaded);
    bool needed = false;
    for (uint32_t i = 0; i < known_count; i++)
        if (known[i].mapped && needs(&known[i].loaded, name)) {
            if (known[i].loaded.role == DT_ROLE_WHOLE && !known[i].loaded.runtime_library)
                return true;
            needed = true;
        }
    return !needed;
}

static enum dt_image_role choose_role(const struct dt_loaded_image *loaded)
{
    const struct dt_options *options = &dt_process.options;
    bool whole = loaded->main_image;
    if (options->images == DT_IMAGES_ALL)
        whole = true;
    else if (options->images == DT_IMAGES_GLOB)
        whole = dt_glob_list_has(options->image_globs, dt_base_name(loaded->path));
    else if (options->images == DT_IMAGES_APP)
        whole = whole || (!loaded->runtime_library && is_own_library(loaded));
    return whole ? DT_ROLE_WHOLE : DT_ROLE_API_ONLY;
}

/* ---- from the engine ------------------------------------------------------------------------- */

static bool read_at(long fd, void *to, size_t bytes, uint64_t offset)
{
    return dt_syscall(SYS_pread64, fd, (long)to, (long)bytes, (long)offset, 0, 0) == (long)bytes;
}

/* From the file: in memory they need not be among what is mapped. Never freed. */
static bool read_segments(struct dt_loaded_image *loaded, long fd)
{
    Elf64_Ehdr header = {0};
    if (!read_at(fd, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    size_t bytes = header.e_phnum * sizeof(Elf64_Phdr);
    Elf64_Phdr *segments = bytes ? dt_sys_allocate(bytes) : NULL;
    if (!segments || !read_at(fd, segments, bytes, header.e_phoff))
        return false;
    loaded->segments = segments;
    loaded->segment_count = header.e_phnum;
    for (int i = 0; i < loaded->segment_count; i++)
        if (segments[i].p_type == PT_DYNAMIC)
            loaded->dynamic = (const Elf64_Dyn *)(loaded->bias + segments[i].p_vaddr);
    return true;
}

static bool describe(struct dt_loaded_image *loaded, const char *path, uint64_t bias, bool main_image)
{
    size_t length = strlen(path), capacity = sizeof loaded->path - 1;
    memcpy(loaded->path, path, length < capacity ? length : capacity);
    loaded->bias = bias;
    loaded->main_image = main_image;
    loaded->runtime_library = !main_image && dt_is_runtime_library(path);
    long fd = dt_syscall(SYS_open, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0, 0);
    if (dt_failed(fd))
        return false;
    uint64_t size;
    bool good = dt_sys_is_regular(fd, &size) && read_segments(loaded, fd);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return good;
}

static void note_loader(const struct dt_loaded_image *loaded)
{
    for (int i = 0; i < loaded->segment_count; i++)
        if (loaded->segments[i].p_type == PT_LOAD && loaded->segments[i].p_flags & PF_X) {
            dt_process.loader_low = loaded->bias + loaded->segments[i].p_vaddr;
            dt_process.loader_high = dt_process.loader_low + loaded->segments[i].p_memsz;
        }
}

void dt_engine_image_loaded(const char *path, uint64_t bias, bool main_image)
{
    if (!known) {
        known = dt_sys_allocate(DT_MOST_IMAGES * sizeof *known);
        records = dt_sys_allocate(DT_MOST_IMAGES * sizeof *records);
    }
    if (!dt_process.active || !known || !records || known_count == DT_MOST_IMAGES)
        return;
    struct dt_engine_image *image = &known[known_count];
    memset(image, 0, sizeof *image);
    if (!describe(&image->loaded, path, bias, main_image))
        return;
    if (!main_image && dt_is_loader(path)) {
        note_loader(&image->loaded);
        return;
    }
    image->loaded.role = choose_role(&image->loaded);
    image->mapped = true;
    dt_engine_image_read(image, known_count, &records[known_count]);
    __atomic_store_n(&known_count, known_count + 1, __ATOMIC_RELEASE);
}

void dt_engine_image_unloaded(uint64_t bias)
{
    for (uint32_t i = 0; i < known_count; i++)
        if (known[i].loaded.bias == bias)
            known[i].mapped = false;
}

/* The last function that starts at the address or before it, or NULL. */
static const struct dt_place *find_place(uint64_t address)
{
    uint32_t number = 0;
    while (number < known_count && !dt_image_has(number, address))
        number++;
    if (number == known_count)
        return NULL;
    const struct dt_place *places = known[number].places;
    uint32_t low = 0, high = known[number].place_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (places[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &places[low - 1] : NULL;
}

uint64_t dt_engine_function_at(uint64_t address)
{
    const struct dt_place *place = find_place(address);
    return place && place->low == address ? place->index : DT_ENGINE_NONE;
}

bool dt_engine_in_function(uint64_t address)
{
    const struct dt_place *place = find_place(address);
    return place && address < place->high;
}
