/* Threads by what they do: what the heads tell is named, and completed from the traces, for a part of the time. */
#include "live/classes.h"

#include <string.h>
#include <time.h>

#include "decoder/open_calls.h"
#include "live/iterations.h"
#include "store/run_private.h"
#include "times/call_times.h"
#include "waitfor/thread_key.h"

enum {
    LEAST_READING_US = 20 * 1000, /* of each update, for open calls */
    PART_OF_TIME = 20,            /* that opening and reading may take */
    READ_AT_ONCE = 8              /* threads, before the time is looked at */
};

/* A process, by what its run tells. */
typedef struct {
    const DtProcessKey *key;
    char *label;
    guint32 *functions; /* by file id */
    guint32 function_count;
    gboolean has_ended;
} Named;

/* A thread that was seen, alive or in the run. */
typedef struct {
    DtThreadKey key; /* with the host of its process' key */
    Named *process;
    DtLiveMember member;
    char *label;
    guint index; /* of its trace in the run; G_MAXUINT: in none that was opened */
    gint64 looked_us, first_us;
    guint64 first_words;
    guint32 calls[2];
    gboolean calls_known;
    guint64 read_words; /* the position at which its open calls were read; G_MAXUINT64: they were not */
    guint round;        /* of the last update that has seen it alive; 0: none */
    gboolean has_ended;
    DtIterations *iterations;
} Thread;

typedef struct {
    DtLiveClass class;
    GPtrArray *members; /* (element-type Thread), later of their members */
} Group;

struct DtLiveClasses {
    DtLive *live;
    DtLiveReading reading;
    DtRun *run;
    GHashTable *named;      /* DtProcessKey -> Named */
    GHashTable *of_process; /* DtLiveProcess -> Named */
    GHashTable *threads;    /* DtThreadKey -> Thread */
    GPtrArray *groups;      /* (element-type Group), whose first member is the class */
    DtLiveTotals totals;
    guint round;
    guint alive, alive_before;
    gint64 now_us, before_us;
    gint64 next_run_us;      /* before it the run is not opened again */
    guint64 words_of_others; /* of traces that no living thread has */
};

/* ---- keys --------------------------------------------------------------------------------------- */

static void named_free(gpointer data)
{
    Named *named = data;
    g_free(named->label);
    g_free(named->functions);
    g_free(named);
}

static void thread_free(gpointer data)
{
    Thread *thread = data;
    g_free(thread->label);
    dt_iterations_free(thread->iterations);
    g_free(thread);
}

static void group_free(gpointer data)
{
    Group *group = data;
    g_ptr_array_unref(group->members);
    g_free(group);
}

DtLiveClasses *dt_live_classes_new(DtLive *live, DtLiveReading reading)
{
    DtLiveClasses *classes = g_new0(DtLiveClasses, 1);
    classes->live = live;
    classes->reading = reading;
    classes->totals.in_mpi = -1;
    classes->named = g_hash_table_new_full(dt_process_key_hash, dt_process_key_equal, g_free, named_free);
    classes->of_process = g_hash_table_new(NULL, NULL);
    classes->threads = g_hash_table_new_full(dt_thread_key_hash, dt_thread_key_equal, NULL, thread_free);
    classes->groups = g_ptr_array_new_with_free_func(group_free);
    return classes;
}

void dt_live_classes_free(DtLiveClasses *classes)
{
    if (!classes)
        return;
    g_ptr_array_unref(classes->groups);
    g_hash_table_unref(classes->threads);
    g_hash_table_unref(classes->of_process);
    g_hash_table_unref(classes->named);
    dt_run_free(classes->run);
    g_free(classes);
}

static Named *find_named(DtLiveClasses *classes, DtProcessKey key)
{
    Named *named = g_hash_table_lookup(classes->named, &key);
    if (named)
        return named;
    DtProcessKey *own = dt_process_key_copy(&key);
    named = g_new0(Named, 1);
    named->key = own;
    g_hash_table_insert(classes->named, own, named);
    return named;
}

static Named *named_of_live(DtLiveClasses *classes, const DtLiveProcess *process)
{
    Named *named = g_hash_table_lookup(classes->of_process, process);
    if (named)
        return named;
    named = find_named(classes, (DtProcessKey){process->host, process->start_ns, process->pid});
    g_hash_table_insert(classes->of_process, (gpointer)process, named);
    return named;
}

static Thread *find_thread(DtLiveClasses *classes, Named *process, guint number, gboolean library)
{
    const DtThreadKey key = {*process->key, number, library};
    Thread *thread = g_hash_table_lookup(classes->threads, &key);
    if (thread)
        return thread;
    thread = g_new0(Thread, 1);
    thread->key = key;
    thread->process = process;
    thread->index = G_MAXUINT;
    thread->read_words = G_MAXUINT64;
    thread->member.in_mpi = -1;
    g_hash_table_insert(classes->threads, &thread->key, thread);
    return thread;
}

static Thread *thread_of_live(DtLiveClasses *classes, const DtLiveThread *live)
{
    return find_thread(classes, named_of_live(classes, live->process), live->number, live->library);
}

/* ---- the run ------------------------------------------------------------------------------------ */

static void name_process(DtLiveClasses *classes, const DtProcess *process)
{
    const DtProcessEntry *entry = (const DtProcessEntry *)process;
    Named *named = find_named(classes, dt_process_key_of(process));
    g_free(named->label);
    named->label = g_strdup(process->label);
    g_free(named->functions);
    named->function_count = entry->function_count;
    named->functions = g_memdup2(entry->functions, entry->function_count * sizeof(guint32));
}

/* Of one that this refresh has not seen alive. It may have come since. */
static gboolean has_ended(const Thread *thread, const DtTrace *trace, gboolean is_over)
{
    return is_over || trace->returned || trace->process->end != DT_END_RUNNING || thread->process->has_ended ||
           thread->round > 0;
}

static void name_trace(DtLiveClasses *classes, const DtTrace *trace)
{
    Named *named = find_named(classes, dt_process_key_of(trace->process));
    Thread *thread = find_thread(classes, named, trace->thread, trace->library);
    g_free(thread->label);
    thread->label = g_strdup(trace->label);
    thread->member.label = thread->label;
    thread->index = trace->index;
    if (thread->round == classes->round)
        return;
    thread->has_ended = has_ended(thread, trace, classes->totals.is_over);
    thread->member.words = trace->words + trace->dropped_words;
    thread->member.words_a_second = 0;
    classes->words_of_others += thread->member.words;
}

static void count_run(DtLiveClasses *classes)
{
    g_autoptr(GHashTable) hosts = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) ranks = g_hash_table_new(NULL, NULL);
    for (guint p = 0; p < dt_run_process_count(classes->run); p++) {
        const DtProcess *process = dt_run_process(classes->run, p);
        g_hash_table_add(hosts, (gpointer)process->host);
        if (process->rank >= 0)
            g_hash_table_add(ranks, GINT_TO_POINTER(process->rank));
    }
    classes->totals.hosts = g_hash_table_size(hosts);
    classes->totals.ranks = g_hash_table_size(ranks);
}

static gboolean open_run(DtLiveClasses *classes, GError **error)
{
    DtRun *run = dt_run_open(dt_live_path(classes->live), dt_live_functions(classes->live), error);
    if (!run)
        return FALSE;
    dt_run_free(classes->run);
    classes->run = run;
    classes->words_of_others = 0;
    GHashTableIter threads;
    gpointer thread;
    g_hash_table_iter_init(&threads, classes->threads);
    while (g_hash_table_iter_next(&threads, NULL, &thread))
        ((Thread *)thread)->index = G_MAXUINT;
    for (guint p = 0; p < dt_run_process_count(run); p++)
        name_process(classes, dt_run_process(run, p));
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        name_trace(classes, dt_run_trace(run, t));
    count_run(classes);
    return TRUE;
}

/* ---- heads -------------------------------------------------------------------------------------- */

static char state_of(const DtLiveClasses *classes, const DtLiveThread *live)
{
    if (classes->totals.hosts < 2)
        return 0;
    const DtKernelThread kernel = dt_live_state(classes->live, live).kernel;
    return kernel.is_known ? kernel.state : '?';
}

static void note_position(const DtLiveClasses *classes, Thread *thread, const DtLiveThread *live)
{
    const gdouble seconds = (gdouble)(classes->now_us - thread->looked_us) / G_USEC_PER_SEC;
    DtLiveMember *member = &thread->member;
    if (thread->round == 0) {
        thread->first_us = classes->now_us;
        thread->first_words = live->words;
    } else if (seconds > 0) {
        member->words_a_second = (gdouble)(live->words - MIN(live->words, member->words)) / seconds;
    }
    member->words = live->words;
    member->still = (gdouble)(classes->now_us - live->moved_us) / G_USEC_PER_SEC;
    member->still_longer = live->words == thread->first_words;
    member->state = state_of(classes, live);
    thread->looked_us = classes->now_us;
    thread->round = classes->round;
    thread->has_ended = FALSE;
}

/* FALSE: some id has no name yet. Where the heads tell nothing, what was known stays until it is read again. */
static gboolean name_calls(Thread *thread, const DtLiveThread *live)
{
    const Named *process = thread->process;
    gboolean are_known = TRUE;
    if (thread->read_words == live->words || live->calls[0] == 0)
        return TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(live->calls); i++) {
        const guint32 id = live->calls[i];
        are_known = are_known && (id == 0 || id < process->function_count);
        thread->calls[i] = id != 0 && process->functions && id < process->function_count ? process->functions[id] : 0;
    }
    thread->calls_known = thread->calls[0] != 0;
    return are_known;
}

/* TRUE if something is to be named. */
static gboolean look_at_heads(DtLiveClasses *classes)
{
    gboolean has_news = !classes->run;
    guint ended;
    for (guint i = 0; i < dt_live_process_count(classes->live, &ended); i++) {
        const DtLiveProcess *process = dt_live_process(classes->live, i);
        named_of_live(classes, process)->has_ended = process->ended;
    }
    for (guint i = 0; i < classes->alive; i++) {
        const DtLiveThread *live = dt_live_thread(classes->live, i);
        Thread *thread = thread_of_live(classes, live);
        has_news = has_news || thread->index == G_MAXUINT || thread->has_ended;
        note_position(classes, thread, live);
        has_news = !name_calls(thread, live) || has_news;
    }
    return has_news || classes->alive != classes->alive_before;
}

/* Of this thread. On a machine that has too much to do, time alone says little. */
static gint64 processor_us(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (gint64)time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

/* ---- what the heads do not tell ------------------------------------------------------------------- */

static void read_calls(const DtLiveClasses *classes, Thread *thread)
{
    g_autoptr(GArray) calls = dt_open_calls_at_end(classes->run, dt_run_trace(classes->run, thread->index), NULL);
    thread->read_words = thread->member.words;
    thread->calls_known = calls != NULL;
    for (guint i = 0; calls && i < G_N_ELEMENTS(thread->calls); i++)
        thread->calls[i] = i < calls->len ? g_array_index(calls, DtOpenCall, calls->len - 1 - i).function : 0;
}

/* Those that stand still first: what is read of them stays right. */
static gint by_need(gconstpointer a, gconstpointer b)
{
    const Thread *one = *(Thread *const *)a, *other = *(Thread *const *)b;
    const gboolean one_moves = !one->has_ended && one->member.words_a_second > 0;
    const gboolean other_moves = !other->has_ended && other->member.words_a_second > 0;
    if (one_moves != other_moves)
        return one_moves ? 1 : -1;
    return one->index < other->index ? -1 : one->index > other->index ? 1 : 0;
}

static gboolean lacks_calls(const Thread *thread)
{
    return thread->read_words != thread->member.words && (thread->calls[1] == 0 || thread->has_ended);
}

static GPtrArray *threads_without_calls(const DtLiveClasses *classes)
{
    GPtrArray *found = g_ptr_array_new();
    GHashTableIter threads;
    gpointer thread;
    g_hash_table_iter_init(&threads, classes->threads);
    while (g_hash_table_iter_next(&threads, NULL, &thread))
        if (lacks_calls(thread) && (((Thread *)thread)->has_ended || ((Thread *)thread)->round == classes->round))
            g_ptr_array_add(found, thread);
    g_ptr_array_sort(found, by_need);
    return found;
}

/* For a part of the time; the others are read later. */
static void read_missing_calls(const DtLiveClasses *classes, const GPtrArray *wanted, gboolean all)
{
    const gint64 begin = processor_us();
    const gint64 limit = MAX(LEAST_READING_US, (classes->now_us - classes->before_us) / PART_OF_TIME);
    for (guint i = 0; i < wanted->len; i++) {
        Thread *thread = wanted->pdata[i];
        if (thread->index != G_MAXUINT)
            read_calls(classes, thread);
        if (!all && i % READ_AT_ONCE == 0 && processor_us() - begin > limit)
            return;
    }
}

static void read_iterations(const DtLiveClasses *classes)
{
    g_autofree guint32 *bases = dt_functions_bases(dt_live_functions(classes->live));
    g_autoptr(DtCallReader) reader = dt_call_reader_new(bases);
    GHashTableIter threads;
    gpointer data;
    g_hash_table_iter_init(&threads, classes->threads);
    while (g_hash_table_iter_next(&threads, NULL, &data)) {
        Thread *thread = data;
        if (thread->index == G_MAXUINT || thread->key.library)
            continue;
        if (!thread->iterations)
            thread->iterations = dt_iterations_new();
        thread->member.iterated = 0;
        dt_iterations_read(thread->iterations, reader, classes->run, dt_run_trace(classes->run, thread->index),
                           thread->member.words);
        if (!dt_iterations_find(thread->iterations, &thread->member.iterated, &thread->member.iteration))
            thread->member.iterated = 0;
    }
}

static void read_times_of(DtLiveClasses *classes, const GPtrArray *threads, const GPtrArray *traces)
{
    const DtCallTimesWants wants = {.run = classes->run,
                                    .traces = traces,
                                    .projection = DT_NAMES_ALONE,
                                    .jobs = 1,
                                    .until_now = !classes->totals.is_over};
    g_autoptr(DtCallTimes) times = dt_call_times_new(&wants, NULL);
    gdouble in_mpi = 0, all = 0;
    for (guint i = 0; times && i < threads->len; i++) {
        const DtTraceTime *trace = &g_array_index(times->traces, DtTraceTime, i);
        const gdouble own = (gdouble)trace->in_ns[DT_TIME_IN_MPI], span = (gdouble)(trace->last_ns - trace->first_ns);
        if (span <= 0)
            continue;
        ((Thread *)threads->pdata[i])->member.in_mpi = own / span;
        in_mpi += own;
        all += own > 0 ? span : 0;
    }
    classes->totals.in_mpi = all > 0 ? in_mpi / all : -1;
}

static void read_times(DtLiveClasses *classes)
{
    g_autoptr(GPtrArray) threads = g_ptr_array_new(), traces = g_ptr_array_new();
    GHashTableIter iter;
    gpointer data;
    g_hash_table_iter_init(&iter, classes->threads);
    while (g_hash_table_iter_next(&iter, NULL, &data)) {
        Thread *thread = data;
        thread->member.in_mpi = -1;
        if (thread->index == G_MAXUINT || thread->key.library)
            continue;
        const DtTrace *trace = dt_run_trace(classes->run, thread->index);
        if (!dt_trace_has_times(trace))
            continue;
        g_ptr_array_add(threads, thread);
        g_ptr_array_add(traces, (gpointer)trace);
    }
    if (traces->len > 0)
        read_times_of(classes, threads, traces);
}

/* ---- classes -------------------------------------------------------------------------------------- */

static guint group_hash(gconstpointer data)
{
    const DtLiveClass *class = data;
    return class->calls[0] * 31 + class->calls[1] * 7 + (class->has_ended ? 1 : 0);
}

static gboolean group_equal(gconstpointer a, gconstpointer b)
{
    const DtLiveClass *one = a, *other = b;
    return memcmp(one->calls, other->calls, sizeof(one->calls)) == 0 && one->has_ended == other->has_ended &&
           one->is_known == other->is_known;
}

/* Threads of libraries that have nothing to do, and threads that have returned, are of no interest. */
static gboolean is_shown(const DtLiveClasses *classes, const Thread *thread)
{
    if (!thread->label || thread->index == G_MAXUINT || (!thread->has_ended && thread->round != classes->round))
        return FALSE;
    const gboolean is_main = thread->key.number == 0 && !thread->key.library;
    return thread->has_ended ? is_main || thread->calls[0] != 0 : !thread->key.library || thread->calls[0] != 0;
}

static gint by_trace(gconstpointer a, gconstpointer b)
{
    const Thread *one = *(Thread *const *)a, *other = *(Thread *const *)b;
    return one->index < other->index ? -1 : one->index > other->index ? 1 : 0;
}

static void count_state(DtLiveClass *class, char state)
{
    guint *count = state == 'R'   ? &class->run
                   : state == 'S' ? &class->sleep
                   : state == '?' ? &class->not_seen
                                  : &class->other;
    *count += state != 0 ? 1 : 0;
}

static void add_member(DtLiveClass *class, const DtLiveMember *member, gboolean is_first)
{
    class->slowest = is_first ? member->words_a_second : MIN(class->slowest, member->words_a_second);
    class->fastest = MAX(class->fastest, member->words_a_second);
    class->still = is_first ? member->still : MIN(class->still, member->still);
    class->still_longer = (is_first || class->still_longer) && member->still_longer;
    count_state(class, class->has_ended ? 0 : member->state);
    class->least_in_mpi = is_first || class->least_in_mpi < 0 ? member->in_mpi
                          : member->in_mpi < 0                ? class->least_in_mpi
                                                              : MIN(class->least_in_mpi, member->in_mpi);
    class->most_in_mpi = is_first ? member->in_mpi : MAX(class->most_in_mpi, member->in_mpi);
    if (member->iterated == 0)
        return;
    const gboolean has_none = class->last_iteration == 0;
    class->iterated = has_none || class->iterated == member->iterated ? member->iterated : 0;
    class->first_iteration = has_none ? member->iteration : MIN(class->first_iteration, member->iteration);
    class->last_iteration = MAX(class->last_iteration, member->iteration);
}

static void finish_group(Group *group)
{
    g_ptr_array_sort(group->members, by_trace);
    for (guint i = 0; i < group->members->len; i++) {
        Thread *thread = group->members->pdata[i];
        add_member(&group->class, &thread->member, i == 0);
    }
}

static gint by_size(gconstpointer a, gconstpointer b)
{
    const Group *one = *(Group *const *)a, *other = *(Group *const *)b;
    if (one->class.has_ended != other->class.has_ended)
        return one->class.has_ended ? 1 : -1;
    if (one->members->len != other->members->len)
        return one->members->len > other->members->len ? -1 : 1;
    return by_trace(&one->members->pdata[0], &other->members->pdata[0]);
}

static void add_to_group(DtLiveClasses *classes, GHashTable *groups, Thread *thread)
{
    const DtLiveClass class = {
        .calls = {thread->calls[0], thread->calls[1]}, .is_known = thread->calls_known, .has_ended = thread->has_ended};
    Group *group = g_hash_table_lookup(groups, &class);
    if (!group) {
        group = g_new0(Group, 1);
        group->class = class;
        group->members = g_ptr_array_new();
        g_ptr_array_add(classes->groups, group);
        g_hash_table_insert(groups, &group->class, group);
    }
    g_ptr_array_add(group->members, thread);
}

static void make_groups(DtLiveClasses *classes)
{
    g_autoptr(GHashTable) groups = g_hash_table_new(group_hash, group_equal);
    GHashTableIter threads;
    gpointer thread;
    g_ptr_array_set_size(classes->groups, 0);
    g_hash_table_iter_init(&threads, classes->threads);
    while (g_hash_table_iter_next(&threads, NULL, &thread))
        if (is_shown(classes, thread))
            add_to_group(classes, groups, thread);
    for (guint i = 0; i < classes->groups->len; i++)
        finish_group(classes->groups->pdata[i]);
    g_ptr_array_sort(classes->groups, by_size);
    for (guint i = 0; i < classes->groups->len; i++) {
        Group *group = classes->groups->pdata[i];
        for (guint k = 0; k < group->members->len; k++)
            group->members->pdata[k] = &((Thread *)group->members->pdata[k])->member;
        group->class.members = group->members;
    }
}

static gdouble seconds_of(const DtLiveClasses *classes)
{
    guint64 first = G_MAXUINT64;
    if (classes->totals.is_over && classes->run)
        return dt_run_manifest(classes->run)->seconds;
    for (guint i = 0; i < classes->alive; i++) {
        const DtLiveProcess *process = dt_live_thread(classes->live, i)->process;
        first = process->is_here ? MIN(first, process->start_ns) : first;
    }
    return first < (guint64)classes->now_us * 1000 ? (gdouble)classes->now_us / 1e6 - (gdouble)first / 1e9 : 0;
}

static void find_totals(DtLiveClasses *classes)
{
    DtLiveTotals *totals = &classes->totals;
    const guint64 before = totals->words;
    totals->processes = dt_live_process_count(classes->live, &totals->ended);
    totals->threads = classes->alive;
    totals->words = classes->words_of_others;
    totals->words_a_second = 0;
    totals->still = G_MAXDOUBLE;
    totals->still_longer = TRUE;
    for (guint i = 0; i < classes->alive; i++) {
        const DtLiveThread *live = dt_live_thread(classes->live, i);
        const Thread *thread = thread_of_live(classes, live);
        totals->words += thread->member.words;
        totals->words_a_second += thread->member.words_a_second;
        totals->still = live->library ? totals->still : MIN(totals->still, thread->member.still);
        totals->still_longer = totals->still_longer && (live->library || thread->member.still_longer);
    }
    totals->still = totals->still == G_MAXDOUBLE ? 0 : totals->still; // NOLINT: it was set to that
    totals->words = MAX(totals->words, before);
    totals->seconds = seconds_of(classes);
}

/* FALSE: it could not be opened. */
static gboolean read_run(DtLiveClasses *classes, gboolean all, GError **error)
{
    const gint64 begin = processor_us();
    if (!open_run(classes, error))
        return FALSE;
    look_at_heads(classes);
    g_autoptr(GPtrArray) missing = threads_without_calls(classes);
    read_missing_calls(classes, missing, all);
    if (classes->reading & DT_LIVE_ITERATIONS)
        read_iterations(classes);
    if (classes->reading & DT_LIVE_TIMES)
        read_times(classes);
    classes->next_run_us = classes->now_us + (processor_us() - begin) * PART_OF_TIME;
    return TRUE;
}

gboolean dt_live_classes_update(DtLiveClasses *classes, gboolean is_over, gboolean all, GError **error)
{
    classes->before_us = classes->now_us;
    classes->now_us = g_get_monotonic_time();
    classes->round++;
    classes->alive_before = classes->alive;
    classes->alive = dt_live_thread_count(classes->live);
    const gboolean ends = is_over && !classes->totals.is_over;
    classes->totals.is_over = is_over;
    const gboolean has_news = look_at_heads(classes) || ends || classes->reading != 0;
    g_autoptr(GPtrArray) wanted = threads_without_calls(classes);
    const gboolean may_read = all || ends || classes->now_us >= classes->next_run_us;
    if ((has_news || wanted->len > 0) && may_read && !read_run(classes, all || ends, classes->run ? NULL : error) &&
        !classes->run)
        return FALSE;
    make_groups(classes);
    find_totals(classes);
    return TRUE;
}

const GPtrArray *dt_live_classes_list(const DtLiveClasses *classes)
{
    return classes->groups;
}

const DtLiveTotals *dt_live_classes_totals(const DtLiveClasses *classes)
{
    return &classes->totals;
}

const DtRun *dt_live_classes_run(const DtLiveClasses *classes)
{
    return classes->run;
}
