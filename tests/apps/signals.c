/* Handlers that interrupt traced calls at any instruction, on the normal and on an alternate stack. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms, faults;

int inner(int value)
{
    return value * 3 + 1;
}

int middle(int value)
{
    return inner(value) + inner(value + 1);
}

void on_alarm(int number)
{
    (void)number;
    alarms = alarms + (middle(1) == 11);
}

void on_fault(int number)
{
    (void)number;
    middle(2);
    faults = faults + 1;
    write(1, "fault seen\n", 11);
    signal(SIGSEGV, SIG_DFL);
}

int main(int argc, char **argv)
{
    (void)argv;
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &timer, NULL);
    long sum = 0;
    while (alarms < 500)
        sum += middle((int)alarms) > 0;
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("alarms seen: %s\n", sum > 0 ? "yes" : "no");
    fflush(stdout);
    if (argc > 1)
        raise(SIGSEGV), raise(SIGSEGV); /* the second one ends us */
    return 0;
}
