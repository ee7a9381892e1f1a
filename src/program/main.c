/* difftrace: finds the subcommand and, at the end, checks that all output went out. */
#include "base/modules.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/manual.h"
#include "collect/collect.h"
#include "collect/pin.h"
#include "commands/commands.h"
#include "program/analysis.h"
#include "program/limits.h"
#include "store/store.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *group, *name;
    DtCommand run;  /* NULL: it is in the module of the analysis */
    gboolean paged; /* its output is for reading */
} Command;

/* clang-format off */
static const Command commands[] = {
    {"Record", "collect", dt_cmd_collect, FALSE},
    {"Record", "import", NULL, FALSE},
    {"Record", "go", NULL, FALSE},
    {"Look at a run", "info", NULL, TRUE},
    {"Look at a run", "dump", NULL, TRUE},
    {"Look at a run", "stats", NULL, TRUE},
    {"Look at a run", "times", NULL, TRUE},
    {"Look at a run", "stack", NULL, TRUE},
    {"Look at a run", "lines", NULL, TRUE},
    {"Look at a run", "waits", NULL, TRUE},
    {"Look at a run", "check", NULL, TRUE},
    {"Look at a run", "coverage", NULL, TRUE},
    {"Look at a run", "watch", NULL, FALSE},
    {"Look at a run", "agent", NULL, FALSE},
    {"Compare runs", "compare", NULL, FALSE},
    {"Compare runs", "rank", NULL, TRUE},
    {"Compare runs", "report", NULL, FALSE},
    {"Compare runs", "diffnlr", NULL, TRUE},
    {"Compare runs", "tui", NULL, FALSE},
    {"Structure of traces", "skeleton", NULL, TRUE},
    {"Structure of traces", "simulate", NULL, TRUE},
    {"Structure of traces", "minimise", NULL, TRUE},
    {"Structure of traces", "extrapolate", NULL, TRUE},
    {"Structure of traces", "replay", NULL, FALSE},
    {"Structure of traces", "generate", NULL, TRUE},
    {"Structure of traces", "nlr", NULL, TRUE},
    {"Structure of traces", "lattice", NULL, TRUE},
    {"Structure of traces", "jsm", NULL, TRUE},
    {"Structure of traces", "dendrogram", NULL, TRUE},
    {"Exchange", "export", NULL, FALSE},
    {"Exchange", "pack", NULL, FALSE},
    {"Exchange", "unpack", NULL, FALSE},
};
/* clang-format on */

static const Command *find_command(const char *name)
{
    if (strcmp(name, "minimize") == 0)
        name = "minimise";
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    if (dt_is_our_directory(name, "run")) {
        dt_cli_warn(
            "%s: a run, not a command; 'difftrace info %s' shows what it holds\n'difftrace help' lists the commands",
            name, name);
        return DT_EXIT_ERROR;
    }
    const char *names[G_N_ELEMENTS(commands) + 4] = {"help", "--help", "--version"};
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i + 3] = commands[i].name;
    const char *nearest = dt_nearest(name, names);
    if (nearest)
        dt_cli_warn("%s: no such command; did you mean '%s'?\n'difftrace help' lists the commands", name, nearest);
    else
        dt_cli_warn("%s: no such command\n'difftrace help' lists the commands", name);
    return DT_EXIT_ERROR;
}

static void list_commands(FILE *stream)
{
    g_autoptr(DtManualPage) overview = dt_manual_page_new(NULL);
    g_auto(GStrv) forms = g_strsplit(dt_manual_synopsis(overview), "\n", -1);
    g_autofree char *usage = g_strjoinv("\n       ", forms);
    fprintf(stream, "Usage: %s\n\ndifftrace: %s\n", usage, overview->summary);
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (i == 0 || strcmp(commands[i].group, commands[i - 1].group) != 0)
            fprintf(stream, "\n%s:\n", commands[i].group);
        g_autoptr(DtManualPage) page = dt_manual_page_new(commands[i].name);
        fprintf(stream, "  %-11s %s\n", commands[i].name, page->summary);
    }
    fputs("\n'difftrace COMMAND --help' shows the options of a command, 'difftrace help\n"
          "COMMAND' says everything about it, 'difftrace help difftrace' what is common to\n"
          "all.\n",
          stream);
}

static int run_command(const Command *command, int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    if (!dt_limits_open_files(!command->run))
        return DT_EXIT_ERROR;
    DtCommand run = command->run ? command->run : dt_analysis_command(command->name, &error);
    if (!run)
        return dt_cli_status(error);
    if (!command->run)
        (void)signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error that is told */
    if (command->paged)
        dt_cli_pager_start();
    return run(argc, argv);
}

/* `name`: "rank" or "difftrace-rank". */
static int print_page(const char *name, gboolean roff)
{
    if (g_str_has_prefix(name, "difftrace-"))
        name += strlen("difftrace-");
    gboolean overview = strcmp(name, "difftrace") == 0 || strcmp(name, "help") == 0;
    if (!overview && !find_command(name))
        return unknown_command(name);
    g_autoptr(DtManualPage) page = dt_manual_page_new(overview ? NULL : name);
    if (!roff)
        dt_cli_pager_start();
    g_autofree char *text = roff ? dt_manual_roff(page) : dt_manual_text(page, dt_cli_width());
    dt_cli_print(text, strlen(text));
    return 0;
}

static int help(int argc, char **argv)
{
    gboolean roff = argc > 1 && strcmp(argv[1], "--roff") == 0;
    const char *name = roff ? argv[2] : argv[1];
    if (name || roff)
        return print_page(name ? name : "difftrace", roff);
    list_commands(stdout);
    return 0;
}

/* ---- version ---------------------------------------------------------------------- */

static void print_part(const char *part, gboolean there, const char *source)
{
    printf(there ? "%s: yes\n" : "%s: no; %s brings it\n", part, source);
}

static void print_engines(void)
{
    g_autofree char *native = dt_collect_find_runtime(NULL);
    g_auto(GStrv) pin = dt_collect_find_pin(NULL);
    print_part("engine native", native != NULL, "the package difftrace");
    print_part("engine pin", pin != NULL, "a kit of Intel's Pin 3 in PIN_ROOT, when difftrace is built and used,");
}

/* Whether its file is there: opening the modules would take longer than most commands do. */
static void print_module(const char *part, DtModule module)
{
    print_part(part, dt_module_is_there(module), dt_module_source(module));
}

static int print_version(void)
{
    printf("difftrace %s\n", DT_VERSION);
    print_engines();
    print_module("analysis", DT_MODULE_ANALYSIS);
    print_module("screen of watch and tui", DT_MODULE_SCREEN);
    print_module("ranks of Open MPI", DT_MODULE_OPENMPI);
    print_module("ranks of MPICH", DT_MODULE_MPICH);
    print_module("simulated machines by SimGrid", DT_MODULE_SIMGRID);
    return 0;
}

/* ---- main ------------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    if (argc < 2) {
        list_commands(stderr);
        return DT_EXIT_ERROR;
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0)
        return print_version();
    const Command *command = find_command(word);
    return command ? run_command(command, argc - 1, argv + 1) : unknown_command(word);
}

/* Output that did not arrive is an error, unless nobody wanted to read on. */
static int close_stdout(int status)
{
    gboolean failed = ferror(stdout) != 0;
    errno = 0;
    if (fclose(stdout) != 0)
        failed = TRUE;
    dt_cli_pager_wait();
    if (!failed)
        return status;
    if (errno != EPIPE)
        dt_cli_warn("standard output: not all could be written: %s", errno != 0 ? g_strerror(errno) : "write error");
    return DT_EXIT_ERROR;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* names in any encoding; numbers always with a point */
    return close_stdout(dt_limits_call(run, argc, argv));
}
