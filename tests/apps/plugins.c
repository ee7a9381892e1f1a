/* Opens a library of its own, calls it, closes it, and opens it again. */
#include <dlfcn.h>
#include <stdio.h>

static int call(const char *path, int rounds)
{
    int value = 1;
    void *library = dlopen(path, RTLD_LAZY);
    if (!library)
        return -1;
    int (*step)(int) = (int (*)(int))dlsym(library, "plugin_step");
    for (int i = 0; i < rounds; i++)
        value = step(value) % 1000;
    dlclose(library);
    return value;
}

int main(int argc, char **argv)
{
    (void)argc;
    char path[4096];
    snprintf(path, sizeof path, "%s.so", argv[0]);
    for (int times = 0; times < 3; times++)
        printf("%d\n", call(path, 100));
    return 0;
}
