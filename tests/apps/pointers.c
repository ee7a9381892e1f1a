/* Indirect calls: callbacks from libc, tables of function pointers, functions with static namesakes elsewhere. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 500 };

int compare(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

int twice(int value)
{
    return 2 * value;
}

int halve(int value)
{
    return value / 2;
}

int apply(int (*step)(int), int value)
{
    return step(value) + 1;
}

static int nodes;

void visit(const void *node, VISIT which, int depth)
{
    (void)depth;
    if (which == postorder || which == leaf)
        nodes += **(const int *const *)node;
}

void say_goodbye(void)
{
    puts("goodbye");
}

__attribute__((constructor)) static void begin(void)
{
    nodes = 1;
}

int main(void)
{
    static int numbers[COUNT];
    int (*const steps[])(int) = {twice, halve};
    atexit(say_goodbye);
    unsigned state = 1;
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = (int)(state >> 20);
    }
    qsort(numbers, COUNT, sizeof numbers[0], compare);
    int total = 0;
    void *tree = NULL;
    for (int i = 0; i < COUNT; i++) {
        total += apply(steps[numbers[i] % 2], i);
        tsearch(&numbers[i], &tree, compare);
    }
    twalk(tree, visit);
    const int *found = bsearch(&numbers[77], numbers, COUNT, sizeof numbers[0], compare);
    printf("%d %d %d\n", total, nodes, found != NULL ? *found : -1);
    return 0;
}
