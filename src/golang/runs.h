/** A Go program run several times, until something is found. */
#ifndef DT_GOLANG_RUNS_H
#define DT_GOLANG_RUNS_H

#include "golang/program.h"

G_BEGIN_DECLS

typedef struct {
    const char *program;
    const char *const *arguments;
    const char *folder; /* where it runs; NULL: here */
    const char *output; /* directory of traces and logs, which is there */
    const char *name;   /* what their names begin with */
    gboolean is_test;
    guint runs, limit, yields; /* at most; ms; the first run is without yields */
    guint patience;            /* so many runs without anything new are enough; 0: none are */
} DtGoCampaign;

typedef struct {
    guint runs, found; /* made; the number of that which found something, from 1 on, 0: none did */
    guint normal;      /* the number of one that ended as it should, 0: none did */
    guint unended;     /* runs that the time limit ended while something still happened */
    gboolean failed;   /* the last one ended with another status than 0 */
    gint status;
    GPtrArray *lines; /* (element-type utf8) what was found */
    GPtrArray *notes; /* (element-type utf8) what may be good to know */
} DtGoCampaignResult;

/** FALSE with an error: the program cannot be run. */
DtGoCampaignResult *dt_go_campaign(const DtGoCampaign *campaign, GError **error);
void dt_go_campaign_result_free(DtGoCampaignResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGoCampaignResult, dt_go_campaign_result_free)

/** Path of the trace of a run; g_free(). */
char *dt_go_campaign_trace(const DtGoCampaign *campaign, guint run);

G_END_DECLS

#endif
