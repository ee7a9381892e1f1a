/** Derived datatypes of MPI, read from arrays of a process: trees of constructors. */
#ifndef DT_STORE_DATATYPES_H
#define DT_STORE_DATATYPES_H

#include "store/store.h"

G_BEGIN_DECLS

/** TRUE of an array that is a datatype (format/datatypes.h). O(1). */
gboolean dt_array_is_datatype(const gint64 *values, guint count);
/** The datatype as an object of the functions, equal for equal trees of all processes and runs. Its text is like
 * "vector(10 x 2 / 20 of double)". `known`: the process's arrays before it, interned; the datatypes that it is made of
 * are among them. O(count). */
const DtNumbers *dt_datatype_intern(DtFunctions *functions, const gint64 *values, guint count, const GPtrArray *known);
/** Like "int", of the number of a predefined one; "unknown" of another number. */
char *dt_datatype_name(gint64 number);
/** The same as dt_functions_intern_numbers(), with that text. */
const DtNumbers *dt_functions_intern_datatype(DtFunctions *functions, const gint64 *values, guint count,
                                              const char *text);

G_END_DECLS

#endif
