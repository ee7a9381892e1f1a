/* Facts about both runs, as the page shows them. */
#include "report/page_json.h"

/* The strings of a list, at most so many. */
enum { PROBLEMS_SHOWN = 20 };

static guint64 events_of(const DtRunReport *what)
{
    guint64 events = 0;
    for (guint i = 0; i < dt_run_trace_count(what->run); i++)
        events += what->events[i];
    return events;
}

static guint64 bytes_of(const DtRun *run)
{
    guint64 bytes = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        bytes += dt_run_trace(run, i)->bytes;
    return bytes;
}

/* How many processes ended how: {"exited": 15, "signal": 1}. */
static void add_ends(JsonBuilder *builder, const DtRun *run)
{
    static const char *const names[] = {"running", "exited", "signal", "killed"};
    guint counts[G_N_ELEMENTS(names)] = {0};
    for (guint i = 0; i < dt_run_process_count(run); i++)
        counts[dt_run_process(run, i)->end]++;
    dt_json_begin_object(builder, "ends");
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        if (counts[i] > 0)
            dt_json_integer(builder, names[i], counts[i]);
    }
    json_builder_end_object(builder);
}

static void add_problems(JsonBuilder *builder, const DtRun *run, const DtManifest *manifest)
{
    const GPtrArray *problems = dt_run_problems(run);
    dt_json_begin_array(builder, "problems");
    for (guint i = 0; i < MIN(problems->len, (guint)PROBLEMS_SHOWN); i++)
        dt_json_string(builder, NULL, problems->pdata[i]);
    for (guint i = 0; manifest->warnings && manifest->warnings[i] && i < PROBLEMS_SHOWN; i++)
        dt_json_string(builder, NULL, manifest->warnings[i]);
    json_builder_end_array(builder);
}

static void add_run(JsonBuilder *builder, const DtRunReport *what, const char *role, const char *name)
{
    const DtManifest *manifest = dt_run_manifest(what->run);
    dt_json_begin_object(builder, NULL);
    dt_json_string(builder, "role", role);
    dt_json_string(builder, "name", name);
    dt_json_strings(builder, "command", (const char *const *)manifest->command);
    dt_json_integer(builder, "processes", dt_run_process_count(what->run));
    dt_json_integer(builder, "threads", dt_run_trace_count(what->run));
    dt_json_integer(builder, "events", (gint64)events_of(what));
    dt_json_integer(builder, "bytes", (gint64)bytes_of(what->run));
    dt_json_number(builder, "seconds", manifest->seconds);
    dt_json_integer(builder, "exit_status", manifest->exit_status);
    dt_json_boolean(builder, "timed_out", manifest->timed_out);
    dt_json_string(builder, "stuck", manifest->stuck);
    dt_json_boolean(builder, "finished", manifest->finished);
    dt_json_string(builder, "images", manifest->images);
    dt_json_string(builder, "codec", manifest->codec);
    dt_json_string(builder, "recorded_by", manifest->version);
    add_ends(builder, what->run);
    add_problems(builder, what->run, manifest);
    json_builder_end_object(builder);
}

void dt_page_add_runs(JsonBuilder *builder, const DtPage *page)
{
    dt_json_begin_array(builder, "runs");
    if (page->runs[0])
        add_run(builder, page->runs[0], "normal", page->comparison->normal);
    add_run(builder, page->runs[1], "faulty", page->comparison->faulty);
    json_builder_end_array(builder);
}
