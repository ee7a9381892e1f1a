/**
 * Setting hooks at start: images, their functions, what is done with each. Runs once, in the constructor, before the
 * program does: libc is at hand here.
 */
#ifndef DT_RUNTIME_IMAGES_H
#define DT_RUNTIME_IMAGES_H

#include <capstone/capstone.h>
#include <elf.h>
#include <link.h>

#include "runtime.h"

/* ---- elf_image.c: what a file says ----------------------------------------------------------- */

struct dt_elf_function {
    uint64_t address; /* as linked; add the load bias */
    uint32_t size;
    const char *name; /* in the mapped file, or made up for stripped ones */
    uint8_t type;     /* STT_FUNC or STT_GNU_IFUNC */
    uint8_t reason;   /* enum dt_skip_reason; DT_HOOKED while nothing speaks against it */
    uint8_t hook;     /* enum dt_runtime_hook */
    uint8_t api_class, action;
    bool nameless;      /* from .eh_frame only */
    Elf64_Rela *import; /* of a PLT entry; `address` is then that of its place in the offset table */
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
    struct dt_elf_function *functions; /* by address, then the imports */
    uint32_t function_count, function_room;
    uint32_t own_functions; /* without the imports */
    char key[88];           /* of its symbol file */
};

bool dt_elf_open(struct dt_elf_image *image, const char *path, uint64_t bias, const Elf64_Phdr *segments, int count);
void dt_elf_close(struct dt_elf_image *image);
/** Fills `functions`: all of them, or only those that `wanted` says yes to. */
bool dt_elf_read_functions(struct dt_elf_image *image, bool (*wanted)(const char *name));
/** Adds one at the end; NULL: no memory. */
struct dt_elf_function *dt_elf_add_function(struct dt_elf_image *image, uint64_t address, uint64_t size);
static inline const uint8_t *dt_elf_code(const struct dt_elf_image *image, uint64_t address)
{
    return (const uint8_t *)(address + image->bias);
}
/** In a section of ordinary code (not .plt, .init, .fini). */
bool dt_elf_in_text(const struct dt_elf_image *image, uint64_t address);

/* ---- image_list.c: what is loaded ------------------------------------------------------------ */

enum dt_image_role { DT_ROLE_API_ONLY, DT_ROLE_WHOLE };

struct dt_loaded_image {
    char path[1024];
    uint64_t bias;
    const Elf64_Phdr *segments;
    int segment_count;
    const Elf64_Dyn *dynamic;
    bool main_image;
    bool runtime_library; /* of the system, compilers, MPI, OpenMP: API calls are defined there */
    bool unrelocated;     /* just mapped: the loader has not touched its tables yet */
    enum dt_image_role role;
};

enum { DT_MOST_IMAGES = 1024 };

/** The images loaded now, with their roles; returns how many. `adopt`: those that no other needs are the program's. */
int dt_list_images(struct dt_loaded_image *images, int room, bool adopt);

/* ---- image_registry.c ------------------------------------------------------------------------ */

/** Hooks what is loaded now, and the loader. */
bool dt_images_start(void);
/** Writes the image records into a new file. */
void dt_images_record_again(void);

/* ---- arena.c: memory for stubs --------------------------------------------------------------- */

struct dt_arena {
    uint8_t *start, *end; /* of the code */
    uint8_t *next;        /* where the next stub goes */
    uint64_t *slots;      /* behind the code, always writable: where import stubs go on to */
    uint8_t *entry, *exit, *api_entry, *api_exit, *runtime_hook;
};

/** Near low..high: `bytes` for stubs, and so many slots. */
bool dt_arena_create(struct dt_arena *arena, uint64_t low, uint64_t high, size_t bytes, size_t slots);
/** Writable -> executable, for good. */
void dt_arena_seal(const struct dt_arena *arena);
/** Writes the head of a stub, up to where the moved prologue goes; gives its exit address. */
uint64_t dt_arena_function_stub(struct dt_arena *arena, uint32_t index, bool api);
/** Appends the jump by which an import's stub goes on. */
void dt_arena_jump_through(struct dt_arena *arena, const uint64_t *slot);
void dt_arena_hook_stub(struct dt_arena *arena, uint32_t hook);
/** Writes a 32-bit displacement at `place`, counted from `from`; false: too far. */
bool dt_write_displacement(uint8_t *place, uint64_t from, uint64_t target);

/* ---- relocate.c: instructions ---------------------------------------------------------------- */

struct dt_disassembler {
    csh detailed, plain;
    cs_insn *detailed_insn, *plain_insn;
};

bool dt_disassembler_open(struct dt_disassembler *disassembler);
void dt_disassembler_close(struct dt_disassembler *disassembler);

/** Bytes that a jump to a stub takes. */
enum { DT_JUMP_BYTES = 5 };

/** Moves the instructions at `from` that a jump would overwrite to arena->next, and appends a jump back. */
enum dt_skip_reason dt_relocate_prologue(struct dt_disassembler *disassembler, struct dt_arena *arena, uint64_t from);

/** True if the function uses its own return address (as setjmp does) before it has a frame. */
bool dt_reads_return_address(struct dt_disassembler *disassembler, const uint8_t *code, size_t bytes);

/** Branch targets of an image's text, one bit a byte. */
struct dt_branch_targets {
    uint64_t low, high;
    uint8_t *bits;
};
bool dt_branch_targets_find(struct dt_branch_targets *targets, struct dt_disassembler *disassembler,
                            const struct dt_elf_image *image);
/** Adds those of one stretch of code. */
void dt_branch_targets_sweep(struct dt_branch_targets *targets, struct dt_disassembler *disassembler,
                             const uint8_t *code, size_t bytes, uint64_t address);
void dt_branch_targets_free(struct dt_branch_targets *targets);
bool dt_branch_targets_has(const struct dt_branch_targets *targets, uint64_t address);
/** The same question for one function, from its own bytes alone: never false when true. */
bool dt_may_branch_into_prologue(const uint8_t *code, size_t bytes);

/* ---- imports.c ------------------------------------------------------------------------------- */

/** Adds the functions that the image calls through its PLT and that are recorded there. */
bool dt_imports_read(struct dt_elf_image *image, const Elf64_Dyn *dynamic);
/** Sends such calls to the stub, which goes on to where `slot` says. */
void dt_import_divert(const struct dt_elf_image *image, const struct dt_elf_function *function, uint64_t stub,
                      uint64_t *slot, bool unrelocated);

/* ---- hook_image.c, symbol_file.c ------------------------------------------------------------- */

/** True if collection-time filters leave the function out. */
bool dt_is_filtered_out(const char *name);
/** True for code of images that are traced as a whole. */
bool dt_is_traced_code(uint64_t address);

/** True if nothing but a return and filler is there. */
bool dt_is_empty_function(struct dt_disassembler *disassembler, const uint8_t *code);
/** Puts a jump to a stub into code that is mapped without write permission. */
void dt_write_jump(uint64_t address, uint64_t stub);

/** Hooks an image; fills `record` but its index. False: nothing of interest there. */
bool dt_hook_image(const struct dt_loaded_image *loaded, uint32_t image_index, struct dt_disassembler *disassembler,
                   struct dt_image *record);

/** Writes RUN/images/KEY.sym unless it is there. */
void dt_symbol_file_write(const struct dt_elf_image *image);

#endif
