/* The images that are loaded, and which of them are the program's own. */
#include "native/plan/image_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/process.h"

/* ---- the list -------------------------------------------------------------------------------- */

struct listing {
    struct dt_loaded_image *images;
    int count, capacity;
};

static bool is_ourselves(const struct dl_phdr_info *info)
{
    uint64_t here = (uint64_t)&is_ourselves - info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && here >= info->dlpi_phdr[i].p_vaddr &&
            here < info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz)
            return true;
    return false;
}

static void note_loader(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
            continue;
        dt_process.loader_low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        dt_process.loader_high = dt_process.loader_low + info->dlpi_phdr[i].p_memsz;
    }
}

static const char *dynamic_strings(const Elf64_Dyn *dynamic)
{
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_STRTAB)
            return (const char *)dynamic->d_un.d_ptr; /* the loader has made it absolute */
    return NULL;
}

static const char *find_soname(const Elf64_Dyn *dynamic)
{
    const char *strings = dynamic_strings(dynamic);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_SONAME && strings)
            return strings + dynamic->d_un.d_val;
    return NULL;
}

static void read_segments(struct dt_loaded_image *image, const struct dl_phdr_info *info)
{
    image->bias = info->dlpi_addr;
    image->segments = info->dlpi_phdr;
    image->segment_count = info->dlpi_phnum;
    image->dynamic = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            image->dynamic = (const Elf64_Dyn *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    image->soname = find_soname(image->dynamic);
}

/* The file that is mapped at the address, or nothing. */
static void find_file(char *path, size_t bytes, uint64_t address)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[8192];
    *path = 0;
    while (maps && !*path && fgets(line, sizeof line, maps)) {
        char *rest;
        uint64_t low = strtoul(line, &rest, 16), high = *rest == '-' ? strtoul(rest + 1, &rest, 16) : 0;
        const char *file = strchr(rest, '/');
        if (file && address >= low && address < high)
            snprintf(path, bytes, "%.*s", (int)strcspn(file, "\n"), file);
    }
    if (maps)
        fclose(maps);
}

/* What tells most names of files apart. */
static uint32_t hash_name(const char *path)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *name = dt_base_name(path); *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

static void name_image(struct dt_loaded_image *image, const struct dl_phdr_info *info)
{
    memset(image->path, 0, sizeof image->path);
    if (!image->main_image)
        snprintf(image->path, sizeof image->path, "%s", info->dlpi_name);
    else if (readlink("/proc/self/exe", image->path, sizeof image->path - 1) < 0)
        snprintf(image->path, sizeof image->path, "%s", dt_process.header->executable);
    else if (dt_is_loader(image->path)) /* started as ld.so PROGRAM */
        find_file(image->path, sizeof image->path, (uint64_t)info->dlpi_phdr);
    bool is_runtime = dt_is_runtime_library(image->path);
    image->runtime_library = !image->main_image && is_runtime;
    image->named_as_runtime = is_runtime || (image->soname && dt_is_runtime_library(image->soname));
    image->needed_as = hash_name(image->soname ? image->soname : image->path);
}

/* What an image of this name is was found out by the last listing, for most. */
static int add_image(struct dl_phdr_info *info, size_t size, void *data)
{
    struct listing *listing = data;
    (void)size;
    if (listing->count == listing->capacity)
        return 0;
    struct dt_loaded_image *image = &listing->images[listing->count];
    image->main_image = listing->count == 0;
    read_segments(image, info);
    if (!*image->path || !(image->main_image || strcmp(image->path, info->dlpi_name) == 0)) {
        if (strncmp(dt_base_name(info->dlpi_name), "ld-", 3) == 0)
            note_loader(info);
        if (is_ourselves(info) || dt_is_loader(info->dlpi_name))
            return 0;
        name_image(image, info);
    }
    listing->count += *image->path != 0;
    return 0;
}

struct load_counts {
    unsigned long long added, removed;
};

static int read_counts(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(struct load_counts *)data = (struct load_counts){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

bool dt_images_differ(void)
{
    static struct load_counts last;
    struct load_counts now = {0, 0};
    dl_iterate_phdr(read_counts, &now);
    bool differ = now.added != last.added || now.removed != last.removed;
    last = now;
    return differ;
}

/* ---- the program's own ----------------------------------------------------------------------- */

static bool is_needed_as(const struct dt_loaded_image *image, const char *name, uint32_t hash)
{
    if (image->needed_as != hash)
        return false;
    return image->soname ? strcmp(image->soname, name) == 0
                         : strcmp(dt_base_name(image->path), dt_base_name(name)) == 0;
}

static void follow_needed(struct dt_loaded_image *images, int count, struct dt_loaded_image *from)
{
    const char *strings = dynamic_strings(from->dynamic);
    from->role = DT_ROLE_WHOLE;
    for (const Elf64_Dyn *entry = from->dynamic; strings && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != DT_NEEDED)
            continue;
        const char *name = strings + entry->d_un.d_val;
        uint32_t hash = hash_name(name);
        for (int i = 0; i < count; i++)
            if (images[i].role != DT_ROLE_WHOLE && is_needed_as(&images[i], name, hash) && !images[i].named_as_runtime)
                follow_needed(images, count, &images[i]);
    }
}

/* Has no NEEDED entry in any other: somebody opened it by name. */
static bool is_needed(const struct dt_loaded_image *images, int count, const struct dt_loaded_image *image)
{
    for (int i = 0; i < count; i++) {
        const char *strings = dynamic_strings(images[i].dynamic);
        for (const Elf64_Dyn *entry = images[i].dynamic; strings && entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == DT_NEEDED &&
                is_needed_as(image, strings + entry->d_un.d_val, hash_name(strings + entry->d_un.d_val)))
                return true;
    }
    return false;
}

static void adopt_opened(struct dt_loaded_image *images, int count)
{
    for (int i = 0; i < count; i++)
        if (images[i].role != DT_ROLE_WHOLE && !images[i].runtime_library && !is_needed(images, count, &images[i]))
            follow_needed(images, count, &images[i]);
}

int dt_list_images(struct dt_loaded_image *images, int capacity, bool adopt)
{
    struct listing listing = {images, 0, capacity};
    const struct dt_options *options = &dt_process.options;
    dl_iterate_phdr(add_image, &listing);
    for (int i = 0; i < listing.count; i++) {
        const char *name = dt_base_name(images[i].path);
        bool asked = options->images == DT_IMAGES_ALL ||
                     (options->images == DT_IMAGES_GLOB && dt_glob_list_has(options->image_globs, name));
        images[i].role = asked && !dt_is_left_alone(name) ? DT_ROLE_WHOLE : DT_ROLE_API_ONLY;
        images[i].unrelocated = false;
    }
    if (listing.count && options->images == DT_IMAGES_MAIN)
        images[0].role = DT_ROLE_WHOLE;
    if (listing.count && options->images == DT_IMAGES_APP) {
        follow_needed(images, listing.count, &images[0]);
        if (adopt)
            adopt_opened(images, listing.count);
    }
    return listing.count;
}
