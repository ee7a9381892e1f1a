/** Derived datatypes of MPI in JSON documents. */
#ifndef DT_REPORT_DATATYPES_H
#define DT_REPORT_DATATYPES_H

#include "report/json.h"
#include "store/store.h"

G_BEGIN_DECLS

/** Those that a document names, numbered from 0 on in the order in which they are first named. */
typedef struct DtDatatypeList DtDatatypeList;
DtDatatypeList *dt_datatype_list_new(void);
void dt_datatype_list_free(DtDatatypeList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtDatatypeList, dt_datatype_list_free)

/** Writes the array "datatypes" of a call: which of its arguments, from 1 on, are of a datatype, and of which. Of
 * derived ones the numbers, of others the names. O(arguments). */
void dt_datatype_list_add_call(DtDatatypeList *list, JsonBuilder *builder, const DtSignature *signature);
/** Writes the array "datatypes" of the document: all that were named and what they are made of. Last. O(their
 * parameters). */
void dt_datatype_list_write(DtDatatypeList *list, JsonBuilder *builder);

G_END_DECLS

#endif
