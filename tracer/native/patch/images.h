/**
 * Setting hooks: at start, in the constructor, before the program does anything; and whenever the loader has mapped
 * more. libc is at hand in both.
 */
#ifndef DT_PATCH_IMAGES_H
#define DT_PATCH_IMAGES_H

#include "native/plan/imports.h"

/* ---- image_registry.c ------------------------------------------------------------------------ */

/** Hooks what is loaded now, and the loader. */
bool dt_images_start(void);
/** True for what is defined by an image that is traced as a whole, of all that define it the first. */
bool dt_is_traced_name(const char *name);
/** True if the C, mathematical or Fortran library's function of that name is called, not one that hides it. */
bool dt_is_name_of_c_library(const char *name);

/* ---- hook_image.c, hook_loader.c, divert_imports.c ---------------------------------------------- */

/** Hooks an image; fills `record`. False: nothing of interest there. */
bool dt_hook_image(const struct dt_loaded_image *loaded, uint32_t image_index, struct dt_image *record);
/** Hooks ld.so's function for debuggers, which is empty and called when images come and go. */
bool dt_hook_loader(uint64_t address);

/** Sends calls of those whose reason is DT_HOOKED to their stubs, which go on to where the slots say; by number. */
void dt_imports_divert(const struct dt_imports *imports, const struct dt_loaded_image *loaded, const uint8_t *reasons,
                       const uint64_t *stubs, uint64_t *slots);

#endif
