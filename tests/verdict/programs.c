/*
 * The programs as rows of operations.
 */
#include "programs.h"

#include <signal.h>

static void enter(Actor *actor, const char *function)
{
    actor_do(actor, OP_ENTER, function, 0);
}

static void leave(Actor *actor)
{
    actor_do(actor, OP_LEAVE, NULL, 0);
}

static void call(Actor *actor, const char *function)
{
    actor_do(actor, OP_CALL, function, 0);
}

static void start_mpi(Actor *actor)
{
    enter(actor, "main");
    actor_do(actor, OP_GATHER, "MPI_Init", 0);
    call(actor, "MPI_Comm_rank");
    call(actor, "MPI_Comm_size");
}

static void end_mpi(Actor *actor)
{
    actor_do(actor, OP_GATHER, "MPI_Finalize", 0);
    leave(actor);
}

static gboolean is_here(Bug bug, Fault fault, guint actor, guint iteration)
{
    return bug.fault == fault && bug.culprit == actor && bug.iteration == iteration;
}

static gboolean is_since(Bug bug, Fault fault, guint actor, guint iteration)
{
    return bug.fault == fault && bug.culprit == actor && bug.iteration <= iteration;
}

static void end_badly(Actor *actor, Bug bug, guint self, guint iteration)
{
    if (is_here(bug, FAULT_CRASH, self, iteration))
        actor_do(actor, OP_CRASH, NULL, SIGSEGV);
    if (is_here(bug, FAULT_ABORT, self, iteration))
        actor_do(actor, OP_ABORT, "MPI_Abort", 3);
    if (is_here(bug, FAULT_SPIN, self, iteration))
        actor_do(actor, OP_SPIN, NULL, 0);
}

/* ---- odd/even sort ------------------------------------------------------------------------ */

static void exchange(Actor *actor, guint self, guint partner, guint iteration, Bug bug)
{
    gboolean send_first = self % 2 == 0;
    if (is_since(bug, FAULT_SWAP, self, iteration))
        send_first = !send_first;
    gboolean no_send = is_since(bug, FAULT_DEADLOCK, self, iteration);
    for (guint half = 0; half < 2; half++) {
        gboolean send = (half == 0) == send_first && !no_send;
        actor_do(actor, send ? OP_SEND : OP_RECEIVE, send ? "MPI_Send" : "MPI_Recv", partner);
    }
}

Simulator *odd_even(guint ranks, Bug bug)
{
    Simulator *simulator = simulator_new(TRUE);
    for (guint self = 0; self < ranks; self++) {
        Actor *actor = simulator_actor(simulator, self, 0);
        guint iteration = 0;
        start_mpi(actor);
        enter(actor, "oddEvenSort");
        for (guint phase = 0; phase < ranks; phase++) {
            gboolean up = self % 2 == phase % 2;
            if ((up && self + 1 == ranks) || (!up && self == 0))
                continue;
            exchange(actor, self, up ? self + 1 : self - 1, iteration++, bug);
            call(actor, "merge");
        }
        leave(actor);
        end_mpi(actor);
    }
    return simulator;
}

/* ---- stencil ---------------------------------------------------------------------------------- */

static void stencil_step(Actor *actor, guint self, guint ranks, guint step, Bug bug)
{
    guint calls = is_since(bug, FAULT_EXTRA_CALLS, self, step) ? 10 : 1;
    enter(actor, "step");
    if (self > 0)
        actor_do(actor, OP_SEND, "MPI_Send", self - 1);
    if (self + 1 < ranks)
        actor_do(actor, OP_RECEIVE, "MPI_Recv", self + 1);
    enter(actor, "relax");
    end_badly(actor, bug, self, step);
    for (guint i = 0; i < calls; i++)
        call(actor, "relaxPoint");
    leave(actor);
    actor_do(actor, OP_GATHER, "MPI_Allreduce", 0);
    leave(actor);
}

Simulator *stencil(guint ranks, guint steps, Bug bug)
{
    Simulator *simulator = simulator_new(TRUE);
    for (guint self = 0; self < ranks; self++) {
        Actor *actor = simulator_actor(simulator, self, 0);
        start_mpi(actor);
        for (guint step = 0; step < steps; step++) {
            if (!is_here(bug, FAULT_SKIP, self, step))
                stencil_step(actor, self, ranks, step, bug);
        }
        end_mpi(actor);
    }
    return simulator;
}

/* ---- task farm ---------------------------------------------------------------------------------- */

static void ask(Actor *worker)
{
    enter(worker, "getTask");
    actor_do(worker, OP_SEND, "MPI_Send", 0);
    actor_do(worker, OP_RECEIVE, "MPI_Recv", 0);
    leave(worker);
}

static void answer(Actor *master, GRand *random, guint worker)
{
    gint polls = g_rand_int_range(random, 1, 30);
    for (gint i = 0; i < polls; i++)
        call(master, "MPI_Iprobe");
    actor_do(master, OP_RECEIVE, "MPI_Recv", worker);
    actor_do(master, OP_SEND, "MPI_Send", worker);
}

Simulator *farm(guint workers, guint tasks, guint32 seed, Bug bug)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    Simulator *simulator = simulator_new(TRUE);
    for (guint self = 0; self <= workers; self++)
        start_mpi(simulator_actor(simulator, self, 0));
    Actor *master = g_ptr_array_index(simulator->actors, 0);
    g_autofree guint *done = g_new0(guint, workers + 1);
    for (guint task = 0; task < tasks; task++) {
        guint chosen = (guint)g_rand_int_range(random, 1, (gint32)workers + 1);
        Actor *worker = g_ptr_array_index(simulator->actors, chosen);
        answer(master, random, chosen);
        ask(worker);
        enter(worker, "solve");
        end_badly(worker, bug, chosen, done[chosen]++);
        call(worker, g_rand_boolean(random) ? "solveEasy" : "solveHard");
        leave(worker);
    }
    for (guint self = 1; self <= workers; self++) {
        answer(master, random, self);
        ask(g_ptr_array_index(simulator->actors, self));
    }
    for (guint self = 0; self <= workers; self++)
        end_mpi(g_ptr_array_index(simulator->actors, self));
    return simulator;
}

/* ---- threads ---------------------------------------------------------------------------------------- */

Simulator *bank(guint workers, guint rounds, Bug bug)
{
    Simulator *simulator = simulator_new(FALSE);
    Actor *leader = simulator_actor(simulator, 0, 0);
    enter(leader, "main");
    for (guint self = 1; self <= workers; self++)
        call(leader, "pthread_create");
    for (guint self = 1; self <= workers; self++) {
        Actor *actor = simulator_actor(simulator, 0, self);
        enter(actor, "teller");
        for (guint round = 0; round < rounds; round++) {
            call(actor, "chooseAccount");
            end_badly(actor, bug, self, round);
            actor_do(actor, OP_LOCK, "pthread_mutex_lock", 0);
            call(actor, "transfer");
            if (!is_here(bug, FAULT_NO_UNLOCK, self, round))
                actor_do(actor, OP_UNLOCK, "pthread_mutex_unlock", 0);
        }
        leave(actor);
        actor_do(leader, OP_JOIN, "pthread_join", self);
    }
    leave(leader);
    return simulator;
}

Simulator *hybrid(guint processes, guint workers)
{
    Simulator *simulator = simulator_new(TRUE);
    for (guint self = 0; self < processes; self++) {
        Actor *leader = simulator_actor(simulator, self, 0);
        start_mpi(leader);
        for (guint thread = 1; thread <= workers; thread++) {
            guint index = simulator->actors->len;
            Actor *actor = simulator_actor(simulator, self, thread);
            enter(actor, "work");
            call(actor, "compute");
            leave(actor);
            call(leader, "pthread_create");
            actor_do(leader, OP_JOIN, "pthread_join", index);
        }
        end_mpi(leader);
    }
    return simulator;
}

Simulator *team(guint threads, guint steps, Bug bug)
{
    enum { CELLS = 48 };
    Simulator *simulator = simulator_new(FALSE);
    for (guint self = 0; self < threads; self++) {
        Actor *actor = simulator_actor(simulator, 0, self);
        if (self == 0)
            enter(actor, "main");
        for (guint step = 0; step < steps; step++) {
            if (self == 0)
                enter(actor, "GOMP_parallel");
            enter(actor, "advance._omp_fn.0");
            for (guint cell = self * CELLS / threads; cell < (self + 1) * CELLS / threads; cell++)
                call(actor, "relax");
            end_badly(actor, bug, self, step);
            if (!is_here(bug, FAULT_SKIP, self, step))
                call(actor, "note");
            actor_do(actor, OP_GATHER, "GOMP_barrier", 0);
            leave(actor);
            if (self == 0)
                leave(actor);
        }
        if (self == 0)
            leave(actor);
    }
    return simulator;
}
