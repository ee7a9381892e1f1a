/** An image that is loaded: its role, its name, and the key by which runs and caches know it. */
#ifndef DT_IMAGES_LOADED_IMAGE_H
#define DT_IMAGES_LOADED_IMAGE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/trace_file.h"

enum { DT_MOST_IMAGES = 1024 };
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

/** Whether there is Go code in it: Go's linker leaves a note. */
bool dt_image_is_go(const struct dt_loaded_image *loaded);

/** Cut at the front if it is too long. */
void dt_image_set_path(struct dt_image *record, const char *path);

const char *dt_base_name(const char *path);
/** A library of the system, of compilers, of MPI or OpenMP, by its name. */
bool dt_is_runtime_library(const char *path);
bool dt_is_loader(const char *path);
/** The unwinder, and the libraries of sanitizers: never traced as a whole. */
bool dt_is_left_alone(const char *path);

#endif
