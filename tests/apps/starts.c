/* starts HOW CHANGE PROGRAM ARGUMENTS...: changes what keeps the tracer out of PROGRAM, starts it and tells how it
 * ended. As "starts itself" it is the program: it says so and ends with status 3. */
#include <errno.h>
#include <grp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* "none", "clear", "preload", "user:1000", "raw-user:1000", "root:FOLDER", "files:BYTES" */
int change(char *what)
{
    char *value = strchr(what, ':');
    if (value)
        *value++ = 0;
    if (is(what, "clear"))
        return clearenv();
    if (is(what, "preload"))
        return setenv("LD_PRELOAD", "", 1);
    if (is(what, "user"))
        return setuid((uid_t)atoi(value));
    if (is(what, "raw-user"))
        return (int)syscall(SYS_setresuid, atoi(value), atoi(value), atoi(value));
    if (is(what, "root"))
        return chroot(value) != 0 || chdir("/") != 0;
    if (is(what, "files")) {
        struct rlimit limit = {(rlim_t)atol(value), (rlim_t)atol(value)};
        return setrlimit(RLIMIT_FSIZE, &limit);
    }
    return !is(what, "none");
}

int wait_for(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int start_by_fork(char **program)
{
    pid_t child = fork();
    if (child == 0) {
        execv(program[0], program);
        _exit(127);
    }
    return wait_for(child);
}

int start_by_vfork(char **program)
{
    pid_t child = vfork();
    if (child == 0) {
        execve("/nonexistent/program", program, environ);
        execve(program[0], program, environ);
        _exit(127);
    }
    return wait_for(child);
}

int start_by_spawn(char **program)
{
    pid_t child;
    return posix_spawn(&child, program[0], NULL, NULL, program, environ) == 0 ? wait_for(child) : -1;
}

/* An orphan; the pipe's end is its own. */
int start_daemon(char **program)
{
    int ends[2];
    char letter;
    if (pipe(ends) != 0)
        return -1;
    if (fork() == 0) {
        if (setsid() >= 0 && fork() == 0) {
            execv(program[0], program);
            _exit(127);
        }
        _exit(0);
    }
    close(ends[1]);
    wait_for(-1);
    return (int)read(ends[0], &letter, 1);
}

int work(int n)
{
    return n == 0 ? 0 : 1 + work(n - 1);
}

/* A child that executes nothing. */
int start_nothing(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(work(5));
    return wait_for(child);
}

/* The same by the bare system call. */
int start_nothing_bare(void)
{
    pid_t child = (pid_t)syscall(SYS_fork);
    if (child == 0)
        _exit(work(5));
    return wait_for(child);
}

/* And without the C library. */
int start_nothing_unseen(void)
{
    long child;
    __asm__ volatile("syscall" : "=a"(child) : "a"((long)SYS_fork) : "rcx", "r11", "memory");
    if (child == 0)
        _exit(work(5));
    return wait_for((pid_t)child);
}

int start(const char *how, char **program)
{
    if (is(how, "exec"))
        return execv(program[0], program);
    if (is(how, "fork"))
        return start_by_fork(program);
    if (is(how, "vfork"))
        return start_by_vfork(program);
    if (is(how, "spawn"))
        return start_by_spawn(program);
    if (is(how, "system"))
        return WEXITSTATUS(system(program[0]));
    if (is(how, "daemon"))
        return start_daemon(program);
    if (is(how, "nothing-bare"))
        return start_nothing_bare();
    if (is(how, "nothing-unseen"))
        return start_nothing_unseen();
    return is(how, "nothing") ? start_nothing() : -1;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        printf("it is user %d that says %d\n", (int)geteuid(), work(7));
        return 3;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    if (change(argv[2]) != 0) {
        printf("cannot change %s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    printf("it ended with %d\n", start(argv[1], argv + 3));
    return 0;
}
