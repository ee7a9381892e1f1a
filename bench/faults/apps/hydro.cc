// Shock waves in a chain of slabs, in the manner of the hydrodynamics proxies: a time-step driver over many small
// functions, OpenMP loops over elements and nodes, ghost layers between neighbours, a global time step.
#define OMPI_SKIP_MPICXX 1 // the C interface is enough
#include "fault.h"
#include <cmath>
#include <mpi.h>
#include <omp.h>
#include <vector>

#define FAULTS(X)                                                                                                      \
    X(never_steps)                                                                                                     \
    X(skip_call)                                                                                                       \
    X(wrong_order)                                                                                                     \
    X(extra_call)                                                                                                      \
    X(early_exit)                                                                                                      \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(endless)                                                                                                         \
    X(wrong_op)                                                                                                        \
    X(different_input) X(corrupt_ghost) X(missing_critical) X(stuck) X(wrong_tag) X(skip_communication) X(thread_crash)
FAULT_TABLE(FAULTS)

namespace
{
class Domain
{
  public:
    Domain(const Fault &fault, int rank, int ranks, int elements)
        : fault(fault), rank(rank), ranks(ranks), position(elements + 1), velocity(elements + 1), force(elements + 1),
          energy(elements), pressure(elements), volume(elements, 1.0)
    {
    }
    Fault fault;
    int rank, ranks, cycle = 0;
    double dt = 1e-3, time = 0, courant = 1e-3;
    std::vector<double> position, velocity, force, energy, pressure, volume;
    double ghost_left = 0, ghost_right = 0;
    int elements() const
    {
        return (int)energy.size();
    }
    // Inline, so that no call of it is in a trace.
    __attribute__((always_inline)) bool hits(int id) const
    {
        return fault_hits(&fault, id, cycle);
    }
};

void InitMesh(Domain &domain)
{
    for (size_t i = 0; i < domain.position.size(); i++)
        domain.position[i] = (double)(domain.rank * domain.elements()) + (double)i;
    for (size_t e = 0; e < domain.energy.size(); e++)
        domain.energy[e] = 1.0 + 0.1 * (double)((e + (size_t)domain.rank) % 4);
    if (fault_mine(&domain.fault, FAULT_different_input))
        domain.energy[1] = 60.0;
}

void SendGhost(int to, double value, int tag)
{
    MPI_Send(&value, 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

double RecvGhost(int from, int tag)
{
    double value = 0;
    MPI_Recv(&value, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

void CommGhosts(Domain &domain)
{
    double left = domain.pressure.front(), right = domain.pressure.back();
    int tag = domain.hits(FAULT_wrong_tag) ? 20 : 10;
    if (domain.hits(FAULT_corrupt_ghost))
        right = 500.0;
    if (domain.rank > 0)
        SendGhost(domain.rank - 1, left, tag);
    if (domain.rank + 1 < domain.ranks)
        SendGhost(domain.rank + 1, right, tag + 1);
    if (domain.rank + 1 < domain.ranks)
        domain.ghost_right = RecvGhost(domain.rank + 1, 10);
    if (domain.rank > 0)
        domain.ghost_left = RecvGhost(domain.rank - 1, 11);
}

double StressOf(const Domain &domain, int element)
{
    return element < 0                    ? domain.ghost_left
           : element >= domain.elements() ? domain.ghost_right
                                          : domain.pressure[(size_t)element];
}

void CalcForceForNodes(Domain &domain)
{
    int nodes = domain.elements() + 1;
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < nodes; i++)
        domain.force[(size_t)i] = StressOf(domain, i - 1) - StressOf(domain, i);
}

void CalcVelocityForNodes(Domain &domain)
{
    for (size_t i = 0; i < domain.velocity.size(); i++)
        domain.velocity[i] += domain.dt * domain.force[i];
}

void CalcPositionForNodes(Domain &domain)
{
    for (size_t i = 0; i < domain.position.size(); i++)
        domain.position[i] += domain.dt * domain.velocity[i];
}

void LagrangeNodal(Domain &domain)
{
    if (!domain.hits(FAULT_skip_communication))
        CommGhosts(domain);
    CalcForceForNodes(domain);
    if (domain.hits(FAULT_wrong_order)) {
        CalcPositionForNodes(domain);
        CalcVelocityForNodes(domain);
        return;
    }
    CalcVelocityForNodes(domain);
    if (!domain.hits(FAULT_skip_call))
        CalcPositionForNodes(domain);
}

void CalcElemVolume(Domain &domain)
{
    for (size_t e = 0; e < domain.volume.size(); e++)
        domain.volume[e] = domain.position[e + 1] - domain.position[e];
}

void CheckVolume(const Domain &domain)
{
    for (double volume : domain.volume)
        if (volume <= 0 || domain.hits(FAULT_abort))
            MPI_Abort(MPI_COMM_WORLD, 4);
}

double CalcPressure(double energy, double volume)
{
    return 0.4 * energy / volume;
}

// One step of the implicit equation of state; how far it still is from its solution.
double IterateEnergy(double &energy, double target)
{
    double before = energy;
    energy = 0.5 * (energy + target / energy);
    return std::fabs(energy - before);
}

void EvalEOSForElem(Domain &domain, int e)
{
    double energy = domain.energy[(size_t)e], change = 1;
    double target = energy * energy + 0.01 * std::fabs(domain.ghost_left - domain.pressure[(size_t)e]);
    while (change > 1e-7 || fault_pace(domain.hits(FAULT_endless)))
        change = IterateEnergy(energy, target);
    if (domain.hits(FAULT_thread_crash) && e == domain.elements() - 1)
        fault_crash();
    domain.energy[(size_t)e] = energy;
    domain.pressure[(size_t)e] = CalcPressure(energy, domain.volume[(size_t)e]);
}

void EvalEOS(Domain &domain)
{
    int elements = domain.elements();
    if (domain.hits(FAULT_crash))
        fault_crash();
#pragma omp parallel for num_threads(2) schedule(static)
    for (int e = 0; e < elements; e++)
        EvalEOSForElem(domain, e);
}

double CourantOfElem(const Domain &domain, size_t e)
{
    return 1e-2 * domain.volume[e] / std::sqrt(domain.energy[e] + 1.0);
}

void CalcTimeConstraints(Domain &domain)
{
    domain.courant = 1.0;
#pragma omp parallel num_threads(2)
    {
        int thread = omp_get_thread_num();
        double own = 1.0;
        for (size_t e = (size_t)thread; e < domain.energy.size(); e += 2)
            own = std::fmin(own, CourantOfElem(domain, e));
        if (domain.hits(FAULT_missing_critical) && thread == domain.fault.thread)
            domain.courant = std::fmin(domain.courant, own);
        else
#pragma omp critical
            domain.courant = std::fmin(domain.courant, own);
    }
}

void LagrangeElements(Domain &domain)
{
    CalcElemVolume(domain);
    CheckVolume(domain);
    EvalEOS(domain);
    if (domain.hits(FAULT_extra_call))
        EvalEOS(domain);
}

void TimeIncrement(Domain &domain)
{
    double own = domain.courant;
    MPI_Allreduce(&own, &domain.dt, 1, MPI_DOUBLE, domain.hits(FAULT_wrong_op) ? MPI_MAX : MPI_MIN, MPI_COMM_WORLD);
    domain.time += domain.dt;
}

void LagrangeLeapFrog(Domain &domain)
{
    LagrangeNodal(domain);
    LagrangeElements(domain);
    CalcTimeConstraints(domain);
}

void RunCycles(Domain &domain, int cycles)
{
    for (domain.cycle = 1; domain.cycle <= cycles; domain.cycle++) {
        if (domain.hits(FAULT_early_exit))
            break;
        if (domain.hits(FAULT_stuck))
            fault_hang();
        TimeIncrement(domain);
        if (!fault_mine(&domain.fault, FAULT_never_steps))
            LagrangeLeapFrog(domain);
    }
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
        Domain domain(fault, rank, ranks, fault.size > 0 ? fault.size : 10);
        InitMesh(domain);
        RunCycles(domain, fault.steps > 0 ? fault.steps : 15);
    }
    MPI_Finalize();
    return 0;
}
