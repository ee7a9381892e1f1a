/*
 * Finite elements: heat spreads in a plate of square elements, whose tiles are dealt out to a grid of ranks. Nodes on
 * the rims of tiles belong to up to four of them: every rank assembles what its elements give and adds what up to eight
 * neighbours tell, whose messages are unpacked as they come.
 *
 *     assembly FAULT -- [--mesh FILE] [--title WORDS] [--unit K|C|F] [--digits N] [--talk]
 *
 * The plate begins with a cosine, which the discrete equations shrink by the same factor in every step: so every rank
 * knows what its nodes must have in the end.
 */
#include "fault.h"
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS(X)                                                                                                      \
    X(short_loop)                                                                                                      \
    X(wait_for_all)                                                                                                    \
    X(long_message)                                                                                                    \
    X(extra_collective)                                                                                                \
    X(extra_step)                                                                                                      \
    X(two_points)                                                                                                      \
    X(skip_clear)                                                                                                      \
    X(skip_mass_sum)                                                                                                   \
    X(mass_twice)                                                                                                      \
    X(skip_unpack)                                                                                                     \
    X(wrong_tag)                                                                                                       \
    X(wrong_peer)                                                                                                      \
    X(too_long)                                                                                                        \
    X(leave_early)                                                                                                     \
    X(corrupt) X(skip_advance) X(extra_element) X(crash) X(stuck) X(skip_collective) X(kill) X(early_exit)
FAULT_TABLE(FAULTS)

enum { MAX_SIDE = 16, MAX_NODES = (MAX_SIDE + 1) * (MAX_SIDE + 1), SIDES = 3, DIRECTIONS = SIDES * SIDES, HERE = 4 };
enum { REPORT = 5, TAG = 30, CORNERS = 4, WORD = 64 };

typedef struct {
    const char *mesh, *title, *unit;
    int digits, talk;
} Options;

typedef struct {
    int side, steps;
    double dt;
} Problem;

typedef struct {
    int peer, count, node[MAX_SIDE + 2];
    double out[MAX_SIDE + 2], in[MAX_SIDE + 2];
} Neighbour;

typedef struct {
    Fault fault;
    Options options;
    Problem problem;
    int ranks, tiles[2], place[2], step, neighbours;
    Neighbour neighbour[DIRECTIONS];
    int direction[DIRECTIONS];
    double heat[MAX_NODES], flow[MAX_NODES], mass[MAX_NODES], total, started;
} Tile;

/* ---- options and mesh ---- */

static int read_options(Options *options, int count, char **words)
{
    options->unit = "K";
    options->digits = 4;
    for (int i = 0; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "--talk") == 0) {
            options->talk = 1;
            continue;
        }
        if (strcmp(words[i], "--mesh") == 0)
            options->mesh = value;
        else if (strcmp(words[i], "--title") == 0)
            options->title = value;
        else if (strcmp(words[i], "--unit") == 0)
            options->unit = value;
        else if (strcmp(words[i], "--digits") == 0)
            options->digits = atoi(value);
        else
            return 0;
        i++;
    }
    return 1;
}

static void introduce(const Tile *tile)
{
    char text[WORD];
    const Options *options = &tile->options;
    if (options->title != NULL) {
        char *copy = strdup(options->title);
        for (char *gap = strchr(copy, '_'); gap != NULL; gap = strchr(gap, '_'))
            *gap = ' ';
        snprintf(text, sizeof(text), "%s, in %s", copy, options->unit);
        free(copy);
    }
    if (options->talk)
        fprintf(stderr, "rank %d has %d neighbours%s%s\n", tile->fault.own, tile->neighbours,
                options->title != NULL ? ": " : "", options->title != NULL ? text : "");
}

static void read_mesh(Problem *problem, const char *path)
{
    char word[WORD];
    double value;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    while (fscanf(file, " %63[^=] = %lf", word, &value) == 2) {
        if (strncmp(word, "side", 4) == 0)
            problem->side = (int)value;
        else if (strncmp(word, "steps", 5) == 0)
            problem->steps = (int)value;
        else if (strncmp(word, "dt", 2) == 0)
            problem->dt = value;
    }
    fclose(file);
}

static void share_problem(Tile *tile)
{
    tile->problem = (Problem){.side = 5, .steps = 15, .dt = 0.1};
    if (tile->fault.own == 0 && tile->options.mesh != NULL)
        read_mesh(&tile->problem, tile->options.mesh);
    MPI_Bcast(&tile->problem, sizeof(Problem), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (tile->problem.side > MAX_SIDE)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

/* ---- who shares which nodes ---- */

FAULT_INLINE int strikes(const Tile *tile, int id)
{
    return fault_hits(&tile->fault, id, tile->step);
}

FAULT_INLINE int node_at(const Tile *tile, int x, int y)
{
    return y * (tile->problem.side + 1) + x;
}

/* The nodes along one axis that a tile shares with the one at -1, 0 or +1. */
static void shared_span(int side, int towards, int *first, int *last)
{
    *first = towards == 1 ? side : 0;
    *last = towards == -1 ? 0 : side;
}

static void add_neighbour(Tile *tile, int direction)
{
    int dx = direction % SIDES - 1, dy = direction / SIDES - 1, x = tile->place[0] + dx, y = tile->place[1] + dy;
    int x_first, x_last, y_first, y_last;
    if (direction == HERE || x < 0 || x >= tile->tiles[0] || y < 0 || y >= tile->tiles[1])
        return;
    Neighbour *neighbour = &tile->neighbour[tile->neighbours];
    tile->direction[tile->neighbours++] = direction;
    neighbour->peer = x * tile->tiles[1] + y;
    shared_span(tile->problem.side, dx, &x_first, &x_last);
    shared_span(tile->problem.side, dy, &y_first, &y_last);
    for (int row = y_first; row <= y_last; row++)
        for (int column = x_first; column <= x_last; column++)
            neighbour->node[neighbour->count++] = node_at(tile, column, row);
}

static void find_neighbours(Tile *tile)
{
    MPI_Dims_create(tile->ranks, 2, tile->tiles);
    tile->place[0] = tile->fault.own / tile->tiles[1];
    tile->place[1] = tile->fault.own % tile->tiles[1];
    for (int direction = 0; direction < DIRECTIONS; direction++)
        add_neighbour(tile, direction);
}

/* ---- the sum over tiles ---- */

static void post_receives(Tile *tile, MPI_Request *request, int extra)
{
    for (int i = 0; i < tile->neighbours; i++) {
        Neighbour *neighbour = &tile->neighbour[i];
        MPI_Irecv(neighbour->in, neighbour->count + extra, MPI_DOUBLE, neighbour->peer,
                  TAG + DIRECTIONS - 1 - tile->direction[i], MPI_COMM_WORLD, &request[i]);
    }
}

static void pack_message(Tile *tile, Neighbour *neighbour, const double *field)
{
    for (int i = 0; i < neighbour->count; i++)
        neighbour->out[i] = field[neighbour->node[i]];
    if (strikes(tile, FAULT_corrupt))
        memset(neighbour->out, 0x7f, sizeof(double)); /* FAULT(corrupt) */
}

static void send_message(Tile *tile, int i, int extra, MPI_Request *request)
{
    Neighbour *neighbour = &tile->neighbour[i];
    int count = neighbour->count + extra, tag = TAG + tile->direction[i], peer = neighbour->peer;
    if (strikes(tile, FAULT_wrong_tag) && i == 0)
        tag = TAG + HERE; /* FAULT(wrong_tag) */
    if (strikes(tile, FAULT_wrong_peer) && i == 0)
        peer = tile->neighbour[1].peer; /* FAULT(wrong_peer) */
    if (strikes(tile, FAULT_too_long))
        count++; /* FAULT(too_long) */
    MPI_Isend(neighbour->out, count, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, request);
}

static void unpack_message(Tile *tile, int i, double (*got)[MAX_SIDE + 2])
{
    memcpy(got[i], tile->neighbour[i].in, sizeof(double) * (size_t)tile->neighbour[i].count);
}

static void unpack_as_they_come(Tile *tile, MPI_Request *request, double (*got)[MAX_SIDE + 2])
{
    int wanted = tile->neighbours, count, ready[DIRECTIONS];
    if (strikes(tile, FAULT_leave_early))
        wanted = 1; /* FAULT(leave_early) */
    for (int come = 0; come < wanted; come += count) {
        MPI_Waitsome(tile->neighbours, request, &count, ready, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            if (!(strikes(tile, FAULT_skip_unpack) && ready[i] == 0))
                unpack_message(tile, ready[i], got); /* FAULT(skip_unpack) */
    }
}

/* Adds in the order of neighbours, so that luck does not decide the last bit. */
static void add_up(Tile *tile, double (*got)[MAX_SIDE + 2], double *field)
{
    for (int i = 0; i < tile->neighbours; i++)
        for (int k = 0; k < tile->neighbour[i].count; k++)
            field[tile->neighbour[i].node[k]] += got[i][k];
}

static void sum_shared(Tile *tile, double *field)
{
    MPI_Request request[2 * DIRECTIONS];
    double got[DIRECTIONS][MAX_SIDE + 2] = {{0}};
    int extra = fault_mine(&tile->fault, FAULT_long_message); /* FAULT(long_message) */
    post_receives(tile, request, extra);
    for (int i = 0; i < tile->neighbours; i++) {
        pack_message(tile, &tile->neighbour[i], field);
        send_message(tile, i, extra, &request[DIRECTIONS + i]);
    }
    if (fault_mine(&tile->fault, FAULT_wait_for_all)) {
        MPI_Waitall(tile->neighbours, request, MPI_STATUSES_IGNORE); /* FAULT(wait_for_all) */
        for (int i = 0; i < tile->neighbours; i++)
            unpack_message(tile, i, got);
    } else
        unpack_as_they_come(tile, request, got);
    MPI_Waitall(tile->neighbours, request + DIRECTIONS, MPI_STATUSES_IGNORE);
    add_up(tile, got, field);
}

/* ---- elements and nodes ---- */

static void corners_of(const Tile *tile, int x, int y, int *corner)
{
    corner[0] = node_at(tile, x, y);
    corner[1] = node_at(tile, x + 1, y);
    corner[2] = node_at(tile, x + 1, y + 1);
    corner[3] = node_at(tile, x, y + 1);
}

static void add_element(Tile *tile, int x, int y, double weight)
{
    static const double stiffness[CORNERS] = {4 / 6.0, -1 / 6.0, -2 / 6.0, -1 / 6.0}; /* by the distance around */
    int corner[CORNERS];
    corners_of(tile, x, y, corner);
    for (int i = 0; i < CORNERS; i++)
        for (int k = 0; k < CORNERS; k++)
            tile->flow[corner[i]] += weight * stiffness[(k - i + CORNERS) % CORNERS] * tile->heat[corner[k]];
}

static void assemble_row(Tile *tile, int y)
{
    for (int x = 0; x < tile->problem.side; x++)
        if (fault_mine(&tile->fault, FAULT_two_points)) {
            add_element(tile, x, y, 0.5); /* FAULT(two_points) */
            add_element(tile, x, y, 0.5);
        } else
            add_element(tile, x, y, 1);
    if (strikes(tile, FAULT_extra_element) && y == 0)
        add_element(tile, 0, y, 1); /* FAULT(extra_element) */
}

static void clear_flow(Tile *tile)
{
    memset(tile->flow, 0, sizeof(tile->flow));
}

static void assemble(Tile *tile)
{
    int rows = tile->problem.side;
    if (fault_mine(&tile->fault, FAULT_short_loop))
        rows--; /* FAULT(short_loop) */
    if (!strikes(tile, FAULT_skip_clear))
        clear_flow(tile); /* FAULT(skip_clear) */
    for (int y = 0; y < rows; y++)
        assemble_row(tile, y);
    if (strikes(tile, FAULT_crash))
        fault_crash(); /* FAULT(crash) */
}

static void assemble_mass(Tile *tile)
{
    int corner[CORNERS];
    for (int y = 0; y < tile->problem.side; y++)
        for (int x = 0; x < tile->problem.side; x++) {
            corners_of(tile, x, y, corner);
            for (int i = 0; i < CORNERS; i++)
                tile->mass[corner[i]] += 0.25;
        }
}

static void look_at_node(const Tile *tile, int node)
{
    if (fabs(tile->heat[node]) < 1e6)
        return;
    fprintf(stderr, "rank %d: node %d has become %g\n", tile->fault.own, node, tile->heat[node]);
    MPI_Abort(MPI_COMM_WORLD, 6);
}

static void advance_nodes(Tile *tile)
{
    int nodes = (tile->problem.side + 1) * (tile->problem.side + 1);
    for (int node = 0; node < nodes; node++)
        tile->heat[node] -= tile->problem.dt * tile->flow[node] / tile->mass[node];
    for (int node = 0; node < nodes; node += tile->problem.side)
        look_at_node(tile, node);
}

/* ---- the whole ---- */

static double wave(const Tile *tile, int axis, int i)
{
    return cos(acos(-1) * (tile->place[axis] * tile->problem.side + i) / (tile->tiles[axis] * tile->problem.side));
}

static void set_up(Tile *tile)
{
    if (!fault_mine(&tile->fault, FAULT_skip_mass_sum)) {
        assemble_mass(tile);
        if (fault_mine(&tile->fault, FAULT_mass_twice))
            assemble_mass(tile);      /* FAULT(mass_twice) */
        sum_shared(tile, tile->mass); /* FAULT(skip_mass_sum) */
    }
    for (int y = 0; y <= tile->problem.side; y++)
        for (int x = 0; x <= tile->problem.side; x++)
            tile->heat[node_at(tile, x, y)] = 1 + wave(tile, 0, x) * wave(tile, 1, y);
}

/* A node counts for the tile to its right, or the last. */
static double sum_heat(const Tile *tile)
{
    double sum = 0;
    int x_end = tile->problem.side + (tile->place[0] + 1 == tile->tiles[0]);
    int y_end = tile->problem.side + (tile->place[1] + 1 == tile->tiles[1]);
    for (int y = 0; y < y_end; y++)
        for (int x = 0; x < x_end; x++)
            sum += tile->mass[node_at(tile, x, y)] * tile->heat[node_at(tile, x, y)];
    return sum;
}

static void report(Tile *tile)
{
    double own = sum_heat(tile);
    if (!strikes(tile, FAULT_skip_collective))
        MPI_Allreduce(&own, &tile->total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* FAULT(skip_collective) */
    if (tile->fault.own != 0)
        return;
    int ticks = (int)((MPI_Wtime() - tile->started) * 1e3);
    printf("step %d: %.*f %s", tile->step, tile->options.digits, tile->total, tile->options.unit);
    if (ticks > 0)
        printf(", %d steps/s", 1000 * tile->step / ticks);
    putchar('\n');
}

static void advance(Tile *tile)
{
    if (strikes(tile, FAULT_stuck))
        fault_hang(); /* FAULT(stuck) */
    if (strikes(tile, FAULT_kill))
        fault_kill(); /* FAULT(kill) */
    assemble(tile);
    sum_shared(tile, tile->flow);
    if (!strikes(tile, FAULT_skip_advance))
        advance_nodes(tile); /* FAULT(skip_advance) */
    if (tile->step % REPORT == 0)
        report(tile);
    if (fault_mine(&tile->fault, FAULT_extra_collective))
        MPI_Barrier(MPI_COMM_WORLD); /* FAULT(extra_collective) */
}

static void check(const Tile *tile)
{
    double x = cos(acos(-1) / (tile->tiles[0] * tile->problem.side)), factor = 1, own = 0, worst = 0;
    double y = cos(acos(-1) / (tile->tiles[1] * tile->problem.side));
    for (int step = 0; step < tile->problem.steps; step++)
        factor *= 1 - tile->problem.dt * (8 - 2 * x - 2 * y - 4 * x * y) / 3;
    for (int j = 0; j <= tile->problem.side; j++)
        for (int i = 0; i <= tile->problem.side; i++)
            own = fmax(own, fabs(tile->heat[node_at(tile, i, j)] - 1 - factor * wave(tile, 0, i) * wave(tile, 1, j)));
    MPI_Reduce(&own, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (tile->fault.own == 0)
        puts(worst < 1e-10 ? "right" : "wrong");
}

int main(int argc, char **argv)
{
    static Tile tile;
    if (!fault_read(&tile.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &tile.fault.own);
    MPI_Comm_size(MPI_COMM_WORLD, &tile.ranks);
    if (!read_options(&tile.options, argc - tile.fault.rest, argv + tile.fault.rest))
        MPI_Abort(MPI_COMM_WORLD, 2);
    tile.started = MPI_Wtime();
    share_problem(&tile);
    find_neighbours(&tile);
    introduce(&tile);
    set_up(&tile);
    int last = tile.problem.steps;
    if (fault_mine(&tile.fault, FAULT_extra_step))
        last++; /* FAULT(extra_step) */
    for (tile.step = 1; tile.step <= last; tile.step++) {
        if (strikes(&tile, FAULT_early_exit))
            break; /* FAULT(early_exit) */
        advance(&tile);
    }
    check(&tile);
    MPI_Finalize();
    return 0;
}
