/** What the writer's files share; tests that leave a process as if it had been killed need it, too. */
#ifndef DT_WRITER_WRITER_PRIVATE_H
#define DT_WRITER_WRITER_PRIVATE_H

#include "writer/stream.h"
#include "writer/writer.h"

G_BEGIN_DECLS

typedef struct {
    guint pid, thread;
} DtMovedThread;

struct DtRunWriter {
    char *path, *processes_path; /* the latter of the folder until the run appears */
    GPtrArray *processes;        /* DtProcessWriter: not ended yet */
    GPtrArray *images;           /* DtImageWriter of the run */
    GHashTable *by_path;         /* of these */
    GPtrArray *encoding;         /* DtThreadWriter: all that have an open segment; may be there twice */
    guint image_count;           /* those of processes, too */
    DtWritten written;
    GError *error; /* the first */
    gboolean has_folders, appeared, hung;
    char *host;    /* of the threads that moved; NULL: none did */
    GArray *moved; /* (element-type DtMovedThread) */
};

struct DtImageWriter {
    char *path, *key, *lines; /* lines may be NULL */
    guint32 flags;
    GByteArray *records; /* struct dt_symbol */
    GByteArray *names;
};

struct DtProcessWriter {
    DtRunWriter *run;
    struct dt_file_header header;
    char *path;            /* of its file */
    GPtrArray *images;     /* DtImageWriter: those that it has functions of, by index */
    GPtrArray *own_images; /* DtImageWriter: those that no other process has */
    GArray *functions;     /* struct dt_function */
    GByteArray *communicators;
    GByteArray *arrays;
    guint32 array_count;
    GPtrArray *threads; /* DtThreadWriter: not ended yet */
    guint32 thread_count;
};

/** Writes into a file of the run, unless something failed before. */
void dt_run_writer_write(DtRunWriter *run, const char *path, guint64 offset, const void *data, gsize bytes);

/** Appends a chunk; type, owner, sequence and records are to be given, `bytes` if it shall be longer than needed. */
void dt_process_writer_chunk(DtProcessWriter *process, struct dt_chunk_header chunk, const void *payload, gsize bytes);
/** Write a table, which is empty then: nothing is added to it any more. */
void dt_process_writer_write_images(DtProcessWriter *process);
void dt_process_writer_write_functions(DtProcessWriter *process);
void dt_process_writer_free(gpointer process);

/** Writes its symbol file. */
void dt_image_writer_write(DtImageWriter *image, DtRunWriter *run);
void dt_image_writer_free(gpointer image);

void dt_thread_writer_free(gpointer thread);

G_END_DECLS

#endif
