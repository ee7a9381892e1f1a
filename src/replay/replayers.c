#include "replay/replayers.h"

#include <stdlib.h>
#include <string.h>

#include "base/own_files.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_replay_error, dt_replay_error)

/* As CMake builds and installs them. */
typedef struct {
    const char *file;
    const char *folder; /* of the compiler that made it; NULL: there was none */
    const char *mark;   /* in the names of that MPI's launchers */
    const char *other_mark;
    const char *package;
} Replayer;

#ifndef DT_OPENMPI_FOLDER
#define DT_OPENMPI_FOLDER NULL
#endif
#ifndef DT_MPICH_FOLDER
#define DT_MPICH_FOLDER NULL
#endif

static const Replayer replayers[] = {
    {"difftrace-replay", DT_OPENMPI_FOLDER, "openmpi", "rterun", "difftrace-openmpi"},
    {"difftrace-replay-mpich", DT_MPICH_FOLDER, "mpich", "hydra", "difftrace-mpich"},
};

/* ---- whose launcher it is -------------------------------------------------------------------- */

/* The launcher itself, and what its symbolic links lead to, by turns: "mpirun" may be mpirun.openmpi, which is orterun.
 */
static char *real_name(const char *launcher)
{
    g_autofree char *found = g_find_program_in_path(launcher);
    char *real = found ? realpath(found, NULL) : NULL;
    char *name = real ? g_path_get_basename(real) : NULL;
    free(real);
    return name;
}

static gboolean is_of(const Replayer *replayer, const char *name)
{
    return name && (strstr(name, replayer->mark) || strstr(name, replayer->other_mark));
}

/* NULL: its name does not say whose it is. */
static const Replayer *replayer_of(const char *launcher)
{
    g_autofree char *base = g_path_get_basename(launcher), *real = real_name(launcher);
    for (guint i = 0; i < G_N_ELEMENTS(replayers); i++)
        if (is_of(&replayers[i], base) || is_of(&replayers[i], real))
            return &replayers[i];
    return NULL;
}

/* Where the launcher stands; NULL: it is not to be found. */
static char *folder_of(const char *launcher)
{
    g_autofree char *found = g_find_program_in_path(launcher);
    g_autofree char *whole = found ? g_canonicalize_filename(found, NULL) : NULL;
    return whole ? g_path_get_dirname(whole) : NULL;
}

/* ---- the program ----------------------------------------------------------------------------- */

static char *installed(const Replayer *replayer)
{
    g_autofree char *searched = NULL;
    return dt_find_own_file(replayer->file, &searched, NULL);
}

static char *compile(const char *compiler, const char *source, const char *folder, GError **error)
{
    g_autofree char *output = g_build_filename(folder, "replay", NULL), *said = NULL;
    const char *const line[] = {compiler, "-O2", "-o", output, source, "-lpthread", NULL};
    int status = 0;
    if (!g_spawn_sync(NULL, (char **)line, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &said, &status, error))
        return NULL;
    if (g_spawn_check_wait_status(status, NULL))
        return g_steal_pointer(&output);
    said[strcspn(said, "\n")] = '\0';
    dt_set_error(error, DT_REPLAY_ERROR, DT_REPLAY_ERROR_COMPILER, "%s does not compile %s: %s", compiler, source,
                 said);
    return NULL;
}

/* The compiler that belongs to the launcher, or else the one on the PATH; NULL: there is none. */
static char *compiler_for(const Replayer *replayer, const char *folder)
{
    const char *kind = replayer == &replayers[0] ? "mpicc.openmpi" : replayer == &replayers[1] ? "mpicc.mpich" : NULL;
    const char *const names[] = {kind, "mpicc", NULL};
    for (guint i = 0; i < G_N_ELEMENTS(names) - 1; i++) {
        g_autofree char *beside = folder && names[i] ? g_build_filename(folder, names[i], NULL) : NULL;
        if (beside && g_file_test(beside, G_FILE_TEST_IS_EXECUTABLE))
            return g_steal_pointer(&beside);
    }
    return g_find_program_in_path("mpicc");
}

static void tell_missing(const Replayer *replayer, const char *launcher, GError **error)
{
    dt_set_error(error, DT_REPLAY_ERROR, DT_REPLAY_ERROR_MISSING,
                 "%s: there is no program that replays with its MPI: %s%s, or an mpicc on the PATH, brings it",
                 launcher, replayer ? "the package " : "the package of an MPI, ",
                 replayer ? replayer->package : "difftrace-openmpi or difftrace-mpich");
}

char *dt_replayer_for(const char *launcher, const char *source, const char *folder, GError **error)
{
    const Replayer *replayer = replayer_of(launcher);
    g_autofree char *where = folder_of(launcher);
    g_autofree char *built = replayer ? installed(replayer) : NULL;
    if (built && g_strcmp0(where, replayer->folder) == 0)
        return g_steal_pointer(&built);
    g_autofree char *compiler = compiler_for(replayer, where);
    if (compiler)
        return compile(compiler, source, folder, error);
    if (!built)
        tell_missing(replayer, launcher, error);
    return g_steal_pointer(&built);
}

guint dt_launcher_ranks(const char *const *command)
{
    static const char *const options[] = {"-n", "-np", "--np", "--n", "--ntasks", NULL};
    guint64 ranks = 0;
    guint told = 0;
    for (guint i = 1; command[i]; i++) {
        const char *value = g_str_has_prefix(command[i], "--ntasks=") ? command[i] + strlen("--ntasks=")
                            : g_strv_contains(options, command[i])    ? command[i + 1]
                                                                      : NULL;
        if (!value)
            continue;
        told++;
        if (!g_ascii_string_to_unsigned(value, 10, 1, G_MAXINT, &ranks, NULL))
            return 0;
    }
    return told == 1 ? (guint)ranks : 0;
}
