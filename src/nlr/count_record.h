/**
 * A sequence of counts as it is being recorded: what repeats is written down once.
 */
#ifndef DT_NLR_COUNT_RECORD_H
#define DT_NLR_COUNT_RECORD_H

#include "nlr/nlr.h"

/** A count, or (`times` above 0) that the last `value` counts come `times` times more. */
typedef struct {
    guint64 value, times;
} DtCountStep;

typedef struct {
    GArray *steps; /* (element-type DtCountStep) */
    guint64 length;
} DtCountRecord;

DtCountRecord *dt_count_record_new(void);
void dt_count_record_free(DtCountRecord *record);
void dt_count_record_add(DtCountRecord *record, guint32 count);
/** The last `length` counts, at most DT_NLR_MAX_PERIOD, come `times` times more. */
void dt_count_record_repeat(DtCountRecord *record, guint64 length, guint64 times);
/** Folds the counts; O(steps) where they repeat. */
DtNlr *dt_count_record_fold(const DtCountRecord *record, DtNlrFolder *folder, DtLoopTable *table);

/** A place in a folded sequence of counts. */
typedef struct DtCountCursor DtCountCursor;
/** At the first count; borrows its arguments. */
DtCountCursor *dt_count_cursor_new(const DtLoopTable *table, DtElements elements);
void dt_count_cursor_free(DtCountCursor *cursor);
/** Goes on by `number` counts, at most as many as there are; returns their sum. O(length of what is folded). */
guint64 dt_count_cursor_advance(DtCountCursor *cursor, guint64 number);

#endif
