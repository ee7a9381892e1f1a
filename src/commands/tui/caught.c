#include "commands/tui/caught.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 16 /* that are told at once */ };

DtCaught dt_caught_begin(void)
{
    DtCaught caught = {.kept = -1, .file = -1};
    if (!isatty(STDERR_FILENO))
        return caught;
    caught.file = memfd_create("difftrace-messages", MFD_CLOEXEC);
    caught.kept = caught.file >= 0 ? dup(STDERR_FILENO) : -1;
    if (caught.kept >= 0)
        (void)dup2(caught.file, STDERR_FILENO);
    return caught;
}

char *dt_caught_take(DtCaught *caught)
{
    if (caught->kept < 0)
        return NULL;
    (void)fflush(stderr);
    g_autofree char *text = g_malloc(MOST_BYTES + 1);
    const gssize bytes = pread(caught->file, text, MOST_BYTES, caught->at);
    if (bytes <= 0)
        return NULL;
    text[bytes] = '\0';
    caught->at += bytes;
    return g_steal_pointer(&text);
}

void dt_caught_end(DtCaught *caught)
{
    if (caught->kept >= 0) {
        (void)fflush(stderr);
        (void)dup2(caught->kept, STDERR_FILENO);
        (void)close(caught->kept);
    }
    if (caught->file >= 0)
        (void)close(caught->file);
    caught->kept = caught->file = -1;
}
