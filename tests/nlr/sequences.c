/* Makers of sequences to fold. */
#include "sequences.h"

static GArray *sequence_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(guint32));
}

static void append(GArray *sequence, guint32 symbol)
{
    g_array_append_val(sequence, symbol);
}

static guint pick(GRand *random, guint below)
{
    return (guint)g_rand_int_range(random, 0, (gint32)below);
}

/* ---- nests ------------------------------------------------------------------------- */

enum { MOST_PARTS = 4 };

typedef struct Nest Nest;
struct Nest {
    guint32 symbol; /* without parts */
    guint times;
    guint part_count;
    Nest *parts[MOST_PARTS];
};

static Nest *nest_new(GRand *random, guint depth)
{
    Nest *nest = g_new0(Nest, 1);
    nest->symbol = pick(random, 6);
    nest->times = 1;
    if (depth == 0 || pick(random, 3) == 0)
        return nest;
    nest->times = 1 + pick(random, 6);
    nest->part_count = 1 + pick(random, MOST_PARTS);
    for (guint i = 0; i < nest->part_count; i++)
        nest->parts[i] = nest_new(random, depth - 1);
    return nest;
}

static void nest_free(Nest *nest)
{
    for (guint i = 0; i < nest->part_count; i++)
        nest_free(nest->parts[i]);
    g_free(nest);
}

/* `jitter` in percent. */
static void nest_run(const Nest *nest, GRand *random, guint jitter, GArray *sequence, guint length)
{
    if (sequence->len >= length)
        return;
    gboolean changed = jitter > 0 && pick(random, 100) < jitter;
    if (nest->part_count == 0) {
        append(sequence, changed ? pick(random, 6) : nest->symbol);
        return;
    }
    guint times = changed ? 1 + pick(random, 8) : nest->times;
    for (guint i = 0; i < times; i++)
        for (guint j = 0; j < nest->part_count; j++)
            nest_run(nest->parts[j], random, jitter, sequence, length);
}

static GArray *run_nests(GRand *random, guint length, guint jitter)
{
    GArray *sequence = sequence_new();
    while (sequence->len < length) {
        Nest *nest = nest_new(random, 4);
        guint times = 1 + pick(random, 10);
        for (guint i = 0; i < times; i++)
            nest_run(nest, random, jitter, sequence, length);
        nest_free(nest);
    }
    return sequence;
}

GArray *sequence_nested(GRand *random, guint length)
{
    return run_nests(random, length, 0);
}

GArray *sequence_jittered(GRand *random, guint length)
{
    return run_nests(random, length, 1 + pick(random, 20));
}

/* ---- words ----------------------------------------------------------------------------- */

GArray *sequence_shifted(GRand *random, guint length)
{
    GArray *sequence = sequence_new();
    guint period = 2 + pick(random, 120);
    g_autoptr(GArray) body = sequence_new();
    for (guint i = 0; i < period; i++)
        append(body, pick(random, 1 + pick(random, 20)));
    while (sequence->len < length) {
        guint start = pick(random, period);
        guint stretch = 1 + pick(random, 4 * period);
        for (guint i = 0; i < stretch && sequence->len < length; i++)
            append(sequence, g_array_index(body, guint32, (start + i) % period));
    }
    return sequence;
}

GArray *sequence_letters(GRand *random, guint length)
{
    GArray *sequence = sequence_new();
    guint letters = 1 + pick(random, 4);
    while (sequence->len < length)
        append(sequence, pick(random, letters));
    return sequence;
}

GArray *sequence_thue_morse(GRand *random, guint length)
{
    GArray *sequence = sequence_new();
    guint start = pick(random, 5000);
    for (guint i = 0; i < length; i++)
        append(sequence, (guint32)__builtin_popcount(start + i) & 1u);
    return sequence;
}

GArray *sequence_fibonacci(GRand *random, guint length)
{
    g_autoptr(GArray) word = sequence_new();
    g_autoptr(GArray) before = sequence_new();
    append(before, 1);
    append(word, 0);
    guint start = pick(random, 500);
    while (word->len < start + length) {
        GArray *next = sequence_new();
        g_array_append_vals(next, word->data, word->len);
        g_array_append_vals(next, before->data, before->len);
        g_array_unref(before);
        before = word;
        word = next;
    }
    GArray *sequence = sequence_new();
    g_array_append_vals(sequence, &g_array_index(word, guint32, start), length);
    return sequence;
}

GArray *sequence_open_loops(GRand *random, guint length)
{
    GArray *sequence = sequence_new();
    while (sequence->len < length) {
        guint32 symbol = pick(random, 3);
        guint times = 1 + pick(random, 4);
        for (guint i = 0; i < times && sequence->len < length; i++)
            append(sequence, symbol);
        if (sequence->len < length)
            append(sequence, 10 + pick(random, 2));
    }
    return sequence;
}

const SequenceMaker SEQUENCE_MAKERS[] = {sequence_nested,     sequence_jittered,  sequence_shifted,   sequence_letters,
                                         sequence_thue_morse, sequence_fibonacci, sequence_open_loops};
const guint SEQUENCE_MAKER_COUNT = G_N_ELEMENTS(SEQUENCE_MAKERS);
