/* For another C library than GNU's: calls, a child, signals, a handler, and a program that it starts. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void on_signal(int number)
{
    seen = number;
}

static __attribute__((noinline)) long sum_up(long n)
{
    volatile long value = n;
    return value <= 0 ? 0 : value + sum_up(value - 1);
}

int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    int failed = sigaction(SIGUSR1, &action, NULL), status = 0;
    raise(SIGUSR1);
    printf("%ld %d %d\n", sum_up(100), failed, (int)seen);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit((int)sum_up(10));
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    fflush(stdout);
    status = system("echo shell; exit 7");
    printf("shell %d\n", WEXITSTATUS(status));
    return 3;
}
