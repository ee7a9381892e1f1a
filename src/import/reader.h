/** A format's reader: it tells the writer what it finds. What readers have in common is here. */
#ifndef DT_IMPORT_READER_H
#define DT_IMPORT_READER_H

#include "import/import.h"
#include "writer/writer.h"

G_BEGIN_DECLS

/** Reads `path` into the run; FALSE if there is nothing to import. */
typedef gboolean (*DtImportReader)(const char *path, DtRunWriter *run, GError **error);
gboolean dt_import_go_trace(const char *path, DtRunWriter *run, GError **error);
gboolean dt_import_otf2(const char *path, DtRunWriter *run, GError **error);
gboolean dt_import_parlot(const char *path, DtRunWriter *run, GError **error);
gboolean dt_import_text(const char *path, DtRunWriter *run, GError **error);
gboolean dt_import_uftrace(const char *path, DtRunWriter *run, GError **error);
/** Whether it looks like the format. */
gboolean dt_is_go_trace(const char *path);
gboolean dt_is_otf2(const char *path);
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
DtProcessWriter *dt_import_process(DtRunWriter *run, const DtProcessIdentity *identity);
/** The process did not come to its end: some trace of it is cut off. */
void dt_import_cut(DtProcessWriter *process);

/** A further function: its id. "@plt" at the end of a name makes it an import. */
guint32 dt_import_function(DtProcessWriter *process, const char *image, const char *name);
/** Whether a function of that name is recorded whoever calls it: MPI, OpenMP, pthread. */
gboolean dt_is_api_name(const char *name);

G_END_DECLS

#endif
