/**
 * What a line of code does, as far as arguments of calls are made of it. In a module of its own, difftrace-decode.so,
 * because it brings Capstone, whose tables every command would have to relocate. x86_64 only.
 */
#ifndef DT_ATTACH_DECODE_DECODE_H
#define DT_ATTACH_DECODE_DECODE_H

#include <glib.h>

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

/** Code of a function, or of a part of it that stands elsewhere. */
typedef struct {
    const guint8 *bytes;
    gsize count;
    guint64 address; /* in the file */
} DtCodePart;

typedef struct {
    const DtCodePart *parts; /* the first has the call, the others may jump into it */
    guint part_count;
    guint64 call_end;
    gboolean is_doubtful; /* not all of its parts are here: of what comes before the call nothing is certain */
    GArray *steps;        /* they are added to it (element-type DtStep) */
    DtOperand target;     /* of the call */
} DtDecoding;

/** FALSE: there is no such call. O(bytes of the parts). */
typedef gboolean (*DtDecode)(DtDecoding *decoding);
#define DT_DECODE_NAME "dt_decode_before_call"

G_END_DECLS

#endif
