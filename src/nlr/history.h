/**
 * The latest symbols of a sequence, in one piece of memory.
 */
#ifndef DT_NLR_HISTORY_H
#define DT_NLR_HISTORY_H

#include <glib.h>

/** So many symbols are always there, if there were as many. */
#define DT_HISTORY_SYMBOLS ((gsize)1 << 16)

typedef struct {
    guint32 *symbols;
    gsize length; /* at most twice DT_HISTORY_SYMBOLS */
} DtHistory;

void dt_history_init(DtHistory *history);
void dt_history_clear(DtHistory *history);

/** Appends up to `count` symbols, at least one; returns how many. What came before may move. */
gsize dt_history_append(DtHistory *history, const guint32 *symbols, gsize count);
/** The same with the symbols `period` before; `period` at most DT_HISTORY_SYMBOLS and what is there. */
gsize dt_history_repeat(DtHistory *history, gsize period, guint64 count);
/** As if `count` symbols had been appended that repeat those `period` before. */
void dt_history_skip(DtHistory *history, gsize period, guint64 count);

/** How many symbols from `from` on, at most `count`, equal those `period` before. */
gsize dt_history_match(const DtHistory *history, gsize from, gsize period, gsize count);

#endif
