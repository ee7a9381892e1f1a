/**
 * The loop table as folding fills it. Bodies never move once they are in.
 */
#ifndef DT_NLR_LOOP_TABLE_H
#define DT_NLR_LOOP_TABLE_H

#include "nlr/nlr.h"

/** One more body than there are ids: the table is full. */
#define DT_LOOP_TABLE_LIMIT 0x7fffffffu

/** One body of a loop. */
typedef struct {
    const DtElement *elements;
    gsize length;
    guint64 hash;    /* dt_sequence_hash() of the elements */
    guint64 symbols; /* that one iteration expands to */
} DtLoopBody;

/** The id of a body, a new one if it is not known yet; its inner bodies are in the table already. */
guint32 dt_loop_table_intern(DtLoopTable *table, const DtElement *elements, gsize length, guint64 hash);
const DtLoopBody *dt_loop_table_get(const DtLoopTable *table, guint32 body);
/** Forgets all bodies. */
void dt_loop_table_clear(DtLoopTable *table);

#endif
