/* Arguments and results of every kind that the calling convention knows, tail calls a million deep, in turns. */
#include <complex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __OPTIMIZE__
enum { DEPTH = 1000000 };
#else
enum { DEPTH = 20000 }; /* not tail calls */
#endif

typedef struct {
    long values[20];
} Large;
typedef struct {
    double x, y;
} Pair;
typedef struct {
    long number;
    double weight;
} Mixed;
typedef float Vector __attribute__((vector_size(16)));

long odd_tail(long count, long sum);

long even_tail(long count, long sum)
{
    return count ? odd_tail(count - 1, sum + count) : sum;
}

long odd_tail(long count, long sum)
{
    return count ? even_tail(count - 1, sum - 1) : -sum;
}

long pass_large(Large large, double a, double b, double c, double d, double e, double f, double g, double h, double i)
{
    return large.values[0] + large.values[19] + (long)(a + b + c + d + e + f + g + h * 10 + i * 100);
}

Large make_large(int first)
{
    Large large;
    for (int i = 0; i < 20; i++)
        large.values[i] = first + i;
    return large;
}

Pair make_pair(double x)
{
    return (Pair){x, -x};
}

Mixed make_mixed(long number)
{
    return (Mixed){number, (double)number / 4};
}

long double add_long(long double a, long double b)
{
    return a + b;
}

__int128 multiply(__int128 a, __int128 b)
{
    return a * b;
}

double complex turn(double complex value)
{
    return value * I;
}

Vector scale(Vector vector, float factor)
{
    return vector * factor;
}

double sum_of(const char *kinds, ...)
{
    double sum = 0;
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        sum += *kinds == 'd' ? va_arg(list, double) : (double)va_arg(list, int);
    va_end(list);
    return sum;
}

int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
    return a - b + c - d + e - f + g - h + i - j;
}

/* Stays aligned whatever is put in front of it. */
int is_aligned(void)
{
    Vector here = {0, 0, 0, 0};
    return ((unsigned long)__builtin_frame_address(0) & 15) == 0 && here[0] == 0;
}

int main(void)
{
    for (int i = 0; i < 50; i++) {
        Vector vector = scale((Vector){1, 2, 3, 4}, (float)i);
        Pair pair = make_pair(i);
        Mixed mixed = make_mixed(i);
        double complex turned = turn(i + 2 * I);
        printf("%ld %ld\n", even_tail(1000 + i, 0), odd_tail(1001, i));
        printf("%ld %g %g %ld %g\n", pass_large(make_large(i), 1, 2, 3, 4, 5, 6, 7, 8, 9), pair.x, pair.y, mixed.number,
               mixed.weight);
        printf("%Lg %ld %g %g %g\n", add_long(i, 0.5L), (long)multiply(i, -7), creal(turned), cimag(turned),
               (double)vector[3]);
        printf("%g %d %d\n", sum_of("didi", 1.5, 2, 3.25, i), many(1, 2, 3, 4, 5, 6, 7, 8, 9, i), is_aligned());
    }
    printf("%ld\n", even_tail(DEPTH, 0));
    return 0;
}
