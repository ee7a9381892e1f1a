/* OpenMP loops whose iterations are shared out, not quite evenly; on request, one thread of the team goes wrong in the
 * third. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 98, STEPS = 8, FAULTY_STEP = 3 };

static double cells[CELLS];
static const char *fault = "none";
static int faulty_thread = -1;

static int is_time(int step, const char *kind)
{
    return step == FAULTY_STEP && omp_get_thread_num() == faulty_thread && strcmp(fault, kind) == 0;
}

double relax(int cell)
{
    return 0.5 * cells[cell] + 1.0 / (1 + cell);
}

void note(double *sum, double part)
{
#pragma omp critical
    *sum += part;
}

/* The fault: for ever, or without its part of the sum. */
void lose(int step)
{
    volatile int more = 1;
    while (is_time(step, "endless") && more)
        ;
}

void advance(int step, double *sum)
{
#pragma omp parallel
    {
        double part = 0;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < CELLS; i++)
            part += cells[i] = relax(i);
        lose(step);
        if (!is_time(step, "skip"))
            note(sum, part);
#pragma omp barrier
    }
}

int main(int argc, char **argv)
{
    double sum = 0;
    if (argc > 2) {
        fault = argv[1];
        faulty_thread = atoi(argv[2]);
    }
    for (int step = 0; step < STEPS; step++)
        advance(step, &sum);
    printf("%g\n", sum);
    return 0;
}
