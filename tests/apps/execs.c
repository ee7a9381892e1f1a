/* execs HOW PROGRAM ARGUMENTS...: tries programs that are not there, tells why, then executes PROGRAM; "none" does not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void fail(void)
{
    char *nothing[] = {"no-such-program", NULL};
    printf("%d", execve("/no-such-program", nothing, environ));
    printf(" %d", errno);
    printf(" %d", execvp("no-such-program", nothing));
    printf(" %d", errno);
    printf(" %d", fexecve(0, nothing, environ));
    printf(" %d\n", errno);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    fail();
    if (argc < 3 || strcmp(how, "none") == 0)
        return 3;
    if (strcmp(how, "execve") == 0)
        execve(argv[2], argv + 2, environ);
    else if (strcmp(how, "execvp") == 0)
        execvp(argv[2], argv + 2);
    else if (strcmp(how, "execveat") == 0)
        execveat(AT_FDCWD, argv[2], argv + 2, environ, 0);
    else if (strcmp(how, "fexecve") == 0)
        fexecve(open(argv[2], O_RDONLY | O_CLOEXEC), argv + 2, environ);
    return 4;
}
