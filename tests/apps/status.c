/* Copies its input to its output, writes its arguments to stderr, and ends as its first argument says. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void copy_input(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL)
        fputs(line, stdout);
    fflush(stdout);
}

void end_as(const char *how)
{
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(how, "stubborn") == 0) {
        signal(SIGTERM, SIG_IGN);
        for (;;)
            pause();
    }
    exit(atoi(how));
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        fprintf(stderr, "%s\n", argv[i]);
    if (argc > 1 && strcmp(argv[1], "hang") != 0 && strcmp(argv[1], "stubborn") != 0)
        copy_input();
    end_as(argc > 1 ? argv[1] : "0");
    return 0;
}
