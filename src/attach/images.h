/** Files of code, opened once for all processes that run them. */
#ifndef DT_ATTACH_IMAGES_H
#define DT_ATTACH_IMAGES_H

#include <elfutils/libdwfl.h>

#include "attach/attach.h"
#include "store/symbols/image_lines.h"

G_BEGIN_DECLS

/** A file of code. */
typedef struct {
    char *name; /* base name, any bytes */
    Elf *elf;
    DtImageLines *lines; /* NULL: not asked for yet, or it cannot be opened so */
    gboolean has_no_lines;
    gboolean is_main;    /* a program */
    gboolean is_library; /* not the program's own: a system's, an MPI's, a compiler's */
    char *file;          /* to open it by */
    int descriptor;
    GHashTable *places; /* address in the file -> CodePlace */
} DtAttachedImage;

/** A function at a place in the code. */
typedef struct {
    guint32 function;
    const char *place; /* "heat.c:120"; NULL: not known; owned by the images */
} DtCodeFrame;

typedef struct DtCallOrigin DtCallOrigin;

/** What is known of an address in a file. */
typedef struct {
    GArray *frames;       /* innermost first: those before the last are inlined (element-type DtCodeFrame) */
    gboolean is_api;      /* the last is a function of MPI's, OpenMP's or pthreads' */
    DtCallOrigin *origin; /* call_origin.h; NULL: not looked for yet */
} DtCodePlace;

/** `depths`: with lines in libraries, too. */
DtImages *dt_images_new(DtFunctions *functions, gboolean depths);
void dt_images_free(DtImages *images);
DtFunctions *dt_images_functions(const DtImages *images);

/**
 * Names the modules of a process that libdw knows by their files: each has its DtAttachedImage as user data, NULL where
 * it cannot be opened. *changed: TRUE if its program was replaced or deleted since it was started. `dwfl` has to be
 * made with dt_images_callbacks().
 */
void dt_images_name(DtImages *images, Dwfl *dwfl, pid_t pid, gboolean *changed);
const Dwfl_Callbacks *dt_images_callbacks(void);

/** What is at an address of a file, as far as it was looked up before; NULL: it was not. Borrowed. */
DtCodePlace *dt_images_known_place(const DtAttachedImage *image, guint64 address);
/** The same, looked up now. `address` is that of an instruction, not behind it. */
DtCodePlace *dt_images_place(DtImages *images, DtAttachedImage *image, guint64 address);
/** The image's lines, opened on demand; NULL: it has none. */
DtImageLines *dt_images_lines(DtAttachedImage *image);
/** The symbol that starts at an address of a file, or NULL; borrowed. */
const char *dt_images_symbol_at(DtAttachedImage *image, guint64 address);

G_END_DECLS

#endif
