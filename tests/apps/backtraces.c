/* backtrace() tells the program's own frames: from deep calls, from a callback of qsort, from a signal's handler; and
 * from a timer's handler, whatever instruction it interrupts, it always reaches main. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { MOST = 64, ALARMS = 1500 };

static volatile sig_atomic_t alarms, incomplete;
static volatile int work;
static int told;

int main(void);

static const char *name_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) && info.dli_sname ? info.dli_sname : "?";
}

__attribute__((noinline)) void tell(const char *when)
{
    void *frames[MOST];
    int count = backtrace(frames, MOST);
    printf("%s:", when);
    for (int i = 1; i < count; i++)
        printf(" %s", name_of((char *)frames[i] - 1));
    printf("\n");
}

void descend(int depth)
{
    if (depth)
        descend(depth - 1);
    else
        tell("deep");
    work++;
}

int compare(const void *a, const void *b)
{
    if (told++ == 3)
        tell("callback");
    return *(const int *)a - *(const int *)b;
}

void on_usr1(int number)
{
    (void)number;
    tell("handler");
}

void leaf(void)
{
    work++;
}

/* Known calls of an API have stubs of their own. */
void lock(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

void churn(int depth)
{
    if (depth)
        churn(depth - 1);
    else
        lock();
    leaf();
}

static int reaches_main(void *const *frames, int count)
{
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr((char *)frames[i] - 1, &info) && info.dli_saddr == (void *)main)
            return 1;
    }
    return 0;
}

void on_alarm(int number)
{
    void *frames[MOST];
    (void)number;
    if (!reaches_main(frames, backtrace(frames, MOST)))
        incomplete++;
    alarms++;
}

int main(void)
{
    int numbers[] = {5, 3, 8, 1, 9, 2};
    void *frames[4];
    backtrace(frames, 4); /* loads the unwinder */
    descend(4);
    qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare);
    signal(SIGUSR1, on_usr1);
    raise(SIGUSR1);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval interval = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &interval, NULL);
    while (alarms < ALARMS)
        churn(8);
    setitimer(ITIMER_REAL, &none, NULL);
    printf("%d backtraces without main\n", (int)incomplete);
    return 0;
}
