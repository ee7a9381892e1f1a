/** Bringing trace files of processes that have ended into their sealed form (format/sealed.h). */
#ifndef DT_STORE_SEALED_WRITER_H
#define DT_STORE_SEALED_WRITER_H

#include <glib.h>

#include "format/trace_file.h"

G_BEGIN_DECLS

/** One file. All borrowed. */
typedef struct {
    gint folder;      /* descriptor of the directory that it is in */
    const char *name; /* in that */
    /* Of the file that was found: FALSE leaves it alone. `is_sealed`: its own checksums of all of it are there. */
    gboolean (*wants)(const struct dt_file_header *header, gboolean is_sealed, gpointer data);
    gboolean own; /* another user's folder: a file that is not that user's is left alone */
    /* For tests, or NULL: asked before each step; FALSE stops there, as the end of this process would. */
    gboolean (*goes_on)(const char *step, gpointer data);
    gpointer data;
} DtSealing;

/**
 * Writes the sealed form aside, as NAME.sealing, waits until it is on the disk, and gives it the file's name, owner,
 * mode and times. Whenever this ends, NAME is the one file or the other, whole. FALSE if it stays as it is: it is none
 * of a process that has ended, it is already sealed, somebody else is sealing it, it is a link, there is no room, ...
 * Checksums of chunks are kept, or made if the file has none. O(bytes of the file); memory: 24 MB, and 60 bytes a
 * chunk.
 */
gboolean dt_sealing_run(const DtSealing *sealing);

/**
 * Brings the trace files of those of the run's processes that have ended into their sealed form, also those of other
 * users if we may: for the collector, when its command has ended. On other hosts those that have checksums already, and
 * whose header tells their end. What cannot be sealed stays as it is, also if `run` is no run.
 */
void dt_run_shrink(const char *run);

G_END_DECLS

#endif
