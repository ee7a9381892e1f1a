/*
 * Small programs whose calls are characteristic: regular loops of scientific codes, recursion that data decide, and
 * threads. Compiled without inlining, so that every function's call is recorded.
 *
 *     codec-programs cg|mg|lu|ep|stencil|md|fib|queens|quicksort|tree|hash|nest|pool
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned random_state = 12345;

static unsigned next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* ---- loops ------------------------------------------------------------------- */

enum { ROWS = 400, SIDE = 32 };
static double vector[3][ROWS], grid[2][SIDE][SIDE];
static int row_length[ROWS];

static double multiply(double a, double b)
{
    return a * b;
}

static double row_times_vector(int row)
{
    double sum = 0;
    for (int i = 0; i < row_length[row]; i++)
        sum += multiply(vector[0][(row * 7 + i * 13) % ROWS], 0.01);
    return sum;
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += a[i] * b[i];
    return sum;
}

static void axpy(double *y, const double *x, double a)
{
    for (int i = 0; i < ROWS; i++)
        y[i] += a * x[i];
}

static void run_cg(void)
{
    for (int row = 0; row < ROWS; row++) {
        row_length[row] = 3 + (int)(next_random() % 9);
        vector[0][row] = vector[1][row] = 1;
    }
    for (int step = 0; step < 250; step++) {
        for (int row = 0; row < ROWS; row++)
            vector[2][row] = row_times_vector(row);
        axpy(vector[1], vector[2], 1e-3 * dot(vector[1], vector[2]) / (1 + dot(vector[2], vector[2])));
        axpy(vector[0], vector[1], 1e-4);
    }
}

static void smooth(int level)
{
    for (int row = 0; row < SIDE >> level; row++)
        axpy(vector[row % 3], vector[(row + 1) % 3], 1e-9);
}

static void restrict_to(int level)
{
    smooth(level);
}

static void prolong(int level)
{
    smooth(level);
}

static void v_cycle(int level)
{
    smooth(level);
    if (level < 5) {
        restrict_to(level + 1);
        v_cycle(level + 1);
        prolong(level);
    }
    smooth(level);
}

static void run_mg(void)
{
    for (int cycle = 0; cycle < 1500; cycle++)
        v_cycle(0);
}

static double cell(int row, int column)
{
    double(*g)[SIDE] = grid[0];
    return 0.25 * (g[row - 1][column] + g[row + 1][column] + g[row][column - 1] + g[row][column + 1]);
}

static double lower(int row, int column)
{
    return cell(row, column) * 0.9;
}

static double upper(int row, int column)
{
    return cell(row, column) * 1.1;
}

static void sweep(double (*update)(int, int))
{
    for (int row = 1; row < SIDE - 1; row++)
        for (int column = 1; column < SIDE - 1; column++)
            grid[0][row][column] = update(row, column);
}

static void run_lu(void)
{
    for (int step = 0; step < 300; step++) {
        sweep(lower);
        sweep(upper);
    }
}

static void swap_grids(void)
{
    memcpy(grid[1], grid[0], sizeof(grid[0]));
}

static void run_stencil(void)
{
    for (int step = 0; step < 800; step++) {
        sweep(cell);
        swap_grids();
    }
}

static int accepted, bins[10];

static void accept(double x)
{
    accepted++;
    bins[(int)(x * 10) % 10]++;
}

static double uniform(void)
{
    return next_random() / 16777216.0;
}

static void run_ep(void)
{
    for (int i = 0; i < 300000; i++) {
        double x = 2 * uniform() - 1, y = 2 * uniform() - 1, t = x * x + y * y;
        if (t <= 1)
            accept(t);
    }
}

enum { PARTICLES = 300 };
static double place[PARTICLES], speed[PARTICLES];

static double force(double distance)
{
    return distance / (1 + distance * distance);
}

static void push(int particle, double by)
{
    speed[particle] += by;
}

static void run_md(void)
{
    for (int i = 0; i < PARTICLES; i++)
        place[i] = uniform() * PARTICLES / 8;
    for (int step = 0; step < 60; step++) {
        for (int i = 0; i < PARTICLES; i++)
            for (int j = i + 1; j < PARTICLES; j++) {
                double distance = place[i] - place[j];
                if (distance * distance < 1)
                    push(i, 1e-4 * force(distance));
            }
        for (int i = 0; i < PARTICLES; i++)
            place[i] += speed[i];
    }
}

static void inner(int i)
{
    bins[i % 10]++;
}

static void middle(int i)
{
    for (int j = 0; j < 3 + i % 5; j++)
        inner(j);
}

static void outer(int i)
{
    for (int j = 0; j < 10 + i % 3; j++)
        middle(j);
}

static void run_nest(void)
{
    for (int i = 0; i < 20000; i++)
        outer(i);
}

/* ---- recursion --------------------------------------------------------------- */

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int columns[16];

static int is_safe(int row, int column)
{
    for (int i = 0; i < row; i++)
        if (columns[i] == column || abs(columns[i] - column) == row - i)
            return 0;
    return 1;
}

static int place_queen(int row, int size)
{
    int found = row == size;
    for (int column = 0; column < size && row < size; column++)
        if (is_safe(row, column)) {
            columns[row] = column;
            found += place_queen(row + 1, size);
        }
    return found;
}

static void exchange(unsigned *a, unsigned *b)
{
    unsigned other = *a;
    *a = *b;
    *b = other;
}

static void quicksort(unsigned *numbers, int count)
{
    if (count < 2)
        return;
    int last = 0;
    exchange(&numbers[0], &numbers[count / 2]);
    for (int i = 1; i < count; i++)
        if (numbers[i] < numbers[0])
            exchange(&numbers[++last], &numbers[i]);
    exchange(&numbers[0], &numbers[last]);
    quicksort(numbers, last);
    quicksort(numbers + last + 1, count - last - 1);
}

static void run_quicksort(void)
{
    enum { NUMBERS = 60000 };
    unsigned *numbers = malloc(NUMBERS * sizeof(*numbers));
    for (int i = 0; i < NUMBERS && numbers; i++)
        numbers[i] = next_random();
    if (numbers)
        quicksort(numbers, NUMBERS);
    free(numbers);
}

typedef struct Node {
    struct Node *child[2];
    unsigned key;
} Node;

static int is_greater(unsigned a, unsigned b)
{
    return a > b;
}

static Node *new_node(unsigned key)
{
    Node *node = calloc(1, sizeof(*node));
    if (!node)
        exit(1);
    node->key = key;
    return node;
}

static Node *insert(Node *node, unsigned key)
{
    if (!node)
        return new_node(key);
    int side = is_greater(key, node->key);
    node->child[side] = insert(node->child[side], key);
    return node;
}

static void run_tree(void)
{
    Node *root = NULL;
    for (int i = 0; i < 30000; i++)
        root = insert(root, next_random());
}

static unsigned hash(unsigned key)
{
    return key * 2654435761u >> 20;
}

static void run_hash(void)
{
    static Node *table[4096];
    for (int i = 0; i < 150000; i++) {
        unsigned key = next_random() % 20000;
        Node **at = &table[hash(key)];
        while (*at && is_greater(key, (*at)->key))
            at = &(*at)->child[0];
        if (!*at || is_greater((*at)->key, key)) {
            Node *node = new_node(key);
            node->child[0] = *at;
            *at = node;
        }
    }
}

/* ---- threads ----------------------------------------------------------------- */

enum { THREADS = 4, JOBS = 20000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int next_job;

static int take_job(void)
{
    pthread_mutex_lock(&mutex);
    int job = next_job++;
    pthread_mutex_unlock(&mutex);
    return job;
}

static void do_job(int job)
{
    volatile int work = 0;
    for (int i = 0; i < 2 + job % 7; i++)
        work += fib(1 + job % 4);
}

static void *worker(void *unused)
{
    for (int job; (job = take_job()) < JOBS;)
        do_job(job);
    return unused;
}

static void run_pool(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, worker, NULL) != 0)
            exit(1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void run_fib(void)
{
    fib(25);
}

static void run_queens(void)
{
    place_queen(0, 8);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {{"cg", run_cg},     {"mg", run_mg},           {"lu", run_lu},
                    {"ep", run_ep},     {"stencil", run_stencil}, {"md", run_md},
                    {"fib", run_fib},   {"queens", run_queens},   {"quicksort", run_quicksort},
                    {"tree", run_tree}, {"hash", run_hash},       {"nest", run_nest},
                    {"pool", run_pool}};
    for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++)
        if (strcmp(argv[1], programs[i].name) == 0) {
            programs[i].run();
            return 0;
        }
    fputs("codec-programs: unknown program\n", stderr);
    return 2;
}
