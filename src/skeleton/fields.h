/** The words of fields: how they stand in the text. */
#ifndef DT_SKELETON_FIELDS_H
#define DT_SKELETON_FIELDS_H

#include "skeleton/skeleton.h"

G_BEGIN_DECLS

/** "to", "tag", ...; "" for those that stand by themselves: communicators, operations, data. NULL: there is no such
 * kind. */
const char *dt_field_word(guint kind);
/** A word for every kind: "to", "communicator", "count". */
const char *dt_field_name(guint kind);
/** The kind with that word, `length` bytes long; 0: none. */
guint dt_field_of_word(const char *word, gsize length);
/** Values are written with their sign: distances to ranks. */
gboolean dt_field_is_distance(guint kind);
/** Of to, from and got, which have the forms of peers.h. */
gboolean dt_field_is_peer(guint kind);
/** What the call found out; stands behind its arguments. */
gboolean dt_field_is_outcome(guint kind);
/** Of enum dt_argument_special: "any", "null". */
const char *dt_special_word(guint special);
/** TRUE of "sum", "max", "own_operation_3": an operation, and no communicator. */
gboolean dt_word_is_operation(const char *word);
/** "<0 2-4>". */
DtValue dt_numbers_atom(DtAtoms *atoms, const gint64 *values, guint count);
/** The numbers of such a text (element-type gint64), owned; those before what is none. O(numbers). */
GArray *dt_numbers_of_atom(const char *text);

/** Appends a field of one call of one rank; `written`, `open`: 0 before the first one; what stands open is to be
 * closed. */
void dt_append_single_field(const DtSkeleton *skeleton, GString *text, guint kind, DtValue value, guint *written,
                            gboolean *open);

G_END_DECLS

#endif
