/* Sums over a team, by binomial trees. */
#include "team/team.h"

#include <string.h>

G_DEFINE_QUARK(dt - team - error - quark, dt_team_error)

GBytes *dt_team_reduce(const DtTeam *team, GBytes *own, DtTeamCombine combine)
{
    for (guint step = 1; step < team->size; step *= 2) {
        if ((team->rank & step) != 0) {
            team->send(team->link, team->rank - step, own);
            g_bytes_unref(own);
            return NULL;
        }
        if (team->size - team->rank <= step)
            continue;
        GBytes *lower = own, *higher = team->receive(team->link, team->rank + step);
        own = combine(lower, higher);
        g_bytes_unref(lower);
        g_bytes_unref(higher);
    }
    return own;
}

/* A member hears from the one whose rank lacks its lowest bit, and tells those with one bit below that. */
GBytes *dt_team_broadcast(const DtTeam *team, GBytes *roots)
{
    guint step = 1;
    while (step < team->size && (team->rank & step) == 0)
        step *= 2;
    if (team->rank > 0) {
        g_clear_pointer(&roots, g_bytes_unref);
        roots = team->receive(team->link, team->rank - step);
    }
    for (step /= 2; step > 0; step /= 2) {
        if (team->size - team->rank > step)
            team->send(team->link, team->rank + step, roots);
    }
    return roots;
}

GBytes *dt_team_concatenate(GBytes *lower, GBytes *higher)
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

gboolean dt_team_agree(const DtTeam *team, const char *task, const GError *problem, GError **error)
{
    g_autofree char *where = team->rank > 0 && problem != NULL
                                 ? g_strdup_printf("%s (on rank %u)", problem->message, team->rank)
                                 : g_strdup(problem != NULL ? problem->message : task);
    GBytes *sum = dt_team_reduce(team, opinion_new(problem != NULL ? PROBLEM : READY, where), combine_opinions);
    g_autoptr(GBytes) all = dt_team_broadcast(team, sum);
    if (mark_of(all) == READY)
        return TRUE;
    g_set_error_literal(error, DT_TEAM_ERROR, DT_TEAM_ERROR_MEMBER, (const char *)g_bytes_get_data(all, NULL) + 1);
    return FALSE;
}

void dt_team_share(const DtTeam *team, guint count, guint *first, guint *end)
{
    guint64 rank = team != NULL ? team->rank : 0, size = team != NULL ? team->size : 1;
    *first = (guint)(count * rank / size);
    *end = (guint)(count * (rank + 1) / size);
}
