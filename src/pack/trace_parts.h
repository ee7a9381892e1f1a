/** A trace file in a packed run: records and notes first, event code when all other files are there. */
#ifndef DT_PACK_TRACE_PARTS_H
#define DT_PACK_TRACE_PARTS_H

#include "pack/anonymous.h"
#include "pack/packer.h"
#include "pack/recode.h"

G_BEGIN_DECLS

/** What of a trace file is still to be written. */
typedef struct DtTraceCode DtTraceCode;
void dt_trace_code_free(DtTraceCode *code);

/**
 * Writes the entry of a trace file without its event code. The streams in `recoded` (element-type DtRecoded) take the
 * place of those that they were made of, and are the result's afterwards. NULL if the file cannot be read; then nothing
 * was written. `names`: by which those in its records are replaced, or NULL.
 */
DtTraceCode *dt_trace_parts_write(DtPacker *packer, const char *name, const DtFile *file, const DtProcessFile *process,
                                  GPtrArray *recoded, const DtPseudonyms *names);

/** Writes its event code. */
void dt_trace_code_write(DtTraceCode *code, DtPacker *packer);

G_END_DECLS

#endif
