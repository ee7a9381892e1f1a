#include "decoder/open_calls.h"

/* Where calls were made whose arguments are recorded. */
static void place_by_site(const DtRun *run, const DtTrace *trace, guint32 id, DtOpenCall *call)
{
    const DtCallSite *site = dt_run_call_site(run, trace->process, id);
    if (!site)
        return;
    call->known = TRUE;
    call->place = site->place;
}

/* The tracer's frames are the same calls from the innermost outwards, but for those that only one of both has: a
 * terminating function that was open, a handler that began later. */
static void place_by_frames(const GArray *frames, GArray *calls)
{
    guint next = 0;
    for (guint i = calls->len; i-- > 0 && next < frames->len;) {
        DtOpenCall *call = &g_array_index(calls, DtOpenCall, i);
        guint at = next;
        while (at < frames->len && g_array_index(frames, DtOpenFrame, at).function != call->function)
            at++;
        if (at == frames->len)
            continue;
        const DtOpenFrame *frame = &g_array_index(frames, DtOpenFrame, at);
        next = at + 1;
        if (frame->known) {
            call->known = TRUE;
            call->place = frame->place;
        }
    }
}

GArray *dt_open_calls_at_end(const DtRun *run, const DtTrace *trace, GError **error)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_FILE_IDS, error);
    if (!reader)
        return NULL;
    guint depth;
    dt_reader_seek(reader, G_MAXUINT64);
    const guint32 *ids = dt_reader_open_calls(reader, &depth);
    GArray *calls = g_array_sized_new(FALSE, TRUE, sizeof(DtOpenCall), depth);
    for (guint i = 0; i < depth; i++) {
        DtOpenCall call = {.function = dt_run_function_of_id(run, trace->process, ids[i]),
                           .signature = dt_run_signature_of_id(run, trace->process, ids[i])};
        place_by_site(run, trace, ids[i], &call);
        g_array_append_val(calls, call);
    }
    g_autoptr(GArray) frames = dt_run_open_frames(run, trace);
    place_by_frames(frames, calls);
    return calls;
}

gboolean dt_open_calls_innermost(const DtRun *run, const DtTrace *trace, const GArray *calls, DtPlace *place)
{
    DtSignalHit hit;
    if (dt_run_signal_hit(run, trace, &hit) && hit.known) {
        *place = hit.place;
        return TRUE;
    }
    for (guint i = calls->len; i-- > 0;) {
        const DtOpenCall *call = &g_array_index(calls, DtOpenCall, i);
        if (!call->known || !dt_run_place_is_own(run, trace->process, &call->place))
            continue;
        *place = call->place;
        return TRUE;
    }
    return FALSE;
}
