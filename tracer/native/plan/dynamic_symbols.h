/** What an image defines for others: its dynamic symbols, by the hash tables that the loader uses. */
#ifndef DT_PLAN_DYNAMIC_SYMBOLS_H
#define DT_PLAN_DYNAMIC_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct dt_dynamic_symbols {
    const uint32_t *gnu_hash, *sysv_hash; /* NULL: it has no such table */
    const Elf64_Sym *symbols;
    const char *names;
};

/** A name to look for in many images. */
struct dt_symbol_name {
    const char *text;
    uint32_t gnu_hash, sysv_hash;
};

/** From the dynamic section of a loaded image, whose addresses the loader has made absolute. */
struct dt_dynamic_symbols dt_dynamic_symbols(const Elf64_Dyn *dynamic);
struct dt_symbol_name dt_symbol_name(const char *text);
bool dt_image_defines(const struct dt_dynamic_symbols *image, const struct dt_symbol_name *name);

#endif
