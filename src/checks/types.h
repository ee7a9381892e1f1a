/** How much data a call names, and of what: MPI's type signatures. */
#ifndef DT_CHECKS_TYPES_H
#define DT_CHECKS_TYPES_H

#include "store/store.h"

G_BEGIN_DECLS

/** Data of one kind: the same predefined datatype again and again, or a derived one. */
typedef struct {
    gint64 count;             /* -1: not known */
    gint64 size;              /* of an element, in bytes */
    guint datatype;           /* number of the predefined datatype; 0: none, or not known */
    const DtNumbers *derived; /* NULL: none, or not known */
} DtCheckedData;

/** Of an argument, which may be NULL. */
DtCheckedData dt_checked_data(const DtArgument *argument);
/** In bytes; -1: not known. */
static inline gint64 dt_checked_bytes(const DtCheckedData *data)
{
    return data->count < 0 ? -1 : data->count * data->size;
}

typedef enum {
    DT_TYPES_AGREE,  /* or it is not known that they differ */
    DT_TYPES_DIFFER, /* by name, though not by what they hold: an int as bytes, or as unsigned */
    DT_TYPES_CLASH   /* one holds integers where the other holds floating numbers, or elements of another size */
} DtTypeMatch;

/** Whether what is `sent` may be received as `got`, as far as it goes. O(size of the datatypes). */
DtTypeMatch dt_checked_types_match(const DtCheckedData *sent, const DtCheckedData *got);
/** FALSE if the predefined operation is not defined for the datatype (MPI 3.1, 5.9.2); TRUE also if it is not known. */
gboolean dt_checked_may_combine(const DtCheckedData *data, gint64 operation);
/** "10 x MPI_INT", "80 B"; g_free(). */
char *dt_checked_data_text(const DtCheckedData *data);

G_END_DECLS

#endif
