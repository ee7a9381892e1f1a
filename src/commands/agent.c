/* difftrace agent: on a node of a job, what a collector elsewhere cannot see. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "agent/agent.h"
#include "cli/cli.h"
#include "commands/commands.h"
#include "text/text.h"

enum {
    GRACE_SECONDS = 5,      /* as collect has it */
    MOST_ASKING_SECONDS = 2 /* before it is told who was asked */
};

static void tell(GPtrArray *lines)
{
    for (guint i = 0; i < lines->len; i++)
        dt_cli_warn("warning: %s", (const char *)lines->pdata[i]);
    g_ptr_array_unref(lines);
}

static void tell_refused(const DtNodes *nodes)
{
    if (dt_nodes_refused(nodes) > 1)
        dt_cli_warn("warning: %u connections were refused in all", dt_nodes_refused(nodes));
}

/* Whoever waits for that goes on then. FALSE: not yet. */
static gboolean tell_asked(const DtNodes *nodes, gint64 since_us)
{
    guint asked, count = dt_nodes_asked(nodes, &asked);
    if (asked < count && since_us < MOST_ASKING_SECONDS * G_USEC_PER_SEC)
        return FALSE;
    g_autofree char *line = g_strdup_printf("asked the agents of %u of %u nodes\n", asked, count);
    dt_cli_print(line, strlen(line));
    (void)fflush(stdout);
    return TRUE;
}

/* From here: the processes of the run on all nodes. */
static gboolean end_processes(const char *run, GError **error)
{
    enum { LOOK_MS = 50 };
    const gint64 begin = g_get_monotonic_time();
    gboolean is_told = FALSE;
    g_autoptr(DtNodes) nodes = dt_nodes_new(run, NULL, error);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    if (!nodes)
        return FALSE;
    dt_nodes_meet(nodes, NULL, MOST_ASKING_SECONDS); /* all at once: launchers kill all when one rank ends */
    dt_nodes_end(nodes, GRACE_SECONDS);
    while (!dt_nodes_have_ended(nodes, problems)) {
        dt_nodes_take(nodes, NULL, LOOK_MS / 1000.0);
        is_told = is_told || tell_asked(nodes, g_get_monotonic_time() - begin);
    }
    tell(dt_nodes_news(nodes));
    tell_refused(nodes);
    tell(g_steal_pointer(&problems));
    return TRUE;
}

/* Of nodes that have the run on their own disks, when the job has ended. */
static gboolean gather_files(const char *run, GError **error)
{
    enum { LOOK_MS = 100 };
    g_autoptr(DtNodes) nodes = dt_nodes_new(run, NULL, error);
    g_autoptr(DtLive) live = nodes ? dt_live_open(run, error) : NULL;
    if (!live)
        return FALSE;
    dt_nodes_gather_last(nodes);
    while (!dt_nodes_have_gathered(nodes)) {
        dt_live_refresh(live);
        dt_nodes_take(nodes, live, LOOK_MS / 1000.0);
    }
    tell(dt_nodes_news(nodes));
    tell_refused(nodes);
    return TRUE;
}

/* Whoever has started us may be bound to a core, which is the job's; others come first. */
static void step_aside(void)
{
    enum { NICENESS = 5 };
    cpu_set_t all;
    memset(&all, 0xff, sizeof(all));
    (void)sched_setaffinity(0, sizeof(all), &all);
    (void)setpriority(PRIO_PROCESS, 0, NICENESS);
}

static gboolean be_agent(const char *run, GError **error)
{
    step_aside();
    return dt_agent_run(run, error);
}

typedef struct {
    gboolean ends, gathers;
} Arguments;

static gboolean agent(char **arguments, gpointer options, GError **error)
{
    const Arguments *wanted = options;
    if (wanted->ends)
        return end_processes(arguments[0], error);
    return wanted->gathers ? gather_files(arguments[0], error) : be_agent(arguments[0], error);
}

int dt_cmd_agent(int argc, char **argv)
{
    Arguments wanted = {0};
    const DtOption entries[] = {DT_OPTION("end", NONE, &wanted.ends), DT_OPTION("gather", NONE, &wanted.gathers),
                                DT_OPTIONS_END};
    return dt_cli_run("agent", entries, NULL, argc, argv, agent, &wanted);
}
