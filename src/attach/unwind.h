/** Frames of held processes, as libdw finds them. */
#ifndef DT_ATTACH_UNWIND_H
#define DT_ATTACH_UNWIND_H

#include "attach/images.h"

G_BEGIN_DECLS

/** Registers by DWARF's numbers. */
enum { DT_RBX = 3, DT_RBP = 6, DT_RSP = 7, DT_R12 = 12, DT_REGISTERS = 16 };

/** A frame of machine code. */
typedef struct {
    DtAttachedImage *image; /* NULL: none, or its file cannot be opened */
    guint64 pc;             /* in the process: next instruction, behind the call that is open */
    guint64 bias;           /* what addresses in the process have more than in the file */
    guint64 address;        /* in the file: of the instruction that it is in */
    guint64 registers[DT_REGISTERS];
    guint16 known; /* a bit for each of these */
} DtRawFrame;

typedef struct {
    Dwfl *dwfl;
    gboolean is_changed; /* its program was replaced or deleted */
} DtUnwinder;

/** What is needed to unwind a process; NULL with *problem, one line, g_free(). */
DtUnwinder *dt_unwinder_new(DtImages *images, pid_t pid, char **problem);
void dt_unwinder_free(DtUnwinder *unwinder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtUnwinder, dt_unwinder_free)

/** The frames of one of its threads that is stopped, innermost first, added to (element-type DtRawFrame); a line where
 * they break off, g_free(), or NULL. */
char *dt_unwind(DtUnwinder *unwinder, pid_t tid, GArray *frames);

G_END_DECLS

#endif
