#include "waitfor/growing.h"

#include "waitfor/counts.h"
#include "waitfor/thread_key.h"

/* Of a trace. */
typedef struct {
    DtCounts *counts;
    DtStreamMark mark;
    guint64 position;      /* that the counts go up to */
    gboolean has_returned; /* it had when it was looked at */
    gboolean has_gaps;
    DtTraceActs acts;
} Known;

struct DtGrowingFacts {
    DtFunctions *functions;
    DtCallRoles *roles;
    DtCounting *counting;
    GByteArray *inits; /* by id: 1 of MPI_Init_thread, which has an id for each image that it is found in */
    GHashTable *known; /* DtThreadKey -> Known */
    gboolean is_behind;
};

static void known_free(gpointer data)
{
    Known *known = data;
    dt_counts_free(known->counts);
    g_free(known);
}

DtGrowingFacts *dt_growing_facts_new(DtFunctions *functions)
{
    DtGrowingFacts *growing = g_new0(DtGrowingFacts, 1);
    growing->functions = dt_functions_ref(functions);
    growing->roles = dt_call_roles_new(functions);
    growing->counting = dt_counting_new(growing->roles);
    growing->inits = g_byte_array_new();
    growing->known = g_hash_table_new_full(dt_thread_key_hash, dt_thread_key_equal, g_free, known_free);
    return growing;
}

void dt_growing_facts_free(DtGrowingFacts *growing)
{
    if (!growing)
        return;
    g_hash_table_unref(growing->known);
    g_byte_array_unref(growing->inits);
    dt_counting_free(growing->counting);
    dt_call_roles_free(growing->roles);
    dt_functions_unref(growing->functions);
    g_free(growing);
}

static Known *find_known(DtGrowingFacts *growing, const DtTrace *trace)
{
    const DtThreadKey key = dt_thread_key_of(trace);
    Known *known = g_hash_table_lookup(growing->known, &key);
    if (known)
        return known;
    known = g_new0(Known, 1);
    known->counts = dt_counts_new();
    g_hash_table_insert(growing->known, dt_thread_key_copy(&key), known);
    return known;
}

/* ---- one trace -------------------------------------------------------------------------------- */

static void add_role(DtTraceActs *acts, DtRole role, guint64 calls)
{
    if (dt_role_asks(role))
        acts->questions += calls;
    else if (role != DT_ROLE_NONE)
        acts->acts += calls;
    acts->uses_mpi = acts->uses_mpi || (role > DT_ROLE_NONE && role <= DT_ROLE_FINALIZE) || dt_role_asks(role);
}

/* TRUE if one of the open calls is one that waits: it has not returned. */
static gboolean waits_in_open_call(const DtCallRoles *roles, const DtCounts *counts)
{
    for (guint i = 0; i < counts->open->len; i++) {
        DtRole role = dt_role_of_id(roles, g_array_index(counts->open, guint32, i));
        if (role != DT_ROLE_NONE && role != DT_ROLE_POSTED && role != DT_ROLE_PERSISTENT && role != DT_ROLE_START &&
            role != DT_ROLE_RELEASE && !dt_role_asks(role))
            return TRUE;
    }
    return FALSE;
}

static void find_acts(const DtGrowingFacts *growing, const DtTrace *trace, Known *known)
{
    DtTraceActs acts = {0};
    for (guint i = 0; i < known->counts->calls->len; i++) {
        const DtCallCount *count = &g_array_index(known->counts->calls, DtCallCount, i);
        const DtPause pause = (DtPause)g_array_index(growing->roles->pauses, guint8, count->id);
        add_role(&acts, dt_role_of_id(growing->roles, count->id), count->calls);
        acts.shares_mpi = acts.shares_mpi || growing->inits->data[count->id];
        acts.sleeps += pause == DT_PAUSE_SLEEP ? count->calls : 0;
        acts.clocks += pause == DT_PAUSE_CLOCK ? count->calls : 0;
    }
    acts.is_partial = known->has_gaps || trace->process->dropped_events > 0 || trace->process->stopped;
    acts.is_empty = known->counts->open->len == 0;
    acts.asks = known->counts->last_test != 0 && !waits_in_open_call(growing->roles, known->counts);
    known->acts = acts;
}

/* What was dropped before anybody looked is missing from the counts; what was counted before it was dropped is not. */
static gboolean read_on(DtGrowingFacts *growing, DtCallReader *reader, const DtRun *run, const DtTrace *trace,
                        guint64 to, Known *known, GError **error)
{
    const DtTracePart part = {known->mark, known->position, to};
    if (to <= known->position)
        return TRUE;
    if (!dt_call_reader_start_part(reader, run, trace, part, error))
        return FALSE;
    known->has_gaps = known->has_gaps || dt_call_reader_position(reader) != known->position;
    dt_counting_begin(growing->counting, known->counts);
    DtCallBatch batch;
    while (dt_call_reader_next(reader, &batch))
        dt_counting_follow(growing->counting, &batch);
    const DtCallStack *stack = dt_call_reader_stack(reader);
    dt_counting_end(growing->counting, dt_call_stack_frames(stack), dt_call_stack_depth(stack));
    known->position = dt_call_reader_position(reader);
    known->mark = dt_call_reader_mark(reader);
    return TRUE;
}

/* ---- all traces ------------------------------------------------------------------------------- */

/* Of the ids that are new; that of a signature is as that of its function. */
static void find_inits(DtGrowingFacts *growing)
{
    for (guint32 id = growing->inits->len; id <= dt_functions_count(growing->functions); id++) {
        const guint32 base = id > 0 ? dt_functions_base(growing->functions, id) : 0;
        const guint8 is_init =
            base > 0 && g_str_equal(dt_functions_get(growing->functions, base)->name, "MPI_Init_thread");
        g_byte_array_append(growing->inits, &is_init, 1);
    }
}

DtWaitFor *dt_growing_facts_look(DtGrowingFacts *growing, const DtRun *run, const guint64 *to, GError **error)
{
    find_inits(growing);
    dt_call_roles_update(growing->roles);
    g_autofree guint32 *bases = dt_functions_bases(growing->functions);
    g_autoptr(DtCallReader) reader = dt_call_reader_new(bases);
    g_autofree const DtCounts **counts = g_new0(const DtCounts *, (gsize)dt_run_trace_count(run) + 1);
    g_autofree guint64 *positions = g_new0(guint64, (gsize)dt_run_trace_count(run) + 1);
    growing->is_behind = FALSE;
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        if (trace->library)
            continue;
        Known *known = find_known(growing, trace);
        const gboolean is_told = to[t] != G_MAXUINT64;
        if (!read_on(growing, reader, run, trace, is_told || known->has_returned ? to[t] : 0, known, error))
            return NULL;
        const gboolean had_returned = known->has_returned;
        known->has_returned = trace->returned || trace->process->end != DT_END_RUNNING;
        growing->is_behind = growing->is_behind || (!is_told && !had_returned && known->has_returned);
        find_acts(growing, trace, known);
        counts[t] = known->counts;
        positions[t] = known->position;
    }
    g_autoptr(DtMeaning) meaning = dt_meaning_new(run, growing->roles, counts, positions, error);
    return meaning ? dt_wait_for_of_facts(meaning->facts, meaning->members, growing->functions) : NULL;
}

gboolean dt_growing_facts_are_behind(const DtGrowingFacts *growing)
{
    return growing->is_behind;
}

DtTraceActs dt_growing_facts_acts(const DtGrowingFacts *growing, const DtTrace *trace)
{
    const DtThreadKey key = dt_thread_key_of(trace);
    const Known *known = g_hash_table_lookup(growing->known, &key);
    return known ? known->acts : (DtTraceActs){0};
}
