#include "times/slower.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"

/* Of the normal distribution: standard deviation by median absolute deviation. */
static const gdouble DEVIATION_BY_MEDIAN = 1.4826;
/* Shares of a floor that are noise at least: of several normal runs, and where only the traces of one tell. */
static const gdouble LEAST_NOISE = 0.05, LEAST_NOISE_OF_ONE = 0.1;
static const gdouble LEAST_NOISE_NS = 1000;
static const gdouble NOISES = 3;
/* That all calls since some are slower is no evidence if it is as likely as this. */
static const gdouble LUCK = 1e-3;
/* What a function takes more is the same in its undisturbed calls, to this share; what disturbs them is not. */
static const gdouble ALIKE = 0.3;
/* Single calls: above so many times the largest normal one, and by so much. */
static const gdouble TIMES_LARGEST = 2, SINGLE_NS = 1e6;
/* And by so many times what any normal call of any function was disturbed by. */
static const gdouble TIMES_DISTURBED = 3;
/* A time slice of others or a stall of the machine takes that long without being anybody's fault. */
static const gdouble STALL_NS = 10e6;
/* Single calls vary more than floors: the normal runs' own must be exceeded by as much. */
static const gdouble TIMES_NULL_OF_ONCE = 2;
/* Traces that are slower by this share of what the slowest is are slower as well, and so many are all. */
static const gdouble AS_WELL = 0.5, NEARLY_ALL = 0.75;
enum {
    FEWEST_AFTER = 4,
    PART_AFTER = 6,
    PART_AFTER_OF_BUSY = 3,
    PART_EXCEPTED = 8,
    FEWEST_FOR_ONCE = 4,
    PART_OF_ONCE = 8,
    ENOUGH_CALLS = 6
};

/* A run among others: the method works on any of them. */
typedef struct {
    const DtSlowerRuns *runs;
    guint judged;
    const guint *normals;
    guint count; /* of them */
    gboolean by_passes;
    gdouble least_single; /* single calls that are slower by less are not told */
} Among;

/* What a trace has of a kind. */
typedef struct {
    gboolean known, counts;
    gdouble ns; /* more than normally */
    guint64 at, of, begin_ns;
    guint slow_calls;
} Excess;

/* Of a function that is called once, or hardly more often, its passes tell more. */
static const DtCallSeries *series_of(const Among *among, guint function, guint run, guint trace)
{
    const DtSlowerRuns *runs = among->runs;
    const DtSlowerSeries *series = &runs->series[((gsize)function * runs->runs + run) * runs->traces + trace];
    const gboolean few = series->passes && series->calls && series->calls->count < ENOUGH_CALLS;
    const DtCallSeries *chosen = among->by_passes ? series->passes : few ? NULL : series->calls;
    return chosen && chosen->count > 0 ? chosen : NULL;
}

static gdouble floor_of_part(const DtCallSeries *series, guint first, guint count)
{
    const DtSeriesBlock part = dt_call_series_part(series, first, count);
    return (gdouble)dt_series_block_floor(&part);
}

static gdouble floor_of(const DtCallSeries *series)
{
    return floor_of_part(series, 0, series->blocks->len);
}

static gdouble median_of(GArray *values)
{
    return values->len > 0 ? dt_median((gdouble *)(void *)values->data, values->len) : 0;
}

/* Floors of a trace in the normal runs that have it. */
static GArray *normal_floors(const Among *among, guint function, guint trace)
{
    GArray *floors = g_array_new(FALSE, FALSE, sizeof(gdouble));
    for (guint i = 0; i < among->count; i++) {
        const DtCallSeries *series = series_of(among, function, among->normals[i], trace);
        const gdouble floor = series ? floor_of(series) : 0;
        if (series)
            g_array_append_val(floors, floor);
    }
    return floors;
}

/* ---- noise ------------------------------------------------------------------------------------- */

/* Of each trace, how far its floors lie from their median, as a share of that. */
static GArray *deviations_of_runs(const Among *among, guint function)
{
    GArray *deviations = g_array_new(FALSE, FALSE, sizeof(gdouble));
    for (guint trace = 0; trace < among->runs->traces; trace++) {
        g_autoptr(GArray) floors = normal_floors(among, function, trace);
        const gdouble median = median_of(floors);
        for (guint i = 0; floors->len > 1 && median > 0 && i < floors->len; i++) {
            const gdouble deviation = fabs(g_array_index(floors, gdouble, i) - median) / median;
            g_array_append_val(deviations, deviation);
        }
    }
    return deviations;
}

/* The only normal run tells by the traces that make the same calls. */
static GArray *deviations_of_class(const Among *among, guint function, guint of)
{
    g_autoptr(GArray) floors = g_array_new(FALSE, FALSE, sizeof(gdouble));
    for (guint trace = 0; trace < among->runs->traces; trace++) {
        const DtCallSeries *series = series_of(among, function, among->normals[0], trace);
        const gdouble floor = series ? floor_of(series) : 0;
        if (series && among->runs->classes[trace] == among->runs->classes[of])
            g_array_append_val(floors, floor);
    }
    GArray *deviations = g_array_new(FALSE, FALSE, sizeof(gdouble));
    const gdouble median = median_of(floors);
    for (guint i = 0; median > 0 && i < floors->len; i++) {
        const gdouble deviation = fabs(g_array_index(floors, gdouble, i) - median) / median;
        g_array_append_val(deviations, deviation);
    }
    return deviations;
}

/* Of a trace's floor, whose normal ones are `floors` around `median`; `of_runs`: deviations of all traces. */
static gdouble noise_of(const Among *among, guint function, guint trace, const GArray *floors, gdouble median,
                        GArray *of_runs)
{
    const gboolean alone = among->count == 1;
    g_autoptr(GArray) deviations = alone ? deviations_of_class(among, function, trace) : g_array_ref(of_runs);
    gdouble own = 0, spread = DEVIATION_BY_MEDIAN * median_of(deviations) * median;
    for (guint i = 0; i < floors->len; i++)
        own = MAX(own, fabs(g_array_index(floors, gdouble, i) - median) / 2);
    const gdouble least = (alone ? LEAST_NOISE_OF_ONE : LEAST_NOISE) * median;
    return MAX(MAX(spread, own), MAX(least, LEAST_NOISE_NS));
}

/* ---- in every call ------------------------------------------------------------------------------- */

/* The floor of a few calls is no floor: they may all have been disturbed, as any single one. */
static Excess always(const Among *among, const DtCallSeries *judged, gdouble median, gdouble noise)
{
    const gdouble shift = floor_of(judged) - median;
    const gboolean enough = judged->count >= ENOUGH_CALLS || (!among->runs->busy && shift > among->least_single);
    return (Excess){.known = TRUE, .counts = enough && shift > NOISES * noise, .ns = shift * (gdouble)judged->count};
}

static Excess faster(const Excess *slower, const DtCallSeries *judged, gdouble noise)
{
    const gdouble ns = -slower->ns;
    const gboolean enough = judged->count >= ENOUGH_CALLS;
    return (Excess){.known = TRUE, .counts = enough && ns > NOISES * noise * (gdouble)judged->count, .ns = ns};
}

/* ---- since one of them ----------------------------------------------------------------------------- */

/* What each block of the series takes more than the fastest of the normal runs': these do the same work at the same
 * place, so what differs from call to call does not matter. NULL: no normal run has as many calls. */
static GArray *differences(const Among *among, guint function, guint trace, const DtCallSeries *judged,
                           gdouble *typical)
{
    g_autoptr(GArray) usual = g_array_new(FALSE, FALSE, sizeof(gdouble));
    for (guint i = 0; i < among->count; i++) {
        const DtCallSeries *series = series_of(among, function, among->normals[i], trace);
        if (!series || series->count != judged->count)
            continue;
        const gboolean first = usual->len == 0;
        g_array_set_size(usual, judged->blocks->len);
        for (guint block = 0; block < usual->len; block++) {
            gdouble *least = &g_array_index(usual, gdouble, block);
            const gdouble floor = floor_of_part(series, block, 1);
            *least = first ? floor : MIN(*least, floor);
        }
    }
    if (usual->len == 0)
        return NULL;
    GArray *more = g_array_new(FALSE, FALSE, sizeof(gdouble));
    for (guint block = 0; block < usual->len; block++) {
        const gdouble difference = floor_of_part(judged, block, 1) - g_array_index(usual, gdouble, block);
        g_array_append_val(more, difference);
    }
    *typical = median_of(usual);
    return more;
}

/* The two smallest of some values. */
typedef struct {
    guint count;
    gdouble smallest, second;
} Least;

static void least_add(Least *least, gdouble value)
{
    if (least->count == 0 || value < least->smallest) {
        least->second = least->count == 0 ? value : least->smallest;
        least->smallest = value;
    } else if (least->count == 1 || value < least->second) {
        least->second = value;
    }
    least->count++;
}

/* As dt_series_block_floor() has it. */
static gdouble least_floor(const Least *least)
{
    enum { ENOUGH = 6 };
    return least->count >= ENOUGH ? least->second : least->smallest;
}

/* Of so many all but these are slower: a normal run may have been disturbed at the same place. */
static guint exceptions_of(guint after)
{
    return after / PART_EXCEPTED;
}

/* What the calls from a block on take more. */
typedef struct {
    gdouble exceed; /* all but exceptions by so much */
    gdouble spread; /* so much more than that those do that are not the slower half */
} Rise;

/* From each block on; g_free(). O(blocks^2). */
static Rise *rises(const GArray *more)
{
    Rise *rise = g_new(Rise, more->len);
    g_autofree gdouble *sorted = g_new(gdouble, more->len);
    for (guint block = more->len, after = 0; block-- > 0; after++) {
        const gdouble value = g_array_index(more, gdouble, block);
        const guint place = dt_count_less(sorted, after, value);
        memmove(&sorted[place + 1], &sorted[place], (after - place) * sizeof(gdouble));
        sorted[place] = value;
        rise[block].exceed = sorted[exceptions_of(after + 1)];
        rise[block].spread = sorted[after / 2] - rise[block].exceed;
    }
    return rise;
}

/* What disturbs some may disturb as many in a row: at most so likely that is, if as many of those before were; after
 * Chernoff. */
static gdouble chance_of_row(guint disturbed, guint before, guint after)
{
    const gdouble usual = (disturbed + 1.0) / (before + 2.0);
    const gdouble share = 1 - (gdouble)exceptions_of(after) / after;
    const gdouble others = share < 1 ? (1 - share) * log((1 - share) / (1 - usual)) : 0;
    return share > usual ? exp(-(gdouble)after * (share * log(share / usual) + others)) : 1;
}

/* Of so many in a row, those that are slow are slow by a chance that is learned from them. */
static gdouble likelihood(guint slow, guint count)
{
    const gdouble chance = (slow + 0.5) / (count + 1.0);
    return slow * log(chance) + (count - slow) * log(1 - chance);
}

/* How well slow ones from `block` on, and disturbed ones before, explain what there is; `limit`: what is slow. */
static gdouble likelihood_of(const GArray *more, guint block, gdouble limit)
{
    guint before = 0, after = 0;
    for (guint i = 0; i < more->len; i++) {
        const guint slow = g_array_index(more, gdouble, i) > limit ? 1 : 0;
        before += i < block ? slow : 0;
        after += i < block ? 0 : slow;
    }
    return likelihood(before, block) + likelihood(after, more->len - block);
}

/* The block that explains most: from there on all but few are slower by more than `threshold`, it itself is by half of
 * what they are, and that is no luck. 0: there is none. */
static guint choose_since(const GArray *more, gdouble threshold, gboolean busy, gdouble *gain)
{
    g_autofree Rise *rise = rises(more);
    const guint fewest = MAX((guint)FEWEST_AFTER, more->len / (busy ? PART_AFTER_OF_BUSY : PART_AFTER));
    Least before = {0};
    guint chosen = 0, disturbed = 0;
    gdouble best = 0;
    *gain = 0;
    for (guint block = 0; block + fewest <= more->len; block++) {
        const gdouble value = g_array_index(more, gdouble, block);
        const gdouble usual = block > 0 ? MAX(least_floor(&before), 0) : 0;
        const gdouble by = rise[block].exceed - usual, limit = usual + MAX(threshold, by / 2);
        if (block >= fewest && usual < threshold && by > threshold && value > limit &&
            (!busy || rise[block].spread <= ALIKE * by) && chance_of_row(disturbed, block, more->len - block) < LUCK) {
            const gdouble explained = likelihood_of(more, block, limit);
            if (chosen == 0 || explained > best) {
                *gain = by;
                chosen = block;
                best = explained;
            }
        }
        disturbed += value > threshold ? 1 : 0;
        least_add(&before, value);
    }
    return chosen;
}

static Excess since(const Among *among, guint function, guint trace, const DtCallSeries *judged, gdouble noise)
{
    Excess excess = {.known = TRUE};
    gdouble typical = 0, gain;
    g_autoptr(GArray) more = differences(among, function, trace, judged, &typical);
    const gdouble share = NOISES * (among->count == 1 ? LEAST_NOISE_OF_ONE : LEAST_NOISE);
    if (!more)
        return excess;
    const guint block = choose_since(more, MAX(NOISES * noise, share * typical), among->runs->busy, &gain);
    if (block == 0)
        return excess;
    excess.counts = TRUE;
    excess.at = (guint64)block * judged->a_block + 1;
    excess.of = judged->count;
    excess.begin_ns = g_array_index(judged->blocks, DtSeriesBlock, block).begin_ns;
    excess.ns = gain * (gdouble)(judged->count - excess.at + 1);
    return excess;
}

/* ---- single ones ------------------------------------------------------------------------------------- */

static DtSeriesBlock all_of(const DtCallSeries *series)
{
    return series ? dt_call_series_part(series, 0, series->blocks->len) : (DtSeriesBlock){0};
}

/* The most that a normal run's call takes more than that of another one at the same place: who waits for a processor
 * may do so in any call. If there is no other one, more than the trace's fastest. */
static gdouble disturbed_by(const Among *among, guint function, guint trace)
{
    const DtCallSeries *first = series_of(among, function, among->normals[0], trace);
    gdouble most = 0;
    for (guint block = 0; first && block < first->blocks->len; block++) {
        gdouble least = G_MAXDOUBLE, largest = 0;
        for (guint i = 0; i < among->count; i++) {
            const DtCallSeries *series = series_of(among, function, among->normals[i], trace);
            if (!series || series->count != first->count)
                continue;
            const gdouble own = (gdouble)g_array_index(series->blocks, DtSeriesBlock, block).largest;
            least = MIN(least, among->count > 1 ? own : floor_of(series));
            largest = MAX(largest, own);
        }
        most = MAX(most, largest - least);
    }
    return most;
}

static gdouble least_single(Among among)
{
    gdouble most = 0;
    for (guint by_passes = 0; by_passes < 2; by_passes++) {
        among.by_passes = by_passes == 1;
        for (guint function = 0; function < among.runs->functions; function++)
            for (guint trace = 0; trace < among.runs->traces; trace++)
                most = MAX(most, disturbed_by(&among, function, trace));
    }
    return TIMES_DISTURBED * most + SINGLE_NS;
}

static Excess once(const Among *among, guint function, guint trace, const DtCallSeries *judged, gdouble median)
{
    Excess excess = {.known = TRUE};
    gdouble largest = 0;
    for (guint i = 0; i < among->count; i++)
        largest = MAX(largest, (gdouble)all_of(series_of(among, function, among->normals[i], trace)).largest);
    const gdouble limit = MAX(TIMES_LARGEST * largest + SINGLE_NS, median + among->least_single);
    for (guint block = 0; block < judged->blocks->len; block++) {
        const DtSeriesBlock *some = &g_array_index(judged->blocks, DtSeriesBlock, block);
        if ((gdouble)some->largest <= limit)
            continue;
        if (excess.slow_calls++ == 0) {
            excess.at = (guint64)block * judged->a_block + 1;
            excess.begin_ns = some->begin_ns;
        }
        excess.ns += (gdouble)some->largest - median;
    }
    excess.of = judged->count;
    excess.counts = excess.slow_calls > 0 && judged->count >= FEWEST_FOR_ONCE &&
                    excess.slow_calls <= MAX(1, judged->blocks->len / PART_OF_ONCE);
    return excess;
}

/* ---- all traces --------------------------------------------------------------------------------------- */

/* By kind and trace: DT_SLOWER_FASTER + 1 times so many; g_free(). */
static Excess *measure(const Among *among, guint function)
{
    const guint traces = among->runs->traces;
    Excess *excesses = g_new0(Excess, (gsize)(DT_SLOWER_FASTER + 1) * traces);
    g_autoptr(GArray) deviations = among->count > 1 ? deviations_of_runs(among, function) : NULL;
    for (guint trace = 0; trace < traces; trace++) {
        const DtCallSeries *judged = series_of(among, function, among->judged, trace);
        g_autoptr(GArray) floors = normal_floors(among, function, trace);
        if (!judged || floors->len == 0)
            continue;
        const gdouble median = median_of(floors);
        const gdouble noise = noise_of(among, function, trace, floors, median, deviations);
        const Excess every = always(among, judged, median, noise);
        excesses[DT_SLOWER_ALWAYS * traces + trace] = every;
        excesses[DT_SLOWER_FASTER * traces + trace] = faster(&every, judged, noise);
        excesses[DT_SLOWER_SINCE * traces + trace] = since(among, function, trace, judged, noise);
        if (!among->runs->busy)
            excesses[DT_SLOWER_ONCE * traces + trace] = once(among, function, trace, judged, median);
    }
    return excesses;
}

/* G_MAXUINT: none counts. */
static guint slowest_trace(const Excess *excesses, guint traces)
{
    guint slowest = G_MAXUINT;
    for (guint trace = 0; trace < traces; trace++)
        if (excesses[trace].counts && (slowest == G_MAXUINT || excesses[trace].ns > excesses[slowest].ns))
            slowest = trace;
    return slowest;
}

/* Who is slower as well, and what the run is longer by. */
static void find_scope(DtSlowdown *slowdown, const Excess *excesses, guint traces)
{
    g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof(gdouble));
    guint known = 0;
    gdouble sum = 0;
    slowdown->traces = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint trace = 0; trace < traces; trace++) {
        const gdouble ns = excesses[trace].ns;
        known += excesses[trace].known ? 1 : 0;
        if (excesses[trace].known && ns >= AS_WELL * slowdown->ns) {
            g_array_append_val(slowdown->traces, trace);
            sum += ns;
        } else if (excesses[trace].known) {
            g_array_append_val(others, ns);
        }
    }
    const guint slower = slowdown->traces->len;
    slowdown->all = slower > 1 && (gdouble)slower >= NEARLY_ALL * known;
    slowdown->score = slowdown->all ? sum / slower : slowdown->ns - MAX(median_of(others), 0);
}

static void free_slowdown(gpointer slowdown)
{
    g_array_unref(((DtSlowdown *)slowdown)->traces);
}

static void add_slowdowns(const Among *among, guint function, GArray *found)
{
    const guint traces = among->runs->traces;
    g_autofree Excess *all = measure(among, function);
    for (DtSlowerKind kind = DT_SLOWER_ALWAYS; kind <= DT_SLOWER_FASTER; kind++) {
        const Excess *excesses = &all[kind * traces];
        const guint trace = slowest_trace(excesses, traces);
        if (trace == G_MAXUINT)
            continue;
        const Excess *slowest = &excesses[trace];
        DtSlowdown slowdown = {.function = function,
                               .kind = kind,
                               .of_passes = among->by_passes,
                               .at = slowest->at,
                               .of = slowest->of,
                               .begin_ns = slowest->begin_ns,
                               .slow_calls = slowest->slow_calls,
                               .trace = trace,
                               .ns = slowest->ns};
        find_scope(&slowdown, excesses, traces);
        g_array_append_val(found, slowdown);
    }
}

/* By descending score; of equal ones the calls say more than the passes, and come first as they were added first. */
static gint compare_scores(gconstpointer first, gconstpointer second)
{
    const DtSlowdown *one = first, *two = second;
    return (one->score < two->score) - (one->score > two->score);
}

/* Of the same function, what explains most is told; but that it is faster is no explanation. */
static gboolean is_told(const GArray *told, const DtSlowdown *slowdown)
{
    for (guint i = 0; i < told->len; i++)
        if (g_array_index(told, DtSlowdown, i).function == slowdown->function)
            return TRUE;
    return FALSE;
}

static GArray *find_among(Among among)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(DtSlowdown));
    among.least_single = least_single(among);
    for (guint by_passes = 0; by_passes < 2; by_passes++) {
        among.by_passes = by_passes == 1;
        for (guint function = 0; function < among.runs->functions; function++)
            add_slowdowns(&among, function, found);
    }
    g_array_sort(found, compare_scores);
    GArray *told = g_array_new(FALSE, FALSE, sizeof(DtSlowdown));
    g_array_set_clear_func(told, free_slowdown);
    for (guint i = 0; i < found->len; i++) {
        DtSlowdown *slowdown = &g_array_index(found, DtSlowdown, i);
        if (slowdown->score > 0 && !is_told(told, slowdown))
            g_array_append_vals(told, slowdown, 1);
        else
            g_array_unref(slowdown->traces);
    }
    return told;
}

GArray *dt_slowdowns_new(const DtSlowerRuns *runs)
{
    g_autofree guint *normals = g_new0(guint, runs->runs);
    for (guint run = 1; run < runs->runs; run++)
        normals[run - 1] = run;
    return find_among((Among){.runs = runs, .judged = 0, .normals = normals, .count = runs->runs - 1});
}

gboolean dt_slowdowns_null(const DtSlowerRuns *runs, gdouble *null)
{
    for (guint kind = 0; kind <= DT_SLOWER_FASTER; kind++)
        null[kind] = 0;
    if (runs->runs < 3)
        return FALSE;
    g_autofree guint *others = g_new0(guint, runs->runs);
    for (guint judged = 1; judged < runs->runs; judged++) {
        guint count = 0;
        for (guint run = 1; run < runs->runs; run++)
            if (run != judged)
                others[count++] = run;
        g_autoptr(GArray) found =
            find_among((Among){.runs = runs, .judged = judged, .normals = others, .count = count});
        for (guint i = 0; i < found->len; i++) {
            const DtSlowdown *slowdown = &g_array_index(found, DtSlowdown, i);
            null[slowdown->kind] = MAX(null[slowdown->kind], slowdown->score);
        }
    }
    return TRUE;
}

gboolean dt_slowdown_counts(const DtSlowdown *slowdown, const gdouble *null)
{
    if (slowdown->kind == DT_SLOWER_FASTER)
        return null && slowdown->score > null[DT_SLOWER_FASTER];
    if (slowdown->kind == DT_SLOWER_ONCE && slowdown->score < STALL_NS)
        return FALSE;
    if (!null)
        return TRUE;
    if (slowdown->kind == DT_SLOWER_ONCE)
        return slowdown->score > TIMES_NULL_OF_ONCE * null[DT_SLOWER_ONCE];
    return slowdown->score > MAX(null[DT_SLOWER_ALWAYS], null[DT_SLOWER_SINCE]);
}
