/** Trace files of the original ParLOT tools. */
#ifndef DT_IMPORT_PARLOT_H
#define DT_IMPORT_PARLOT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    enum {
        DT_PARLOT_WHOLE, /* compressed, with the byte that ends it */
        DT_PARLOT_CUT,   /* compressed, its end missing */
        DT_PARLOT_WORDS  /* not compressed */
    } kind;
    gsize bytes; /* of it that count: cut, whole groups; words, without the last byte */
} DtParlotTrace;

/** What a file is. About 1 in 50 places where a trace may be cut leave one that looks whole. */
DtParlotTrace dt_parlot_classify(const guint8 *data, gsize bytes);

G_END_DECLS

#endif
