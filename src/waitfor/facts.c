#include "waitfor/facts.h"

static void collectives_clear(gpointer data)
{
    dt_collectives_clear(data);
}

DtFacts *dt_facts_new(const DtTrace *trace)
{
    DtFacts *facts = g_new0(DtFacts, 1);
    facts->trace = trace;
    facts->transfers = g_array_new(FALSE, FALSE, sizeof(DtTransfer));
    facts->collectives = g_array_new(FALSE, FALSE, sizeof(DtCollectives));
    g_array_set_clear_func(facts->collectives, collectives_clear);
    facts->locks = g_array_new(FALSE, FALSE, sizeof(DtLockUse));
    facts->wakers = g_array_new(FALSE, FALSE, sizeof(guint));
    facts->symbols = g_array_new(FALSE, FALSE, sizeof(guint32));
    return facts;
}

void dt_facts_free(DtFacts *facts)
{
    if (!facts)
        return;
    g_array_unref(facts->transfers);
    g_array_unref(facts->collectives);
    g_array_unref(facts->locks);
    g_array_unref(facts->wakers);
    g_array_unref(facts->symbols);
    g_free(facts->end);
    g_free(facts);
}
