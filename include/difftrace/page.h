/**
 * report.html: a comparison on one page that needs nothing but itself.
 *
 * The page is src/report/html/ (markup, style, script) with its first screen as
 * markup (src/report/front/), which is there without scripts, and the comparison as one
 * JSON block in it, whose form is docs/schemas/page.schema.json. Pictures are drawn
 * by the page. What grows with the runs is bounded: long diffNLRs are cut in their
 * middle, matrices of many traces are shown by clusters; the page says so.
 */
#ifndef DIFFTRACE_PAGE_H
#define DIFFTRACE_PAGE_H

#include "report.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

/** A matrix and its clustering, over the same traces. */
typedef struct {
    DtSide side;
    const DtMatrix *matrix;
    const DtDendrogram *dendrogram;
} DtPageView;

/** A run's lattice as dt_report_lattice() draws it. */
typedef struct {
    DtSide side;
    const char *svg; /* NULL: `note` says why there is none */
    const char *note;
} DtPageLattice;

/** A line of how the skeletons of both runs differ. */
typedef struct {
    const char *of;   /* "same", "first", "second", "changed" */
    const char *text; /* indented */
} DtPageSkeletonLine;

/** What parts of the page are made from; all borrowed. */
typedef struct {
    const DtRun *normal, *faulty; /* normal NULL: faulty alone */
    const DtFunctions *functions; /* of both */
    const GPtrArray *suspects;    /* (element-type DtSuspectRow) most suspicious first */
    /* Something that is the same for traces of a run that have the same events; NULL: not known. */
    gconstpointer (*same)(DtSide of, const DtTrace *trace, gpointer user_data);
    gpointer user_data;
    guint jobs; /* at least 1 */
} DtPageWants;

/** What is known of the times of both runs. */
typedef struct DtPageTimes DtPageTimes;
/** NULL: neither run has times, there are too many of them, or a trace cannot be read. O(events). */
DtPageTimes *dt_page_times_new(const DtPageWants *wants);
void dt_page_times_free(DtPageTimes *times);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPageTimes, dt_page_times_free)

/** How often, and with times how long, both runs were in each function, by what called it: of all traces, and of some
 * suspects each. */
typedef struct DtPageCalls DtPageCalls;
/** NULL: too much would have to be read, or a trace cannot be. O(events), those of traces that are the same once unless
 * there are times. */
DtPageCalls *dt_page_calls_new(const DtPageWants *wants);
void dt_page_calls_free(DtPageCalls *calls);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtPageCalls, dt_page_calls_free)

/** All that a page shows; everything is borrowed. */
typedef struct {
    const char *version; /* of difftrace */
    const DtComparison *comparison;
    const DtRunReport *runs[2]; /* normal, faulty; normal NULL: faulty alone */
    const DtStackTree *stacks;  /* the faulty run's, at its end */
    const GArray *differences;  /* (element-type DtDiffNlrReport) most suspicious first */
    const GArray *detailed;     /* (element-type DtDiffNlrReport) some of them, calls with arguments; NULL: none */
    /* Of one configuration, the ranking table's best row. */
    const char *filter, *attributes, *linkage;
    const char *const *labels;  /* of the views' traces */
    const gboolean *suspicious; /* by trace: what the published ranking calls so */
    const GArray *views;        /* (element-type DtPageView) */
    const GArray *lattices;     /* (element-type DtPageLattice) */
    const GArray *skeletons;    /* (element-type DtPageSkeletonLine); NULL: there are not two of them */
    const DtPageTimes *times;   /* NULL: there are none */
    const DtPageCalls *calls;   /* NULL: not counted */
    const DtWaitFor *waits;     /* of the faulty run; NULL: not looked at */
} DtPage;

/** The page; g_free(). Never NULL. Of one thread at a time. */
char *dt_report_page(const DtPage *page);
/** Only its data, JSON; g_free(). */
char *dt_report_page_data(const DtPage *page);

/** A view of more traces than the first shows clusters of them, at most the second many. */
enum { DT_PAGE_TRACES = 128, DT_PAGE_TILES = 200 };

/** Skeletons are compared of runs of at most so many words and different calls, as their traces are read once more for
 * that; and shown if the difference has at most so many lines. */
enum { DT_PAGE_SKELETON_WORDS = 1 << 22, DT_PAGE_SKELETON_CALLS = 2000, DT_PAGE_SKELETON_LINES = 2000 };

/** Where the verdict did not look at who waits for whom, that is done in runs of at most so many words: their traces
 * are read once more for it. */
enum { DT_PAGE_WAITS_WORDS = 1 << 22 };

/** Calls are counted of traces of at most so many words together, and by time of runs of at most so many; of so many
 * suspects alone, and so many frames are shown. */
enum {
    DT_PAGE_CALLS_WORDS = 1 << 24,
    DT_PAGE_CALLS_TIMED_WORDS = 1 << 22,
    DT_PAGE_CALLS_TRACES = 12,
    DT_PAGE_CALLS_SHOWN = 3000
};

/** Times are shown of runs of at most so many words and threads; of so many classes of threads; in all in so many cells
 * of a byte, of a row or class at most so many. */
enum {
    DT_PAGE_TIMES_WORDS = 1 << 25,
    DT_PAGE_TIMES_THREADS = 40000,
    DT_PAGE_CLASSES = 60,
    DT_PAGE_CELLS = 2400000,
    DT_PAGE_COLUMNS = 15360,
    DT_PAGE_MESSAGES = 20000
};

#pragma GCC visibility pop
G_END_DECLS

#endif
