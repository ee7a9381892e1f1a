/**
 * The calls that are open at the end of a trace, and where in the source each was made: by the return addresses that
 * the tracer kept when the process was about to end, and of a call whose arguments are recorded by its call site.
 */
#ifndef DT_DECODER_OPEN_CALLS_H
#define DT_DECODER_OPEN_CALLS_H

#include "decoder/decoder.h"
#include "store/symbols/source_lines.h"

G_BEGIN_DECLS

typedef struct {
    guint32 function;  /* by name */
    guint32 signature; /* with arguments, where they were recorded; else the function */
    gboolean known;    /* where it was made */
    DtPlace place;
} DtOpenCall;

/** Outermost first; (element-type DtOpenCall), the caller's. NULL: the trace cannot be read. Decodes one segment. */
GArray *dt_open_calls_at_end(const DtRun *run, const DtTrace *trace, GError **error);

/**
 * The innermost line of the program that a trace was at when it ended: where a signal hit it, or from where the program
 * called what it did not return from, be it abort in a library. FALSE: it is not known.
 */
gboolean dt_open_calls_innermost(const DtRun *run, const DtTrace *trace, const GArray *calls, DtPlace *place);

G_END_DECLS

#endif
