/** What the builder's files share. */
#ifndef DT_IMPORT_BUILDER_PRIVATE_H
#define DT_IMPORT_BUILDER_PRIVATE_H

#include "import/builder.h"

G_BEGIN_DECLS

struct DtRunBuilder {
    char *run, *from, *path;
    GPtrArray *processes; /* DtProcessBuilder */
    GPtrArray *warnings;  /* char * */
    guint64 events;
    guint threads;
    guint encoders; /* threads that hold a codec's state */
    GError *error;  /* the first */
};

typedef struct {
    char *name, *key;
    GByteArray *records; /* struct dt_symbol */
    GByteArray *names;
} DtImageBuilder;

struct DtProcessBuilder {
    DtRunBuilder *run;
    struct dt_file_header header;
    char *path;            /* of its file */
    GPtrArray *images;     /* DtImageBuilder */
    GHashTable *by_name;   /* of images -> index + 1 */
    guint main_image;      /* index */
    GByteArray *functions; /* struct dt_function */
    GPtrArray *threads;    /* DtThreadBuilder */
    gboolean cut;
};

/** Appends a chunk; type, owner, sequence and records are to be given. */
void dt_process_builder_chunk(DtProcessBuilder *process, struct dt_chunk_header chunk, const void *payload,
                              gsize bytes);

/** Finishes segments until few codec states are held. */
void dt_run_builder_save_memory(DtRunBuilder *builder);

void dt_thread_builder_release(DtThreadBuilder *thread);
void dt_thread_builder_free(gpointer data);

G_END_DECLS

#endif
