/* What `difftrace collect` asks for, from the environment, and the launcher's rank. */
#include "record/options.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"

static void copy(char *to, size_t bytes, const char *from)
{
    size_t i = 0;
    for (; from && from[i] && i + 1 < bytes; i++)
        to[i] = from[i];
    to[i] = 0;
}

static int number_in(const char *const *names)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        char *end;
        if (!text || !*text)
            continue;
        long value = strtol(text, &end, 10);
        if (!*end && value >= 0 && value < INT32_MAX)
            return (int)value;
    }
    return -1;
}

const char *const dt_launcher_rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                              "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", NULL};

int dt_launcher_rank(int *size)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS",
                                        NULL};
    *size = number_in(sizes);
    return number_in(dt_launcher_rank_names);
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

bool dt_options_read(struct dt_options *options)
{
    const char *run = getenv("DIFFTRACE_RUN"), *codec = getenv("DIFFTRACE_CODEC");
    const char *launcher = getenv("DIFFTRACE_LAUNCHER"), *images = getenv("DIFFTRACE_IMAGES");
    const char *arguments = getenv("DIFFTRACE_MPI_ARGS");
    if (!run || !*run)
        return false;
    copy(options->run, sizeof options->run, run);
    copy(options->only, sizeof options->only, getenv("DIFFTRACE_ONLY"));
    copy(options->include, sizeof options->include, getenv("DIFFTRACE_INCLUDE"));
    copy(options->exclude, sizeof options->exclude, getenv("DIFFTRACE_EXCLUDE"));
    options->arguments = !(arguments && strcmp(arguments, "off") == 0);
    options->launcher = launcher && *launcher == '1';
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
    copy(options->clock, sizeof options->clock, getenv("DIFFTRACE_CLOCK"));
    return true;
}
