/** A job that is watched: what the forms in which watch shows it share. */
#ifndef DT_COMMANDS_WATCH_WATCH_JOB_H
#define DT_COMMANDS_WATCH_WATCH_JOB_H

#include "agent/agent.h"
#include "live/classes.h"
#include "report/live_report.h"

G_BEGIN_DECLS

typedef struct {
    DtLive *live;
    DtStuck *stuck;
    DtLiveClasses *classes;
    DtNodes *nodes;         /* NULL: nobody is there on other nodes */
    GPtrArray *unseen;      /* (element-type utf8): what is not seen of other nodes */
    DtJobState state;       /* of the last look */
    gboolean iterations;    /* are shown */
    gboolean ends_if_stuck; /* the watch does */
    gboolean cannot_listen; /* it was tried */
    gboolean is_screen;     /* messages would spoil it */
    gboolean has_begun;     /* there is something to be shown */
    char *waits;            /* who waits for whom, by the last look; NULL: not known */
    gdouble period;         /* seconds between two blocks */
    const char *listen;     /* the address on which to listen to agents; NULL: as they need */
    const char *page;       /* that is written each time; NULL: none */
} DtWatchJob;

/** Between two looks; seconds. */
#define DT_WATCH_LOOK 0.5

/** Listens to agents if the run may have some, and waits a moment for those that it has. */
void dt_watch_listen(DtWatchJob *job);
/** Prints how many connections were refused, if more than the one that was told. */
void dt_watch_tell_refused(const DtWatchJob *job);
/** Waits for so long at most, or until an agent tells something. */
void dt_watch_wait(const DtWatchJob *job, gdouble seconds);
/** Reads the heads, and whether the job can get on. */
void dt_watch_look(DtWatchJob *job);
/** After a look: the classes anew, and the page. `all`: whatever time it takes. FALSE with an error: the page cannot be
 * written, or what ended had nothing to be read. */
gboolean dt_watch_update(DtWatchJob *job, gboolean all, GError **error);
/** TRUE if the watch ends by itself. */
gboolean dt_watch_is_done(const DtWatchJob *job);
/** What there is to be shown, after an update; borrowed until the next one. */
DtLiveReport dt_watch_report(const DtWatchJob *job, guint width);

/** On a terminal that can do it, until it is done or the user has seen enough. FALSE with an error: the screen cannot
 * be had (*shown is FALSE), or something failed. */
gboolean dt_watch_screen(DtWatchJob *job, gboolean *shown, GError **error);

G_END_DECLS

#endif
