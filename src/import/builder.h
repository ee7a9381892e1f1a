/**
 * What a format's reader tells: processes, their functions and threads, and the
 * threads' events in order. The builder writes the run. Errors of writing are
 * kept until dt_run_builder_end().
 */
#ifndef DT_IMPORT_BUILDER_H
#define DT_IMPORT_BUILDER_H

#include "import/import.h"

G_BEGIN_DECLS

typedef struct DtRunBuilder DtRunBuilder;
typedef struct DtProcessBuilder DtProcessBuilder;
typedef struct DtThreadBuilder DtThreadBuilder;

/** Reads `path` into the builder; FALSE if there is nothing to import. */
typedef gboolean (*DtImportReader)(const char *path, DtRunBuilder *builder, GError **error);
gboolean dt_import_parlot(const char *path, DtRunBuilder *builder, GError **error);
gboolean dt_import_text(const char *path, DtRunBuilder *builder, GError **error);
gboolean dt_import_uftrace(const char *path, DtRunBuilder *builder, GError **error);
/** Whether it looks like the format. */
gboolean dt_is_parlot(const char *path);
gboolean dt_is_text(const char *path);
gboolean dt_is_uftrace(const char *path);

/** What is known of a process. Without a rank, order of making is order of labels. */
typedef struct {
    gint rank;    /* -1: none */
    guint beside; /* the process is RANK+beside; 0: RANK itself */
    guint32 pid;
    const char *host, *executable; /* borrowed */
} DtProcessIdentity;

/** `run` must be an empty directory. `from` names the format in the manifest. */
DtRunBuilder *dt_run_builder_new(const char *run, const char *from, const char *path);
void dt_run_builder_free(DtRunBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRunBuilder, dt_run_builder_free)

DtProcessBuilder *dt_run_builder_process(DtRunBuilder *builder, const DtProcessIdentity *identity);
void dt_run_builder_warn(DtRunBuilder *builder, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** Ends all processes, writes the manifest. NULL and the first error of all if anything could not be written. */
DtImportResult *dt_run_builder_end(DtRunBuilder *builder, GError **error);

/** Removes what was made, in place of dt_run_builder_end(): there was nothing to import. */
void dt_run_builder_discard(DtRunBuilder *builder);

/** A further function: its id, from 1 on. "@plt" at the end of a name makes it an import. */
guint32 dt_process_builder_function(DtProcessBuilder *process, const char *image, const char *name);
/** Whether a function of that name is recorded whoever calls it: MPI, OpenMP, pthread. */
gboolean dt_is_api_name(const char *name);
guint32 dt_process_builder_functions(const DtProcessBuilder *process);
/** The image that is the program itself; without one, the first. */
void dt_process_builder_main_image(DtProcessBuilder *process, const char *image);
/** The process did not come to its end: some trace of it is cut off. */
void dt_process_builder_cut(DtProcessBuilder *process);

/** `kind` of enum dt_thread_kind. Owned by the process. */
DtThreadBuilder *dt_process_builder_thread(DtProcessBuilder *process, guint32 kind, guint32 number);
/** The entry into a function, or with 0 a return. */
void dt_thread_builder_event(DtThreadBuilder *thread, guint32 id);
/** Open calls. */
guint dt_thread_builder_depth(const DtThreadBuilder *thread);
/** The id of the innermost open call; 0: none. */
guint32 dt_thread_builder_top(const DtThreadBuilder *thread);
/** Nothing more will come: gives memory back. */
void dt_thread_builder_end(DtThreadBuilder *thread);

G_END_DECLS

#endif
