/* difftrace collect: options, and what is told at the end. Everything goes to stderr: stdout is the command's. */
#include <signal.h>
#include <string.h>

#include "base/agents_folder.h"
#include "cli/cli.h"
#include "cli/environment.h"
#include "codec/codec.h"
#include "collect/collect.h"
#include "collect/output_name.h"
#include "collect/pin.h"
#include "commands/commands.h"
#include "store/run_headers.h"

enum { LONGEST_TIMEOUT = 1000000000 };

typedef struct {
    char *output, *images, *codec, *only, *engine, *mpi_args, *args_memory, *max_size, *when_full;
    char *start_at, *stop_at, *toggle_signal, *clock, *times;
    char *patience, *on_stuck, *agents_in, *listen;
    char **include, **exclude, **mask;
    char **command;
    gdouble timeout, until_stuck;
    gboolean start_disabled, perf_map, agents, no_seal, payload, check, shared, no_argv;
} Arguments;

static void arguments_clear(Arguments *arguments)
{
    g_free(arguments->output);
    g_free(arguments->images);
    g_free(arguments->codec);
    g_free(arguments->only);
    g_free(arguments->engine);
    g_free(arguments->mpi_args);
    g_free(arguments->args_memory);
    g_free(arguments->max_size);
    g_free(arguments->when_full);
    g_free(arguments->start_at);
    g_free(arguments->stop_at);
    g_free(arguments->toggle_signal);
    g_free(arguments->clock);
    g_free(arguments->times);
    g_free(arguments->patience);
    g_free(arguments->on_stuck);
    g_free(arguments->agents_in);
    g_free(arguments->listen);
    g_strfreev(arguments->include);
    g_strfreev(arguments->exclude);
    g_strfreev(arguments->mask);
    g_strfreev(arguments->command);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

/* "USR2", "SIGUSR2" or "12"; 0 for none, -1 for what is no signal. */
static int signal_of(const char *name)
{
    if (!name)
        return 0;
    for (int number = 1; number < NSIG; number++) {
        const char *abbreviation = sigabbrev_np(number);
        g_autofree char *digits = g_strdup_printf("%d", number);
        const char *start = g_str_has_prefix(name, "SIG") ? name + 3 : name;
        if (g_strcmp0(abbreviation, start) == 0 || g_str_equal(digits, name))
            return number;
    }
    return -1;
}

static char **parse_command(int argc, char **argv, Arguments *arguments, int *status)
{
    const DtOption entries[] = {DT_OPTION("output", FILENAME, &arguments->output),
                                DT_OPTION("images", STRING, &arguments->images),
                                DT_OPTION("include", STRING_ARRAY, &arguments->include),
                                DT_OPTION("exclude", STRING_ARRAY, &arguments->exclude),
                                DT_OPTION("only", STRING, &arguments->only),
                                DT_OPTION("codec", STRING, &arguments->codec),
                                DT_OPTION("timeout", DOUBLE, &arguments->timeout),
                                {"until-stuck", G_OPTION_ARG_STRING, &arguments->patience, DT_PATIENCE_SECONDS},
                                DT_OPTION("on-stuck", STRING, &arguments->on_stuck),
                                DT_OPTION("max-size", STRING, &arguments->max_size),
                                DT_OPTION("when-full", STRING, &arguments->when_full),
                                DT_OPTION("engine", STRING, &arguments->engine),
                                DT_OPTION("mpi-args", STRING, &arguments->mpi_args),
                                DT_OPTION("times", STRING, &arguments->times),
                                DT_OPTION("args-memory", STRING, &arguments->args_memory),
                                DT_OPTION("payload", NONE, &arguments->payload),
                                {"clock", G_OPTION_ARG_STRING, &arguments->clock, "MPI_*"},
                                DT_OPTION("start-disabled", NONE, &arguments->start_disabled),
                                DT_OPTION("toggle-signal", STRING, &arguments->toggle_signal),
                                DT_OPTION("start-at", STRING, &arguments->start_at),
                                DT_OPTION("stop-at", STRING, &arguments->stop_at),
                                DT_OPTION("agents", NONE, &arguments->agents),
                                DT_OPTION("agents-in", FILENAME, &arguments->agents_in),
                                DT_OPTION("perf-map", NONE, &arguments->perf_map),
                                DT_OPTION("no-seal", NONE, &arguments->no_seal),
                                DT_OPTION("listen", STRING, &arguments->listen),
                                DT_OPTION("no-argv", NONE, &arguments->no_argv),
                                DT_OPTION("mask", STRING_ARRAY, &arguments->mask),
                                DT_OPTION("shared", NONE, &arguments->shared),
                                DT_OPTION("check", NONE, &arguments->check),
                                DT_OPTIONS_END};
    g_auto(GStrv) command = dt_cli_parse("collect", entries, NULL, argc, argv, status);
    g_autoptr(GError) error = NULL;
    /* What a traced program collects itself is not meant by the variables that are for its own tracer. */
    if (command && !g_getenv("DIFFTRACE_RUN") && !dt_cli_read_environment(entries, &error)) {
        *status = dt_cli_status(error);
        return NULL;
    }
    return g_steal_pointer(&command);
}

static gboolean uses_pin(const Arguments *arguments)
{
    return g_strcmp0(arguments->engine, "pin") == 0;
}

/* What --clock was before there was --times. */
static void replace_clock(Arguments *arguments)
{
    if (!arguments->clock)
        return;
    if (strcmp(arguments->clock, "MPI_*") != 0)
        dt_cli_warn("warning: --clock=%s: it is --times=api, and all calls have times", arguments->clock);
    if (!arguments->times)
        arguments->times = g_strdup("api");
}

static gboolean check_arguments(Arguments *arguments)
{
    static const char *const times[] = {"api", "functions", "off", NULL};
    replace_clock(arguments);
    if (!dt_cli_seconds("--until-stuck", arguments->patience, &arguments->until_stuck))
        return FALSE;
    if (arguments->engine && strcmp(arguments->engine, "native") != 0 && !uses_pin(arguments))
        dt_cli_warn("--engine %s: no such engine; use native or pin", arguments->engine);
    else if (arguments->times && !g_strv_contains(times, arguments->times))
        dt_cli_warn("--times %s: give api, functions or off", arguments->times);
    else if (uses_pin(arguments) && arguments->times && strcmp(arguments->times, "off") != 0)
        dt_cli_warn("--times %s: leave out --engine=pin, which takes no times", arguments->times);
    else if (arguments->mpi_args && strcmp(arguments->mpi_args, "on") != 0 && strcmp(arguments->mpi_args, "off") != 0)
        dt_cli_warn("--mpi-args %s: give on or off", arguments->mpi_args);
    else if (arguments->payload && (g_strcmp0(arguments->mpi_args, "off") == 0 || uses_pin(arguments)))
        dt_cli_warn("--payload: data are those of calls with arguments; leave out --mpi-args=off and --engine=pin");
    else if (!(arguments->timeout > 0))
        dt_cli_warn("--timeout %g: give a positive number of seconds", arguments->timeout);
    else if (signal_of(arguments->toggle_signal) < 0)
        dt_cli_warn("--toggle-signal %s: no such signal; give USR1, USR2, ...", arguments->toggle_signal);
    else if (arguments->start_disabled && !arguments->toggle_signal && !arguments->start_at)
        dt_cli_warn("--start-disabled: give --toggle-signal or --start-at too, or nothing is ever recorded");
    else if (arguments->listen && !dt_is_address(arguments->listen))
        dt_cli_warn("--listen %s: give an address of this host, such as 10.0.0.1", arguments->listen);
    else if (arguments->on_stuck && !arguments->patience)
        dt_cli_warn("--on-stuck %s: give --until-stuck too", arguments->on_stuck);
    else if (arguments->when_full && !arguments->max_size)
        dt_cli_warn("--when-full %s: give --max-size too", arguments->when_full);
    else
        return TRUE;
    return FALSE;
}

/* Several regexes are one with alternatives; NULL for none. */
static char *join_regexes(char **regexes)
{
    if (!regexes || !regexes[0] || !regexes[1])
        return regexes ? g_strdup(regexes[0]) : NULL;
    g_autofree char *joined = g_strjoinv(")|(", regexes);
    return g_strconcat("(", joined, ")", NULL);
}

static void print_no_trace(const Arguments *arguments, const DtCollectResult *result)
{
    const char *why = "its program may be statically linked, or started by one that clears the environment";
    if (uses_pin(arguments))
        why = "Pin did not run the tool in it: see what it printed, and pin.log and pintool.log";
    else if (result->privileged)
        why = "the command is setuid, setgid or has file capabilities, and the loader preloads nothing into such";
    else if (result->warnings->len > 0)
        why = "see the warning above";
    else if (result->launcher && result->exit_status != 0)
        why = "the launcher failed before it started a rank";
    else if (result->launcher)
        why = "no dynamically linked process with a rank in its environment (OMPI_COMM_WORLD_RANK, PMI_RANK, "
              "PMIX_RANK, MV2_COMM_WORLD_RANK, SLURM_PROCID) was started";
    else if (arguments->only)
        why = "no executable has a name that --only asks for";
    dt_cli_warn("no process was traced: %s", why);
}

static void print_stopped(const DtRun *run)
{
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        const DtProcess *process = dt_run_process(run, i);
        if (process->stopped)
            dt_cli_warn("warning: process %s: recording stopped early: %s", process->label, process->stopped);
    }
}

/* A slip in the patterns leaves little to compare. */
static void print_no_image(const Arguments *arguments, const DtRun *run)
{
    static const char *const names[] = {"main", "app", "all", NULL};
    if (arguments->images && !g_strv_contains(names, arguments->images) && !dt_run_has_wanted_image(run))
        dt_cli_warn("warning: --images %s: matches no image: only calls of MPI, OpenMP and pthreads were recorded",
                    arguments->images);
}

/* GLib's blank does not break, and would not be shown as one. */
static char *size_text(guint64 bytes)
{
    g_autofree char *text = g_format_size(bytes);
    g_auto(GStrv) parts = g_strsplit(text, "\u00a0", 2);
    return g_strjoinv(" ", parts);
}

static void print_totals(const DtRun *run)
{
    guint64 words = 0, bytes = 0;
    guint hooked = 0, skipped = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        words += dt_run_trace(run, i)->words;
        bytes += dt_run_trace(run, i)->bytes;
    }
    for (guint i = 0; i < dt_run_process_count(run); i++) {
        hooked = MAX(hooked, dt_run_process(run, i)->hooked);
        skipped = MAX(skipped, dt_run_process(run, i)->skipped);
    }
    g_autofree char *size = size_text(bytes);
    dt_cli_note("%s: processes %u, threads %u, events %" G_GUINT64_FORMAT ", %s (ratio %.1f), functions "
                "hooked %u, skipped %u",
                dt_run_path(run), dt_run_process_count(run), dt_run_trace_count(run), words, size,
                bytes > 0 ? 2.0 * (gdouble)words / (gdouble)bytes : 0.0, hooked, skipped);
}

static void print_stuck(const DtCollectResult *result)
{
    g_auto(GStrv) lines = g_strsplit(g_strchomp(result->stuck), "\n", -1);
    dt_cli_note("the command was ended after %.1f s, by --until-stuck", result->seconds);
    for (guint i = 0; lines[i]; i++)
        dt_cli_note("%s", lines[i]);
}

static void print_end(const DtCollectResult *result)
{
    if (result->stuck)
        print_stuck(result);
    else if (result->timed_out)
        dt_cli_note("the command was ended after %.1f s, by --timeout", result->seconds);
    else if (result->told_to_end > 0)
        dt_cli_note("the command was ended after %.1f s, by signal %d (%s) to difftrace", result->seconds,
                    result->told_to_end, g_strsignal(result->told_to_end));
    else if (result->signal_number > 0)
        dt_cli_note("the command was ended by signal %d (%s) after %.1f s", result->signal_number,
                    g_strsignal(result->signal_number), result->seconds);
    else
        dt_cli_note("the command ended with status %d after %.1f s", result->exit_status, result->seconds);
}

/* The last that is said: it is what is easily overlooked. */
static void print_unrecorded(const Arguments *arguments, const DtRun *run, const char *output)
{
    g_autoptr(GPtrArray) told = !run ? dt_run_read_unrecorded(output) : NULL;
    g_autofree char *missing = run && !arguments->only ? dt_run_missing_ranks_line(run) : NULL;
    if (missing)
        dt_cli_warn("warning: %s", missing);
    g_auto(GStrv) lines = dt_unrecorded_lines(run ? dt_run_unrecorded(run) : told);
    for (guint i = 0; lines[i]; i++)
        dt_cli_warn("%s", lines[i]);
}

static void print_summary(const Arguments *arguments, const char *output, const DtCollectResult *result)
{
    for (guint i = 0; i < result->warnings->len; i++)
        dt_cli_warn("warning: %s", (const char *)g_ptr_array_index(result->warnings, i));
    if (result->last || result->exit_status != 0)
        print_end(result);
    if (result->lost) {
        dt_cli_warn("%s was moved or deleted while the command ran; what was recorded until then is where it went",
                    output);
        return;
    }
    if (!result->last)
        return;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open_headers(output, &error);
    if (run) {
        print_stopped(run);
        print_no_image(arguments, run);
        print_totals(run);
        if (dt_run_trace_count(run) == 0)
            dt_cli_warn("its processes recorded nothing; \"difftrace info %s\" tells what was hooked", output);
    } else if (g_error_matches(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY))
        print_no_trace(arguments, result);
    else
        dt_cli_status(error);
    print_unrecorded(arguments, run, output);
}

/* ---- --check ---------------------------------------------------------------------------------- */

/* By a process of its own: whatever becomes of it, the run is there and the exit status is the command's. */
static void print_errors(const char *output)
{
    const char *const command[] = {"/proc/self/exe", "check", "--quiet", "--errors", "--", output, NULL};
    g_autofree char *text = NULL;
    int ended = 0;
    g_autoptr(GError) error = NULL;
    if (!g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL, &ended, &error) ||
        !g_spawn_check_wait_status(ended, &error)) {
        dt_cli_warn("warning: %s was not checked: %s", output, error->message);
        return;
    }
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
    for (guint i = 0; lines[i]; i++)
        if (*lines[i] != '\0')
            dt_cli_warn("%s", lines[i]);
}

/* ---- difftrace replay ------------------------------------------------------------------------- */

static gboolean is_replay(char **command)
{
    g_autofree char *name = g_path_get_basename(command[0]);
    return strcmp(name, "difftrace") == 0 && g_strcmp0(command[1], "replay") == 0;
}

/* "difftrace replay FILE -- mpirun ..." becomes the command that it would run, so that what is recorded are the ranks
 * of that launcher. FALSE: it has told why not; `status` is its own. */
static gboolean replace_replay(Arguments *arguments, int *status)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *line = NULL;
    g_auto(GStrv) replacing = NULL;
    g_autoptr(GStrvBuilder) asking = g_strv_builder_new();
    g_strv_builder_add_many(asking, arguments->command[0], "replay", "--print-command", NULL);
    g_strv_builder_addv(asking, (const char **)arguments->command + 2);
    g_auto(GStrv) command = g_strv_builder_end(asking);
    int ended = 0;
    if (!g_spawn_sync(NULL, command, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, &line, NULL,
                      &ended, &error)) {
        *status = dt_cli_status(error);
        return FALSE;
    }
    if (!g_spawn_check_wait_status(ended, NULL) || !g_shell_parse_argv(line, NULL, &replacing, NULL)) {
        *status = DT_EXIT_ERROR;
        return FALSE;
    }
    g_strfreev(arguments->command);
    arguments->command = g_steal_pointer(&replacing);
    return TRUE;
}

static DtCollectResult *collect(const Arguments *arguments, const char *output, GError **error)
{
    g_auto(GStrv) pin = uses_pin(arguments) ? dt_collect_find_pin(error) : NULL;
    g_autofree char *runtime = uses_pin(arguments) ? NULL : dt_collect_find_runtime(error);
    if (!runtime && !pin)
        return NULL;
    g_autofree char *include = join_regexes(arguments->include);
    g_autofree char *exclude = join_regexes(arguments->exclude);
    g_autofree char *mask = join_regexes(arguments->mask);
    DtCollectOptions options = {
        .command = (const char *const *)arguments->command,
        .output = output,
        .engine = pin ? "pin" : "native",
        .runtime = runtime,
        .wrapper = (const char *const *)pin,
        .images = arguments->images ? arguments->images : "app",
        .codec = arguments->codec ? arguments->codec : dt_codecs[0].name,
        .only = arguments->only,
        .include = include,
        .exclude = exclude,
        .no_arguments = g_strcmp0(arguments->mpi_args, "off") == 0,
        .args_memory = arguments->args_memory,
        .payload = arguments->payload,
        .timeout = arguments->timeout < LONGEST_TIMEOUT ? arguments->timeout : 0,
        .until_stuck = arguments->until_stuck,
        .on_stuck = arguments->on_stuck,
        .max_size = arguments->max_size,
        .start_disabled = arguments->start_disabled,
        .toggle_signal = signal_of(arguments->toggle_signal),
        .start_at = arguments->start_at,
        .stop_at = arguments->stop_at,
        .times = arguments->times && strcmp(arguments->times, "off") != 0 ? arguments->times : NULL,
        .perf_map = arguments->perf_map,
        .agents = arguments->agents,
        .agents_in = arguments->agents_in,
        .listen = arguments->listen,
        .no_argv = arguments->no_argv,
        .mask = mask,
        .shared = arguments->shared,
        .no_seal = arguments->no_seal,
        .when_full = arguments->when_full ? arguments->when_full : "stop",
    };
    return dt_collect(&options, error);
}

int dt_cmd_collect(int argc, char **argv)
{
    g_auto(Arguments) arguments = {.timeout = G_MAXDOUBLE};
    int status = 0;
    arguments.command = parse_command(argc, argv, &arguments, &status);
    if (!arguments.command)
        return status;
    if (!check_arguments(&arguments))
        return DT_EXIT_ERROR;
    if (is_replay(arguments.command) && !replace_replay(&arguments, &status))
        return status;
    g_autoptr(GError) error = NULL;
    g_autofree char *output = dt_output_name(arguments.output ? arguments.output : "difftrace.data", &error);
    g_autoptr(DtCollectResult) result = output ? collect(&arguments, output, &error) : NULL;
    if (!result)
        return dt_cli_status(error);
    print_summary(&arguments, output, result);
    if (arguments.check && result->last && !result->lost)
        print_errors(output);
    return result->stuck ? DT_EXIT_STUCK : result->timed_out ? DT_EXIT_TIMED_OUT : result->exit_status;
}
