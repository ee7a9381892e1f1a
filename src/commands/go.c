/* difftrace go: builds a Go program with what records it laid around, runs it until something is found. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/rights.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "commands/commands.h"
#include "golang/runs.h"
#include "import/import.h"
#include "store/store.h"
#include "text/text.h"
#include "waitfor/waitfor.h"

enum { RUNS = 10, PATIENCE = 5, YIELDS = 1000, LIMIT_SECONDS = 10 };

typedef struct {
    gint runs, yields;
    char *timeout, *output;
    gboolean found;
} Options;

static void clear_options(Options *options)
{
    g_free(options->timeout);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* What is to be done, taken from the arguments. */
typedef struct {
    Options *options;
    gboolean is_test, only_builds;
    char *output; /* absolute: tests run elsewhere */
    gdouble limit;
    GPtrArray *flags;    /* of the build; borrowed, NULL at the end once complete, as the others */
    GPtrArray *patterns; /* packages, or files */
    GPtrArray *own;      /* of the program; owned */
} Job;

static void job_clear(Job *job)
{
    g_free(job->output);
    g_ptr_array_unref(job->flags);
    g_ptr_array_unref(job->patterns);
    g_ptr_array_unref(job->own);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Job, job_clear)

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static gboolean is_one_of(const char *name, gsize bytes, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == bytes && strncmp(name, *names, bytes) == 0)
            return TRUE;
    return FALSE;
}

/* A flag of Go's and its value, which may be the next argument; the number of arguments. */
static guint take_flag(Job *job, char **arguments)
{
    static const char *const of_tests[] = {"run",      "bench", "benchtime", "count", "cpu",
                                           "parallel", "short", "skip",      "v",     NULL};
    static const char *const with_values[] = {"run",      "bench",   "benchtime", "count", "cpu",
                                              "parallel", "skip",    "tags",      "mod",   "modfile",
                                              "gcflags",  "ldflags", "asmflags",  "p",     NULL};
    const char *name = arguments[0] + strspn(arguments[0], "-");
    gsize bytes = strcspn(name, "=");
    gboolean has_next = name[bytes] == '\0' && is_one_of(name, bytes, with_values) && arguments[1];
    if (job->is_test && is_one_of(name, bytes, of_tests)) {
        g_ptr_array_add(job->own,
                        g_strdup_printf("-test.%s%s%s", name, has_next ? "=" : "", has_next ? arguments[1] : ""));
        return has_next ? 2 : 1;
    }
    g_ptr_array_add(job->flags, arguments[0]);
    if (has_next)
        g_ptr_array_add(job->flags, arguments[1]);
    return has_next ? 2 : 1;
}

/* As Go takes them: of `run` what comes behind the package, or behind the files, is the program's. */
static void take_arguments(Job *job, char **arguments)
{
    guint i = 0;
    while (arguments[i]) {
        const gboolean is_flag = arguments[i][0] == '-', is_file = g_str_has_suffix(arguments[i], ".go");
        const gboolean is_whole = job->patterns->len > 0 && !job->is_test && !job->only_builds &&
                                  !(is_file && g_str_has_suffix(job->patterns->pdata[0], ".go"));
        if (is_whole || strcmp(arguments[i], "-args") == 0 || strcmp(arguments[i], "--args") == 0)
            break;
        if (is_flag) {
            i += take_flag(job, arguments + i);
            continue;
        }
        g_ptr_array_add(job->patterns, arguments[i++]);
    }
    if (arguments[i] && arguments[i][0] == '-' && g_str_has_suffix(arguments[i], "-args"))
        i++;
    for (; arguments[i]; i++)
        g_ptr_array_add(job->own, g_strdup(arguments[i]));
    if (job->patterns->len == 0)
        g_ptr_array_add(job->patterns, (gpointer) ".");
    g_ptr_array_add(job->flags, NULL);
    g_ptr_array_add(job->patterns, NULL);
    g_ptr_array_add(job->own, NULL);
}

static gboolean read_job(Job *job, char **arguments, GError **error)
{
    const char *verb = arguments[0];
    job->is_test = g_str_equal(verb, "test");
    job->only_builds = g_str_equal(verb, "build");
    job->limit = LIMIT_SECONDS;
    if (!job->is_test && !job->only_builds && !g_str_equal(verb, "run")) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: not one of test, run, build", verb);
        return FALSE;
    }
    if (job->options->runs < 0 || job->options->yields < -1) {
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--runs, --yield: not below 0");
        return FALSE;
    }
    if (job->options->timeout) {
        char *end = NULL;
        job->limit = g_ascii_strtod(job->options->timeout, &end);
        if (*end != '\0' || !(job->limit > 0 && job->limit < 1e6)) {
            dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "--timeout %s: not a positive number of seconds",
                         job->options->timeout);
            return FALSE;
        }
    }
    take_arguments(job, arguments + 1);
    return TRUE;
}

/* ---- a package --------------------------------------------------------------------------------------------------- */

/* Which files of difftrace's own are to be named to Go, if it was given files: (element-type utf8), NULL at the end. */
static GPtrArray *inputs_of(const Job *job, const DtGoPackage *package)
{
    GPtrArray *inputs = g_ptr_array_new_with_free_func(g_free);
    const char *first = job->patterns->pdata[0];
    if (!g_str_has_suffix(first, ".go")) {
        /* One outside all modules has no path that could be named. */
        g_ptr_array_add(inputs, g_strdup(package->path[0] == '_' ? package->folder : package->path));
        g_ptr_array_add(inputs, NULL);
        return inputs;
    }
    for (guint i = 0; job->patterns->pdata[i]; i++)
        g_ptr_array_add(inputs, g_strdup(job->patterns->pdata[i]));
    /* Go wants all of them to be named as files of one directory. */
    g_autofree char *folder = g_path_get_dirname(first);
    g_ptr_array_add(inputs, g_build_filename(folder, job->is_test ? "zz_difftrace_test.go" : "zz_difftrace.go", NULL));
    g_ptr_array_add(inputs, NULL);
    return inputs;
}

static char *name_of(const DtGoPackage *package)
{
    char *name = g_strdup(package->path);
    g_strdelimit(name, "/\\:", '_');
    return name;
}

/* The run of a trace, for all other commands. NULL: it could not be made, which has been told. */
static char *import_trace(const DtGoCampaign *campaign, guint number)
{
    g_autofree char *trace = dt_go_campaign_trace(campaign, number);
    g_autofree char *run = g_strdup_printf("%s/%s.%u", campaign->output, campaign->name, number);
    g_autoptr(GError) error = NULL;
    g_autoptr(DtImportResult) result = dt_import("go-trace", trace, run, &error);
    if (!result)
        dt_cli_warn("warning: %s", error->message);
    return result ? g_steal_pointer(&run) : NULL;
}

static void print_line(const char *text)
{
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    dt_cli_print(line, strlen(line));
}

/* Who holds up whom, as far as it is known. */
static void tell_waits(const char *path)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, NULL);
    g_autoptr(DtWaitFor) waits = run ? dt_wait_for_new(run, 0, NULL) : NULL;
    if (waits && waits->cycles->len > 0)
        print_line(waits->summary);
}

static void tell(Job *job, const DtGoCampaign *campaign, const DtGoPackage *package, const DtGoCampaignResult *result)
{
    for (guint i = 0; i < result->lines->len; i++)
        print_line(result->lines->pdata[i]);
    for (guint i = 0; i < result->notes->len; i++)
        dt_cli_note("%s: %s", package->path, (const char *)result->notes->pdata[i]);
    if (result->found == 0 && result->unended > 0 && result->unended == result->runs) {
        g_autofree char *line =
            g_strdup_printf("%s: did not end within %g s in any of %u run%s (not proved to be stuck)", package->path,
                            campaign->limit / 1000.0, result->runs, result->runs == 1 ? "" : "s");
        print_line(line);
        job->options->found = TRUE;
        return;
    }
    if (result->found == 0) {
        dt_cli_note("%s: nothing found in %u run%s%s", package->path, result->runs, result->runs == 1 ? "" : "s",
                    result->status != 0 ? "; the last one failed" : "");
        return;
    }
    job->options->found = TRUE;
    g_autofree char *faulty = import_trace(campaign, result->found);
    if (!faulty)
        return;
    tell_waits(faulty);
    g_autofree char *normal = result->normal > 0 ? import_trace(campaign, result->normal) : NULL;
    dt_cli_note("%s: found in run %u: difftrace waits %s", package->path, result->found, faulty);
    if (normal)
        dt_cli_note("%s: run %u ended as it should: difftrace compare %s %s", package->path, result->normal, normal,
                    faulty);
}

static gboolean record(Job *job, const DtGoPackage *package, const char *program, gboolean has_library, GError **error)
{
    g_autofree char *name = name_of(package);
    const Options *options = job->options;
    DtGoCampaign campaign = {.program = program,
                             .arguments = (const char *const *)job->own->pdata,
                             .folder = job->is_test ? package->folder : NULL,
                             .output = job->output,
                             .name = name,
                             .is_test = job->is_test,
                             .runs = options->runs > 0 ? (guint)options->runs : RUNS,
                             .patience = options->runs > 0 ? 0 : PATIENCE,
                             .limit = (guint)(job->limit * 1000),
                             .yields = options->yields >= 0 ? (guint)options->yields : YIELDS};
    if (!has_library)
        dt_cli_note("%s: without yields and without objects: this Go's library is not as that of Go 1.19",
                    package->path);
    g_autoptr(DtProgress) progress = dt_progress_new("running");
    g_autoptr(DtGoCampaignResult) result = dt_go_campaign(&campaign, error);
    g_clear_pointer(&progress, dt_progress_free);
    if (!result)
        return FALSE;
    tell(job, &campaign, package, result);
    return TRUE;
}

static gboolean do_package(Job *job, const DtGoToolchain *toolchain, const DtGoPackage *package, GError **error)
{
    g_autofree char *name = name_of(package), *layer = g_strdup_printf("%s/%s.layer", job->output, name);
    g_autofree char *program = g_strdup_printf("%s/%s.program", job->output, name);
    g_autoptr(GPtrArray) inputs = inputs_of(job, package);
    DtGoBuild build = {
        package, job->is_test, FALSE, (const char *const *)job->flags->pdata, (const char *const *)inputs->pdata,
        layer,   program};
    gboolean has_library = FALSE;
    g_autoptr(DtProgress) progress = dt_progress_new("building");
    if (!dt_go_build(toolchain, &build, &has_library, error))
        return FALSE;
    g_clear_pointer(&progress, dt_progress_free);
    if (!job->only_builds)
        return record(job, package, program, has_library, error);
    dt_cli_note("%s: run it with DIFFTRACE_GO_TRACE=FILE, and import FILE", program);
    return TRUE;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static gboolean is_wanted(const Job *job, const DtGoPackage *package)
{
    if (job->is_test)
        return (package->tests[0] && *package->tests[0]) || (package->outer_tests[0] && *package->outer_tests[0]);
    return g_str_equal(package->name, "main");
}

static gboolean make_output(Job *job, GError **error)
{
    const char *path = job->options->output ? job->options->output : "difftrace.go";
    job->output = g_canonicalize_filename(path, NULL);
    if (dt_private_folder(job->output) == 0)
        return TRUE;
    dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: it cannot be made: choose another directory with -o",
                 path);
    return FALSE;
}

static gboolean do_all(Job *job, GError **error)
{
    g_autoptr(DtGoToolchain) toolchain = dt_go_toolchain_find(error);
    g_autoptr(GPtrArray) packages =
        toolchain ? dt_go_packages(toolchain, (const char *const *)job->patterns->pdata, error) : NULL;
    guint done = 0;
    if (!packages || !make_output(job, error))
        return FALSE;
    for (guint i = 0; i < packages->len; i++) {
        const DtGoPackage *package = packages->pdata[i];
        if (!is_wanted(job, package))
            continue;
        if (!do_package(job, toolchain, package, error))
            return FALSE;
        done++;
    }
    if (done == 0)
        dt_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE, "%s: no package there has %s",
                     (const char *)job->patterns->pdata[0], job->is_test ? "tests" : "a main");
    return done > 0;
}

static gboolean run_go(char **arguments, gpointer data, GError **error)
{
    g_auto(Job) job = {.options = data,
                       .flags = g_ptr_array_new(),
                       .patterns = g_ptr_array_new(),
                       .own = g_ptr_array_new_with_free_func(g_free)};
    return read_job(&job, arguments, error) && do_all(&job, error);
}

int dt_cmd_go(int argc, char **argv)
{
    g_auto(Options) options = {.yields = -1};
    const DtOption entries[] = {DT_OPTION("runs", INT, &options.runs), DT_OPTION("yield", INT, &options.yields),
                                DT_OPTION("timeout", STRING, &options.timeout),
                                DT_OPTION("output", FILENAME, &options.output), DT_OPTIONS_END};
    int status = dt_cli_run("go", entries, NULL, argc, argv, run_go, &options);
    return status == 0 && options.found ? DT_EXIT_FOUND : status;
}
