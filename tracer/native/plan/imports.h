/** Functions that an image calls through its PLT. */
#ifndef DT_PLAN_IMPORTS_H
#define DT_PLAN_IMPORTS_H

#include "images/loaded_image.h"

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

/** Those that are recorded there; none that are recorded at the function itself, as those are that
 * `is_traced` says yes to. */
bool dt_imports_read(struct dt_imports *imports, const struct dt_loaded_image *loaded,
                     bool (*is_traced)(const char *name));
void dt_imports_free(struct dt_imports *imports);
/** Entries of the offset table for functions that `wanted` says yes to, as linked; at most so many. Returns how many.
 */
uint32_t dt_imports_find(const struct dt_loaded_image *loaded, bool (*wanted)(const char *name), uint64_t *places,
                         uint32_t most);

#endif
