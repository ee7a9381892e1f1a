/* What `difftrace collect` asks for, from the environment, and the launcher's rank. */
#include "system/options.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec/codec.h"

static void copy(char *to, size_t bytes, const char *from)
{
    size_t i = 0;
    for (; from && from[i] && i + 1 < bytes; i++)
        to[i] = from[i];
    to[i] = 0;
}

static int number_in(const char *name)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return -1;
    long value = strtol(text, &end, 10);
    return !*end && value >= 0 && value < INT32_MAX ? (int)value : -1;
}

/* Slurm sets its variable in batch scripts, too: a rank is of a step. */
const struct dt_rank_name dt_rank_names[] = {
    {"OMPI_COMM_WORLD_RANK", NULL},    {"PMIX_RANK", NULL}, {"PMI_RANK", NULL}, {"MV2_COMM_WORLD_RANK", NULL},
    {"SLURM_PROCID", "SLURM_STEP_ID"}, {NULL, NULL}};

bool dt_is_launcher(const char *executable)
{
    static const char *const names[] = {"orterun", "orted",         "prterun",         "prte",
                                        "prted",   "mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_proxy",
                                        "srun",    "slurmstepd",    "mpirun",          "mpiexec"};
    const char *slash = strrchr(executable, '/');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(slash ? slash + 1 : executable, names[i]) == 0)
            return true;
    return false;
}

static int world_size(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"};
    int size = -1;
    for (size_t i = 0; i < sizeof names / sizeof *names && size < 0; i++)
        size = number_in(names[i]);
    return size;
}

int dt_launcher_rank(const char *executable, int *size)
{
    int rank = -1;
    for (const struct dt_rank_name *each = dt_rank_names; each->name && rank < 0; each++)
        if (!each->needs || getenv(each->needs))
            rank = number_in(each->name);
    if (dt_is_launcher(executable))
        rank = -1;
    *size = rank < 0 ? -1 : world_size();
    return rank;
}

bool dt_glob_list_has(const char *globs, const char *name)
{
    char glob[256];
    while (*globs) {
        size_t length = 0;
        while (globs[length] && globs[length] != ',')
            length++;
        if (length < sizeof glob) {
            memcpy(glob, globs, length);
            glob[length] = 0;
            if (fnmatch(glob, name, 0) == 0)
                return true;
        }
        globs += length + (globs[length] == ',');
    }
    return false;
}

static bool is(const char *text, const char *word)
{
    return text && strlen(text) == strlen(word) && memcmp(text, word, strlen(text)) == 0;
}

static uint32_t images_mode(const char *text)
{
    static const char *const names[] = {"main", "app", "all"};
    for (uint32_t mode = 0; mode < 3; mode++)
        if (is(text, names[mode]))
            return mode;
    return text && *text ? DT_IMAGES_GLOB : DT_IMAGES_APP;
}

static void read_size(struct dt_options *options)
{
    const char *size = getenv("DIFFTRACE_MAX_SIZE");
    options->max_bytes = size ? strtoull(size, NULL, 10) : 0;
    options->when_full = is(getenv("DIFFTRACE_WHEN_FULL"), "keep-last") ? DT_FULL_KEEP_LAST : DT_FULL_STOP;
}

/* The largest power of two that the memory asked for has room for. */
static uint32_t arguments_scale(void)
{
    enum { DEFAULT_MEMORY = 16 << 20, LARGEST_SCALE = 1 << 8 };
    const char *memory = getenv("DIFFTRACE_ARGS_MEMORY");
    uint64_t units = (memory ? strtoull(memory, NULL, 10) : 0) / DEFAULT_MEMORY;
    uint32_t scale = 1;
    while (scale < LARGEST_SCALE && 2 * (uint64_t)scale <= units)
        scale *= 2;
    return scale;
}

static bool is_elsewhere(void)
{
    char host[65] = "";
    const char *collector = getenv("DIFFTRACE_HOST");
    return collector && gethostname(host, sizeof host - 1) == 0 && !is(collector, host);
}

bool dt_options_read(struct dt_options *options)
{
    const char *run = getenv("DIFFTRACE_RUN"), *codec = getenv("DIFFTRACE_CODEC");
    const char *launcher = getenv("DIFFTRACE_LAUNCHER"), *images = getenv("DIFFTRACE_IMAGES");
    const char *arguments = getenv("DIFFTRACE_MPI_ARGS");
    if (!run || !*run)
        return false;
    copy(options->run, sizeof options->run, run);
    options->elsewhere = is_elsewhere();
    copy(options->only, sizeof options->only, getenv("DIFFTRACE_ONLY"));
    copy(options->include, sizeof options->include, getenv("DIFFTRACE_INCLUDE"));
    copy(options->exclude, sizeof options->exclude, getenv("DIFFTRACE_EXCLUDE"));
    options->arguments = !(arguments && strcmp(arguments, "off") == 0);
    options->arguments_scale = arguments_scale();
    options->payload = options->arguments && is(getenv("DIFFTRACE_PAYLOAD"), "1");
    options->launcher = launcher && *launcher == '1';
    options->no_argv = is(getenv("DIFFTRACE_NO_ARGV"), "1");
    copy(options->mask, sizeof options->mask, getenv("DIFFTRACE_MASK"));
    options->shared = is(getenv("DIFFTRACE_SHARED"), "1");
    options->images = images_mode(images);
    if (options->images == DT_IMAGES_GLOB)
        copy(options->image_globs, sizeof options->image_globs, images);
    options->codec = dt_codecs[0].id;
    for (uint32_t i = 0; i < DT_CODECS; i++)
        if (is(codec, dt_codecs[i].name))
            options->codec = dt_codecs[i].id;
    read_size(options);
    options->start_disabled = is(getenv("DIFFTRACE_START_DISABLED"), "1");
    const char *toggle = getenv("DIFFTRACE_TOGGLE_SIGNAL");
    options->toggle_signal = toggle ? (int)strtol(toggle, NULL, 10) : 0;
    copy(options->start_at, sizeof options->start_at, getenv("DIFFTRACE_START_AT"));
    copy(options->stop_at, sizeof options->stop_at, getenv("DIFFTRACE_STOP_AT"));
    options->function_times = is(getenv("DIFFTRACE_TIMES"), "functions");
    options->times = options->function_times || is(getenv("DIFFTRACE_TIMES"), "api");
    return true;
}
