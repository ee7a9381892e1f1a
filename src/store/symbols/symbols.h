/** Symbol files: RUN/images/<key>.sym. */
#ifndef DT_STORE_SYMBOLS_SYMBOLS_H
#define DT_STORE_SYMBOLS_SYMBOLS_H

#include "store/store.h"

G_BEGIN_DECLS

/** A symbol without a hook, and why (enum dt_skip_reason). */
typedef struct {
    guint32 symbol, reason;
} DtSkippedSymbol;

typedef struct {
    guint32 count;
    const char **names; /* of each symbol; borrowed from `text` */
    guint64 *addresses; /* in the image, load bias not added; of an import 0 */
    guint32 *ordinals;  /* among those of its name, imports apart */
    guint reasons[DT_SKIP_REASONS];
    GArray *skipped;          /* (element-type DtSkippedSymbol) those without a hook, imports apart */
    guint32 *function_ids[2]; /* of the symbol and of its import; 0: not interned yet */
    char *text;
} DtSymbols;

/**
 * Reads a symbol file from memory. On damage what is certain is given and
 * `*problem` (free with g_free()) tells the rest; never NULL.
 */
DtSymbols *dt_symbols_parse(const guint8 *data, gsize bytes, char **problem);
void dt_symbols_free(DtSymbols *symbols);

G_END_DECLS

#endif
