/* memcpy and friends for the whole library: libc's use vector registers, which the stubs do not save, and may be
 * traced. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return result;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    uint8_t *target = to;
    const uint8_t *source = from;
    if (target <= source || target >= source + bytes)
        return memcpy(to, from, bytes);
    while (bytes--)
        target[bytes] = source[bytes];
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    void *result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
    return result;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *x = a, *y = b;
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
