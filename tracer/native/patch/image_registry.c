/* Which images are hooked: those there at start, and those that the loader maps later. */
#include <errno.h>

#include "native/arguments/bindings.h"
#include "native/patch/images.h"
#include "native/plan/dynamic_symbols.h"
#include "native/plan/image_list.h"
#include "native/stack/unwind_info.h"
#include "record/loaded_images.h"
#include "record/switch.h"
#include "system/reserved_memory.h"

/* Of the GNU C library's loader; another one's does not have it. */
#pragma weak _r_debug

/* An image that was looked at; `record` is what the file says of it, if anything in it is hooked. */
struct known_image {
    uint64_t bias, low, high;
    enum dt_image_role role;
    bool mapped;
    struct dt_dynamic_symbols symbols;
    char path[1024];
    char key[sizeof((struct dt_image *)0)->key];
};

/* In the order of discovery; indexed alike. Never freed, so that stubs and other threads may look at any time. */
static struct known_image *known;
static struct dt_image *records;
static uint32_t known_count;

const char *dt_image_path(uint32_t image)
{
    return image < known_count ? known[image].path : NULL;
}

bool dt_image_has(uint32_t image, uint64_t address)
{
    return image < known_count && address >= known[image].low && address < known[image].high;
}

uint32_t dt_image_at(uint64_t address)
{
    uint32_t image = 0;
    while (image < known_count && !(known[image].mapped && dt_image_has(image, address)))
        image++;
    return image < known_count ? image : UINT32_MAX;
}

/* Whose function a name means, in the order in which the loader looks: the program's, of what is preloaded, a
 * library's; NULL: ours, or nobody's. */
static const struct known_image *definer(const char *text)
{
    const struct dt_dynamic_symbols ours = dt_dynamic_symbols(_DYNAMIC);
    const struct dt_symbol_name name = dt_symbol_name(text);
    for (uint32_t i = 0; i < known_count; i++) {
        if (i == 1 && dt_image_defines(&ours, &name))
            return NULL;
        if (known[i].mapped && dt_image_defines(&known[i].symbols, &name))
            return &known[i];
    }
    return NULL;
}

bool dt_is_traced_name(const char *name)
{
    const struct known_image *image = definer(name);
    return image && image->role == DT_ROLE_WHOLE;
}

bool dt_is_name_of_c_library(const char *name)
{
    static const char *const libraries[] = {"libc.so", "libm.so", "libgfortran.so", NULL};
    const struct known_image *image = definer(name);
    for (const char *const *one = libraries; image && *one; one++)
        if (strncmp(dt_base_name(image->path), *one, strlen(*one)) == 0)
            return true;
    return false;
}

void dt_images_record_again(void)
{
    for (uint32_t i = 0; i < known_count; i++)
        if (records[i].index)
            dt_function_image_record(&records[i]);
}

static void measure(struct known_image *image, const struct dt_loaded_image *loaded)
{
    image->low = UINT64_MAX;
    for (int i = 0; i < loaded->segment_count; i++) {
        const Elf64_Phdr *segment = &loaded->segments[i];
        uint64_t low = loaded->bias + segment->p_vaddr, high = low + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        image->low = low < image->low ? low : image->low;
        image->high = high > image->high ? high : image->high;
    }
}

/* Its index, or known_count. */
static uint32_t find_known(const struct dt_loaded_image *loaded)
{
    uint32_t i = 0;
    while (i < known_count &&
           !(known[i].mapped && known[i].bias == loaded->bias && strcmp(known[i].path, loaded->path) == 0))
        i++;
    return i;
}

static void forget_unmapped(const struct dt_loaded_image *loaded, int count)
{
    for (uint32_t i = 0; i < known_count; i++) {
        bool found = false;
        for (int k = 0; k < count && !found; k++)
            found = known[i].bias == loaded[k].bias && strcmp(known[i].path, loaded[k].path) == 0;
        known[i].mapped &= found;
    }
}

uint64_t dt_image_bias(uint32_t image)
{
    return known[image].bias;
}

bool dt_image_describe(uint32_t image, struct dt_image *record)
{
    if (image >= known_count || records[image].index)
        return false;
    *record = (struct dt_image){.index = image + 1, .load_bias = known[image].bias};
    memcpy(record->key, known[image].key, sizeof record->key);
    size_t length = strlen(known[image].path), most = sizeof record->path - 1;
    memcpy(record->path, known[image].path, length < most ? length : most);
    return length <= most; /* else its front would be missing: nobody could open it */
}

static void add_known(const struct dt_loaded_image *loaded)
{
    struct known_image *image = &known[known_count];
    image->bias = loaded->bias;
    image->role = loaded->role;
    image->mapped = true;
    image->symbols = dt_dynamic_symbols(loaded->dynamic);
    memcpy(image->path, loaded->path, sizeof image->path);
    dt_image_key(image->key, sizeof image->key, loaded, "caller");
    measure(image, loaded);
    dt_binding_look(known_count, loaded, image->low, image->high);
    known_count++;
}

/* All new images are known before the first is hooked: imports from one that will be traced are not hooked. */
static void hook_new(const struct dt_loaded_image *loaded, int count)
{
    uint32_t first_new = known_count;
    for (int i = 0; i < count; i++)
        if (find_known(&loaded[i]) == known_count && known_count < DT_MOST_IMAGES)
            add_known(&loaded[i]);
    for (int i = 0; i < count; i++) {
        uint32_t index = find_known(&loaded[i]);
        if (index < first_new || index == known_count || !dt_hook_image(&loaded[i], index, &records[index]))
            continue;
        dt_function_image_record(&records[index]);
        dt_process.header->hooked += records[index].hooked;
        dt_process.header->skipped += records[index].skipped;
    }
}

/* ---- start and changes ------------------------------------------------------------------------ */

/* Memory for a listing; pages that no image fills are never touched. */
static struct dt_loaded_image *listing;

bool dt_images_start(void)
{
    listing = dt_kept_allocate(DT_MOST_IMAGES * sizeof *listing);
    known = dt_kept_allocate(DT_MOST_IMAGES * sizeof *known);
    records = dt_kept_allocate(DT_MOST_IMAGES * sizeof *records);
    if (listing && known && records) {
        dt_unwind_info_start();
        hook_new(listing, dt_list_images(listing, DT_MOST_IMAGES, false));
        dt_hook_loader(_r_debug.r_brk);
    }
    return dt_functions != NULL;
}

static void look_again(bool by_program)
{
    int count = dt_list_images(listing, DT_MOST_IMAGES, by_program);
    for (int i = 0; i < count; i++)
        listing[i].unrelocated = true;
    forget_unmapped(listing, count);
    hook_new(listing, count);
}

/* What we call of libc meanwhile is no call of the program's: nothing takes the fast path, and no handler runs. */
/* Hooking an image takes files, memory and the C library, which makes its system calls without asking: where the
 * program has set a filter, any of these might end it. */
void dt_images_changed(bool by_program)
{
    if (_r_debug.r_state != RT_CONSISTENT || !listing || dt_is_filtered())
        return;
    int saved = errno;
    uint64_t mask = dt_sys_block_signals(), limit = dt_hot.limit;
    dt_switch_close(dt_self);
    if (dt_images_differ())
        look_again(by_program);
    if (dt_self && limit)
        dt_switch_open(dt_self);
    dt_sys_restore_signals(mask);
    errno = saved;
}
