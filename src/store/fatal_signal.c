/* Which thread the signal that ended a process had hit. */
#include "store/run_private.h"

/* TRUE if `one` tells more of why the process ended than `two`. Threads that meet the default action end the process,
 * the first of them; of those whose handler was called, it is the last. */
static gboolean is_better(const struct dt_last_signal *one, const struct dt_last_signal *two)
{
    if (one->fate != two->fate)
        return one->fate == DT_SIGNAL_FATAL;
    return one->fate == DT_SIGNAL_FATAL ? one->monotonic_ns < two->monotonic_ns : one->monotonic_ns > two->monotonic_ns;
}

static gboolean is_candidate(const DtTraceEntry *entry)
{
    const DtProcess *process = &entry->process->process;
    return process->end == DT_END_SIGNAL && process->status > 0 &&
           entry->record->signal.number == (guint32)process->status;
}

static void tell(DtTraceEntry *hit)
{
    const struct dt_last_signal *signal = &hit->record->signal;
    const DtProcessEntry *process = hit->process;
    hit->trace.fatal_signal = (gint)signal->number;
    hit->trace.fatal_sent = signal->code <= 0 && signal->sender != process->process.pid;
    hit->trace.fatal_words = signal->fate == DT_SIGNAL_FATAL ? signal->words : 0;
    hit->trace.fatal_function = signal->function < process->function_count ? process->functions[signal->function] : 0;
}

void dt_find_fatal_signals(DtRun *run)
{
    g_autofree DtTraceEntry **hits = g_new0(DtTraceEntry *, run->processes->len);
    for (guint i = 0; i < run->traces->len; i++) {
        DtTraceEntry *entry = g_ptr_array_index(run->traces, i);
        DtTraceEntry **hit = &hits[entry->process->process.index];
        if (is_candidate(entry) && (!*hit || is_better(&entry->record->signal, &(*hit)->record->signal)))
            *hit = entry;
    }
    for (guint i = 0; i < run->processes->len; i++)
        if (hits[i])
            tell(hits[i]);
}
