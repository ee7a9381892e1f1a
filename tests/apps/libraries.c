/* Calls into libc and libm to be counted: sorting, formatting, parsing, memory, strings, elementary functions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 300 };

int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

double compute(int i)
{
    return sin(i) + pow(i, 0.3) + exp(-i) + log(i + 1) + fmod(i, 3) + atan2(i, 2) + cbrt(i) + sinf((float)i) +
           hypot(i, 2);
}

double use_strings(int number, int i)
{
    char text[100], *block = malloc(200);
    snprintf(text, sizeof text, "%d %.3f", number, i / 7.0);
    strcpy(block, "x");
    strcat(block, text + strlen(text) - 1);
    double value = strtod(text, NULL) + (double)strlen(block);
    free(block);
    return value;
}

int main(void)
{
    int numbers[COUNT];
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = i * 7919 % 997;
    qsort(numbers, COUNT, sizeof *numbers, compare);
    for (int i = 0; i < COUNT; i++)
        sum += compute(i) + use_strings(numbers[i], i) + (getenv("ABSENT") != NULL);
    printf("%.6f %ld\n", sum, strtol("99", NULL, 10));
    return 0;
}
