/* Has a malloc and a free of its own, and the free does not work before main, as in GNU Common Lisp. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(16) unsigned char memory[1 << 20];
static size_t used;
static int started;

void *malloc(size_t bytes)
{
    if (bytes > sizeof memory - used - 32)
        return NULL;
    unsigned char *block = memory + used + 16;
    memcpy(block - 16, &bytes, sizeof bytes);
    used += (bytes + 31) & ~(size_t)15;
    return block;
}

void free(void *block)
{
    if (block && !started)
        abort();
}

void *calloc(size_t count, size_t bytes)
{
    return malloc(count * bytes); /* never used twice, so zero */
}

void *realloc(void *block, size_t bytes)
{
    size_t before = 0;
    void *grown = malloc(bytes);
    if (block && grown) {
        memcpy(&before, (unsigned char *)block - 16, sizeof before);
        memcpy(grown, block, before < bytes ? before : bytes);
    }
    free(block);
    return grown;
}

int main(void)
{
    started = 1;
    puts("started");
    return 3;
}
