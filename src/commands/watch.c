/* difftrace watch: a job while it runs. */
#include <string.h>

#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/runs.h"
#include "live/live.h"
#include "store/store.h"

enum { LOOKS_A_SECOND = 2 };

typedef struct {
    char *until_stuck; /* seconds; NULL: not asked for */
} WatchOptions;

static void options_clear(WatchOptions *options)
{
    g_free(options->until_stuck);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WatchOptions, options_clear)

static gboolean print_stuck(const DtStuck *stuck, GError **error)
{
    g_autofree char *report = dt_report_wait_for(dt_stuck_waits(stuck), dt_cli_width(), DT_FORMAT_TEXT, error);
    g_autofree char *text = report ? g_strdup_printf("stuck for %.1f s: %s", dt_stuck_seconds(stuck), report) : NULL;
    return text && dt_cli_write(text, NULL, error);
}

/* Until the job is over or stuck. */
static int watch(const char *path, gdouble seconds)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtLive) live = dt_live_open(path, &error);
    if (!live) {
        dt_cli_suggest_run(path, error);
        return dt_cli_status(error);
    }
    g_autoptr(DtStuck) stuck = dt_stuck_new(live, seconds);
    DtJobState state = DT_JOB_GOES_ON;
    while (state == DT_JOB_GOES_ON) {
        dt_live_refresh(live);
        state = dt_stuck_look(stuck);
        if (state == DT_JOB_GOES_ON)
            g_usleep(G_USEC_PER_SEC / LOOKS_A_SECOND);
    }
    guint ended;
    if (dt_live_process_count(live, &ended) == 0)
        (void)dt_live_run(live, &error); /* says why */
    if (state == DT_JOB_STUCK && print_stuck(stuck, &error))
        return DT_EXIT_FOUND;
    return dt_cli_status(error);
}

int dt_cmd_watch(int argc, char **argv)
{
    g_auto(WatchOptions) options = {0};
    const DtOption entries[] = {{"until-stuck", G_OPTION_ARG_STRING, &options.until_stuck, DT_PATIENCE_SECONDS},
                                DT_OPTIONS_END};
    int status = 0;
    g_auto(GStrv) arguments = dt_cli_parse("watch", entries, NULL, argc, argv, &status);
    gdouble seconds = 0;
    if (arguments == NULL)
        return status;
    if (!dt_cli_seconds("--until-stuck", options.until_stuck, &seconds))
        return DT_EXIT_ERROR;
    return watch(arguments[0], seconds);
}
