/** What of a command line is not to be stored: `collect --mask`. Shared by the collector and the tracer. */
#ifndef DT_FORMAT_MASK_H
#define DT_FORMAT_MASK_H

#include <regex.h>

/** Replaces each byte of each match by a mark, so that nothing moves. */
void dt_mask_mark(const regex_t *mask, char *line);
/** Replaces each row of marks by one `*`: how long the text was is not to be seen either. */
void dt_mask_squeeze(char *line);

#endif
