/**
 * The loop table as folding fills it. Bodies never move once they are in.
 */
#ifndef DT_NLR_LOOP_TABLE_H
#define DT_NLR_LOOP_TABLE_H

#include "nlr/nlr.h"

/** One more body than there are ids: the table is full. */
#define DT_LOOP_TABLE_LIMIT 0x7fffffffu

enum { DT_NOTED_SMALL = 64, DT_NOTED_LARGE = 6 };

/** One body of a loop. */
typedef struct {
    const DtElement *elements;
    gsize length;
    guint64 hash;    /* dt_sequence_hash() of the elements */
    guint64 symbols; /* that one iteration expands to */
    guint32 first_symbol;
    guint32 copy;          /* bodies of equal elements are different ones if this is */
    guint32 largest_count; /* noted so far, 0 at first */
    /* Which counts were noted: those below DT_NOTED_SMALL by bits, some others in ascending order; if there are too
       many of them, all up to the largest count as if. */
    gboolean many_noted;
    guint noted_large;
    guint64 noted_small;
    guint32 noted[DT_NOTED_LARGE];
} DtLoopBody;

/** The id of a body (of its copy 0), a new one if it is not known yet; its inner bodies are in the table already. */
guint32 dt_loop_table_intern(DtLoopTable *table, const DtElement *elements, gsize length, guint64 hash);
guint32 dt_loop_table_intern_copy(DtLoopTable *table, const DtElement *elements, gsize length, guint64 hash,
                                  guint32 copy);
const DtLoopBody *dt_loop_table_get(const DtLoopTable *table, guint32 body);
/** The first symbol that an element expands to. */
guint32 dt_loop_table_first_symbol(const DtLoopTable *table, DtElement element);
/** Notes the count of the loop with its body. */
void dt_loop_table_note_count(DtLoopTable *table, DtElement loop);
/** The smallest count above `count` that may have been noted, 0 if there is none. */
guint32 dt_loop_body_next_noted(const DtLoopBody *body, guint32 count);
/** Forgets all bodies. */
void dt_loop_table_clear(DtLoopTable *table);

#endif
