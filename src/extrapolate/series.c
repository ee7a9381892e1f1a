/* Rows and lists of values. */
#include <string.h>

#include "extrapolate/laws.h"
#include "skeleton/fields.h"

enum {
    LONGEST_BY_VALUE = 64,
    MOST_LIST = 1 << 16,
    MOST_PEELED = 1,
    DEAR = 16,               /* times the effort of few trials that many take */
    MOST_OF_FIELD = 1 << 15, /* effort, so that what has no formula ends */
    MOST_OF_ALL = 1 << 17
};

/* One value, where it was seen. */
typedef struct {
    const DtSeriesSample *of;
    DtValue value;
    guint visit, visits;
} Seen;

static void clear_value(gpointer data)
{
    dt_series_free(((DtValueLaw *)data)->list);
}

void dt_series_free(DtSeries *series)
{
    if (!series)
        return;
    g_array_unref(series->values);
    g_free(series);
}

static DtSeries *series_new(guint head, guint tail, gboolean has_middle)
{
    DtSeries *series = g_new0(DtSeries, 1);
    series->head = head;
    series->tail = tail;
    series->has_middle = has_middle;
    series->spare = G_MAXUINT;
    series->values = g_array_new(FALSE, TRUE, sizeof(DtValueLaw));
    g_array_set_clear_func(series->values, clear_value);
    return series;
}

/* ---- one value ------------------------------------------------------------------------------- */

static guint count_sizes(const DtSizes *sizes, const GArray *seen)
{
    g_autofree gboolean *has = g_new0(gboolean, sizes->count);
    guint count = 0;
    for (guint i = 0; i < seen->len; i++) {
        gboolean *own = &has[g_array_index(sizes->size_of, guint, g_array_index(seen, Seen, i).of->place)];
        count += !*own;
        *own = TRUE;
    }
    return count;
}

static gboolean is_word(DtValue value)
{
    return dt_value_is_atom(value) || value >= DT_PEER_LAST;
}

/* "<4 2-3^2>"; FALSE: this is no list, or a long one. */
static gboolean read_list(const char *text, GArray *values)
{
    if (*text++ != '<')
        return FALSE;
    while (*text && *text != '>') {
        char *end;
        gint64 first = g_ascii_strtoll(text, &end, 10), last = first, times = 1;
        if (end == text)
            return FALSE;
        if (*end == '-')
            last = g_ascii_strtoll(end + 1, &end, 10);
        else if (*end == '^')
            times = g_ascii_strtoll(end + 1, &end, 10);
        if (last < first || last - first > MOST_LIST || times > MOST_LIST || times < 1)
            return FALSE;
        for (gint64 time = 0; time < times; time++)
            for (gint64 value = first; value <= last; value++) {
                if (values->len >= MOST_LIST)
                    return FALSE;
                g_array_append_val(values, value);
            }
        text = *end == ' ' ? end + 1 : end;
        if (*end != ' ' && *end != '>')
            return FALSE;
    }
    return *text == '>';
}

static gboolean find_list(const DtSizes *sizes, const GArray *seen, DtTrials trials, DtValueLaw *law)
{
    g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(DtSeriesSample));
    for (guint i = 0; i < seen->len; i++) {
        const Seen *own = &g_array_index(seen, Seen, i);
        GArray *list = g_array_new(FALSE, FALSE, sizeof(DtValue));
        g_ptr_array_add(lists, list);
        if (!dt_value_is_atom(own->value) || !read_list(dt_atoms_text(sizes->merged->atoms, own->value), list) ||
            list->len == 0)
            return FALSE;
        const DtSeriesSample sample = {own->of->place, g_array_index(sizes->spots, DtSpot, own->of->place),
                                       (const DtValue *)(gconstpointer)list->data, list->len};
        g_array_append_val(samples, sample);
    }
    law->kind = DT_VALUE_LIST;
    law->list = dt_series_find(sizes, FALSE, samples, trials);
    law->spare = law->list ? law->list->spare : 0;
    return law->list != NULL;
}

static gboolean find_partner(const GArray *seen, DtTrials trials, DtValueLaw *law)
{
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(DtPartnerSample));
    for (guint i = 0; i < seen->len; i++) {
        const Seen *own = &g_array_index(seen, Seen, i);
        DtPartnerSample sample = {own->of->spot, 0};
        const gint64 ranks = sample.spot.ranks;
        sample.peer = ((sample.spot.rank + own->value) % ranks + ranks) % ranks;
        sample.spot.visit = own->visit;
        sample.spot.visits = own->visits;
        g_array_append_val(samples, sample);
    }
    law->kind = DT_VALUE_PARTNER;
    if (!dt_partner_law_find(samples, trials, &law->partner))
        return FALSE;
    law->spare = law->partner.spare;
    return TRUE;
}

static gboolean find_number(const DtSizes *sizes, const GArray *seen, DtTrials trials, DtValueLaw *law)
{
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(DtNumberSample));
    for (guint i = 0; i < seen->len; i++) {
        const Seen *own = &g_array_index(seen, Seen, i);
        DtNumberSample sample = {g_array_index(sizes->spots, DtSpot, own->of->place), own->value};
        sample.spot.visit = own->visit;
        sample.spot.visits = own->visits;
        g_array_append_val(samples, sample);
    }
    law->kind = DT_VALUE_NUMBER;
    if (!dt_number_law_find(samples, trials, &law->number))
        return FALSE;
    law->spare = law->number.spare;
    return TRUE;
}

static gboolean find_value(const DtSizes *sizes, gboolean are_peers, const GArray *seen, DtTrials trials,
                           DtValueLaw *law)
{
    guint words = 0;
    gboolean same = TRUE;
    *law = (DtValueLaw){0};
    for (guint i = 0; i < seen->len; i++) {
        words += is_word(g_array_index(seen, Seen, i).value) ? 1 : 0;
        same = same && g_array_index(seen, Seen, i).value == g_array_index(seen, Seen, 0).value;
    }
    if (seen->len == 0 || (words > 0 && words < seen->len))
        return FALSE;
    if (words == 0)
        return are_peers ? find_partner(seen, trials, law) : find_number(sizes, seen, trials, law);
    if (!same)
        return find_list(sizes, seen, trials, law);
    law->kind = DT_VALUE_FIXED;
    law->fixed = g_array_index(seen, Seen, 0).value;
    law->spare = count_sizes(sizes, seen) - 1;
    return TRUE;
}

/* ---- series ---------------------------------------------------------------------------------- */

static gboolean add_value(DtSeries *series, const DtSizes *sizes, gboolean are_peers, const GArray *seen,
                          DtTrials trials)
{
    DtValueLaw law;
    const guint64 effort = (guint64)seen->len * (trials == DT_TRY_FEW ? 1 : DEAR);
    sizes->effort[0] += effort;
    sizes->effort[1] += effort;
    if (sizes->effort[0] > MOST_OF_FIELD || sizes->effort[1] > MOST_OF_ALL ||
        !find_value(sizes, are_peers, seen, trials, &law))
        return FALSE;
    series->spare = MIN(series->spare, law.spare);
    g_array_append_val(series->values, law);
    return TRUE;
}

/* The `at`th value of all, from the end if `back`. */
static GArray *column(const GArray *samples, guint at, gboolean back)
{
    GArray *seen = g_array_new(FALSE, FALSE, sizeof(Seen));
    for (guint i = 0; i < samples->len; i++) {
        const DtSeriesSample *own = &g_array_index(samples, DtSeriesSample, i);
        const Seen one = {own, own->values[back ? own->count - 1 - at : at], 0, 1};
        g_array_append_val(seen, one);
    }
    return seen;
}

static GArray *middle(const GArray *samples, guint head, guint tail)
{
    GArray *seen = g_array_new(FALSE, FALSE, sizeof(Seen));
    for (guint i = 0; i < samples->len; i++) {
        const DtSeriesSample *own = &g_array_index(samples, DtSeriesSample, i);
        for (guint at = head; at + tail < own->count; at++) {
            const Seen one = {own, own->values[at], at - head, own->count - head - tail};
            g_array_append_val(seen, one);
        }
    }
    return seen;
}

static DtSeries *find_ends(const DtSizes *sizes, gboolean are_peers, const GArray *samples, DtTrials trials, guint head,
                           guint tail)
{
    DtSeries *series = series_new(head, tail, FALSE);
    gboolean good = TRUE;
    for (guint at = 0; good && at < head + tail; at++) {
        g_autoptr(GArray) seen = column(samples, at < head ? at : head + tail - 1 - at, at >= head);
        good = add_value(series, sizes, are_peers, seen, trials);
    }
    if (good)
        return series;
    dt_series_free(series);
    return NULL;
}

/* After how many values all comes again. */
static guint period_of(const DtSeriesSample *sample)
{
    for (guint period = 1; 2 * period <= sample->count; period++) {
        guint at = period;
        while (sample->count % period == 0 && at < sample->count && sample->values[at] == sample->values[at - period])
            at++;
        if (at == sample->count)
            return period;
    }
    return sample->count;
}

static gboolean find_length(const DtSizes *sizes, const GArray *samples, DtNumberLaw *law)
{
    g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(DtNumberSample));
    for (guint i = 0; i < samples->len; i++) {
        const DtSeriesSample *own = &g_array_index(samples, DtSeriesSample, i);
        const DtNumberSample sample = {g_array_index(sizes->spots, DtSpot, own->place), own->count};
        g_array_append_val(lengths, sample);
    }
    return dt_number_law_find(lengths, DT_TRY_MANY, law);
}

static DtSeries *find_stages(const DtSizes *sizes, gboolean are_peers, const GArray *samples, guint shortest)
{
    DtNumberLaw length;
    if (!find_length(sizes, samples, &length))
        return NULL;
    for (guint peeled = 0; peeled <= 2 * MOST_PEELED; peeled++)
        for (guint head = 0; head <= peeled; head++) {
            const guint tail = peeled - head;
            if (head > MOST_PEELED || tail > MOST_PEELED || peeled > shortest)
                continue;
            g_autoptr(GArray) seen = middle(samples, head, tail);
            DtSeries *series = find_ends(sizes, are_peers, samples, DT_TRY_FEW, head, tail);
            if (series && add_value(series, sizes, are_peers, seen, DT_TRY_VISITS)) {
                series->has_middle = TRUE;
                series->length = length;
                series->spare = MIN(series->spare, length.spare);
                return series;
            }
            dt_series_free(series);
        }
    return NULL;
}

static DtSeries *find_once(const DtSizes *sizes, gboolean are_peers, const GArray *samples, DtTrials trials)
{
    guint shortest = G_MAXUINT, longest = 0;
    for (guint i = 0; i < samples->len; i++) {
        const guint count = g_array_index(samples, DtSeriesSample, i).count;
        shortest = MIN(shortest, count);
        longest = MAX(longest, count);
    }
    if (longest == 0)
        return NULL;
    if (shortest == longest && longest <= LONGEST_BY_VALUE)
        return find_ends(sizes, are_peers, samples, trials, longest, 0);
    return find_stages(sizes, are_peers, samples, shortest);
}

/* What comes again and again, as the stages of each step do. */
static DtSeries *find_repeated(const DtSizes *sizes, gboolean are_peers, const GArray *samples, DtTrials trials)
{
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(DtSeriesSample)),
                      times = g_array_new(FALSE, FALSE, sizeof(DtSeriesSample));
    gboolean any = FALSE;
    for (guint i = 0; i < samples->len; i++) {
        DtSeriesSample part = g_array_index(samples, DtSeriesSample, i), rounds = part;
        part.count = period_of(&part);
        rounds.count /= MAX(part.count, 1);
        any |= rounds.count > 1;
        g_array_append_val(parts, part);
        g_array_append_val(times, rounds);
    }
    DtSeries *series = any ? find_once(sizes, are_peers, parts, trials) : NULL;
    if (series && find_length(sizes, times, &series->times)) {
        series->is_repeated = TRUE;
        series->spare = MIN(series->spare, series->times.spare);
        return series;
    }
    dt_series_free(series);
    return NULL;
}

DtSeries *dt_series_find(const DtSizes *sizes, gboolean are_peers, const GArray *samples, DtTrials trials)
{
    DtSeries *series = find_once(sizes, are_peers, samples, trials);
    return series ? series : find_repeated(sizes, are_peers, samples, trials);
}

DtSeries *dt_series_find_at_stages(const DtSizes *sizes, gboolean are_peers, const GArray *samples)
{
    g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(Seen));
    for (guint i = 0; i < samples->len; i++) {
        const DtSeriesSample *own = &g_array_index(samples, DtSeriesSample, i);
        const Seen one = {own, own->values[0], (guint)own->spot.visit, (guint)own->spot.visits};
        g_array_append_val(seen, one);
    }
    DtValueLaw law;
    if (!find_value(sizes, are_peers, seen, DT_TRY_VISITS, &law))
        return NULL;
    DtSeries *series = series_new(1, 0, FALSE);
    series->spare = law.spare;
    g_array_append_val(series->values, law);
    return series;
}

DtSeries *dt_series_of_number(const DtNumberLaw *law)
{
    DtSeries *series = series_new(1, 0, FALSE);
    const DtValueLaw value = {.kind = DT_VALUE_NUMBER, .number = *law, .spare = law->spare};
    series->spare = law->spare;
    g_array_append_val(series->values, value);
    return series;
}

static guint sizes_of_value(const DtValueLaw *law, guint axes)
{
    switch (law->kind) {
    case DT_VALUE_FIXED:
        return 0;
    case DT_VALUE_NUMBER:
        return dt_number_law_sizes(&law->number, axes);
    case DT_VALUE_PARTNER:
        return dt_partner_law_sizes(&law->partner, axes);
    default:
        return dt_series_sizes(law->list, axes);
    }
}

guint dt_series_sizes(const DtSeries *series, guint axes)
{
    guint mask = series->has_middle ? dt_number_law_sizes(&series->length, axes) : 0;
    if (series->is_repeated)
        mask |= dt_number_law_sizes(&series->times, axes);
    for (guint i = 0; i < series->values->len; i++)
        mask |= sizes_of_value(&g_array_index(series->values, DtValueLaw, i), axes);
    return mask;
}

/* ---- at a spot ------------------------------------------------------------------------------- */

static gboolean value_at(const DtValueLaw *law, const DtSizes *sizes, const DtSpot *own, const DtSpot *spot,
                         DtAtoms *atoms, DtValue *value)
{
    switch (law->kind) {
    case DT_VALUE_FIXED:
        *value = dt_value_is_atom(law->fixed) ? dt_atoms_intern(atoms, dt_atoms_text(sizes->merged->atoms, law->fixed))
                                              : law->fixed;
        return TRUE;
    case DT_VALUE_NUMBER:
        return dt_number_law_at(&law->number, own, value) && *value<DT_FIRST_ATOM && * value> - DT_FIRST_ATOM;
    case DT_VALUE_PARTNER:
        return dt_partner_law_at(&law->partner, spot, value);
    default: {
        g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(DtValue));
        if (!dt_series_at(law->list, sizes, own, own, atoms, list) || list->len == 0)
            return FALSE;
        *value = dt_numbers_atom(atoms, (const gint64 *)(gconstpointer)list->data, list->len);
        return TRUE;
    }
    }
}

gboolean dt_series_at_stage(const DtSeries *series, const DtSizes *sizes, const DtSpot *own, const DtSpot *spot,
                            DtAtoms *atoms, DtValue *value)
{
    return value_at(&g_array_index(series->values, DtValueLaw, 0), sizes, own, spot, atoms, value);
}

static gboolean append_at(const DtSeries *series, guint which, const DtSizes *sizes, const DtSpot *own,
                          const DtSpot *spot, DtAtoms *atoms, GArray *values)
{
    DtValue value;
    if (!value_at(&g_array_index(series->values, DtValueLaw, which), sizes, own, spot, atoms, &value))
        return FALSE;
    g_array_append_val(values, value);
    return TRUE;
}

static gboolean append_once(const DtSeries *series, const DtSizes *sizes, const DtSpot *own, const DtSpot *spot,
                            DtAtoms *atoms, GArray *values)
{
    const guint ends = series->head + series->tail;
    DtSpot own_visit = *own, visit = *spot;
    gint64 length = ends;
    if (series->has_middle && (!dt_number_law_at(&series->length, own, &length) || length < ends || length > MOST_LIST))
        return FALSE;
    for (guint at = 0; at < series->head; at++)
        if (!append_at(series, at, sizes, own, spot, atoms, values))
            return FALSE;
    visit.visits = own_visit.visits = length - ends;
    for (gint64 at = 0; series->has_middle && at < length - ends; at++) {
        visit.visit = own_visit.visit = at;
        if (!append_at(series, ends, sizes, &own_visit, &visit, atoms, values))
            return FALSE;
    }
    for (guint at = series->head; at < ends; at++)
        if (!append_at(series, at, sizes, own, spot, atoms, values))
            return FALSE;
    return TRUE;
}

gboolean dt_series_at(const DtSeries *series, const DtSizes *sizes, const DtSpot *own, const DtSpot *spot,
                      DtAtoms *atoms, GArray *values)
{
    gint64 times = 1;
    const guint before = values->len;
    if (!append_once(series, sizes, own, spot, atoms, values))
        return FALSE;
    const guint once = values->len - before;
    if (series->is_repeated &&
        (!dt_number_law_at(&series->times, own, &times) || times < 1 || times > MOST_LIST || times * once > MOST_LIST))
        return FALSE;
    for (gint64 round = 1; round < times; round++)
        for (guint i = 0; i < once; i++) {
            const DtValue value = g_array_index(values, DtValue, before + i);
            g_array_append_val(values, value);
        }
    return TRUE;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void append_value(const DtValueLaw *law, const DtSizes *sizes, GString *text)
{
    switch (law->kind) {
    case DT_VALUE_FIXED:
        g_string_append(text, dt_value_is_atom(law->fixed) ? dt_atoms_text(sizes->merged->atoms, law->fixed) : "last");
        break;
    case DT_VALUE_NUMBER:
        dt_number_law_append(&law->number, text);
        break;
    case DT_VALUE_PARTNER:
        dt_partner_law_append(&law->partner, text);
        break;
    default:
        g_string_append_c(text, '<');
        dt_series_append(law->list, sizes, text);
        g_string_append_c(text, '>');
    }
}

void dt_series_append(const DtSeries *series, const DtSizes *sizes, GString *text)
{
    const gboolean single = series->head == 1 && series->tail == 0 && !series->has_middle;
    g_string_append(text, single ? "" : "[");
    for (guint at = 0; at < series->head; at++) {
        g_string_append(text, at > 0 ? " " : "");
        append_value(&g_array_index(series->values, DtValueLaw, at), sizes, text);
    }
    if (series->has_middle) {
        g_string_append(text, series->head > 0 ? " " : "");
        append_value(&g_array_index(series->values, DtValueLaw, series->head + series->tail), sizes, text);
        g_string_append(text, " for s=0..n-1, ");
        g_string_append(text, series->head + series->tail > 0 ? "all " : "n=");
        dt_number_law_append(&series->length, text);
    }
    for (guint at = series->head; at < series->head + series->tail; at++) {
        g_string_append(text, " ");
        append_value(&g_array_index(series->values, DtValueLaw, at), sizes, text);
    }
    g_string_append(text, single ? "" : "]");
    if (series->is_repeated) {
        g_string_append_c(text, '^');
        dt_number_law_append(&series->times, text);
    }
}
