/*
 * Water in a network of pipes: the level of each node follows those of its neighbours, what is supplied and what leaks.
 * The nodes are dealt out by what they cost; ranks tell each other whose levels they need, and exchange these in every
 * step while they work on nodes that need none. Ranks form districts: the leader of a district asks its members for
 * their highest level and says whether the valve is to be opened; how much changes is summed up by districts, then
 * among leaders. Rank 0 reads levels to start from, logs, and keeps what is gathered now and then.
 *
 *     network FAULT -- [-r RESTART] [-n NAME] [-d DIGITS] [-k CHECKPOINT] [-v]
 *
 * NETWORK_UNITS=m|cm|mm is what levels are logged in. In the end rank 0 does all of it alone, and compares.
 */
#include "fault.h"
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAULTS(X)                                                                                                      \
    X(skip_exchange)                                                                                                   \
    X(skip_unpack)                                                                                                     \
    X(skip_report)                                                                                                     \
    X(skip_free)                                                                                                       \
    X(wrong_tag)                                                                                                       \
    X(wrong_peer)                                                                                                      \
    X(wrong_root)                                                                                                      \
    X(wrong_district)                                                                                                  \
    X(wrong_op)                                                                                                        \
    X(long_count)                                                                                                      \
    X(short_count)                                                                                                     \
    X(extra_barrier)                                                                                                   \
    X(extra_report)                                                                                                    \
    X(swapped)                                                                                                         \
    X(early_exit)                                                                                                      \
    X(own_tolerance)                                                                                                   \
    X(crash)                                                                                                           \
    X(abort)                                                                                                           \
    X(stuck)                                                                                                           \
    X(spoil)                                                                                                           \
    X(fewer_steps)                                                                                                     \
    X(tolerance)                                                                                                       \
    X(flat_sum) X(ordered) X(no_overlap) X(step_barrier) X(short_list) X(often) X(skip_boundary)
FAULT_TABLE(FAULTS)

enum { DEGREE = 6, SHORT_PIPE = 1, MIDDLE_PIPE = 5, SOURCE = 11, MAX_RANKS = 64, DISTRICT = 4, WORD = 96 };
enum { TAG_WISH = 1, TAG_REPORT, TAG_LEVEL = 10, LIMIT = 36, SUM_EVERY = 3, VALVE_EVERY = 4, KEEP_EVERY = 8 };
static const double time_step = 0.12, leak = 0.3, open_leak = 0.6, highest = 1.2, sanity = 1e6, settled = 0.07;

typedef struct {
    const char *restart, *name, *unit;
    int digits, verbose, keep_every;
    double scale;
} Settings;

/* What goes to one other rank and comes from it. */
typedef struct {
    int peer, leaving, coming;
    int *leaving_node, *coming_node;
    double *out, *in;
} Link;

typedef struct {
    Fault fault;
    Settings settings;
    int ranks, nodes, long_pipe, step, links, inner, rim, valve, district_rank, limit, made;
    int first[MAX_RANKS + 1];
    int *inner_node, *rim_node; /* those that need no others' levels, and those that do */
    double *level, *next, *kept;
    double change;
    Link link[MAX_RANKS];
    MPI_Comm district, leaders;
} Network;

FAULT_INLINE int strikes(const Network *network, int id)
{
    return fault_hits(&network->fault, id, network->step);
}

/* ---- the network ---- */

FAULT_INLINE int neighbour_of(const Network *network, int node, int pipe)
{
    int span = pipe / 2 == 0 ? SHORT_PIPE : pipe / 2 == 1 ? MIDDLE_PIPE : network->long_pipe;
    return (node + (pipe % 2 == 0 ? span : network->nodes - span)) % network->nodes;
}

FAULT_INLINE double width_of(int one, int other)
{
    unsigned low = (unsigned)(one < other ? one : other), high = (unsigned)(one < other ? other : one);
    return 0.5 + (double)((low * 2654435761u ^ high * 40503u) >> 8 & 0xffff) / 131072;
}

FAULT_INLINE int owner_of(const Network *network, int node)
{
    int rank = 0;
    while (network->first[rank + 1] <= node)
        rank++;
    return rank;
}

FAULT_INLINE double cost_of(int node)
{
    return node % SOURCE == 0 ? 3 : 1;
}

static double next_level(const Network *network, int node, int valve)
{
    double own = network->level[node], flow = node % SOURCE == 0 ? 4 : 0;
    for (int pipe = 0; pipe < DEGREE; pipe++) {
        int other = neighbour_of(network, node, pipe);
        flow += width_of(node, other) * (network->level[other] - own);
    }
    return own + time_step * (flow - (valve ? open_leak : leak) * own);
}

/* ---- settings and restart ---- */

static void read_settings(Settings *settings, int count, char **words)
{
    optind = 1;
    settings->digits = 4;
    settings->keep_every = KEEP_EVERY;
    for (int option; (option = getopt(count, words, "r:n:d:k:v")) != -1;)
        switch (option) {
        case 'r':
            settings->restart = optarg;
            break;
        case 'n':
            settings->name = optarg;
            break;
        case 'd':
            settings->digits = atoi(optarg);
            break;
        case 'k':
            settings->keep_every = atoi(optarg);
            break;
        case 'v':
            settings->verbose++;
            break;
        default:
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
}

static void choose_unit(Settings *settings)
{
    settings->unit = getenv("NETWORK_UNITS");
    settings->scale = 1;
    if (settings->unit == NULL)
        settings->unit = "m";
    else if (strcmp(settings->unit, "cm") == 0)
        settings->scale = 100;
    else if (strcmp(settings->unit, "mm") == 0)
        settings->scale = 1000;
}

static void say(const Network *network, const char *what)
{
    char line[WORD];
    int length = snprintf(line, sizeof(line), "rank %d", network->fault.own);
    if (network->settings.name != NULL)
        length += snprintf(line + length, sizeof(line) - (size_t)length, " of %.30s", network->settings.name);
    snprintf(line + length, sizeof(line) - (size_t)length, ": %s\n", what);
    fputs(line, stderr);
}

static int parse_line(Network *network, char *line)
{
    char *end = line + strcspn(line, "#\n");
    *end = 0;
    char *rest;
    long node = strtol(line, &rest, 10);
    if (rest == line)
        return 0;
    if (node >= 0 && node < network->nodes)
        network->level[node] = strtod(rest, NULL);
    return 1;
}

static void read_restart(Network *network)
{
    char line[WORD];
    int lines = 0;
    FILE *file = fopen(network->settings.restart, "r");
    if (file == NULL) {
        say(network, "cannot read the restart file");
        MPI_Abort(MPI_COMM_WORLD, 3);
        return;
    }
    while (fgets(line, sizeof(line), file) != NULL)
        lines += parse_line(network, line);
    fclose(file);
    if (network->settings.verbose)
        fprintf(stderr, "%d levels read\n", lines);
}

/* ---- who has what ---- */

/* Each rank weighs an equal part; the parts' limits move so that all weigh about the same. */
static void deal_nodes(Network *network)
{
    int part = network->nodes / network->ranks, rank = network->fault.own;
    double own = 0, weight[MAX_RANKS], total = 0, before = 0;
    for (int node = rank * part; node < (rank + 1) * part; node++)
        own += cost_of(node);
    MPI_Allgather(&own, 1, MPI_DOUBLE, weight, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < network->ranks; i++)
        total += weight[i];
    for (int i = 0, next = 0; i < network->ranks; before += weight[i++])
        while (next < network->ranks && next * total / network->ranks < before + weight[i]) {
            network->first[next] = i * part + (int)((next * total / network->ranks - before) * part / weight[i]);
            next++;
        }
    network->first[network->ranks] = network->nodes;
}

/* Marks of the nodes that this rank needs of others, and its own that need them. */
static void find_rim(Network *network, char *needed)
{
    int own = network->fault.own, first = network->first[own], last = network->first[own + 1];
    network->inner_node = calloc((size_t)(last - first), sizeof(int));
    network->rim_node = calloc((size_t)(last - first), sizeof(int));
    for (int node = first; node < last; node++) {
        int foreign = 0;
        for (int pipe = 0; pipe < DEGREE; pipe++) {
            int other = neighbour_of(network, node, pipe);
            if (owner_of(network, other) != own)
                foreign = needed[other] = 1;
        }
        if (foreign)
            network->rim_node[network->rim++] = node;
        else
            network->inner_node[network->inner++] = node;
    }
}

static void open_link(Network *network, int peer, int leaving, int coming, const char *needed)
{
    Link *link = &network->link[network->links++];
    link->peer = peer;
    link->leaving = leaving;
    link->leaving_node = calloc((size_t)leaving, sizeof(int));
    link->coming_node = calloc((size_t)coming, sizeof(int));
    link->out = calloc((size_t)leaving + DEGREE, sizeof(double));
    link->in = calloc((size_t)coming, sizeof(double));
    for (int node = network->first[peer]; node < network->first[peer + 1]; node++)
        if (needed[node])
            link->coming_node[link->coming++] = node;
}

static void tell_wishes(Network *network, const char *needed)
{
    int wished[MAX_RANKS] = {0}, asked[MAX_RANKS] = {0}, requests = 0;
    MPI_Request request[2 * MAX_RANKS];
    for (int node = 0; node < network->nodes; node++)
        wished[owner_of(network, node)] += needed[node];
    MPI_Alltoall(wished, 1, MPI_INT, asked, 1, MPI_INT, MPI_COMM_WORLD);
    for (int peer = 0; peer < network->ranks; peer++)
        if (wished[peer] + asked[peer] > 0)
            open_link(network, peer, asked[peer], wished[peer], needed);
    for (int i = 0; i < network->links; i++) {
        Link *link = &network->link[i];
        MPI_Irecv(link->leaving_node, link->leaving, MPI_INT, link->peer, TAG_WISH, MPI_COMM_WORLD,
                  &request[requests++]);
        MPI_Isend(link->coming_node, link->coming, MPI_INT, link->peer, TAG_WISH, MPI_COMM_WORLD, &request[requests++]);
    }
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
}

static void form_districts(Network *network)
{
    int own = network->fault.own, number = own / DISTRICT;
    if (fault_mine(&network->fault, FAULT_wrong_district))
        number = 0; /* FAULT(wrong_district) */
    MPI_Comm_split(MPI_COMM_WORLD, number, own, &network->district);
    MPI_Comm_rank(network->district, &network->district_rank);
    MPI_Comm_split(MPI_COMM_WORLD, network->district_rank == 0 ? 0 : MPI_UNDEFINED, own, &network->leaders);
}

static void scatter_levels(Network *network)
{
    int count[MAX_RANKS], own = network->fault.own;
    for (int rank = 0; rank < network->ranks; rank++)
        count[rank] = network->first[rank + 1] - network->first[rank];
    double *part = calloc((size_t)count[own], sizeof(double));
    MPI_Scatterv(network->level, count, network->first, MPI_DOUBLE, part, count[own], MPI_DOUBLE, 0, MPI_COMM_WORLD);
    memcpy(network->level + network->first[own], part, sizeof(double) * (size_t)count[own]);
    free(part);
}

/* ---- a step ---- */

static void pack_levels(const Network *network, Link *link)
{
    for (int i = 0; i < link->leaving; i++)
        link->out[i] = network->level[link->leaving_node[i]];
}

static void unpack_levels(Network *network, const Link *link)
{
    for (int i = 0; i < link->coming; i++) {
        network->level[link->coming_node[i]] = link->in[i];
        if (!(fabs(link->in[i]) < sanity)) {
            say(network, "a level is beyond all measure");
            MPI_Abort(MPI_COMM_WORLD, 7);
        }
    }
}

static void post_receives(Network *network, MPI_Request *request)
{
    for (int i = 0; i < network->links; i++) {
        Link *link = &network->link[i];
        MPI_Irecv(link->in, link->coming, MPI_DOUBLE, link->peer, TAG_LEVEL + network->step, MPI_COMM_WORLD,
                  &request[i]);
    }
}

static void send_levels(Network *network, MPI_Request *request)
{
    for (int i = 0; i < network->links; i++) {
        Link *link = &network->link[i];
        int to = link->peer, tag = TAG_LEVEL + network->step, count = link->leaving;
        if (strikes(network, FAULT_wrong_tag) && i == 0)
            tag++; /* FAULT(wrong_tag) */
        if (strikes(network, FAULT_wrong_peer) && i == 0)
            to = (to + network->ranks / 2) % network->ranks; /* FAULT(wrong_peer) */
        if (strikes(network, FAULT_long_count))
            count += DEGREE; /* FAULT(long_count) */
        if (strikes(network, FAULT_short_count) || fault_mine(&network->fault, FAULT_short_list))
            count = (count + 1) / 2; /* FAULT(short_count) */
        pack_levels(network, link);
        MPI_Isend(link->out, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &request[i]);
    }
}

/* As they come; in the order of ranks if that is wanted. */
static void take_levels(Network *network, MPI_Request *request)
{
    for (int left = network->links; left > 0; left--) {
        int i = network->links - left;
        if (fault_mine(&network->fault, FAULT_ordered))
            MPI_Wait(&request[i], MPI_STATUS_IGNORE); /* FAULT(ordered) */
        else
            MPI_Waitany(network->links, request, &i, MPI_STATUS_IGNORE);
        if (!(strikes(network, FAULT_skip_unpack) && i == 1))
            unpack_levels(network, &network->link[i]); /* FAULT(skip_unpack) */
    }
}

static void move_nodes(Network *network, const int *node, int count)
{
    for (int i = 0; i < count; i++)
        network->next[node[i]] = next_level(network, node[i], network->valve);
    if (strikes(network, FAULT_crash))
        fault_crash(); /* FAULT(crash) */
    if (strikes(network, FAULT_stuck))
        fault_hang(); /* FAULT(stuck) */
}

static void finish_step(Network *network)
{
    int own = network->fault.own;
    network->made++;
    network->change = 0;
    for (int node = network->first[own]; node < network->first[own + 1]; node++) {
        double difference = network->next[node] - network->level[node];
        network->change += difference * difference;
        network->level[node] = network->next[node];
    }
    if (strikes(network, FAULT_spoil))
        network->level[network->rim_node[0]] = -2 * sanity; /* FAULT(spoil) */
}

static void make_step(Network *network)
{
    MPI_Request coming[MAX_RANKS], leaving[MAX_RANKS];
    post_receives(network, coming);
    send_levels(network, leaving);
    if (fault_mine(&network->fault, FAULT_no_overlap))
        take_levels(network, coming); /* FAULT(no_overlap) */
    move_nodes(network, network->inner_node, network->inner);
    if (!fault_mine(&network->fault, FAULT_no_overlap))
        take_levels(network, coming);
    if (!fault_mine(&network->fault, FAULT_skip_boundary))
        move_nodes(network, network->rim_node, network->rim); /* FAULT(skip_boundary) */
    MPI_Waitall(network->links, leaving, MPI_STATUSES_IGNORE);
    finish_step(network);
}

/* ---- districts ---- */

static double highest_level(const Network *network)
{
    double result = 0;
    for (int node = network->first[network->fault.own]; node < network->first[network->fault.own + 1]; node++)
        result = fmax(result, network->level[node]);
    return result;
}

static int decide(int valve, double level)
{
    return level > highest ? 1 : level < 0.8 * highest ? 0 : valve;
}

/* The leader asks for its members' reports in the order in which they come. */
static double collect_reports(Network *network, double own)
{
    int members;
    double report;
    MPI_Comm_size(network->district, &members);
    for (int i = 1; i < members; i++) {
        MPI_Recv(&report, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_REPORT, network->district, MPI_STATUS_IGNORE);
        own = fmax(own, report);
    }
    return own;
}

static void set_valve(Network *network)
{
    double own = highest_level(network);
    int root = 0;
    if (network->district_rank == 0)
        network->valve = decide(network->valve, collect_reports(network, own));
    else if (!strikes(network, FAULT_skip_report))
        MPI_Send(&own, 1, MPI_DOUBLE, 0, TAG_REPORT, network->district); /* FAULT(skip_report) */
    if (strikes(network, FAULT_extra_report))
        MPI_Send(&own, 1, MPI_DOUBLE, 0, TAG_REPORT, network->district); /* FAULT(extra_report) */
    if (strikes(network, FAULT_wrong_root))
        root = network->district_rank; /* FAULT(wrong_root) */
    MPI_Bcast(&network->valve, 1, MPI_INT, root, network->district);
}

/* The changes of all, first of districts, then among leaders. */
static double sum_changes(Network *network)
{
    double district = 0, all = 0;
    MPI_Op op = MPI_SUM;
    if (fault_mine(&network->fault, FAULT_flat_sum)) {
        MPI_Allreduce(&network->change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* FAULT(flat_sum) */
        return all;
    }
    if (strikes(network, FAULT_wrong_op))
        op = MPI_MIN; /* FAULT(wrong_op) */
    MPI_Reduce(&network->change, &district, 1, MPI_DOUBLE, op, 0, network->district);
    if (network->leaders != MPI_COMM_NULL)
        MPI_Allreduce(&district, &all, 1, MPI_DOUBLE, MPI_SUM, network->leaders);
    if (strikes(network, FAULT_extra_barrier))
        MPI_Barrier(network->district); /* FAULT(extra_barrier) */
    MPI_Bcast(&all, 1, MPI_DOUBLE, 0, network->district);
    return all;
}

/* ---- the whole run ---- */

/* All levels, at rank 0. */
static void keep_levels(Network *network, double *all)
{
    int count[MAX_RANKS], own = network->fault.own;
    for (int rank = 0; rank < network->ranks; rank++)
        count[rank] = network->first[rank + 1] - network->first[rank];
    MPI_Gatherv(network->level + network->first[own], count[own], MPI_DOUBLE, all, count, network->first, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
}

static void log_step(const Network *network, double change)
{
    const Settings *settings = &network->settings;
    if (network->fault.own != 0)
        return;
    printf("step %d: change %.*g %s\n", network->step, settings->digits, settings->scale * sqrt(change),
           settings->unit);
    if (settings->verbose)
        fflush(stdout);
}

static int has_settled(const Network *network, double change)
{
    double limit = settled;
    if (fault_mine(&network->fault, FAULT_tolerance))
        limit *= 2; /* FAULT(tolerance) */
    if (strikes(network, FAULT_own_tolerance))
        limit *= 1000; /* FAULT(own_tolerance) */
    return sqrt(change) < limit;
}

static void run_steps(Network *network)
{
    int last = network->limit, sum_every = SUM_EVERY;
    if (fault_mine(&network->fault, FAULT_fewer_steps))
        last = last / 2; /* FAULT(fewer_steps) */
    if (fault_mine(&network->fault, FAULT_often))
        sum_every = 1; /* FAULT(often) */
    for (network->step = 1; network->step <= last; network->step++) {
        if (strikes(network, FAULT_early_exit))
            break; /* FAULT(early_exit) */
        if (strikes(network, FAULT_swapped))
            network->change = sum_changes(network); /* FAULT(swapped) */
        if (!strikes(network, FAULT_skip_exchange))
            make_step(network); /* FAULT(skip_exchange) */
        if (fault_mine(&network->fault, FAULT_step_barrier))
            MPI_Barrier(MPI_COMM_WORLD); /* FAULT(step_barrier) */
        if (network->step % VALVE_EVERY == 0)
            set_valve(network);
        if (strikes(network, FAULT_abort))
            MPI_Abort(MPI_COMM_WORLD, 5); /* FAULT(abort) */
        if (network->settings.keep_every > 0 && network->step % network->settings.keep_every == 0)
            keep_levels(network, network->kept);
        if (network->step % sum_every != 0)
            continue;
        double change = sum_changes(network);
        log_step(network, change);
        if (has_settled(network, change))
            break;
    }
}

static double *new_levels(const Network *network)
{
    double *level = calloc((size_t)network->nodes, sizeof(double));
    for (int node = 0; node < network->nodes; node++)
        level[node] = 0.1 * (node % 3);
    return level;
}

static void replay_valves(const Network *network, const double *level, int *valve)
{
    for (int district = 0; district * DISTRICT < network->ranks; district++) {
        int end = (district + 1) * DISTRICT < network->ranks ? (district + 1) * DISTRICT : network->ranks;
        double largest = 0;
        for (int node = network->first[district * DISTRICT]; node < network->first[end]; node++)
            largest = fmax(largest, level[node]);
        valve[district] = decide(valve[district], largest);
    }
}

/* The same steps by rank 0 alone. */
static void replay(Network *alone, int steps)
{
    int valve[MAX_RANKS] = {0};
    for (int step = 1; step <= steps; step++) {
        for (int rank = 0; rank < alone->ranks; rank++)
            for (int node = alone->first[rank]; node < alone->first[rank + 1]; node++)
                alone->next[node] = next_level(alone, node, valve[rank / DISTRICT]);
        double *swap = alone->level;
        alone->level = alone->next;
        alone->next = swap;
        if (step % VALVE_EVERY == 0)
            replay_valves(alone, alone->level, valve);
    }
}

static void check(Network *network, const double *start)
{
    double *all = calloc((size_t)network->nodes, sizeof(double));
    keep_levels(network, all);
    if (network->fault.own == 0) {
        double worst = 0;
        memcpy(network->level, start, sizeof(double) * (size_t)network->nodes);
        replay(network, network->made);
        for (int node = 0; node < network->nodes; node++)
            worst = fmax(worst, fabs(network->level[node] - all[node]));
        puts(worst < 1e-9 ? "right" : "wrong");
    }
    free(all);
}

static void release(Network *network)
{
    for (int i = 0; i < network->links; i++) {
        Link *link = &network->link[i];
        free(link->leaving_node);
        free(link->coming_node);
        free(link->out);
        free(link->in);
    }
    if (network->leaders != MPI_COMM_NULL)
        MPI_Comm_free(&network->leaders);
    if (!fault_mine(&network->fault, FAULT_skip_free))
        MPI_Comm_free(&network->district); /* FAULT(skip_free) */
    free(network->inner_node);
    free(network->rim_node);
    free(network->level);
    free(network->next);
    free(network->kept);
}

static void open_network(Network *network)
{
    int part = network->fault.size > 0 ? network->fault.size : 22;
    network->nodes = network->ranks * part;
    network->long_pipe = part;
    network->limit = network->fault.steps > 0 ? network->fault.steps : LIMIT;
    network->level = new_levels(network);
    network->next = calloc((size_t)network->nodes, sizeof(double));
    network->kept = calloc((size_t)network->nodes, sizeof(double));
}

int main(int argc, char **argv)
{
    static Network network;
    if (!fault_read(&network.fault, argc, argv, fault_names, FAULT_COUNT))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &network.fault.own);
    MPI_Comm_size(MPI_COMM_WORLD, &network.ranks);
    read_settings(&network.settings, argc - network.fault.rest + 1, argv + network.fault.rest - 1);
    choose_unit(&network.settings);
    if (network.ranks > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (network.settings.verbose)
        say(&network, "starts");
    open_network(&network);
    if (network.fault.own == 0 && network.settings.restart != NULL)
        read_restart(&network);
    deal_nodes(&network);
    char *needed = calloc((size_t)network.nodes, 1);
    double *start = calloc((size_t)network.nodes, sizeof(double));
    memcpy(start, network.level, sizeof(double) * (size_t)network.nodes);
    find_rim(&network, needed);
    tell_wishes(&network, needed);
    form_districts(&network);
    scatter_levels(&network);
    run_steps(&network);
    check(&network, start);
    release(&network);
    free(needed);
    free(start);
    MPI_Finalize();
    return 0;
}
