/** The instructions that were certainly run one after the other before a call was made. x86_64 only. */
#ifndef DT_ATTACH_CODE_H
#define DT_ATTACH_CODE_H

#include "attach/decode/decode.h"
#include "attach/images.h"

G_BEGIN_DECLS

/** A call and what was done before it. */
typedef struct {
    GArray *steps;    /* (element-type DtStep) the call is behind the last */
    DtOperand target; /* NUMBER: an address in the file; MEMORY or REGISTER: where the target's address is */
} DtCode;

/**
 * The code before the call that returns to an address of a file. Straight-line: to none of its instructions but the
 * first a jump of the function leads, nor is there a call between. NULL: it is not known. O(bytes of the function).
 */
DtCode *dt_code_before(DtAttachedImage *image, guint64 return_address);
void dt_code_free(DtCode *code);
/** Bytes of a file at an address that is code or data that nobody writes to; FALSE: there are none. */
gboolean dt_code_read(const DtAttachedImage *image, guint64 address, void *to, gsize bytes);
/** The slot from which a linkage stub takes its target: a file's address; FALSE: there is no such stub. */
gboolean dt_code_linkage(const DtAttachedImage *image, guint64 stub, guint64 *slot);

G_END_DECLS

#endif
