/*
 * Iterated local search for the travelling salesman problem, in the manner of the ILCS framework: MPI between
 * processes, OpenMP within. Three faults to look for.
 *
 *     mpirun -n 8 ilcs-tsp [--fault none|critical|size|operator] [--process P] [--thread T]
 *                          [--workers W] [--cities C] [--searches S] [--patience R]
 *
 * Thread 0 of every process is the master, threads 1..W (4) are workers. A worker searches from one random tour after
 * the other (CPU_Exec) and keeps the best in its own slot. The master waits until each of its workers has done S more
 * searches; then the masters agree on the shortest tour seen over every edge (MPI_Allreduce of cities x cities
 * numbers), on the process that has the shortest of all (MPI_Allreduce), and get its tour (MPI_Bcast). After R rounds
 * in a row without a shorter tour they stop their workers.
 *
 * The faults:
 *     critical  thread T (4) of process P (6) stores its tour outside the critical section: a data race.
 *     size      process P (2) divides the size of the table, in numbers already, by the size of a number once more:
 *               a deadlock in MPI_Allreduce with Open MPI's algorithms for 100 cities; MPICH stops with an error.
 *     operator  process P (0) reduces with MPI_MAX where the others take MPI_MIN: a wrong result.
 *
 * The searches of a worker are the same in every run; how many it makes before it is stopped is not.
 */
#include <getopt.h>
#include <limits.h>
#include <mpi.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CITIES = 200, MAX_WORKERS = 63 };
typedef enum { FAULT_NONE, FAULT_CRITICAL, FAULT_SIZE, FAULT_OPERATOR, FAULTS } Fault;
static const char *const fault_names[FAULTS] = {"none", "critical", "size", "operator"};

typedef struct {
    Fault fault;
    int fault_process, fault_thread;
    int workers, cities, searches, patience;
} Options;

typedef struct {
    int length;
    int city[MAX_CITIES];
} Tour;

typedef struct {
    Options options;
    int process, processes;
    int distance[MAX_CITIES][MAX_CITIES];
    Tour champion[MAX_WORKERS + 1];   /* per thread */
    atomic_int done[MAX_WORKERS + 1]; /* searches per thread */
    atomic_int stop;
    int *local_edges, *global_edges; /* shortest tour over each edge */
} Search;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- the problem: what the framework asks of its user --------------------------------------- */

static void CPU_Init(Search *search)
{
    int x[MAX_CITIES], y[MAX_CITIES];
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < search->options.cities; i++) {
        x[i] = (int)(next_random(&state) % 1000);
        y[i] = (int)(next_random(&state) % 1000);
        for (int j = 0; j <= i; j++)
            search->distance[i][j] = search->distance[j][i] = abs(x[i] - x[j]) + abs(y[i] - y[j]);
    }
}

static void random_tour(const Search *search, uint64_t seed, Tour *tour)
{
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    int cities = search->options.cities;
    for (int i = 0; i < cities; i++)
        tour->city[i] = i;
    for (int i = cities - 1; i > 0; i--) {
        int j = (int)(next_random(&state) % (uint64_t)(i + 1));
        int city = tour->city[i];
        tour->city[i] = tour->city[j];
        tour->city[j] = city;
    }
}

static void reverse_part(Tour *tour, int from, int to)
{
    for (; from < to; from++, to--) {
        int city = tour->city[from];
        tour->city[from] = tour->city[to];
        tour->city[to] = city;
    }
}

/* One sweep of 2-opt; how many exchanges made the tour shorter. */
static int improve_tour(const Search *search, Tour *tour)
{
    int improved = 0, cities = search->options.cities;
    for (int i = 0; i + 2 < cities; i++) {
        for (int j = i + 2; j < cities; j++) {
            int a = tour->city[i], b = tour->city[i + 1], c = tour->city[j], d = tour->city[(j + 1) % cities];
            if (a == d ||
                search->distance[a][c] + search->distance[b][d] >= search->distance[a][b] + search->distance[c][d])
                continue;
            reverse_part(tour, i + 1, j);
            improved++;
        }
    }
    return improved;
}

static int tour_length(const Search *search, const Tour *tour)
{
    int length = 0, cities = search->options.cities;
    for (int i = 0; i < cities; i++)
        length += search->distance[tour->city[i]][tour->city[(i + 1) % cities]];
    return length;
}

static void CPU_Exec(const Search *search, uint64_t seed, Tour *tour)
{
    random_tour(search, seed, tour);
    while (improve_tour(search, tour) > 0) {
    }
    tour->length = tour_length(search, tour);
}

static void CPU_Output(const Search *search, const Tour *tour)
{
    char seen[MAX_CITIES] = {0};
    int cities = 0;
    for (int i = 0; i < search->options.cities; i++)
        if (tour->city[i] >= 0 && tour->city[i] < search->options.cities && !seen[tour->city[i]]++)
            cities++;
    printf("%d cities, shortest tour %s\n", cities,
           cities == search->options.cities && tour_length(search, tour) == tour->length ? "is valid" : "is NOT valid");
}

/* ---- the framework --------------------------------------------------------------------------- */

static int struck(const Search *search, Fault fault)
{
    return search->options.fault == fault && search->process == search->options.fault_process;
}

static void store_champion(Search *search, int thread, const Tour *tour)
{
    if (struck(search, FAULT_CRITICAL) && thread == search->options.fault_thread) {
        memcpy(&search->champion[thread], tour, sizeof *tour);
    } else {
#pragma omp critical
        memcpy(&search->champion[thread], tour, sizeof *tour);
    }
}

static void run_worker(Search *search, int thread)
{
    Tour tour = {0};
    uint64_t worker = (uint64_t)search->process * (uint64_t)search->options.workers + (uint64_t)thread;
    for (uint64_t round = 0; !atomic_load(&search->stop); round++) {
        CPU_Exec(search, worker + round * 1000003u, &tour);
        if (tour.length < search->champion[thread].length)
            store_champion(search, thread, &tour);
        atomic_fetch_add(&search->done[thread], 1);
    }
}

static void wait_for_workers(Search *search, int searches)
{
    for (int thread = 1; thread <= search->options.workers; thread++)
        while (atomic_load(&search->done[thread]) < searches)
            nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

static void find_local_champion(Search *search, Tour *best)
{
#pragma omp critical
    for (int thread = 1; thread <= search->options.workers; thread++)
        if (search->champion[thread].length < best->length)
            memcpy(best, &search->champion[thread], sizeof *best);
}

static void note_edges(Search *search, const Tour *tour)
{
    int cities = search->options.cities;
    for (int i = 0; i < cities; i++) {
        int *edge = &search->local_edges[tour->city[i] * cities + tour->city[(i + 1) % cities]];
        if (tour->length < *edge)
            *edge = tour->length;
    }
}

/* The length of the shortest tour of all processes. */
static int reduce_edges(Search *search)
{
    int edges = search->options.cities * search->options.cities, shortest = INT_MAX;
    int count = struck(search, FAULT_SIZE) ? edges / (int)sizeof(int) : edges;
    MPI_Op operator= struck(search, FAULT_OPERATOR) ? MPI_MAX : MPI_MIN;
    MPI_Allreduce(search->local_edges, search->global_edges, count, MPI_INT, operator, MPI_COMM_WORLD);
    for (int i = 0; i < edges; i++)
        if (search->global_edges[i] < shortest)
            shortest = search->global_edges[i];
    return shortest;
}

static void run_master(Search *search, Tour *global)
{
    Tour local = {.length = INT_MAX};
    for (int round = 1, unchanged = 0; unchanged < search->options.patience; round++) {
        wait_for_workers(search, round * search->options.searches);
        find_local_champion(search, &local);
        note_edges(search, &local);
        int length = reduce_edges(search);
        int candidate = local.length == length ? search->process : search->processes, winner;
        MPI_Allreduce(&candidate, &winner, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        winner %= search->processes;
        Tour received = local;
        MPI_Bcast(&received, (int)sizeof received, MPI_CHAR, winner, MPI_COMM_WORLD);
        unchanged = received.length < global->length ? 0 : unchanged + 1;
        if (received.length < global->length)
            *global = received;
    }
    atomic_store(&search->stop, 1);
}

static void run_search(Search *search, Tour *global)
{
    for (int thread = 0; thread <= search->options.workers; thread++)
        search->champion[thread].length = INT_MAX;
    global->length = INT_MAX;
#pragma omp parallel num_threads(search->options.workers + 1)
    {
        int thread = omp_get_thread_num();
        if (thread == 0)
            run_master(search, global);
        else
            run_worker(search, thread);
    }
}

static int parse_fault(const char *name, Options *options)
{
    for (int fault = 0; fault < FAULTS; fault++) {
        if (strcmp(name, fault_names[fault]) == 0) {
            options->fault = (Fault)fault;
            return 1;
        }
    }
    return 0;
}

static int parse_options(int argc, char **argv, Options *options)
{
    static const struct option known[] = {
        {"fault", required_argument, NULL, 'f'},    {"process", required_argument, NULL, 'p'},
        {"thread", required_argument, NULL, 't'},   {"workers", required_argument, NULL, 'w'},
        {"cities", required_argument, NULL, 'c'},   {"searches", required_argument, NULL, 's'},
        {"patience", required_argument, NULL, 'r'}, {0}};
    static const int struck_process[FAULTS] = {-1, 6, 2, 0};
    *options = (Options){FAULT_NONE, -1, 4, 4, 100, 5, 3};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        int *number = option == 'p'   ? &options->fault_process
                      : option == 't' ? &options->fault_thread
                      : option == 'w' ? &options->workers
                      : option == 'c' ? &options->cities
                      : option == 's' ? &options->searches
                      : option == 'r' ? &options->patience
                                      : NULL;
        if (number != NULL)
            *number = atoi(optarg);
        else if (option != 'f' || !parse_fault(optarg, options))
            return 0;
    }
    if (options->fault_process < 0)
        options->fault_process = struck_process[options->fault];
    return optind == argc && options->workers >= 1 && options->workers <= MAX_WORKERS && options->cities >= 4 &&
           options->cities <= MAX_CITIES;
}

int main(int argc, char **argv)
{
    Search *search = calloc(1, sizeof *search);
    if (search == NULL || !parse_options(argc, argv, &search->options)) {
        fputs("usage: ilcs-tsp [--fault none|critical|size|operator] [--process P] [--thread T] [--workers W] "
              "[--cities C] [--searches S] [--patience R]\n",
              stderr);
        return 2;
    }
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &search->process);
    MPI_Comm_size(MPI_COMM_WORLD, &search->processes);
    size_t edges = (size_t)search->options.cities * (size_t)search->options.cities;
    search->local_edges = malloc(edges * sizeof(int));
    search->global_edges = malloc(edges * sizeof(int));
    if (search->local_edges == NULL || search->global_edges == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < edges; i++)
        search->local_edges[i] = INT_MAX;
    CPU_Init(search);
    MPI_Barrier(MPI_COMM_WORLD);
    Tour global;
    run_search(search, &global);
    if (search->process == 0)
        CPU_Output(search, &global);
    MPI_Finalize();
    free(search->local_edges);
    free(search->global_edges);
    free(search);
    return 0;
}
