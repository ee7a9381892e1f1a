/** What an image's file says of its functions. */
#ifndef DT_IMAGES_ELF_IMAGE_H
#define DT_IMAGES_ELF_IMAGE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_elf_function {
    uint64_t address; /* as linked; add the load bias */
    uint32_t size;
    const char *name; /* in the mapped file; of `nameless` ones on the heap */
    uint8_t type;     /* STT_FUNC or STT_GNU_IFUNC */
    uint8_t reason;   /* enum dt_skip_reason; DT_HOOKED while nothing speaks against it */
    bool nameless;    /* from .eh_frame only: name made up, or a debug file's */
};

struct dt_text_section {
    uint64_t low, high;
};

enum { DT_MOST_TEXT_SECTIONS = 32 };

struct dt_elf_image {
    const char *path;
    uint64_t bias;
    const uint8_t *file;
    size_t file_bytes;
    const Elf64_Phdr *segments;
    int segment_count;
    uint64_t entry;
    uint64_t low, high;           /* mapped, as linked */
    uint64_t text_low, text_high; /* executable segments, as linked */
    struct dt_text_section text[DT_MOST_TEXT_SECTIONS];
    int text_count;
    bool has_symbols;                  /* a .symtab: .eh_frame is not needed */
    struct dt_elf_function *functions; /* by address */
    uint32_t function_count, function_capacity;
};

bool dt_elf_open(struct dt_elf_image *image, const char *path, uint64_t bias, const Elf64_Phdr *segments, int count);
void dt_elf_close(struct dt_elf_image *image);
/** Fills `functions`: all of them, or only those that `wanted` says yes to. Those of stripped images are named by
 * packages of debug symbols, where these are installed. */
bool dt_elf_read_functions(struct dt_elf_image *image, bool (*wanted)(const char *name));
/** Whether a symbol of any kind, with one of these names (NULL behind the last), is defined there. */
bool dt_elf_defines(const struct dt_elf_image *image, const char *const *names);
/** Whether it has a section with one of these names (NULL behind the last). */
bool dt_elf_has_section(const struct dt_elf_image *image, const char *const *names);
/** Another one, all zero but its place and size, or NULL; frame_descriptions.c: those of .eh_frame, without names. */
struct dt_elf_function *dt_elf_add_function(struct dt_elf_image *image, uint64_t address, uint64_t size);
bool dt_elf_read_frame_descriptions(struct dt_elf_image *image);

static inline const uint8_t *dt_elf_code(const struct dt_elf_image *image, uint64_t address)
{
    return (const uint8_t *)(address + image->bias);
}
/** The end of the section of ordinary code (not .plt, .init, .fini) that the address is in, or 0. */
uint64_t dt_elf_text_end(const struct dt_elf_image *image, uint64_t address);
static inline bool dt_elf_in_text(const struct dt_elf_image *image, uint64_t address)
{
    return dt_elf_text_end(image, address) != 0;
}

#endif
