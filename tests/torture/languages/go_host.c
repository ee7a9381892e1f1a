/* Calls a Go library: `go_host LIBRARY` opens it, `go_host` is linked with it (-DLINKED). With one argument more its
 * fault is not caught. */
#include <dlfcn.h>
#include <stdio.h>

static __attribute__((noinline)) int prepare(int n)
{
    volatile int seen = n;
    return seen <= 0 ? 100 : prepare(seen - 1);
}

#ifdef LINKED
extern int Compute(int n);
extern void Crash(void);
#endif

int main(int argc, char **argv)
{
#ifdef LINKED
    int (*compute)(int) = Compute;
    void (*crash)(void) = Crash;
    (void)argv;
#else
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
        return 9;
    int (*compute)(int) = (int (*)(int))dlsym(library, "Compute");
    void (*crash)(void) = (void (*)(void))dlsym(library, "Crash");
#endif
    printf("%d\n", compute(prepare(10)));
    fflush(stdout);
    if (argc > 2)
        crash();
    return 4;
}
