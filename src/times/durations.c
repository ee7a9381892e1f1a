/* Sixteen bins an octave, as HdrHistogram has them (Tene 2012). */
#include "times/durations.h"

#include <stdlib.h>

enum { FEW = 128, BITS = 4, AN_OCTAVE = 1 << BITS, BINS = (64 - BITS + 1) * AN_OCTAVE };

void dt_durations_clear(DtDurations *durations)
{
    g_clear_pointer(&durations->each, g_array_unref);
    g_clear_pointer(&durations->bins, g_free);
    *durations = (DtDurations){0};
}

static guint bin_of(guint64 ns)
{
    if (ns < AN_OCTAVE)
        return (guint)ns;
    guint shift = (guint)(63 - __builtin_clzll(ns)) - BITS;
    return (shift + 1) * AN_OCTAVE + (guint)(ns >> shift) % AN_OCTAVE;
}

/* The middle of a bin. */
static guint64 value_of(guint bin)
{
    if (bin < 2 * AN_OCTAVE)
        return bin;
    guint shift = bin / AN_OCTAVE - 1;
    return ((guint64)(AN_OCTAVE + bin % AN_OCTAVE) << shift) + ((guint64)1 << shift) / 2;
}

static void begin_bins(DtDurations *durations)
{
    durations->bins = g_new0(guint64, BINS);
    for (guint i = 0; durations->each && i < durations->each->len; i++)
        durations->bins[bin_of(g_array_index(durations->each, guint64, i))]++;
    g_clear_pointer(&durations->each, g_array_unref);
}

static void put(DtDurations *durations, guint64 ns)
{
    if (!durations->bins && durations->each && durations->each->len == FEW)
        begin_bins(durations);
    if (durations->bins) {
        durations->bins[bin_of(ns)]++;
        return;
    }
    if (!durations->each)
        durations->each = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_array_append_val(durations->each, ns);
}

void dt_durations_add(DtDurations *durations, guint64 ns)
{
    put(durations, ns);
    durations->smallest = durations->count == 0 ? ns : MIN(durations->smallest, ns);
    durations->largest = MAX(durations->largest, ns);
    durations->count++;
    durations->sum += ns;
}

void dt_durations_merge(DtDurations *durations, const DtDurations *more)
{
    if (more->count == 0)
        return;
    if (more->bins) {
        if (!durations->bins)
            begin_bins(durations);
        for (guint i = 0; i < BINS; i++)
            durations->bins[i] += more->bins[i];
    }
    for (guint i = 0; more->each && i < more->each->len; i++)
        put(durations, g_array_index(more->each, guint64, i));
    durations->smallest = durations->count == 0 ? more->smallest : MIN(durations->smallest, more->smallest);
    durations->largest = MAX(durations->largest, more->largest);
    durations->count += more->count;
    durations->sum += more->sum;
}

static int compare(const void *first, const void *second)
{
    const guint64 *one = first, *two = second;
    return (*one > *two) - (*one < *two);
}

/* Sorted; g_free(). */
static guint64 *sorted(const GArray *each)
{
    guint64 *values = g_memdup2(each->data, each->len * sizeof(guint64));
    qsort(values, each->len, sizeof(guint64), compare);
    return values;
}

/* The number, from 0 on, of the last one up to that share. */
static guint64 place_of(const DtDurations *durations, gdouble share)
{
    guint64 place = (guint64)(CLAMP(share, 0, 1) * (gdouble)durations->count);
    return MIN(place, durations->count - 1);
}

guint64 dt_durations_quantile(const DtDurations *durations, gdouble share)
{
    if (durations->count == 0)
        return 0;
    guint64 place = place_of(durations, share), before = 0;
    if (durations->each) {
        g_autofree guint64 *values = sorted(durations->each);
        return values[place];
    }
    guint bin = 0;
    while (before + durations->bins[bin] <= place)
        before += durations->bins[bin++];
    return CLAMP(value_of(bin), durations->smallest, durations->largest);
}

gdouble dt_durations_trimmed_mean(const DtDurations *durations, gdouble share)
{
    if (durations->count == 0)
        return 0;
    guint64 wanted = place_of(durations, share) + 1, taken = 0;
    gdouble sum = 0;
    if (durations->each) {
        g_autofree guint64 *values = sorted(durations->each);
        for (; taken < wanted; taken++)
            sum += (gdouble)values[taken];
        return sum / (gdouble)wanted;
    }
    for (guint bin = 0; taken < wanted; bin++) {
        guint64 some = MIN(durations->bins[bin], wanted - taken);
        sum += (gdouble)some * (gdouble)CLAMP(value_of(bin), durations->smallest, durations->largest);
        taken += some;
    }
    return sum / (gdouble)wanted;
}
