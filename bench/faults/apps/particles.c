/*
 * Charged particles in a periodic plane (particle-in-cell): every rank owns a tile of a Cartesian grid and the
 * particles in it. A step adds up the charge of all ranks on a mesh, drives the particles down its slope, and hands
 * those that left the tile to the neighbours: in x with counts told first, in y with messages of unknown length.
 *
 * At the end every rank follows its particles once more, from their start through the meshes of all steps. They must
 * get where they are, and be as many as in the beginning.
 */
#include "fault.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define FAULTS(X)                                                                                                      \
    X(skip_exchange)                                                                                                   \
    X(skip_kick)                                                                                                       \
    X(extra_drift)                                                                                                     \
    X(extra_step)                                                                                                      \
    X(early_exit)                                                                                                      \
    X(endless)                                                                                                         \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(slow)                                                                                                            \
    X(wrong_peer)                                                                                                      \
    X(wrong_tag)                                                                                                       \
    X(wrong_comm)                                                                                                      \
    X(wrong_root)                                                                                                      \
    X(wrong_op)                                                                                                        \
    X(long_count)                                                                                                      \
    X(short_count)                                                                                                     \
    X(leak) X(corrupt) X(double_init) X(livelock) X(mismatch) X(skip_collective) X(different_input) X(wrong_order)
FAULT_TABLE(FAULTS)

enum { MESH = 16, CELLS = MESH * MESH, MAX_STEPS = 40, REPORT = 4, TAG_X = 10, TAG_Y = 20 };
enum { DOWN, UP, STAYS };
enum { X_AXIS, Y_AXIS };

static const double REPULSION = 4e-4;

typedef struct {
    double id, x, y, vx, vy;
} Particle;

typedef struct {
    Particle *of;
    int count;
} Swarm;

typedef struct {
    Fault fault;
    MPI_Comm grid, line; /* line: the tiles of the same y */
    MPI_Datatype particle;
    int ranks, tiles[2], place[2], neighbour[2][2];
    int step, steps, each, wrong_meshes, largest;
    double energy;
    Swarm own, leaving[2];
    int mesh[MAX_STEPS + 2][CELLS];
} Tile;

static void open_grid(Tile *tile)
{
    int periodic[2] = {1, 1}, keep[2] = {1, 0};
    MPI_Dims_create(tile->ranks, 2, tile->tiles);
    MPI_Cart_create(MPI_COMM_WORLD, 2, tile->tiles, periodic, 0, &tile->grid);
    MPI_Cart_sub(tile->grid, keep, &tile->line);
    MPI_Cart_coords(tile->grid, tile->fault.own, 2, tile->place);
    for (int axis = 0; axis < 2; axis++)
        MPI_Cart_shift(tile->grid, axis, 1, &tile->neighbour[axis][DOWN], &tile->neighbour[axis][UP]);
    MPI_Type_contiguous(sizeof(Particle) / sizeof(double), MPI_DOUBLE, &tile->particle);
    MPI_Type_commit(&tile->particle);
}

static void allocate_swarms(Tile *tile)
{
    size_t room = 2 * (size_t)(tile->ranks * tile->each);
    tile->own.of = calloc(3 * room, sizeof(Particle));
    if (tile->own.of == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    tile->leaving[DOWN].of = tile->own.of + room;
    tile->leaving[UP].of = tile->leaving[DOWN].of + room;
}

static double draw(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return (double)(*seed >> 8 & 0xffff) / 65536;
}

/* Where a particle is in the beginning follows from its id. */
static Particle start_particle(const Tile *tile, int id)
{
    int rank = id / tile->each;
    unsigned seed = 71u + 1299709u * (unsigned)id;
    Particle particle = {.id = id};
    particle.x = (rank / tile->tiles[Y_AXIS] + draw(&seed)) / tile->tiles[X_AXIS];
    particle.y = (rank % tile->tiles[Y_AXIS] + draw(&seed)) / tile->tiles[Y_AXIS];
    particle.vx = 0.1 * (draw(&seed) - 0.5);
    particle.vy = 0.1 * (draw(&seed) - 0.5);
    return particle;
}

static void place_particles(Tile *tile)
{
    double speed = fault_mine(&tile->fault, FAULT_different_input) ? 1.5 : 1;
    tile->own.count = 0;
    for (int i = 0; i < tile->each; i++) {
        Particle *particle = &tile->own.of[tile->own.count++];
        *particle = start_particle(tile, tile->fault.own * tile->each + i);
        particle->vx *= speed;
    }
}

static int cell_of(const Particle *particle)
{
    return (int)(particle->y * MESH) * MESH + (int)(particle->x * MESH);
}

static void count_charge(Tile *tile, int *own)
{
    for (int cell = 0; cell < CELLS; cell++)
        own[cell] = 0;
    for (int i = 0; i < tile->own.count; i++)
        own[cell_of(&tile->own.of[i])]++;
}

static void add_up_charge(Tile *tile)
{
    int own[CELLS], *mesh = tile->mesh[tile->step], sum = 0;
    int wrong_op = fault_hits(&tile->fault, FAULT_wrong_op, tile->step);
    count_charge(tile, own);
    MPI_Allreduce(own, mesh, CELLS, MPI_INT, wrong_op ? MPI_MIN : MPI_SUM, tile->grid);
    for (int cell = 0; cell < CELLS; cell++)
        sum += mesh[cell];
    tile->wrong_meshes += sum != tile->ranks * tile->each;
}

static void kick(Particle *particle, const int *mesh)
{
    int cell = cell_of(particle), column = cell % MESH, row = cell - column;
    particle->vx += REPULSION * (mesh[row + (column + MESH - 1) % MESH] - mesh[row + (column + 1) % MESH]);
    particle->vy += REPULSION * (mesh[(cell + CELLS - MESH) % CELLS] - mesh[(cell + MESH) % CELLS]);
}

/* In this order: a tiny negative number and 1 make 1. */
static double wrap(double position)
{
    if (position < 0)
        position += 1;
    return position >= 1 ? position - 1 : position;
}

static void drift(Particle *particle)
{
    particle->x = wrap(particle->x + particle->vx);
    particle->y = wrap(particle->y + particle->vy);
}

static void kick_particles(Tile *tile)
{
    for (int i = 0; i < tile->own.count; i++) {
        kick(&tile->own.of[i], tile->mesh[tile->step]);
        if (fault_pace(fault_hits(&tile->fault, FAULT_endless, tile->step)))
            i = -1;
    }
}

static void drift_particles(Tile *tile)
{
    for (int i = 0; i < tile->own.count; i++)
        drift(&tile->own.of[i]);
    if (fault_hits(&tile->fault, FAULT_crash, tile->step))
        fault_crash();
}

static int direction_of(const Tile *tile, const Particle *particle, int axis)
{
    int tiles = tile->tiles[axis], place = (int)((axis == X_AXIS ? particle->x : particle->y) * tiles);
    if (place == tile->place[axis])
        return STAYS;
    return place == (tile->place[axis] + 1) % tiles ? UP : DOWN;
}

static void pick_leaving(Tile *tile, int axis)
{
    Swarm *own = &tile->own, *leaving = tile->leaving;
    int stay = 0;
    leaving[DOWN].count = leaving[UP].count = 0;
    for (int i = 0; i < own->count; i++) {
        int direction = direction_of(tile, &own->of[i], axis);
        Swarm *to = direction == STAYS ? NULL : &leaving[direction];
        if (to == NULL)
            own->of[stay++] = own->of[i];
        else
            to->of[to->count++] = own->of[i];
    }
    own->count = stay;
    if (fault_hits(&tile->fault, FAULT_corrupt, tile->step))
        for (int i = 0; i < leaving[UP].count; i++)
            leaving[UP].of[i].vy = -leaving[UP].of[i].vy;
}

/* Messages bear the direction in which the particles go: what comes from above goes down. */
static void exchange_counts(Tile *tile, int *arriving)
{
    for (int to = DOWN; to <= UP; to++)
        MPI_Sendrecv(&tile->leaving[to].count, 1, MPI_INT, tile->neighbour[X_AXIS][to], to, &arriving[!to], 1, MPI_INT,
                     tile->neighbour[X_AXIS][!to], to, tile->grid, MPI_STATUS_IGNORE);
}

static void exchange_x(Tile *tile)
{
    int arriving[2], leaks = fault_hits(&tile->fault, FAULT_leak, tile->step);
    MPI_Request request[4];
    pick_leaving(tile, X_AXIS);
    exchange_counts(tile, arriving);
    for (int from = DOWN; from <= UP; from++) {
        MPI_Irecv(tile->own.of + tile->own.count, arriving[from], tile->particle, tile->neighbour[X_AXIS][from],
                  TAG_X + !from, tile->grid, &request[from]);
        tile->own.count += arriving[from];
    }
    for (int to = DOWN; to <= UP; to++) {
        int count = tile->leaving[to].count;
        if (fault_hits(&tile->fault, FAULT_long_count, tile->step))
            count += 3;
        if (fault_hits(&tile->fault, FAULT_short_count, tile->step) && count > 0)
            count--;
        MPI_Isend(tile->leaving[to].of, count, tile->particle, tile->neighbour[X_AXIS][to], TAG_X + to, tile->grid,
                  &request[2 + to]);
    }
    MPI_Waitall(leaks ? 2 : 4, request, MPI_STATUSES_IGNORE);
}

static void send_leaving(Tile *tile, int to, MPI_Request *request)
{
    int tag = TAG_Y + to, peer = tile->neighbour[Y_AXIS][to];
    if (fault_hits(&tile->fault, FAULT_wrong_tag, tile->step))
        tag = TAG_X + to;
    if (fault_hits(&tile->fault, FAULT_wrong_peer, tile->step) && to == UP)
        peer = tile->neighbour[X_AXIS][to];
    MPI_Isend(tile->leaving[to].of, tile->leaving[to].count, tile->particle, peer, tag, tile->grid, request);
}

static void receive_arriving(Tile *tile, int from)
{
    MPI_Status status;
    int count, there, peer = tile->neighbour[Y_AXIS][from], tag = TAG_Y + !from;
    while (fault_pace(fault_hits(&tile->fault, FAULT_livelock, tile->step)))
        MPI_Iprobe(peer, TAG_X + !from, tile->grid, &there, &status);
    MPI_Probe(peer, tag, tile->grid, &status);
    MPI_Get_count(&status, tile->particle, &count);
    MPI_Recv(tile->own.of + tile->own.count, count, tile->particle, peer, tag, tile->grid, MPI_STATUS_IGNORE);
    tile->own.count += count;
}

static void exchange_y(Tile *tile)
{
    MPI_Request request[2];
    pick_leaving(tile, Y_AXIS);
    for (int to = DOWN; to <= UP; to++)
        send_leaving(tile, to, &request[to]);
    for (int from = DOWN; from <= UP; from++)
        receive_arriving(tile, from);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void sum_energy(Tile *tile)
{
    double own = 0;
    for (int i = 0; i < tile->own.count; i++)
        own += tile->own.of[i].vx * tile->own.of[i].vx + tile->own.of[i].vy * tile->own.of[i].vy;
    if (own != own || fault_hits(&tile->fault, FAULT_abort, tile->step))
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (fault_hits(&tile->fault, FAULT_mismatch, tile->step))
        MPI_Barrier(tile->grid);
    else
        MPI_Allreduce(&own, &tile->energy, 1, MPI_DOUBLE, MPI_SUM,
                      fault_hits(&tile->fault, FAULT_wrong_comm, tile->step) ? tile->line : tile->grid);
}

static void report_load(Tile *tile)
{
    int wrong_root = fault_hits(&tile->fault, FAULT_wrong_root, tile->step);
    if (tile->step % REPORT == 0 && !fault_hits(&tile->fault, FAULT_skip_collective, tile->step))
        MPI_Reduce(&tile->own.count, &tile->largest, 1, MPI_INT, MPI_MAX, wrong_root ? 1 : 0, tile->line);
}

static void move_particles(Tile *tile)
{
    int wrong_order = fault_hits(&tile->fault, FAULT_wrong_order, tile->step);
    if (wrong_order)
        drift_particles(tile);
    if (!fault_hits(&tile->fault, FAULT_skip_kick, tile->step))
        kick_particles(tile);
    if (!wrong_order)
        drift_particles(tile);
    if (fault_hits(&tile->fault, FAULT_extra_drift, tile->step))
        drift_particles(tile);
}

static void advance(Tile *tile)
{
    if (fault_hits(&tile->fault, FAULT_double_init, tile->step))
        place_particles(tile);
    add_up_charge(tile);
    if (fault_hits(&tile->fault, FAULT_slow, tile->step))
        fault_delay(300);
    move_particles(tile);
    exchange_x(tile);
    if (fault_hits(&tile->fault, FAULT_stuck, tile->step))
        fault_hang();
    if (!fault_hits(&tile->fault, FAULT_skip_exchange, tile->step))
        exchange_y(tile);
    sum_energy(tile);
    report_load(tile);
}

static int follow_again(const Tile *tile, const Particle *seen)
{
    Particle particle = start_particle(tile, (int)seen->id);
    for (int step = 1; step <= tile->steps; step++) {
        kick(&particle, tile->mesh[step]);
        drift(&particle);
    }
    return particle.x == seen->x && particle.y == seen->y;
}

static void check(const Tile *tile)
{
    long own[3] = {tile->wrong_meshes, tile->own.count, 0}, all[3] = {0, 0, 0}, total = (long)tile->ranks * tile->each;
    for (int i = 0; i < tile->own.count; i++) {
        own[0] += !follow_again(tile, &tile->own.of[i]);
        own[2] += (long)tile->own.of[i].id;
    }
    MPI_Reduce(own, all, 3, MPI_LONG, MPI_SUM, 0, tile->grid);
    if (tile->fault.own == 0)
        puts(all[0] == 0 && all[1] == total && all[2] == total * (total - 1) / 2 ? "right" : "wrong");
}

int main(int argc, char **argv)
{
    static Tile tile;
    if (!fault_read(&tile.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &tile.fault.own);
    MPI_Comm_size(MPI_COMM_WORLD, &tile.ranks);
    tile.each = tile.fault.size > 0 ? tile.fault.size : 32;
    tile.steps = tile.fault.steps > 0 && tile.fault.steps <= MAX_STEPS ? tile.fault.steps : 12;
    open_grid(&tile);
    allocate_swarms(&tile);
    place_particles(&tile);
    int last = fault_mine(&tile.fault, FAULT_extra_step) ? tile.steps + 1 : tile.steps;
    for (tile.step = 1; tile.step <= last && !fault_hits(&tile.fault, FAULT_early_exit, tile.step); tile.step++)
        advance(&tile);
    check(&tile);
    free(tile.own.of);
    MPI_Type_free(&tile.particle);
    MPI_Comm_free(&tile.line);
    MPI_Comm_free(&tile.grid);
    MPI_Finalize();
    return 0;
}
