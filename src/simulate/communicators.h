/** Who belongs to whom: communicators' groups, and those of windows and files; what collectives do. */
#ifndef DT_SIMULATE_COMMUNICATORS_H
#define DT_SIMULATE_COMMUNICATORS_H

#include "calls/calls.h"
#include "skeleton/skeleton.h"

G_BEGIN_DECLS

/** Groups by number: a communicator has one, or, after a split, several. */
typedef struct DtGroups DtGroups;
/** The skeleton is borrowed. */
DtGroups *dt_groups_new(const DtSkeleton *skeleton);
void dt_groups_free(DtGroups *groups);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGroups, dt_groups_free)
/** That of the communicator with that name of which the rank is a member; of one that is not known the world's. */
guint64 dt_groups_find(DtGroups *groups, const char *name, guint rank);
/** Whether it is known which communicator with that name the rank is a member of. O(communicators). */
gboolean dt_groups_knows(const DtGroups *groups, const char *name, guint rank);
guint dt_groups_size(const DtGroups *groups, guint64 group);
/** By its rank in the group, in the world; -1: there is none. */
gint dt_groups_member(const DtGroups *groups, guint64 group, guint index);
/** The rank's own in the group; -1: it is no member. */
gint dt_groups_index(const DtGroups *groups, guint64 group, guint rank);
/** The member so many ranks behind the own one; -1: the rank is no member. */
gint dt_groups_peer(const DtGroups *groups, guint64 group, guint rank, gint64 distance);

typedef enum { DT_OBJECT_WINDOW, DT_OBJECT_FILE, DT_OBJECTS } DtObject;
/** How many ranks behind the own one the peer is; FALSE: one of them is no member. */
gboolean dt_groups_distance(const DtGroups *groups, guint64 group, guint rank, guint peer, gint64 *distance);
/** The next window, or file, of the rank is of the group: its members meet apart from its other collectives. */
void dt_groups_add_object(DtGroups *groups, guint rank, DtObject kind, guint64 group);
/** The group of the rank's window or file with that number; of one that is not known the world's. */
guint64 dt_groups_object(DtGroups *groups, guint rank, DtObject kind, gint64 number);
gboolean dt_groups_knows_object(const DtGroups *groups, guint rank, DtObject kind, gint64 number);

/** Whose data go where. */
typedef enum { DT_FROM_ALL, DT_FROM_ROOT, DT_TO_ROOT, DT_FROM_BELOW } DtDirection;
DtDirection dt_direction_of(const char *function);
/** FALSE of collective calls that need not wait for each other: what ends objects, MPI_Init. */
gboolean dt_is_met(const struct dt_call *call);

/** Positions that a value tells: a number, or an atom "<0 2-4>" (element-type gint64). */
GArray *dt_value_positions(const DtAtoms *atoms, DtValue value);

G_END_DECLS

#endif
