/*
 * A correct program by a seed: mpi-communicators SEED STEPS, on 2 to 8 ranks. It makes communicators of communicators
 * in all ways, between two groups as well, and uses them in the order of the seed. All ranks draw the same numbers, so
 * each knows what all do. Tags and counts are made of the communicator's number: if two were taken for one, or one for
 * two, messages and collective calls would not match.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 8, MOST = 200, WORDS = 512 };
enum { ABSENT, FIRST, SECOND }; /* which group of a communicator a rank is in */

static struct communicator {
    MPI_Comm handle; /* MPI_COMM_NULL: the rank is not in it */
    MPI_Request pending;
    int is_between, is_freed;
    char in[RANKS];
} all[MOST];
static int count, rank, size;
static uint64_t state;

static int draw(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

static int has(const struct communicator *of)
{
    return of->in[rank] != ABSENT;
}

static int members_of(const struct communicator *of)
{
    int members = 0;
    for (int r = 0; r < size; r++)
        members += of->in[r] != ABSENT;
    return members;
}

static struct communicator *add(int is_between)
{
    struct communicator *new = &all[count++];
    *new = (struct communicator){.handle = MPI_COMM_NULL, .pending = MPI_REQUEST_NULL, .is_between = is_between};
    return new;
}

static void settle(struct communicator *of)
{
    if (has(of))
        MPI_Wait(&of->pending, MPI_STATUS_IGNORE);
}

/* A communicator that is there, between groups or not; NULL: luck had none. */
static struct communicator *pick(int is_between)
{
    struct communicator *found = &all[draw(count)];
    if (found->is_freed || found->is_between != is_between)
        return NULL;
    settle(found);
    return found;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void copy(void)
{
    struct communicator *from = pick(draw(3) == 0);
    int later = draw(2);
    if (!from)
        return;
    struct communicator *new = add(from->is_between);
    for (int r = 0; r < size; r++)
        new->in[r] = from->in[r];
    if (has(new) && later)
        MPI_Comm_idup(from->handle, &new->handle, &new->pending);
    else if (has(new))
        MPI_Comm_dup(from->handle, &new->handle);
}

static void split(void)
{
    struct communicator *from = pick(0);
    int colours[RANKS], backwards = draw(2);
    MPI_Comm made = MPI_COMM_NULL;
    for (int r = 0; r < size; r++)
        colours[r] = draw(3);
    if (!from)
        return;
    if (has(from))
        MPI_Comm_split(from->handle, colours[rank], backwards ? -rank : rank, &made);
    for (int colour = 0; colour < 3; colour++) {
        struct communicator *new = add(0);
        for (int r = 0; r < size; r++)
            new->in[r] = from->in[r] && colours[r] == colour ? FIRST : ABSENT;
        new->handle = has(new) ? made : MPI_COMM_NULL;
        new->is_freed = members_of(new) == 0;
    }
}

static MPI_Group subset(const struct communicator *from, const struct communicator *new)
{
    int ranks[RANKS], own[RANKS], members = 0;
    MPI_Group world, group, of_new;
    for (int r = 0; r < size; r++)
        if (new->in[r])
            ranks[members++] = r;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(from->handle, &group);
    MPI_Group_translate_ranks(world, members, ranks, group, own);
    MPI_Group_incl(group, members, own, &of_new);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return of_new;
}

static void choose(void)
{
    struct communicator *from = pick(0);
    int by_members = draw(2), chosen[RANKS];
    for (int r = 0; r < size; r++)
        chosen[r] = draw(2);
    if (!from)
        return;
    struct communicator *new = add(0);
    for (int r = 0; r < size; r++)
        new->in[r] = from->in[r] && chosen[r] ? FIRST : ABSENT;
    new->is_freed = members_of(new) == 0;
    if (new->is_freed || !has(from))
        return;
    MPI_Group group = subset(from, new);
    if (by_members && has(new))
        MPI_Comm_create_group(from->handle, group, (int)(new - all), &new->handle);
    else if (!by_members)
        MPI_Comm_create(from->handle, group, &new->handle);
    MPI_Group_free(&group);
}

static void line_up(void)
{
    struct communicator *from = pick(0);
    if (!from)
        return;
    struct communicator *new = add(0);
    int members = members_of(from), periodic = 1;
    for (int r = 0; r < size; r++)
        new->in[r] = from->in[r];
    if (has(new))
        MPI_Cart_create(from->handle, 1, &members, &periodic, 0, &new->handle);
}

static int leader_of(const struct communicator *of)
{
    for (int r = 0; r < size; r++)
        if (of->in[r])
            return r;
    return -1;
}

/* Rank in a group of one in the world. */
static int translate(MPI_Group group, int member)
{
    int found;
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(world, 1, &member, group, &found);
    MPI_Group_free(&world);
    return found;
}

static int rank_in(const struct communicator *of, int member, int remote)
{
    MPI_Group group;
    (remote ? MPI_Comm_remote_group : MPI_Comm_group)(of->handle, &group);
    int found = translate(group, member);
    MPI_Group_free(&group);
    return found;
}

/* Between two that have no member in common; their leaders meet in the world, or in a copy of it. */
static void build_bridge(void)
{
    struct communicator *one = pick(0), *other = pick(0), *meeting = pick(0);
    int tag = draw(3);
    if (!one || !other || one == other)
        return;
    for (int r = 0; r < size; r++)
        if (one->in[r] && other->in[r])
            return;
    if (!meeting || members_of(meeting) < size)
        meeting = &all[0];
    struct communicator *new = add(1);
    for (int r = 0; r < size; r++)
        new->in[r] = one->in[r] ? FIRST : other->in[r] ? SECOND : ABSENT;
    if (!has(new))
        return;
    const struct communicator *own = one->in[rank] ? one : other, *there = own == one ? other : one;
    MPI_Intercomm_create(own->handle, rank_in(own, leader_of(own), 0), meeting->handle,
                         rank_in(meeting, leader_of(there), 0), tag, &new->handle);
}

static void merge(void)
{
    struct communicator *from = pick(1);
    int high = draw(2);
    if (!from)
        return;
    struct communicator *new = add(0);
    for (int r = 0; r < size; r++)
        new->in[r] = from->in[r] ? FIRST : ABSENT;
    if (has(new))
        MPI_Intercomm_merge(from->handle, (from->in[rank] == FIRST) == high, &new->handle);
}

static void release(void)
{
    struct communicator *old = pick(draw(2));
    if (!old || old == &all[0])
        return;
    old->is_freed = 1;
    if (has(old))
        MPI_Comm_free(&old->handle);
}

/* ---- using ----------------------------------------------------------------------------------- */

static void send_one(const struct communicator *in)
{
    int from = draw(size), to = draw(size), number = (int)(in - all), words = number + 1;
    static int sent[WORDS], got[WORDS];
    if (!in->in[from] || !in->in[to] || from == to || (in->is_between && in->in[from] == in->in[to]))
        return;
    sent[0] = number;
    if (rank == from)
        MPI_Send(sent, words, MPI_INT, rank_in(in, to, in->is_between), number, in->handle);
    if (rank != to)
        return;
    MPI_Recv(got, words, MPI_INT, draw(2) ? MPI_ANY_SOURCE : rank_in(in, from, in->is_between), number, in->handle,
             MPI_STATUS_IGNORE);
    if (got[0] != number)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void use(void)
{
    static int given[WORDS], got[WORDS];
    const struct communicator *in = pick(draw(2));
    int what = draw(4);
    uint64_t before;
    if (!in)
        return;
    if (what < 2) {
        before = state;
        send_one(in);
        state = before; /* what only the receiver has drawn is no number of all */
        draw(7);
    } else if (has(in) && what == 2) {
        MPI_Allreduce(given, got, (int)(in - all) + 1, MPI_INT, MPI_MAX, in->handle);
    } else if (has(in)) {
        MPI_Barrier(in->handle);
    }
}

int main(int argc, char **argv)
{
    static void (*const ways[])(void) = {copy,  split,   choose, line_up, build_bridge, build_bridge,
                                         merge, release, use,    use,     use,          use};
    int steps = argc > 2 ? atoi(argv[2]) : 60;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 977 : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct communicator *world = add(0);
    world->handle = MPI_COMM_WORLD;
    for (int r = 0; r < size; r++)
        world->in[r] = FIRST;
    for (int i = 0; i < steps && count < MOST - 3; i++) {
        void (*way)(void) = ways[draw((int)(sizeof ways / sizeof *ways))];
        /* Open MPI hangs where a copy is still being made while others are. */
        for (int k = 0; k < count && way != use; k++)
            settle(&all[k]);
        way();
    }
    for (int i = 1; i < count; i++) {
        settle(&all[i]);
        if (!all[i].is_freed && has(&all[i]))
            MPI_Comm_free(&all[i].handle);
    }
    MPI_Finalize();
    return 0;
}
