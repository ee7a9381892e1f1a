/*
 * Fuzzes what lies in a run's directory: each two bytes put a pipe, a socket, a directory, a link, a hole or nothing in
 * the place of a file, or under a name that the next bytes tell. The run is read, or an error says why not; nothing is
 * waited for.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "decoder/decoder.h"
#include "fuzz_target.h"
#include "import/import.h"
#include "support/test_run.h"

enum { MOST_CHANGES = 12, MOST_NAME = 40 };

static char *folder;

static void remove_folder(void)
{
    dt_remove_tree(folder);
    g_free(folder);
}

static void make_hole(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (ftruncate(file, (off_t)1 << 40) != 0)
        g_error("%s: no file of a terabyte can be made here", path);
    close(file);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int holder = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (g_strlcpy(address.sun_path, path, sizeof(address.sun_path)) < sizeof(address.sun_path))
        (void)bind(holder, (const struct sockaddr *)&address, sizeof(address));
    close(holder);
}

/* What cannot be made, because something is there, is left out. */
static void make_special(const char *path, guint kind)
{
    static const char *const targets[] = {"/dev/zero", "/proc/self/mem", "nowhere", "..", "/dev/tty"};
    switch (kind % 8) {
    case 0:
        (void)mkfifo(path, 0600);
        break;
    case 1:
        make_socket(path);
        break;
    case 2:
        (void)mkdir(path, 0700);
        break;
    case 3:
        make_hole(path);
        break;
    case 4:
        break;
    default:
        (void)symlink(targets[kind % G_N_ELEMENTS(targets)], path);
    }
}

/* One of the run's files; or of the name that follows, which the change takes with it. */
static char *choose_path(guint8 place, const guint8 **data, gsize *size)
{
    static const char *const files[] = {
        "processes/node1.1000.trace", "manifest.json", "ends.log", ".difftrace", "images/0.sym", "images", "processes"};
    static const char *const folders[] = {"processes", "images", "."};
    if (place % 16 < G_N_ELEMENTS(files))
        return g_build_filename(folder, "run", files[place % 16], NULL);
    gsize length = MIN((gsize)place % MOST_NAME + 1, *size);
    g_autofree char *name = g_strndup((const char *)*data, length);
    g_autofree char *file = g_strdelimit(g_strconcat("x", name, place & 1 ? ".trace" : ".sym", NULL), "/", '_');
    *data += length;
    *size -= length;
    return g_build_filename(folder, "run", folders[place % G_N_ELEMENTS(folders)], file, NULL);
}

static void change_run(const guint8 *data, gsize size)
{
    for (guint i = 0; i < MOST_CHANGES && size >= 2; i++) {
        guint8 place = data[0], kind = data[1];
        data += 2;
        size -= 2;
        g_autofree char *path = choose_path(place, &data, &size);
        if (strlen(path) < 200) {
            dt_remove_tree(path);
            make_special(path, kind);
        }
    }
}

static void read_run(void)
{
    g_autofree char *path = g_build_filename(folder, "run", NULL), *output = g_build_filename(folder, "out", NULL);
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL, cause = NULL;
    g_autoptr(DtRun) run = dt_run_open(path, functions, &error);
    if (!run && !error)
        g_error("neither a run nor an error");
    for (guint i = 0; run && i < dt_run_trace_count(run); i++) {
        guint32 event;
        g_autoptr(DtReader) reader = dt_reader_open(run, dt_run_trace(run, i), DT_NAMES_ALONE, NULL);
        while (reader && dt_reader_next(reader, &event, 1) > 0) {
        }
    }
    g_autoptr(DtImportResult) result = dt_import(NULL, path, output, &cause);
    if (result)
        g_error("a run was imported as something else");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder) {
        folder = dt_temporary_directory();
        atexit(remove_folder);
    }
    g_autofree char *run = g_build_filename(folder, "run", NULL);
    dt_test_run_single(run, "main solve MPI_Send < < a < b < c <");
    change_run(data, size);
    read_run();
    dt_remove_tree(run);
    return 0;
}
