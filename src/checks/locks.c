/* Locks of a process: the order in which threads take them, who gives them back, and threads that nobody joins. */
#include "checks/checking.h"
#include "format/arguments.h"

#include <string.h>

enum { MOST_GATES = 8, MOST_THREADS = 4 };

/* A lock that a thread holds. */
typedef struct {
    gint64 lock;
    guint times;
    DtKeptCall call; /* that took it */
} Held;

/* A lock was taken while another one was held. */
typedef struct {
    gint64 first, second;
    DtKeptCall took_first, took_second;
    const DtTrace *threads[MOST_THREADS]; /* that did, the first ones */
    guint thread_count;
    gint64 gates[MOST_GATES]; /* others that were held each time */
    guint gate_count;
    guint64 phases; /* those in which it happened: a bit each */
} Edge;

/* Something that is wrong if the lock is one that the record knows. */
typedef struct {
    DtCheckRule rule;
    gint64 lock;
    DtKeptCall call;
} Unheld;

typedef struct {
    DtChecking *checking;
    const DtProcess *process;
    GArray *held;                      /* Held, of the thread */
    GArray *kept;                      /* Held, of threads of the process that ended with them */
    GHashTable *edges;                 /* pair of locks -> Edge, of the process */
    GHashTable *known;                 /* locks that were taken, of the process */
    gint64 created, joined;            /* created by the program itself */
    gint64 all_created, joined_itself; /* also by libraries; joined by the program itself */
    DtKeptCall creates, joins;         /* the last ones */
    GArray *unheld;                    /* Unheld, of the process */
    /* Between two times at which the first thread has joined all others lies a phase. */
    GArray *phases;       /* guint32: of each thread that the first one made */
    guint32 phase;        /* the current one, while the first thread is read */
    gint64 alive;         /* threads that the first one made and has not joined */
    gboolean others_make; /* another thread makes some, or some are detached: phases are not known */
    gboolean exits;       /* the first thread ends by pthread_exit, and the others go on */
    gboolean is_complete;
    gboolean is_robust; /* a lock whose owner ended is made consistent by the next one */
    gboolean is_unsure; /* some calls that take locks do not tell which */
} Locks;

static gpointer start(DtChecking *checking)
{
    Locks *own = g_new0(Locks, 1);
    own->checking = checking;
    own->held = g_array_new(FALSE, FALSE, sizeof(Held));
    own->kept = g_array_new(FALSE, FALSE, sizeof(Held));
    own->edges = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    own->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    own->unheld = g_array_new(FALSE, FALSE, sizeof(Unheld));
    own->phases = g_array_new(FALSE, FALSE, sizeof(guint32));
    return own;
}

static void stop(gpointer family)
{
    Locks *own = family;
    g_array_unref(own->held);
    g_array_unref(own->kept);
    g_hash_table_unref(own->edges);
    g_hash_table_unref(own->known);
    g_array_unref(own->unheld);
    g_array_unref(own->phases);
    g_free(own);
}

/* ---- the order of locks ---------------------------------------------------------------------- */

static void keep_gates(Edge *edge, const GArray *held)
{
    guint kept = 0;
    for (guint g = 0; g < edge->gate_count; g++)
        for (guint i = 0; i < held->len; i++)
            if (g_array_index(held, Held, i).lock == edge->gates[g]) {
                edge->gates[kept++] = edge->gates[g];
                break;
            }
    edge->gate_count = kept;
}

static guint64 bit_of_phase(guint32 phase)
{
    enum { LAST = 63 };
    return (guint64)1 << MIN(phase, LAST);
}

/* Of what the thread does now; 0: no other thread runs. The first thread is read first, and makes the others in the
 * order of their numbers. */
static guint64 phase_of(const Locks *own, const DtTrace *trace)
{
    if (trace->thread == 0)
        return own->alive > 0 ? bit_of_phase(own->phase) : 0;
    return trace->thread <= own->phases->len ? bit_of_phase(g_array_index(own->phases, guint32, trace->thread - 1))
                                             : G_MAXUINT64;
}

static void add_thread(Edge *edge, const DtTrace *thread)
{
    for (guint i = 0; i < edge->thread_count; i++)
        if (edge->threads[i] == thread)
            return;
    if (edge->thread_count < MOST_THREADS)
        edge->threads[edge->thread_count++] = thread;
}

static void add_edge(Locks *own, const Held *first, const Held *second)
{
    enum { MOST = 1 << 20 };
    gint64 pair = first->lock << 32 ^ second->lock;
    const guint64 phase = phase_of(own, second->call.trace);
    Edge *edge = g_hash_table_lookup(own->edges, &pair);
    if (edge) {
        edge->phases |= phase;
        add_thread(edge, second->call.trace);
        keep_gates(edge, own->held);
        return;
    }
    if (g_hash_table_size(own->edges) >= MOST)
        return;
    edge = g_new0(Edge, 1);
    *edge = (Edge){.first = first->lock,
                   .second = second->lock,
                   .took_first = first->call,
                   .took_second = second->call,
                   .phases = phase};
    add_thread(edge, second->call.trace);
    for (guint i = 0; i < own->held->len && edge->gate_count < MOST_GATES; i++) {
        gint64 lock = g_array_index(own->held, Held, i).lock;
        if (lock != first->lock && lock != second->lock)
            edge->gates[edge->gate_count++] = lock;
    }
    g_hash_table_insert(own->edges, g_memdup2(&pair, sizeof pair), edge);
}

static gboolean have_gate(const Edge *one, const Edge *other)
{
    for (guint i = 0; i < one->gate_count; i++)
        for (guint k = 0; k < other->gate_count; k++)
            if (one->gates[i] == other->gates[k])
                return TRUE;
    return FALSE;
}

static void tell_order(Locks *own, const Edge *one, const Edge *other)
{
    DtCheckFinding *finding;
    if (!dt_check_report_kept(own->checking, DT_CHECK_LOCK_ORDER, DT_CHECK_WARNING, &one->took_second, NULL, &finding))
        return;
    const Edge *const edges[] = {one, other};
    dt_check_expect(finding, "one order of the locks in all threads");
    for (guint i = 0; i < G_N_ELEMENTS(edges); i++) {
        g_autofree char *first = dt_kept_call_text(own->checking, &edges[i]->took_first);
        g_autofree char *second = dt_kept_call_text(own->checking, &edges[i]->took_second);
        dt_check_add_evidence(
            finding, "thread %s takes lock %" G_GINT64_FORMAT " by %s and then lock %" G_GINT64_FORMAT " by %s",
            edges[i]->took_second.trace->label, edges[i]->first, first, edges[i]->second, second);
    }
    dt_check_add_trace(own->checking, finding, other->took_second.trace);
}

/* The way of edges back from one lock to another, the last edge first (element-type Edge); empty: there is none. */
static GPtrArray *way_back(GHashTable *edges, gint64 from, gint64 to)
{
    enum { MOST_LOCKS = 4096 };
    GPtrArray *way = g_ptr_array_new();
    g_autoptr(GHashTable) reached = g_hash_table_new(g_int64_hash, g_int64_equal); /* lock -> Edge that leads there */
    g_autoptr(GArray) next = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_array_append_val(next, from);
    for (guint i = 0; i < next->len && next->len < MOST_LOCKS && !g_hash_table_contains(reached, &to); i++) {
        const gint64 lock = g_array_index(next, gint64, i);
        GHashTableIter iter;
        gpointer value;
        g_hash_table_iter_init(&iter, edges);
        while (g_hash_table_iter_next(&iter, NULL, &value)) {
            Edge *edge = value;
            if (edge->first != lock || edge->second == from || g_hash_table_contains(reached, &edge->second))
                continue;
            g_hash_table_insert(reached, &edge->second, edge);
            g_array_append_val(next, edge->second);
        }
    }
    for (Edge *edge = g_hash_table_lookup(reached, &to); edge; edge = g_hash_table_lookup(reached, &edge->first))
        g_ptr_array_add(way, edge);
    return way;
}

/* Whether each edge of a circle, from the given one on, has a thread of its own. */
static gboolean have_threads(const GPtrArray *circle, guint from, const DtTrace *taken[])
{
    if (from == circle->len)
        return TRUE;
    const Edge *edge = circle->pdata[from];
    for (guint t = 0; t < edge->thread_count; t++) {
        gboolean is_taken = FALSE;
        for (guint i = 0; i < from; i++)
            is_taken |= taken[i] == edge->threads[t];
        taken[from] = edge->threads[t];
        if (!is_taken && have_threads(circle, from + 1, taken))
            return TRUE;
    }
    return FALSE;
}

/* Whether threads may stand at all edges of the circle at once. */
static gboolean may_meet(const GPtrArray *circle, gboolean knows_phases)
{
    enum { MOST_EDGES = 8 };
    const DtTrace *taken[MOST_EDGES];
    guint64 phases = G_MAXUINT64;
    for (guint i = 0; i < circle->len; i++) {
        phases &= ((const Edge *)circle->pdata[i])->phases;
        for (guint k = 0; k < i; k++)
            if (have_gate(circle->pdata[i], circle->pdata[k]))
                return FALSE;
    }
    return (!knows_phases || phases) && circle->len <= MOST_EDGES && have_threads(circle, 0, taken);
}

static gint compare_edges(gconstpointer a, gconstpointer b)
{
    const Edge *one = *(const Edge *const *)a, *other = *(const Edge *const *)b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return one->second < other->second ? -1 : one->second > other->second;
}

static void look_at_order(Locks *own)
{
    enum { MOST_LOOKED_AT = 2000 };
    const gboolean knows_phases =
        !own->others_make && own->phases->len + 1 == own->checking->processes[own->process->index].threads;
    g_autoptr(GPtrArray) edges = g_ptr_array_new();
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, own->edges);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        g_ptr_array_add(edges, value);
    g_ptr_array_sort(edges, compare_edges);
    for (guint i = 0; i < edges->len; i++) {
        const Edge *one = edges->pdata[i];
        const gint64 back = one->second << 32 ^ one->first;
        Edge *direct = g_hash_table_lookup(own->edges, &back);
        if ((direct && one->first > one->second) || (!direct && edges->len > MOST_LOOKED_AT))
            continue;
        g_autoptr(GPtrArray) circle = direct ? g_ptr_array_new() : way_back(own->edges, one->second, one->first);
        if (direct)
            g_ptr_array_add(circle, direct);
        if (circle->len == 0)
            continue;
        const Edge *other = circle->pdata[0];
        g_ptr_array_add(circle, edges->pdata[i]);
        if (may_meet(circle, knows_phases))
            tell_order(own, one, other);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static Held *find_held(Locks *own, gint64 lock)
{
    for (guint i = own->held->len; i-- > 0;)
        if (g_array_index(own->held, Held, i).lock == lock)
            return &g_array_index(own->held, Held, i);
    return NULL;
}

static gint64 lock_of(const DtCheckedCall *call)
{
    const DtArgument *lock = dt_check_argument(call->signature, DT_ARGUMENT_LOCK);
    return lock && lock->special == DT_SPECIAL_NONE ? lock->value : 0;
}

static void take(Locks *own, const DtCheckedTrace *trace, const DtCheckedCall *call, gint64 lock)
{
    Held *held = find_held(own, lock);
    Held taken = {lock, 1, dt_check_keep(trace, call)};
    if (held) {
        held->times++;
        return;
    }
    g_hash_table_add(own->known, g_memdup2(&lock, sizeof lock));
    if (!dt_check_has(call, DT_CALL_POLLING))
        for (guint i = 0; i < own->held->len; i++)
            add_edge(own, &g_array_index(own->held, Held, i), &taken);
    g_array_append_val(own->held, taken);
}

/* Whether the record has all that is done with locks is known at the end of the process. */
static void add_unheld(Locks *own, const DtCheckedTrace *trace, const DtCheckedCall *call, DtCheckRule rule,
                       gint64 lock)
{
    enum { MOST = 4096 };
    Unheld unheld = {rule, lock, dt_check_keep(trace, call)};
    const gboolean is_child = strchr(trace->process->label, '+') != NULL; /* it has its parent's locks */
    if (trace->is_complete && !own->is_unsure && !is_child && own->unheld->len < MOST)
        g_array_append_val(own->unheld, unheld);
}

static void give_back(Locks *own, const DtCheckedTrace *trace, const DtCheckedCall *call, gint64 lock)
{
    Held *held = find_held(own, lock);
    if (held && --held->times == 0) {
        g_array_remove_index(own->held, (guint)(held - (Held *)(gpointer)own->held->data));
        return;
    }
    if (!held && !dt_check_has(call, DT_CALL_OR_MAKES))
        add_unheld(own, trace, call, DT_CHECK_LOCK_OTHER, lock);
}

/* A thread waits for a condition with a lock that it must hold; or a lock that it holds is destroyed. */
static void look_at_use(Locks *own, const DtCheckedTrace *trace, const DtCheckedCall *call, gint64 lock)
{
    const Held *held = find_held(own, lock);
    const gboolean waits = dt_check_argument(call->signature, DT_ARGUMENT_CONDITION) != NULL;
    if (waits && !held)
        add_unheld(own, trace, call, DT_CHECK_CONDITION_UNLOCKED, lock);
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_LOCK_DESTROYED, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (!held || !dt_call_has(call->row, DT_PARAMETER_LOCK_FREED) || !trace->is_complete ||
        !dt_check_report(own->checking, &report, &finding))
        return;
    g_autofree char *text = dt_kept_call_text(own->checking, &held->call);
    dt_check_expect(finding, "release the lock before it is destroyed");
    dt_check_add_evidence(finding, "thread %s holds the lock since %s", trace->trace->label, text);
}

static void tell_unheld(Locks *own, const Unheld *unheld)
{
    DtCheckFinding *finding;
    const gboolean is_known = g_hash_table_contains(own->known, &unheld->lock); /* else a library may have locked it */
    if (!dt_check_report_kept(own->checking, unheld->rule, is_known ? DT_CHECK_ERROR : DT_CHECK_WARNING, &unheld->call,
                              NULL, &finding))
        return;
    if (unheld->rule == DT_CHECK_LOCK_OTHER)
        dt_check_expect(finding, "release by the thread that took the lock, once for each time");
    else
        dt_check_expect(finding, "lock the mutex before the thread waits for the condition with it");
    dt_check_add_evidence(finding, "thread %s does not hold lock %" G_GINT64_FORMAT, unheld->call.trace->label,
                          unheld->lock);
}

static void tell_all_unheld(Locks *own)
{
    for (guint i = 0; i < own->unheld->len && !own->is_unsure && !own->is_robust; i++)
        tell_unheld(own, &g_array_index(own->unheld, Unheld, i));
    g_array_set_size(own->unheld, 0);
}

static void count_first_thread(Locks *own, const DtCheckedTrace *trace, gint64 made, gboolean is_detached)
{
    own->others_make |= trace->trace->thread != 0 || is_detached;
    if (made > 0)
        g_array_append_val(own->phases, own->phase);
    own->alive += made;
    if (made < 0 && own->alive == 0)
        own->phase++;
}

static void count_threads(Locks *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const char *name = call->row->name;
    if (g_str_equal(name, "pthread_create")) {
        own->all_created++;
        if (trace->depth > 1 || call->lock_error)
            return;
        count_first_thread(own, trace, 1, FALSE);
        own->created++;
        own->creates = dt_check_keep(trace, call);
    } else if (g_str_equal(name, "pthread_detach") || g_str_has_suffix(name, "join") ||
               g_str_has_suffix(name, "join_np")) {
        own->joined++;
        if (trace->depth > 1)
            return;
        count_first_thread(own, trace, -1, g_str_equal(name, "pthread_detach"));
        own->joined_itself++;
        own->joins = dt_check_keep(trace, call);
    }
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Locks *own = family;
    if (!call->row || call->of == DT_CALL_MPI)
        return;
    own->is_robust |= g_str_has_prefix(call->row->name, "pthread_mutex_consistent");
    count_threads(own, trace, call);
    const gint64 lock = call->signature ? lock_of(call) : 0;
    own->is_unsure |= lock == 0 && dt_check_has(call, DT_CALL_ACQUIRING);
    if (lock == 0)
        return;
    look_at_use(own, trace, call, lock);
    if (call->lock_error)
        return;
    if (dt_check_has(call, DT_CALL_ACQUIRING))
        take(own, trace, call, lock);
    else if (dt_check_has(call, DT_CALL_RELEASING))
        give_back(own, trace, call, lock);
}

static void tell_kept(Locks *own)
{
    for (guint i = 0; i < own->kept->len && !own->is_robust; i++) {
        const Held *held = &g_array_index(own->kept, Held, i);
        DtCheckFinding *finding;
        if (!dt_check_report_kept(own->checking, DT_CHECK_LOCK_HELD, DT_CHECK_WARNING, &held->call, NULL, &finding))
            continue;
        dt_check_expect(finding, "release the lock before the thread ends");
        dt_check_add_evidence(finding, "thread %s ended and held lock %" G_GINT64_FORMAT, held->call.trace->label,
                              held->lock);
    }
    g_array_set_size(own->kept, 0);
}

static void tell_joins(Locks *own)
{
    DtCheckFinding *finding;
    if (own->all_created == 0 || own->joined_itself <= own->all_created || !own->is_complete ||
        !dt_check_report_kept(own->checking, DT_CHECK_THREAD_JOINED_TWICE, DT_CHECK_ERROR, &own->joins, NULL, &finding))
        return;
    dt_check_expect(finding, "pthread_join or pthread_detach once for each thread");
    dt_check_add_evidence(finding,
                          "process %s made %" G_GINT64_FORMAT
                          " threads, and joined or detached threads %" G_GINT64_FORMAT " times",
                          own->process->label, own->all_created, own->joined_itself);
}

static void end_process(Locks *own)
{
    DtCheckFinding *finding;
    if (own->process) {
        look_at_order(own);
        tell_kept(own);
        tell_all_unheld(own);
        tell_joins(own);
    }
    if (own->process && own->created > own->joined && own->is_complete && !own->exits &&
        own->process->end == DT_END_EXITED && own->process->status == 0 &&
        dt_check_report_kept(own->checking, DT_CHECK_THREAD_UNJOINED, DT_CHECK_WARNING, &own->creates, NULL,
                             &finding)) {
        dt_check_expect(finding, "pthread_join or pthread_detach for each thread");
        dt_check_add_evidence(finding,
                              "process %s made %" G_GINT64_FORMAT " threads and joined or detached %" G_GINT64_FORMAT
                              "; threads made as detached ones are not told apart",
                              own->process->label, own->created, own->joined);
    }
    g_hash_table_remove_all(own->edges);
    g_hash_table_remove_all(own->known);
    own->created = own->joined = own->all_created = own->joined_itself = 0;
    own->alive = 0;
    own->phase = 0;
    g_array_set_size(own->phases, 0);
    own->is_unsure = own->is_robust = own->others_make = own->exits = FALSE;
}

static void begin(gpointer family, const DtCheckedTrace *trace)
{
    Locks *own = family;
    if (own->process != trace->process)
        end_process(own);
    if (own->process != trace->process)
        own->is_complete = TRUE;
    own->process = trace->process;
    g_array_set_size(own->held, 0);
}

static void tell_waiting(Locks *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    const gint64 lock = call->signature && dt_check_has(call, DT_CALL_ACQUIRING) ? lock_of(call) : 0;
    const Held *held = lock ? find_held(own, lock) : NULL;
    DtCheckFinding *finding;
    const DtCheckReport report = {DT_CHECK_LOCK_TWICE, DT_CHECK_ERROR, trace->trace, call, NULL};
    if (!held || dt_check_has(call, DT_CALL_POLLING) || !trace->is_complete ||
        !dt_check_report(own->checking, &report, &finding))
        return;
    g_autofree char *text = dt_kept_call_text(own->checking, &held->call);
    dt_check_expect(finding, "release the lock first, or a recursive lock");
    dt_check_add_evidence(finding, "thread %s took the lock by %s and never came back from this call",
                          trace->trace->label, text);
}

static void end(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open)
{
    Locks *own = family;
    own->is_complete &= trace->is_complete;
    if (open->len > 0 && own->checking->processes[trace->process->index].has_ended)
        tell_waiting(own, trace, open->pdata[open->len - 1]);
    const DtCheckedCall *last = open->len > 0 ? open->pdata[open->len - 1] : NULL;
    if (last && last->row && last->signature && lock_of(last))
        look_at_use(own, trace, last, lock_of(last));
    for (guint i = 0; i < open->len; i++)
        own->exits |= dt_check_is(open->pdata[i], "pthread_exit") && trace->trace->thread == 0;
    if (trace->is_complete && trace->trace->returned)
        g_array_append_vals(own->kept, own->held->data, own->held->len);
}

static void finish(gpointer family)
{
    end_process(family);
}

const DtCheckFamily dt_check_locks = {
    .start = start, .begin = begin, .leave = leave, .end = end, .finish = finish, .stop = stop};
