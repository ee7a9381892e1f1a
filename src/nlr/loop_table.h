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
    guint32 first_symbol;
    guint32 largest_count; /* noted so far, 0 at first */
} DtLoopBody;

/** The id of a body, a new one if it is not known yet; its inner bodies are in the table already. */
guint32 dt_loop_table_intern(DtLoopTable *table, const DtElement *elements, gsize length, guint64 hash);
const DtLoopBody *dt_loop_table_get(const DtLoopTable *table, guint32 body);
/** The first symbol that an element expands to. */
guint32 dt_loop_table_first_symbol(const DtLoopTable *table, DtElement element);
/** Raises the largest count of the loop's body to that of the loop. */
void dt_loop_table_note_count(DtLoopTable *table, DtElement loop);
/** Forgets all bodies. */
void dt_loop_table_clear(DtLoopTable *table);

#endif
