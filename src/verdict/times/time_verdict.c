#include "verdict/times/time_verdict.h"

#include <string.h>

#include "base/numbers.h"
#include "verdict/departure.h"
#include "verdict/times/run_times.h"

/* Of the normal runs' time: what explains less is not worth a verdict. */
static const gdouble WORTH_TELLING = 0.01, WORTH_NS = 1e6;
/* A run is longer if it is so by this share, and by more than the normal ones differ. */
static const gdouble LONGER = 0.05;
/* Others wait if this share of what the slowest takes more passes in their calls. */
static const gdouble WAITING = 0.3;
/* What is told is what the function takes more; that the run is longer by less is said. */
static const gdouble MUCH_MORE = 1.1;
static const gdouble NS = 1e9;
enum { MOST_TOLD = 3, ENOUGH_NORMALS = 3 };

/* ---- the document ------------------------------------------------------------------------------------- */

static void free_difference(gpointer pointer)
{
    DtTimeDifference *difference = pointer;
    g_free(difference->trace);
    g_strfreev(difference->traces);
    g_free(difference->scope);
    g_free(difference->kind);
    g_free(difference->function);
    g_free(difference->source);
    g_free(difference->waits_in);
    g_strfreev(difference->waiting);
    g_free(difference);
}

DtTimeVerdict *dt_time_verdict_empty(void)
{
    DtTimeVerdict *times = g_rc_box_new0(DtTimeVerdict);
    times->differences = g_ptr_array_new_with_free_func(free_difference);
    return times;
}

DtTimeVerdict *dt_time_verdict_ref(DtTimeVerdict *times)
{
    return times ? g_rc_box_acquire(times) : NULL;
}

static void clear(gpointer pointer)
{
    DtTimeVerdict *times = pointer;
    g_free(times->answer);
    g_free(times->text);
    g_ptr_array_unref(times->differences);
}

void dt_time_verdict_unref(DtTimeVerdict *times)
{
    if (times)
        g_rc_box_release_full(times, clear);
}

/* ---- who waits for it ---------------------------------------------------------------------------------- */

static gdouble normal_median(const DtRunTimes *times, guint32 call, guint trace)
{
    g_autofree gdouble *normal = g_new(gdouble, times->runs.runs);
    for (guint run = 1; run < times->runs.runs; run++)
        normal[run - 1] = (gdouble)dt_run_times_waited(times, call, run, trace);
    return dt_median(normal, times->runs.runs - 1);
}

static gboolean is_slower(const DtSlowdown *slowdown, guint trace)
{
    for (guint i = 0; i < slowdown->traces->len; i++)
        if (g_array_index(slowdown->traces, guint, i) == trace)
            return TRUE;
    return FALSE;
}

/* The call of MPI in which the other traces take longer than normally, most of all in any; 0: none. */
static guint32 find_waits(const DtRunTimes *times, const DtSlowdown *slowdown)
{
    g_autoptr(GHashTable) sums = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    guint32 most = 0;
    gdouble longest = 0;
    for (guint trace = 0; trace < times->runs.traces; trace++) {
        const GArray *calls = times->waited->pdata[trace];
        for (guint i = 0; !is_slower(slowdown, trace) && i < calls->len; i++) {
            const DtWaitedIn *call = &g_array_index(calls, DtWaitedIn, i);
            gdouble *sum = g_hash_table_lookup(sums, GUINT_TO_POINTER(call->function));
            if (!sum) {
                sum = g_new0(gdouble, 1);
                g_hash_table_insert(sums, GUINT_TO_POINTER(call->function), sum);
            }
            *sum += (gdouble)call->ns - normal_median(times, call->function, trace);
            if (*sum > longest) {
                longest = *sum;
                most = call->function;
            }
        }
    }
    return most;
}

static void tell_waits(const DtRunTimes *times, const DtFunctions *functions, const DtSlowdown *slowdown,
                       DtTimeDifference *difference)
{
    const guint32 call = slowdown->all ? 0 : find_waits(times, slowdown);
    g_autoptr(GStrvBuilder) waiting = g_strv_builder_new();
    gboolean any = FALSE;
    for (guint trace = 0; call != 0 && trace < times->runs.traces; trace++) {
        const gdouble more = (gdouble)dt_run_times_waited(times, call, 0, trace) - normal_median(times, call, trace);
        if (is_slower(slowdown, trace) || more < WAITING * slowdown->ns)
            continue;
        g_strv_builder_add(waiting, ((const DtTrace *)times->traces->pdata[trace])->label);
        any = TRUE;
    }
    difference->waiting = g_strv_builder_end(waiting);
    if (any)
        difference->waits_in = g_strdup(dt_functions_get(functions, call)->shown);
}

/* ---- a difference ----------------------------------------------------------------------------------------- */

static const char *const kinds[] = {[DT_SLOWER_ALWAYS] = "always",
                                    [DT_SLOWER_SINCE] = "since",
                                    [DT_SLOWER_ONCE] = "once",
                                    [DT_SLOWER_FASTER] = "faster"};

/* Single calls are counted as passes of the loop where they lie in one: that is what people count. */
static void count_iterations(const DtRunTimes *times, const DtSlowdown *slowdown, DtTimeDifference *difference)
{
    const DtCallSeries *passes = dt_run_times_series(times, slowdown->function, 0, slowdown->trace)->passes;
    difference->slow_calls = slowdown->slow_calls;
    difference->at = slowdown->at;
    difference->of = slowdown->at > 0 ? slowdown->of : 0;
    difference->of_iterations = slowdown->at > 0 && slowdown->of_passes;
    if (slowdown->at == 0 || slowdown->of_passes || !passes)
        return;
    guint64 pass = 0;
    for (guint i = 0; i < passes->blocks->len; i++)
        if (g_array_index(passes->blocks, DtSeriesBlock, i).begin_ns <= slowdown->begin_ns)
            pass = (guint64)i * passes->a_block + 1;
    if (pass == 0)
        return;
    difference->at = pass;
    difference->of = passes->count;
    difference->of_iterations = TRUE;
}

static GStrv labels_of(const DtRunTimes *times, const GArray *traces)
{
    g_autoptr(GStrvBuilder) labels = g_strv_builder_new();
    for (guint i = 0; i < traces->len; i++)
        g_strv_builder_add(labels, ((const DtTrace *)times->traces->pdata[g_array_index(traces, guint, i)])->label);
    return g_strv_builder_end(labels);
}

static void add_difference(DtTimeVerdict *verdict, const DtRunTimes *times, const DtVerdictRuns *runs,
                           DtSourceLines *lines, const DtSlowdown *slowdown)
{
    const DtFunctions *functions = dt_run_functions(runs->faulty);
    const DtTrace *trace = times->traces->pdata[slowdown->trace];
    const guint32 function = g_array_index(times->functions, guint32, slowdown->function);
    DtTimeDifference *difference = g_new0(DtTimeDifference, 1);
    difference->trace = g_strdup(trace->label);
    difference->traces = labels_of(times, slowdown->traces);
    difference->scope = g_strdup(dt_scope_name(slowdown->all                ? DT_SCOPE_ALL
                                               : slowdown->traces->len == 1 ? DT_SCOPE_ONE
                                                                            : DT_SCOPE_SEVERAL));
    difference->kind = g_strdup(kinds[slowdown->kind]);
    difference->function = dt_short_name(dt_functions_get(functions, function)->shown);
    difference->source = dt_source_lines_find(lines, runs->faulty, trace->process, function);
    count_iterations(times, slowdown, difference);
    difference->seconds = slowdown->score / NS;
    difference->share = verdict->longer_seconds > 0 ? MIN(difference->seconds / verdict->longer_seconds, 1) : -1;
    if (slowdown->kind != DT_SLOWER_FASTER)
        tell_waits(times, functions, slowdown, difference);
    else
        difference->waiting = g_new0(char *, 1);
    g_ptr_array_add(verdict->differences, difference);
}

/* ---- words ------------------------------------------------------------------------------------------------- */

static char *seconds_text(gdouble seconds)
{
    return seconds >= 1 ? g_strdup_printf("%.1f s", seconds)
                        : g_strdup_printf("%.*f ms", seconds < 0.01, seconds * 1e3);
}

/* "3.0 spends", "2.0, 3.0 and 2 more spend", "all 8 traces spend" */
static char *who_text(const DtTimeDifference *difference, const char *verb)
{
    const guint count = g_strv_length(difference->traces);
    if (g_str_equal(difference->scope, dt_scope_name(DT_SCOPE_ALL)))
        return g_strdup_printf("%u traces %s", count, verb);
    if (count <= 1)
        return g_strdup_printf("%s %ss", difference->trace, verb);
    if (count == 2)
        return g_strdup_printf("%s and %s %s", difference->traces[0], difference->traces[1], verb);
    return g_strdup_printf("%s, %s and %u more %s", difference->traces[0], difference->traces[1], count - 2, verb);
}

static char *when_text(const DtTimeDifference *difference)
{
    const char *unit = difference->of_iterations ? "iteration" : "call";
    if (difference->at == 0)
        return g_strdup("");
    if (g_str_equal(difference->kind, kinds[DT_SLOWER_ONCE]))
        return g_strdup_printf(", in %s %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "%s", unit, difference->at,
                               difference->of, difference->slow_calls > 1 ? " and some others" : " alone");
    return g_strdup_printf(", since %s %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, unit, difference->at,
                           difference->of);
}

/* "4.1 s more in ljForce (force.c:88), since iteration 15 of 20" */
static char *what_text(const DtTimeDifference *difference, const char *than)
{
    g_autofree char *seconds = seconds_text(difference->seconds);
    g_autofree char *when = when_text(difference);
    return g_strdup_printf("%s %s in %s%s%s%s%s", seconds, than, difference->function, difference->source ? " (" : "",
                           difference->source ? difference->source : "", difference->source ? ")" : "", when);
}

static char *share_text(const DtTimeVerdict *verdict, const DtTimeDifference *difference)
{
    if (difference->share < 0)
        return g_strdup(", though the run is not longer than the normal ones");
    g_autofree char *longer = seconds_text(verdict->longer_seconds);
    if (difference->share >= 1)
        return g_strdup_printf(": %s the %s that the run is longer",
                               difference->seconds > MUCH_MORE * verdict->longer_seconds ? "more than" : "all of",
                               longer);
    return g_strdup_printf(": %.0f %% of the %s that the run is longer", 100 * difference->share, longer);
}

static gboolean is_faster(const DtTimeDifference *difference)
{
    return g_str_equal(difference->kind, kinds[DT_SLOWER_FASTER]);
}

/* "; 1.0 takes 0.3 s more in g", of those that follow the first. */
static void append_others(const DtTimeVerdict *verdict, GString *text)
{
    for (guint i = 1; i < MIN(verdict->differences->len, (guint)MOST_TOLD); i++) {
        const DtTimeDifference *difference = verdict->differences->pdata[i];
        g_autofree char *who = who_text(difference, "spend");
        g_autofree char *what = what_text(difference, is_faster(difference) ? "less" : "more");
        g_string_append_printf(text, "; %s %s", who, what);
    }
}

static void append_busy(const DtTimeVerdict *verdict, GString *text)
{
    if (verdict->off_processor > DT_BUSY_SHARE)
        g_string_append_printf(text, "; threads waited for processors for %.0f %% of their time outside of MPI: %s",
                               100 * verdict->off_processor,
                               verdict->by_work ? "what they used of them was compared"
                                                : "single slow calls are not told");
}

static void append_doubts(const DtTimeVerdict *verdict, guint normals, GString *text)
{
    append_busy(verdict, text);
    if (normals < ENOUGH_NORMALS)
        g_string_append_printf(text, "; with 3 to 5 normal runs instead of %u, noise could be told from the fault",
                               normals);
}

static char *slower_text(const DtTimeVerdict *verdict, guint normals)
{
    const DtTimeDifference *first = verdict->differences->pdata[0];
    g_autofree char *who = who_text(first, "spend");
    g_autofree char *what = what_text(first, "more");
    g_autofree char *share = share_text(verdict, first);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s %s%s", who, what, share);
    if (first->waits_in)
        g_string_append_printf(text, "; others wait for %s in %s", g_strv_length(first->traces) == 1 ? "it" : "them",
                               first->waits_in);
    append_others(verdict, text);
    append_doubts(verdict, normals, text);
    return g_string_free(text, FALSE);
}

static char *unexplained_text(const DtTimeVerdict *verdict, guint normals)
{
    g_autofree char *longer = seconds_text(verdict->longer_seconds), *normal = seconds_text(verdict->normal_seconds);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "it took %s longer than the %s of the normal runs, which no function explains", longer,
                           normal);
    append_doubts(verdict, normals, text);
    return g_string_free(text, FALSE);
}

static char *alike_text(const DtTimeVerdict *verdict, guint normals)
{
    GString *text = g_string_new(
        normals > 1 ? "the runs' times differ by no more than the normal runs' own do"
                    : "the runs' times differ by no more than those of traces that make the same calls do");
    append_busy(verdict, text);
    return g_string_free(text, FALSE);
}

/* ---- the verdict ---------------------------------------------------------------------------------------------- */

static gboolean is_longer(const DtRunTimes *times, const DtTimeVerdict *verdict)
{
    gdouble least = times->took_ns[1], most = times->took_ns[1];
    for (guint run = 2; run < times->runs.runs; run++) {
        least = MIN(least, times->took_ns[run]);
        most = MAX(most, times->took_ns[run]);
    }
    return verdict->longer_seconds > LONGER * verdict->normal_seconds &&
           times->took_ns[0] - most > MAX(most - least, LONGER * most);
}

/* Those that say more than the normal runs do; that something is faster is told only beside what is slower. */
static void add_differences(DtTimeVerdict *verdict, const DtRunTimes *times, const DtVerdictRuns *runs,
                            DtSourceLines *lines)
{
    gdouble null[DT_SLOWER_KINDS + 1];
    const gboolean has_null = dt_slowdowns_null(&times->runs, null);
    g_autoptr(GArray) slowdowns = dt_slowdowns_new(&times->runs);
    gboolean slower = FALSE;
    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < slowdowns->len; i++) {
            const DtSlowdown *slowdown = &g_array_index(slowdowns, DtSlowdown, i);
            const gboolean faster = slowdown->kind == DT_SLOWER_FASTER;
            if (faster != (pass == 1) || (faster && !slower) || !dt_slowdown_counts(slowdown, has_null ? null : NULL) ||
                slowdown->score < MAX(WORTH_TELLING * verdict->normal_seconds * NS, WORTH_NS))
                continue;
            add_difference(verdict, times, runs, lines, slowdown);
            slower = TRUE;
        }
    verdict->null_seconds = has_null ? MAX(null[DT_SLOWER_ALWAYS], null[DT_SLOWER_SINCE]) / NS : -1;
}

DtTimeVerdict *dt_time_verdict_new(const DtVerdictRuns *runs, DtSourceLines *lines, guint jobs, GError **error)
{
    const guint normals = runs->normals->len;
    if (normals == 0 || runs->no_times)
        return NULL;
    g_autoptr(DtRunTimes) times = dt_run_times_new(runs->normals, runs->faulty, jobs, error);
    if (!times)
        return NULL;
    DtTimeVerdict *verdict = dt_time_verdict_empty();
    g_autofree gdouble *normal = g_memdup2(times->took_ns + 1, normals * sizeof(gdouble));
    verdict->normal_seconds = dt_median(normal, normals) / NS;
    verdict->longer_seconds = times->took_ns[0] / NS - verdict->normal_seconds;
    verdict->off_processor = times->off;
    verdict->by_work = times->by_work;
    add_differences(verdict, times, runs, lines);
    if (verdict->differences->len > 0) {
        verdict->answer = g_strdup("slower");
        verdict->text = slower_text(verdict, normals);
    } else if (is_longer(times, verdict)) {
        verdict->answer = g_strdup("unexplained");
        verdict->text = unexplained_text(verdict, normals);
    } else {
        verdict->answer = g_strdup("alike");
        verdict->text = alike_text(verdict, normals);
    }
    return verdict;
}

/* ---- in a verdict --------------------------------------------------------------------------------------------- */

static DtSuspect *suspect_of(const DtTimeVerdict *times, const DtTrace *trace, gdouble score)
{
    enum { SUSPICIOUS_IN_HUNDRED = 50 };
    const DtTimeDifference *first = times->differences->pdata[0];
    g_autofree char *what = what_text(first, "more");
    g_autofree char *share = share_text(times, first);
    DtSuspect *suspect = g_new0(DtSuspect, 1);
    suspect->label = trace->label;
    suspect->trace = trace;
    suspect->score = score;
    suspect->level = 100 * score >= SUSPICIOUS_IN_HUNDRED ? DT_LEVEL_SUSPECT : DT_LEVEL_WEAK;
    suspect->status = DT_STATUS_FINISHED;
    suspect->source = first->source ? g_strdup_printf("%s (%s)", first->function, first->source) : NULL;
    suspect->why = g_strdup_printf("finished; spends %s%s", what, share);
    return suspect;
}

/* How sure it is, by how much is known of what is normal. */
static gdouble score_of(guint normals)
{
    static const gdouble of_one = 0.4, of_two = 0.7, of_three = 0.9;
    return normals == 1 ? of_one : normals == 2 ? of_two : of_three;
}

/* A trace has one row. */
static void drop_suspect(GPtrArray *suspects, const char *label)
{
    for (guint i = 0; i < suspects->len; i++)
        if (g_str_equal(((const DtSuspect *)suspects->pdata[i])->label, label)) {
            g_ptr_array_remove_index(suspects, i);
            return;
        }
}

static void add_suspects(DtVerdict *verdict, const DtTimeVerdict *times, const DtRun *faulty, gdouble score)
{
    const DtTimeDifference *first = times->differences->pdata[0];
    guint group = 0, place = 0;
    for (guint i = 0; first->traces[i]; i++)
        drop_suspect(verdict->suspects, first->traces[i]);
    for (guint i = 0; i < verdict->suspects->len; i++)
        group = MAX(group, ((const DtSuspect *)verdict->suspects->pdata[i])->group + 1);
    while (place < verdict->suspects->len && ((const DtSuspect *)verdict->suspects->pdata[place])->score > score)
        place++;
    for (guint i = g_strv_length(first->traces); i-- > 0;) {
        DtSuspect *suspect = suspect_of(times, dt_run_find_trace(faulty, first->traces[i]), score);
        suspect->group = group;
        g_ptr_array_insert(verdict->suspects, (gint)place, suspect);
    }
}

static void tell_scope(DtVerdict *verdict, const DtTimeDifference *first)
{
    for (DtScope scope = DT_SCOPE_ONE; scope <= DT_SCOPE_ALL; scope++)
        if (g_str_equal(first->scope, dt_scope_name(scope)))
            verdict->scope = scope;
}

void dt_verdict_add_times(DtVerdict *verdict, DtTimeVerdict *times, const DtRun *faulty, guint normals,
                          const char *cautions, gdouble weight)
{
    const gsize length = strlen(cautions);
    g_autofree char *before = verdict->verdict;
    verdict->times = times;
    if (times->differences->len == 0) {
        verdict->verdict = g_strdup_printf("%s; %s", before, times->text);
        return;
    }
    const DtTimeDifference *first = times->differences->pdata[0];
    verdict->verdict = g_strdup_printf("%s%s; %s", cautions, times->text, before + length);
    tell_scope(verdict, first);
    if (verdict->scope != DT_SCOPE_ALL)
        add_suspects(verdict, times, faulty, weight * score_of(normals));
}
