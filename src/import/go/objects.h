/**
 * What difftrace's own layer around Go's library (src/golang/) tells of locks and channels: an event of the type
 * UserTaskEnd, whose task is no task but has the mark, the operation and the address of the object.
 */
#ifndef DT_IMPORT_GO_OBJECTS_H
#define DT_IMPORT_GO_OBJECTS_H

#include "import/go/trace.h"

G_BEGIN_DECLS

typedef struct {
    gboolean is_over;      /* the innermost operation that was told returns */
    gboolean is_made;      /* the object is new, whatever was at its address before; nothing begins */
    gboolean never_blocks; /* a select with a default */
    const char *name;      /* of one that begins */
    guint64 address;       /* of its object; 0: none */
} DtGoTold;

/** FALSE: the event tells of no object. */
gboolean dt_go_objects_told(const DtGoEvent *event, DtGoTold *told);

/** The operations by number, from 1 on, "" where there is none; what the layer and the reader agree on. */
const char *dt_go_operation_name(guint number);

/** Kind of argument (enum dt_argument_kind) that an operation's object is; 0: none. */
guint dt_go_operation_argument(const char *name);

G_END_DECLS

#endif
