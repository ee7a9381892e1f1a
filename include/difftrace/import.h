/**
 * Import: traces of other tools become runs, which every command then reads
 * like its own.
 *
 * A format is one file: it reads a file or directory and tells the writer what
 * it finds (reader.h), and has an entry in the table of import.c. Damage is
 * told as warnings; only what leaves nothing to import is an error.
 */
#ifndef DIFFTRACE_IMPORT_H
#define DIFFTRACE_IMPORT_H

#include "store.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_IMPORT_ERROR (dt_import_error_quark())
typedef enum {
    DT_IMPORT_ERROR_FORMAT, /* no such format, or the input is in none */
    DT_IMPORT_ERROR_INPUT   /* not there, or it holds no trace */
} DtImportError;
GQuark dt_import_error_quark(void);

/** What was imported, and what had to be left out. */
typedef struct {
    guint processes, threads;
    guint64 events;
    GPtrArray *warnings; /* (element-type utf8) */
} DtImportResult;
void dt_import_result_free(DtImportResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtImportResult, dt_import_result_free)

/** The formats by name, NULL at the end; static. */
const char *const *dt_import_formats(void);

/**
 * Makes the run `output` (a new directory, or one that dt_output_directory()
 * may replace) of what is at `path`. `format` NULL: the one that it looks like.
 * Memory does not grow with the length of the traces. Without an import there
 * is no `output`; what could not be written is an error of the writer's.
 */
DtImportResult *dt_import(const char *format, const char *path, const char *output, GError **error);

/**
 * The same of several paths, at least one, NULL at the end: the processes of one run. `format` NULL: that of the first.
 * Only go-trace takes more than one.
 */
DtImportResult *dt_import_several(const char *format, const char *const *paths, const char *output, GError **error);

#pragma GCC visibility pop
G_END_DECLS

#endif
