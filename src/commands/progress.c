/* The progress bar. */
#include "commands/progress.h"

#include "cli/cli.h"

enum { BAR_WIDTH = 30, PERIOD_US = 100000, FIRST_ESTIMATE_US = 500000 };

void dt_cli_progress_bar(const char *what, guint64 done, guint64 all, DtProgress *progress)
{
    gint64 now = g_get_monotonic_time();
    if (progress->start == 0)
        progress->start = now;
    if (all == 0 || done > all || (progress->shown != 0 && now - progress->shown < PERIOD_US))
        return;
    progress->shown = now;
    char bar[BAR_WIDTH + 1];
    double share = (double)done / (double)all;
    for (guint i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < share * BAR_WIDTH ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    gint64 taken = now - progress->start;
    if (taken < FIRST_ESTIMATE_US || done == 0) {
        dt_cli_progress("comparing: %s [%s] %.0f %%", what, bar, 100 * share);
        return;
    }
    double left = (double)taken / 1e6 * (1 - share) / share;
    dt_cli_progress("comparing: %s [%s] %.0f %%, %.0f s left", what, bar, 100 * share, left + 0.5);
}
