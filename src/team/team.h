/**
 * Processes that do one analysis together, such as the ranks of an MPI job: summing up what each found, and telling
 * all. How bytes get from one to the other is the link's business.
 *
 * All functions are collective: every member calls them, in the same order. The root is rank 0.
 */
#ifndef DT_TEAM_TEAM_H
#define DT_TEAM_TEAM_H

#include <glib.h>

G_BEGIN_DECLS

#define DT_TEAM_ERROR (dt_team_error_quark())
typedef enum { DT_TEAM_ERROR_MEMBER } DtTeamError;
GQuark dt_team_error_quark(void);

/** A member's view. Where a team is optional, NULL is a process that works alone. */
typedef struct {
    guint rank, size;
    gpointer link;
    /* Bytes of one member arrive at another in the order in which they were sent. */
    void (*send)(gpointer link, guint to, GBytes *bytes);
    GBytes *(*receive)(gpointer link, guint from);
} DtTeam;

static inline gboolean dt_team_is_root(const DtTeam *team)
{
    return team == NULL || team->rank == 0;
}

/** Makes one of two: `lower` is that of members before those of `higher`. Takes neither. */
typedef GBytes *(*DtTeamCombine)(GBytes *lower, GBytes *higher);
/**
 * What `combine`, which must be associative, makes of all members' bytes in the order of their ranks, by a binomial
 * tree: nobody receives more than log2(size) times. The root gets it, the others NULL. Takes `own`.
 */
GBytes *dt_team_reduce(const DtTeam *team, GBytes *own, DtTeamCombine combine);
/** To all, what the root has (the others' is not looked at, and may be NULL). Takes `roots`. */
GBytes *dt_team_broadcast(const DtTeam *team, GBytes *roots);

/** One after the other. */
GBytes *dt_team_concatenate(GBytes *lower, GBytes *higher);

/**
 * TRUE if no member has a `problem` and all do the same `task`; else all of them get the first problem as their error,
 * with the rank that has it if that is not the root.
 */
gboolean dt_team_agree(const DtTeam *team, const char *task, const GError *problem, GError **error);

/** The share of a member in a row of `count`: from *first to before *end. All of it for NULL. */
void dt_team_share(const DtTeam *team, guint count, guint *first, guint *end);

G_END_DECLS

#endif
