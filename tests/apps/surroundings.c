/* Makes calls, changes its surroundings, and makes many more:
 *     user: it becomes another user            root: it has another root directory
 *     moved FROM TO: a folder moves            deleted FOLDER: a folder is removed
 * Prints how often it has called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS_BEFORE = 1000, CALLS_BEHIND = 2000000 };

static unsigned long noise = 88172645463325252ul;
static long called;

static long count(long weight)
{
    called++;
    return weight + called % 7;
}

static long seldom(long weight)
{
    return weight - called % 5;
}

/* Not foreseeable, so that the trace grows. */
static long call_at_random(void)
{
    noise ^= noise << 13;
    noise ^= noise >> 7;
    noise ^= noise << 17;
    return noise % 3 ? count(1) : seldom(count(2));
}

static long work(long calls)
{
    long sum = 0;
    for (long i = 0; i < calls; i++)
        sum += call_at_random();
    return sum;
}

static int change(int count, char **words)
{
    if (strcmp(words[1], "user") == 0)
        return setuid(65534);
    if (strcmp(words[1], "root") == 0)
        return chroot("/proc") || chdir("/");
    if (strcmp(words[1], "moved") == 0 && count == 4)
        return rename(words[2], words[3]);
    char command[4096];
    snprintf(command, sizeof command, "rm -r '%s'", words[2]);
    return system(command);
}

int main(int count, char **words)
{
    long sum = work(CALLS_BEFORE);
    if (count < 2 || change(count, words) != 0)
        return 1;
    sum += work(CALLS_BEHIND);
    printf("%ld %ld\n", called, sum);
    return 0;
}
