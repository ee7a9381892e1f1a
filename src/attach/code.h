/** The instructions that were certainly run one after the other before a call was made. x86_64 only. */
#ifndef DT_ATTACH_CODE_H
#define DT_ATTACH_CODE_H

#include "attach/images.h"

G_BEGIN_DECLS

enum { DT_NO_REGISTER = 255, DT_RIP = 254 };

typedef enum { DT_OPERAND_NONE, DT_OPERAND_REGISTER, DT_OPERAND_NUMBER, DT_OPERAND_MEMORY } DtOperandKind;

/** Registers by DWARF's numbers. */
typedef struct {
    DtOperandKind kind;
    guint8 bytes;
    guint8 register_number;    /* REGISTER: its lowest `bytes` */
    guint8 base, index, scale; /* MEMORY; DT_NO_REGISTER: none. An address in the file is in `number` alone */
    gboolean is_in_file;       /* MEMORY: relative to the code */
    gint64 number;             /* NUMBER; MEMORY: displacement */
} DtOperand;

typedef enum {
    DT_STEP_NOTHING, /* of what counts here */
    DT_STEP_MOVE,    /* to = from, what is above is 0 */
    DT_STEP_EXTEND,  /* to = from, with its sign */
    DT_STEP_ADDRESS, /* to = address of from */
    DT_STEP_ADD,     /* to += from */
    DT_STEP_SUBTRACT,
    DT_STEP_SHIFT,   /* to <<= from */
    DT_STEP_PUSH,    /* from */
    DT_STEP_CLOBBER, /* to is something else now */
    DT_STEP_UNKNOWN  /* anything may be */
} DtStepKind;

typedef struct {
    DtStepKind kind;
    DtOperand to, from;
} DtStep;

/** A call and what was done before it. */
typedef struct {
    GArray *steps;    /* (element-type DtStep) the call is behind the last */
    DtOperand target; /* NUMBER: an address in the file; MEMORY or REGISTER: where the target's address is */
} DtCode;

/**
 * The code before the call that returns to an address of a file. Straight-line: to none of its instructions but the
 * first a jump of the function leads, nor is there a call between. NULL: it is not known. O(bytes of the function).
 */
DtCode *dt_code_before(DtLiveImage *image, guint64 return_address);
void dt_code_free(DtCode *code);
/** Bytes of a file at an address that is code or data that nobody writes to; FALSE: there are none. */
gboolean dt_code_read(const DtLiveImage *image, guint64 address, void *to, gsize bytes);
/** The slot from which a linkage stub takes its target: a file's address; FALSE: there is no such stub. */
gboolean dt_code_linkage(const DtLiveImage *image, guint64 stub, guint64 *slot);

G_END_DECLS

#endif
