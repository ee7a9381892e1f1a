/** Teams whose members are threads, linked by queues. */
#ifndef DT_TEST_THREAD_TEAM_H
#define DT_TEST_THREAD_TEAM_H

#include "team/team.h"

typedef void (*DtThreadMember)(const DtTeam *team, gpointer user_data);
/** `be` is called by `size` threads, as the members of one team. What was sent must have been received in the end. */
void dt_thread_team_run(guint size, DtThreadMember be, gpointer user_data);

#endif
