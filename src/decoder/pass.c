/* Reading the traces of runs once for all that consume their events. */
#include "decoder/pass.h"

#include <omp.h>
#include <string.h>

struct DtPass {
    const DtRun *const *runs;
    guint run_count, jobs;
    guint *first_trace; /* by run, and one more */
    guint *distinct_of; /* by trace of all runs */
    guint32 *bases;
    GPtrArray *distinct; /* (element-type DtDistinctTrace) */
    GPtrArray *ordered;  /* the same, the longest first */
    GArray *consumers;   /* (element-type DtEventConsumer) */
    guint64 done_words, all_words;
};

/* ---- traces with the same events --------------------------------------------------------- */

static const DtTrace *trace_at(const DtPass *pass, guint index, const DtRun **run)
{
    guint r = 0;
    while (r + 1 < pass->run_count && index >= pass->first_trace[r + 1])
        r++;
    *run = pass->runs[r];
    return dt_run_trace(*run, index - pass->first_trace[r]);
}

/* Of all traces, of which each member has made its share. */
static void exchange_digests(const DtParallel *parallel, char **digests, guint count)
{
    guint first, end;
    dt_parallel_share(parallel, count, &first, &end);
    GString *own = g_string_new(NULL);
    for (guint i = first; i < end; i++)
        g_string_append_printf(own, "%s\n", digests[i] ? digests[i] : "");
    GBytes *sum = dt_parallel_reduce(parallel, g_string_free_to_bytes(own), dt_parallel_concatenate);
    g_autoptr(GBytes) all = dt_parallel_broadcast(parallel, sum);
    gsize bytes;
    const char *next = g_bytes_get_data(all, &bytes), *stop = next + bytes;
    for (guint i = 0; i < count && next < stop; i++) {
        const char *line_end = memchr(next, '\n', (gsize)(stop - next));
        g_free(digests[i]);
        digests[i] = line_end > next ? g_strndup(next, (gsize)(line_end - next)) : NULL;
        next = line_end + 1;
    }
}

static char **digest_traces(const DtPass *pass, const DtParallel *parallel)
{
    guint count = pass->first_trace[pass->run_count], first, end;
    char **digests = g_new0(char *, (gsize)count + 1);
    dt_parallel_share(parallel, count, &first, &end);
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)pass->jobs)
    for (guint i = first; i < end; i++) {
        const DtRun *run;
        const DtTrace *trace = trace_at(pass, i, &run);
        digests[i] = dt_trace_digest(run, trace);
    }
    if (parallel)
        exchange_digests(parallel, digests, count);
    return digests;
}

static DtDistinctTrace *add_distinct(DtPass *pass, guint trace)
{
    DtDistinctTrace *distinct = g_new0(DtDistinctTrace, 1);
    distinct->trace = trace_at(pass, trace, &distinct->run);
    distinct->number = distinct->by_names = pass->distinct->len;
    distinct->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_ptr_array_add(pass->distinct, distinct);
    return distinct;
}

static void free_distinct(gpointer data)
{
    DtDistinctTrace *distinct = data;
    g_array_unref(distinct->open);
    g_free(distinct->problem);
    g_clear_error(&distinct->failure);
    g_free(distinct);
}

/* The one that is known by the text, or `otherwise`, which is from then on. */
static const DtDistinctTrace *known_by(GHashTable *known, const char *text, const DtDistinctTrace *otherwise)
{
    const DtDistinctTrace *found = g_hash_table_lookup(known, text);
    if (!found && otherwise)
        g_hash_table_insert(known, g_strdup(text), (gpointer)otherwise);
    return found ? found : otherwise;
}

static void find_distinct(DtPass *pass, char *const *digests)
{
    g_autoptr(GHashTable) whole = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < pass->first_trace[pass->run_count]; i++) {
        const DtDistinctTrace *found = digests[i] ? known_by(whole, digests[i], NULL) : NULL;
        if (!found) {
            DtDistinctTrace *distinct = add_distinct(pass, i);
            g_autofree char *of_names = digests[i] ? g_strndup(digests[i], DT_DIGEST_OF_NAMES) : NULL;
            if (of_names) {
                known_by(whole, digests[i], distinct);
                distinct->by_names = known_by(names, of_names, distinct)->number;
            }
            found = distinct;
        }
        pass->distinct_of[i] = found->number;
    }
}

static gint by_descending_words(gconstpointer a, gconstpointer b)
{
    const DtDistinctTrace *left = *(DtDistinctTrace *const *)a, *right = *(DtDistinctTrace *const *)b;
    if (left->trace->words != right->trace->words)
        return left->trace->words > right->trace->words ? -1 : 1;
    return left->number < right->number ? -1 : 1;
}

DtPass *dt_pass_new(const DtParallel *parallel, const DtRun *const *runs, guint run_count, guint jobs)
{
    DtPass *pass = g_new0(DtPass, 1);
    pass->runs = g_memdup2(runs, run_count * sizeof(*runs));
    pass->run_count = run_count;
    pass->jobs = jobs > 0 ? jobs : (guint)omp_get_max_threads();
    pass->bases = dt_functions_bases(dt_run_functions(runs[0]));
    pass->first_trace = g_new0(guint, (gsize)run_count + 1);
    for (guint run = 0; run < run_count; run++)
        pass->first_trace[run + 1] = pass->first_trace[run] + dt_run_trace_count(runs[run]);
    pass->distinct_of = g_new0(guint, (gsize)pass->first_trace[run_count] + 1);
    pass->distinct = g_ptr_array_new_with_free_func(free_distinct);
    pass->consumers = g_array_new(FALSE, FALSE, sizeof(DtEventConsumer));
    char **digests = digest_traces(pass, parallel);
    find_distinct(pass, digests);
    for (guint i = 0; i < pass->first_trace[run_count]; i++)
        g_free(digests[i]);
    g_free(digests);
    pass->ordered = g_ptr_array_copy(pass->distinct, NULL, NULL);
    g_ptr_array_set_free_func(pass->ordered, NULL);
    g_ptr_array_sort(pass->ordered, by_descending_words);
    return pass;
}

void dt_pass_free(DtPass *pass)
{
    if (!pass)
        return;
    g_free((gpointer)pass->runs);
    g_free(pass->first_trace);
    g_free(pass->distinct_of);
    g_free(pass->bases);
    g_ptr_array_unref(pass->ordered);
    g_ptr_array_unref(pass->distinct);
    g_array_unref(pass->consumers);
    g_free(pass);
}

guint dt_pass_jobs(const DtPass *pass)
{
    return pass->jobs;
}

guint dt_pass_count(const DtPass *pass)
{
    return pass->distinct->len;
}

const DtDistinctTrace *dt_pass_get(const DtPass *pass, guint number)
{
    return pass->distinct->pdata[number];
}

const DtDistinctTrace *dt_pass_longest(const DtPass *pass, guint rank)
{
    return pass->ordered->pdata[rank];
}

const DtRun *dt_pass_run(const DtPass *pass, guint run)
{
    return pass->runs[run];
}

const DtDistinctTrace *dt_pass_find(const DtPass *pass, guint run, guint trace)
{
    return dt_pass_get(pass, pass->distinct_of[pass->first_trace[run] + trace]);
}

void dt_pass_add(DtPass *pass, const DtEventConsumer *consumer)
{
    g_array_append_val(pass->consumers, *consumer);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* A thread: what each consumer has there, and those that want the trace at hand. */
typedef struct {
    DtPass *pass;
    DtCallReader *reader;
    gpointer *states;
    guint *wanting;
    guint wanting_count;
} Reading;

static const DtEventConsumer *consumer_at(const DtPass *pass, guint index)
{
    return &g_array_index(pass->consumers, DtEventConsumer, index);
}

static Reading reading_start(DtPass *pass)
{
    guint count = pass->consumers->len;
    Reading reading = {pass, dt_call_reader_new(pass->bases), g_new0(gpointer, (gsize)count + 1),
                       g_new0(guint, (gsize)count + 1), 0};
    for (guint i = 0; i < count; i++)
        reading.states[i] = consumer_at(pass, i)->start(consumer_at(pass, i)->consumer);
    return reading;
}

static void reading_stop(Reading *reading)
{
    for (guint i = 0; i < reading->pass->consumers->len; i++)
        consumer_at(reading->pass, i)->stop(reading->states[i]);
    dt_call_reader_free(reading->reader);
    g_free(reading->states);
    g_free(reading->wanting);
}

static void begin(Reading *reading, const DtDistinctTrace *distinct)
{
    reading->wanting_count = 0;
    for (guint i = 0; i < reading->pass->consumers->len; i++) {
        if (consumer_at(reading->pass, i)->begin(reading->states[i], distinct))
            reading->wanting[reading->wanting_count++] = i;
    }
}

static void follow(Reading *reading, DtDistinctTrace *distinct)
{
    DtCallBatch batch;
    while (dt_call_reader_next(reading->reader, &batch)) {
        distinct->events += batch.count * batch.times;
        for (guint i = 0; i < reading->wanting_count; i++)
            consumer_at(reading->pass, reading->wanting[i])->follow(reading->states[reading->wanting[i]], &batch);
    }
    const DtCallStack *stack = dt_call_reader_stack(reading->reader);
    if (dt_call_stack_depth(stack) > 0)
        g_array_append_vals(distinct->open, dt_call_stack_frames(stack), dt_call_stack_depth(stack));
    distinct->problem = g_strdup(dt_call_reader_problem(reading->reader));
}

static void read_trace(Reading *reading, DtDistinctTrace *distinct)
{
    begin(reading, distinct);
    if (reading->wanting_count == 0)
        return;
    distinct->was_read = TRUE;
    if (dt_call_reader_start(reading->reader, distinct->run, distinct->trace, &distinct->failure))
        follow(reading, distinct);
    else
        distinct->problem = g_strdup(distinct->failure->message);
    for (guint i = 0; i < reading->wanting_count; i++)
        consumer_at(reading->pass, reading->wanting[i])->end(reading->states[reading->wanting[i]], distinct);
}

static void note_done(DtPass *pass, const DtDistinctTrace *distinct, DtPassProgress progress, gpointer user_data)
{
    guint64 done;
#pragma omp atomic capture
    done = pass->done_words += distinct->trace->words;
    if (progress && omp_get_thread_num() == 0)
        progress(done, pass->all_words, user_data);
}

void dt_pass_read(DtPass *pass, DtPassProgress progress, gpointer user_data)
{
    const guint count = pass->ordered->len;
    for (guint i = 0; i < count; i++)
        pass->all_words += dt_pass_get(pass, i)->trace->words;
#pragma omp parallel num_threads((int)CLAMP(pass->jobs, 1, MAX(count, 1)))
    {
        Reading reading = reading_start(pass);
#pragma omp for schedule(dynamic, 1)
        for (guint i = 0; i < count; i++) {
            read_trace(&reading, pass->ordered->pdata[i]);
            note_done(pass, pass->ordered->pdata[i], progress, user_data);
        }
        reading_stop(&reading);
    }
}
