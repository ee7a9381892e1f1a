/**
 * The arguments of a call that is open, from the registers and the memory of its caller. An argument is told if it is
 * certain, or not at all.
 */
#ifndef DT_ATTACH_PASSED_H
#define DT_ATTACH_PASSED_H

#include "attach/call_origin.h"
#include "attach/unwind.h"

G_BEGIN_DECLS

/** A process that is held, and a frame of it that made a call. */
typedef struct {
    DtImages *images;
    pid_t pid;
    gboolean is_alone; /* no other thread of the program's may write to its memory */
    const DtRawFrame *caller;
    guint64 frame_end; /* the first address behind the caller's frame; 0: not known */
    const DtCallOrigin *origin;
    const GPtrArray *mapped; /* images of the process (element-type DtMappedImage) */
} DtCallerFrame;

typedef struct {
    DtAttachedImage *image;
    guint64 start, end, bias;
} DtMappedImage;

/** The image that an address of the process lies in, or NULL; borrowed. */
const DtMappedImage *dt_mapped_at(const GPtrArray *mapped, guint64 address);

/** An argument. */
typedef struct {
    gboolean known;
    guint64 value;
    guint64 read[2]; /* where it was read from in memory that may change; 0: nowhere */
} DtArgumentWord;

/** The address that was called; FALSE: not known. */
gboolean dt_passed_target(const DtCallerFrame *frame, guint64 *target);
/** Parameter `number` of those that are integers or addresses, as 64 bits of which those of its type count. */
DtArgumentWord dt_passed_word(const DtCallerFrame *frame, guint number);
/** What is in memory at an address, if it is certain that the call found the same there. */
DtArgumentWord dt_passed_memory(const DtCallerFrame *frame, guint64 address, guint bytes);
/** Bytes of the process as they are now. */
gboolean dt_process_read(pid_t pid, guint64 address, void *to, gsize bytes);

G_END_DECLS

#endif
