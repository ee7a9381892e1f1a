/**
 * Where places in the code stand in the source, with the functions that the compiler has inlined there: as was stored
 * with the run when it ended, or else from the debug information of the images as they are now. Of an image that is not
 * the one that ran nothing is told.
 */
#ifndef DT_STORE_SYMBOLS_SOURCE_LINES_H
#define DT_STORE_SYMBOLS_SOURCE_LINES_H

#include "store/symbols/places.h"

G_BEGIN_DECLS

/** A line of the source, and whose it is. */
typedef struct {
    const char *function; /* linker name, or the name in the source of one that was inlined: any bytes; "": unknown */
    const char *file;     /* as the compiler was given it: any bytes; never "" */
    guint line;           /* 0: unknown */
} DtSourceFrame;

/** Keeps the images open that were asked for. Not for several threads at once. */
typedef struct DtSourceLines DtSourceLines;
DtSourceLines *dt_source_lines_new(void);
void dt_source_lines_free(DtSourceLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSourceLines, dt_source_lines_free)

/**
 * The line of a place of the process, and behind it those that the function was inlined at, innermost first;
 * (element-type DtSourceFrame), borrowed until the lines are freed. Empty if the image has no debug information, is not
 * there any more, or is another one by now and no lines were stored. The first question of an image costs what opening
 * it costs.
 */
const GArray *dt_source_lines_at(DtSourceLines *lines, const DtRun *run, const DtProcess *process,
                                 const DtPlace *place);
/** The innermost of them: "heat.c:120", spelled; g_free(). NULL: none is known. */
char *dt_source_lines_text(DtSourceLines *lines, const DtRun *run, const DtProcess *process, const DtPlace *place);
/** The innermost of them in the file of the function that the code is of: where that stands in the program, and not in
 * what it has inlined from a header; likewise. */
char *dt_source_lines_text_of_function(DtSourceLines *lines, const DtRun *run, const DtProcess *process,
                                       const DtPlace *place);

/**
 * File and line where the code of a function of a process starts: "heat.c:120"; free with g_free(). NULL if that is not
 * known.
 */
char *dt_source_lines_find(DtSourceLines *lines, const DtRun *run, const DtProcess *process, guint32 function);

/**
 * The lines on which the code of `caller` calls `callee`, by the order of the code, whether the calls were made or not:
 * "heat.c:131", each once; (element-type char*), borrowed. Empty if the image is not there any more, or another one,
 * has no debug information, or calls through pointers only.
 */
const GPtrArray *dt_source_lines_of_code(DtSourceLines *lines, const DtRun *run, const DtProcess *process,
                                         guint32 caller, guint32 callee);

/** Looks up all places of a run and stores their lines with it. Where nothing can be written it is left out. FALSE: a
 * folder cannot be written to. */
gboolean dt_source_lines_store(const DtRun *run, GError **error);

G_END_DECLS

#endif
