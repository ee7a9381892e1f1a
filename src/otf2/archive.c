#include "otf2/archive.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_files.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_otf2_error, dt_otf2_error)

static const char PROGRAM[] = "difftrace-otf2";

static char *find_program(GError **error)
{
    g_autofree char *searched = NULL;
    char *program = dt_find_own_file(PROGRAM, &searched, error);
    if (!program && searched)
        dt_set_error(error, DT_OTF2_ERROR_DOMAIN, DT_OTF2_ERROR_MISSING,
                     "no %s in %s: OTF2 needs a build where libopen-trace-format2-dev is", PROGRAM, searched);
    return program;
}

/* The program with a socket as its standard input. */
static DtOtf2Archive *start(const char *mode, const char *path, GError **error)
{
    int ends[2];
    g_autofree char *program = find_program(error);
    if (!program)
        return NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        dt_set_error(error, DT_OTF2_ERROR_DOMAIN, DT_OTF2_ERROR_MISSING, "%s: cannot be started: %s", PROGRAM,
                     g_strerror(errno));
        return NULL;
    }
    const char *const line[] = {program, mode, path, NULL};
    GPid pid = 0;
    gboolean started =
        g_spawn_async_with_fds(NULL, (char **)line, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                               NULL, &pid, ends[1], -1, -1, error);
    close(ends[1]);
    if (!started) {
        close(ends[0]);
        return NULL;
    }
    DtOtf2Archive *archive = g_new0(DtOtf2Archive, 1);
    archive->path = g_strdup(path);
    archive->pid = pid;
    archive->stream = dt_otf2_stream_new(ends[0]);
    return archive;
}

DtOtf2Archive *dt_otf2_read(const char *path, GError **error)
{
    return start("read", path, error);
}

DtOtf2Archive *dt_otf2_write(const char *path, GError **error)
{
    return start("write", path, error);
}

/* How the program ended. */
static int wait_for(DtOtf2Archive *archive)
{
    int status = 0;
    if (archive->pid != 0)
        while (waitpid(archive->pid, &status, 0) < 0 && errno == EINTR)
            ;
    archive->pid = 0;
    return status;
}

void dt_otf2_fail(DtOtf2Archive *archive, GError **error)
{
    int status = wait_for(archive);
    if (WIFSIGNALED(status))
        dt_set_error(error, DT_OTF2_ERROR_DOMAIN, DT_OTF2_ERROR_ARCHIVE,
                     "%s: damaged: OTF2's library fell over it (signal %d); write the archive again", archive->path,
                     WTERMSIG(status));
    else
        dt_set_error(error, DT_OTF2_ERROR_DOMAIN, DT_OTF2_ERROR_ARCHIVE, "%s: %s ended too early, with status %d",
                     archive->path, PROGRAM, WEXITSTATUS(status));
}

gboolean dt_otf2_finish(DtOtf2Archive *archive, GError **error)
{
    const DtOtf2Record *record = NULL;
    if (DT_OTF2_PUT(archive->stream, DT_OTF2_DONE, 0))
        dt_otf2_flush(archive->stream);
    record = dt_otf2_next(archive->stream);
    if (record && record->kind == DT_OTF2_DONE)
        return TRUE;
    if (record && record->kind == DT_OTF2_ERROR && record->texts > 0)
        dt_set_error(error, DT_OTF2_ERROR_DOMAIN, DT_OTF2_ERROR_ARCHIVE, "%s: %s", archive->path, record->text[0]);
    else
        dt_otf2_fail(archive, error);
    return FALSE;
}

void dt_otf2_archive_free(DtOtf2Archive *archive)
{
    if (!archive)
        return;
    dt_otf2_stream_free(archive->stream);
    wait_for(archive);
    g_free(archive->path);
    g_free(archive);
}
