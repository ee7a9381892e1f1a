// A closed basin of shallow water: the grid is cut into strips of rows, one per rank; in a strip, OpenMP threads share
// the rows. Rank 0 writes the state of the gauges as the program goes on.
//
//     ocean FAULT -- [--config FILE] [--run NAME] [--precision DIGITS] [--log LEVEL] [--tags A,B,...]
//
// The water starts as a standing wave, whose height and currents the discrete equations only scale: three numbers tell
// what every point must have in the end.
#define OMPI_SKIP_MPICXX 1 // the C interface is enough
#include "fault.h"
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <mpi.h>
#include <omp.h>
#include <sstream>
#include <string>
#include <vector>

#define FAULTS(X)                                                                                                      \
    X(short_loop)                                                                                                      \
    X(half_steps)                                                                                                      \
    X(short_message)                                                                                                   \
    X(extra_barrier)                                                                                                   \
    X(one_thread)                                                                                                      \
    X(check_each)                                                                                                      \
    X(wrong_order)                                                                                                     \
    X(corrupt)                                                                                                         \
    X(skip_exchange)                                                                                                   \
    X(wrong_tag)                                                                                                       \
    X(wrong_peer)                                                                                                      \
    X(early_exit)                                                                                                      \
    X(stuck) X(crash) X(thread_crash) X(kill) X(skip_row) X(extra_row) X(wrong_op) X(skip_check) X(wrong_root) X(quiet)
FAULT_TABLE(FAULTS)

namespace
{
constexpr double gravity = 1, depth = 1, pi = 3.14159265358979323846;
constexpr int tag_north = 1, tag_south = 2;

// A field of a strip: one ghost row on either side.
class Field
{
  public:
    Field(int rows, int columns) : width(columns), value((size_t)(rows + 2) * (size_t)columns)
    {
    }
    __attribute__((always_inline)) double *row(int j)
    {
        return value.data() + (size_t)(j + 1) * (size_t)width;
    }

  private:
    int width;
    std::vector<double> value;
};

struct Config {
    int columns = 24, rows = 4, steps = 20, every = 5;
    double dt = 0.4;
};

class Ocean
{
  public:
    Ocean(const Fault &fault, int ranks, const Config &config)
        : fault(fault), rank(fault.own), ranks(ranks), config(config), height(config.rows, config.columns),
          east(config.rows, config.columns), north(config.rows, config.columns)
    {
    }
    Fault fault;
    int rank, ranks, step = 0;
    Config config;
    Field height, east, north; // east: the current over the right rim of a cell; north: over the upper one
    double largest = 0;
    std::ostringstream log;
    __attribute__((always_inline)) bool hits(int id) const
    {
        return fault_hits(&fault, id, step);
    }
    __attribute__((always_inline)) bool has(int id) const
    {
        return fault_mine(&fault, id);
    }
};

// ---- options and configuration ----

using Words = std::map<std::string, std::string>;

Words ReadOptions(int count, char **words)
{
    Words options;
    for (int i = 0; i + 1 < count; i += 2)
        options[std::string(words[i]).substr(2)] = words[i + 1];
    if (const char *level = std::getenv("OCEAN_LOG"))
        options["log"] = level;
    return options;
}

std::string JoinTags(const std::string &tags)
{
    std::istringstream input(tags);
    std::string joined;
    for (std::string tag; std::getline(input, tag, ',');)
        joined += " [" + tag + "]";
    return joined;
}

std::string MakeName(const Words &options, int rank)
{
    std::ostringstream name;
    auto run = options.find("run"), tags = options.find("tags");
    name << (run != options.end() ? run->second : "ocean") << "." << std::setw(4) << std::setfill('0') << rank;
    if (tags != options.end())
        name << JoinTags(tags->second);
    return name.str();
}

void SetValue(Config &config, const std::string &key, const std::string &text)
{
    if (key == "columns")
        config.columns = std::stoi(text);
    else if (key == "rows")
        config.rows = std::stoi(text);
    else if (key == "steps")
        config.steps = std::stoi(text);
    else if (key == "every")
        config.every = std::stoi(text);
    else if (key == "dt")
        config.dt = std::stod(text);
}

void ReadConfig(Config &config, const std::string &path)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string key, text;
        if (words >> key >> text)
            SetValue(config, key, text);
    }
}

Config ShareConfig(const Words &options, int rank)
{
    Config config;
    auto path = options.find("config");
    if (rank == 0 && path != options.end())
        ReadConfig(config, path->second);
    MPI_Bcast(&config, sizeof(config), MPI_BYTE, 0, MPI_COMM_WORLD);
    return config;
}

// ---- a step ----

void SendRow(Ocean &ocean, double *row, int to, int tag)
{
    int count = ocean.config.columns;
    if (ocean.has(FAULT_short_message))
        count--; // FAULT(short_message)
    if (ocean.hits(FAULT_wrong_tag))
        tag += 4; // FAULT(wrong_tag)
    if (ocean.hits(FAULT_wrong_peer))
        to = (to + 2) % ocean.ranks; // FAULT(wrong_peer)
    MPI_Send(row, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

void ReceiveRow(const Ocean &ocean, double *row, int from, int tag)
{
    MPI_Recv(row, ocean.config.columns, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The northern neighbour needs the current over our upper rim, the southern one our lowest height.
void ExchangeHeight(Ocean &ocean)
{
    if (ocean.hits(FAULT_corrupt)) {
        std::vector<double> unset((size_t)ocean.config.columns, 1e9);
        SendRow(ocean, unset.data(), ocean.rank - 1, tag_south); // FAULT(corrupt)
    } else if (ocean.rank > 0)
        SendRow(ocean, ocean.height.row(0), ocean.rank - 1, tag_south);
    if (ocean.rank + 1 < ocean.ranks)
        ReceiveRow(ocean, ocean.height.row(ocean.config.rows), ocean.rank + 1, tag_south);
}

void ExchangeCurrent(Ocean &ocean)
{
    int last = ocean.config.rows - 1;
    if (ocean.rank + 1 < ocean.ranks)
        SendRow(ocean, ocean.north.row(last), ocean.rank + 1, tag_north);
    if (ocean.rank > 0)
        ReceiveRow(ocean, ocean.north.row(-1), ocean.rank - 1, tag_north);
}

void DriveRow(Ocean &ocean, int j, double dt)
{
    double *height = ocean.height.row(j), *above = ocean.height.row(j + 1);
    bool wall = ocean.rank + 1 == ocean.ranks && j + 1 == ocean.config.rows;
    for (int i = 0; i + 1 < ocean.config.columns; i++)
        ocean.east.row(j)[i] -= gravity * dt * (height[i + 1] - height[i]);
    for (int i = 0; i < ocean.config.columns && !wall; i++)
        ocean.north.row(j)[i] -= gravity * dt * (above[i] - height[i]);
}

void FillRow(Ocean &ocean, int j, double dt)
{
    double *east = ocean.east.row(j), *north = ocean.north.row(j), *below = ocean.north.row(j - 1);
    for (int i = 0; i < ocean.config.columns; i++)
        ocean.height.row(j)[i] -= depth * dt * (east[i] - (i > 0 ? east[i - 1] : 0) + north[i] - below[i]);
    if (ocean.hits(FAULT_thread_crash) && omp_get_thread_num() == ocean.fault.thread)
        fault_crash(); // FAULT(thread_crash)
}

int TeamOf(const Ocean &ocean)
{
    return ocean.has(FAULT_one_thread) ? 1 : 2; // FAULT(one_thread)
}

void Drive(Ocean &ocean, double dt)
{
    int rows = ocean.config.rows;
    if (ocean.has(FAULT_short_loop))
        rows--; // FAULT(short_loop)
#pragma omp parallel for num_threads(TeamOf(ocean)) schedule(static)
    for (int j = 0; j < rows; j++)
        DriveRow(ocean, j, dt);
}

void Fill(Ocean &ocean, double dt)
{
    int first = ocean.hits(FAULT_skip_row) ? 1 : 0;
#pragma omp parallel for num_threads(TeamOf(ocean)) schedule(static)
    for (int j = first; j < ocean.config.rows; j++)
        FillRow(ocean, j, dt); // FAULT(skip_row)
    if (ocean.hits(FAULT_extra_row))
        FillRow(ocean, 0, dt); // FAULT(extra_row)
    if (ocean.hits(FAULT_crash))
        fault_crash(); // FAULT(crash)
}

void Advance(Ocean &ocean, double dt)
{
    if (ocean.hits(FAULT_wrong_order)) {
        ExchangeCurrent(ocean); // FAULT(wrong_order)
        Fill(ocean, dt);
        ExchangeHeight(ocean);
        Drive(ocean, dt);
        return;
    }
    if (!ocean.hits(FAULT_skip_exchange))
        ExchangeHeight(ocean); // FAULT(skip_exchange)
    Drive(ocean, dt);
    ExchangeCurrent(ocean);
    Fill(ocean, dt);
}

// ---- what is looked at ----

double LargestOfRow(Ocean &ocean, int j)
{
    double largest = 0;
    for (int i = 0; i < ocean.config.columns; i++)
        largest = std::fmax(largest, std::fabs(ocean.height.row(j)[i]));
    return largest;
}

void LookForBlowUp(Ocean &ocean)
{
    for (int j = 0; j < ocean.config.rows; j++)
        if (LargestOfRow(ocean, j) > 1e3) {
            std::cerr << "rank " << ocean.rank << ": the water has left the basin\n";
            MPI_Abort(MPI_COMM_WORLD, 7);
        }
}

void FindLargest(Ocean &ocean)
{
    double own = 0;
    for (int j = 0; j < ocean.config.rows; j++)
        own = std::fmax(own, LargestOfRow(ocean, j));
    MPI_Op op = MPI_MAX;
    if (ocean.hits(FAULT_wrong_op))
        op = MPI_SUM; // FAULT(wrong_op)
    if (!ocean.hits(FAULT_skip_check))
        MPI_Allreduce(&own, &ocean.largest, 1, MPI_DOUBLE, op, MPI_COMM_WORLD); // FAULT(skip_check)
}

void WriteGauges(Ocean &ocean)
{
    double own = ocean.height.row(0)[0];
    std::vector<double> all((size_t)ocean.ranks);
    int root = 0;
    if (ocean.hits(FAULT_wrong_root))
        root = 1; // FAULT(wrong_root)
    MPI_Gather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
    if (ocean.rank != 0 || ocean.hits(FAULT_quiet))
        return;
    ocean.log << "step " << ocean.step << ": " << ocean.largest; // FAULT(quiet)
    for (double gauge : all)
        ocean.log << ' ' << gauge;
    std::cout << ocean.log.str() << std::endl;
    ocean.log.str("");
}

void RunSteps(Ocean &ocean)
{
    int every = ocean.config.every;
    if (ocean.has(FAULT_check_each))
        every = 1; // FAULT(check_each)
    for (ocean.step = 1; ocean.step <= ocean.config.steps; ocean.step++) {
        if (ocean.hits(FAULT_early_exit))
            break; // FAULT(early_exit)
        if (ocean.hits(FAULT_stuck))
            fault_hang(); // FAULT(stuck)
        if (ocean.has(FAULT_half_steps)) {
            Advance(ocean, ocean.config.dt / 2); // FAULT(half_steps)
            Advance(ocean, ocean.config.dt / 2);
        } else
            Advance(ocean, ocean.config.dt);
        LookForBlowUp(ocean);
        if (ocean.hits(FAULT_kill))
            fault_kill(); // FAULT(kill)
        if (ocean.has(FAULT_extra_barrier))
            MPI_Barrier(MPI_COMM_WORLD); // FAULT(extra_barrier)
        if (ocean.step % every == 0)
            FindLargest(ocean);
        if (ocean.step % ocean.config.every == 0)
            WriteGauges(ocean);
    }
}

// ---- the wave ----

double WaveAt(const Ocean &ocean, int j, int i, double x, double y)
{
    return std::cos(x * (i + 0.5)) * std::cos(y * (ocean.rank * ocean.config.rows + j + 0.5));
}

void StartWave(Ocean &ocean, double x, double y)
{
    for (int j = -1; j <= ocean.config.rows; j++)
        for (int i = 0; i < ocean.config.columns; i++)
            ocean.height.row(j)[i] = WaveAt(ocean, j, i, x, y);
}

// How high the wave is after all steps.
double ScaleOfWave(const Config &config, double x, double y)
{
    double height = 1, east = 0, north = 0, along = 2 * std::sin(x / 2), across = 2 * std::sin(y / 2);
    for (int step = 0; step < config.steps; step++) {
        east += gravity * config.dt * along * height;
        north += gravity * config.dt * across * height;
        height -= depth * config.dt * (along * east + across * north);
    }
    return height;
}

void Check(Ocean &ocean, double x, double y)
{
    double scale = ScaleOfWave(ocean.config, x, y), own = 0, worst = 0;
    for (int j = 0; j < ocean.config.rows; j++)
        for (int i = 0; i < ocean.config.columns; i++)
            own = std::fmax(own, std::fabs(ocean.height.row(j)[i] - scale * WaveAt(ocean, j, i, x, y)));
    MPI_Reduce(&own, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (ocean.rank == 0)
        std::cout << (worst < 1e-10 ? "right" : "wrong") << std::endl;
}

void PrepareLog(Ocean &ocean, const Words &options)
{
    auto precision = options.find("precision"), level = options.find("log");
    ocean.log << std::setprecision(precision != options.end() ? std::stoi(precision->second) : 4);
    if (level != options.end() && (level->second == "debug" || level->second == "all"))
        std::cerr << MakeName(options, ocean.rank) + " starts, at level " + level->second + "\n";
}
} // namespace

int main(int argc, char **argv)
{
    Fault fault;
    int rank, ranks;
    if (!fault_read(&fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fault.own = rank;
    {
        Words options = ReadOptions(argc - fault.rest, argv + fault.rest);
        Ocean ocean(fault, ranks, ShareConfig(options, rank));
        double x = pi / ocean.config.columns, y = pi / (ocean.config.rows * ranks);
        PrepareLog(ocean, options);
        StartWave(ocean, x, y);
        RunSteps(ocean);
        Check(ocean, x, y);
    }
    MPI_Finalize();
    return 0;
}
