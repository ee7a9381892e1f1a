#include "waitfor/persistent.h"

#include "decoder/live_requests.h"

typedef struct {
    const DtCallRoles *roles;
    const DtNotes *notes;
    guint next_note;
    DtLiveRequests *live;
    GHashTable *made; /* number of a persistent request -> id of the call that made it */
    GArray *starts;   /* (element-type DtCallCount) */
    gboolean knows_all;
} Starts;

static void add_start(Starts *starts, guint32 id)
{
    for (guint i = 0; i < starts->starts->len; i++) {
        DtCallCount *count = &g_array_index(starts->starts, DtCallCount, i);
        if (count->id != id)
            continue;
        count->calls++;
        return;
    }
    const DtCallCount count = {id, 1};
    g_array_append_val(starts->starts, count);
}

static void start_all(Starts *starts, const DtCallRequests *requests)
{
    starts->knows_all = starts->knows_all && requests->named;
    for (guint i = 0; requests->named && i < requests->named_count; i++) {
        const guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(starts->made, GUINT_TO_POINTER(requests->named[i])));
        if (id != 0)
            add_start(starts, id);
        else if (requests->named[i] == 0) /* nobody knows which; else a request for something else than a message */
            starts->knows_all = FALSE;
    }
}

/* Arguments that vary as they were this time. */
static void fill_in(Starts *starts, DtSignature *signature, guint64 position)
{
    for (; starts->next_note < dt_notes_count(starts->notes); starts->next_note++) {
        const DtNote *note = dt_notes_get(starts->notes, starts->next_note);
        if (note->position > position)
            break;
        if (note->position == position)
            dt_signature_fill(signature, starts->notes, note);
    }
}

static void follow(Starts *starts, guint32 event, guint64 position)
{
    const DtSignature *recorded = event != DT_EVENT_RETURN ? dt_counted_signature(starts->roles, event) : NULL;
    if (!recorded) {
        dt_live_requests_follow(starts->live, event == DT_EVENT_RETURN ? event : G_MAXUINT32, position, NULL);
        return;
    }
    DtSignature signature = *recorded;
    const DtRole role = dt_role_of_id(starts->roles, event);
    DtCallRequests requests;
    fill_in(starts, &signature, position);
    dt_live_requests_follow(starts->live, event, position, &signature);
    if (role != DT_ROLE_PERSISTENT && role != DT_ROLE_START)
        return;
    const gboolean is_known = dt_live_requests_of_call(starts->live, &requests);
    starts->knows_all = starts->knows_all && is_known;
    if (is_known && role == DT_ROLE_PERSISTENT)
        g_hash_table_insert(starts->made, GUINT_TO_POINTER(requests.made), GUINT_TO_POINTER(event));
    else if (is_known)
        start_all(starts, &requests);
}

GArray *dt_persistent_starts(const DtRun *run, const DtTrace *trace, const DtCallRoles *roles, const DtNotes *notes,
                             guint64 to)
{
    enum { BATCH = 4096 };
    guint32 events[BATCH];
    guint64 positions[BATCH];
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_WITH_ARGUMENTS, NULL);
    g_autoptr(DtLiveRequests) live = dt_live_requests_new(roles->functions, notes);
    g_autoptr(GHashTable) made = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) starts = g_array_new(FALSE, FALSE, sizeof(DtCallCount));
    Starts all = {roles, notes, 0, live, made, starts, reader != NULL};
    for (gsize count = 1; reader && count > 0;) {
        count = dt_reader_next_at(reader, events, positions, BATCH);
        for (gsize i = 0; i < count && positions[i] <= to; i++)
            follow(&all, events[i], positions[i]);
        if (count > 0 && positions[count - 1] > to)
            break;
    }
    return all.knows_all ? g_steal_pointer(&starts) : NULL;
}
