#include "skeleton/alignment.h"

/* Larger ones are aligned a window of each after the other: what is further apart than that finds no pair. */
enum { MOST_SCORES = 1 << 22, WINDOW = 1024 };

typedef struct {
    DtPairScore score;
    gpointer data;
    guint first_a, first_b; /* where the part begins that is aligned */
} Part;

/* Of `a` and `b` elements of the part. */
static guint align_all(const Part *part, guint a, guint b, GArray *pairs)
{
    const gsize width = (gsize)b + 1;
    g_autofree guint *best = g_new0(guint, (a + 1) * width);
    g_autofree guint *scores = g_new0(guint, a * width + 1);
    for (guint i = a; i-- > 0;)
        for (guint k = b; k-- > 0;) {
            guint own = part->score(part->data, part->first_a + i, part->first_b + k);
            guint found = MAX(best[(i + 1) * width + k], best[i * width + k + 1]);
            scores[i * width + k] = own;
            if (own)
                found = MAX(found, own + best[(i + 1) * width + k + 1]);
            best[i * width + k] = found;
        }
    for (guint i = 0, k = 0; pairs && i < a && k < b;) {
        guint own = scores[i * width + k];
        DtAlignedPair pair = {part->first_a + i, part->first_b + k};
        if (own && best[i * width + k] == own + best[(i + 1) * width + k + 1]) {
            g_array_append_val(pairs, pair);
            i++;
            k++;
        } else if (best[i * width + k] == best[(i + 1) * width + k]) {
            i++;
        } else {
            k++;
        }
    }
    return best[0];
}

/* Of a window the pairs of its first half stay; the next one begins behind them. */
static guint align_windows(Part *part, guint a, guint b, GArray *pairs)
{
    guint worth = 0;
    while (part->first_a < a && part->first_b < b) {
        const guint wide = MIN(a - part->first_a, WINDOW), high = MIN(b - part->first_b, WINDOW);
        const gboolean is_last = part->first_a + wide == a && part->first_b + high == b;
        guint next_a = part->first_a + (wide + 1) / 2, next_b = part->first_b + (high + 1) / 2;
        const guint end_a = is_last ? a : next_a, end_b = is_last ? b : next_b;
        g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(DtAlignedPair));
        align_all(part, wide, high, found);
        for (guint i = 0; i < found->len; i++) {
            const DtAlignedPair pair = g_array_index(found, DtAlignedPair, i);
            if (pair.a >= end_a || pair.b >= end_b)
                break;
            g_array_append_val(pairs, pair);
            worth += part->score(part->data, pair.a, pair.b);
            next_a = pair.a + 1;
            next_b = pair.b + 1;
        }
        part->first_a = is_last ? a : next_a;
        part->first_b = is_last ? b : next_b;
    }
    return worth;
}

guint dt_alignment(guint a, guint b, DtPairScore score, gpointer data, GArray *pairs)
{
    Part part = {score, data, 0, 0};
    if ((guint64)a * b <= MOST_SCORES)
        return align_all(&part, a, b, pairs);
    g_autoptr(GArray) own = pairs ? g_array_ref(pairs) : g_array_new(FALSE, FALSE, sizeof(DtAlignedPair));
    return align_windows(&part, a, b, own);
}
