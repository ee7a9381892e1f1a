/** Arguments in words: in what those of two calls of one function differ, and which cannot be compared. */
#ifndef DT_VERDICT_DIFFERING_ARGUMENTS_H
#define DT_VERDICT_DIFFERING_ARGUMENTS_H

#include "store/store.h"

G_BEGIN_DECLS

/**
 * The arguments of `signature` that are others in `than`: "tag 8, live request 1"; empty if there are none. The nth
 * argument of a kind is compared with the nth of that kind. `process` makes relative ranks absolute, or NULL. g_free().
 * O(arguments^2).
 */
char *dt_differing_arguments(const DtSignature *signature, const DtSignature *than, const DtProcess *process);

/**
 * Two calls of one function that differ in nothing but the counts that they take from the other members: those are
 * told by them. FALSE if only one of them has such counts. O(arguments).
 */
gboolean dt_only_taken_differ(const DtFunctions *functions, const DtSignature *one, const DtSignature *other);

/**
 * One whose values are not told apart because there are too many of them (special "varies"): "offset of
 * MPI_File_write_at"; NULL if there is none. g_free(). O(functions).
 */
char *dt_varying_argument(const DtFunctions *functions);

G_END_DECLS

#endif
