/* Runs gzip, bzip2, xz and zstd on a file and counts what they write. */
#include "codec_peers.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    const char *command[5];
} peers[PEERS] = {
    {"gzip -9", {"gzip", "-9", "-c", NULL}},
    {"bzip2 -9", {"bzip2", "-9", "-c", NULL}},
    {"xz -6", {"xz", "-6", "-c", "-T1", NULL}},
    {"zstd -19 --long=27", {"zstd", "-19", "--long=27", "-cq", NULL}},
};

const char *peer_name(guint peer)
{
    return peers[peer].name;
}

static gsize count_bytes(int pipe)
{
    char buffer[65536];
    gsize bytes = 0;
    for (gssize got; (got = read(pipe, buffer, sizeof(buffer))) > 0;)
        bytes += (gsize)got;
    return bytes;
}

PeerResult peer_compress(guint peer, const char *path)
{
    const char *argv[7];
    guint argc = 0;
    for (const char *const *word = peers[peer].command; *word; word++)
        argv[argc++] = *word;
    argv[argc++] = path;
    argv[argc] = NULL;

    GPid child;
    int out, status;
    if (!g_spawn_async_with_pipes(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                  NULL, &child, NULL, &out, NULL, NULL))
        return (PeerResult){0, 0};
    gsize bytes = count_bytes(out);
    struct rusage used;
    close(out);
    gboolean ended = wait4(child, &status, 0, &used) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    gdouble seconds = (gdouble)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                      (gdouble)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    return ended ? (PeerResult){bytes, seconds} : (PeerResult){0, 0};
}
