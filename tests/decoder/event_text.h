/** The events of a trace as text, in the form in which the run writer takes them. */
#ifndef DT_DECODER_EVENT_TEXT_H
#define DT_DECODER_EVENT_TEXT_H

#include "decoder/decoder.h"

G_BEGIN_DECLS

/**
 * All events of the trace, read `batch` at a time: "main puts@plt < <". NULL if
 * the trace cannot be opened. `*problem` (NULL, or free with g_free()) is the
 * reader's at the end.
 */
char *dt_event_text(const DtRun *run, const DtTrace *trace, gsize batch, char **problem);

G_END_DECLS

#endif
