/** What `difftrace collect` asks for, as the environment has it, and which rank the launcher made of this process. */
#ifndef DT_SYSTEM_OPTIONS_H
#define DT_SYSTEM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct dt_options {
    char run[1024];
    bool elsewhere;  /* the collector is on another host: the run's directory may have to be made on this one */
    uint32_t images; /* enum dt_images_mode */
    char image_globs[1024];
    uint32_t codec;
    bool launcher;
    bool no_argv;    /* command lines are not stored */
    char mask[1024]; /* regex of what is not stored of them */
    bool shared;     /* what is made in the run follows the umask; else it is its owner's alone */
    char only[1024];
    char include[1024], exclude[1024];
    uint64_t max_bytes; /* 0: no bound */
    uint32_t when_full; /* enum dt_when_full */
    bool start_disabled;
    int toggle_signal;                  /* 0: none */
    char start_at[1024], stop_at[1024]; /* regexes of functions' names */
    bool times;                         /* of API calls */
    bool function_times;                /* of functions that take long, too */
    bool arguments;                     /* of MPI calls and locks */
    uint32_t arguments_scale;           /* room for them, in units of what there is by default: a power of two */
    bool payload;                       /* hashes of what MPI calls send and receive */
};

/** Reads the environment; false: this process is not to be traced. */
bool dt_options_read(struct dt_options *options);
/**
 * The launcher's rank of this process, whose program is `executable`, or -1; *size the number of ranks or -1. Launchers
 * and their daemons are no ranks, whatever is in their environment.
 */
int dt_launcher_rank(const char *executable, int *size);
/** By its base name: a launcher, or a daemon of one. */
bool dt_is_launcher(const char *executable);
/** A variable that tells a rank; it does only if `needs`, unless that is NULL, is there as well. */
struct dt_rank_name {
    const char *name, *needs;
};
/** Those of all launchers; a NULL name at the end. */
extern const struct dt_rank_name dt_rank_names[];
/** True if one of the globs, separated by commas, matches. */
bool dt_glob_list_has(const char *globs, const char *name);

#endif
