#include "program/limits.h"

#include <pthread.h>
#include <sys/resource.h>

#include "cli/cli.h"

enum { RECORDER_FILES = 8, ANALYSIS_FILES = 32, STACK_BYTES = 8 << 20 };

gboolean dt_limits_open_files(gboolean is_analysis)
{
    struct rlimit limit;
    rlim_t needed = is_analysis ? ANALYSIS_FILES : RECORDER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return TRUE;
    guint allowed = (guint)limit.rlim_cur;
    limit.rlim_cur = needed;
    if (is_analysis && limit.rlim_max >= needed && setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return TRUE;
    dt_cli_warn("only %u files may be open at once, and %u are needed: raise the limit (ulimit -n %u)", allowed,
                (guint)needed, (guint)needed);
    return FALSE;
}

/* ---- the stack ------------------------------------------------------------------------------------- */

typedef struct {
    int (*run)(int argc, char **argv);
    int argc, status;
    char **argv;
} Call;

static void *make_call(void *data)
{
    Call *call = data;
    call->status = call->run(call->argc, call->argv);
    return NULL;
}

/* The first thread's is bounded by the limit, and by it the C library makes those of threads; another stack may have
 * any size. */
int dt_limits_call(int (*run)(int argc, char **argv), int argc, char **argv)
{
    struct rlimit limit;
    pthread_attr_t large;
    pthread_t thread;
    Call call = {.run = run, .argc = argc, .argv = argv};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES || pthread_attr_init(&large) != 0)
        return run(argc, argv);
    gboolean made = pthread_attr_setstacksize(&large, STACK_BYTES) == 0 && pthread_setattr_default_np(&large) == 0 &&
                    pthread_create(&thread, &large, make_call, &call) == 0;
    pthread_attr_destroy(&large);
    if (!made)
        return run(argc, argv);
    pthread_join(thread, NULL);
    return call.status;
}
