/**
 * A parsed filter, as parser, compiler and printer share it.
 */
#ifndef DT_FILTERS_FILTER_H
#define DT_FILTERS_FILTER_H

#include "filters/filters.h"
#include "filters/regex.h"

/** What is kept: a category, or the names that an expression matches. */
typedef struct {
    int category; /* DT_CATEGORY_NONE: by expression */
    DtRegex *regex;
} DtFilterPart;

struct DtFilter {
    gboolean drop_returns;
    gboolean drop_anonymous_plt;
    guint k;       /* 0: not named */
    GArray *parts; /* (element-type DtFilterPart), at least one, without repetition */
};

#endif
