#include "torture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *torture_self;

static volatile long sink;

static void within(long value)
{
    sink += value;
}

void beat(void)
{
    within(1);
    within(2);
}

void beats(int count)
{
    for (int i = 0; i < count; i++)
        beat();
}

static long first(long value)
{
    volatile long seen = value;
    return seen + 1;
}

static long second(long value)
{
    volatile long seen = value;
    return seen + 2;
}

static long third(long value)
{
    volatile long seen = value;
    return seen + 3;
}

/* Two random bits a level. */
static long recurse(long depth, unsigned long random)
{
    if (depth <= 0)
        return 0;
    long value = (random & 3) == 0 ? first(depth) : (random & 3) == 1 ? second(depth) : third(depth);
    return value + recurse(depth - 1, random >> 2);
}

void toil(void)
{
    unsigned long random = 88172645463325252ul;
    for (int i = 0; i < 25000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        sink += recurse((long)(random % 10), random >> 8);
    }
}

void say(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (write(1, text, (size_t)length) < 0)
        _exit(99);
}

void see(const char *what, long value)
{
    if (value < 0)
        say("%s: %s\n", what, strerrorname_np(errno));
    else
        say("%s: %ld\n", what, value);
}

void see_end(const char *what, int pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) {
            see(what, -1);
            return;
        }
    if (WIFSIGNALED(status))
        say("%s ended by signal %d\n", what, WTERMSIG(status));
    else
        say("%s ended with %d\n", what, WEXITSTATUS(status));
}

void in_child(const char *what, void (*function)(void))
{
    int pid = fork();
    if (pid < 0) {
        see(what, pid);
        return;
    }
    if (pid == 0) {
        function();
        _exit(0);
    }
    see_end(what, pid);
}

void become(const char *program)
{
    execl(torture_self, torture_self, program, (char *)NULL);
    see("execl", -1);
    _exit(98);
}

int torture_main(int argc, char **argv, const struct program *programs)
{
    torture_self = argv[0];
    if (argc == 1)
        for (; programs->name; programs++)
            puts(programs->name);
    for (; argc > 1 && programs->name; programs++)
        if (strcmp(programs->name, argv[1]) == 0) {
            beats(100);
            programs->run();
            beats(100);
            return 0;
        }
    return argc == 1 ? 0 : 97;
}
