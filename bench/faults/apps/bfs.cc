// Breadth-first searches in a random graph. Its vertices are dealt out to the processes in blocks, each with its edges.
// A level of a search offers the neighbours of the frontier to their owners by MPI_Alltoallv; a search ends when the
// frontiers of all are empty, which they agree upon without blocking. Every search is verified as Graph 500 does: along
// an edge levels differ by one at most, and a parent is exactly one level up.
#define OMPI_SKIP_MPICXX 1 // the C interface is enough
#include "fault.h"
#include <cstdio>
#include <mpi.h>
#include <vector>

#define FAULTS(X)                                                                                                      \
    X(skip_exchange)                                                                                                   \
    X(skip_visit)                                                                                                      \
    X(extra_level)                                                                                                     \
    X(early_exit)                                                                                                      \
    X(endless)                                                                                                         \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(slow)                                                                                                            \
    X(wrong_peer)                                                                                                      \
    X(wrong_root)                                                                                                      \
    X(wrong_op)                                                                                                        \
    X(wrong_comm)                                                                                                      \
    X(long_count)                                                                                                      \
    X(leak) X(skip_collective) X(mismatch) X(livelock) X(corrupt) X(double_init) X(different_input) X(wrong_order)
FAULT_TABLE(FAULTS)

namespace
{
constexpr int group_size = 4, struck_level = 2; // most faults strike the second level of a search
constexpr int unseen = -1;

// What a vertex's owner is told: of the build an edge, of a search a parent, of the check a level.
struct Message {
    int vertex, value;
};

using Outbox = std::vector<std::vector<Message>>; // by receiver

struct World {
    explicit World(const Fault &fault) : fault(fault)
    {
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        MPI_Comm_split(MPI_COMM_WORLD, fault.own / group_size, fault.own, &group);
    }
    ~World()
    {
        MPI_Comm_free(&group);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;
    __attribute__((always_inline)) bool hits(int id) const
    {
        return level == struck_level && fault_hits(&fault, id, search);
    }
    Fault fault;
    int ranks = 0, search = 0, level = 0;
    MPI_Comm group = MPI_COMM_NULL;
};

std::vector<int> OffsetsOf(const std::vector<int> &count)
{
    std::vector<int> offset(count.size() + 1, 0);
    for (size_t i = 0; i < count.size(); i++)
        offset[i + 1] = offset[i] + count[i];
    return offset;
}

std::vector<Message> Flatten(const Outbox &outbox)
{
    std::vector<Message> flat;
    for (const auto &messages : outbox)
        flat.insert(flat.end(), messages.begin(), messages.end());
    return flat;
}

std::vector<Message> Exchange(const World &world, const Outbox &outbox)
{
    std::vector<int> sent(outbox.size()), received(outbox.size());
    for (size_t i = 0; i < outbox.size(); i++)
        sent[i] = 2 * (int)outbox[i].size();
    MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const std::vector<Message> out = Flatten(outbox);
    const std::vector<int> to = OffsetsOf(sent), from = OffsetsOf(received);
    std::vector<Message> in((size_t)from.back() / 2);
    if (world.hits(FAULT_long_count))
        sent.front() += 2;
    MPI_Alltoallv(out.data(), sent.data(), to.data(), MPI_INT, in.data(), received.data(), from.data(), MPI_INT,
                  MPI_COMM_WORLD);
    return in;
}

class Graph
{
  public:
    Graph(const World &world, int block, int degree)
        : block(block), first(world.fault.own * block), edges((size_t)block)
    {
        Outbox outbox((size_t)world.ranks);
        unsigned seed = 4243u + 7919u * (unsigned)world.fault.own;
        for (int vertex = first; vertex < first + block; vertex++)
            for (int i = 0; i < degree; i++)
                Connect(outbox, vertex, Draw(seed) % (block * world.ranks));
        for (const Message &edge : Exchange(world, outbox))
            EdgesOf(edge.vertex).push_back(edge.value);
    }
    int Owner(int vertex) const
    {
        return vertex / block;
    }
    std::vector<int> &EdgesOf(int vertex)
    {
        return edges[(size_t)(vertex - first)];
    }
    const int block, first;

  private:
    static int Draw(unsigned &seed)
    {
        seed = seed * 1103515245u + 12345u;
        return (int)(seed >> 8 & 0xffff);
    }
    void Connect(Outbox &outbox, int a, int b)
    {
        EdgesOf(a).push_back(b);
        outbox[(size_t)Owner(b)].push_back({b, a});
    }
    std::vector<std::vector<int>> edges;
};

class Search
{
  public:
    Search(World &world, Graph &graph) : world(world), graph(graph), level(graph.block, unseen), parent(level)
    {
    }
    void Run(int root);
    bool IsRight();
    void Report();

  private:
    int &LevelOf(int vertex)
    {
        return level[(size_t)(vertex - graph.first)];
    }
    int &ParentOf(int vertex)
    {
        return parent[(size_t)(vertex - graph.first)];
    }
    void Clear();
    void Offer(Outbox &outbox, int vertex);
    Outbox Expand();
    void Visit(const Message &offer);
    void TakeLevel();
    int CountFrontiers();
    void WaitForAll(MPI_Request &request);
    void TellOwners(Outbox &outbox, int vertex);
    int CountWrong(const Message &claim);
    World &world;
    Graph &graph;
    std::vector<int> level, parent, frontier, next;
    int visited = 0; // by all
};

void Search::Clear()
{
    level.assign(level.size(), unseen);
    parent = level;
    frontier.clear();
    next.clear();
}

void Search::Offer(Outbox &outbox, int vertex)
{
    for (int neighbour : graph.EdgesOf(vertex)) {
        int to = graph.Owner(neighbour);
        if (world.hits(FAULT_wrong_peer))
            to = (to + 1) % world.ranks;
        outbox[(size_t)to].push_back({neighbour, world.hits(FAULT_corrupt) ? neighbour : vertex});
    }
}

Outbox Search::Expand()
{
    Outbox outbox((size_t)world.ranks);
    for (int vertex : frontier)
        Offer(outbox, vertex);
    if (world.hits(FAULT_crash))
        fault_crash();
    return outbox;
}

void Search::Visit(const Message &offer)
{
    if (graph.Owner(offer.vertex) != world.fault.own || LevelOf(offer.vertex) != unseen)
        return;
    LevelOf(offer.vertex) = world.level;
    ParentOf(offer.vertex) = offer.value;
    next.push_back(offer.vertex);
}

void Search::TakeLevel()
{
    const Outbox outbox = Expand();
    if (world.hits(FAULT_skip_exchange))
        return;
    const std::vector<Message> offers = Exchange(world, outbox);
    if (world.hits(FAULT_skip_visit))
        return;
    do
        for (const Message &offer : offers)
            Visit(offer);
    while (fault_pace(world.hits(FAULT_endless)));
}

void Search::WaitForAll(MPI_Request &request)
{
    int done = 0;
    while (fault_pace(world.hits(FAULT_livelock)))
        MPI_Iprobe(world.fault.own, world.search, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
    if (!world.hits(FAULT_leak))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The frontiers change places while it is found out how large they are together.
int Search::CountFrontiers()
{
    static int own, all;
    MPI_Request request;
    own = (int)next.size();
    if (world.hits(FAULT_skip_collective))
        return own;
    if (world.hits(FAULT_mismatch))
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    else
        MPI_Iallreduce(&own, &all, 1, MPI_INT, world.hits(FAULT_wrong_op) ? MPI_MAX : MPI_SUM,
                       world.hits(FAULT_wrong_comm) ? world.group : MPI_COMM_WORLD, &request);
    frontier.swap(next);
    next.clear();
    WaitForAll(request);
    return all;
}

void Search::Run(int root)
{
    Clear();
    visited = world.level = 0;
    Visit({root, root});
    for (int found = CountFrontiers(); found > 0; found = CountFrontiers()) {
        visited += found;
        world.level++;
        if (world.hits(FAULT_early_exit))
            break;
        if (world.hits(FAULT_stuck))
            fault_hang();
        if (world.hits(FAULT_slow))
            fault_delay(300);
        if (world.hits(FAULT_double_init))
            Clear();
        TakeLevel();
        if (world.hits(FAULT_abort))
            MPI_Abort(MPI_COMM_WORLD, 6);
        if (world.hits(FAULT_extra_level))
            TakeLevel();
    }
}

void Search::TellOwners(Outbox &outbox, int vertex)
{
    for (int neighbour : graph.EdgesOf(vertex))
        outbox[(size_t)graph.Owner(neighbour)].push_back({neighbour, 2 * LevelOf(vertex)});
    if (ParentOf(vertex) != unseen && ParentOf(vertex) != vertex)
        outbox[(size_t)graph.Owner(ParentOf(vertex))].push_back({ParentOf(vertex), 2 * LevelOf(vertex) + 1});
}

// A claim's value is twice the level of the other vertex, and one more if that vertex is a child.
int Search::CountWrong(const Message &claim)
{
    const int is_child = claim.value & 1, down = (claim.value - is_child) / 2 - LevelOf(claim.vertex);
    if (is_child)
        return down != 1;
    return down < -1 || down > 1;
}

bool Search::IsRight()
{
    Outbox outbox((size_t)world.ranks);
    int own[2] = {0, 0}, all[2] = {0, 0};
    for (int vertex = graph.first; vertex < graph.first + graph.block; vertex++) {
        own[0] += LevelOf(vertex) != unseen;
        own[1] += LevelOf(vertex) > 0 && ParentOf(vertex) == vertex;
        TellOwners(outbox, vertex);
    }
    for (const Message &claim : Exchange(world, outbox))
        own[1] += CountWrong(claim);
    MPI_Reduce(own, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return world.fault.own != 0 || (visited > 0 && all[0] == visited && all[1] == 0);
}

void Search::Report()
{
    int largest = 0;
    std::vector<int> reached((size_t)world.ranks);
    MPI_Reduce(&visited, &largest, 1, MPI_INT, MPI_MAX, 0, world.group);
    MPI_Gather(&visited, 1, MPI_INT, reached.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
}

// Process 0 chooses where a search starts.
int ChooseRoot(const World &world, const Graph &graph)
{
    const bool wrong_root = fault_hits(&world.fault, FAULT_wrong_root, world.search);
    int root = world.fault.own == 0 ? 37 * world.search % (graph.block * world.ranks) : 0;
    MPI_Bcast(&root, 1, MPI_INT, wrong_root ? world.fault.own : 0, MPI_COMM_WORLD);
    return root;
}

bool SearchAll(World &world, Graph &graph, int searches)
{
    bool right = true;
    Search search(world, graph);
    for (world.search = 1; world.search <= searches; world.search++) {
        search.Run(ChooseRoot(world, graph));
        world.level = 0;
        const bool wrong_order = fault_hits(&world.fault, FAULT_wrong_order, world.search);
        if (wrong_order)
            search.Report();
        right = search.IsRight() && right;
        if (!wrong_order)
            search.Report();
    }
    return right;
}
} // namespace

int main(int argc, char **argv)
{
    Fault fault;
    if (!fault_read(&fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &fault.own);
    {
        World world(fault);
        Graph graph(world, fault.size > 0 ? fault.size : 24, fault_mine(&fault, FAULT_different_input) ? 3 : 2);
        const bool right = SearchAll(world, graph, fault.steps > 0 ? fault.steps : 6);
        if (fault.own == 0)
            std::puts(right ? "right" : "wrong");
    }
    MPI_Finalize();
    return 0;
}
