/**
 * Sequences to fold: random nests of loops, and words known to be hard.
 */
#ifndef TESTS_NLR_SEQUENCES_H
#define TESTS_NLR_SEQUENCES_H

#include <glib.h>

/** (element-type guint32); owned by the caller. */
typedef GArray *(*SequenceMaker)(GRand *random, guint length);

/** Loops in loops, with the same trip counts every time. */
GArray *sequence_nested(GRand *random, guint length);
/** The same with trip counts that vary and symbols that change here and there. */
GArray *sequence_jittered(GRand *random, guint length);
/** A long body, entered at random places. */
GArray *sequence_shifted(GRand *random, guint length);
/** Few letters, without structure. */
GArray *sequence_letters(GRand *random, guint length);
/** Overlap-free, with squares: Thue-Morse, from a random place. */
GArray *sequence_thue_morse(GRand *random, guint length);
/** Cubes, no fourth powers: Fibonacci's word, from a random place. */
GArray *sequence_fibonacci(GRand *random, guint length);
/** Many loops that all wait for their next iteration: a^2 b a^2 b c ... */
GArray *sequence_open_loops(GRand *random, guint length);

extern const SequenceMaker SEQUENCE_MAKERS[];
extern const guint SEQUENCE_MAKER_COUNT;

#endif
