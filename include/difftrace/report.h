/**
 * Reports: every result in the forms in which it is shown.
 *
 * A renderer takes a result and a format and gives the report as a string (UTF-8,
 * ends with a newline, g_free()), or NULL; nothing here prints or writes files. A format
 * that a result does not have is DT_REPORT_ERROR_FORMAT, and the message lists
 * those that it has. Every JSON document has "version": 1 and no NaN.
 *
 * Not thread safe: Graphviz keeps state of its own, so draw one picture at a time.
 */
#ifndef DIFFTRACE_REPORT_H
#define DIFFTRACE_REPORT_H

#include "compare.h"
#include "waitfor.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_REPORT_ERROR (dt_report_error_quark())
typedef enum {
    DT_REPORT_ERROR_FORMAT,    /* the report has no such format */
    DT_REPORT_ERROR_TOO_LARGE, /* a picture that nobody could read, or Graphviz finish */
    DT_REPORT_ERROR_PICTURE,   /* Graphviz or cairo failed */
    DT_REPORT_ERROR_DOCUMENT   /* a result.json that cannot be read */
} DtReportError;
GQuark dt_report_error_quark(void);

typedef enum {
    DT_FORMAT_TEXT,
    DT_FORMAT_TERMINAL, /* text with colours, where the report has any; never the only sign */
    DT_FORMAT_JSON,
    DT_FORMAT_TSV,
    DT_FORMAT_DOT,
    DT_FORMAT_SVG,
    DT_FORMAT_CXT
} DtReportFormat;
/** "text"; static. */
const char *dt_report_format_name(DtReportFormat format);
/** "text", "json", "tsv", "dot", "svg", "cxt"; else DT_REPORT_ERROR_FORMAT, and *format stays. */
gboolean dt_report_format_parse(const char *text, DtReportFormat *format, GError **error);

/* ---- a run ------------------------------------------------------------------------ */

/** What a run holds. */
typedef struct {
    const DtRun *run;
    const guint64 *events; /* per trace of the run: entries and returns */
    guint width;           /* of the text in characters, 0: any */
    gboolean skipped;      /* with the names of the functions that have no hook */
} DtRunReport;
/** Text, TSV (the processes, or the functions without a hook if these are asked for), JSON. */
char *dt_report_run(const DtRunReport *what, DtReportFormat format, GError **error);

/** A process or a thread in numbers. */
typedef struct {
    const char *label;
    guint64 events, calls, functions; /* functions: different ones called */
} DtCallCounts;

typedef enum { DT_STATISTICS_FUNCTION, DT_STATISTICS_EDGE, DT_STATISTICS_PROCESS, DT_STATISTICS_THREAD } DtStatisticsBy;
/** Calls by function, by edge, by process or by thread. */
typedef struct {
    DtStatisticsBy by;
    const DtFunctions *functions;
    const DtStatistics *statistics; /* by function, edge */
    const DtCallCounts *counts;     /* by process, thread */
    gsize counted;
    guint width; /* of the text in characters, 0: any */
} DtStatisticsReport;
/** Text, TSV, JSON; the call graph as DOT, SVG (by edge). */
char *dt_report_statistics(const DtStatisticsReport *what, DtReportFormat format, GError **error);

/** The call stack of a trace. */
typedef struct {
    const char *trace;
    const DtFunctions *functions;
    const guint32 *frames; /* outermost first */
    guint depth;
    guint never_returned;     /* the outermost so many of them never returned */
    const char *const *lines; /* NULL, or "file:line" for each frame, NULL where it is not known */
    const char *const *calls; /* the same of where each was called */
    const char *at;           /* "file:line" of the program that it was at, innermost; NULL: unknown */
    const char *inlined;      /* the function of that line, if the compiler has inlined it; NULL: it has not */
    gint signal;              /* that hit it and ended the process; 0: none */
    const char *fault;        /* "0x0": what it tried to access then; NULL: nothing, or unknown */
} DtStackReport;
/** Text, TSV, JSON. */
char *dt_report_stack(const DtStackReport *what, DtReportFormat format, GError **error);

/** Stacks of many traces, merged at their common outermost frames. */
typedef struct DtStackTree DtStackTree;
/** Without stacks. `functions` must outlive it. */
DtStackTree *dt_stack_tree_new(const DtFunctions *functions);
void dt_stack_tree_free(DtStackTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtStackTree, dt_stack_tree_free)
/** Traces in the order in which they shall be listed. */
void dt_stack_tree_add(DtStackTree *tree, const char *trace, const guint32 *frames, guint depth);
/** How the trace that was added last ended, as a leaf of its own: "signal 11 (Segmentation fault) at heat.c:140". */
void dt_stack_tree_add_end(DtStackTree *tree, const char *end);
/** Shows where functions start: `lines` has "file:line" or NULL by function id (GUINT_TO_POINTER()); a reference is
 * taken. */
void dt_stack_tree_set_lines(DtStackTree *tree, GHashTable *lines);
/** Text, TSV, JSON, DOT, SVG. */
char *dt_report_stack_tree(const DtStackTree *tree, DtReportFormat format, GError **error);

/** Text, in `width` characters (0: any), TSV, JSON, DOT, SVG. */
char *dt_report_wait_for(const DtWaitFor *waits, guint width, DtReportFormat format, GError **error);

/* ---- NLR and lattice ---------------------------------------------------------------- */

/** Folded traces of a run. */
typedef struct {
    const char *filter; /* notation */
    const DtFunctions *functions;
    DtLoopTable *table;
    const DtCallTree *tree;
    const GPtrArray *traces; /* (element-type DtFoldedTrace) those to be shown */
} DtNlrReport;
/** Text, TSV, JSON. */
char *dt_report_nlr(const DtNlrReport *what, DtReportFormat format, GError **error);

/** The concept lattice of a run's traces. */
typedef struct {
    const char *run, *filter, *attributes;
    const DtContext *context;
    const DtLattice *lattice;
} DtLatticeReport;
/** Text, TSV, JSON, DOT, SVG, CXT. Pictures have at most DT_LATTICE_PICTURE_LIMIT concepts. */
char *dt_report_lattice(const DtLatticeReport *what, DtReportFormat format, GError **error);
enum { DT_LATTICE_PICTURE_LIMIT = 100 };
/**
 * DOT or SVG of the upper part of the context's lattice (dt_lattice_new_upper(); what->lattice is not looked at): at
 * most *most concepts, and no more than can be drawn. *most: how many that allows. It says what it leaves out.
 */
char *dt_report_lattice_upper(const DtLatticeReport *what, guint *most, DtReportFormat format, GError **error);

/* ---- diffNLR -------------------------------------------------------------------------- */

/** How a trace differs between two runs. */
typedef struct {
    const char *trace, *filter;
    const char *normal, *faulty; /* names of the runs */
    const DtFunctions *functions;
    DtLoopTable *table;
    const DtCallTree *tree;
    const DtDiffNlr *diff;
    guint width; /* of the text in characters, 0: any */
} DtDiffNlrReport;
/** Text, terminal, TSV, JSON, DOT, SVG. Pictures show the first DT_DIFFNLR_PICTURE_BOXES boxes and say what they leave
 * out.
 */
char *dt_report_diffnlr(const DtDiffNlrReport *what, DtReportFormat format, GError **error);
enum { DT_DIFFNLR_PICTURE_BOXES = 90 };

/* ---- matrices and clusters ----------------------------------------------------------------- */

/** A similarity matrix. */
typedef struct {
    DtSide side;
    const char *filter, *attributes;
    const char *const *labels; /* matrix->n of them */
    const DtMatrix *matrix;
    const DtDendrogram *clustering; /* of the same traces, or NULL */
} DtMatrixReport;
/**
 * Text, TSV, JSON: in the order of the traces. SVG: a heat map, in the order of the clustering's leaves if there is
 * one, so that clusters are blocks along its diagonal. Of more than DT_MATRIX_PICTURE_ROWS traces it shows the classes
 * of traces with equal rows; and of more classes than that, means over several.
 */
char *dt_report_matrix(const DtMatrixReport *what, DtReportFormat format, GError **error);
enum { DT_MATRIX_PICTURE_ROWS = 1000 };

/** A hierarchical clustering. */
typedef struct {
    DtSide side;
    const char *filter, *attributes, *linkage;
    const char *const *labels; /* of the leaves */
    const DtDendrogram *dendrogram;
} DtDendrogramReport;
/** Text, TSV (the merges), JSON, SVG: with more than DT_DENDROGRAM_PICTURE_ROWS leaves its topmost clusters only. */
char *dt_report_dendrogram(const DtDendrogramReport *what, DtReportFormat format, GError **error);
enum { DT_DENDROGRAM_PICTURE_ROWS = 200 };

/* ---- comparison ------------------------------------------------------------------------------ */

/** At most `top` suspects and `top` ranking rows; 0 = all. Text, in `width` characters (0: any), TSV (suspects), JSON.
 */
char *dt_report_comparison(const DtComparison *comparison, guint top, guint width, DtReportFormat format,
                           GError **error);
/** The table of suspects alone. Text, TSV. */
char *dt_report_suspects(const DtComparison *comparison, guint top, DtReportFormat format, GError **error);
/** The rows of all configurations. Text, TSV. */
char *dt_report_ranking(const DtComparison *comparison, guint top, DtReportFormat format, GError **error);

/** The result document: the comparison's JSON with its recipe. */
char *dt_comparison_to_document(const DtComparison *comparison);
/** A comparison read back from its document; DT_REPORT_ERROR_DOCUMENT if it is none. */
DtComparison *dt_comparison_from_document(const char *json, GError **error);

#pragma GCC visibility pop
G_END_DECLS

#endif
