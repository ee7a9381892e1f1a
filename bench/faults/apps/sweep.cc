// Transport sweeps over a plane: every process owns a tile of a Cartesian grid and works in pipelines from each of the
// four corners, receiving the edges upwind and sending those downwind. Rows of tiles add up their leakage.
#define OMPI_SKIP_MPICXX 1 // the C interface is enough
#include "fault.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <mpi.h>
#include <vector>

#define FAULTS(X)                                                                                                      \
    X(skip_send)                                                                                                       \
    X(extra_send)                                                                                                      \
    X(early_exit)                                                                                                      \
    X(endless)                                                                                                         \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(wrong_peer)                                                                                                      \
    X(wrong_tag)                                                                                                       \
    X(wrong_root)                                                                                                      \
    X(wrong_op)                                                                                                        \
    X(wrong_comm)                                                                                                      \
    X(long_count)                                                                                                      \
    X(skip_collective)                                                                                                 \
    X(wrong_collective) X(swap) X(wrong_order) X(corrupt) X(different_input) X(skip_call)
FAULT_TABLE(FAULTS)

namespace
{
constexpr int angles = 3; // per direction, one pipeline stage each

struct Direction {
    int x, y;
};
constexpr std::array<Direction, 4> directions{{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}}};

class Grid
{
  public:
    explicit Grid(int ranks)
    {
        int sides[2] = {0, 0}, periodic[2] = {0, 0}, keep[2] = {0, 1};
        MPI_Dims_create(ranks, 2, sides);
        MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periodic, 0, &all);
        MPI_Cart_sub(all, keep, &row);
        MPI_Cart_shift(all, 1, 1, &left, &right);
        MPI_Cart_shift(all, 0, 1, &below, &above);
    }
    ~Grid()
    {
        MPI_Comm_free(&row);
        MPI_Comm_free(&all);
    }
    Grid(const Grid &) = delete;
    Grid &operator=(const Grid &) = delete;
    int upwind_x(Direction d) const
    {
        return d.x > 0 ? left : right;
    }
    int downwind_x(Direction d) const
    {
        return d.x > 0 ? right : left;
    }
    int upwind_y(Direction d) const
    {
        return d.y > 0 ? below : above;
    }
    int downwind_y(Direction d) const
    {
        return d.y > 0 ? above : below;
    }
    MPI_Comm all, row;

  private:
    int left, right, below, above;
};

class Tile
{
  public:
    Tile(int cells, double source) : n(cells), source(source), flux(cells * cells, 0.0), old(cells * cells, 0.0)
    {
    }
    void keep_flux()
    {
        old.swap(flux);
        std::fill(flux.begin(), flux.end(), 0.0);
    }
    double change() const
    {
        double largest = 0;
        for (std::size_t i = 0; i < flux.size(); i++)
            largest = std::max(largest, std::fabs(flux[i] - old[i]));
        return largest;
    }
    double &at(int x, int y)
    {
        return flux[y * n + x];
    }
    double emitted(int x, int y) const
    {
        return source + 0.3 * old[y * n + x] / (4 * angles);
    }
    int n;

  private:
    double source;
    std::vector<double> flux, old;
};

class Sweeper
{
  public:
    Sweeper(const Fault &fault, int ranks, int cells)
        : fault(fault), grid(ranks), tile(cells, 1 + fault.own % 3), edge_x(2 * cells), edge_y(2 * cells)
    {
    }
    void run(int steps);

  private:
    bool hits(int id) const
    {
        return fault_hits(&fault, id, step);
    }
    void receive_edges(Direction d, int stage);
    void send_edges(Direction d, int stage);
    double solve_cell(int x, int y, double in_x, double in_y, int angle);
    void solve_line(Direction d, int y, int angle);
    void solve_tile(Direction d, int angle);
    void sweep_stage(Direction d, int stage, int angle);
    void sweep_from(int corner);
    void sweep_all();
    void add_leakage();
    double largest_change();
    Fault fault;
    Grid grid;
    Tile tile;
    std::vector<double> edge_x, edge_y;
    double leakage = 0, row_leakage = 0;
    int step = 0;
};

void Sweeper::receive_edges(Direction d, int stage)
{
    std::fill(edge_x.begin(), edge_x.end(), 0.0);
    std::fill(edge_y.begin(), edge_y.end(), 0.0);
    MPI_Recv(edge_x.data(), tile.n, MPI_DOUBLE, grid.upwind_x(d), stage, grid.all, MPI_STATUS_IGNORE);
    MPI_Recv(edge_y.data(), tile.n, MPI_DOUBLE, grid.upwind_y(d), stage, grid.all, MPI_STATUS_IGNORE);
}

void Sweeper::send_edges(Direction d, int stage)
{
    int tag = stage, count = tile.n, to = grid.downwind_x(d);
    const bool middle = stage == angles + 1; // of the second corner
    if (hits(FAULT_wrong_tag) && middle)
        tag++;
    if (hits(FAULT_long_count) && middle)
        count += 2;
    if (hits(FAULT_wrong_peer) && middle)
        to = grid.upwind_x(d);
    if (hits(FAULT_corrupt) && middle)
        edge_x[0] = -edge_x[0];
    MPI_Send(edge_x.data(), count, MPI_DOUBLE, to, tag, grid.all);
    if (hits(FAULT_skip_send) && middle)
        return;
    MPI_Send(edge_y.data(), tile.n, MPI_DOUBLE, grid.downwind_y(d), stage, grid.all);
    if (hits(FAULT_extra_send) && middle)
        MPI_Send(edge_y.data(), tile.n, MPI_DOUBLE, grid.downwind_y(d), stage, grid.all);
}

double Sweeper::solve_cell(int x, int y, double in_x, double in_y, int angle)
{
    const double mu = (angle + 0.5) / angles, eta = std::sqrt(1 - mu * mu);
    const double psi = (tile.emitted(x, y) + mu * in_x + eta * in_y) / (1 + mu + eta);
    tile.at(x, y) += psi / (4 * angles);
    return psi;
}

void Sweeper::solve_line(Direction d, int y, int angle)
{
    for (int i = 0; i < tile.n; i++) {
        const int x = d.x > 0 ? i : tile.n - 1 - i;
        edge_x[y] = edge_y[x] = solve_cell(x, y, edge_x[y], edge_y[x], angle);
    }
}

void Sweeper::solve_tile(Direction d, int angle)
{
    for (int j = 0; j < tile.n; j++) {
        solve_line(d, d.y > 0 ? j : tile.n - 1 - j, angle);
        if (fault_pace(hits(FAULT_endless) && angle == 1))
            j = 0;
    }
    if (hits(FAULT_crash) && angle == 1)
        fault_crash();
}

void Sweeper::sweep_stage(Direction d, int stage, int angle)
{
    if (hits(FAULT_swap) && angle == 1) {
        send_edges(d, stage);
        receive_edges(d, stage);
        solve_tile(d, angle);
        return;
    }
    receive_edges(d, stage);
    if (!(hits(FAULT_skip_call) && angle == 2))
        solve_tile(d, angle);
    send_edges(d, stage);
}

void Sweeper::sweep_from(int corner)
{
    if (hits(FAULT_stuck) && corner == 2)
        fault_hang();
    for (int angle = 0; angle < angles; angle++)
        sweep_stage(directions[corner], corner * angles + angle, angle);
}

void Sweeper::sweep_all()
{
    const bool reversed = hits(FAULT_wrong_order);
    for (int corner = 0; corner < 4; corner++)
        sweep_from(reversed ? 3 - corner : corner);
}

void Sweeper::add_leakage()
{
    leakage = edge_x[0] + edge_y[0];
    if (hits(FAULT_abort))
        MPI_Abort(grid.all, 4);
    if (hits(FAULT_skip_collective))
        return;
    MPI_Reduce(&leakage, &row_leakage, 1, MPI_DOUBLE, hits(FAULT_wrong_op) ? MPI_PROD : MPI_SUM,
               hits(FAULT_wrong_root) ? 1 : 0, grid.row);
}

double Sweeper::largest_change()
{
    double own = tile.change(), largest = own;
    if (hits(FAULT_wrong_collective))
        MPI_Reduce(&own, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, grid.all);
    else
        MPI_Allreduce(&own, &largest, 1, MPI_DOUBLE, MPI_MAX, hits(FAULT_wrong_comm) ? grid.row : grid.all);
    return largest;
}

void Sweeper::run(int steps)
{
    double change = 1;
    for (step = 1; step <= steps && change > 1e-12; step++) {
        if (hits(FAULT_early_exit))
            break;
        tile.keep_flux();
        sweep_all();
        add_leakage();
        change = largest_change();
    }
}
} // namespace

int main(int argc, char **argv)
{
    Fault fault;
    int ranks;
    if (!fault_read(&fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &fault.own);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int steps = fault.steps > 0 ? fault.steps : 10;
    {
        Sweeper sweeper(fault, ranks, fault.size > 0 ? fault.size : 4);
        sweeper.run(fault_mine(&fault, FAULT_different_input) ? steps - 2 : steps);
    }
    MPI_Finalize();
    return 0;
}
