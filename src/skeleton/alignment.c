#include "skeleton/alignment.h"

guint dt_alignment(guint a, guint b, DtPairScore score, gpointer data, GArray *pairs)
{
    const gsize width = (gsize)b + 1;
    g_autofree guint *best = g_new0(guint, (a + 1) * width);
    g_autofree guint *scores = g_new0(guint, a * width + 1);
    for (guint i = a; i-- > 0;)
        for (guint k = b; k-- > 0;) {
            guint own = score(data, i, k);
            guint found = MAX(best[(i + 1) * width + k], best[i * width + k + 1]);
            scores[i * width + k] = own;
            if (own)
                found = MAX(found, own + best[(i + 1) * width + k + 1]);
            best[i * width + k] = found;
        }
    for (guint i = 0, k = 0; pairs && i < a && k < b;) {
        guint own = scores[i * width + k];
        DtAlignedPair pair = {i, k};
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
