/** Streams of words as programs record them, and others, for tests of codecs with a model. */
#ifndef DT_TEST_PROGRAMS_H
#define DT_TEST_PROGRAMS_H

#include <glib.h>

enum { DT_PROGRAMS = 11 };

const char *dt_program_name(gsize program);

/** Its words (guint16), which `random` varies; to be freed. */
GArray *dt_program_words(gsize program, GRand *random);

/** The words of the golden file NAME-golden-1 of a codec: the same on every machine, so nothing of GRand. To be freed.
 */
GArray *dt_golden_program(guint32 codec);

#endif
