/** The files of a result directory. */
#ifndef DT_RESULT_RESULT_WRITER_H
#define DT_RESULT_RESULT_WRITER_H

#include "compare/folding_cache.h"
#include "compare/selection.h"

G_BEGIN_DECLS

/** Of so many suspects the difference is drawn. */
enum { DT_PICTURED_SUSPECTS = 3 };

/**
 * Writes result.json, the tables as TSV, and the pictures of the best row: the
 * matrices, the dendrograms, the lattices, the first suspects' diffNLR. Returns
 * the names of the files written, without the directory; what cannot be drawn is
 * told on stderr and left out.
 */
GStrv dt_write_result(const DtComparison *comparison, const DtRuns *runs, const DtSelection *selection,
                      DtFoldingCache *cache, const char *directory, GError **error);

G_END_DECLS

#endif
