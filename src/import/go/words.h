/** From goroutines to the words of a run. */
#ifndef DT_IMPORT_GO_WORDS_H
#define DT_IMPORT_GO_WORDS_H

#include "import/go/wakers.h"

G_BEGIN_DECLS

/** Writes a trace for each goroutine of the program, and the lines of the image that its functions are of. O(events *
 * frames of their stacks). */
void dt_go_write(const DtGoroutines *goroutines, const DtGoWakers *wakers, DtProcessWriter *process,
                 DtImageWriter *image);

G_END_DECLS

#endif
