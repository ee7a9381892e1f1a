/*
 * Heat in a plate that loses some of it to the air: Helmholtz' equation on a grid whose rows are dealt out to the
 * ranks, by over-relaxation of red and black points, or of whole lines. Rank 0 reads the input, tells it to all and
 * logs how the residual falls.
 *
 *     solver FAULT -- [--input FILE] [--label NAME] [--verbose] [--precision DIGITS]
 *
 * SOLVER_LOG=WORDS chooses what else is logged. At the end rank 0 gathers the grid and looks whether it fulfils the
 * equation as well as the input wants.
 */
#include "fault.h"
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS(X)                                                                                                      \
    X(short_loop)                                                                                                      \
    X(by_lines)                                                                                                        \
    X(tight_tolerance)                                                                                                 \
    X(loose_tolerance)                                                                                                 \
    X(long_message)                                                                                                    \
    X(extra_barrier)                                                                                                   \
    X(check_each)                                                                                                      \
    X(wrong_op)                                                                                                        \
    X(blocking)                                                                                                        \
    X(skip_colour)                                                                                                     \
    X(skip_exchange)                                                                                                   \
    X(wrong_tag)                                                                                                       \
    X(wrong_peer) X(corrupt) X(crash) X(stuck) X(abort) X(kill) X(early_exit) X(misread) X(quiet) X(skip_check)
FAULT_TABLE(FAULTS)

enum { OMEGA, TOLERANCE, LOAD, LOSS, ROWS, COLUMNS, LIMIT, CHECK, KEYS };
enum { RED, BLACK, TAG_UP = 1, TAG_DOWN, LINE_LENGTH = 128, DEFAULT_PRECISION = 3 };
static const char *const keys[KEYS] = {"omega", "tolerance", "load", "loss", "rows", "columns", "limit", "check"};

typedef struct {
    const char *input, *label;
    int verbose, precision, log_maximum, log_time;
} Options;

typedef struct {
    Fault fault;
    Options options;
    double value[KEYS];
    int ranks, up, down, rows, columns, iteration;
    double *grid; /* rows + 2 of columns + 2 */
    double residual;
    char title[LINE_LENGTH];
} Solver;

/* ---- options and input ---- */

static void read_options(Options *options, int count, char **words)
{
    static const struct option known[] = {{"input", required_argument, NULL, 'i'},
                                          {"label", required_argument, NULL, 'l'},
                                          {"precision", required_argument, NULL, 'p'},
                                          {"verbose", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    options->precision = DEFAULT_PRECISION;
    optind = 1;
    for (int option; (option = getopt_long(count, words, "", known, NULL)) != -1;) {
        if (option == 'i')
            options->input = optarg;
        else if (option == 'l')
            options->label = optarg;
        else if (option == 'p')
            options->precision = (int)strtol(optarg, NULL, 10);
        else if (option == 'v')
            options->verbose = 1;
    }
}

static void read_environment(Options *options)
{
    const char *words = getenv("SOLVER_LOG");
    if (words == NULL)
        return;
    char *copy = strdup(words), *state = NULL;
    for (char *word = strtok_r(copy, ",", &state); word != NULL; word = strtok_r(NULL, ",", &state)) {
        options->log_maximum |= strcmp(word, "maximum") == 0;
        options->log_time |= strcmp(word, "time") == 0;
    }
    free(copy);
}

static void make_title(Solver *solver)
{
    const Options *options = &solver->options;
    snprintf(solver->title, sizeof(solver->title), "rank %d", solver->fault.own);
    if (options->label != NULL) {
        size_t length = strlen(solver->title);
        snprintf(solver->title + length, sizeof(solver->title) - length, " of %s", options->label);
        for (char *letter = solver->title + length; *letter != 0; letter++)
            *letter = (char)toupper((unsigned char)*letter);
    }
    if (options->verbose)
        fprintf(stderr, "%s: starts\n", solver->title);
}

static void set_value(Solver *solver, const char *line)
{
    char key[32], text[32];
    if (sscanf(line, "%31s %31s", key, text) != 2 || *key == '#')
        return;
    for (int i = 0; i < KEYS; i++)
        if (strcmp(key, keys[i]) == 0)
            solver->value[i] = strtod(text, NULL);
}

static void read_input(Solver *solver)
{
    char line[LINE_LENGTH];
    FILE *file = fopen(solver->options.input, "r");
    if (file == NULL) {
        perror(solver->options.input);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    for (int number = 1; fgets(line, sizeof(line), file) != NULL; number++)
        if (!fault_hits(&solver->fault, FAULT_misread, number))
            set_value(solver, line); /* FAULT(misread) */
    fclose(file);
}

static void get_parameters(Solver *solver)
{
    static const double usual[KEYS] = {1, 1e-5, 1, 0.4, 6, 16, 200, 2};
    memcpy(solver->value, usual, sizeof(usual));
    if (solver->fault.own == 0 && solver->options.input != NULL)
        read_input(solver);
    MPI_Bcast(solver->value, KEYS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    solver->rows = (int)solver->value[ROWS];
    solver->columns = (int)solver->value[COLUMNS];
    solver->up = solver->fault.own == 0 ? MPI_PROC_NULL : solver->fault.own - 1;
    solver->down = solver->fault.own + 1 == solver->ranks ? MPI_PROC_NULL : solver->fault.own + 1;
    solver->grid = calloc((size_t)(solver->rows + 2) * (size_t)(solver->columns + 2), sizeof(double));
}

/* ---- the iteration ---- */

FAULT_INLINE int strikes(const Solver *solver, int id)
{
    return fault_hits(&solver->fault, id, solver->iteration);
}

FAULT_INLINE double *row_of(const Solver *solver, int row)
{
    return solver->grid + (size_t)row * (size_t)(solver->columns + 2);
}

static void relax_row(Solver *solver, int row, int first)
{
    double *own = row_of(solver, row), *above = row_of(solver, row - 1), *below = row_of(solver, row + 1);
    double omega = solver->value[OMEGA], load = solver->value[LOAD], centre = 4 + solver->value[LOSS];
    for (int i = first; i <= solver->columns; i += 2)
        own[i] += omega * ((above[i] + below[i] + own[i - 1] + own[i + 1] + load) / centre - own[i]);
}

/* A whole line by elimination, its neighbours held fast. */
static void relax_line(Solver *solver, int row)
{
    double *own = row_of(solver, row), *above = row_of(solver, row - 1), *below = row_of(solver, row + 1);
    double factor[LINE_LENGTH] = {0}, sum[LINE_LENGTH] = {0};
    for (int i = 1; i <= solver->columns; i++) {
        double pivot = 4 + solver->value[LOSS] - factor[i - 1];
        factor[i] = 1 / pivot;
        sum[i] = (above[i] + below[i] + solver->value[LOAD] + sum[i - 1]) / pivot;
    }
    for (int i = solver->columns; i >= 1; i--)
        own[i] = sum[i] + factor[i] * own[i + 1];
}

static void relax_colour(Solver *solver, int colour)
{
    int before = solver->fault.own * solver->rows, last = solver->rows;
    if (fault_mine(&solver->fault, FAULT_short_loop))
        last--; /* FAULT(short_loop) */
    for (int row = 1; row <= last; row++) {
        int parity = (before + row + colour) % 2;
        if (!fault_mine(&solver->fault, FAULT_by_lines))
            relax_row(solver, row, 1 + parity);
        else if (parity == 0)
            relax_line(solver, row); /* FAULT(by_lines) */
    }
    if (strikes(solver, FAULT_crash))
        fault_crash(); /* FAULT(crash) */
    if (strikes(solver, FAULT_kill))
        fault_kill(); /* FAULT(kill) */
}

static void send_row(Solver *solver, int row, int to, int ghost, int from, int tag)
{
    int count = solver->columns;
    if (fault_mine(&solver->fault, FAULT_long_message))
        count++; /* FAULT(long_message) */
    if (strikes(solver, FAULT_wrong_tag))
        tag += 7; /* FAULT(wrong_tag) */
    if (strikes(solver, FAULT_wrong_peer) && to != MPI_PROC_NULL)
        to = (to + 2) % solver->ranks; /* FAULT(wrong_peer) */
    double *out = row_of(solver, row) + 1, *in = row_of(solver, ghost) + 1;
    if (fault_mine(&solver->fault, FAULT_blocking)) {
        MPI_Send(out, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD); /* FAULT(blocking) */
        MPI_Recv(in, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Sendrecv(out, count, MPI_DOUBLE, to, tag, in, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange_rows(Solver *solver)
{
    send_row(solver, 1, solver->up, solver->rows + 1, solver->down, TAG_UP);
    send_row(solver, solver->rows, solver->down, 0, solver->up, TAG_DOWN);
}

static void spoil_row(Solver *solver)
{
    memset(row_of(solver, solver->rows), 0xff, sizeof(double) * (size_t)(solver->columns + 1));
}

static void iterate(Solver *solver)
{
    if (strikes(solver, FAULT_corrupt))
        spoil_row(solver); /* FAULT(corrupt) */
    for (int colour = RED; colour <= BLACK; colour++) {
        if (!(colour == BLACK && strikes(solver, FAULT_skip_exchange)))
            exchange_rows(solver); /* FAULT(skip_exchange) */
        if (!(colour == BLACK && strikes(solver, FAULT_skip_colour)))
            relax_colour(solver, colour); /* FAULT(skip_colour) */
    }
    if (strikes(solver, FAULT_stuck))
        fault_hang(); /* FAULT(stuck) */
    if (fault_mine(&solver->fault, FAULT_extra_barrier))
        MPI_Barrier(MPI_COMM_WORLD); /* FAULT(extra_barrier) */
}

/* The sum of the squares of what is missing in rows 1 to `rows` of a grid. */
static double sum_residual(const double *grid, int rows, int columns, const double *value)
{
    double sum = 0, load = value[LOAD], centre = 4 + value[LOSS];
    int width = columns + 2;
    for (int row = 1; row <= rows; row++)
        for (int i = row * width + 1; i <= row * width + columns; i++) {
            double missing = load + grid[i - 1] + grid[i + 1] + grid[i - width] + grid[i + width] - centre * grid[i];
            sum += missing * missing;
        }
    return sum;
}

static void measure_residual(Solver *solver)
{
    MPI_Op op = MPI_SUM;
    exchange_rows(solver);
    double own = sum_residual(solver->grid, solver->rows, solver->columns, solver->value), all = 0;
    if (strikes(solver, FAULT_abort))
        MPI_Abort(MPI_COMM_WORLD, 3); /* FAULT(abort) */
    if (fault_mine(&solver->fault, FAULT_wrong_op))
        op = MPI_MAX; /* FAULT(wrong_op) */
    if (!strikes(solver, FAULT_skip_check))
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD); /* FAULT(skip_check) */
    solver->residual = sqrt(all);
    if (isnan(own)) {
        fprintf(stderr, "%s: the residual is not a number\n", solver->title);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

static double largest_of(const Solver *solver)
{
    double largest = 0;
    for (int i = 0; i < (solver->rows + 2) * (solver->columns + 2); i++)
        largest = fmax(largest, solver->grid[i]);
    return largest;
}

static void log_residual(const Solver *solver)
{
    const Options *options = &solver->options;
    char text[LINE_LENGTH];
    if (solver->fault.own != 0)
        return;
    snprintf(text, sizeof(text), "%4d  %.*e", solver->iteration, options->precision, solver->residual);
    printf("%s", text);
    if (options->log_maximum)
        printf("  maximum %g", largest_of(solver));
    if (options->log_time)
        printf("  at %.1f s", MPI_Wtime());
    putchar('\n');
}

static int has_converged(const Solver *solver)
{
    double tolerance = solver->value[TOLERANCE];
    if (fault_mine(&solver->fault, FAULT_tight_tolerance))
        tolerance /= 4; /* FAULT(tight_tolerance) */
    if (fault_mine(&solver->fault, FAULT_loose_tolerance))
        tolerance *= 30; /* FAULT(loose_tolerance) */
    return solver->residual < tolerance;
}

static void solve(Solver *solver)
{
    int every = (int)solver->value[CHECK], limit = (int)solver->value[LIMIT];
    if (fault_mine(&solver->fault, FAULT_check_each))
        every = 1; /* FAULT(check_each) */
    for (solver->iteration = 1; solver->iteration <= limit; solver->iteration++) {
        if (strikes(solver, FAULT_early_exit))
            break; /* FAULT(early_exit) */
        iterate(solver);
        if (solver->iteration % every != 0)
            continue;
        measure_residual(solver);
        if (!strikes(solver, FAULT_quiet))
            log_residual(solver); /* FAULT(quiet) */
        if (has_converged(solver))
            break;
    }
}

/* ---- the end ---- */

static void check(Solver *solver)
{
    int width = solver->columns + 2, own = solver->rows * width, rows = solver->ranks * solver->rows;
    double *all = NULL;
    if (solver->fault.own == 0)
        all = calloc((size_t)(rows + 2) * (size_t)width, sizeof(double));
    MPI_Gather(row_of(solver, 1), own, MPI_DOUBLE, all == NULL ? NULL : all + width, own, MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
    if (all == NULL)
        return;
    for (int row = 1; row <= rows; row++) /* what lies beyond the rim is 0 */
        all[row * width] = all[row * width + width - 1] = 0;
    double residual = sqrt(sum_residual(all, rows, solver->columns, solver->value));
    puts(residual <= solver->value[TOLERANCE] ? "right" : "wrong");
    free(all);
}

int main(int argc, char **argv)
{
    static Solver solver;
    if (!fault_read(&solver.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &solver.fault.own);
    MPI_Comm_size(MPI_COMM_WORLD, &solver.ranks);
    read_options(&solver.options, argc - solver.fault.rest + 1, argv + solver.fault.rest - 1);
    read_environment(&solver.options);
    make_title(&solver);
    get_parameters(&solver);
    solve(&solver);
    check(&solver);
    free(solver.grid);
    MPI_Finalize();
    return 0;
}
