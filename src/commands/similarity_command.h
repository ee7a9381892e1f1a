/** What `jsm` and `dendrogram` have in common: options, and the way from a result to its matrices. */
#ifndef DT_COMMANDS_SIMILARITY_COMMAND_H
#define DT_COMMANDS_SIMILARITY_COMMAND_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/report_options.h"
#include "commands/runs.h"
#include "commands/selection_options.h"
#include "report/report.h"

G_BEGIN_DECLS

/** A configuration of a result, ready to be shown. */
typedef struct {
    DtSide side;
    const char *filter, *attributes, *linkage_name;
    DtLinkage linkage;
    const char *const *labels;
    const DtSimilarity *similarity;
} DtSimilarityView;

typedef char *(*DtSimilarityRenderer)(const DtSimilarityView *view, DtReportFormat format, GError **error);

/** Runs the command: parses, opens the result, folds, and has `render` make the report. */
int dt_similarity_command(const char *command, DtSimilarityRenderer render, int argc, char **argv);

G_END_DECLS

#endif
