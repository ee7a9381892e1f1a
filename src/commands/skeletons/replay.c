/* difftrace replay: starts a program that makes the calls of a skeleton, or writes that program's source. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own_files.h"
#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/skeletons/read_skeletons.h"
#include "replay/replayers.h"
#include "text/text.h"

typedef struct {
    gboolean print_command;
    char *wildcards, *compute, *size, *steps, *source;
} Options;

static void clear_options(Options *options)
{
    g_free(options->wildcards);
    g_free(options->compute);
    g_free(options->size);
    g_free(options->steps);
    g_free(options->source);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* ---- what was asked for ---------------------------------------------------------------------- */

/* `least`: percent; of a plain number 0. */
static gboolean check_number(const char *option, const char *text, gboolean percent, gint64 least, GError **error)
{
    char *end = NULL;
    gint64 number = text ? g_ascii_strtoll(text, &end, 10) : 1;
    if (text && percent && *end == '%')
        end++;
    if (!text || (end != text && *end == '\0' && number >= least && number <= (percent ? 100000 : G_MAXINT)))
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s %s: give %s", option, text,
                 !percent     ? "a number of iterations"
                 : least == 0 ? "0% to 100000%"
                              : "1% to 100000%");
    return FALSE;
}

static gboolean check_options(const Options *options, GError **error)
{
    if (options->wildcards && strcmp(options->wildcards, "any") != 0 && strcmp(options->wildcards, "recorded") != 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--wildcards %s: not one of recorded, any",
                     options->wildcards);
        return FALSE;
    }
    return check_number("--compute", options->compute, TRUE, 0, error) &&
           check_number("--size", options->size, TRUE, 1, error) &&
           check_number("--steps", options->steps, FALSE, 0, error);
}

/* What is to be done between calls: without a word what was recorded, if that is known. */
static DtCliTimes times_of(const Options *options)
{
    if (!options->compute)
        return DT_CLI_TIMES_IF_THERE;
    return g_ascii_strtoll(options->compute, NULL, 10) == 0 ? DT_CLI_NO_TIMES : DT_CLI_TIMES_ARE_NEEDED;
}

/* ---- what is there for a while --------------------------------------------------------------- */

static void remove_folder(const char *folder)
{
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    for (const char *name = files ? g_dir_read_name(files) : NULL; name; name = g_dir_read_name(files)) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* The launcher takes this process' place, so a child waits for its end, or for that of `process`. */
static void remove_when_over(const char *folder, pid_t process)
{
    if (rmdir(folder) == 0) /* nothing was needed */
        return;
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    if (handle < 0 || fork() != 0)
        return;
    (void)setsid();
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = STDIN_FILENO; nothing >= 0 && stream <= STDERR_FILENO; stream++)
        (void)dup2(nothing, stream);
    struct pollfd end = {.fd = handle, .events = POLLIN};
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    remove_folder(folder);
    _exit(0);
}

/* ---- the source ------------------------------------------------------------------------------ */

static char *replayer_source(GError **error)
{
    g_autofree char *searched = NULL;
    char *path = dt_find_own_file("replay.c", &searched, error);
    if (!path && searched)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "no replay.c in %s; the package difftrace brings it",
                     searched);
    return path;
}

static gboolean write_file(const char *folder, const char *name, const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return dt_cli_write(text, path, error);
}

/* For a reader who has only an MPI. */
static char *readme_text(const DtSkeleton *skeleton)
{
    return g_strdup_printf(
        "This is what an MPI program did to communicate, on %u ranks, and a program that does it again.\n"
        "\n"
        "    mpicc -O2 -o replay replay.c -lpthread\n"
        "    mpirun -n %u ./replay program.skeleton\n"
        "\n"
        "program.skeleton is a text: all calls of MPI with their arguments, once for all ranks that make them. It may "
        "be edited.\n"
        "replay.c makes these calls, with data that mean nothing; it writes no files but in TMPDIR. Where a call never "
        "returned\n"
        "(\"open 1\" in the text), the replay waits there as the program did, or says that the call now returned.\n"
        "Options: --wildcards receives from anybody as the program did, --size 10%% moves less data, --steps 3 ends "
        "outer\n"
        "loops after three rounds, --compute 50%% computes half as long between calls as the text says. The text is a "
        "skeleton as difftrace writes it: its manual has the grammar.\n",
        skeleton->ranks, skeleton->ranks);
}

/* replay.c, the skeleton, and how to use them, for somebody who has an MPI and no difftrace. */
static gboolean write_source(const DtSkeleton *skeleton, const char *folder, GError **error)
{
    g_autofree char *source = replayer_source(error);
    g_autofree char *program = NULL, *text = dt_skeleton_text(skeleton), *readme = readme_text(skeleton);
    if (!source || !g_file_get_contents(source, &program, NULL, error))
        return FALSE;
    if (g_mkdir_with_parents(folder, 0777) != 0) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--source %s: cannot be made: %s", folder,
                     g_strerror(errno));
        return FALSE;
    }
    return write_file(folder, "replay.c", program, error) && write_file(folder, "program.skeleton", text, error) &&
           write_file(folder, "README", readme, error);
}

/* ---- the launcher ---------------------------------------------------------------------------- */

static gboolean check_ranks(const DtSkeleton *skeleton, const char *path, const char *const *launcher, GError **error)
{
    guint started = dt_launcher_ranks(launcher);
    if (started == 0 || started == skeleton->ranks)
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                 "%s is of %u ranks, and the launcher is to start %u: give it -n %u", path, skeleton->ranks, started,
                 skeleton->ranks);
    return FALSE;
}

/* Where the ranks read the skeleton; of a run, and of a packed one, it is made in `folder`. */
static char *skeleton_file(const DtSkeleton *skeleton, const char *path, const char *folder, GError **error)
{
    if (dt_cli_is_skeleton(path))
        return g_canonicalize_filename(path, NULL);
    g_autofree char *text = dt_skeleton_text(skeleton);
    char *file = g_build_filename(folder, "skeleton", NULL);
    if (dt_cli_write(text, file, error))
        return file;
    g_free(file);
    return NULL;
}

static GStrv command_line(const char *const *launcher, const char *replayer, const char *file, const Options *options)
{
    g_autoptr(GStrvBuilder) line = g_strv_builder_new();
    g_strv_builder_addv(line, (const char **)launcher);
    g_strv_builder_add_many(line, replayer, file, NULL);
    if (g_strcmp0(options->wildcards, "any") == 0)
        g_strv_builder_add(line, "--wildcards");
    if (options->size)
        g_strv_builder_add_many(line, "--size", options->size, NULL);
    if (options->compute)
        g_strv_builder_add_many(line, "--compute", options->compute, NULL);
    if (options->steps)
        g_strv_builder_add_many(line, "--steps", options->steps, NULL);
    return g_strv_builder_end(line);
}

static void print_command(GStrv line)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; line[i]; i++) {
        g_autofree char *quoted = g_shell_quote(line[i]);
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", quoted);
    }
    g_string_append_c(text, '\n');
    dt_cli_print(text->str, text->len);
}

/* Does not come back if all is well, unless the command is only printed. */
static gboolean launch(const DtSkeleton *skeleton, const char *path, const char *const *launcher,
                       const Options *options, const char *folder, GError **error)
{
    g_autofree char *source = replayer_source(error);
    if (!source)
        return FALSE;
    g_autofree char *replayer = dt_replayer_for(launcher[0], source, folder, error);
    g_autofree char *file = replayer ? skeleton_file(skeleton, path, folder, error) : NULL;
    if (!file)
        return FALSE;
    g_auto(GStrv) line = command_line(launcher, replayer, file, options);
    remove_when_over(folder, options->print_command ? getppid() : getpid());
    if (options->print_command) {
        print_command(line);
        return TRUE;
    }
    (void)execvp(line[0], line);
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: cannot be started: %s", line[0], g_strerror(errno));
    return FALSE;
}

static gboolean run_replay(char **arguments, gpointer data, GError **error)
{
    const Options *options = data;
    const DtSkeletonOptions how = {.communication_only = TRUE};
    const char *path = arguments[0], *const *launcher = (const char *const *)arguments + 1;
    if (!launcher[0] && !options->source) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                     "the launcher is missing: difftrace replay %s -- mpirun -n P", path);
        return FALSE;
    }
    if (!check_options(options, error))
        return FALSE;
    g_autoptr(DtSkeleton) skeleton = dt_cli_skeleton_timed(path, &how, times_of(options), error);
    if (!skeleton)
        return FALSE;
    if (options->source)
        return write_source(skeleton, options->source, error);
    if (!check_ranks(skeleton, path, launcher, error))
        return FALSE;
    g_autofree char *folder = g_dir_make_tmp("difftrace-replay-XXXXXX", error);
    if (!folder)
        return FALSE;
    gboolean good = launch(skeleton, path, launcher, options, folder, error);
    if (!good)
        remove_folder(folder);
    return good;
}

int dt_cmd_replay(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const DtOption entries[] = {DT_OPTION("wildcards", STRING, &options.wildcards),
                                DT_OPTION("size", STRING, &options.size),
                                DT_OPTION("steps", STRING, &options.steps),
                                DT_OPTION("compute", STRING, &options.compute),
                                DT_OPTION("source", FILENAME, &options.source),
                                DT_OPTION("print-command", NONE, &options.print_command),
                                DT_OPTIONS_END};
    return dt_cli_run("replay", entries, NULL, argc, argv, run_replay, &options);
}
