/** What is known of a call from the place where it is made, the same for all processes. */
#ifndef DT_ATTACH_CALL_ORIGIN_H
#define DT_ATTACH_CALL_ORIGIN_H

#include "attach/code.h"

G_BEGIN_DECLS

enum { DT_REGISTER_PARAMETERS = 6 };

/** A DWARF expression; borrowed from the debug information. */
typedef struct {
    Dwarf_Op *operations;
    size_t count; /* 0: none */
} DtExpression;

struct DtCallOrigin {
    DtExpression values[DT_REGISTER_PARAMETERS]; /* of the parameters that are passed in registers, in their order */
    DtExpression frame_base;                     /* of the caller */
    DtCode *code;                                /* NULL: not known */
};

/** What the debug information and the code say of the call that returns to an address of a file. Never NULL. */
DtCallOrigin *dt_call_origin_new(DtAttachedImage *image, guint64 return_address);
void dt_call_origin_free(DtCallOrigin *origin);

/** DWARF's number of the register of a parameter. */
guint8 dt_parameter_register(guint number);

G_END_DECLS

#endif
