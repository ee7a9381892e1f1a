/** What the parts of the run writer share. */
#ifndef DT_SUPPORT_RUN_WRITER_PRIVATE_H
#define DT_SUPPORT_RUN_WRITER_PRIVATE_H

#include "run_writer.h"

G_BEGIN_DECLS

typedef struct {
    char *name, *key;
    gboolean main_image;
    GPtrArray *symbols;  /* char *, "name" or "name#2" */
    GHashTable *indices; /* those -> index */
} DtImageWriter;

/** Frees what a thread's events were coded to; may be NULL. */
void dt_coded_stream_free(DtCodedStream *stream);

/** Writes the process's trace file. */
void dt_write_process(const DtProcessWriter *process);

G_END_DECLS

#endif
