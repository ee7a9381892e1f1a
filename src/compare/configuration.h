/**
 * One configuration of a comparison: a filter folded once for both runs, then
 * attributes, similarity and the published ranking on top of it.
 */
#ifndef DT_COMPARE_CONFIGURATION_H
#define DT_COMPARE_CONFIGURATION_H

#include "compare/runs.h"
#include "parallel/parallel.h"

G_BEGIN_DECLS

/** How loops are folded, and of what. */
typedef struct {
    guint min_repeat;
    DtNlrForm form;
    DtProjection projection;
} DtLoops;

/** The NLRs of both runs under one filter, over one loop table. */
typedef struct {
    char *filter; /* notation with its K */
    guint k;
    DtLoops loops;
    DtLoopTable *table;
    DtCallTree *tree;           /* nodes, of the form DT_NLR_CALL_TREE */
    GPtrArray *normal, *faulty; /* (element-type DtFoldedTrace) in the order of the runs; normal NULL: faulty alone */
    gboolean empty;             /* nothing was kept anywhere */
} DtFolding;
DtFolding *dt_folding_new(const DtRuns *runs, const DtFilter *filter, guint k, DtLoops loops, guint jobs,
                          GError **error);
void dt_folding_free(DtFolding *folding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFolding, dt_folding_free)
/** One without NLRs, and the plan that makes them; its set is the caller's to free. */
DtFolding *dt_folding_prepare(const DtRuns *runs, const DtFilter *filter, guint k, DtLoops loops, DtFoldPlan *plan,
                              GError **error);

/** A common trace, or a label's, in either run; NULL if the run has none. */
const DtFoldedTrace *dt_folding_normal(const DtFolding *folding, const DtRuns *runs, const char *label);
const DtFoldedTrace *dt_folding_faulty(const DtFolding *folding, const DtRuns *runs, const char *label);

/**
 * The formal context of the traces of one run, without library threads. More than
 * DT_CONTEXT_TRACES of them stand in it as classes of equal NLRs, each under the label of its
 * first trace and how many there are more, "3.0 +499".
 */
enum { DT_CONTEXT_TRACES = 256 };
DtContext *dt_folding_context(const GPtrArray *folded, const DtFunctions *functions, DtAttributeSetting attributes);

/** Similarity matrices of the common traces; normal NULL: faulty alone. */
typedef struct {
    DtMatrix *normal, *faulty;
} DtSimilarity;
DtSimilarity *dt_similarity_new(const DtRuns *runs, const DtFolding *folding, DtAttributeSetting attributes,
                                guint jobs);
void dt_similarity_free(DtSimilarity *similarity);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSimilarity, dt_similarity_free)

/** The matrix of a side; NULL and an error if there is no normal run for it. */
DtMatrix *dt_similarity_matrix(const DtSimilarity *similarity, DtSide side, GError **error);
/** Its clustering: distance 1 - similarity, or the change itself. */
DtDendrogram *dt_similarity_dendrogram(const DtSimilarity *similarity, DtSide side, DtLinkage linkage, GError **error);

/** At most so many processes and threads stand in a row of the ranking table. */
enum { DT_RANKING_LISTED = 6 };
/** The published ranking as a row of the table: what it calls suspicious, most suspicious first. In one thread. */
DtRankingRow *dt_configuration_rank(const DtRuns *runs, const DtFolding *folding, DtAttributeSetting attributes,
                                    DtLinkage linkage);

G_END_DECLS

#endif
