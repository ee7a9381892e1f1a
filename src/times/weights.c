#include "times/weights.h"

#include "times/durations.h"

#define UNSEEN         20.0 /* ns: of a kind that never was alone between two stamps */
#define OF_STAMP       20.0 /* ns: what a stamp costs, where nothing tells more */
#define MOST_OF_STAMP  60.0
#define LEAST          1.0
#define OF_EVENT       3.0 /* ns: what recording an event without a stamp takes at least */
#define OF_SHORTEST    4.0 /* ns: of the shortest gap without stamps, most of it recording */
#define OUTLYING       4.0 /* times as long as foretold: something else happened */
#define TRIMMED        0.9
#define TRIMMED_OF_FEW 0.75
#define SETTLED        1e-5 /* change of a weight in a step */
enum { STEPS = 100, STEPS_WITH_ALL = 20, MOST_PARTS = 1 << 21, FEW = 32, VERY_FEW = 4, ENOUGH = 16 };

typedef struct {
    guint32 kind, times;
} Part;

typedef struct {
    gdouble ns;
    gsize first, parts;
} Interval;

typedef struct {
    DtDurations alone; /* gaps with a stamp at both ends */
    gdouble alone_ns;  /* that count, of all of them */
    guint32 class;
    gdouble weight;
    gdouble told, foretold; /* of a step: what it is multiplied by is their quotient */
    guint32 times;          /* in the interval that goes on */
} Kind;

struct DtWeights {
    GArray *kinds;                     /* Kind */
    GArray *touched;                   /* guint32: those of the interval that goes on */
    GArray *parts;                     /* Part */
    GArray *intervals;                 /* Interval */
    guint64 seen;                      /* intervals of several gaps */
    gdouble of_stamps[DT_GAP_CLASSES]; /* ns */
    guint64 every;                     /* so many of them are one that counts */
};

static void clear_kind(gpointer kind)
{
    dt_durations_clear(&((Kind *)kind)->alone);
}

DtWeights *dt_weights_new(void)
{
    DtWeights *weights = g_new0(DtWeights, 1);
    weights->kinds = g_array_new(FALSE, TRUE, sizeof(Kind));
    g_array_set_clear_func(weights->kinds, clear_kind);
    weights->touched = g_array_new(FALSE, FALSE, sizeof(guint32));
    weights->parts = g_array_new(FALSE, FALSE, sizeof(Part));
    weights->intervals = g_array_new(FALSE, FALSE, sizeof(Interval));
    weights->every = 1;
    return weights;
}

void dt_weights_free(DtWeights *weights)
{
    if (!weights)
        return;
    g_array_unref(weights->kinds);
    g_array_unref(weights->touched);
    g_array_unref(weights->parts);
    g_array_unref(weights->intervals);
    g_free(weights);
}

static Kind *kind_at(const DtWeights *weights, guint32 kind)
{
    return &g_array_index(weights->kinds, Kind, kind);
}

/* ---- gathering ------------------------------------------------------------------------------- */

void dt_weights_gap(DtWeights *weights, guint32 kind)
{
    if (kind >= weights->kinds->len)
        g_array_set_size(weights->kinds, kind + 1);
    if (kind_at(weights, kind)->times++ == 0)
        g_array_append_val(weights->touched, kind);
}

void dt_weights_drop(DtWeights *weights)
{
    for (guint i = 0; i < weights->touched->len; i++)
        kind_at(weights, g_array_index(weights->touched, guint32, i))->times = 0;
    g_array_set_size(weights->touched, 0);
}

/* Every second interval is left out. */
static void thin_out(DtWeights *weights)
{
    guint kept = 0, parts = 0;
    for (guint i = 0; i < weights->intervals->len; i += 2) {
        Interval interval = g_array_index(weights->intervals, Interval, i);
        for (gsize part = 0; part < interval.parts; part++)
            g_array_index(weights->parts, Part, parts + part) =
                g_array_index(weights->parts, Part, interval.first + part);
        interval.first = parts;
        parts += (guint)interval.parts;
        g_array_index(weights->intervals, Interval, kept++) = interval;
    }
    g_array_set_size(weights->intervals, kept);
    g_array_set_size(weights->parts, parts);
    weights->every *= 2;
}

static void keep(DtWeights *weights, guint64 ns)
{
    Interval interval = {(gdouble)ns, weights->parts->len, weights->touched->len};
    for (guint i = 0; i < weights->touched->len; i++) {
        Part part = {.kind = g_array_index(weights->touched, guint32, i)};
        part.times = kind_at(weights, part.kind)->times;
        g_array_append_val(weights->parts, part);
    }
    g_array_append_val(weights->intervals, interval);
    if (weights->parts->len > MOST_PARTS && weights->intervals->len > 1)
        thin_out(weights);
}

void dt_weights_interval(DtWeights *weights, guint64 ns)
{
    if (weights->touched->len == 1) {
        Kind *only = kind_at(weights, g_array_index(weights->touched, guint32, 0));
        if (only->times == 1) {
            dt_durations_add(&only->alone, ns);
            dt_weights_drop(weights);
            return;
        }
    }
    if (weights->touched->len > 0 && weights->seen++ % weights->every == 0)
        keep(weights, ns);
    dt_weights_drop(weights);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* In the shortest gaps between two stamps the program does next to nothing. */
static gdouble find_cost_of_stamps(const DtWeights *weights, guint32 class)
{
    gdouble least = MOST_OF_STAMP;
    for (guint i = 0; i < weights->kinds->len; i++) {
        const Kind *kind = kind_at(weights, i);
        if (kind->class == class && kind->alone.count >= ENOUGH)
            least = MIN(least, (gdouble)dt_durations_quantile(&kind->alone, 0.5));
    }
    return least < MOST_OF_STAMP ? least : 0;
}

/* What a gap of the kind takes by those that were alone between two stamps; of few the longest says little. */
static gdouble alone_mean(const DtWeights *weights, const Kind *kind)
{
    const gdouble known = weights->of_stamps[kind->class];
    gdouble share = kind->alone.count < FEW ? TRIMMED_OF_FEW : TRIMMED;
    if (kind->alone.count < VERY_FEW)
        share = 0;
    return MAX(LEAST, dt_durations_trimmed_mean(&kind->alone, share) - (known > 0 ? known : OF_STAMP) + OF_SHORTEST);
}

static void begin(DtWeights *weights, const DtGapHint *hints)
{
    for (guint i = 0; i < weights->kinds->len; i++) {
        Kind *kind = kind_at(weights, i);
        guint32 like = i;
        while (hints && like < weights->kinds->len && kind_at(weights, like)->alone.count == 0)
            like = hints[like].alike;
        kind->weight = like < weights->kinds->len && kind_at(weights, like)->alone.count > 0
                           ? alone_mean(weights, kind_at(weights, like))
                           : UNSEEN;
        kind->alone_ns = alone_mean(weights, kind) * (gdouble)kind->alone.count;
    }
}

static gdouble foretell(const DtWeights *weights, const Interval *interval)
{
    gdouble sum = 0;
    for (gsize i = interval->first; i < interval->first + interval->parts; i++) {
        const Part *part = &g_array_index(weights->parts, Part, i);
        sum += part->times * kind_at(weights, part->kind)->weight;
    }
    return sum;
}

static void take(DtWeights *weights, const Interval *interval, gdouble told)
{
    for (gsize i = interval->first; i < interval->first + interval->parts; i++) {
        const Part *part = &g_array_index(weights->parts, Part, i);
        Kind *kind = kind_at(weights, part->kind);
        kind->told += part->times * told;
        kind->foretold += part->times;
    }
}

/* By how much the weight changes most that does, as a share of it. */
static gdouble do_step(DtWeights *weights, gboolean with_all)
{
    gdouble most = 0;
    for (guint i = 0; i < weights->kinds->len; i++) {
        Kind *kind = kind_at(weights, i);
        kind->told = kind->alone_ns / kind->weight;
        kind->foretold = (gdouble)kind->alone.count;
    }
    for (guint i = 0; i < weights->intervals->len; i++) {
        const Interval *interval = &g_array_index(weights->intervals, Interval, i);
        gdouble told = interval->ns / foretell(weights, interval);
        if (with_all || told <= OUTLYING)
            take(weights, interval, told);
    }
    for (guint i = 0; i < weights->kinds->len; i++) {
        Kind *kind = kind_at(weights, i);
        if (kind->foretold <= 0)
            continue;
        const gdouble times = kind->told / kind->foretold;
        most = MAX(most, ABS(times - 1));
        kind->weight = MAX(kind->weight * times, LEAST / 1000);
    }
    return most;
}

void dt_weights_learn(DtWeights *weights, const DtGapHint *hints)
{
    for (guint i = 0; hints && i < weights->kinds->len; i++)
        kind_at(weights, i)->class = hints[i].class;
    for (guint32 of = 0; of < DT_GAP_CLASSES; of++)
        weights->of_stamps[of] = find_cost_of_stamps(weights, of);
    begin(weights, hints);
    gdouble change = 1;
    for (guint i = 0; i < STEPS && weights->intervals->len > 0 && (i <= STEPS_WITH_ALL || change > SETTLED); i++)
        change = do_step(weights, i < STEPS_WITH_ALL);
    g_array_set_size(weights->parts, 0);
    g_array_set_size(weights->intervals, 0);
    for (guint i = 0; i < weights->kinds->len; i++)
        dt_durations_clear(&kind_at(weights, i)->alone);
}

gdouble dt_weights_of(const DtWeights *weights, guint32 kind)
{
    return kind < weights->kinds->len ? kind_at(weights, kind)->weight : UNSEEN;
}

gdouble dt_weights_of_stamps(const DtWeights *weights, guint32 kind)
{
    return kind < weights->kinds->len ? weights->of_stamps[kind_at(weights, kind)->class] : 0;
}

gdouble dt_weights_of_event(const DtWeights *weights)
{
    for (guint32 of = 0; of < DT_GAP_CLASSES; of++)
        if (weights->of_stamps[of] > 0)
            return OF_EVENT;
    return 0;
}
