/*
 * Teams of threads: with another number of threads, thread 3 is not what thread 3 was, and each does another share of
 * the work.
 */
#include <string.h>

#include "verdict/corpus.h"

/* Of the outlined regions that GCC's and LLVM's threads start with. */
static const char *const region_names[] = {"._omp_fn.", ".omp_outlined", NULL};

static gboolean is_worker(const DtObservedTrace *observed)
{
    return dt_thread_kind(observed->trace) == DT_THREAD_KIND_WORKER;
}

guint32 dt_start_function(const DtCorpus *corpus, const DtObservedTrace *observed)
{
    const DtSequence *entries = &observed->calls->entries;
    if (dt_sequence_length(entries) == 0)
        return 0;
    return dt_functions_base(corpus->functions, dt_corpus_symbol(corpus, dt_sequence_at(entries, 0))->callee);
}

/* The runtime library decides how many there are, not the program. */
static gboolean is_of_openmp(const DtCorpus *corpus, const DtObservedTrace *observed)
{
    guint32 start = dt_start_function(corpus, observed);
    const char *name = start ? dt_functions_get(corpus->functions, start)->name : "";
    for (guint i = 0; region_names[i]; i++) {
        if (strstr(name, region_names[i]))
            return TRUE;
    }
    return FALSE;
}

/* What a run has of a process. */
typedef struct {
    const char *arguments;
    guint team;    /* OpenMP's workers */
    guint workers; /* all threads but the first */
} Team;

/* By label of the process (Team). */
static GHashTable *find_teams(const DtCorpus *corpus, guint run)
{
    GHashTable *teams = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    const GPtrArray *traces = g_ptr_array_index(corpus->runs, run);
    for (guint t = 0; t < traces->len; t++) {
        const DtObservedTrace *observed = g_ptr_array_index(traces, t);
        const DtProcess *process = observed->trace->process;
        Team *team = g_hash_table_lookup(teams, process->label);
        if (!team) {
            team = g_new0(Team, 1);
            team->arguments = process->arguments;
            g_hash_table_insert(teams, (gpointer)process->label, team);
        }
        team->team += is_worker(observed) && is_of_openmp(corpus, observed) ? 1 : 0;
        team->workers += is_worker(observed) ? 1 : 0;
    }
    return teams;
}

/* Another number of threads by the user's will: OpenMP's, or of a command with other arguments. */
static gboolean is_resized(const Team *own, const Team *normal)
{
    if (own->team != normal->team)
        return own->team > 0 && normal->team > 0;
    return own->workers != normal->workers && own->workers > 0 && normal->workers > 0 &&
           g_strcmp0(own->arguments, normal->arguments) != 0;
}

/* All processes that have threads in both runs have others: if it were only one, that would be a symptom. */
static gboolean all_resized(GHashTable *teams, GHashTable *normal_teams, guint *sizes)
{
    GHashTableIter iterator;
    gpointer label, own;
    guint resized = 0, equal = 0;
    g_hash_table_iter_init(&iterator, teams);
    while (g_hash_table_iter_next(&iterator, &label, &own)) {
        const Team *normal = g_hash_table_lookup(normal_teams, label);
        if (!normal || (((Team *)own)->workers == 0 && normal->workers == 0))
            continue;
        gboolean differs = is_resized(own, normal);
        resized += differs ? 1 : 0;
        equal += differs ? 0 : 1;
        if (differs) {
            sizes[0] = MAX(sizes[0], normal->workers + 1);
            sizes[1] = MAX(sizes[1], ((Team *)own)->workers + 1);
        }
    }
    return resized > 0 && equal == 0;
}

void dt_find_thread_counts(DtCorpus *corpus)
{
    g_autoptr(GHashTable) teams = find_teams(corpus, corpus->normals);
    corpus->teams_differ = corpus->normals > 0;
    for (guint run = 0; corpus->teams_differ && run < corpus->normals; run++) {
        g_autoptr(GHashTable) normal_teams = find_teams(corpus, run);
        corpus->teams_differ = all_resized(teams, normal_teams, corpus->team_sizes);
    }
}

static gboolean is_worker_label(const DtCorpus *corpus, guint trace)
{
    for (guint run = 0; run <= corpus->normals; run++) {
        const DtObservedTrace *observed = dt_corpus_at(corpus, run, trace);
        if (observed)
            return is_worker(observed);
    }
    return FALSE;
}

gboolean dt_corpus_label_is_void(const DtCorpus *corpus, guint trace)
{
    return dt_corpus_sizes_differ(corpus) || (corpus->teams_differ && is_worker_label(corpus, trace));
}

gboolean dt_corpus_does_other_share(const DtCorpus *corpus, guint trace)
{
    const GPtrArray *mates = corpus->reference_traces ? corpus->reference_traces[trace] : NULL;
    if (!corpus->teams_differ)
        return FALSE;
    for (guint i = 0; mates && i < mates->len; i++) {
        if (((const DtObservedTrace *)g_ptr_array_index(mates, i))->run == corpus->faulty_run)
            return FALSE;
    }
    return TRUE;
}
