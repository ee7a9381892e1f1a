/**
 * A parsed filter, as parser, compiler and printer share it.
 */
#ifndef DT_FILTERS_FILTER_H
#define DT_FILTERS_FILTER_H

#include "filters/filters.h"
#include "filters/regex.h"

/** What an expression is matched with: the function, the one that calls it, any of those that are open. */
typedef enum { DT_PART_FUNCTION, DT_PART_CALLER, DT_PART_UNDER } DtPartKind;

/** What is kept: a category, or what an expression matches. */
typedef struct {
    int category; /* DT_CATEGORY_NONE: by expression */
    DtRegex *regex;
    DtPartKind kind;
} DtFilterPart;

struct DtFilter {
    gboolean drop_returns;
    gboolean drop_anonymous_plt;
    guint k;       /* 0: not named */
    GArray *parts; /* (element-type DtFilterPart), at least one, without repetition */
};

#endif
