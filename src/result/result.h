/** A result directory opened again: its comparison, its runs, and the configuration to be shown. */
#ifndef DT_RESULT_RESULT_H
#define DT_RESULT_RESULT_H

#include "compare/configuration.h"
#include "compare/selection.h"
#include "report/report.h"

G_BEGIN_DECLS

#define DT_RESULT_ERROR (dt_result_error_quark())
typedef enum {
    DT_RESULT_ERROR_NOT_FOUND, /* no result, or not the runs that it was made from */
    DT_RESULT_ERROR_SELECTION, /* what was selected is not in it */
    DT_RESULT_ERROR_OUTPUT     /* it cannot be written */
} DtResultError;
GQuark dt_result_error_quark(void);

#define DT_RESULT_DIRECTORY "difftrace.out"
#define DT_RESULT_DOCUMENT  "result.json"

/** Reads OUT/result.json. */
DtComparison *dt_result_load(const char *directory, GError **error);

typedef struct {
    DtComparison *comparison;
    DtRuns *runs;
} DtResult;
/** Loads the result and opens the runs that it was made from. `listener`: dt_runs_open(). */
DtResult *dt_result_open(const char *directory, const DtCompareListener *listener, GError **error);
void dt_result_free(DtResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtResult, dt_result_free)

/** What one picture shows. */
typedef struct {
    DtFilter *filter;
    DtAttributeSetting attributes;
    DtLinkage linkage;
    guint k;
    DtLoops loops;
} DtChoice;
/** How the comparison folded loops. */
DtLoops dt_recipe_loops(const DtRecipe *recipe);
/** The best row's configuration, with whatever was selected in its place. */
gboolean dt_result_choose(const DtResult *result, const DtSelection *selection, DtChoice *choice, GError **error);
void dt_choice_clear(DtChoice *choice);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtChoice, dt_choice_clear)

/** Folds both runs as chosen; a filter that keeps nothing is an error. */
DtFolding *dt_result_fold(const DtResult *result, const DtChoice *choice, guint jobs, GError **error);

/** "normal", "faulty", "diff"; NULL: what there is most of. */
gboolean dt_result_side(const DtResult *result, const char *text, DtSide *side, GError **error);

G_END_DECLS

#endif
