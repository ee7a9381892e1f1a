/** What the parts of the run writer share. */
#ifndef DT_SUPPORT_TEST_RUN_PRIVATE_H
#define DT_SUPPORT_TEST_RUN_PRIVATE_H

#include "test_run.h"

G_BEGIN_DECLS

typedef struct {
    char *name, *key;
    gboolean main_image;
    GPtrArray *symbols;  /* char *, "name" or "name#2" */
    GHashTable *indices; /* those -> index */
} DtTestImage;

/** Frees what a thread's events were coded to; may be NULL. */
void dt_coded_stream_free(DtCodedStream *stream);

/** Writes the process's trace file. */
void dt_write_process(const DtTestProcess *process);

G_END_DECLS

#endif
