/** The images that are loaded, and their roles. */
#ifndef DT_RECORD_IMAGE_LIST_H
#define DT_RECORD_IMAGE_LIST_H

#include <elf.h>
#include <link.h>

#include "record/runtime.h"

enum dt_image_role { DT_ROLE_API_ONLY, DT_ROLE_WHOLE };

struct dt_loaded_image {
    char path[1024];
    uint64_t bias;
    const Elf64_Phdr *segments;
    int segment_count;
    const Elf64_Dyn *dynamic;
    bool main_image;
    const char *soname;    /* NULL: it has none, and is needed by its file's name */
    uint32_t needed_as;    /* a hash of what it is needed by */
    bool runtime_library;  /* of the system, compilers, MPI, OpenMP: API calls are defined there */
    bool named_as_runtime; /* the same, or by its soname */
    bool unrelocated;      /* just mapped: the loader has not touched its tables yet */
    enum dt_image_role role;
};

/** RUN/images/KEY.sym: the build id, or for files without one a hash of path, inode, size and time of change; then
 * `kind`. */
void dt_image_key(char *key, size_t bytes, const struct dt_loaded_image *loaded, const char *kind);

/** Where a package of debug symbols keeps those of the image; false: it has none. */
bool dt_image_debug_file(char *path, size_t bytes, const Elf64_Phdr *segments, int segment_count, uint64_t bias);

/** Cut at the front if it is too long. */
void dt_image_set_path(struct dt_image *record, const char *path);

enum { DT_MOST_IMAGES = 1024 };

/** False: no image has come or gone since the last call. */
bool dt_images_differ(void);

/** The images loaded now, with their roles; returns how many. `adopt`: those that no other needs are the program's.
 * `images`: as the last listing left them, or all zero. */
int dt_list_images(struct dt_loaded_image *images, int room, bool adopt);

#endif
