/* Children: fork that computes, fork and exec of itself, vfork by posix_spawn, system. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int triangle(int n)
{
    return n == 0 ? 0 : n + triangle(n - 1);
}

int wait_for(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int fork_and_compute(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(triangle(20) == 210 ? 3 : 4);
    return wait_for(child);
}

int fork_and_exec(const char *self)
{
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, "child", (char *)NULL);
        _exit(127);
    }
    return wait_for(child);
}

int spawn_child(const char *self)
{
    pid_t child;
    char *arguments[] = {(char *)self, "child", NULL};
    if (posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0)
        return -1;
    return wait_for(child);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return triangle(10) == 55 ? 5 : 6;
    int computed = fork_and_compute(), executed = fork_and_exec(argv[0]), spawned = spawn_child(argv[0]);
    int system_status = system("exit 7");
    printf("%d %d %d %d\n", computed, executed, spawned, WEXITSTATUS(system_status));
    return 0;
}
