#include "agent/gathering.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/agents_folder.h"
#include "base/rights.h"
#include "store/writers.h"
#include "text/text.h"

struct DtGathering {
    char *run, *host;
    gint lock;           /* held as long as we gather */
    gboolean takes_over; /* another collector here has made files of that host */
    GHashTable *files;   /* name -> descriptor + 1; 0: it is not ours to write */
};

static void close_file(gpointer descriptor)
{
    if (descriptor)
        close(GPOINTER_TO_INT(descriptor) - 1);
}

DtGathering *dt_gathering_new(const char *run, const char *host)
{
    gboolean takes_over = FALSE;
    if (!dt_writers_are_there(run)) /* what is complete is not written any more */
        return NULL;
    const gint lock = dt_agents_folder_gather(run, host, &takes_over);
    if (lock < 0)
        return NULL;
    DtGathering *gathering = g_new0(DtGathering, 1);
    *gathering = (DtGathering){g_strdup(run), g_strdup(host), lock, takes_over,
                               g_hash_table_new_full(g_str_hash, g_str_equal, g_free, close_file)};
    return gathering;
}

void dt_gathering_free(DtGathering *gathering)
{
    if (!gathering)
        return;
    g_hash_table_unref(gathering->files);
    close(gathering->lock);
    g_free(gathering->run);
    g_free(gathering->host);
    g_free(gathering);
}

static gboolean write_error(const DtGathering *gathering, const char *name, GError **error)
{
    g_set_error(error, DT_AGENT_ERROR, DT_AGENT_ERROR_FILES, "node %s: %s/%s: cannot be written: %s", gathering->host,
                gathering->run, name, g_strerror(errno));
    return FALSE;
}

/* The descriptor stays open: a file that later takes the place of ours is not written to. -1 with an error; -2: the
 * file has come by itself. */
static gint open_file(DtGathering *gathering, const char *name, GError **error)
{
    enum { NOT_OURS = -2 };
    gpointer known;
    if (g_hash_table_lookup_extended(gathering->files, name, NULL, &known))
        return known ? GPOINTER_TO_INT(known) - 1 : NOT_OURS;
    g_autofree char *path = g_build_filename(gathering->run, name, NULL);
    const gint flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const gboolean is_own = g_str_has_prefix(name, "images/") || !gathering->takes_over;
    const gint descriptor = open(path, is_own ? flags | O_EXCL : flags, dt_mode_beside(path, 0644));
    if (descriptor < 0 && errno != EEXIST) {
        write_error(gathering, name, error);
        return -1;
    }
    if (descriptor >= 0 && !gathering->takes_over)
        dt_agents_folder_note_gathered(gathering->lock);
    g_hash_table_insert(gathering->files, g_strdup(name), GINT_TO_POINTER(descriptor >= 0 ? descriptor + 1 : 0));
    return descriptor >= 0 ? descriptor : NOT_OURS;
}

static gboolean write_piece(gint descriptor, const DtAgentMessage *message)
{
    struct stat status;
    gsize done = 0;
    while (done < message->piece->len) {
        const gssize part = pwrite(descriptor, message->piece->data + done, message->piece->len - done,
                                   (off_t)(message->offset + done));
        if (part < 0 && errno != EINTR)
            return FALSE;
        done += (gsize)MAX(part, 0);
    }
    return fstat(descriptor, &status) != 0 || (guint64)status.st_size >= message->file_bytes ||
           ftruncate(descriptor, (off_t)message->file_bytes) == 0;
}

/* ---- logs -------------------------------------------------------------------------------------------- */

static gboolean is_line_of(const DtGathering *gathering, const char *line)
{
    return g_str_has_prefix(line, gathering->host) && line[strlen(gathering->host)] == ' ';
}

/* Lines of that host that are not there yet: who takes over is sent all of them once more. */
static gboolean take_log(const DtGathering *gathering, const DtAgentMessage *message, GError **error)
{
    g_autofree char *path = g_build_filename(gathering->run, message->file, NULL), *there = NULL;
    g_autofree char *text = g_strndup((const char *)message->piece->data, message->piece->len);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    (void)g_file_get_contents(path, &there, NULL, NULL);
    g_auto(GStrv) before = g_strsplit(there ? there : "", "\n", -1);
    g_autoptr(GString) added = g_string_new(NULL);
    for (guint i = 0; before[i]; i++)
        g_hash_table_add(known, before[i]);
    for (guint i = 0; lines[i]; i++)
        if (is_line_of(gathering, lines[i]) && !g_hash_table_contains(known, lines[i]))
            g_string_append_printf(added, "%s\n", lines[i]);
    if (added->len == 0)
        return TRUE;
    const gint log =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, dt_mode_beside(path, 0644));
    const gboolean is_written = log >= 0 && write(log, added->str, added->len) == (gssize)added->len;
    const gboolean went_well = is_written || write_error(gathering, message->file, error);
    if (log >= 0)
        close(log);
    return went_well;
}

gboolean dt_gathering_take(DtGathering *gathering, const DtAgentMessage *piece, GError **error)
{
    if (!dt_message_is_file_name(piece->file, gathering->host)) {
        g_set_error(error, DT_AGENT_ERROR, DT_AGENT_ERROR_MESSAGE, "node %s: sends a file that is none of its own",
                    gathering->host);
        return FALSE;
    }
    if (dt_message_is_log(piece->file))
        return take_log(gathering, piece, error);
    const gint descriptor = open_file(gathering, piece->file, error);
    if (descriptor == -1)
        return FALSE;
    return descriptor < 0 || write_piece(descriptor, piece) || write_error(gathering, piece->file, error);
}
