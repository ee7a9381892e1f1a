/* Gathering what report.html shows. */
#include "result/page_data.h"

#include "report/page.h"
#include "report/skeletons/skeleton_difference_report.h"
#include "report/stacks.h"
#include "result/argument_diffs.h"
#include "result/difference_report.h"

/* Everything that the page borrows and nobody else owns. */
typedef struct {
    const DtComparison *comparison;
    const DtRuns *runs;
    DtFoldingCache *cache;
    GArray *differences, *views, *lattices;
    GPtrArray *diffs, *matrices, *dendrograms, *texts; /* owned */
    DtDetailed *detailed;                              /* NULL: not yet */
} Gathering;

/* One run of what was read. */
typedef struct {
    const DtReading *reading;
    DtSide of;
} Side;

static void clear_gathering(Gathering *gathering)
{
    g_array_unref(gathering->differences);
    g_array_unref(gathering->views);
    g_array_unref(gathering->lattices);
    g_ptr_array_unref(gathering->diffs);
    g_ptr_array_unref(gathering->matrices);
    g_ptr_array_unref(gathering->dendrograms);
    g_ptr_array_unref(gathering->texts);
    dt_detailed_free(gathering->detailed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Gathering, clear_gathering)

static Gathering gathering_new(const DtComparison *comparison, const DtRuns *runs, DtFoldingCache *cache)
{
    return (Gathering){.comparison = comparison,
                       .runs = runs,
                       .cache = cache,
                       .differences = g_array_new(FALSE, FALSE, sizeof(DtDiffNlrReport)),
                       .views = g_array_new(FALSE, FALSE, sizeof(DtPageView)),
                       .lattices = g_array_new(FALSE, FALSE, sizeof(DtPageLattice)),
                       .diffs = g_ptr_array_new_with_free_func((GDestroyNotify)dt_diffnlr_free),
                       .matrices = g_ptr_array_new_with_free_func((GDestroyNotify)dt_matrix_free),
                       .dendrograms = g_ptr_array_new_with_free_func((GDestroyNotify)dt_dendrogram_free),
                       .texts = g_ptr_array_new_with_free_func(g_free)};
}

/* ---- differences ------------------------------------------------------------------ */

static gboolean gather_difference(Gathering *gathering, const char *label, GError **error)
{
    guint shows = DT_SHOWS_NOTHING;
    const DtFolding *folding = dt_folding_cache_telling(gathering->cache, gathering->comparison, label, &shows, error);
    if (!folding)
        return FALSE;
    DtDiffNlr *diff = shows != DT_SHOWS_NOTHING ? dt_difference(gathering->runs, folding, label) : NULL;
    if (!diff)
        return TRUE;
    g_ptr_array_add(gathering->diffs, diff);
    DtDiffNlrReport what = dt_difference_named(gathering->comparison, gathering->runs, folding, label, diff);
    g_array_append_val(gathering->differences, what);
    return TRUE;
}

/* Of the first suspects that are in both runs. */
static gboolean gather_differences(Gathering *gathering, GError **error)
{
    const DtRuns *runs = gathering->runs;
    const GPtrArray *suspects = gathering->comparison->suspects;
    if (!runs->normal)
        return TRUE;
    for (guint i = 0; i < suspects->len && gathering->differences->len < DT_PAGE_SUSPECTS; i++) {
        const char *label = ((const DtSuspectRow *)suspects->pdata[i])->trace;
        if (!dt_run_find_trace(runs->normal, label) || !dt_run_find_trace(runs->faulty, label))
            continue;
        if (!gather_difference(gathering, label, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- one configuration ---------------------------------------------------------------- */

static gboolean gather_view(Gathering *gathering, const DtSimilarity *similarity, DtSide side, DtLinkage linkage,
                            GError **error)
{
    DtMatrix *matrix = dt_similarity_matrix(similarity, side, error);
    if (!matrix)
        return FALSE;
    g_ptr_array_add(gathering->matrices, matrix);
    DtDendrogram *dendrogram = dt_similarity_dendrogram(similarity, side, linkage, error);
    if (!dendrogram)
        return FALSE;
    g_ptr_array_add(gathering->dendrograms, dendrogram);
    DtPageView view = {side, matrix, dendrogram};
    g_array_append_val(gathering->views, view);
    return TRUE;
}

static gboolean gather_views(Gathering *gathering, const DtSimilarity *similarity, DtLinkage linkage, GError **error)
{
    if (!gathering->runs->normal)
        return gather_view(gathering, similarity, DT_SIDE_FAULTY, linkage, error);
    return gather_view(gathering, similarity, DT_SIDE_DIFFERENCE, linkage, error) &&
           gather_view(gathering, similarity, DT_SIDE_NORMAL, linkage, error) &&
           gather_view(gathering, similarity, DT_SIDE_FAULTY, linkage, error);
}

/* A lattice that cannot be drawn is told on the page, not an error. */
static void gather_lattice(Gathering *gathering, const DtRankingRow *row, const GPtrArray *folded, const DtRun *run,
                           DtSide side, DtAttributeSetting attributes)
{
    g_autoptr(GError) cause = NULL;
    g_autoptr(DtContext) context = dt_folding_context(folded, gathering->runs->functions, attributes);
    DtLatticeReport what = {dt_run_path(run), row->filter, row->attributes, context, NULL};
    guint most = DT_PAGE_CONCEPTS;
    char *svg = dt_report_lattice_upper(&what, &most, DT_FORMAT_SVG, &cause);
    char *note = !svg ? g_strdup(cause->message) : NULL;
    g_ptr_array_add(gathering->texts, svg ? svg : note);
    DtPageLattice drawn = {side, svg, note};
    g_array_append_val(gathering->lattices, drawn);
}

static void gather_lattices(Gathering *gathering, const DtRankingRow *row, const DtFolding *folding,
                            DtAttributeSetting attributes)
{
    if (gathering->runs->normal)
        gather_lattice(gathering, row, folding->normal, gathering->runs->normal, DT_SIDE_NORMAL, attributes);
    gather_lattice(gathering, row, folding->faulty, gathering->runs->faulty, DT_SIDE_FAULTY, attributes);
}

/* ---- from whole traces ------------------------------------------------------------------- */

/* FALSE: another process has read it. */
static gboolean find_events(const DtTrace *trace, guint64 *events, gpointer side)
{
    const Side *of = side;
    const DtDistinctTrace *read = dt_reading_find(of->reading, of->of, trace);
    if (read)
        *events = read->events;
    return read != NULL;
}

static guint64 *count_events(const Gathering *gathering, DtSide of, const DtRun *run)
{
    Side side = {dt_folding_cache_reading(gathering->cache), of};
    return run ? dt_count_events(run, find_events, &side) : NULL;
}

static gboolean find_final_stack(const DtTrace *trace, GArray *frames, gpointer side)
{
    const Side *of = side;
    const DtDistinctTrace *read = dt_reading_find(of->reading, of->of, trace);
    if (!read || read->failure)
        return FALSE;
    for (guint i = 0; i < read->open->len; i++) {
        guint32 call = dt_functions_base(dt_run_functions(read->run), g_array_index(read->open, guint32, i));
        g_array_append_val(frames, call);
    }
    return TRUE;
}

/* ---- skeletons --------------------------------------------------------------------------- */

static guint64 words_of(const DtRun *run)
{
    guint64 words = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        words += dt_run_trace(run, i)->words;
    return words;
}

static char *skeleton_text(const DtRun *run)
{
    const DtSkeletonOptions options = {
        .communication_only = TRUE, .no_lines = TRUE, .most_calls = DT_PAGE_SKELETON_CALLS};
    g_autoptr(DtSkeleton) skeleton =
        words_of(run) <= DT_PAGE_SKELETON_WORDS ? dt_skeleton_of_run(run, &options, NULL) : NULL;
    return skeleton ? dt_skeleton_text_with(skeleton, DT_TEXT_NO_LINES | DT_TEXT_NO_TIMES) : NULL;
}

/* NULL: one of the runs has none, or too much would have to be read, or shown. */
static DtSkeletonDifference *compare_skeletons(const DtRuns *runs)
{
    g_autofree char *normal = runs->normal ? skeleton_text(runs->normal) : NULL;
    g_autofree char *faulty = normal ? skeleton_text(runs->faulty) : NULL;
    g_autoptr(DtSkeletonDifference) difference = faulty ? dt_skeleton_difference_new(normal, faulty) : NULL;
    return difference && difference->lines->len <= DT_PAGE_SKELETON_LINES ? g_steal_pointer(&difference) : NULL;
}

static GArray *skeleton_lines(const DtSkeletonDifference *difference)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(DtPageSkeletonLine));
    for (guint i = 0; difference && i < difference->lines->len; i++) {
        const DtDifferenceLine *line = difference->lines->pdata[i];
        const DtPageSkeletonLine shown = {dt_line_kind_name(line->kind), line->text};
        g_array_append_val(lines, shown);
    }
    return lines;
}

/* ---- times and calls --------------------------------------------------------------------- */

static gconstpointer find_same(DtSide of, const DtTrace *trace, gpointer reading)
{
    return dt_reading_find(reading, of, trace);
}

static DtPageWants wants_of(const Gathering *gathering, guint jobs)
{
    return (DtPageWants){.normal = gathering->runs->normal,
                         .faulty = gathering->runs->faulty,
                         .functions = gathering->runs->functions,
                         .suspects = gathering->comparison->suspects,
                         .same = find_same,
                         .user_data = dt_folding_cache_reading(gathering->cache),
                         .jobs = MAX(jobs, 1)};
}

/* ---- waits -------------------------------------------------------------------------------- */

/* What the verdict had no need of; NULL: too much would have to be read. */
static DtWaitFor *gather_waits(const Gathering *gathering, guint jobs)
{
    const DtRun *faulty = gathering->runs->faulty;
    if (gathering->comparison->waits || words_of(faulty) > DT_PAGE_WAITS_WORDS)
        return NULL;
    return dt_wait_for_new(faulty, jobs, NULL);
}

/* ---- the page --------------------------------------------------------------------------- */

static char *render(const Gathering *gathering, const DtRankingRow *row, const gboolean *suspicious, guint jobs)
{
    const DtRuns *runs = gathering->runs;
    g_autofree guint64 *normal_events = count_events(gathering, DT_SIDE_NORMAL, runs->normal);
    g_autofree guint64 *faulty_events = count_events(gathering, DT_SIDE_FAULTY, runs->faulty);
    Side faulty_side = {dt_folding_cache_reading(gathering->cache), DT_SIDE_FAULTY};
    g_autoptr(DtStackTree) stacks = dt_final_stacks(runs->faulty, find_final_stack, &faulty_side);
    g_autoptr(DtSkeletonDifference) difference = compare_skeletons(runs);
    g_autoptr(GArray) skeletons = skeleton_lines(difference);
    const DtPageWants wants = wants_of(gathering, jobs);
    g_autoptr(DtPageTimes) times = dt_page_times_new(&wants);
    g_autoptr(DtPageCalls) calls = dt_page_calls_new(&wants);
    g_autoptr(DtWaitFor) waits = gather_waits(gathering, jobs);
    const DtRunReport normal = {runs->normal, normal_events, 0, FALSE},
                      faulty = {runs->faulty, faulty_events, 0, FALSE};
    const DtPage page = {.version = DT_VERSION,
                         .comparison = gathering->comparison,
                         .runs = {runs->normal ? &normal : NULL, &faulty},
                         .stacks = stacks,
                         .differences = gathering->differences,
                         .detailed = dt_detailed_reports(gathering->detailed),
                         .filter = row->filter,
                         .attributes = row->attributes,
                         .linkage = row->linkage,
                         .labels = runs->labels,
                         .suspicious = suspicious,
                         .views = gathering->views,
                         .lattices = gathering->lattices,
                         .skeletons = difference ? skeletons : NULL,
                         .times = times,
                         .calls = calls,
                         .waits = waits ? waits : gathering->comparison->waits};
    return dt_report_page(&page);
}

char *dt_page_make(const DtComparison *comparison, const DtRuns *runs, DtFoldingCache *cache, guint jobs,
                   GError **error)
{
    const DtRankingRow *row = comparison->rows->pdata[0];
    const DtFolding *folding = dt_folding_cache_get(cache, row->filter, error);
    DtAttributeSetting attributes;
    DtLinkage linkage;
    if (!folding || !dt_attribute_setting_parse(row->attributes, &attributes, error) ||
        !dt_linkage_parse(row->linkage, &linkage, error))
        return NULL;
    g_auto(Gathering) gathering = gathering_new(comparison, runs, cache);
    g_autoptr(DtSimilarity) similarity = dt_similarity_new(runs, folding, attributes, jobs);
    g_autoptr(DtPublishedRanking) ranking = dt_published_ranking_new(similarity->normal, similarity->faulty, linkage);
    if (!gather_differences(&gathering, error) || !gather_views(&gathering, similarity, linkage, error))
        return NULL;
    gather_lattices(&gathering, row, folding, attributes);
    gathering.detailed = dt_detailed_new(dt_folding_cache_reading(cache), gathering.differences);
    return render(&gathering, row, ranking->suspicious, jobs);
}
