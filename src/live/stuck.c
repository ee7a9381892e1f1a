/*
 * Whether a job can get on. Traces are read when something has moved since they were read last, and for a small part
 * of the time only; the decision is made anew at every look.
 */
#include "live/closure.h"
#include "live/live.h"
#include "store/writers.h"
#include "waitfor/calls.h"
#include "waitfor/growing.h"
#include "waitfor/thread_key.h"

enum {
    PAUSE_US = 500 * 1000,              /* between two readings, at least */
    PART_OF_TIME = 100,                 /* that reading may take */
    PART_OF_TIME_WAITING = 20,          /* the same while somebody seems to wait for ever */
    AGAIN_US = 30 * G_USEC_PER_SEC,     /* when nothing moves: to see what no trace tells */
    LONGEST_QUESTION_US = 20,           /* processor time between two questions of who only asks */
    LONGEST_QUESTION_SLEEPING_US = 200, /* the same of who sleeps between them */
    TIMES_OF_UNCLEAR = 3,               /* if it is not known for whom somebody waits */
    TIMES_OF_QUESTIONS = 2,             /* who only asks may do something else by itself: it is waited for longer */
    FEWEST_QUESTIONS = 600,     /* a rank that has asked less often, and sleeps between, may count its questions */
    SHORT_WAIT_US = 100 * 1000, /* for a processor: a thread that polls and gets it so often misses nothing */
    SEEMS_US = 200 * 1000       /* standing still after which it is said whom others wait for */
};

/* Of a thread that gets a processor now and then: its clock does not run slower than in ten times the time. */
static const gdouble MOST_QUEUED = 0.9;

/* A thread, from reading to reading. */
typedef struct {
    DtTraceActs acts;
    guint64 words; /* its position when it was read last */
    guint64 processor_us;
    gint64 told_us;       /* when that was told by an agent; else 0 */
    gint64 read_us;       /* when it was read */
    gint64 same_since_us; /* the reading from which on it has done nothing but ask */
    guint64 asked_before; /* questions until it did something else last */
    guint64 slept_before; /* likewise, how often it had slept */
    gint64 idle_since_us; /* since when it has had no processor time; 0: it has */
    gboolean only_asks;   /* between the last two readings */
    gint64 clock_us;      /* the first reading that saw it stand still; of another host: the report that it knew */
    DtKernelThread clock; /* as it was then */
} Watched;

struct DtStuck {
    DtLive *live;
    gint64 patience_us;
    DtGrowingFacts *growing;
    DtWaitFor *waits;    /* NULL: traces were not read */
    GHashTable *watched; /* DtThreadKey -> Watched */
    Watched **nodes;     /* of the waiters */
    gint64 read_us, next_read_us;
    guint processes, ended; /* when traces were read */
    gboolean somebody_waits;
    gboolean *for_ever;    /* by waiter: those who wait for what cannot come, maybe not long enough yet; NULL: nobody */
    gboolean is_confirmed; /* it is stuck, and was so when it was looked at again */
    gboolean has_several_worlds;
    gboolean sees_all_ranks; /* of each launch, here or by agents */
    gdouble seconds;
};

DtStuck *dt_stuck_new(DtLive *live, gdouble seconds)
{
    DtStuck *stuck = g_new0(DtStuck, 1);
    stuck->live = live;
    stuck->patience_us = (gint64)(seconds * G_USEC_PER_SEC);
    stuck->growing = dt_growing_facts_new(dt_live_functions(live));
    stuck->watched = g_hash_table_new_full(dt_thread_key_hash, dt_thread_key_equal, g_free, g_free);
    return stuck;
}

void dt_stuck_free(DtStuck *stuck)
{
    if (!stuck)
        return;
    dt_wait_for_free(stuck->waits);
    dt_growing_facts_free(stuck->growing);
    g_hash_table_unref(stuck->watched);
    g_free(stuck->nodes);
    g_free(stuck->for_ever);
    g_free(stuck);
}

const DtWaitFor *dt_stuck_waits(const DtStuck *stuck)
{
    return stuck->waits;
}

gdouble dt_stuck_seconds(const DtStuck *stuck)
{
    return stuck->seconds;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static Watched *find_watched(DtStuck *stuck, const DtTrace *trace)
{
    const DtThreadKey key = dt_thread_key_of(trace);
    Watched *watched = g_hash_table_lookup(stuck->watched, &key);
    if (watched)
        return watched;
    watched = g_new0(Watched, 1);
    g_hash_table_insert(stuck->watched, dt_thread_key_copy(&key), watched);
    return watched;
}

/* Of the processor time between two readings, if an agent has told of it: what it tells is some time old, so it is of
 * another time than that between the readings. FALSE: of too different a time to tell anything. */
static gboolean scale_to_reading(const Watched *before, gint64 told_us, gint64 read_us, guint64 *microseconds)
{
    if (told_us == 0)
        return TRUE;
    const gint64 told_for = told_us - before->told_us, read_for = read_us - before->read_us;
    if (before->told_us == 0 || told_for <= 0 || told_for < read_for / 2 || told_for > read_for * 2)
        return FALSE;
    *microseconds = (guint64)((gdouble)*microseconds * (gdouble)read_for / (gdouble)told_for);
    return TRUE;
}

/* TRUE if all that it did since the last reading was to ask, as quickly as who does nothing else asks. `processor_us`:
 * that it has had since. */
static gboolean only_asked(const Watched *before, const DtTraceActs *now, guint64 processor_us)
{
    const guint64 questions = now->questions - before->acts.questions;
    const gboolean sleeps = now->sleeps > before->acts.sleeps;
    const guint64 most = sleeps ? LONGEST_QUESTION_SLEEPING_US : LONGEST_QUESTION_US;
    if (questions == 0) /* it did not get a processor between two readings that are close */
        return before->only_asks && now->asks && now->clocks == before->acts.clocks &&
               processor_us <= LONGEST_QUESTION_SLEEPING_US;
    return now->asks && questions > 0 && now->clocks == before->acts.clocks && processor_us / questions <= most;
}

static void note_reading(DtStuck *stuck, Watched *watched, const DtTrace *trace)
{
    const DtLiveThread *thread = dt_live_find(stuck->live, trace);
    const DtTraceActs acts = dt_growing_facts_acts(stuck->growing, trace);
    const DtThreadState state = thread ? dt_live_state(stuck->live, thread) : (DtThreadState){0};
    const guint64 processor_us = state.kernel.microseconds;
    guint64 had_us = processor_us - MIN(processor_us, watched->processor_us);
    const gboolean is_comparable = scale_to_reading(watched, state.told_us, stuck->read_us, &had_us);
    watched->only_asks = is_comparable && only_asked(watched, &acts, had_us);
    const gboolean does_more = watched->same_since_us == 0 || acts.acts != watched->acts.acts || !watched->only_asks;
    const gboolean has_moved = acts.asks ? does_more : !thread || watched->words != thread->words;
    if (does_more)
        watched->same_since_us = stuck->read_us;
    if (acts.acts != watched->acts.acts) {
        watched->asked_before = acts.questions;
        watched->slept_before = acts.sleeps;
    }
    if (has_moved || watched->clock_us == 0) {
        watched->clock_us = state.told_us != 0 ? state.told_us : stuck->read_us;
        watched->clock = state.kernel;
    }
    watched->acts = acts;
    watched->processor_us = processor_us;
    watched->told_us = state.told_us;
    watched->read_us = stuck->read_us;
    watched->words = thread ? thread->words : 0;
}

/* Up to where the heads have seen it; of who was not there then, what it had when it was looked at before. */
static guint64 *positions_of(const DtStuck *stuck, const DtRun *run)
{
    guint64 *positions = g_new(guint64, (gsize)dt_run_trace_count(run) + 1);
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtLiveThread *thread = dt_live_find(stuck->live, dt_run_trace(run, t));
        positions[t] = thread ? thread->words : G_MAXUINT64;
    }
    return positions;
}

/* TRUE if there are two processes of one rank that have called MPI_Init: the graph knows one of them. */
static gboolean find_several_worlds(const DtRun *run)
{
    g_autoptr(GHashTable) ranks = g_hash_table_new(NULL, NULL);
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        const DtProcess *process = dt_run_process(run, p);
        if (process->rank >= 0 && process->called_mpi_init && process->end == DT_END_RUNNING &&
            !g_hash_table_add(ranks, GINT_TO_POINTER(process->rank)))
            return TRUE;
    }
    return FALSE;
}

/* Who is not recorded might be the one that is waited for. */
static gboolean sees_all_ranks(const DtStuck *stuck, const DtRun *run)
{
    g_autoptr(GHashTable) ranks = g_hash_table_new(NULL, NULL);
    gint expected = 0;
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        const DtProcess *process = dt_run_process(run, p);
        expected = MAX(expected, process->world_size);
        if (process->rank >= 0 && process->called_mpi_init)
            g_hash_table_add(ranks, GINT_TO_POINTER(process->rank));
    }
    for (guint i = 0; i < dt_live_thread_count(stuck->live); i++)
        if (!dt_live_thread(stuck->live, i)->process->is_seen)
            return FALSE;
    return (gint)g_hash_table_size(ranks) >= expected;
}

static void take_graph(DtStuck *stuck, DtWaitFor *waits)
{
    dt_wait_for_free(stuck->waits);
    stuck->waits = waits;
    g_free(stuck->nodes);
    stuck->nodes = g_new0(Watched *, (gsize)waits->waiters->len + 1);
    for (guint node = 0; node < waits->waiters->len; node++) {
        const DtTrace *trace = ((const DtWaiter *)waits->waiters->pdata[node])->trace;
        stuck->nodes[node] = find_watched(stuck, trace);
        note_reading(stuck, stuck->nodes[node], trace);
    }
}

/* The time that it takes decides when it may be done again. What cannot be read now may be readable then. */
static void read_traces(DtStuck *stuck)
{
    g_clear_pointer(&stuck->for_ever, g_free);
    g_clear_pointer(&stuck->waits, dt_wait_for_free); /* its traces are of the run that is opened anew */
    stuck->read_us = g_get_monotonic_time();
    stuck->processes = dt_live_process_count(stuck->live, &stuck->ended);
    DtRun *run = dt_live_run(stuck->live, NULL);
    if (run) {
        g_autofree guint64 *positions = positions_of(stuck, run);
        DtWaitFor *waits = dt_growing_facts_look(stuck->growing, run, positions, NULL);
        if (waits)
            take_graph(stuck, waits);
        stuck->has_several_worlds = find_several_worlds(run);
        stuck->sees_all_ranks = sees_all_ranks(stuck, run);
    }
    const gint64 now = g_get_monotonic_time(), took = now - stuck->read_us;
    stuck->next_read_us = now + MAX(PAUSE_US, took * (stuck->somebody_waits ? PART_OF_TIME_WAITING : PART_OF_TIME));
}

/* ---- when to read ------------------------------------------------------------------------------- */

static gboolean has_moved(const DtStuck *stuck, gint64 since_us)
{
    for (guint i = 0; i < dt_live_thread_count(stuck->live); i++) {
        const DtLiveThread *thread = dt_live_thread(stuck->live, i);
        if (!thread->library && thread->moved_us >= since_us)
            return TRUE;
    }
    return FALSE;
}

static gboolean is_time_to_read(const DtStuck *stuck, gint64 now)
{
    guint ended, processes = dt_live_process_count(stuck->live, &ended);
    const gboolean has_news = processes != stuck->processes || ended != stuck->ended ||
                              dt_growing_facts_are_behind(stuck->growing) || has_moved(stuck, stuck->read_us);
    const gboolean stands_still = !has_moved(stuck, now - PAUSE_US);
    if (dt_live_thread_count(stuck->live) == 0)
        return FALSE;
    return has_news ? stands_still || now >= stuck->next_read_us : now >= stuck->read_us + AGAIN_US;
}

/* ---- the decision ------------------------------------------------------------------------------- */

/* A thread of a pool between two regions: it has no open call and no processor time. What has no open call and runs is
 * in code that is not recorded. */
static gboolean is_idle(const DtStuck *stuck, Watched *watched, const DtLiveThread *thread, gint64 now)
{
    if (!watched->acts.is_empty || thread->tid == thread->process->pid)
        return FALSE;
    const DtKernelThread kernel = dt_live_state(stuck->live, thread).kernel;
    if (!kernel.is_known || !kernel.sleeps || kernel.microseconds != watched->processor_us) {
        watched->processor_us = kernel.microseconds;
        watched->idle_since_us = 0;
        return FALSE;
    }
    if (watched->idle_since_us == 0)
        watched->idle_since_us = now;
    return now - watched->idle_since_us >= MIN(stuck->patience_us, 2 * G_USEC_PER_SEC);
}

/* What is known of its messages may not be all; but it waits for others of the job in a call of MPI. */
static gboolean is_unclear(const DtWaiter *waiter, const Watched *watched)
{
    return waiter->what && !waiter->may_end && g_str_has_prefix(waiter->call, "MPI_") &&
           (watched->acts.is_partial || waiter->waits_for->len == 0);
}

/* Another host's thread is as its file tells if the agent there says the same: what that host has written may be late
 * here. A thread that asks moves on between what is told and what is read. */
static gboolean is_as_told(const DtStuck *stuck, const DtLiveThread *thread, const Watched *watched)
{
    if (thread->process->is_here)
        return TRUE;
    const DtThreadState state = dt_live_state(stuck->live, thread);
    return thread->process->is_seen && state.kernel.is_known && (state.words == thread->words || watched->acts.asks);
}

/* Of one that is still there. */
static DtClosureNode judge(const DtStuck *stuck, const DtWaiter *waiter, Watched *watched, const DtLiveThread *thread,
                           gint64 now)
{
    const gboolean waits = waiter->mode == DT_WAIT_FOR_ALL || waiter->mode == DT_WAIT_FOR_ANY;
    const gboolean has_moved = thread->words != watched->words;
    DtClosureNode node = {.uses_mpi = watched->acts.uses_mpi};
    node.is_idle = !waits && !has_moved && is_idle(stuck, watched, thread, now);
    if (!is_as_told(stuck, thread, watched))
        node.is_free = TRUE;
    else if (!waits)
        node.is_free = !node.is_idle;
    else
        node.is_free = (watched->acts.asks ? !watched->only_asks : has_moved) || dt_waits_for_time(waiter->call);
    node.is_unclear = !node.is_free && waits && is_unclear(waiter, watched);
    node.is_free = node.is_free || (watched->acts.is_partial && !node.is_unclear && !node.is_idle);
    return node;
}

/* Since when it has waited without doing anything that others could notice. */
static gint64 waits_since(const DtStuck *stuck, guint node)
{
    const DtWaiter *waiter = stuck->waits->waiters->pdata[node];
    const DtLiveThread *thread = dt_live_find(stuck->live, waiter->trace);
    const Watched *watched = stuck->nodes[node];
    return watched->acts.asks ? watched->same_since_us : thread ? thread->moved_us : 0;
}

/* Of the time since the clock began, the part in which the thread waited for a processor. Short waits do not count. Of
 * another host's thread the time goes up to the last report; before there is a new one, its clock stands. */
static gdouble queued_part(const DtStuck *stuck, guint node, gint64 now)
{
    const DtWaiter *waiter = stuck->waits->waiters->pdata[node];
    const DtLiveThread *thread = dt_live_find(stuck->live, waiter->trace);
    const Watched *watched = stuck->nodes[node];
    const DtKernelThread then = watched->clock;
    const DtThreadState state = thread ? dt_live_state(stuck->live, thread) : (DtThreadState){0};
    const DtKernelThread kernel = state.kernel;
    const gint64 took = (state.told_us != 0 ? state.told_us : now) - watched->clock_us;
    if (!kernel.is_known || !then.is_known)
        return 0;
    if (took <= 0)
        return 1;
    if (kernel.state == 'R' && kernel.slices == then.slices && kernel.microseconds == then.microseconds)
        return 1;
    const guint64 queued = kernel.queued_us - MIN(kernel.queued_us, then.queued_us);
    const guint64 slices = kernel.slices - MIN(kernel.slices, then.slices);
    const gdouble part = (gdouble)queued / (gdouble)took;
    return queued <= slices * SHORT_WAIT_US ? 0 : MIN(part, MOST_QUEUED);
}

/* It may have asked as often as it wants to. */
static gboolean may_count_questions(const Watched *watched)
{
    return watched->acts.asks && watched->acts.sleeps > watched->slept_before &&
           watched->acts.questions < watched->asked_before + FEWEST_QUESTIONS;
}

/* Time in which it waited for a processor stops the clock. */
static gboolean has_waited_for(const DtStuck *stuck, guint node, gint64 patience_us, gint64 now)
{
    const gint64 patience = patience_us * (stuck->nodes[node]->acts.asks ? TIMES_OF_QUESTIONS : 1);
    const gint64 stands = now - waits_since(stuck, node);
    if (may_count_questions(stuck->nodes[node]))
        return FALSE;
    return stands >= patience && (gdouble)stands * (1 - queued_part(stuck, node, now)) >= (gdouble)patience;
}

/* Who has not waited long enough yet may still be released by what is under way. */
static void free_the_impatient(const DtStuck *stuck, DtClosureNode *nodes, gint64 patience_us, gint64 now)
{
    for (guint node = 0; node < stuck->waits->waiters->len; node++)
        nodes[node].is_free =
            nodes[node].is_free || (!nodes[node].is_idle && !has_waited_for(stuck, node, patience_us, now));
}

/* Where MPI was made ready for several threads, any of them may send what another one waits for. */
static void share_mpi(const DtStuck *stuck, DtClosureNode *nodes)
{
    g_autoptr(GHashTable) sharing = g_hash_table_new(NULL, NULL);
    for (guint node = 0; node < stuck->waits->waiters->len; node++)
        if (stuck->nodes[node]->acts.shares_mpi)
            g_hash_table_add(sharing, (gpointer)((const DtWaiter *)stuck->waits->waiters->pdata[node])->trace->process);
    for (guint node = 0; node < stuck->waits->waiters->len; node++)
        if (g_hash_table_contains(sharing, ((const DtWaiter *)stuck->waits->waiters->pdata[node])->trace->process))
            nodes[node].uses_mpi = TRUE;
}

static gboolean any_of(const gboolean *found, guint count)
{
    for (guint i = 0; i < count; i++)
        if (found[i])
            return TRUE;
    return FALSE;
}

/* The first that will wait for ever says since when the job is stuck. */
static gdouble seconds_of(const DtStuck *stuck, const gboolean *found, gint64 now)
{
    gint64 since = now;
    for (guint node = 0; node < stuck->waits->waiters->len; node++)
        if (found[node])
            since = MIN(since, waits_since(stuck, node));
    return (gdouble)(now - since) / G_USEC_PER_SEC;
}

static DtClosureNode *judge_all(const DtStuck *stuck, gint64 now)
{
    const guint count = stuck->waits->waiters->len;
    DtClosureNode *nodes = g_new0(DtClosureNode, (gsize)count + 1);
    for (guint node = 0; node < count; node++) {
        const DtWaiter *waiter = stuck->waits->waiters->pdata[node];
        const DtLiveThread *thread = dt_live_find(stuck->live, waiter->trace);
        if (thread)
            nodes[node] = judge(stuck, waiter, stuck->nodes[node], thread, now);
        else
            nodes[node].is_free = waiter->mode != DT_WAIT_ENDED;
    }
    share_mpi(stuck, nodes);
    return nodes;
}

/* Who is unclear is free unless all of the job is seen, and waits. */
static void free_the_unclear(DtClosureNode *nodes, guint count)
{
    for (guint node = 0; node < count; node++)
        nodes[node].is_free = nodes[node].is_free || nodes[node].is_unclear;
}

/* Who waits for ever if those who have not stood still for `patience_us` may do anything; g_free(). NULL: nobody. */
static gboolean *find_certain(const DtStuck *stuck, const DtClosureNode *judged, gint64 patience_us, gint64 now)
{
    const guint count = stuck->waits->waiters->len;
    g_autofree DtClosureNode *nodes = g_memdup2(judged, sizeof(*judged) * ((gsize)count + 1));
    free_the_impatient(stuck, nodes, patience_us, now);
    g_autofree gboolean *certain = dt_closure_find(stuck->waits, nodes);
    return any_of(certain, count) ? g_steal_pointer(&certain) : NULL;
}

static gboolean is_proved(DtStuck *stuck, const DtClosureNode *judged, gint64 patience_us, gint64 now)
{
    g_autofree gboolean *seem = dt_closure_find(stuck->waits, judged);
    if (!any_of(seem, stuck->waits->waiters->len))
        return FALSE;
    stuck->somebody_waits = TRUE;
    g_autofree gboolean *certain = find_certain(stuck, judged, patience_us, now);
    if (!certain)
        return FALSE;
    stuck->seconds = seconds_of(stuck, certain, now);
    if (!stuck->for_ever)
        stuck->for_ever = g_steal_pointer(&certain);
    return TRUE;
}

static gboolean decide(DtStuck *stuck, gint64 now)
{
    const guint count = stuck->waits->waiters->len;
    g_autofree DtClosureNode *judged = judge_all(stuck, now);
    g_autofree DtClosureNode *clear = g_memdup2(judged, sizeof(*judged) * ((gsize)count + 1));
    free_the_unclear(clear, count);
    stuck->for_ever = find_certain(stuck, clear, MIN(SEEMS_US, stuck->patience_us), now);
    stuck->somebody_waits = FALSE;
    return is_proved(stuck, clear, stuck->patience_us, now) ||
           (stuck->sees_all_ranks && is_proved(stuck, judged, stuck->patience_us * TIMES_OF_UNCLEAR, now));
}

/* A collector that was killed leaves a job that goes on. */
static gboolean is_over(const DtStuck *stuck)
{
    guint ended, processes = dt_live_process_count(stuck->live, &ended);
    return ended == processes && !dt_writers_are_there(dt_live_path(stuck->live));
}

static gboolean is_stuck_now(DtStuck *stuck)
{
    stuck->seconds = 0;
    g_clear_pointer(&stuck->for_ever, g_free);
    return stuck->waits && !stuck->has_several_worlds && decide(stuck, g_get_monotonic_time());
}

DtJobState dt_stuck_look_again(DtStuck *stuck)
{
    dt_live_refresh(stuck->live);
    if (is_over(stuck))
        return DT_JOB_OVER;
    read_traces(stuck);
    dt_live_refresh(stuck->live);
    stuck->is_confirmed = is_stuck_now(stuck);
    return stuck->is_confirmed ? DT_JOB_STUCK : is_over(stuck) ? DT_JOB_OVER : DT_JOB_GOES_ON;
}

DtJobState dt_stuck_look(DtStuck *stuck)
{
    if (is_over(stuck))
        return DT_JOB_OVER;
    if (is_time_to_read(stuck, g_get_monotonic_time()))
        read_traces(stuck);
    const gboolean is_stuck = is_stuck_now(stuck);
    if (is_stuck && !stuck->is_confirmed)
        return dt_stuck_look_again(stuck);
    stuck->is_confirmed = is_stuck;
    return is_stuck ? DT_JOB_STUCK : DT_JOB_GOES_ON;
}

const gboolean *dt_stuck_for_ever(const DtStuck *stuck)
{
    return stuck->for_ever;
}
