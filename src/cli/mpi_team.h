/** Being one of the ranks of an MPI job. */
#ifndef DT_CLI_MPI_TEAM_H
#define DT_CLI_MPI_TEAM_H

#include "team/team.h"

G_BEGIN_DECLS

/**
 * If a launcher started several of us: from here on only rank 0 prints. MPI is not needed for that, so that
 * command lines that are wrong are told once, too.
 */
void dt_mpi_only_root_prints(void);
/**
 * The exit status, returned when it is time to end: launchers end all ranks when one fails, and rank 0 must have told
 * why by then.
 */
int dt_mpi_status(int status);

/** The team of all ranks that a launcher started, linked by MPI; the plugin of that MPI is loaded now. */
typedef struct DtMpiTeam DtMpiTeam;
/** *team is NULL if we are alone. FALSE on error. */
gboolean dt_mpi_team_join(DtMpiTeam **team, GError **error);
/** What the stages use; NULL for NULL. Borrowed. */
const DtTeam *dt_mpi_team_members(const DtMpiTeam *team);
/** Collective: the ranks part, and each goes on alone, or ends. */
void dt_mpi_team_leave(DtMpiTeam *team);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtMpiTeam, dt_mpi_team_leave)

G_END_DECLS

#endif
