/**
 * Setting hooks: at start, in the constructor, before the program does anything; and whenever the loader has mapped
 * more. libc is at hand in both.
 */
#ifndef DT_PATCH_IMAGES_H
#define DT_PATCH_IMAGES_H

#include "native/patch/arena.h"
#include "native/plan/plan.h"
#include "record/image_list.h"

/* ---- image_registry.c ------------------------------------------------------------------------ */

/** Hooks what is loaded now, and the loader. */
bool dt_images_start(void);
/** True for what is defined by an image that is traced as a whole, of all that define it the first. */
bool dt_is_traced_name(const char *name);
/** True if the C, mathematical or Fortran library's function of that name is called, not one that hides it. */
bool dt_is_name_of_c_library(const char *name);

/* ---- imports.c ------------------------------------------------------------------------------- */

/** A function that an image calls through its PLT. */
struct dt_import {
    const char *name;
    uint64_t place;         /* of its entry in the offset table, as linked */
    Elf64_Rela *relocation; /* where the loader reads where to write the bound address */
    uint8_t reason;         /* enum dt_skip_reason */
};

struct dt_imports {
    struct dt_import *list;
    uint32_t count;
};

/** Those that are recorded there; none that are recorded at the function itself. */
bool dt_imports_read(struct dt_imports *imports, const struct dt_loaded_image *loaded);
void dt_imports_free(struct dt_imports *imports);
/** Entries of the offset table for functions that `wanted` says yes to, as linked; at most so many. Returns how many.
 */
uint32_t dt_imports_find(const struct dt_loaded_image *loaded, bool (*wanted)(const char *name), uint64_t *places,
                         uint32_t most);
/** Sends calls of those whose reason is DT_HOOKED to their stubs, which go on to where the slots say; by number. */
void dt_imports_divert(const struct dt_imports *imports, const struct dt_loaded_image *loaded, const uint8_t *reasons,
                       const uint64_t *stubs, uint64_t *slots);

/* ---- hook_image.c, hook_loader.c, symbol_file.c ----------------------------------------------- */

/** Hooks an image; fills `record`. False: nothing of interest there. */
bool dt_hook_image(const struct dt_loaded_image *loaded, uint32_t image_index, struct dt_image *record);
/** Hooks ld.so's function for debuggers, which is empty and called when images come and go. */
bool dt_hook_loader(uint64_t address);

/** Writes RUN/images/KEY.sym unless it is there: the plan's functions with the reasons given, then the imports. */
void dt_symbol_file_write(const struct dt_plan *plan, const uint8_t *reasons, const struct dt_imports *imports);

#endif
