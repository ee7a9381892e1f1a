/* After a library that jumps was loaded, threads take one lock again and again, then some others once. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 60, LOCKS = 16, ROUNDS = 20 };
static pthread_mutex_t locks[THREADS][LOCKS];

static void *take(void *argument)
{
    pthread_mutex_t *own = argument;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&own[0]);
        pthread_mutex_unlock(&own[0]);
    }
    for (int i = 1; i < LOCKS; i++)
        pthread_mutex_lock(&own[i]);
    return pthread_mutex_trylock(&own[1]) == 0 ? NULL : argument;
}

int main(int argc, char **argv)
{
    (void)argc;
    char path[4096];
    snprintf(path, sizeof path, "%s.so", argv[0]);
    void *library = dlopen(path, RTLD_LAZY);
    int (*jump)(int) = library ? (int (*)(int))dlsym(library, "late_jump") : NULL;
    printf("%d\n", jump ? jump(5) : -1);
    int busy = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        void *result = NULL;
        for (int j = 0; j < LOCKS; j++)
            pthread_mutex_init(&locks[i][j], NULL);
        pthread_create(&thread, NULL, take, locks[i]);
        pthread_join(thread, &result);
        busy += result != NULL;
    }
    printf("%d\n", busy);
    return 0;
}
