/**
 * The live requests of a thread while its events go by: those that it has made and that have neither completed nor been
 * freed, the oldest first. Signatures tell requests by their places in this list, so that it tells their numbers: they
 * are counted from 1 as the thread makes them. docs/trace-format.md, section 8.
 *
 * Numbers are known from the beginning of a trace on, and as long as nothing of it is missing.
 */
#ifndef DT_DECODER_LIVE_REQUESTS_H
#define DT_DECODER_LIVE_REQUESTS_H

#include "store/store.h"

G_BEGIN_DECLS

typedef struct DtLiveRequests DtLiveRequests;
/** Both are borrowed. */
DtLiveRequests *dt_live_requests_new(const DtFunctions *functions, const DtNotes *notes);
void dt_live_requests_free(DtLiveRequests *live);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLiveRequests, dt_live_requests_free)

/** The next event and its position: DT_EVENT_RETURN, or the call with that signature, whose arguments that vary are
 * filled in. All events, one after the other. O(1) but for calls that name requests. */
void dt_live_requests_follow(DtLiveRequests *live, guint32 event, guint64 position, const DtSignature *signature);

/** What the call entered last is about, which may not have returned. */
typedef struct {
    gboolean makes, persistent, frees; /* it makes a request, which will be persistent; it frees those it names */
    gboolean tests;                    /* or only tests them */
    guint32 made;                      /* its number */
    const guint32 *named;              /* by number, 0 where that is not known; NULL: none */
    guint named_count;
} DtCallRequests;
/** FALSE: it has nothing to do with requests, or it is not known with which. Borrowed until the next event. */
gboolean dt_live_requests_of_call(const DtLiveRequests *live, DtCallRequests *requests);
/** Those that the return that was followed last has completed, by number; none after another event. Borrowed until the
 * next event. */
const guint32 *dt_live_requests_completed(const DtLiveRequests *live, guint *count);
/** The number of the request at a position in the list as it is now; 0: not known. */
guint32 dt_live_requests_at(const DtLiveRequests *live, gint64 position);

G_END_DECLS

#endif
