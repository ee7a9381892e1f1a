/* Sums over a parallel, by binomial trees. */
#include "parallel/parallel.h"

#include <string.h>

G_DEFINE_QUARK(dt_parallel_error, dt_parallel_error)

GBytes *dt_parallel_reduce(const DtParallel *parallel, GBytes *own, DtParallelCombine combine)
{
    for (guint step = 1; step < parallel->size; step *= 2) {
        if ((parallel->rank & step) != 0) {
            parallel->send(parallel->link, parallel->rank - step, own);
            g_bytes_unref(own);
            return NULL;
        }
        if (parallel->size - parallel->rank <= step)
            continue;
        GBytes *lower = own, *higher = parallel->receive(parallel->link, parallel->rank + step);
        own = combine(lower, higher);
        g_bytes_unref(lower);
        g_bytes_unref(higher);
    }
    return own;
}

/* A member hears from the one whose rank lacks its lowest bit, and tells those with one bit below that. */
GBytes *dt_parallel_broadcast(const DtParallel *parallel, GBytes *roots)
{
    guint step = 1;
    while (step < parallel->size && (parallel->rank & step) == 0)
        step *= 2;
    if (parallel->rank > 0) {
        g_clear_pointer(&roots, g_bytes_unref);
        roots = parallel->receive(parallel->link, parallel->rank - step);
    }
    for (step /= 2; step > 0; step /= 2) {
        if (parallel->size - parallel->rank > step)
            parallel->send(parallel->link, parallel->rank + step, roots);
    }
    return roots;
}

GBytes *dt_parallel_concatenate(GBytes *lower, GBytes *higher)
{
    gsize lower_size, higher_size;
    gconstpointer lower_data = g_bytes_get_data(lower, &lower_size);
    gconstpointer higher_data = g_bytes_get_data(higher, &higher_size);
    GByteArray *both = g_byte_array_new();
    if (lower_size > 0)
        g_byte_array_append(both, lower_data, (guint)lower_size);
    if (higher_size > 0)
        g_byte_array_append(both, higher_data, (guint)higher_size);
    return g_byte_array_free_to_bytes(both);
}

/* ---- agreement ------------------------------------------------------------------------ */

/* A mark, then the task of those who can go on, or what keeps one from it. */
enum { READY = '+', PROBLEM = '-' };

static char mark_of(GBytes *opinion)
{
    return *(const char *)g_bytes_get_data(opinion, NULL);
}

static GBytes *opinion_new(char mark, const char *text)
{
    char *opinion = g_strdup_printf("%c%s", mark, text);
    return g_bytes_new_take(opinion, strlen(opinion) + 1);
}

static GBytes *combine_opinions(GBytes *lower, GBytes *higher)
{
    if (mark_of(lower) == PROBLEM)
        return g_bytes_ref(lower);
    if (mark_of(higher) == PROBLEM || g_bytes_equal(lower, higher))
        return g_bytes_ref(higher);
    return opinion_new(PROBLEM, "the ranks were not all started with the same arguments");
}

gboolean dt_parallel_agree(const DtParallel *parallel, const char *task, const GError *problem, GError **error)
{
    g_autofree char *where = parallel->rank > 0 && problem
                                 ? g_strdup_printf("%s (on rank %u)", problem->message, parallel->rank)
                                 : g_strdup(problem ? problem->message : task);
    GBytes *sum = dt_parallel_reduce(parallel, opinion_new(problem ? PROBLEM : READY, where), combine_opinions);
    g_autoptr(GBytes) all = dt_parallel_broadcast(parallel, sum);
    if (mark_of(all) == READY)
        return TRUE;
    g_set_error_literal(error, DT_PARALLEL_ERROR, DT_PARALLEL_ERROR_MEMBER,
                        (const char *)g_bytes_get_data(all, NULL) + 1);
    return FALSE;
}

void dt_parallel_share(const DtParallel *parallel, guint count, guint *first, guint *end)
{
    guint64 rank = parallel ? parallel->rank : 0, size = parallel ? parallel->size : 1;
    *first = (guint)(count * rank / size);
    *end = (guint)(count * (rank + 1) / size);
}
