/* Built with a sanitizer: threads, a child, a signal, a library opened, and on request a bug that the sanitizer finds.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum, unprotected;
static volatile sig_atomic_t signals;

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void *add(void *argument)
{
    for (int i = 0; i < 20; i++) {
        char *text = malloc(32);
        snprintf(text, 32, "%d", fibonacci(i % 10 + (argument != NULL)));
        pthread_mutex_lock(&mutex);
        sum += atoi(text);
        pthread_mutex_unlock(&mutex);
        free(text);
    }
    return NULL;
}

static void *race(void *unused)
{
    for (int i = 0; i < 1000; i++)
        unprotected++;
    return unused;
}

static void in_threads(void *(*run)(void *))
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void count_signal(int number)
{
    signals = signals + (number == SIGUSR1);
}

static void overflow(int at)
{
    char *volatile array = malloc(10);
    array[at] = 1;
    printf("%d\n", array[at]);
    free(array);
}

static void leak(void)
{
    char *volatile lost;
    for (int i = 0; i < 100; i++)
        lost = malloc(1000);
    lost = NULL;
    (void)lost;
}

static int shift(int bits)
{
    return 1 << bits;
}

int main(int argc, char **argv)
{
    const char *bug = argc > 1 ? argv[1] : "";
    signal(SIGUSR1, count_signal);
    in_threads(add);
    raise(SIGUSR1);
    printf("sum %ld, %d signals\n", sum, (int)signals);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(fibonacci(7));
    int status;
    waitpid(child, &status, 0);
    void *library = dlopen("libm.so.6", RTLD_NOW);
    printf("child %d, library %d\n", WEXITSTATUS(status), library != NULL && dlclose(library) == 0);
    fflush(stdout);
    if (strcmp(bug, "overflow") == 0)
        overflow((int)strlen(bug) + 2);
    else if (strcmp(bug, "leak") == 0)
        leak();
    else if (strcmp(bug, "race") == 0)
        in_threads(race);
    else if (strcmp(bug, "shift") == 0)
        printf("%d\n", shift((int)strlen(bug) + 40) != 0);
    return 7;
}
