/**
 * Where functions stand in the source, from the debug information of their images as they are now, read by elfutils.
 */
#ifndef DT_STORE_SYMBOLS_SOURCE_LINES_H
#define DT_STORE_SYMBOLS_SOURCE_LINES_H

#include "store/store.h"

G_BEGIN_DECLS

/** Keeps the images open that were asked for. Not for several threads at once. */
typedef struct DtSourceLines DtSourceLines;
DtSourceLines *dt_source_lines_new(void);
void dt_source_lines_free(DtSourceLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSourceLines, dt_source_lines_free)

/**
 * File and line where the code of a function of a process starts: "heat.c:120"; free with g_free(). NULL if the image
 * is not there any more, has no such symbol or no debug information. The first question of an image costs what reading
 * its symbol table costs.
 */
char *dt_source_lines_find(DtSourceLines *lines, const DtRun *run, const DtProcess *process, guint32 function);

G_END_DECLS

#endif
