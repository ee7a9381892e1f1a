/* What matched messages and collective calls tell: waits, links, matrices, the critical path. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/runs.h"
#include "commands/times/views.h"
#include "report/times/messages_report.h"

/* Clocks are corrected where there are several hosts. */
typedef struct {
    DtMessages *messages;
    DtClocks *clocks;
} Matched;

static void clear_matched(Matched *matched)
{
    dt_messages_free(matched->messages);
    dt_clocks_free(matched->clocks);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Matched, clear_matched)

static gboolean any_uses_mpi(const DtMessages *messages)
{
    for (guint rank = 0; rank < messages->ranks->len; rank++)
        if (g_array_index(messages->ranks, DtTimedRank, rank).process->called_mpi_init)
            return TRUE;
    return FALSE;
}

static gboolean read_matched(const DtTimesAsked *asked, Matched *matched, GError **error)
{
    g_autoptr(DtProgress) progress = dt_progress_new("matching messages");
    matched->messages = dt_messages_read(asked->shown.run, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (!matched->messages)
        return FALSE;
    if (any_uses_mpi(matched->messages))
        dt_cli_warn_of_no_arguments(asked->shown.run, "messages cannot be matched");
    matched->clocks = dt_clocks_estimate(matched->messages);
    dt_clocks_apply(matched->clocks, matched->messages);
    return TRUE;
}

static DtMessagesShown shown_of(const DtTimesAsked *asked, const Matched *matched)
{
    return (DtMessagesShown){&asked->shown, matched->messages, matched->clocks};
}

char *dt_times_waits(const DtTimesAsked *asked, GError **error)
{
    g_auto(Matched) matched = {0};
    if (!read_matched(asked, &matched, error))
        return NULL;
    const DtMessagesShown shown = shown_of(asked, &matched);
    g_autoptr(DtWaitStates) states = dt_wait_states_new(matched.messages);
    return dt_report_wait_states(&shown, states, asked->format, error);
}

char *dt_times_timeline(const DtTimesAsked *asked, GError **error)
{
    g_auto(Matched) matched = {0};
    if (!read_matched(asked, &matched, error))
        return NULL;
    const DtMessagesShown shown = shown_of(asked, &matched);
    g_autoptr(DtWaitStates) states = dt_wait_states_new(matched.messages);
    return dt_report_timeline(&shown, states, dt_times_columns(asked), asked->format, error);
}

char *dt_times_critical_path(const DtTimesAsked *asked, GError **error)
{
    g_auto(Matched) matched = {0};
    if (!read_matched(asked, &matched, error))
        return NULL;
    const DtMessagesShown shown = shown_of(asked, &matched);
    g_autoptr(DtWaitStates) states = dt_wait_states_new(matched.messages);
    g_autoptr(DtCriticalPath) path = dt_critical_path_new(states, matched.clocks, error);
    return !path ? NULL : dt_report_critical_path(&shown, path, asked->format, error);
}

char *dt_times_by_link(const DtTimesAsked *asked, GError **error)
{
    g_auto(Matched) matched = {0};
    if (!read_matched(asked, &matched, error))
        return NULL;
    const DtMessagesShown shown = shown_of(asked, &matched);
    g_autoptr(DtLinks) links = dt_links_new(matched.messages);
    return dt_report_links(&shown, links, asked->format, error);
}

char *dt_times_by_site(const DtTimesAsked *asked, GError **error)
{
    g_auto(Matched) matched = {0};
    if (!read_matched(asked, &matched, error))
        return NULL;
    const DtMessagesShown shown = shown_of(asked, &matched);
    return dt_report_site_times(&shown, asked->format, error);
}

static char *show_matrix(const DtTimesAsked *asked, DtMatrixOf of, GError **error)
{
    g_auto(Matched) matched = {0};
    if (!read_matched(asked, &matched, error))
        return NULL;
    const DtMessagesShown shown = shown_of(asked, &matched);
    g_autoptr(DtLinks) links = of != DT_MATRIX_WAIT ? dt_links_new(matched.messages) : NULL;
    g_autoptr(DtWaitStates) states = of == DT_MATRIX_WAIT ? dt_wait_states_new(matched.messages) : NULL;
    return dt_report_time_matrix(&shown, of, links, states, asked->format, error);
}

char *dt_times_matrix_bytes(const DtTimesAsked *asked, GError **error)
{
    return show_matrix(asked, DT_MATRIX_BYTES, error);
}

char *dt_times_matrix_messages(const DtTimesAsked *asked, GError **error)
{
    return show_matrix(asked, DT_MATRIX_MESSAGES, error);
}

char *dt_times_matrix_wait(const DtTimesAsked *asked, GError **error)
{
    return show_matrix(asked, DT_MATRIX_WAIT, error);
}
