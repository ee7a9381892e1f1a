/*
 * Waits: the blame of the wait-for graph, in a run that hung. If somebody died, that
 * is why others wait.
 */
#include "verdict/evidence.h"

static void judge_waits(const DtCase *own, DtFinding *findings)
{
    if (!own->waits || !own->unfinished || dt_somebody_has(own, DT_EVIDENCE_DIED))
        return;
    g_autoptr(GHashTable) waiters = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < own->waits->waiters->len; i++) {
        DtWaiter *waiter = g_ptr_array_index(own->waits->waiters, i);
        g_hash_table_insert(waiters, (gpointer)waiter->trace->label, waiter);
    }
    for (guint trace = 0; trace < own->corpus->traces; trace++) {
        const DtWaiter *waiter = g_hash_table_lookup(waiters, g_ptr_array_index(own->corpus->labels, trace));
        if (waiter && own->evidence[trace].present)
            findings[trace] = (DtFinding){.value = waiter->blame, .reason = waiter->reason};
    }
}

static char *tell_waits(const DtCase *own, guint trace)
{
    const char *reason = own->evidence[trace].findings[DT_EVIDENCE_WAITS].reason;
    return g_strdup(reason ? reason : "others wait for it");
}

const DtEvidenceKind dt_kind_waits = {
    .name = "waits", .weight = 1, .weight_alone = 2, .judge = judge_waits, .tell = tell_waits};
