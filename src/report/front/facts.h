/** What the first screen of the page tells, found once. Internal to the page. */
#ifndef DT_REPORT_FRONT_FACTS_H
#define DT_REPORT_FRONT_FACTS_H

#include "report/front/parting.h"
#include "report/page.h"

G_BEGIN_DECLS

/** A call that a trace is in. */
typedef struct {
    char *call;       /* with its arguments where these are known */
    char *source;     /* the line that it is at: "sort.c:97"; NULL: not known */
    gboolean inlined; /* into the function behind it */
} DtFrontFrame;

/** Lines of a source file. */
typedef struct {
    char *file; /* as it is shown */
    guint first, marked;
    GPtrArray *lines; /* (element-type utf8) without tabs */
    gboolean newer;   /* the file has changed since the run was recorded */
} DtFrontExcerpt;

/** Everything is borrowed from the page unless said otherwise. */
typedef struct {
    const DtPage *page;
    const DtSuspectRow *prime; /* NULL: nobody is accused */
    const DtSuspectRow *lead;  /* it, or where nobody stands out the first that there is evidence against; NULL */
    const DtCheckRow *proved;  /* an error that the faulty run proves, and the normal one has not; NULL */
    const DtTrace *trace;      /* its, in the faulty run; NULL: not there */
    char *who;                 /* "Rank 5", "Ranks 1-3", "Thread 2"; NULL: nobody */
    gboolean many;             /* `who` are several */
    GPtrArray *frames;         /* owned (element-type DtFrontFrame), innermost first; empty: it has ended */
    char *address;          /* owned: what it tried to access when it crashed, "0x0"; NULL: not known, or it did not */
    char *at;               /* owned: the line of the program that it was at, or departs at; NULL: not known */
    DtFrontExcerpt excerpt; /* lines NULL: not there */
    const DtDiffNlrReport *difference; /* of the prime suspect, or else of the first trace that has one; NULL */
    gboolean with_arguments;           /* it is by calls with arguments */
    gboolean departs;
    DtParting departure; /* if it departs */
} DtFrontFacts;

DtFrontFacts *dt_front_facts_new(const DtPage *page);
void dt_front_facts_free(DtFrontFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFrontFacts, dt_front_facts_free)

/** The call in which it waits or ended, and which tells most: of a library if there is one; NULL: none. Borrowed. */
const DtFrontFrame *dt_front_telling_frame(const DtFrontFacts *facts);
/** What a rule says is wrong, "Members give different roots to the same collective call", without its full stop;
 * g_free(). */
char *dt_front_meaning(const DtCheckRow *row);
/** Those that a finding is of, "5-6"; g_free(). */
char *dt_front_traces(const DtCheckRow *row);
/** One sentence, without a full stop; g_free(). */
char *dt_front_headline(const DtFrontFacts *facts);
/** What the verdict says beside that and beside the reasons against the prime suspect; may be ""; g_free(). */
char *dt_front_besides(const DtFrontFacts *facts);
/** The first reason against the prime suspect, which says where it departs; g_free(). */
char *dt_front_first_reason(const DtFrontFacts *facts);

G_END_DECLS

#endif
