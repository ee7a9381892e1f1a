/* difftrace: finds the subcommand and, at the end, checks that all output went out. */
#include "cli/cli.h"
#include "cli/commands.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
    gboolean paged; /* its output is for reading */
} Command;

static const Command commands[] = {
#ifdef DT_HAVE_COLLECT
    {"collect", dt_cmd_collect, "run a command and trace it", FALSE},
#endif
    {"import", dt_cmd_import, "make a run of another tool's traces", FALSE},
    {"info", dt_cmd_info, "what a run holds", TRUE},
    {"dump", dt_cmd_dump, "the call traces of a run", TRUE},
    {"stats", dt_cmd_stats, "call frequencies, caller-callee edges, the call graph", TRUE},
    {"stack", dt_cmd_stack, "the call stack at an event or at the end; of all traces as a tree", TRUE},
    {"waits", dt_cmd_waits, "who waits for whom at the end, and who is to blame", TRUE},
    {"nlr", dt_cmd_nlr, "the nested loop representation of traces", TRUE},
    {"lattice", dt_cmd_lattice, "the concept lattice of a run", TRUE},
    {"compare", dt_cmd_compare, "compare a faulty run with a normal one: verdict, ranking, pictures", FALSE},
    {"rank", dt_cmd_rank, "suspects and ranking table of a comparison", TRUE},
    {"report", dt_cmd_report, "the page of a comparison: everything in one HTML file", FALSE},
    {"diffnlr", dt_cmd_diffnlr, "the difference of one trace between the two runs", TRUE},
    {"jsm", dt_cmd_jsm, "the similarity matrices of a comparison", TRUE},
    {"dendrogram", dt_cmd_dendrogram, "the clusterings of a comparison", TRUE},
    {"export", dt_cmd_export, "a run in the format of another tool", FALSE},
};

static const Command *find_command(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[G_N_ELEMENTS(commands) + 1] = {NULL};
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = commands[i].name;
    const char *nearest = dt_cli_nearest(name, names);
    if (nearest != NULL)
        dt_cli_warn("%s: no such command; did you mean '%s'?\n'difftrace help' lists the commands", name, nearest);
    else
        dt_cli_warn("%s: no such command\n'difftrace help' lists the commands", name);
    return DT_EXIT_ERROR;
}

static void list_commands(FILE *stream)
{
    fputs("Usage: difftrace COMMAND [OPTIONS] [ARGUMENTS]\n\n"
          "Finds the cause of bugs in parallel programs by comparing traced runs.\n\nCommands:\n",
          stream);
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
        fprintf(stream, "  %-11s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'difftrace help COMMAND' says everything about a command; 'difftrace --version' the version.\n", stream);
}

static int run_command(const Command *command, int argc, char **argv)
{
    g_autofree char *program = g_strdup_printf("difftrace %s", command->name); /* for usage texts */
    g_set_prgname(program);
    if (command->paged)
        dt_cli_pager_start();
    return command->run(argc, argv);
}

static int help(int argc, char **argv)
{
    if (argc < 2) {
        list_commands(stdout);
        return 0;
    }
    const Command *command = find_command(argv[1]);
    if (command == NULL)
        return unknown_command(argv[1]);
    char *help_argv[] = {argv[1], (char *)"--help", NULL};
    return run_command(command, 2, help_argv);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        list_commands(stderr);
        return DT_EXIT_ERROR;
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        printf("difftrace %s\nengines: native; pin, with a kit of Intel's Pin 3\n", DT_VERSION);
        return 0;
    }
    const Command *command = find_command(word);
    return command != NULL ? run_command(command, argc - 1, argv + 1) : unknown_command(word);
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
    return close_stdout(run(argc, argv));
}
