/**
 * RUN/agents: what makes agents of a run possible, closed to other users. Made by whoever starts a job that is to be
 * watched or ended on several nodes; without it no process of the run starts an agent, and nobody listens.
 * docs/agents.md
 */
#ifndef DT_BASE_AGENTS_FOLDER_H
#define DT_BASE_AGENTS_FOLDER_H

#include <glib.h>

G_BEGIN_DECLS

#define DT_AGENTS_ERROR (dt_agents_error_quark())
typedef enum {
    DT_AGENTS_ERROR_NOT_THERE, /* no agents were asked for */
    DT_AGENTS_ERROR_KEY,       /* cannot be made or read, or others could read it */
    DT_AGENTS_ERROR_IO
} DtAgentsError;
GQuark dt_agents_error_quark(void);

enum { DT_AGENTS_KEY_BYTES = 32 };

/** Makes the folder with a new key of random bytes, and an empty list of collectors. */
gboolean dt_agents_folder_make(const char *run, GError **error);
/**
 * Makes it in `within`, which all nodes reach where they do not reach the run, under a name that is given back, and
 * RUN/agents as the way there. NULL with an error. g_free().
 */
char *dt_agents_folder_make_apart(const char *run, const char *within, GError **error);
/** Removes such a folder, when nobody needs it any more, and the way there. */
void dt_agents_folder_remove_apart(const char *run, const char *folder);
/** TRUE if it is elsewhere: the nodes may have the run's files on their own disks. */
gboolean dt_agents_folder_is_apart(const char *run);
/** TRUE if the run has one. */
gboolean dt_agents_folder_is_there(const char *run);
/** DT_AGENTS_ERROR_KEY if the file is not ours alone: another owner, or rights for others. */
gboolean dt_agents_folder_key(const char *run, guint8 key[DT_AGENTS_KEY_BYTES], GError **error);
/** Says on which address whoever listens is to do so, and which that is; g_free(), NULL: nobody has said. */
gboolean dt_agents_folder_set_listen(const char *run, const char *address, GError **error);
char *dt_agents_folder_listen(const char *run);
/** TRUE of what may be an address or a host's name. */
gboolean dt_is_address(const char *text);
/** The nodes on which an agent was started, and has not left by itself; (element-type utf8). */
GPtrArray *dt_agents_folder_hosts(const char *run);

/**
 * Makes us the agent of this host until the descriptor is closed: a lock on the file that says so. -1 with an error if
 * there is one already.
 */
gint dt_agents_folder_enter(const char *run, GError **error);
/** Says that there is no agent on this host any more: the next process that starts here starts one. */
void dt_agents_folder_leave(const char *run, gint descriptor);

/**
 * Makes us the one collector of this host that gathers the files of another one, until the descriptor is closed.
 * *takes_over: another collector has gathered some. -1: somebody else does it.
 */
gint dt_agents_folder_gather(const char *run, const char *host, gboolean *takes_over);
/** Says that files were gathered; and whether some were, by a collector of this host. */
void dt_agents_folder_note_gathered(gint descriptor);
gboolean dt_agents_folder_is_gathered(const char *run, const char *host);
/** Whoever gathers here for now is to leave it to us, as the job has ended; and whether somebody has said so. */
void dt_agents_folder_ask_for_files(const char *run);
gboolean dt_agents_folder_files_are_asked_for(const char *run);

/** Somebody who listens to agents. */
typedef struct {
    char *id;         /* one a collector */
    guint16 port;     /* TCP */
    char **addresses; /* host names and addresses, to be tried in turn */
} DtCollectorPlace;

void dt_collector_place_free(DtCollectorPlace *place);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCollectorPlace, dt_collector_place_free)

/** Adds it to the list, by one write. */
gboolean dt_agents_folder_announce(const char *run, const DtCollectorPlace *place, GError **error);
/** Those that were added behind *position, which moves on; (element-type DtCollectorPlace). Lines that are no places
 * are left out. */
GPtrArray *dt_agents_folder_places(const char *run, guint64 *position);
/** A line of the list; NULL: it is none. */
DtCollectorPlace *dt_collector_place_parse(const char *line);

G_END_DECLS

#endif
