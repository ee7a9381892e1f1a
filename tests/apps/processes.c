/* vfork, clone with and without shared memory on a stack of its own, exec that fails, popen, exec from a thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self;
static volatile int shared;

int triangle(int n)
{
    return n == 0 ? 0 : n + triangle(n - 1);
}

int wait_for(pid_t child)
{
    int status;
    if (waitpid(child, &status, __WALL) != child)
        return -1000;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int exec_that_fails(void)
{
    char *const arguments[] = {(char *)"absent", NULL};
    execv("/nonexistent/absent", arguments);
    return errno == ENOENT ? triangle(4) : -1;
}

int vfork_and_compute(void)
{
    pid_t child = vfork();
    if (child == 0) {
        shared = triangle(9);
        _exit(exec_that_fails());
    }
    return wait_for(child) + shared;
}

int vfork_and_exec(void)
{
    char *const arguments[] = {self, (char *)"child", NULL};
    pid_t child = vfork();
    if (child == 0) {
        execv(self, arguments);
        _exit(99);
    }
    return wait_for(child);
}

int run_clone(void *argument)
{
    shared = triangle(*(int *)argument);
    return triangle(5);
}

int clone_with(int flags)
{
    enum { BYTES = 256 << 10 };
    char *stack = malloc(BYTES);
    int number = 12;
    shared = 0;
    pid_t child = clone(run_clone, stack + BYTES, flags | SIGCHLD, &number);
    int status = wait_for(child);
    free(stack);
    return status * 1000 + shared;
}

int spawn_that_fails(void)
{
    extern char **environ;
    pid_t child;
    char *const arguments[] = {(char *)"absent", NULL};
    return posix_spawn(&child, "/nonexistent/absent", NULL, NULL, arguments, environ);
}

int read_from_command(void)
{
    char line[100] = "";
    FILE *pipe = popen("echo one; echo two", "r");
    while (fgets(line, sizeof line, pipe))
        printf("read %s", line);
    return pclose(pipe);
}

void *exec_in_thread(void *unused)
{
    char *const arguments[] = {self, (char *)"child", (char *)"from a thread", NULL};
    execv(self, arguments);
    return unused;
}

int fork_and_exec_in_thread(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, exec_in_thread, NULL);
        pthread_join(thread, NULL);
        _exit(99);
    }
    return wait_for(child);
}

int fork_bomb_of(int generations)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(generations ? fork_bomb_of(generations - 1) + 1 : triangle(3));
    return wait_for(child);
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1 && strcmp(argv[1], "child") == 0) {
        printf("child %s %d\n", argc > 2 ? argv[2] : "", triangle(10));
        return 5;
    }
    fflush(stdout);
    for (int round = 0; round < 3; round++) {
        printf("vfork %d\n", vfork_and_compute());
        fflush(stdout);
        printf("vfork, exec %d\n", vfork_and_exec());
        printf("clone %d\n", clone_with(0));
        printf("clone, shared memory %d\n", clone_with(CLONE_VM));
        printf("clone like vfork %d\n", clone_with(CLONE_VM | CLONE_VFORK));
        printf("exec that fails %d, spawn that fails %d\n", exec_that_fails(), spawn_that_fails());
        printf("popen %d\n", read_from_command());
        printf("exec in a thread %d\n", fork_and_exec_in_thread());
        printf("generations %d\n", fork_bomb_of(5));
    }
    return 0;
}
