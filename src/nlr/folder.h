/**
 * A folder inside: the stack, and the loop that the input currently repeats.
 */
#ifndef DT_NLR_FOLDER_H
#define DT_NLR_FOLDER_H

#include "nlr/fold.h"
#include "nlr/history.h"
#include "nlr/stack.h"

/*
 * While the input repeats what the loop on top stands for, its symbols are only
 * compared, and elements are made when they stop doing so (steady.c).
 */
struct DtNlrFolder {
    guint min_repeat;
    guint32 max_count;
    DtStack stack;
    DtLoopTable *bodies; /* of this sequence, also those that did not last */
    DtHistory history;
    gboolean steady; /* the loop on top goes on */
    gsize period;    /* symbols of an iteration of it */
    gsize matched;   /* symbols of an iteration that is not complete, and not on the stack */
    gsize reach;     /* symbols that are compared at once */
};

/** Reduces the top until nothing changes; TRUE if anything did: then a loop is on top. */
gboolean dt_folder_reduce(DtNlrFolder *folder);

/** After a reduction: the loop on top may go on with the symbol at `next` of the history. */
void dt_folder_expect(DtNlrFolder *folder, gsize next);
/** Steady: takes symbols of the history from `next` on; returns the first one not taken, maybe no longer steady. */
gsize dt_folder_compare(DtNlrFolder *folder, gsize next);
/** Steady: takes up to `count` symbols that repeat those `period` before; returns how many, 0 if that is not known. */
guint64 dt_folder_skip(DtNlrFolder *folder, gsize period, guint64 count);
/** Steady no more: what matched goes on the stack. */
void dt_folder_settle(DtNlrFolder *folder);

#endif
