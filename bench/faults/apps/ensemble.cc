// Islands of searchers look for the lowest point of a rugged function. Rank 0 is the secretary: it reads the settings,
// takes the islands' reports as they come, writes a log and says when to stop. The other ranks are the islands' crews:
// the chief of an island breeds candidates, its crew polishes a share each, the chief keeps the better ones. In every
// second epoch chiefs send each other some of theirs.
//
//     ensemble FAULT -- [--settings=FILE] [--title=TEXT] [--table] [--precision=DIGITS]
//
// ENSEMBLE_TABLE=WIDTH is as --table, with columns so wide. In the end rank 0 looks whether what the islands found is
// as low as they say, and as low as it should be.
#define OMPI_SKIP_MPICXX
#include "fault.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <mpi.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#define FAULTS(X)                                                                                                      \
    X(skip_report)                                                                                                     \
    X(double_report)                                                                                                   \
    X(wrong_tag)                                                                                                       \
    X(wrong_peer)                                                                                                      \
    X(wrong_root)                                                                                                      \
    X(wrong_island)                                                                                                    \
    X(wrong_op)                                                                                                        \
    X(wrong_counts)                                                                                                    \
    X(short_gather)                                                                                                    \
    X(extra_barrier)                                                                                                   \
    X(skip_spread)                                                                                                     \
    X(skip_migration)                                                                                                  \
    X(swapped)                                                                                                         \
    X(early_exit)                                                                                                      \
    X(early_stop)                                                                                                      \
    X(misread)                                                                                                         \
    X(other_seed)                                                                                                      \
    X(spoil)                                                                                                           \
    X(crash)                                                                                                           \
    X(out_of_range)                                                                                                    \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(endless)                                                                                                         \
    X(kill)                                                                                                            \
    X(coarse)                                                                                                          \
    X(more_rounds)                                                                                                     \
    X(all_gather) X(epoch_barrier) X(skip_sort) X(polish_twice) X(skip_log) X(gather_all) X(final_barrier)
FAULT_TABLE(FAULTS)

enum { DIMENSIONS = 5, CREW = 3, MIGRANTS = 2, TAG_REPORT = 3, TAG_VERDICT, TAG_MIGRANT };
enum { GO_ON = 1, STOP };

struct Candidate {
    double place[DIMENSIONS], height;
};

struct Report {
    double best, spread;
    int epoch, island;
};

// What all ranks know: told by rank 0.
struct Plan {
    double tolerance, step, seed;
    int population, epochs, patience, rounds;
};

struct Options {
    std::string settings, title;
    int width = 0, precision = 4;
};

struct Ensemble {
    Fault fault;
    Options options;
    Plan plan;
    int ranks, islands, epoch;
    MPI_Comm searchers, island, chiefs;
    int island_number, place, crew;
    unsigned long long state;
    std::vector<Candidate> now, next;
    double spread;
};

FAULT_INLINE int Strikes(const Ensemble &ensemble, int id)
{
    return fault_hits(&ensemble.fault, id, ensemble.epoch);
}

FAULT_INLINE int Has(const Ensemble &ensemble, int id)
{
    return fault_mine(&ensemble.fault, id);
}

// ---- options and settings ----

static bool StartsWith(const std::string &word, const std::string &start, std::string &rest)
{
    if (word.compare(0, start.size(), start) != 0)
        return false;
    rest = word.substr(start.size());
    return true;
}

static void ReadOptions(Options &options, const std::vector<std::string> &words)
{
    std::string value;
    if (const char *width = std::getenv("ENSEMBLE_TABLE"))
        options.width = std::atoi(width);
    for (const std::string &word : words)
        if (StartsWith(word, "--settings=", value))
            options.settings = value;
        else if (StartsWith(word, "--title=", value))
            options.title = value;
        else if (StartsWith(word, "--precision=", value))
            options.precision = std::stoi(value);
        else if (word == "--table")
            options.width = 14;
        else
            throw std::invalid_argument("unknown option: " + word);
}

static void ReadSetting(std::map<std::string, double> &settings, std::string line)
{
    line = line.substr(0, line.find(';'));
    size_t middle = line.find('=');
    if (middle == std::string::npos)
        return;
    std::istringstream key(line.substr(0, middle)), value(line.substr(middle + 1));
    std::string name;
    double number;
    if (key >> name && value >> number)
        settings[name] = number;
}

static void ReadSettings(Ensemble &ensemble, std::map<std::string, double> &settings)
{
    std::ifstream file(ensemble.options.settings);
    if (!file)
        throw std::runtime_error("cannot read " + ensemble.options.settings);
    int number = 0;
    for (std::string line; std::getline(file, line);)
        if (!(Has(ensemble, FAULT_misread) && ++number == ensemble.fault.at))
            ReadSetting(settings, line); // FAULT(misread)
}

static void MakePlan(Ensemble &ensemble)
{
    if (ensemble.fault.own == 0) {
        std::map<std::string, double> settings{{"tolerance", 0.05}, {"step", 0.5},   {"seed", 11}, {"population", 9},
                                               {"epochs", 16},      {"patience", 2}, {"rounds", 3}};
        if (!ensemble.options.settings.empty())
            ReadSettings(ensemble, settings);
        ensemble.plan = {settings["tolerance"],
                         settings["step"],
                         settings["seed"],
                         static_cast<int>(settings["population"]),
                         static_cast<int>(settings["epochs"]),
                         static_cast<int>(settings["patience"]),
                         static_cast<int>(settings["rounds"])};
    }
    MPI_Bcast(&ensemble.plan, sizeof(Plan), MPI_BYTE, 0, MPI_COMM_WORLD);
}

// ---- the function and the search ----

static double Height(const double *place)
{
    double sum = 0;
    for (int i = 0; i < DIMENSIONS; i++) {
        double off = place[i] - 0.3 * (i + 1);
        sum += off * off + 1.5 * (1 - std::cos(4 * off));
    }
    return sum;
}

static double Draw(Ensemble &ensemble)
{
    ensemble.state = ensemble.state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(ensemble.state >> 40) / (1 << 24);
}

static void FirstCandidates(Ensemble &ensemble)
{
    ensemble.state = static_cast<unsigned long long>(ensemble.plan.seed) + 977ull * ensemble.island_number;
    if (Has(ensemble, FAULT_other_seed))
        ensemble.state += 4; // FAULT(other_seed)
    ensemble.now.resize(ensemble.plan.population);
    for (Candidate &candidate : ensemble.now) {
        for (double &coordinate : candidate.place)
            coordinate = 8 * Draw(ensemble) - 4;
        candidate.height = Height(candidate.place);
    }
    ensemble.next = ensemble.now;
}

// Each a mixture of three others, as in differential evolution.
static void Breed(Ensemble &ensemble)
{
    const Candidate *now = ensemble.now.data();
    int count = ensemble.plan.population;
    for (int i = 0; i < count; i++) {
        int first = static_cast<int>(Draw(ensemble) * count), second = (i + 1 + first) % count;
        double *place = ensemble.next.data()[i].place;
        for (int k = 0; k < DIMENSIONS; k++)
            place[k] = now[first].place[k] + 0.7 * (now[i].place[k] - now[second].place[k]);
    }
}

static bool TryStep(Candidate &candidate, int coordinate, double step)
{
    double before = candidate.place[coordinate];
    candidate.place[coordinate] += step;
    double height = Height(candidate.place);
    if (height < candidate.height) {
        candidate.height = height;
        return true;
    }
    candidate.place[coordinate] = before;
    return false;
}

// Steps along the axes, shorter when none helps.
static void Polish(Ensemble &ensemble, Candidate &candidate)
{
    int rounds = ensemble.plan.rounds;
    double step = ensemble.plan.step;
    candidate.height = Height(candidate.place);
    if (Has(ensemble, FAULT_more_rounds))
        rounds++; // FAULT(more_rounds)
    while (fault_pace(Strikes(ensemble, FAULT_endless)))
        TryStep(candidate, 0, step); // FAULT(endless)
    for (int round = 0; round < rounds; round++) {
        bool better = false;
        for (int i = 0; i < DIMENSIONS; i++)
            better |= TryStep(candidate, i, step) || TryStep(candidate, i, -step);
        if (!better)
            step /= 2;
    }
}

static void ShareOf(const Ensemble &ensemble, int place, int &first, int &count)
{
    int total = ensemble.plan.population;
    first = total * place / ensemble.crew;
    count = total * (place + 1) / ensemble.crew - first;
}

static void PolishShare(Ensemble &ensemble)
{
    int first, count;
    ShareOf(ensemble, ensemble.place, first, count);
    if (Strikes(ensemble, FAULT_crash))
        fault_crash(); // FAULT(crash)
    if (Strikes(ensemble, FAULT_stuck))
        fault_hang(); // FAULT(stuck)
    if (Strikes(ensemble, FAULT_out_of_range))
        ensemble.next.at(first + ensemble.plan.population).height = 0; // FAULT(out_of_range)
    for (int i = first; i < first + count; i++) {
        Polish(ensemble, ensemble.next.data()[i]);
        if (Has(ensemble, FAULT_polish_twice))
            Polish(ensemble, ensemble.next.data()[i]); // FAULT(polish_twice)
    }
    if (Strikes(ensemble, FAULT_spoil))
        ensemble.next.data()[first].height = -5 - count; // FAULT(spoil)
}

// ---- an island ----

static void ShareCandidates(Ensemble &ensemble)
{
    int root = 0;
    if (Strikes(ensemble, FAULT_wrong_root))
        root = ensemble.crew - 1; // FAULT(wrong_root)
    MPI_Bcast(ensemble.next.data(), ensemble.plan.population * static_cast<int>(sizeof(Candidate)), MPI_BYTE, root,
              ensemble.island);
}

static void CollectCandidates(Ensemble &ensemble)
{
    std::vector<int> counts(ensemble.crew), starts(ensemble.crew);
    int size = sizeof(Candidate);
    for (int i = 0; i < ensemble.crew; i++) {
        ShareOf(ensemble, i, starts[i], counts[i]);
        starts[i] *= size;
        counts[i] *= size;
    }
    std::vector<Candidate> all(ensemble.plan.population);
    char *own = reinterpret_cast<char *>(ensemble.next.data()) + starts[ensemble.place];
    int count = counts[ensemble.place];
    if (Strikes(ensemble, FAULT_short_gather))
        count -= size; // FAULT(short_gather)
    if (Has(ensemble, FAULT_all_gather))
        MPI_Allgatherv(own, count, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE,
                       ensemble.island); // FAULT(all_gather)
    else
        MPI_Gatherv(own, count, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, 0, ensemble.island);
    if (ensemble.place == 0)
        ensemble.next = all;
}

static void SortCandidates(std::vector<Candidate> &candidates)
{
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate &one, const Candidate &other) { return one.height < other.height; });
}

static void Select(Ensemble &ensemble)
{
    for (int i = 0; i < ensemble.plan.population; i++) {
        const Candidate &child = ensemble.next.data()[i];
        Candidate &parent = ensemble.now.data()[i];
        if (child.height < 0)
            throw std::domain_error("candidate " + std::to_string(i) + " lies below the ground");
        if (child.height < parent.height)
            parent = child;
    }
    if (!Has(ensemble, FAULT_skip_sort))
        SortCandidates(ensemble.now); // FAULT(skip_sort)
}

static double FurthestOff(const Ensemble &ensemble)
{
    double furthest = 0;
    int first, count;
    ShareOf(ensemble, ensemble.place, first, count);
    for (int i = first; i < first + count; i++)
        furthest = std::max(furthest, ensemble.next.data()[i].height);
    return furthest;
}

// The highest of all searchers.
static void MeasureSpread(Ensemble &ensemble)
{
    double own = FurthestOff(ensemble);
    MPI_Op op = MPI_MAX;
    if (Strikes(ensemble, FAULT_wrong_op))
        op = MPI_SUM; // FAULT(wrong_op)
    if (!Strikes(ensemble, FAULT_skip_spread))
        MPI_Allreduce(&own, &ensemble.spread, 1, MPI_DOUBLE, op, ensemble.searchers); // FAULT(skip_spread)
    if (Strikes(ensemble, FAULT_extra_barrier))
        MPI_Barrier(ensemble.island); // FAULT(extra_barrier)
}

// ---- chiefs ----

static double BestHeight(const Ensemble &ensemble)
{
    double best = HUGE_VAL;
    for (const Candidate &candidate : ensemble.now)
        best = std::min(best, candidate.height);
    return best;
}

static void SendReport(Ensemble &ensemble)
{
    Report report{BestHeight(ensemble), ensemble.spread, ensemble.epoch, ensemble.island_number};
    int tag = TAG_REPORT;
    if (Strikes(ensemble, FAULT_wrong_tag))
        tag = TAG_VERDICT; // FAULT(wrong_tag)
    if (!Strikes(ensemble, FAULT_skip_report))
        MPI_Send(&report, sizeof(report), MPI_BYTE, 0, tag, MPI_COMM_WORLD); // FAULT(skip_report)
    if (Strikes(ensemble, FAULT_double_report))
        MPI_Send(&report, sizeof(report), MPI_BYTE, 0, tag, MPI_COMM_WORLD); // FAULT(double_report)
}

static void TakeMigrants(Ensemble &ensemble, const std::vector<Candidate> &migrants)
{
    size_t place = ensemble.now.size();
    for (const Candidate &migrant : migrants)
        if (place > 1 && migrant.height < ensemble.now[place - 1].height)
            ensemble.now[--place] = migrant;
}

// Each chief sends the next one the most, and none to the one before.
static void Migrate(Ensemble &ensemble)
{
    int own, chiefs, size = sizeof(Candidate), coming = 0;
    MPI_Comm_rank(ensemble.chiefs, &own);
    MPI_Comm_size(ensemble.chiefs, &chiefs);
    std::vector<int> leave(chiefs), come(chiefs), from(chiefs), to(chiefs);
    for (int i = 1; i + 1 < chiefs; i++)
        leave[(own + i) % chiefs] = size * std::max(1, MIGRANTS - i + 1);
    MPI_Alltoall(leave.data(), 1, MPI_INT, come.data(), 1, MPI_INT, ensemble.chiefs);
    for (int i = 0; i < chiefs; i++) {
        to[i] = coming;
        coming += come[i];
    }
    if (Strikes(ensemble, FAULT_wrong_counts))
        leave[(own + 1) % chiefs] += size; // FAULT(wrong_counts)
    std::vector<Candidate> migrants(coming / size);
    MPI_Alltoallv(ensemble.now.data(), leave.data(), from.data(), MPI_BYTE, migrants.data(), come.data(), to.data(),
                  MPI_BYTE, ensemble.chiefs);
    TakeMigrants(ensemble, migrants);
}

static int HearVerdict(Ensemble &ensemble)
{
    int verdict = 0;
    if (ensemble.place == 0)
        MPI_Recv(&verdict, 1, MPI_INT, 0, TAG_VERDICT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&verdict, 1, MPI_INT, 0, ensemble.island);
    return verdict;
}

static void SearchEpoch(Ensemble &ensemble)
{
    if (ensemble.place == 0)
        Breed(ensemble);
    ShareCandidates(ensemble);
    PolishShare(ensemble);
    CollectCandidates(ensemble);
    if (ensemble.place == 0)
        Select(ensemble);
    MeasureSpread(ensemble);
    if (Has(ensemble, FAULT_epoch_barrier))
        MPI_Barrier(ensemble.searchers); // FAULT(epoch_barrier)
}

static void Search(Ensemble &ensemble)
{
    FirstCandidates(ensemble);
    for (ensemble.epoch = 1;; ensemble.epoch++) {
        bool chief = ensemble.place == 0, migrates = chief && ensemble.epoch % 2 == 0;
        if (Strikes(ensemble, FAULT_early_exit))
            break; // FAULT(early_exit)
        SearchEpoch(ensemble);
        if (Strikes(ensemble, FAULT_swapped))
            Migrate(ensemble); // FAULT(swapped)
        if (chief)
            SendReport(ensemble);
        if (Strikes(ensemble, FAULT_abort))
            MPI_Abort(MPI_COMM_WORLD, 3); // FAULT(abort)
        if (HearVerdict(ensemble) == STOP)
            break;
        if (migrates && !Has(ensemble, FAULT_skip_migration) && !Strikes(ensemble, FAULT_swapped))
            Migrate(ensemble); // FAULT(skip_migration)
    }
}

// ---- the secretary ----

static void WriteLog(const Ensemble &ensemble, double best, double spread)
{
    const Options &options = ensemble.options;
    std::ostringstream line;
    line << std::setprecision(options.precision);
    if (options.width > 0)
        line << std::setw(options.width) << ensemble.epoch << std::setw(options.width) << best
             << std::setw(options.width) << spread;
    else
        line << "epoch " << ensemble.epoch << ": best " << best << ", spread " << spread;
    std::cout << line.str() << '\n';
}

static double CollectReports(Ensemble &ensemble, double &spread)
{
    double best = HUGE_VAL;
    for (int i = 0; i < ensemble.islands; i++) {
        Report report;
        MPI_Recv(&report, sizeof(report), MPI_BYTE, MPI_ANY_SOURCE, TAG_REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (report.epoch != ensemble.epoch)
            throw std::logic_error("island " + std::to_string(report.island) + " reports of another epoch");
        best = std::min(best, report.best);
        spread = std::max(spread, report.spread);
    }
    return best;
}

static void SendVerdicts(Ensemble &ensemble, int verdict)
{
    for (int i = 0; i < ensemble.islands; i++) {
        int to = 1 + i * CREW;
        if (Strikes(ensemble, FAULT_wrong_peer) && i == 1)
            to++; // FAULT(wrong_peer)
        MPI_Send(&verdict, 1, MPI_INT, to, TAG_VERDICT, MPI_COMM_WORLD);
    }
}

static void KeepMinutes(Ensemble &ensemble)
{
    double before = HUGE_VAL, tolerance = ensemble.plan.tolerance;
    int idle = 0, verdict = GO_ON;
    if (Has(ensemble, FAULT_coarse))
        tolerance *= 10; // FAULT(coarse)
    for (ensemble.epoch = 1; verdict == GO_ON; ensemble.epoch++) {
        double spread = 0, best = CollectReports(ensemble, spread);
        idle = before - best < tolerance ? idle + 1 : 0;
        before = best;
        if (!Strikes(ensemble, FAULT_skip_log))
            WriteLog(ensemble, best, spread); // FAULT(skip_log)
        if (Strikes(ensemble, FAULT_kill))
            fault_kill(); // FAULT(kill)
        if (idle >= ensemble.plan.patience || ensemble.epoch == ensemble.plan.epochs)
            verdict = STOP;
        if (Strikes(ensemble, FAULT_early_stop))
            verdict = STOP; // FAULT(early_stop)
        SendVerdicts(ensemble, verdict);
    }
}

// ---- the whole ----

static void FormIslands(Ensemble &ensemble)
{
    int own = ensemble.fault.own, colour = own == 0 ? MPI_UNDEFINED : (own - 1) / CREW;
    ensemble.islands = (ensemble.ranks - 1) / CREW;
    ensemble.island_number = colour;
    if (Has(ensemble, FAULT_wrong_island))
        colour = 0; // FAULT(wrong_island)
    MPI_Comm_split(MPI_COMM_WORLD, own > 0 ? 0 : MPI_UNDEFINED, own, &ensemble.searchers);
    MPI_Comm_split(MPI_COMM_WORLD, colour, own, &ensemble.island);
    if (own > 0) {
        MPI_Comm_rank(ensemble.island, &ensemble.place);
        MPI_Comm_size(ensemble.island, &ensemble.crew);
    }
    MPI_Comm_split(MPI_COMM_WORLD, own > 0 && ensemble.place == 0 ? 0 : MPI_UNDEFINED, own, &ensemble.chiefs);
}

static void CheckBest(Ensemble &ensemble)
{
    Candidate best{};
    best.height = HUGE_VAL;
    if (ensemble.fault.own > 0 && ensemble.place == 0)
        best = *std::min_element(ensemble.now.begin(), ensemble.now.end(),
                                 [](const Candidate &a, const Candidate &b) { return a.height < b.height; });
    std::vector<Candidate> all(ensemble.ranks);
    if (Has(ensemble, FAULT_gather_all))
        MPI_Allgather(&best, sizeof(best), MPI_BYTE, all.data(), sizeof(best), MPI_BYTE,
                      MPI_COMM_WORLD); // FAULT(gather_all)
    else
        MPI_Gather(&best, sizeof(best), MPI_BYTE, all.data(), sizeof(best), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (Has(ensemble, FAULT_final_barrier))
        MPI_Barrier(MPI_COMM_WORLD); // FAULT(final_barrier)
    if (ensemble.fault.own != 0)
        return;
    bool right = true;
    for (const Candidate &candidate : all)
        right &= candidate.height > 1e300 || std::fabs(candidate.height - Height(candidate.place)) < 1e-12;
    for (const Candidate &candidate : all)
        best.height = std::min(best.height, candidate.height);
    std::cout << (right && best.height < 0.5 ? "right" : "wrong") << std::endl;
}

static void Introduce(const Ensemble &ensemble)
{
    if (ensemble.options.title.empty())
        return;
    std::ostringstream text;
    text << ensemble.options.title << ", rank " << ensemble.fault.own;
    if (ensemble.fault.own > 0)
        text << ": island " << ensemble.island_number << ", place " << ensemble.place;
    std::cerr << text.str() << std::endl;
}

static void Run(Ensemble &ensemble, const std::vector<std::string> &words)
{
    ReadOptions(ensemble.options, words);
    MakePlan(ensemble);
    FormIslands(ensemble);
    Introduce(ensemble);
    if (ensemble.fault.own == 0)
        KeepMinutes(ensemble);
    else
        Search(ensemble);
    CheckBest(ensemble);
}

int main(int argc, char **argv)
{
    static Ensemble ensemble;
    if (!fault_read(&ensemble.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ensemble.fault.own);
    MPI_Comm_size(MPI_COMM_WORLD, &ensemble.ranks);
    try {
        if (ensemble.ranks < 1 + CREW || (ensemble.ranks - 1) % CREW != 0)
            throw std::invalid_argument("one rank and some islands of " + std::to_string(CREW));
        Run(ensemble, std::vector<std::string>(argv + ensemble.fault.rest, argv + argc));
    } catch (const std::exception &problem) {
        std::cerr << "rank " << ensemble.fault.own << ": " << problem.what() << std::endl;
        MPI_Abort(MPI_COMM_WORLD, 8);
    }
    MPI_Finalize();
    return 0;
}
